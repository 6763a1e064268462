#ifndef KRYLITE_FORMATS_CONVERT_ADAPTIVE_RGCSR_HPP
#define KRYLITE_FORMATS_CONVERT_ADAPTIVE_RGCSR_HPP

#include <krylite/formats/adaptive_rgcsr.hpp>
#include <krylite/formats/convert/rgcsr.hpp>

#include <algorithm>

namespace krylite {
namespace detail {

/// How rows are cut: sums over the rows before each row.
template <class MemorySpace>
struct RowCuts {
  Kokkos::View<Index*, MemorySpace> first_pieces;    ///< num_rows + 1; pieces of all rows before
  Kokkos::View<Index*, MemorySpace> first_partials;  ///< num_rows + 1; pieces of the long rows before
  Kokkos::View<Index*, MemorySpace> long_before;     ///< num_rows + 1; long rows before
  Index num_pieces = 0;
  Index num_partials = 0;
  Index num_long = 0;
};

/// What is counted of a row: all its pieces, its pieces if there are several, or whether there are several.
template <class RowPointers>
struct CutCount {
  enum class What { pieces, partials, long_rows };
  RowLength<RowPointers> length;
  std::int64_t limit;
  std::int64_t group_size;
  What what;

  KOKKOS_INLINE_FUNCTION Index operator()(std::int64_t row) const {
    const auto pieces = static_cast<Index>(RowCut(length(row), limit, group_size).pieces());
    if (what == What::pieces) return pieces;
    return pieces == 1 ? 0 : what == What::partials ? pieces : 1;
  }
};

template <class ExecutionSpace, class Count>
Index count_cuts(const ExecutionSpace& exec, Index num_rows, const Count& count,
                 Kokkos::View<Index*, typename ExecutionSpace::memory_space>& sums) {
  allocate_array(exec, "krylite::adaptive_rgcsr::cuts", std::int64_t(num_rows) + 1, sums);
  prefix_sums(exec, "krylite::to_adaptive_rgcsr::cuts", num_rows, sums, count);
  Index total = 0;
  exec.fence();
  Kokkos::deep_copy(total, Kokkos::subview(sums, num_rows));
  return total;
}

/// \throws Error where there are more pieces than 32 bits count
template <class ExecutionSpace, class Csr>
RowCuts<typename Csr::memory_space> cut_rows(const ExecutionSpace& exec, const Csr& csr, std::int64_t limit,
                                             std::int64_t group_size) {
  using Count = CutCount<typename Csr::row_pointers_type>;
  // A row of l entries has at most 1 + 2 l / limit pieces.
  const std::int64_t most = csr.num_rows + 2 * (csr.num_entries() / limit) + 2;
  require(most <= std::numeric_limits<Index>::max(), "adaptive RgCSR: ", csr.num_entries(), " entries in pieces of ",
          limit, " do not fit 32-bit piece numbers");
  RowCuts<typename Csr::memory_space> cuts;
  const RowLength<typename Csr::row_pointers_type> length{csr.row_pointers};
  longest_row(exec, "adaptive RgCSR", csr);
  cuts.num_pieces = count_cuts(exec, csr.num_rows, Count{length, limit, group_size, Count::What::pieces}, cuts.first_pieces);
  cuts.num_partials = count_cuts(exec, csr.num_rows, Count{length, limit, group_size, Count::What::partials}, cuts.first_partials);
  cuts.num_long = count_cuts(exec, csr.num_rows, Count{length, limit, group_size, Count::What::long_rows}, cuts.long_before);
  return cuts;
}

/// Pieces in the order of rows.
template <class Csr>
struct Pieces {
  RgCsrSlots<Csr> slots;
  Kokkos::View<Index*, typename Csr::memory_space> keys;  ///< to sort by: the longest piece of their block
  Kokkos::View<Index*, typename Csr::memory_space> targets;
};

/// Cuts every row and notes the long ones in `result`.
template <class ExecutionSpace, class Csr, class Adaptive>
Pieces<Csr> make_pieces(const ExecutionSpace& exec, const Csr& csr, std::int64_t group_size,
                        const RowCuts<typename Csr::memory_space>& cuts, Adaptive& result) {
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
  const auto long_rows = result.long_rows;
  const auto long_pointers = result.long_pointers;
  const auto owners = result.partial_owners;
  const std::int64_t limit = result.piece_length;
  const RowLength<typename Csr::row_pointers_type> length{csr.row_pointers};
  Kokkos::deep_copy(exec, Kokkos::subview(long_pointers, cuts.num_long), cuts.num_partials);
  Kokkos::parallel_for(
      "krylite::to_adaptive_rgcsr::pieces", range(exec, csr.num_rows), KOKKOS_LAMBDA(const std::int64_t row) {
        const RowCut cut(length(row), limit, group_size);
        const std::int64_t count = cut.pieces();
        const Index first = cuts.first_pieces(row);
        const Index partial = cuts.first_partials(row);
        const Index owner = cuts.long_before(row);
        if (count > 1) {
          long_rows(owner) = static_cast<Index>(row);
          long_pointers(owner) = partial;
        }
        for (std::int64_t i = 0; i < count; ++i) {
          pieces.slots.begins(first + i) = static_cast<Offset>(csr.row_pointers(row) + cut.begin(i));
          pieces.slots.lengths(first + i) = static_cast<Index>(cut.length(i));
          pieces.slots.strides(first + i) = static_cast<Index>(cut.stride(i));
          pieces.keys(first + i) = static_cast<Index>(cut.longest(i));
          pieces.targets(first + i) = static_cast<Index>(count > 1 ? -1 - (partial + i) : row);
          if (count > 1) owners(partial + i) = owner;
        }
      });
  return pieces;
}

/// Four mean row lengths, so that only rows that stand out are cut.
template <class Csr>
std::int64_t default_piece_length(const Csr& csr) {
  const std::int64_t mean = csr.num_rows > 0 ? csr.num_entries() / csr.num_rows : 0;
  return std::min<std::int64_t>(512, std::max<std::int64_t>(32, 4 * mean));
}

/// Where each slot's entries are in the CSR that the matrix was made from.
template <class ExecutionSpace, class Csr, class Adaptive>
RgCsrSlots<Csr> slots_of(const ExecutionSpace& exec, const Csr& csr, const Adaptive& matrix) {
  using Offset = typename Csr::offset_type;
  RgCsrSlots<Csr> slots;
  slots.lengths = matrix.pieces.row_lengths;
  allocate_array(exec, "krylite::adaptive_rgcsr::begins", matrix.num_units(), slots.begins);
  allocate_array(exec, "krylite::adaptive_rgcsr::strides", matrix.num_units(), slots.strides);
  const auto row_pointers = csr.row_pointers;
  const RowLength<typename Csr::row_pointers_type> length{row_pointers};
  Kokkos::parallel_for(
      "krylite::adaptive_rgcsr::slots", range(exec, matrix.num_units()), KOKKOS_LAMBDA(const std::int64_t slot) {
        const Index row = matrix.row_of(slot);
        const Index target = matrix.targets(slot);
        const std::int64_t piece =
            target >= 0 ? 0 : -1 - target - matrix.long_pointers(matrix.partial_owners(-1 - target));
        const RowCut cut(length(row), matrix.piece_length, matrix.pieces.group_size);
        slots.begins(slot) = static_cast<Offset>(row_pointers(row) + cut.begin(piece));
        slots.strides(slot) = static_cast<Index>(cut.stride(piece));
      });
  return slots;
}

/// Adds the lengths of the slots of each row: the row lengths of CSR.
template <class ExecutionSpace, class Adaptive>
Kokkos::View<Index*, typename Adaptive::memory_space> adaptive_row_lengths(const ExecutionSpace& exec,
                                                                           const Adaptive& matrix) {
  using Lengths = Kokkos::View<Index*, typename Adaptive::memory_space>;
  const auto partials =
      allocate<Lengths>(exec, "krylite::adaptive_rgcsr::partials", static_cast<std::size_t>(matrix.num_partials()));
  const auto lengths = allocate<Lengths>(exec, "krylite::row_lengths", static_cast<std::size_t>(matrix.num_rows));
  Kokkos::parallel_for(
      "krylite::to_csr::slots", range(exec, matrix.num_units()), KOKKOS_LAMBDA(const std::int64_t slot) {
        const Index target = matrix.targets(slot);
        (target >= 0 ? lengths(target) : partials(-1 - target)) = matrix.pieces.row_lengths(slot);
      });
  Kokkos::parallel_for(
      "krylite::to_csr::long_rows", range(exec, matrix.long_rows.extent(0)), KOKKOS_LAMBDA(const std::int64_t i) {
        Index sum = 0;
        for (Index p = matrix.long_pointers(i); p < matrix.long_pointers(i + 1); ++p) sum += partials(p);
        lengths(matrix.long_rows(i)) = sum;
      });
  return lengths;
}

}  // namespace detail

/// Adaptive RgCSR of `csr`, on `exec`.
/// \throws Error as `to_rgcsr` does, and where the piece length is negative or there are too many pieces for 32 bits
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
AdaptiveRgCsrMatrix<Scalar, Offset, MemorySpace> to_adaptive_rgcsr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
    const AdaptiveRgCsrOptions& options = {}) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "to_adaptive_rgcsr: the execution space cannot reach the matrix");
  const Index group_size =
      options.groups.group_size == 0 ? default_rgcsr_group_size<ExecutionSpace>() : options.groups.group_size;
  detail::check_rgcsr_options("adaptive RgCSR", group_size, options.groups);
  detail::require(options.piece_length >= 0, "adaptive RgCSR: the piece length must be at least 1, not ",
                  options.piece_length);
  AdaptiveRgCsrMatrix<Scalar, Offset, MemorySpace> result;
  result.num_rows = csr.num_rows;
  result.num_cols = csr.num_cols;
  if (csr.num_rows == 0) {
    result.pieces.num_cols = csr.num_cols;
    result.pieces.group_size = group_size;
    return result;
  }
  result.piece_length =
      options.piece_length == 0 ? static_cast<Index>(detail::default_piece_length(csr)) : options.piece_length;
  const auto cuts = detail::cut_rows(exec, csr, result.piece_length, group_size);
  auto pieces = detail::make_pieces(exec, csr, group_size, cuts, result);
  if (options.groups.order != RowOrder::natural) {
    const bool is_whole = options.groups.order == RowOrder::descending;
    const auto order =
        detail::order_by_length(exec, pieces.keys, is_whole ? cuts.num_pieces : options.groups.order_window);
    pieces.slots = {detail::reordered(exec, pieces.slots.begins, order),
                    detail::reordered(exec, pieces.slots.lengths, order),
                    detail::reordered(exec, pieces.slots.strides, order)};
    pieces.targets = detail::reordered(exec, pieces.targets, order);
  }
  result.targets = pieces.targets;
  result.pieces = detail::group_slots(exec, "adaptive RgCSR", csr, pieces.slots, group_size, options.groups);
  return result;
}

