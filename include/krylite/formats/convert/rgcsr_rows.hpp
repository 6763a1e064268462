#ifndef KRYLITE_FORMATS_CONVERT_RGCSR_ROWS_HPP
#define KRYLITE_FORMATS_CONVERT_RGCSR_ROWS_HPP

/// \file
/// The steps of the conversion to RgCSR and back as hosts take them: a thread has whole rows or groups.

#include <krylite/formats/convert/rgcsr_slots.hpp>

#include <cstdint>
#include <type_traits>

namespace krylite {
namespace detail {

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
        for (std::int64_t k = 0; k < width; ++k) fits = fits && tops(begin + k) - bases(begin + k) <= widest_packed;
        sizes(group) = fits ? pointers(group + 1) - pointers(group) : 0;
      });
  return sizes;
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
  const Offset packed_entries = element(exec, packed, num_groups);
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

/// Sets the group pointers. Waits. \throws Error where what is to be stored is too much
template <class ExecutionSpace, class Csr, class RgCsr>
void set_group_pointers(const ExecutionSpace& exec, const char* format, const Csr& csr, double fill_limit,
                        RgCsr& result) {
  using Offset = typename RgCsr::offset_type;
  const Index group_size = result.group_size;
  const Index num_groups = result.num_groups();
  const auto longest = longest_of_groups(exec, result.row_lengths, group_size, num_groups);
  using Lengths = std::decay_t<decltype(longest)>;
  const std::int64_t stored =
      sum_of(exec, num_groups, ScaledCount<Lengths, std::int64_t>{longest, std::int64_t(group_size)});
  require_group_room(format, csr, stored, fill_limit);
  allocate_array(exec, "krylite::rgcsr::group_pointers", std::int64_t(num_groups) + 1, result.group_pointers);
  prefix_sums(exec, "krylite::to_rgcsr::scan", num_groups, result.group_pointers,
              ScaledCount<Lengths, Offset>{longest, static_cast<Offset>(group_size)});
  allocate_array(exec, "krylite::rgcsr::values", stored, result.values);
}

/// Sets what columns need before they are filled in: packed where that is asked for and pays. Waits if it is.
template <class ExecutionSpace, class Csr, class Slots, class RgCsr>
void prepare_columns(const ExecutionSpace& exec, const Csr& csr, const Slots& slots, bool packed, RgCsr& result) {
  const std::int64_t stored = result.stored_entries();
  if (packed && stored > 0) {
    allocate_array(exec, "krylite::rgcsr::column_bases", stored / result.group_size, result.column_bases);
    if (pack_pattern(exec, csr, slots, result)) return;
    result.column_bases = {};
  }
  allocate_array(exec, "krylite::rgcsr::columns", stored, result.columns);
}

/// The groups of a matrix that has its sizes and row lengths. \param format its name, for messages
template <class ExecutionSpace, class Csr, class RgCsr>
void group_by_rows(const ExecutionSpace& exec, const char* format, const Csr& csr, const RgCsrSlots<Csr>& slots,
                   const RgCsrOptions& options, RgCsr& result) {
  set_group_pointers(exec, format, csr, options.fill_limit, result);
  prepare_columns(exec, csr, slots, options.packed, result);
  fill_columns_by_rows(exec, csr, slots, result);
  fill_values_by_rows(exec, csr, slots, result);
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

}  // namespace detail
}  // namespace krylite

#endif
