#ifndef KRYLITE_FORMATS_CONVERT_RGCSR_HPP
#define KRYLITE_FORMATS_CONVERT_RGCSR_HPP

#include <krylite/formats/convert/common.hpp>
#include <krylite/formats/convert/row_order.hpp>
#include <krylite/formats/rgcsr.hpp>

namespace krylite {
namespace detail {

/// Entries of one slot: entry k is the CSR's entry number first + k * stride.
struct SlotEntries {
  std::int64_t first;
  std::int64_t stride;
  std::int64_t length;
  KOKKOS_INLINE_FUNCTION std::int64_t position(std::int64_t k) const { return first + k * stride; }
};

/// What is to be stored as the rows of an RgCSR matrix: for each slot, where its entries begin in CSR, how far apart
/// they are there and how many there are (rows as they are, sorted rows, or pieces of rows).
template <class Csr>
struct RgCsrSlots {
  Kokkos::View<typename Csr::offset_type*, typename Csr::memory_space> begins;
  Kokkos::View<Index*, typename Csr::memory_space> lengths;
  Kokkos::View<Index*, typename Csr::memory_space> strides;  ///< no entries: all 1

  KOKKOS_INLINE_FUNCTION SlotEntries entries(std::int64_t slot) const {
    if (slot >= static_cast<std::int64_t>(lengths.extent(0))) return {0, 1, 0};
    return {static_cast<std::int64_t>(begins(slot)), strides.extent(0) > 0 ? strides(slot) : 1, lengths(slot)};
  }
};

/// Entries of the longest slot of each group.
template <class ExecutionSpace, class Lengths>
Lengths longest_of_groups(const ExecutionSpace& exec, const Lengths& lengths, Index group_size, Index num_groups) {
  const auto longest = allocate<Lengths>(exec, "krylite::rgcsr::longest", static_cast<std::size_t>(num_groups));
  const auto num_slots = static_cast<std::int64_t>(lengths.extent(0));
  Kokkos::parallel_for(
      "krylite::to_rgcsr::longest", range(exec, num_groups), KOKKOS_LAMBDA(const std::int64_t group) {
        const std::int64_t begin = group * group_size;
        const std::int64_t end = begin + group_size < num_slots ? begin + group_size : num_slots;
        Index maximum = 0;
        for (std::int64_t slot = begin; slot < end; ++slot) {
          maximum = lengths(slot) > maximum ? lengths(slot) : maximum;
        }
        longest(group) = maximum;
      });
  return longest;
}

/// Sets the base column of every position of every group, and says which groups' columns fit 16 bits from them:
/// their stored entries, and 0 for the others.
template <class ExecutionSpace, class Csr, class Slots, class RgCsr>
decltype(RgCsr::group_pointers) packable_sizes(const ExecutionSpace& exec, const Csr& csr, const Slots& slots,
                                               const RgCsr& result) {
  using Sizes = decltype(RgCsr::group_pointers);
  constexpr Index widest = 0xffff;
  const auto sizes = allocate<Sizes>(exec, "krylite::rgcsr::packable", static_cast<std::size_t>(result.num_groups()));
  const auto tops =
      allocate<decltype(RgCsr::columns)>(exec, "krylite::rgcsr::tops", result.column_bases.extent(0));
  const auto bases = result.column_bases;
  const auto pointers = result.group_pointers;
  const Index group_size = result.group_size;
  Kokkos::parallel_for(
      "krylite::to_rgcsr::packable", range(exec, result.num_groups()), KOKKOS_LAMBDA(const std::int64_t group) {
        const std::int64_t begin = pointers(group) / group_size;
        const std::int64_t width = pointers(group + 1) / group_size - begin;
        for (std::int64_t k = 0; k < width; ++k) {
          bases(begin + k) = csr.num_cols;
          tops(begin + k) = 0;
        }
        for (Index lane = 0; lane < group_size; ++lane) {
          const SlotEntries slot = slots.entries(group * group_size + lane);
          for (std::int64_t k = 0; k < slot.length; ++k) {
            const Index column = csr.columns(slot.position(k));
            bases(begin + k) = column < bases(begin + k) ? column : bases(begin + k);
            tops(begin + k) = column > tops(begin + k) ? column : tops(begin + k);
          }
        }
        bool fits = true;
        for (std::int64_t k = 0; k < width; ++k) fits = fits && tops(begin + k) - bases(begin + k) <= widest;
        sizes(group) = fits ? pointers(group + 1) - pointers(group) : 0;
      });
  return sizes;
}

/// Sets the column pointers and the arrays behind them where packing saves bytes enough to be worth the unpacking (on
/// an AVX-512 machine, three tenths of those of the columns); says whether it does. Waits.
template <class ExecutionSpace, class Csr, class Slots, class RgCsr>
bool pack_pattern(const ExecutionSpace& exec, const Csr& csr, const Slots& slots, RgCsr& result) {
  using Offset = typename RgCsr::offset_type;
  const Index num_groups = result.num_groups();
  const std::int64_t stored = result.stored_entries();
  allocate_array(exec, "krylite::rgcsr::column_bases", stored / result.group_size, result.column_bases);
  const auto sizes = packable_sizes(exec, csr, slots, result);
  using Sums = decltype(RgCsr::group_pointers);
  const auto packed = allocate<Sums>(exec, "krylite::rgcsr::packed", static_cast<std::size_t>(num_groups) + 1);
  prefix_sums(exec, "krylite::to_rgcsr::packed", num_groups, packed, ScaledCount<Sums, Offset>{sizes, 1});
  Offset packed_entries = 0;
  exec.fence();
  Kokkos::deep_copy(packed_entries, Kokkos::subview(packed, num_groups));
  const std::int64_t packed_bytes = 2 * std::int64_t(packed_entries) + 4 * (stored - packed_entries) +
                                    4 * (stored / result.group_size) + std::int64_t(sizeof(Offset)) * num_groups;
  if (10 * packed_bytes >= 7 * 4 * stored) {
    result.column_bases = {};
    return false;
  }
  allocate_array(exec, "krylite::rgcsr::column_pointers", num_groups, result.column_pointers);
  allocate_array(exec, "krylite::rgcsr::column_offsets", packed_entries, result.column_offsets);
  allocate_array(exec, "krylite::rgcsr::columns", stored - packed_entries, result.columns);
  const auto group_pointers = result.group_pointers;
  const auto column_pointers = result.column_pointers;
  Kokkos::parallel_for(
      "krylite::to_rgcsr::column_pointers", range(exec, num_groups), KOKKOS_LAMBDA(const std::int64_t group) {
        const Offset unpacked = group_pointers(group) - packed(group);
        column_pointers(group) = sizes(group) > 0 ? packed(group) : -1 - unpacked;
      });
  return true;
}

/// Columns of all slots and of what fills them up.
template <class ExecutionSpace, class Csr, class Slots, class RgCsr>
void fill_columns(const ExecutionSpace& exec, const Csr& csr, const Slots& slots, const RgCsr& result) {
  const std::int64_t group_size = result.group_size;
  Kokkos::parallel_for(
      "krylite::to_rgcsr::columns", range(exec, result.num_groups() * group_size),
      KOKKOS_LAMBDA(const std::int64_t s) {
        const std::int64_t group = s / group_size;
        const std::int64_t begin = result.group_pointers(group);
        const std::int64_t width = (result.group_pointers(group + 1) - begin) / group_size;
        const SlotEntries slot = slots.entries(s);
        const std::int64_t pointer = result.is_packed() ? result.column_pointers(group) : -1 - begin;
        if (pointer < 0) {
          Index* const target = result.columns.data() + (-1 - pointer) + s % group_size;
          const Index filler = slot.length > 0 ? csr.columns(slot.position(slot.length - 1)) : 0;
          for (std::int64_t k = 0; k < slot.length; ++k) target[k * group_size] = csr.columns(slot.position(k));
          for (std::int64_t k = slot.length; k < width; ++k) target[k * group_size] = filler;
        } else {
          std::uint16_t* const target = result.column_offsets.data() + pointer + s % group_size;
          const Index* const bases = result.column_bases.data() + begin / group_size;
          for (std::int64_t k = 0; k < slot.length; ++k) {
            target[k * group_size] = static_cast<std::uint16_t>(csr.columns(slot.position(k)) - bases[k]);
          }
          for (std::int64_t k = slot.length; k < width; ++k) target[k * group_size] = 0;
        }
      });
}

/// Values of all slots, and zeros for what fills them up.
template <class ExecutionSpace, class Csr, class RgCsr>
void fill_slot_values(const ExecutionSpace& exec, const Csr& csr, const RgCsrSlots<Csr>& slots, const RgCsr& result) {
  using Scalar = typename RgCsr::scalar_type;
  const std::int64_t group_size = result.group_size;
  Kokkos::parallel_for(
      "krylite::to_rgcsr::values", range(exec, result.num_groups() * group_size),
      KOKKOS_LAMBDA(const std::int64_t s) {
        const std::int64_t begin = result.group_pointers(s / group_size);
        const std::int64_t width = (result.group_pointers(s / group_size + 1) - begin) / group_size;
        const SlotEntries slot = slots.entries(s);
        Scalar* const target = result.values.data() + begin + s % group_size;
        for (std::int64_t k = 0; k < slot.length; ++k) target[k * group_size] = csr.values(slot.position(k));
        for (std::int64_t k = slot.length; k < width; ++k) target[k * group_size] = Scalar(0);
      });
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

/// RgCSR whose rows are the slots. \param format its name, for messages
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace, class Slots>
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
  const Index num_groups = result.num_groups();
  const auto longest = longest_of_groups(exec, slots.lengths, group_size, num_groups);
  const std::int64_t stored = sum_of(
      exec, num_groups,
      KOKKOS_LAMBDA(const std::int64_t group) { return static_cast<std::int64_t>(longest(group)) * group_size; });
  require_storable(format, csr, stored, static_cast<std::size_t>(stored) * (sizeof(Index) + sizeof(Scalar)),
                   options.fill_limit);

  allocate_array(exec, "krylite::rgcsr::group_pointers", std::int64_t(num_groups) + 1, result.group_pointers);
  prefix_sums(exec, "krylite::to_rgcsr::scan", num_groups, result.group_pointers,
              ScaledCount<decltype(longest), Offset>{longest, static_cast<Offset>(group_size)});
  allocate_array(exec, "krylite::rgcsr::values", stored, result.values);
  if (!options.packed || !pack_pattern(exec, csr, slots, result)) {
    allocate_array(exec, "krylite::rgcsr::columns", stored, result.columns);
  }
  fill_columns(exec, csr, slots, result);
  fill_slot_values(exec, csr, slots, result);
  if constexpr (!is_host_space<ExecutionSpace>) result.short_row_lengths = short_lengths(exec, slots.lengths);
  return result;
}

/// Lengths of all rows in 32 bits. \throws Error where one does not fit
template <class ExecutionSpace, class Csr>
Kokkos::View<Index*, typename Csr::memory_space> row_lengths_of(const ExecutionSpace& exec, const char* format,
                                                                const Csr& csr) {
  using Lengths = Kokkos::View<Index*, typename Csr::memory_space>;
  const RowLength<typename Csr::row_pointers_type> length{csr.row_pointers};
  longest_row(exec, format, csr);
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
template <class ExecutionSpace, class Csr, class Order>
RgCsrSlots<Csr> ordered_rows(const ExecutionSpace& exec, const Csr& csr, const RgCsrOptions& options,
                             Order& row_order) {
  RgCsrSlots<Csr> slots{csr.row_pointers, row_lengths_of(exec, "RgCSR", csr), {}};
  if (options.order == RowOrder::natural || csr.num_rows == 0) return slots;
  const std::int64_t window = options.order == RowOrder::descending ? csr.num_rows : options.order_window;
  row_order = order_by_length(exec, slots.lengths, window);
  return {reordered(exec, csr.row_pointers, row_order), reordered(exec, slots.lengths, row_order), {}};
}

}  // namespace detail

/// RgCSR of `csr`, on `exec`. The CSR is only read.
/// \throws Error where the group size is not a power of two from 1 to 256, the window is not positive, or the padded
///         arrays would exceed the offset type, the fill limit or the memory; neither columns nor values are
///         allocated then
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
RgCsrMatrix<Scalar, Offset, MemorySpace> to_rgcsr(const ExecutionSpace& exec,
                                                  const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                                                  const RgCsrOptions& options = {}) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "to_rgcsr: the execution space cannot reach the matrix");
  const Index group_size =
      options.group_size == 0 ? default_rgcsr_group_size<ExecutionSpace>() : options.group_size;
  detail::check_rgcsr_options("RgCSR", group_size, options);
  Kokkos::View<Index*, MemorySpace> row_order;
  const auto slots = detail::ordered_rows(exec, csr, options, row_order);
  auto result = detail::group_slots(exec, "RgCSR", csr, slots, group_size, options);
  result.row_order = row_order;
  return result;
}

