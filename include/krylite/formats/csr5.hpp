#ifndef KRYLITE_FORMATS_CSR5_HPP
#define KRYLITE_FORMATS_CSR5_HPP

/// \file
/// CSR5: the entries of CSR are cut, without regard to rows, into tiles of omega x sigma. Lane l of tile t holds the
/// sigma consecutive entries from (t omega + l) sigma on; tiles are stored transposed, so that the lanes of a SIMD
/// vector (or the threads of a warp) read neighbouring memory: entry i of lane l lies at
/// t omega sigma + i omega + l. What is left behind the last complete tile, the tail, stays in the order of CSR.
///
///     omega = 2, sigma = 3         tile_pointers     0*  4  5      (* marked)
///     [ a . b . ]   row 0          values            a d b e c f | g
///     [ c d . e ]   row 1          bit_flag          1 0 1 | 0 0 1  (lane 0: a b c, lane 1: d e f)
///     [ . . . . ]   row 2          y_offset          0     | 2
///     [ . f . . ]   row 3          seg_offset        0     | 0
///     [ . . g . ]   row 4          empty_offsets     0 1 3
///
/// `row_pointers` of CSR is kept (shared with the CSR that the matrix was made from), and each of the
/// p = ceil(nnz / (omega sigma)) tiles, the tail counted, has
///
///     tile_pointers      the row of the tile's first entry; entry p is the number of rows. The top bit marks a tile
///                        where empty rows lie between its rows
///     tile_descriptors   of complete tiles, for each lane, as one string of bits:
///       bit_flag         sigma bits, bit i set where entry i of the lane is the first of its row; the first entry of
///                        the tile counts as one always
///       y_offset         ceil(log2(omega sigma)) bits: set flags in the lanes before
///       seg_offset       ceil(log2(omega)) bits: of a lane with a flag, how many lanes directly after it have none
///     empty_offsets      of marked tiles, for each set flag in the order of CSR: its row less that of the tile,
///                        because with empty rows in between the count of flags no longer is the row
///
/// A lane's bits take W = ceil((sigma + ceil(log2(omega sigma)) + ceil(log2 omega)) / 32) words, bit_flag lowest;
/// word j of lane l of tile t is `tile_descriptors[(t W + j) omega + l]`. Tile t's empty offsets begin at
/// `empty_offset_pointers[t]`; there are none, and no pointers either, where no tile is marked.
///
/// Memory: that of CSR, and for each tile 4 + 4 W omega bytes, below half a byte an entry for the usual sizes.
/// Source: csr5 article (Liu, Vinter 2015), section 3.

#include <krylite/core/simd.hpp>
#include <krylite/core/traits.hpp>

#include <cstddef>
#include <cstdint>

namespace krylite {

/// How `to_csr5` lays a matrix out.
struct Csr5Options {
  Index omega = 0;  ///< lanes of a tile, 2 to 64; 0 is `default_csr5_omega`
  Index sigma = 0;  ///< entries of a lane, 1 to 64; 0 is `default_csr5_sigma`
};

namespace detail {

/// Smallest b with 2^b >= n.
KOKKOS_INLINE_FUNCTION constexpr int ceil_log2(std::int64_t n) {
  int bits = 0;
  while ((std::int64_t(1) << bits) < n) ++bits;
  return bits;
}

}  // namespace detail

template <class Scalar, class Offset = std::int64_t,
          class MemorySpace = typename Kokkos::DefaultExecutionSpace::memory_space>
struct Csr5Matrix {
  using scalar_type = Scalar;
  using offset_type = Offset;
  using memory_space = MemorySpace;

  static constexpr std::uint32_t mark = 0x80000000u;  ///< of a tile with empty rows between its rows

  Index num_rows = 0;
  Index num_cols = 0;
  Index omega = 8;
  Index sigma = 12;
  Index tail_row = 0;                                          ///< first row that starts in the tail
  Kokkos::View<Offset*, MemorySpace> row_pointers;             ///< num_rows + 1, as in CSR
  Kokkos::View<Index*, MemorySpace> columns;                   ///< num_entries(), tiles transposed
  Kokkos::View<Scalar*, MemorySpace> values;                   ///< num_entries(), tiles transposed
  Kokkos::View<std::uint32_t*, MemorySpace> tile_pointers;     ///< p + 1 rows and marks
  Kokkos::View<std::uint32_t*, MemorySpace> tile_descriptors;  ///< num_tiles() * descriptor_words() * omega
  Kokkos::View<Offset*, MemorySpace> empty_offset_pointers;    ///< num_tiles() + 1, or none
  Kokkos::View<Index*, MemorySpace> empty_offsets;             ///< of the marked tiles

  /// Entries of the matrix.
  KOKKOS_INLINE_FUNCTION std::int64_t num_entries() const { return static_cast<std::int64_t>(values.extent(0)); }

  /// The same: CSR5 adds nothing.
  std::int64_t stored_entries() const { return num_entries(); }

  /// Entries that are stored only to fill the format: none.
  std::int64_t artificial_zeros() const { return 0; }

  /// Memory of the arrays, in bytes.
  std::size_t bytes() const {
    return (row_pointers.extent(0) + empty_offset_pointers.extent(0)) * sizeof(Offset) +
           (columns.extent(0) + empty_offsets.extent(0)) * sizeof(Index) + values.extent(0) * sizeof(Scalar) +
           (tile_pointers.extent(0) + tile_descriptors.extent(0)) * sizeof(std::uint32_t);
  }

