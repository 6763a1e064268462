#ifndef KRYLITE_FORMATS_CONVERT_ROW_PIECES_HPP
#define KRYLITE_FORMATS_CONVERT_ROW_PIECES_HPP

/// \file
/// Long rows of adaptive RgCSR cut into pieces. One scan counts the long rows before each row and their pieces, so that
/// every piece knows its place without asking the others: pieces of all rows in the order of rows, and the partial sums
/// of long rows in the same order.

#include <krylite/core/algorithms.hpp>
#include <krylite/formats/adaptive_rgcsr.hpp>
#include <krylite/formats/convert/common.hpp>
#include <krylite/formats/convert/rgcsr.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace krylite {
namespace detail {

/// How rows are cut: sums over the rows before each row.
template <class MemorySpace>
struct RowCuts {
  /// num_rows + 1; of the rows before that have several pieces, their pieces times 2^32, plus how many they are: one
  /// scan for both.
  Kokkos::View<std::int64_t*, MemorySpace> sums;
  Index num_pieces = 0;
  Index num_partials = 0;
  Index num_long = 0;

  KOKKOS_INLINE_FUNCTION Index partials_before(std::int64_t row) const { return static_cast<Index>(sums(row) >> 32); }
  KOKKOS_INLINE_FUNCTION Index long_before(std::int64_t row) const {
    return static_cast<Index>(sums(row) & 0xffffffff);
  }
  /// Pieces of all rows before: a row that is not long has one.
  KOKKOS_INLINE_FUNCTION Index first_piece(std::int64_t row) const {
    return static_cast<Index>(row) - long_before(row) + partials_before(row);
  }
};

/// On devices all pieces are short; a thread of a host takes what is worth its start.
template <class ExecutionSpace>
PieceRule piece_rule(std::int64_t limit, std::int64_t group_size) {
  constexpr std::int64_t shortest = is_host_space<ExecutionSpace> ? 256 : 1;
  return {limit, std::max(limit, shortest), group_size};
}

/// What is summed of a row that is cut into several pieces: these in the upper half, 1 in the lower; of others, 0.
template <class RowPointers>
struct CutCount {
  RowLength<RowPointers> length;
  PieceRule rule;