/// The CSR that `matrix` was made from: the same entries in the same order.
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
CsrMatrix<Scalar, Offset, MemorySpace> to_csr(const ExecutionSpace& exec,
                                              const AdaptiveRgCsrMatrix<Scalar, Offset, MemorySpace>& matrix) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "to_csr: the execution space cannot reach the matrix");
  using Csr = CsrMatrix<Scalar, Offset, MemorySpace>;
  const Csr csr = detail::allocate_csr<Csr>(exec, matrix.num_rows, matrix.num_cols, matrix.num_entries());
  const auto lengths = detail::adaptive_row_lengths(exec, matrix);
  detail::prefix_sums(exec, "krylite::to_csr::scan", matrix.num_rows, csr.row_pointers,
                      detail::ScaledCount<std::decay_t<decltype(lengths)>, Offset>{lengths, Offset(1)});
  const auto slots = detail::slots_of(exec, csr, matrix);
  Kokkos::parallel_for(
      "krylite::to_csr::fill", detail::range(exec, matrix.num_units()), KOKKOS_LAMBDA(const std::int64_t slot) {
        const detail::SlotEntries entries = slots.entries(slot);
        std::int64_t k = 0;
        matrix.visit(slot, slot + 1, [&](Index, Index column, const Scalar& value) {
          const std::int64_t target = entries.position(k++);
          csr.columns(target) = column;
          csr.values(target) = value;
        });
      });
  return csr;
}

/// Takes new values from a CSR of the same pattern; the pattern is not looked at again.
/// \throws Error where the sizes differ
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
void update_values(const ExecutionSpace& exec, const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                   const AdaptiveRgCsrMatrix<Scalar, Offset, MemorySpace>& matrix) {
  detail::require_same_pattern_size(csr, matrix);
  detail::fill_slot_values(exec, csr, detail::slots_of(exec, csr, matrix), matrix.pieces);
}

}  // namespace krylite

#endif
