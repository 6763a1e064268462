#ifndef KRYLITE_FORMATS_ADAPTIVE_RGCSR_HPP
#define KRYLITE_FORMATS_ADAPTIVE_RGCSR_HPP

/// \file
/// Adaptive row-grouped CSR: a row longer than a limit L is cut into pieces, and the pieces of all rows are stored as
/// the rows of an RgCSR matrix whose slots are sorted by descending length within windows. A long row then has several
/// threads (lanes) at work on it and no longer pads its group, which is the cure for RgCSR's worst case.
///
/// A row of l entries gets t = l / L lanes, rounded up to a power of two and at most the group size G, and lane i takes
/// the entries i, i + t, i + 2 t, ..., so that the lanes read neighbouring entries of x. Of rows that need more than G
/// lanes, blocks of G * W entries are cut first: W = L on devices, where a long piece is waited for when all others are
/// done, and at least 256 on hosts.
///
///     rows of lengths 1 5 2, L = 3         pieces     1 | 3 2 | 2
///                          sorted slots    lengths     3  2  2  1
///                                          targets    -1 -2  2  0       (row, or -1 - number of the partial)
///
/// A row of one piece is written to y at once. The sums of the pieces of longer rows go to `partials`, one after the
/// other, and a second pass adds them up in their order, so that results repeat bit for bit.
/// With `block_columns` = C a row is first cut where it goes from one block of C columns to another, then each of these
/// runs as a row, and the pieces of a block of columns lie together: what they read of x stays in the nearest cache,
/// and with C up to 65536 their columns fit 16 bits. For long rows whose columns are sorted and scattered (linear
/// programs) on devices. Where each piece came from is kept: an Offset and 4 bytes a piece, for conversions alone.
///
/// Bytes of a product: those of the RgCSR matrix, 4 for each piece, and 16 for each partial.
/// Source: the rgcsr article's section 5 asks for a cure; several threads a row are the idea of the adaptive RgCSR
/// format that followed it (Heller, Oberhuber 2012). Pieces as rows of plain RgCSR are Krylite's.

#include <krylite/formats/rgcsr.hpp>

#include <cstddef>

namespace krylite {

/// How `to_adaptive_rgcsr` lays a matrix out.
struct AdaptiveRgCsrOptions {
  RgCsrOptions groups = {0, 100.0, true, RowOrder::windowed, 1024};
  /// L, at least 1; 0 is four times the mean row length, from 32 to 512.
  Index piece_length = 0;
  /// C; 0: rows are not cut by columns. Else the pieces are sorted by blocks of columns and by length, whatever
  /// `groups.order` says. One H200, the linear program of 4284 x 1.09M: 4096 | 8192 | 16384 columns and L = 64: 59 | 50
  /// | 48 us a product, and 102 without.
  Index block_columns = 0;
};

namespace detail {

/// How long pieces may be.
struct PieceRule {
  std::int64_t limit;       ///< L
  std::int64_t whole;       ///< W
  std::int64_t group_size;  ///< G
};

/// How a row of `length` entries is cut.
struct RowCut {
  std::int64_t block;   ///< entries of a whole block
  std::int64_t blocks;  ///< whole blocks, each of `group_size` pieces
  std::int64_t rest;    ///< entries behind them
  std::int64_t lanes;   ///< pieces of the rest
  std::int64_t group_size;

  KOKKOS_INLINE_FUNCTION RowCut(std::int64_t length, const PieceRule& rule)
      : block(rule.group_size * rule.whole), blocks(length / block), rest(length % block), lanes(0),
        group_size(rule.group_size) {
    if (rest > 0 || blocks == 0) lanes = 1;
    while (lanes < group_size && lanes * rule.limit < rest) lanes *= 2;
  }

  KOKKOS_INLINE_FUNCTION std::int64_t pieces() const { return blocks * group_size + lanes; }
  KOKKOS_INLINE_FUNCTION bool is_whole(std::int64_t piece) const { return piece / group_size < blocks; }

