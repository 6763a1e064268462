#ifndef KRYLITE_FORMATS_CONVERT_RGCSR_TEAMS_HPP
#define KRYLITE_FORMATS_CONVERT_RGCSR_TEAMS_HPP

/// \file
/// The conversion to RgCSR and back as devices take it. There a launch takes microseconds, to wait for a number tens,
/// and to allocate up to hundreds, so that few of each count as much as few bytes:
///
///     measure     lengths of rows, in a byte too, and the longest of each group             1 kernel
///     scan        group pointers; what is to be stored and the longest row of all           2 kernels, waits
///     bases       base columns, and which groups fit 16 bits, where columns may be packed   1 kernel
///     scan        column pointers; what is packed                                           2 kernels, waits
///     fill        columns and values                                                        1 kernel
///
/// Cost: columns are read twice where they may be packed and values once, and what is stored is written once. Nothing
/// is allocated but the arrays of the result.

#include <krylite/formats/convert/common.hpp>
#include <krylite/formats/convert/group_tiles.hpp>
#include <krylite/formats/convert/rgcsr_bases.hpp>
#include <krylite/formats/convert/rgcsr_slots.hpp>
#include <krylite/formats/rgcsr.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace krylite {
namespace detail {

template <class RgCsr>
auto group_layout(const RgCsr& matrix, std::int64_t stored) {
  using Pointers = decltype(matrix.group_pointers);
  return GroupLayout<Pointers>(matrix.group_pointers, matrix.num_groups(), matrix.group_size, stored);
}

template <class Matrix>
TileShape tile_shape(const Matrix& matrix) {
  return TileShape(matrix.group_size, matrix.num_entries(), matrix.num_rows);
}

/// What all groups amount to; adds up as a scan wants it.
struct GroupTotals {
  std::int64_t stored = 0;   ///< entries with artificial zeros
  std::int64_t longest = 0;  ///< entries of the longest slot

  // Kokkos before 3.7 adds up through volatile references.
  KOKKOS_INLINE_FUNCTION void operator+=(const volatile GroupTotals& other) volatile {
    stored = stored + other.stored;
    if (other.longest > longest) longest = other.longest;
  }
};

/// Groups from the lengths of their slots: widths where the group pointers will be.
template <class Csr>
struct RgCsrMeasure {
  RgCsrSlots<Csr> slots;
  std::uint8_t* short_lengths;
  typename Csr::offset_type* widths;
  typename Csr::offset_type* fits;  ///< 1 for each group, to be made 0 by those that do not fit; null: not asked

  KOKKOS_INLINE_FUNCTION Index measure(std::int64_t slot) const {
    if (slots.to_measure) slots.lengths(slot) = static_cast<Index>(slots.begins(slot + 1) - slots.begins(slot));
    const Index length = slots.lengths(slot);
    short_lengths[slot] = static_cast<std::uint8_t>(length);
    return length;
  }
  KOKKOS_INLINE_FUNCTION void store(std::int64_t group, Index longest) const {
    widths[group] = static_cast<typename Csr::offset_type>(longest);
    if (fits != nullptr) fits[group] = 1;
  }
};

/// Totals of one group from its width, and nothing behind the last.
template <class Offset>
struct WidthTotals {
  const Offset* widths;
  std::int64_t num_groups;
  std::int64_t group_size;

  KOKKOS_INLINE_FUNCTION GroupTotals operator()(std::int64_t group) const {
    GroupTotals totals;
    if (group < num_groups) totals.longest = widths[group];
    totals.stored = totals.longest * group_size;
    return totals;
  }
};

template <class Offset>
struct StoreGroupPointer {
  KOKKOS_INLINE_FUNCTION Offset operator()(std::int64_t, const GroupTotals& before) const {
    return static_cast<Offset>(before.stored);
  }
};

/// Sets the group pointers, the lengths of the slots where they are not known yet, these in a byte each, whether they
/// fit it or not, and, where columns may be packed, that every group fits. Waits.
template <class ExecutionSpace, class Csr, class RgCsr>
GroupTotals measure_slots(const ExecutionSpace& exec, const RgCsrSlots<Csr>& slots, bool packed, RgCsr& result) {
  using Offset = typename RgCsr::offset_type;
  const Index num_groups = result.num_groups();
  if (result.num_rows > 0) {
    allocate_array(exec, "krylite::rgcsr::short_row_lengths", result.num_rows, result.short_row_lengths);
  }
  allocate_array(exec, "krylite::rgcsr::group_pointers", std::int64_t(num_groups) + 1, result.group_pointers);
  if (packed) allocate_array(exec, "krylite::rgcsr::column_pointers", num_groups, result.column_pointers);
  const RgCsrMeasure<Csr> groups{slots, result.short_row_lengths.data(), result.group_pointers.data(),
                                 result.column_pointers.data()};
  measure_groups(exec, result.num_rows, result.group_size, groups);
  return scan_in_place(exec, "krylite::to_rgcsr::scan", std::int64_t(num_groups) + 1, result.group_pointers,
                       WidthTotals<Offset>{result.group_pointers.data(), num_groups, result.group_size},
                       StoreGroupPointer<Offset>{});
}

/// Sets base columns and column pointers, and allocates the values and what columns are packed to, where packing pays;
/// says whether it does. Waits.
template <class ExecutionSpace, class Csr, class RgCsr>
bool pack_by_teams(const ExecutionSpace& exec, const Csr& csr, const RgCsrSlots<Csr>& slots, std::int64_t stored,
                   RgCsr& result) {
  using Offset = typename RgCsr::offset_type;
  const PackedSize<Offset> size{result.group_pointers.data(), result.column_pointers.data()};
  allocate_array(exec, "krylite::rgcsr::column_bases", stored / result.group_size, result.column_bases);
  find_bases(exec, csr.columns, slots, group_layout(result, stored), result.column_bases, result.column_pointers);
  // The device is busy meanwhile.
  allocate_array(exec, "krylite::rgcsr::values", stored, result.values);
  const std::int64_t packed_entries =
      scan_in_place(exec, "krylite::to_rgcsr::column_pointers", result.num_groups(), result.column_pointers, size,
                    StoreColumnPointer<Offset>{size});
  if (!packing_pays(result, packed_entries)) return false;
  allocate_packed(exec, packed_entries, result);
  return true;
}

/// Columns of one group, packed or not, in the form in which each is stored.
struct GroupColumns {
  const Index* source;
  Index* columns;          ///< of the group, null where it is packed
  std::uint16_t* offsets;  ///< of the group, null where it is not
  const Index* bases;

