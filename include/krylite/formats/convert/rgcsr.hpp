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

/// `lengths` in a byte each; nothing where one does not fit, or where there are none. Waits.
template <class ExecutionSpace, class Lengths>
Kokkos::View<std::uint8_t*, typename Lengths::memory_space> short_lengths(const ExecutionSpace& exec,
                                                                          const Lengths& lengths) {
  Kokkos::View<std::uint8_t*, typename Lengths::memory_space> result;
  const auto count = static_cast<std::int64_t>(lengths.extent(0));
  if (count == 0 || largest_of(exec, count, lengths) > std::numeric_limits<std::uint8_t>::max()) return result;
  allocate_array(exec, "krylite::rgcsr::short_row_lengths", count, result);
  const auto target = result;
  Kokkos::parallel_for(
      "krylite::to_rgcsr::short_row_lengths", range(exec, count),
      KOKKOS_LAMBDA(const std::int64_t slot) { target(slot) = static_cast<std::uint8_t>(lengths(slot)); });
  return result;
}

/// Sets the group pointers. \return what is to be stored. Waits. \throws Error where that is too much
template <Traversal Way, class ExecutionSpace, class Csr, class RgCsr>
std::int64_t set_group_pointers(const ExecutionSpace& exec, const char* format, const Csr& csr, double fill_limit,
                                RgCsr& result) {
  const Index group_size = result.group_size;
  const Index num_groups = result.num_groups();
  const auto require_room = [&](std::int64_t stored) {
    const std::size_t bytes = static_cast<std::size_t>(stored) * (sizeof(Index) + sizeof(typename RgCsr::scalar_type));
    require_storable(format, csr, stored, bytes, fill_limit);
    return stored;
  };
  if constexpr (Way == Traversal::teams) {
    const auto lengths = result.row_lengths;
    allocate_array(exec, "krylite::rgcsr::group_pointers", std::int64_t(num_groups) + 1, result.group_pointers);
    find_longest_of_groups(exec, lengths, result.num_rows, group_size, result.group_pointers);
    return require_room(
        counts_to_sums(exec, "krylite::to_rgcsr::scan", num_groups, group_size, result.group_pointers));
  } else {
    using Offset = typename RgCsr::offset_type;
    const auto longest = longest_of_groups(exec, result.row_lengths, group_size, num_groups);
    const std::int64_t stored = require_room(sum_of(
        exec, num_groups, ScaledCount<decltype(longest), std::int64_t>{longest, std::int64_t(group_size)}));
    allocate_array(exec, "krylite::rgcsr::group_pointers", std::int64_t(num_groups) + 1, result.group_pointers);
    prefix_sums(exec, "krylite::to_rgcsr::scan", num_groups, result.group_pointers,
                ScaledCount<decltype(longest), Offset>{longest, static_cast<Offset>(group_size)});
    return stored;
  }
}

/// Sets what columns need before they are filled in: packed where that is asked for and pays. Waits if it is.
template <Traversal Way, class ExecutionSpace, class Csr, class Slots, class RgCsr>
void prepare_columns(const ExecutionSpace& exec, const Csr& csr, const Slots& slots, bool packed, RgCsr& result) {
  const std::int64_t stored = result.stored_entries();
  if (packed && stored > 0) {
    allocate_array(exec, "krylite::rgcsr::column_bases", stored / result.group_size, result.column_bases);
    bool pays = false;
    if constexpr (Way == Traversal::teams) {
      pays = pack_pattern_by_teams(exec, csr, slots, result);
    } else {
      pays = pack_pattern(exec, csr, slots, result);
    }
    if (pays) return;
    result.column_bases = {};
  }
  allocate_array(exec, "krylite::rgcsr::columns", stored, result.columns);
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
  const std::int64_t stored = set_group_pointers<Way>(exec, format, csr, options.fill_limit, result);
  allocate_array(exec, "krylite::rgcsr::values", stored, result.values);
  prepare_columns<Way>(exec, csr, slots, options.packed, result);
  if constexpr (Way == Traversal::teams) {
    fill_columns_by_teams(exec, csr, slots, result);
    result.short_row_lengths = short_lengths(exec, slots.lengths);
  } else {
    fill_columns_by_rows(exec, csr, slots, result);
  }
  fill_slot_values<Way>(exec, csr, slots, result);
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
  RgCsrSlots<Csr> slots{csr.row_pointers, row_lengths_of(exec, "RgCSR", csr), {}};
  if (options.order == RowOrder::natural || csr.num_rows == 0) return slots;
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