  KOKKOS_INLINE_FUNCTION std::int64_t tile_size() const { return static_cast<std::int64_t>(omega) * sigma; }

  /// Complete tiles.
  KOKKOS_INLINE_FUNCTION std::int64_t num_tiles() const { return num_entries() / tile_size(); }

  /// Entries of the complete tiles; the tail begins here.
  KOKKOS_INLINE_FUNCTION std::int64_t tiled_entries() const { return num_tiles() * tile_size(); }

  /// Row of the first entry of tile `tile` (of the tail for num_tiles(), if there is one; num_rows at the end).
  KOKKOS_INLINE_FUNCTION Index tile_row(std::int64_t tile) const {
    return static_cast<Index>(tile_pointers(tile) & ~mark);
  }

  /// Whether tile `tile` has empty offsets.
  KOKKOS_INLINE_FUNCTION bool is_marked(std::int64_t tile) const { return (tile_pointers(tile) & mark) != 0; }

  /// First row that `tile` (or the tail) writes: the row of its first entry, or the next where that began before.
  /// Empty rows between two tiles count to the one before them.
  KOKKOS_INLINE_FUNCTION Index first_written_row(std::int64_t tile) const {
    if (tile == 0) return 0;
    const Index row = tile_row(tile);
    return static_cast<std::int64_t>(row_pointers(row)) < tile * tile_size() ? row + 1 : row;
  }

  KOKKOS_INLINE_FUNCTION int y_offset_bits() const { return detail::ceil_log2(tile_size()); }
  KOKKOS_INLINE_FUNCTION int seg_offset_bits() const { return detail::ceil_log2(omega); }

  /// 32-bit words of the descriptor of one lane.
  KOKKOS_INLINE_FUNCTION int descriptor_words() const {
    return (sigma + y_offset_bits() + seg_offset_bits() + 31) / 32;
  }

  /// Bits [begin, begin + width) of the descriptor of a lane, 1 <= width <= 64.
  KOKKOS_INLINE_FUNCTION std::uint64_t descriptor_bits(std::int64_t tile, Index lane, int begin, int width) const {
    std::uint64_t bits = 0;
    for (int word = begin / 32; word * 32 < begin + width; ++word) {
      const std::uint64_t stored = tile_descriptors((tile * descriptor_words() + word) * omega + lane);
      const int shift = word * 32 - begin;
      bits |= shift >= 0 ? stored << shift : stored >> -shift;
    }
    return bits & (~std::uint64_t(0) >> (64 - width));
  }

  KOKKOS_INLINE_FUNCTION std::uint64_t bit_flag(std::int64_t tile, Index lane) const {
    return descriptor_bits(tile, lane, 0, sigma);
  }
  KOKKOS_INLINE_FUNCTION Index y_offset(std::int64_t tile, Index lane) const {
    return static_cast<Index>(descriptor_bits(tile, lane, sigma, y_offset_bits()));
  }
  KOKKOS_INLINE_FUNCTION Index seg_offset(std::int64_t tile, Index lane) const {
    return static_cast<Index>(descriptor_bits(tile, lane, sigma + y_offset_bits(), seg_offset_bits()));
  }

  /// Where the entry at position `entry` of CSR is stored.
  KOKKOS_INLINE_FUNCTION std::int64_t place_of(std::int64_t entry) const {
    if (entry >= tiled_entries()) return entry;
    const std::int64_t within = entry % tile_size();
    return entry - within + within % sigma * omega + within / sigma;
  }

  /// Rows are the units of traversal.
  std::int64_t num_units() const { return num_rows; }
  KOKKOS_INLINE_FUNCTION Index row_of(std::int64_t unit) const { return static_cast<Index>(unit); }

  /// body(row, column, value) for the entries of rows [first, last), in the order of CSR.
  template <class Body>
  KOKKOS_INLINE_FUNCTION void visit(std::int64_t first, std::int64_t last, const Body& body) const {
    if (first >= last) return;
    const std::int64_t tiled = tiled_entries();
    std::int64_t k = row_pointers(first);
    Index step = static_cast<Index>(k % sigma);
    for (std::int64_t row = first, place = place_of(k); row < last; ++row) {
      for (const std::int64_t end = row_pointers(row + 1); k < end; ++k) {
        body(static_cast<Index>(row), columns(place), values(place));
        // Within a lane the next entry is omega places on; at its end, look again.
        const bool in_lane = k < tiled && ++step < sigma;
        place = in_lane ? place + omega : place_of(k + 1);
        if (!in_lane) step = 0;
      }
    }
  }
};

/// Lanes of a tile where the options name none: on hosts as many as the SIMD vectors in use hold of `Scalar`, 4 at
/// least and 8 at most; on devices 32, a warp.
template <class ExecutionSpace, class Scalar>
Index default_csr5_omega() {
  if (!is_host_space<ExecutionSpace>) return 32;
  return sizeof(Scalar) < 8 || simd_target() == "AVX3" ? 8 : 4;
}

/// Entries of a lane where the options name none. On devices 16, measured on one H200: rows of 4 to 2,600 entries in
/// the mean take 1.0 to 1.6 times as long with the article's rule (4, or the mean from 4 to 32, or 32, or 6).
template <class ExecutionSpace>
Index default_csr5_sigma(Index omega) {
  if (is_host_space<ExecutionSpace>) return omega <= 4 ? 16 : 12;
  return 16;
}

}  // namespace krylite

#endif