  KOKKOS_INLINE_FUNCTION Index load(const SlotEntries& entries, std::int64_t k) const {
    if (k < entries.length) return source[entries.position(k)];
    if (offsets != nullptr) return bases[k];
    return entries.length > 0 ? source[entries.position(entries.length - 1)] : 0;
  }
  KOKKOS_INLINE_FUNCTION void store(std::int64_t place, std::int64_t k, Index column) const {
    if (offsets != nullptr) {
      offsets[place] = static_cast<std::uint16_t>(column - bases[k]);
    } else {
      columns[place] = column;
    }
  }
};

/// The same on the way back to CSR.
struct ReturnedColumns {
  GroupColumns group;
  Index* target;

  KOKKOS_INLINE_FUNCTION Index load(std::int64_t place, std::int64_t k) const {
    return group.offsets != nullptr ? group.bases[k] + Index(group.offsets[place]) : group.columns[place];
  }
  KOKKOS_INLINE_FUNCTION void store(std::int64_t position, Index column) const { target[position] = column; }
};

/// Where a matrix has its columns, in less than half the bytes of its Views: a kernel with more than 512 bytes of
/// parameters waits for the one before it.
template <class Offset>
struct ColumnArrays {
  const Offset* group_pointers;
  const Offset* column_pointers;  ///< null where columns are not packed
  Index* columns;
  std::uint16_t* offsets;
  const Index* bases;
  int group_bits;

  template <class RgCsr>
  explicit ColumnArrays(const RgCsr& matrix)
      : group_pointers(matrix.group_pointers.data()),
        column_pointers(matrix.is_packed() ? matrix.column_pointers.data() : nullptr),
        columns(matrix.columns.data()), offsets(matrix.column_offsets.data()), bases(matrix.column_bases.data()),
        group_bits(bits_of(matrix.group_size)) {}

  /// \param source the columns of CSR
  KOKKOS_INLINE_FUNCTION GroupColumns of_group(std::int64_t group, const Index* source) const {
    const std::int64_t begin = group_pointers[group];
    const std::int64_t pointer = column_pointers != nullptr ? column_pointers[group] : -1 - begin;
    if (pointer < 0) return {source, columns + (-1 - pointer), nullptr, nullptr};
    return {source, nullptr, offsets + pointer, bases + (begin >> group_bits)};
  }
};

template <class Offset>
struct ColumnReturns {
  ColumnArrays<Offset> arrays;
  Index* target;
  KOKKOS_INLINE_FUNCTION ReturnedColumns operator()(std::int64_t group) const {
    return {arrays.of_group(group, nullptr), target};
  }
};

/// Entries of one group: columns and values at once.
template <class Scalar>
struct GroupEntries {
  GroupColumns columns;
  ArrayCopy<Scalar> values;

  KOKKOS_INLINE_FUNCTION Entry<Scalar> load(const SlotEntries& entries, std::int64_t k) const {
    return {columns.load(entries, k), values.load(entries, k)};
  }
  KOKKOS_INLINE_FUNCTION void store(std::int64_t place, std::int64_t k, const Entry<Scalar>& entry) const {
    columns.store(place, k, entry.column);
    values.store(place, k, entry.value);
  }
};

template <class Scalar, class Offset>
struct EntryCopies {
  ColumnArrays<Offset> arrays;
  const Index* columns;       ///< of CSR
  ArrayCopy<Scalar> values;   ///< from the values of CSR to those of all groups