  KOKKOS_INLINE_FUNCTION std::int64_t operator()(std::int64_t row) const {
    const std::int64_t entries = length(row);
    if (entries <= rule.limit) return 0;  // one piece, without the divisions
    const std::int64_t pieces = RowCut(entries, rule).pieces();
    return pieces == 1 ? 0 : (pieces << 32) + 1;
  }
};

/// Sums over rows that are cut as `count` says. Waits for the totals.
template <class ExecutionSpace, class Csr, class Count>
RowCuts<typename Csr::memory_space> sum_cuts(const ExecutionSpace& exec, const Csr& csr, const Count& count) {
  RowCuts<typename Csr::memory_space> cuts;
  allocate_array(exec, "krylite::adaptive_rgcsr::cuts", std::int64_t(csr.num_rows) + 1, cuts.sums);
  prefix_sums(exec, "krylite::to_adaptive_rgcsr::cuts", csr.num_rows, cuts.sums, count);
  const std::int64_t total = element(exec, cuts.sums, csr.num_rows);
  cuts.num_partials = static_cast<Index>(total >> 32);
  cuts.num_long = static_cast<Index>(total & 0xffffffff);
  cuts.num_pieces = csr.num_rows - cuts.num_long + cuts.num_partials;
  return cuts;
}

/// \throws Error where there are more pieces than 32 bits count
template <class ExecutionSpace, class Csr>
RowCuts<typename Csr::memory_space> cut_rows(const ExecutionSpace& exec, const Csr& csr, const PieceRule& rule) {
  // A row of l entries has at most 1 + 2 l / limit pieces.
  const std::int64_t most = csr.num_rows + 2 * (csr.num_entries() / rule.limit) + 2;
  require(most <= std::numeric_limits<Index>::max(), "adaptive RgCSR: ", csr.num_entries(), " entries in pieces of ",
          rule.limit, " do not fit 32-bit piece numbers");
  return sum_cuts(exec, csr, CutCount<typename Csr::row_pointers_type>{{csr.row_pointers}, rule});
}

/// Pieces in the order of rows.
template <class Csr>
struct Pieces {
  RgCsrSlots<Csr> slots;
  /// What they are sorted by, descending: the longest piece of their block of entries, or what stands for the block of
  /// columns or the cluster.
  Kokkos::View<Index*, typename Csr::memory_space> keys;
  Kokkos::View<Index*, typename Csr::memory_space> targets;
};

/// Where a piece is in CSR, and what it is sorted by.
struct Piece {
  std::int64_t begin;
  std::int64_t length;
  std::int64_t stride;
  std::int64_t key;
};

/// Piece `i` of the entries from `begin` on that are cut as `cut` says; the longest piece of its block is its key.
KOKKOS_INLINE_FUNCTION Piece piece_of(const RowCut& cut, std::int64_t begin, std::int64_t i) {
  return {begin + cut.begin(i), cut.length(i), cut.stride(i), cut.longest(i)};
}

/// Sets piece number `number` of all, and where its sum goes.
template <class Csr>
KOKKOS_FUNCTION void set_piece(const Pieces<Csr>& pieces, std::int64_t number, const Piece& piece,
                               std::int64_t target) {
  pieces.slots.begins(number) = static_cast<typename Csr::offset_type>(piece.begin);
  pieces.slots.lengths(number) = static_cast<Index>(piece.length);
  pieces.slots.strides(number) = static_cast<Index>(piece.stride);
  pieces.keys(number) = static_cast<Index>(piece.key);
  pieces.targets(number) = static_cast<Index>(target);
}

template <class ExecutionSpace, class Csr, class Adaptive>
Pieces<Csr> allocate_pieces(const ExecutionSpace& exec, const RowCuts<typename Csr::memory_space>& cuts,
                            Adaptive& result) {
  using Offset = typename Csr::offset_type;
  // Begins, lengths, strides, keys and targets, sorted too, and the order.
  constexpr std::size_t piece_bytes = 2 * (sizeof(Offset) + 4 * sizeof(Index)) + sizeof(Index);
  require_memory<typename Csr::memory_space>(static_cast<std::size_t>(cuts.num_pieces) * piece_bytes,
                                             "the pieces of adaptive RgCSR");
  Pieces<Csr> pieces;
  allocate_array(exec, "krylite::adaptive_rgcsr::begins", cuts.num_pieces, pieces.slots.begins);
  allocate_array(exec, "krylite::adaptive_rgcsr::lengths", cuts.num_pieces, pieces.slots.lengths);
  allocate_array(exec, "krylite::adaptive_rgcsr::strides", cuts.num_pieces, pieces.slots.strides);
  allocate_array(exec, "krylite::adaptive_rgcsr::keys", cuts.num_pieces, pieces.keys);
  allocate_array(exec, "krylite::adaptive_rgcsr::targets", cuts.num_pieces, pieces.targets);
  allocate_array(exec, "krylite::adaptive_rgcsr::long_rows", cuts.num_long, result.long_rows);
  allocate_array(exec, "krylite::adaptive_rgcsr::long_pointers", std::int64_t(cuts.num_long) + 1,
                 result.long_pointers);
  allocate_array(exec, "krylite::adaptive_rgcsr::partial_owners", cuts.num_partials, result.partial_owners);
  return pieces;
}

/// The pieces of long rows, a thread each, since one row may have thousands.
template <class ExecutionSpace, class Csr, class Cutter, class Adaptive>
void make_partials(const ExecutionSpace& exec, const RowCuts<typename Csr::memory_space>& cuts,
                   const Cutter& cutter, const Adaptive& result, const Pieces<Csr>& pieces) {
  const auto long_rows = result.long_rows;
  const auto long_pointers = result.long_pointers;
  const auto owners = result.partial_owners;
  Kokkos::parallel_for(
      "krylite::to_adaptive_rgcsr::partials", range(exec, cuts.num_partials),
      KOKKOS_LAMBDA(const std::int64_t partial) {
        const Index owner = last_not_behind(long_pointers, 0, cuts.num_long - 1, partial);
        const Index row = long_rows(owner);
        const std::int64_t i = partial - long_pointers(owner);
        owners(partial) = owner;
        set_piece(pieces, cuts.first_piece(row) + i, cutter(row, i), -1 - partial);
      });
}

/// The pieces of all rows, and the long rows in `result`. \param cutter (row, i): piece `i` of the row
template <Traversal Way, class ExecutionSpace, class Csr, class Cutter, class Adaptive>
Pieces<Csr> make_pieces(const ExecutionSpace& exec, const Csr& csr, const RowCuts<typename Csr::memory_space>& cuts,
                        const Cutter& cutter, Adaptive& result) {
  const auto pieces = allocate_pieces<ExecutionSpace, Csr>(exec, cuts, result);
  const auto long_rows = result.long_rows;
  const auto long_pointers = result.long_pointers;
  const auto owners = result.partial_owners;
  Kokkos::deep_copy(exec, Kokkos::subview(long_pointers, cuts.num_long), cuts.num_partials);
  Kokkos::parallel_for(
      "krylite::to_adaptive_rgcsr::pieces", range(exec, csr.num_rows), KOKKOS_LAMBDA(const std::int64_t row) {
        const Index first = cuts.first_piece(row);
        const Index owner = cuts.long_before(row);
        if (cuts.long_before(row + 1) == owner) return set_piece(pieces, first, cutter(row, 0), row);
        const Index partial = cuts.partials_before(row);
        const Index count = cuts.partials_before(row + 1) - partial;
        long_rows(owner) = static_cast<Index>(row);
        long_pointers(owner) = partial;
        for (Index i = 0; Way == Traversal::rows && i < count; ++i) {
          set_piece(pieces, first + i, cutter(row, i), -1 - (partial + i));
          owners(partial + i) = owner;
        }
      });
  if (Way == Traversal::teams) make_partials(exec, cuts, cutter, result, pieces);
  return pieces;
}

/// Cuts rows by their lengths alone.
template <class RowPointers>
struct RowCutter {
  RowPointers row_pointers;
  PieceRule rule;

  KOKKOS_INLINE_FUNCTION Piece operator()(std::int64_t row, std::int64_t i) const {
    const RowLength<RowPointers> length{row_pointers};
    return piece_of(RowCut(length(row), rule), static_cast<std::int64_t>(row_pointers(row)), i);
  }
};

template <Traversal Way, class ExecutionSpace, class Csr, class Adaptive>
Pieces<Csr> make_row_pieces(const ExecutionSpace& exec, const Csr& csr, const PieceRule& rule, Adaptive& result) {
  const auto cuts = cut_rows(exec, csr, rule);
  const RowCutter<typename Csr::row_pointers_type> cutter = {csr.row_pointers, rule};
  return make_pieces<Way>(exec, csr, cuts, cutter, result);
}

}  // namespace detail
}  // namespace krylite

#endif
