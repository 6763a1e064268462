#ifndef KRYLITE_FORMATS_CONVERT_RGCSR_TEAMS_HPP
#define KRYLITE_FORMATS_CONVERT_RGCSR_TEAMS_HPP

/// \file
/// The steps of the conversion to RgCSR and back as devices take them.
/// Cost: columns are read twice where they are to be packed (whether they fit; the offsets) and values once, and what
/// is stored is written once; row lengths are read by each of these passes. Waits three times.

#include <krylite/formats/convert/common.hpp>
#include <krylite/formats/convert/group_tiles.hpp>
#include <krylite/formats/convert/rgcsr_slots.hpp>
#include <krylite/formats/rgcsr.hpp>

namespace krylite {
namespace detail {

template <class RgCsr>
auto group_layout(const RgCsr& matrix) {
  using Pointers = decltype(matrix.group_pointers);
  return GroupLayout<Pointers>{matrix.group_pointers, matrix.num_groups(), matrix.group_size,
                               matrix.stored_entries() / matrix.group_size};
}

template <class Matrix>
TileShape tile_shape(const Matrix& matrix) {
  return TileShape(matrix.group_size, matrix.num_entries(), matrix.num_rows);
}

/// Sets the base column of every position of every group; `fits(group)` turns 0 where the columns of a position are
/// further apart than 16 bits say.
template <class ExecutionSpace, class Csr, class Slots, class RgCsr>
void find_bases(const ExecutionSpace& exec, const Csr& csr, const Slots& slots, const RgCsr& result,
                const decltype(RgCsr::column_pointers)& fits) {
  using Offset = typename RgCsr::offset_type;
  using Scratch = TeamScratch<Index, ExecutionSpace>;
  const auto layout = group_layout(result);
  const TileShape shape = tile_shape(result);
  const auto columns = csr.columns;
  const auto bases = result.column_bases;
  const Index num_cols = csr.num_cols;
  Kokkos::parallel_for(
      "krylite::to_rgcsr::bases", teams(exec, num_parts(layout), shape.width, Scratch::shmem_size(shape.size())),
      KOKKOS_LAMBDA(const TeamMember<ExecutionSpace>& team) {
        const GroupPart part = part_of(layout, team.league_rank());
        if (part.first >= part.last) return;
        const Scratch tile(team.team_scratch(0), shape.size());
        const std::int64_t begin = layout.first_position(part.group);
        for (std::int64_t first = part.first; first < part.last; first += shape.width) {
          load_rows(team, shape, tile, slots, part, first, [&](const SlotEntries& entries, std::int64_t k) {
            return k < entries.length ? columns(entries.position(k)) : Index(-1);
          });
          const int width = part.last - first < shape.width ? static_cast<int>(part.last - first) : shape.width;
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, width), [&](const int k) {
            Index top = 0;
            Index from_end = 0;  // the smallest column, counted from the last one
            Kokkos::parallel_reduce(
                Kokkos::ThreadVectorRange(team, shape.rows),
                [&](const int row, Index& largest) {
                  const Index column = tile(shape.place(k, row));
                  largest = column > largest ? column : largest;
                },
                Kokkos::Max<Index>(top));
            Kokkos::parallel_reduce(
                Kokkos::ThreadVectorRange(team, shape.rows),
                [&](const int row, Index& largest) {
                  const Index column = tile(shape.place(k, row));
                  if (column >= 0 && num_cols - column > largest) largest = num_cols - column;
                },
                Kokkos::Max<Index>(from_end));
            const Index base = num_cols - from_end;
            Kokkos::single(Kokkos::PerThread(team), [&]() {
              bases(begin + first + k) = base;
              // Every thread that finds a misfit stores the same.
              if (top - base > 0xffff) Kokkos::atomic_exchange(&fits(part.group), Offset(0));
            });
          });
          team.team_barrier();
        }
      });
}

