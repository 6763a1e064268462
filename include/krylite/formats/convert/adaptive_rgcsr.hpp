#ifndef KRYLITE_FORMATS_CONVERT_ADAPTIVE_RGCSR_HPP
#define KRYLITE_FORMATS_CONVERT_ADAPTIVE_RGCSR_HPP

/// \file
/// Adaptive RgCSR from CSR and back: rows are cut into pieces (row_pieces.hpp, column_pieces.hpp), and these are sorted
/// and stored as the rows of RgCSR.

#include <krylite/formats/adaptive_rgcsr.hpp>
#include <krylite/formats/convert/column_pieces.hpp>
#include <krylite/formats/convert/rgcsr.hpp>
#include <krylite/formats/convert/row_pieces.hpp>

#include <algorithm>
#include <cstdint>

namespace krylite {
namespace detail {

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
  if (matrix.block_columns > 0) return {matrix.begins, matrix.pieces.row_lengths, matrix.strides};
  RgCsrSlots<Csr> slots;
  slots.lengths = matrix.pieces.row_lengths;
  allocate_array(exec, "krylite::adaptive_rgcsr::begins", matrix.num_units(), slots.begins);
  allocate_array(exec, "krylite::adaptive_rgcsr::strides", matrix.num_units(), slots.strides);
  const RowCutter<typename Csr::row_pointers_type> cutter = {csr.row_pointers, matrix.rule()};
  Kokkos::parallel_for(
      "krylite::adaptive_rgcsr::slots", range(exec, matrix.num_units()), KOKKOS_LAMBDA(const std::int64_t slot) {
        const Index target = matrix.targets(slot);
        const std::int64_t i =
            target >= 0 ? 0 : -1 - target - matrix.long_pointers(matrix.partial_owners(-1 - target));
        const Piece piece = cutter(matrix.row_of(slot), i);
        slots.begins(slot) = static_cast<Offset>(piece.begin);
        slots.strides(slot) = static_cast<Index>(piece.stride);
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

/// Makes the pieces' keys descend with the places of their rows in the order of clusters.
template <class ExecutionSpace, class Csr, class Adaptive>
void key_by_clusters(const ExecutionSpace& exec, const Csr& csr, const Adaptive& matrix, const Pieces<Csr>& pieces) {
  using Places = Kokkos::View<Index*, typename Csr::memory_space>;
  const Places order = order_by_clusters(exec, csr);
  const auto keys = allocate<Places>(exec, "krylite::adaptive_rgcsr::places", order.extent(0));
  const Index last = csr.num_rows - 1;
  Kokkos::parallel_for(
      "krylite::to_adaptive_rgcsr::places", range(exec, csr.num_rows),
      KOKKOS_LAMBDA(const std::int64_t place) { keys(order(place)) = last - static_cast<Index>(place); });
  const auto long_rows = matrix.long_rows;
  const auto owners = matrix.partial_owners;
  Kokkos::parallel_for(
      "krylite::to_adaptive_rgcsr::keys", range(exec, pieces.keys.extent(0)),
      KOKKOS_LAMBDA(const std::int64_t piece) {
        const Index target = pieces.targets(piece);
        pieces.keys(piece) = keys(target >= 0 ? target : long_rows(owners(-1 - target)));
      });
}

/// Sorts the pieces as the options ask.
template <Traversal Way, class ExecutionSpace, class Csr, class Adaptive>
void sort_pieces(const ExecutionSpace& exec, const Csr& csr, const RgCsrOptions& options, const Adaptive& matrix,
                 Pieces<Csr>& pieces) {
  const bool by_columns = matrix.block_columns > 0;
  if (options.order == RowOrder::natural && !by_columns) return;
  if (options.order == RowOrder::clusters && !by_columns) key_by_clusters(exec, csr, matrix, pieces);
  const auto count = static_cast<std::int64_t>(pieces.keys.extent(0));
  const bool in_windows = options.order == RowOrder::windowed && !by_columns;
  const std::int64_t window = in_windows ? options.order_window : count;
  const auto order = order_by_length<Way>(exec, pieces.keys, window);
  pieces.slots = {reordered(exec, pieces.slots.begins, order), reordered(exec, pieces.slots.lengths, order),
                  reordered(exec, pieces.slots.strides, order)};
  pieces.targets = reordered(exec, pieces.targets, order);
}

template <Traversal Way, class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
AdaptiveRgCsrMatrix<Scalar, Offset, MemorySpace> make_adaptive_rgcsr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
    const AdaptiveRgCsrOptions& options) {
  const Index group_size =
      options.groups.group_size == 0 ? default_rgcsr_group_size<ExecutionSpace>() : options.groups.group_size;
  check_rgcsr_options("adaptive RgCSR", group_size, options.groups);
  require(options.piece_length >= 0, "adaptive RgCSR: the piece length must be at least 1, not ",
          options.piece_length);
  require(options.block_columns >= 0, "adaptive RgCSR: blocks must have at least 1 column, not ",
          options.block_columns);
  AdaptiveRgCsrMatrix<Scalar, Offset, MemorySpace> result;
  result.num_rows = csr.num_rows;
  result.num_cols = csr.num_cols;
  if (csr.num_rows == 0) {
    result.pieces.num_cols = csr.num_cols;
    result.pieces.group_size = group_size;
    return result;
  }
  result.piece_length =
      options.piece_length == 0 ? static_cast<Index>(default_piece_length(csr)) : options.piece_length;
  require_short_rows(exec, "adaptive RgCSR", csr);
  const auto rule = piece_rule<ExecutionSpace>(result.piece_length, group_size);
  result.whole_length = static_cast<Index>(rule.whole);
  result.block_columns = options.block_columns;
  auto pieces = result.block_columns > 0
                    ? make_column_pieces(exec, csr, rule, result)
                    : make_row_pieces<Way>(exec, csr, rule, result);
  sort_pieces<Way>(exec, csr, options.groups, result, pieces);
  result.targets = pieces.targets;
  if (result.block_columns > 0) {
    result.begins = pieces.slots.begins;
    result.strides = pieces.slots.strides;
  }
  result.pieces = group_slots<Way>(exec, "adaptive RgCSR", csr, pieces.slots, group_size, options.groups);
  return result;
}

template <class ExecutionSpace, class Adaptive, class Slots, class Csr>
void return_pieces_by_rows(const ExecutionSpace& exec, const Adaptive& matrix, const Slots& slots, const Csr& csr) {
  using Scalar = typename Adaptive::scalar_type;
  Kokkos::parallel_for(
      "krylite::to_csr::fill", range(exec, matrix.num_units()), KOKKOS_LAMBDA(const std::int64_t slot) {
        const SlotEntries entries = slots.entries(slot);
        std::int64_t k = 0;
        matrix.visit(slot, slot + 1, [&](Index, Index column, const Scalar& value) {
          const std::int64_t target = entries.position(k++);
          csr.columns(target) = column;
          csr.values(target) = value;
        });
      });
}

template <Traversal Way, class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
CsrMatrix<Scalar, Offset, MemorySpace> adaptive_rgcsr_to_csr(
    const ExecutionSpace& exec, const AdaptiveRgCsrMatrix<Scalar, Offset, MemorySpace>& matrix) {
  using Csr = CsrMatrix<Scalar, Offset, MemorySpace>;
  const Csr csr = allocate_csr<Csr>(exec, matrix.num_rows, matrix.num_cols, matrix.num_entries());
  const auto lengths = adaptive_row_lengths(exec, matrix);
  prefix_sums(exec, "krylite::to_csr::scan", matrix.num_rows, csr.row_pointers,
              ScaledCount<std::decay_t<decltype(lengths)>, Offset>{lengths, Offset(1)});
  const auto slots = slots_of(exec, csr, matrix);
  if constexpr (Way == Traversal::teams) {
    return_by_teams(exec, matrix.pieces, slots, csr);
  } else {
    return_pieces_by_rows(exec, matrix, slots, csr);
  }
  return csr;
}

}  // namespace detail

/// Adaptive RgCSR of `csr`, on `exec`.
/// \throws Error as `to_rgcsr` does, and where the piece length or the columns of a block are negative, there are too
///         many pieces for 32 bits, or blocks of columns times the length of pieces exceed them
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
AdaptiveRgCsrMatrix<Scalar, Offset, MemorySpace> to_adaptive_rgcsr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
    const AdaptiveRgCsrOptions& options = {}) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "to_adaptive_rgcsr: the execution space cannot reach the matrix");
  return detail::make_adaptive_rgcsr<detail::traversal_of<ExecutionSpace>>(exec, csr, options);
}

/// The CSR that `matrix` was made from: the same entries in the same order.
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
CsrMatrix<Scalar, Offset, MemorySpace> to_csr(const ExecutionSpace& exec,
                                              const AdaptiveRgCsrMatrix<Scalar, Offset, MemorySpace>& matrix) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "to_csr: the execution space cannot reach the matrix");
  return detail::adaptive_rgcsr_to_csr<detail::traversal_of<ExecutionSpace>>(exec, matrix);
}

/// Takes new values from a CSR of the same pattern; the pattern is not looked at again.
/// \throws Error where the sizes differ
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
void update_values(const ExecutionSpace& exec, const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                   const AdaptiveRgCsrMatrix<Scalar, Offset, MemorySpace>& matrix) {
  detail::require_same_pattern_size(csr, matrix);
  const auto slots = detail::slots_of(exec, csr, matrix);
  detail::fill_slot_values<detail::traversal_of<ExecutionSpace>>(exec, csr, slots, matrix.pieces);
}

}  // namespace krylite

#endif