  KOKKOS_INLINE_FUNCTION GroupEntries<Scalar> operator()(std::int64_t group) const {
    return {arrays.of_group(group, columns), {values.source, values.target + arrays.group_pointers[group], Scalar(0)}};
  }
};

/// Rows are copied by a thread each up to this mean width of the groups, and where none is longer than
/// `most_by_thread`: what a warp reads then stays in the cache until all of it is used. Others are copied in tiles.
inline constexpr std::int64_t mean_by_thread = 16;
inline constexpr std::int64_t most_by_thread = 64;

/// Columns and values of all slots, and what fills them up, a thread a slot. A warp writes neighbours, and reads rows
/// that mostly are neighbours.
template <class ExecutionSpace, class Layout, class Slots, class Copies>
void fill_by_threads(const ExecutionSpace& exec, const Layout& layout, const Slots& slots, const Copies& copies) {
  const int bits = layout.group_bits;
  Kokkos::parallel_for(
      "krylite::to_rgcsr::fill", range(exec, layout.num_groups << bits), KOKKOS_LAMBDA(const std::int64_t slot) {
        const std::int64_t group = slot >> bits;
        const std::int64_t lane = slot - (group << bits);
        const std::int64_t width = layout.first_position(group + 1) - layout.first_position(group);
        const auto copy = copies(group);
        const SlotEntries entries = slots.entries(slot);
        for (std::int64_t k = 0; k < width; ++k) copy.store((k << bits) + lane, k, copy.load(entries, k));
      });
}

/// Columns and values of all slots. \param longest entries of a slot
template <class ExecutionSpace, class Csr, class Slots, class RgCsr>
void fill_by_teams(const ExecutionSpace& exec, const Csr& csr, const Slots& slots, std::int64_t longest,
                   const RgCsr& result) {
  using Scalar = typename RgCsr::scalar_type;
  using Offset = typename RgCsr::offset_type;
  const auto layout = group_layout(result, result.stored_entries());
  const EntryCopies<Scalar, Offset> copies{
      ColumnArrays<Offset>(result), csr.columns.data(), {csr.values.data(), result.values.data(), Scalar(0)}};
  if (longest <= most_by_thread && layout.num_positions <= mean_by_thread * layout.num_groups) {
    fill_by_threads(exec, layout, slots, copies);
  } else {
    rows_to_groups<Entry<Scalar>>(exec, "krylite::to_rgcsr::fill", layout, slots, tile_shape(result), copies);
  }
}

/// The groups of a matrix that has its sizes and its array of row lengths. \param format its name, for messages
template <class ExecutionSpace, class Csr, class RgCsr>
void group_by_teams(const ExecutionSpace& exec, const char* format, const Csr& csr, const RgCsrSlots<Csr>& slots,
                    const RgCsrOptions& options, RgCsr& result) {
  const GroupTotals totals = measure_slots(exec, slots, options.packed, result);
  require_group_room(format, csr, totals.stored, options.fill_limit);
  bool packs = false;
  if (options.packed && totals.stored > 0) {
    packs = pack_by_teams(exec, csr, slots, totals.stored, result);
  } else {
    allocate_array(exec, "krylite::rgcsr::values", totals.stored, result.values);
  }
  if (!packs) {
    result.column_pointers = {};
    result.column_bases = {};
    allocate_array(exec, "krylite::rgcsr::columns", totals.stored, result.columns);
  }
  fill_by_teams(exec, csr, slots, totals.longest, result);
  if (totals.longest > std::numeric_limits<std::uint8_t>::max()) result.short_row_lengths = {};
}

/// New values in the groups.
template <class ExecutionSpace, class Csr, class Slots, class RgCsr>
void fill_values_by_teams(const ExecutionSpace& exec, const Csr& csr, const Slots& slots, const RgCsr& result) {
  using Scalar = typename RgCsr::scalar_type;
  const auto layout = group_layout(result, result.stored_entries());
  const ArrayCopies<std::decay_t<decltype(layout)>, Scalar> copies{
      layout, {csr.values.data(), result.values.data(), Scalar(0)}};
  rows_to_groups<Scalar>(exec, "krylite::to_rgcsr::values", layout, slots, tile_shape(result), copies);
}

/// Columns and values of a CSR that has its row pointers. \param slots where the entries of each slot belong
template <class ExecutionSpace, class RgCsr, class Slots, class Csr>
void return_by_teams(const ExecutionSpace& exec, const RgCsr& matrix, const Slots& slots, const Csr& csr) {
  using Scalar = typename RgCsr::scalar_type;
  using Offset = typename RgCsr::offset_type;
  const auto layout = group_layout(matrix, matrix.stored_entries());
  const ArrayReturns<std::decay_t<decltype(layout)>, Scalar> values{layout, {matrix.values.data(), csr.values.data()}};
  groups_to_rows<Index>(exec, "krylite::to_csr::columns", layout, slots, tile_shape(matrix),
                        ColumnReturns<Offset>{ColumnArrays<Offset>(matrix), csr.columns.data()});
  groups_to_rows<Scalar>(exec, "krylite::to_csr::values", layout, slots, tile_shape(matrix), values);
}

}  // namespace detail
}  // namespace krylite

#endif