/// The CSR that `matrix` was made from: the same entries in the same order.
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
CsrMatrix<Scalar, Offset, MemorySpace> to_csr(const ExecutionSpace& exec,
                                              const RgCsrMatrix<Scalar, Offset, MemorySpace>& matrix) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "to_csr: the execution space cannot reach the matrix");
  using Csr = CsrMatrix<Scalar, Offset, MemorySpace>;
  const Csr csr = detail::allocate_csr<Csr>(exec, matrix.num_rows, matrix.num_cols, matrix.entries);
  auto lengths = matrix.row_lengths;
  if (matrix.row_order.extent(0) > 0) {
    lengths = detail::allocate<decltype(lengths)>(exec, "krylite::row_lengths", matrix.row_order.extent(0));
    Kokkos::parallel_for(
        "krylite::to_csr::row_lengths", detail::range(exec, matrix.num_rows),
        KOKKOS_LAMBDA(const std::int64_t slot) { lengths(matrix.row_order(slot)) = matrix.row_lengths(slot); });
  }
  detail::prefix_sums(exec, "krylite::to_csr::scan", matrix.num_rows, csr.row_pointers,
                      detail::ScaledCount<decltype(lengths), Offset>{lengths, Offset(1)});
  Kokkos::parallel_for(
      "krylite::to_csr::fill", detail::range(exec, matrix.num_rows), KOKKOS_LAMBDA(const std::int64_t slot) {
        std::int64_t target = csr.row_pointers(matrix.row_of(slot));
        matrix.visit(slot, slot + 1, [&](Index, Index column, const Scalar& value) {
          csr.columns(target) = column;
          csr.values(target++) = value;
        });
      });
  return csr;
}

/// Takes new values from a CSR of the same pattern; the pattern is not looked at again.
/// \throws Error where the sizes differ
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
void update_values(const ExecutionSpace& exec, const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                   const RgCsrMatrix<Scalar, Offset, MemorySpace>& matrix) {
  detail::require_same_pattern_size(csr, matrix);
  const auto begins = matrix.row_order.extent(0) > 0 ? detail::reordered(exec, csr.row_pointers, matrix.row_order)
                                                     : csr.row_pointers;
  const detail::RgCsrSlots<CsrMatrix<Scalar, Offset, MemorySpace>> slots{begins, matrix.row_lengths, {}};
  detail::fill_slot_values(exec, csr, slots, matrix);
}

}  // namespace krylite

#endif
