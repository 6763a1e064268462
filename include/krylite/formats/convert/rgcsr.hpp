#ifndef KRYLITE_FORMATS_CONVERT_RGCSR_HPP
#define KRYLITE_FORMATS_CONVERT_RGCSR_HPP

#include <krylite/formats/convert/cluster_order.hpp>
#include <krylite/formats/convert/common.hpp>
#include <krylite/formats/convert/rgcsr_rows.hpp>
#include <krylite/formats/convert/rgcsr_slots.hpp>
#include <krylite/formats/convert/rgcsr_teams.hpp>
#include <krylite/formats/convert/row_order.hpp>
#include <krylite/formats/rgcsr.hpp>

namespace krylite {
namespace detail {

template <Traversal Way, class ExecutionSpace, class Csr, class RgCsr>
void fill_slot_values(const ExecutionSpace& exec, const Csr& csr, const RgCsrSlots<Csr>& slots, const RgCsr& result) {
  if constexpr (Way == Traversal::teams) {
    fill_values_by_teams(exec, csr, slots, result);
  } else {
    fill_values_by_rows(exec, csr, slots, result);
  }
}

/// RgCSR whose rows are the slots. \param format its name, for messages
template <Traversal Way, class ExecutionSpace, class Scalar, class Offset, class MemorySpace, class Slots>
RgCsrMatrix<Scalar, Offset, MemorySpace> group_slots(const ExecutionSpace& exec, const char* format,
                                                     const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                                                     const Slots& slots, Index group_size,
                                                     const RgCsrOptions& options) {
  RgCsrMatrix<Scalar, Offset, MemorySpace> result;
  result.num_rows = static_cast<Index>(slots.lengths.extent(0));
  result.num_cols = csr.num_cols;
  result.group_size = group_size;
  result.entries = csr.num_entries();
  result.row_lengths = slots.lengths;
  if constexpr (Way == Traversal::teams) {
    group_by_teams(exec, format, csr, slots, options, result);
  } else {
    group_by_rows(exec, format, csr, slots, options, result);
  }
  return result;
}

/// Lengths of all rows in 32 bits. \throws Error where one does not fit
template <class ExecutionSpace, class Csr>
Kokkos::View<Index*, typename Csr::memory_space> row_lengths_of(const ExecutionSpace& exec, const char* format,
                                                                const Csr& csr) {
  using Lengths = Kokkos::View<Index*, typename Csr::memory_space>;
  const RowLength<typename Csr::row_pointers_type> length{csr.row_pointers};
  require_short_rows(exec, format, csr);
  const auto lengths = allocate<Lengths>(exec, "krylite::row_lengths", static_cast<std::size_t>(csr.num_rows));
  Kokkos::parallel_for(
      "krylite::row_lengths", range(exec, csr.num_rows),
      KOKKOS_LAMBDA(const std::int64_t row) { lengths(row) = static_cast<Index>(length(row)); });
  return lengths;
}

/// The rows of CSR in their order, whose lengths are set while groups are measured.
template <class ExecutionSpace, class Csr>
RgCsrSlots<Csr> rows_to_measure(const ExecutionSpace& exec, const Csr& csr) {
  require_short_rows(exec, "RgCSR", csr);
  RgCsrSlots<Csr> slots{csr.row_pointers, {}, {}, true};
  allocate_array(exec, "krylite::row_lengths", csr.num_rows, slots.lengths);
  return slots;
}

/// result(slot) = source(order(slot)).
template <class ExecutionSpace, class View, class Order>
View reordered(const ExecutionSpace& exec, const View& source, const Order& order) {
  const auto result = allocate<View>(exec, "krylite::reordered", order.extent(0));
  Kokkos::parallel_for(
      "krylite::reordered", range(exec, order.extent(0)),
      KOKKOS_LAMBDA(const std::int64_t slot) { result(slot) = source(order(slot)); });
  return result;
}

inline void check_rgcsr_options(const char* format, Index group_size, const RgCsrOptions& options) {
  require(group_size >= 1 && group_size <= 256 && (group_size & (group_size - 1)) == 0, format,
          ": the group size must be a power of two from 1 to 256, not ", group_size);
  require(options.order_window >= 1, format, ": the window must be at least 1 row, not ", options.order_window);
}

/// Slots in the order that the options ask for. \param row_order gets the row of each slot, nothing if natural
template <Traversal Way, class ExecutionSpace, class Csr, class Order>
RgCsrSlots<Csr> ordered_rows(const ExecutionSpace& exec, const Csr& csr, const RgCsrOptions& options,
                             Order& row_order) {
  const bool as_they_are = options.order == RowOrder::natural || csr.num_rows == 0;
  if (Way == Traversal::teams && as_they_are) return rows_to_measure(exec, csr);
  RgCsrSlots<Csr> slots{csr.row_pointers, row_lengths_of(exec, "RgCSR", csr), {}};
  if (as_they_are) return slots;
  if (options.order == RowOrder::clusters) {
    row_order = order_by_clusters(exec, csr);
  } else {
    const std::int64_t window = options.order == RowOrder::descending ? csr.num_rows : options.order_window;
    row_order = order_by_length<Way>(exec, slots.lengths, window);
  }
  return {reordered(exec, csr.row_pointers, row_order), reordered(exec, slots.lengths, row_order), {}};
}

template <Traversal Way, class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
RgCsrMatrix<Scalar, Offset, MemorySpace> make_rgcsr(const ExecutionSpace& exec,
                                                    const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                                                    const RgCsrOptions& options) {
  const Index group_size =
      options.group_size == 0 ? default_rgcsr_group_size<ExecutionSpace>() : options.group_size;
  check_rgcsr_options("RgCSR", group_size, options);
  Kokkos::View<Index*, MemorySpace> row_order;
  const auto slots = ordered_rows<Way>(exec, csr, options, row_order);
  auto result = group_slots<Way>(exec, "RgCSR", csr, slots, group_size, options);
  result.row_order = row_order;
  return result;
}

/// The slots of a matrix that was made from `csr`, or is to be filled into it.
template <class ExecutionSpace, class Csr, class RgCsr>
RgCsrSlots<Csr> slots_of_rows(const ExecutionSpace& exec, const Csr& csr, const RgCsr& matrix) {
  if (matrix.row_order.extent(0) == 0) return {csr.row_pointers, matrix.row_lengths, {}};
  return {reordered(exec, csr.row_pointers, matrix.row_order), matrix.row_lengths, {}};
}

template <Traversal Way, class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
CsrMatrix<Scalar, Offset, MemorySpace> rgcsr_to_csr(const ExecutionSpace& exec,
                                                    const RgCsrMatrix<Scalar, Offset, MemorySpace>& matrix) {
  using Csr = CsrMatrix<Scalar, Offset, MemorySpace>;
  const Csr csr = allocate_csr<Csr>(exec, matrix.num_rows, matrix.num_cols, matrix.entries);
  auto lengths = matrix.row_lengths;
  if (matrix.row_order.extent(0) > 0) {
    lengths = allocate<decltype(lengths)>(exec, "krylite::row_lengths", matrix.row_order.extent(0));
    Kokkos::parallel_for(
        "krylite::to_csr::row_lengths", range(exec, matrix.num_rows),
        KOKKOS_LAMBDA(const std::int64_t slot) { lengths(matrix.row_order(slot)) = matrix.row_lengths(slot); });
  }
  prefix_sums(exec, "krylite::to_csr::scan", matrix.num_rows, csr.row_pointers,
              ScaledCount<decltype(lengths), Offset>{lengths, Offset(1)});
  if constexpr (Way == Traversal::teams) {
    return_by_teams(exec, matrix, slots_of_rows(exec, csr, matrix), csr);
  } else {
    return_by_rows(exec, matrix, csr);
  }
  return csr;
}

}  // namespace detail

/// RgCSR of `csr`, on `exec`. The CSR is only read.
/// \throws Error where the group size is not a power of two from 1 to 256, the window is not positive, or the padded
///         arrays would exceed the offset type, the fill limit or the memory; neither columns nor values are
///         allocated then; with clusters, where the memory of the host does not suffice
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
RgCsrMatrix<Scalar, Offset, MemorySpace> to_rgcsr(const ExecutionSpace& exec,
                                                  const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                                                  const RgCsrOptions& options = {}) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "to_rgcsr: the execution space cannot reach the matrix");
  return detail::make_rgcsr<detail::traversal_of<ExecutionSpace>>(exec, csr, options);
}

/// The CSR that `matrix` was made from: the same entries in the same order.
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
CsrMatrix<Scalar, Offset, MemorySpace> to_csr(const ExecutionSpace& exec,
                                              const RgCsrMatrix<Scalar, Offset, MemorySpace>& matrix) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "to_csr: the execution space cannot reach the matrix");
  return detail::rgcsr_to_csr<detail::traversal_of<ExecutionSpace>>(exec, matrix);
}

/// Takes new values from a CSR of the same pattern; the pattern is not looked at again.
/// \throws Error where the sizes differ
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
void update_values(const ExecutionSpace& exec, const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                   const RgCsrMatrix<Scalar, Offset, MemorySpace>& matrix) {
  detail::require_same_pattern_size(csr, matrix);
  const auto slots = detail::slots_of_rows(exec, csr, matrix);
  detail::fill_slot_values<detail::traversal_of<ExecutionSpace>>(exec, csr, slots, matrix);
}

}  // namespace krylite

#endif