  /// Entries from one of the piece to its next.
  KOKKOS_INLINE_FUNCTION std::int64_t stride(std::int64_t piece) const { return is_whole(piece) ? group_size : lanes; }

  /// First entry of the piece in its row.
  KOKKOS_INLINE_FUNCTION std::int64_t begin(std::int64_t piece) const {
    return piece / group_size * block + piece % group_size;
  }

  /// Entries of the longest piece in the block of the piece.
  KOKKOS_INLINE_FUNCTION std::int64_t longest(std::int64_t piece) const {
    return is_whole(piece) ? block / group_size : (rest + lanes - 1) / lanes;
  }

  KOKKOS_INLINE_FUNCTION std::int64_t length(std::int64_t piece) const {
    const std::int64_t lane = piece % group_size;
    return is_whole(piece) ? block / group_size : lane < rest ? (rest - lane + lanes - 1) / lanes : 0;
  }
};

}  // namespace detail

template <class Scalar, class Offset = std::int64_t,
          class MemorySpace = typename Kokkos::DefaultExecutionSpace::memory_space>
struct AdaptiveRgCsrMatrix {
  using scalar_type = Scalar;
  using offset_type = Offset;
  using memory_space = MemorySpace;

  Index num_rows = 0;
  Index num_cols = 0;
  Index piece_length = 1;                           ///< L
  Index whole_length = 1;                           ///< W
  Index block_columns = 0;                          ///< C; 0: not cut by columns
  RgCsrMatrix<Scalar, Offset, MemorySpace> pieces;  ///< one row a piece, in sorted slots; its row_order is empty
  Kokkos::View<Offset*, MemorySpace> begins;        ///< where C > 0, of each slot: its first entry in CSR
  Kokkos::View<Index*, MemorySpace> strides;        ///< and the entries from one of its to the next
  Kokkos::View<Index*, MemorySpace> targets;        ///< of each slot: its row, or -1 - number of its partial
  Kokkos::View<Index*, MemorySpace> long_rows;      ///< rows of several pieces, ascending
  Kokkos::View<Index*, MemorySpace> long_pointers;  ///< first partial of each long row, and the number of partials
  Kokkos::View<Index*, MemorySpace> partial_owners; ///< which long row (a position in long_rows) a partial is of

  /// How rows were cut where they were not cut by columns.
  detail::PieceRule rule() const { return {piece_length, whole_length, pieces.group_size}; }

  std::int64_t num_partials() const { return static_cast<std::int64_t>(partial_owners.extent(0)); }

  /// Entries of the matrix.
  KOKKOS_INLINE_FUNCTION std::int64_t num_entries() const { return pieces.entries; }

  /// Entries and artificial zeros.
  std::int64_t stored_entries() const { return pieces.stored_entries(); }

  /// Entries that are stored only to fill the groups.
  std::int64_t artificial_zeros() const { return pieces.artificial_zeros(); }

  /// Memory of the arrays, in bytes.
  std::size_t bytes() const {
    return pieces.bytes() + sizeof(Index) * (targets.extent(0) + long_rows.extent(0) + long_pointers.extent(0) +
                                             partial_owners.extent(0) + strides.extent(0)) +
           sizeof(Offset) * begins.extent(0);
  }

  /// Slots are the units of traversal; the pieces of a row come in any order.
  std::int64_t num_units() const { return pieces.num_rows; }

  KOKKOS_INLINE_FUNCTION Index row_of(std::int64_t slot) const {
    const Index target = targets(slot);
    return target >= 0 ? target : long_rows(partial_owners(-1 - target));
  }

  /// body(row, column, value) for the entries of slots [first, last).
  template <class Body>
  KOKKOS_INLINE_FUNCTION void visit(std::int64_t first, std::int64_t last, const Body& body) const {
    for (std::int64_t slot = first; slot < last; ++slot) {
      const Index row = row_of(slot);
      pieces.visit(slot, slot + 1,
                   [&](Index, Index column, const auto& value) { body(row, column, value); });
    }
  }
};

}  // namespace krylite

#endif