/// Entries of the groups that fit; the pointer of a group tells until the scan has replaced it.
template <class RgCsr>
struct PackedSize {
  RgCsr matrix;
  KOKKOS_INLINE_FUNCTION std::int64_t operator()(std::int64_t group) const {
    if (matrix.column_pointers(group) == 0) return 0;
    return matrix.group_pointers(group + 1) - matrix.group_pointers(group);
  }
};

template <class RgCsr>
struct StoreColumnPointer {
  RgCsr matrix;
  KOKKOS_INLINE_FUNCTION typename RgCsr::offset_type operator()(std::int64_t group, std::int64_t packed) const {
    using Offset = typename RgCsr::offset_type;
    if (PackedSize<RgCsr>{matrix}(group) > 0) return static_cast<Offset>(packed);
    return static_cast<Offset>(-1 - (matrix.group_pointers(group) - packed));
  }
};

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

template <class RgCsr>
KOKKOS_FUNCTION GroupColumns columns_of_group(const RgCsr& matrix, std::int64_t group, const Index* source) {
  const std::int64_t begin = matrix.group_pointers(group);
  const std::int64_t pointer = matrix.is_packed() ? matrix.column_pointers(group) : -1 - begin;
  if (pointer < 0) return {source, matrix.columns.data() + (-1 - pointer), nullptr, nullptr};
  return {source, nullptr, matrix.column_offsets.data() + pointer,
          matrix.column_bases.data() + begin / matrix.group_size};
}

template <class RgCsr>
struct ColumnCopies {
  RgCsr matrix;
  const Index* source;
  KOKKOS_INLINE_FUNCTION GroupColumns operator()(std::int64_t group) const {
    return columns_of_group(matrix, group, source);
  }
};

template <class RgCsr>
struct ColumnReturns {
  RgCsr matrix;
  Index* target;
  KOKKOS_INLINE_FUNCTION ReturnedColumns operator()(std::int64_t group) const {
    return {columns_of_group(matrix, group, nullptr), target};
  }
};

/// Sets the column pointers and the arrays behind them where packing pays; says whether it does. Waits.
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

template <class ExecutionSpace, class Csr, class Slots, class RgCsr>
void fill_columns_by_teams(const ExecutionSpace& exec, const Csr& csr, const Slots& slots, const RgCsr& result) {
  rows_to_groups<Index>(exec, "krylite::to_rgcsr::columns", group_layout(result), slots, tile_shape(result),
                        ColumnCopies<RgCsr>{result, csr.columns.data()});
}

template <class ExecutionSpace, class Csr, class Slots, class RgCsr>
void fill_values_by_teams(const ExecutionSpace& exec, const Csr& csr, const Slots& slots, const RgCsr& result) {
  using Scalar = typename RgCsr::scalar_type;
  const auto layout = group_layout(result);
  const ArrayCopies<std::decay_t<decltype(layout)>, Scalar> copies{
      layout, {csr.values.data(), result.values.data(), Scalar(0)}};
  rows_to_groups<Scalar>(exec, "krylite::to_rgcsr::values", layout, slots, tile_shape(result), copies);
}

/// Columns and values of a CSR that has its row pointers. \param slots where the entries of each slot belong
template <class ExecutionSpace, class RgCsr, class Slots, class Csr>
void return_by_teams(const ExecutionSpace& exec, const RgCsr& matrix, const Slots& slots, const Csr& csr) {
  using Scalar = typename RgCsr::scalar_type;
  const auto layout = group_layout(matrix);
  const ArrayReturns<std::decay_t<decltype(layout)>, Scalar> values{layout, {matrix.values.data(), csr.values.data()}};
  groups_to_rows<Index>(exec, "krylite::to_csr::columns", layout, slots, tile_shape(matrix),
                        ColumnReturns<RgCsr>{matrix, csr.columns.data()});
  groups_to_rows<Scalar>(exec, "krylite::to_csr::values", layout, slots, tile_shape(matrix), values);
}

}  // namespace detail
}  // namespace krylite

#endif
