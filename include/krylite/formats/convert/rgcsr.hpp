#ifndef KRYLITE_FORMATS_CONVERT_RGCSR_HPP
#define KRYLITE_FORMATS_CONVERT_RGCSR_HPP

#include <krylite/formats/convert/cluster_order.hpp>
#include <krylite/formats/convert/common.hpp>
#include <krylite/formats/convert/rgcsr_teams.hpp>
#include <krylite/formats/convert/row_order.hpp>
#include <krylite/formats/rgcsr.hpp>

namespace krylite {
namespace detail {

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

/// The arrays of columns of a matrix of which groups of `packed_entries` are packed.
template <class ExecutionSpace, class RgCsr>
void allocate_packed(const ExecutionSpace& exec, std::int64_t packed_entries, RgCsr& result) {
  allocate_array(exec, "krylite::rgcsr::column_offsets", packed_entries, result.column_offsets);
  allocate_array(exec, "krylite::rgcsr::columns", result.stored_entries() - packed_entries, result.columns);
}

/// Whether packing saves bytes enough to be worth the unpacking (on an AVX-512 machine, three tenths of those of the
/// columns). \param packed_entries of the groups that fit
template <class RgCsr>
bool packing_pays(const RgCsr& result, std::int64_t packed_entries) {
  const std::int64_t stored = result.stored_entries();
  const std::int64_t packed_bytes =
      2 * packed_entries + 4 * (stored - packed_entries) + 4 * (stored / result.group_size) +
      std::int64_t(sizeof(typename RgCsr::offset_type)) * result.num_groups();
  return 10 * packed_bytes < 7 * 4 * stored;
}

/// Sets the column pointers and the arrays behind them where packing pays; says whether it does. Waits.
template <class ExecutionSpace, class Csr, class Slots, class RgCsr>
bool pack_pattern(const ExecutionSpace& exec, const Csr& csr, const Slots& slots, RgCsr& result) {
  using Offset = typename RgCsr::offset_type;
  const Index num_groups = result.num_groups();
  const auto sizes = packable_sizes(exec, csr, slots, result);
  using Sums = decltype(RgCsr::group_pointers);
  const auto packed = allocate<Sums>(exec, "krylite::rgcsr::packed", static_cast<std::size_t>(num_groups) + 1);
  prefix_sums(exec, "krylite::to_rgcsr::packed", num_groups, packed, ScaledCount<Sums, Offset>{sizes, 1});
  Offset packed_entries = 0;
  exec.fence();
  Kokkos::deep_copy(packed_entries, Kokkos::subview(packed, num_groups));
  if (!packing_pays(result, packed_entries)) return false;
  allocate_array(exec, "krylite::rgcsr::column_pointers", num_groups, result.column_pointers);
  const auto group_pointers = result.group_pointers;
  const auto column_pointers = result.column_pointers;
  Kokkos::parallel_for(
      "krylite::to_rgcsr::column_pointers", range(exec, num_groups), KOKKOS_LAMBDA(const std::int64_t group) {
        const Offset unpacked = group_pointers(group) - packed(group);
        column_pointers(group) = sizes(group) > 0 ? packed(group) : -1 - unpacked;
      });
  allocate_packed(exec, packed_entries, result);
  return true;
}

/// The same for devices. Waits.
template <class ExecutionSpace, class Csr, class Slots, class RgCsr>
bool pack_pattern_by_teams(const ExecutionSpace& exec, const Csr& csr, const Slots& slots, RgCsr& result) {
  allocate_array(exec, "krylite::rgcsr::column_pointers", result.num_groups(), result.column_pointers);
  Kokkos::deep_copy(exec, result.column_pointers, 1);
  find_bases(exec, csr, slots, result, result.column_pointers);
  const std::int64_t packed_entries =
      scan_in_place(exec, "krylite::to_rgcsr::column_pointers", result.num_groups(), result.column_pointers,
                    PackedSize<RgCsr>{result}, StoreColumnPointer<RgCsr>{result});
  if (packing_pays(result, packed_entries)) {
    allocate_packed(exec, packed_entries, result);
    return true;
  }
  result.column_pointers = {};
  return false;
}

/// Columns of all slots and of what fills them up.
template <class ExecutionSpace, class Csr, class Slots, class RgCsr>
void fill_columns_by_rows(const ExecutionSpace& exec, const Csr& csr, const Slots& slots, const RgCsr& result) {
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
void fill_values_by_rows(const ExecutionSpace& exec, const Csr& csr, const RgCsrSlots<Csr>& slots,
                         const RgCsr& result) {
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

/// Columns and values of `matrix`, whose rows are its slots in any order, to a CSR that has its row pointers.
template <class ExecutionSpace, class RgCsr, class Csr>
void return_by_rows(const ExecutionSpace& exec, const RgCsr& matrix, const Csr& csr) {
  using Scalar = typename RgCsr::scalar_type;
  Kokkos::parallel_for(
      "krylite::to_csr::fill", range(exec, matrix.num_rows), KOKKOS_LAMBDA(const std::int64_t slot) {
        std::int64_t target = csr.row_pointers(matrix.row_of(slot));
        matrix.visit(slot, slot + 1, [&](Index, Index column, const Scalar& value) {
          csr.columns(target) = column;
          csr.values(target++) = value;
        });
      });
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
