// Groups of rows, position by position: lane l of a vector is the row in slot l, so that values and columns are
// contiguous loads, and only x is gathered. Where the columns at a position are neighbours (as in the interior of a
// grid), x is a contiguous load too, which is several times faster than a gather and worth asking for each time.

#include <krylite/spmv/host/kernels.hpp>
#include <krylite/spmv/vectors.hpp>

#include <algorithm>

#include "simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/spmv_groups.cpp"
#include <hwy/foreach_target.h>
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace krylite {
namespace detail {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Lane numbers, from memory: Iota writes them to the stack each time.
HWY_ALIGN constexpr std::int32_t lane_numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};

/// At most 8 lanes, so that every set divides a group of 8 rows.
template <class T>
using Tag = hn::CappedTag<T, 8>;

template <class D, class V>
HWY_INLINE hn::Vec<D> LoadValues(D d, const V* values) {
  hwy::Prefetch(values + prefetched_entries);
  if constexpr (sizeof(V) == sizeof(hn::TFromD<D>)) {
    return hn::LoadU(d, values);
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<V, D>(), values));
  }
}

/// 32-bit integers in lanes as wide as those of D.
template <class D, class V32>
HWY_INLINE auto WideIndex(D, V32 index) {
  const hn::RebindToSigned<D> di;
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    return hn::PromoteTo(di, index);
  } else {
    return index;
  }
}

/// Columns at one position as 32-bit lanes, from 32-bit columns.
template <class D>
struct PlainColumns {
  const Index* columns;
  std::int64_t stride;

  HWY_INLINE auto Load(D, std::int64_t k) const {
    return hn::LoadU(hn::Rebind<std::int32_t, D>(), columns + k * stride);
  }
  HWY_INLINE hn::Vec<D> LoadX(D d, std::int64_t k, const hn::TFromD<D>* x) const {
    const hn::Rebind<std::int32_t, D> d32;
    hwy::Prefetch(columns + k * stride + prefetched_entries);
    const auto index = Load(d, k);
    const Index first = columns[k * stride];
    const auto difference = hn::Sub(index, hn::Set(d32, first));
    if (HWY_LIKELY(hn::AllTrue(d32, hn::Eq(difference, hn::Load(d32, lane_numbers))))) return hn::LoadU(d, x + first);
    return hn::GatherIndex(d, x, WideIndex(d, index));
  }
};

/// The same from 16-bit offsets and a base for all lanes of the group.
template <class D>
struct PackedColumns {
  const std::uint16_t* offsets;
  const Index* bases;
  std::int64_t stride;

  HWY_INLINE hn::Vec<D> LoadX(D d, std::int64_t k, const hn::TFromD<D>* x) const {
    const hn::Rebind<std::int32_t, D> d32;
    hwy::Prefetch(offsets + k * stride + prefetched_entries);
    // Compared in 32 bits: in 16 they would wrap, and 65535, 0, 1, ... pass for neighbours.
    const auto offset = hn::PromoteTo(d32, hn::LoadU(hn::Rebind<std::uint16_t, D>(), offsets + k * stride));
    const Index first = offsets[k * stride];
    const Index base = bases[k];
    const auto difference = hn::Sub(offset, hn::Set(d32, first));
    if (HWY_LIKELY(hn::AllTrue(d32, hn::Eq(difference, hn::Load(d32, lane_numbers))))) {
      return hn::LoadU(d, x + base + first);
    }
    return hn::GatherIndex(d, x, WideIndex(d, hn::Add(offset, hn::Set(d32, base))));
  }
};

/// Sums of the lanes of one slice of a group with known row lengths: no mask as long as all rows have entries.
template <class D, class V, class Columns>
HWY_INLINE hn::Vec<D> SumByLengths(D d, const V* values, std::int64_t stride, const Columns& columns,
                                   const Index* lengths, std::int64_t width, const hn::TFromD<D>* x) {
  const hn::Rebind<std::int32_t, D> d32;
  const hn::RebindToSigned<D> di;
  const auto length = hn::LoadU(d32, lengths);
  const Index common = hn::GetLane(hn::MinOfLanes(d32, length));
  auto sum = hn::Zero(d);
  std::int64_t k = 0;
  for (; k < common; ++k) {
    sum = hn::MulAdd(LoadValues(d, values + k * stride), columns.LoadX(d, k, x), sum);
  }
  const auto wide_length = WideIndex(d, length);
  for (; k < width; ++k) {
    const auto is_entry = hn::RebindMask(d, hn::Gt(wide_length, hn::Set(di, static_cast<hn::TFromD<decltype(di)>>(k))));
    const auto added = hn::MulAdd(LoadValues(d, values + k * stride), columns.LoadX(d, k, x), sum);
    sum = hn::IfThenElse(is_entry, added, sum);
  }
  return sum;
}

/// `sum` and what one position adds to it where fill has column -1; `columns` and `values` are those of the position.
template <class D, class V>
HWY_INLINE hn::Vec<D> AddBySentinel(D d, hn::Vec<D> sum, const V* values, const Index* columns,
                                    const hn::TFromD<D>* x) {
  const hn::Rebind<std::int32_t, D> d32;
  const hn::RebindToSigned<D> di;
  const PlainColumns<D> plain{columns, 0};
  const auto index = plain.Load(d, 0);
  const auto v = LoadValues(d, values);
  if (HWY_LIKELY(hn::AllFalse(d32, hn::Lt(index, hn::Zero(d32))))) return hn::MulAdd(v, plain.LoadX(d, 0, x), sum);
  const auto wide = WideIndex(d, index);
  const auto is_entry = hn::RebindMask(d, hn::Gt(wide, hn::Set(di, -1)));
  const auto gathered = hn::GatherIndex(d, x, hn::Max(wide, hn::Zero(di)));
  return hn::IfThenElse(is_entry, hn::MulAdd(v, gathered, sum), sum);
}

/// Sums of the lanes of one slice of a group without row lengths.
template <class D, class V>
HWY_INLINE hn::Vec<D> SumBySentinel(D d, const V* values, std::int64_t stride, const Index* columns, std::int64_t width,
                                    const hn::TFromD<D>* x) {
  auto sum = hn::Zero(d);
  for (std::int64_t k = 0; k < width; ++k) sum = AddBySentinel(d, sum, values + k * stride, columns + k * stride, x);
  return sum;
}

/// Writes the sums of `count` slots from `slot` on.
template <class D>
HWY_INLINE void WriteSums(D d, hn::Vec<D> sums, const RowTargets<hn::TFromD<D>>& out, std::int64_t slot,
                          std::int64_t count) {
  using T = hn::TFromD<D>;
  const hn::Rebind<std::int32_t, D> d32;
  std::int64_t first = slot;
  bool are_neighbours = count == static_cast<std::int64_t>(hn::Lanes(d));
  if (are_neighbours && out.targets != nullptr) {
    // Rows of equal length keep their order when they are sorted, so that this is often so.
    first = out.targets[slot];
    const auto difference = hn::Sub(hn::LoadU(d32, out.targets + slot), hn::Set(d32, out.targets[slot]));
    are_neighbours = first >= 0 && hn::AllTrue(d32, hn::Eq(difference, hn::Load(d32, lane_numbers)));
  }
  if (HWY_LIKELY(are_neighbours)) {
    auto result = hn::Mul(hn::Set(d, out.alpha), sums);
    if (out.beta != T(0)) result = hn::MulAdd(hn::Set(d, out.beta), hn::LoadU(d, out.y + first), result);
    hn::StoreU(result, d, out.y + first);
    return;
  }
  HWY_ALIGN T lanes[8];
  hn::Store(sums, d, lanes);
  for (std::int64_t lane = 0; lane < count; ++lane) {
    const std::int64_t target = out.targets == nullptr ? slot + lane : out.targets[slot + lane];
    if (target >= 0) {
      update(out.y[target], out.alpha, lanes[lane], out.beta);
    } else {
      out.partials[-1 - target] = lanes[lane];
    }
  }
}

/// A group without row lengths of many slots and positions, as ELL is: in tiles of slots, each position of which is a
/// long contiguous load, while the sums stay in the first cache. Slot by slot, every position is a stream of its own,
/// and there are only so many that a processor follows.
template <class V, class Offset, class T>
HWY_INLINE void MultiplyWideGroup(const GroupedRows<V, Offset>& rows, const T* x, const RowTargets<T>& out,
                                  std::int64_t group) {
  constexpr std::int64_t tile = 512;
  const Tag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t begin = rows.group_pointers[group];
  const std::int64_t width = (rows.group_pointers[group + 1] - begin) / rows.group_size;
  const std::int64_t first_slot = group * rows.group_size;
  const std::int64_t slots = std::min(rows.group_size, rows.num_slots - first_slot);
  HWY_ALIGN T sums[tile];
  for (std::int64_t first = 0; first < slots; first += tile) {
    const std::int64_t count = std::min(tile, slots - first);
    for (std::int64_t lane = 0; lane < count; lane += lanes) hn::Store(hn::Zero(d), d, sums + lane);
    for (std::int64_t k = 0; k < width; ++k) {
      const V* const values = rows.values + begin + k * rows.group_size + first;
      const Index* const columns = rows.columns + begin + k * rows.group_size + first;
      for (std::int64_t lane = 0; lane < count; lane += lanes) {
        hn::Store(AddBySentinel(d, hn::Load(d, sums + lane), values + lane, columns + lane, x), d, sums + lane);
      }
    }
    for (std::int64_t lane = 0; lane < count; lane += lanes) {
      WriteSums(d, hn::Load(d, sums + lane), out, first_slot + first + lane, std::min(lanes, count - lane));
    }
  }
}

template <class V, class Offset, class T>
HWY_INLINE void MultiplyGroups(const GroupedRows<V, Offset>& rows, const T* x, const RowTargets<T>& out,
                               std::int64_t first, std::int64_t last) {
  constexpr std::int64_t most_neighbours = 256;  // slots whose positions are near each other in memory
  // Slot by slot is a tenth faster up to 7 positions, tiles from 27 on: 1.2 times there, 1.7 times with 81.
  constexpr std::int64_t most_streams = 16;
  int shift = 0;
  while ((std::int64_t(1) << shift) < rows.group_size) ++shift;
  const bool is_power = (std::int64_t(1) << shift) == rows.group_size;  // always but for ELL; a division costs much
  const Tag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t group = first; group < last; ++group) {
    const std::int64_t begin = rows.group_pointers[group];
    const std::int64_t size = rows.group_pointers[group + 1] - begin;
    const std::int64_t width = is_power ? size >> shift : size / rows.group_size;
    if (HWY_UNLIKELY(rows.row_lengths == nullptr && rows.group_size > most_neighbours && width > most_streams)) {
      MultiplyWideGroup(rows, x, out, group);
      continue;
    }
    const std::int64_t slots = std::min(rows.group_size, rows.num_slots - group * rows.group_size);
    const bool is_packed = rows.column_pointers != nullptr && rows.column_pointers[group] >= 0;
    std::int64_t column_begin = begin;
    if (rows.column_pointers != nullptr) {
      const std::int64_t pointer = rows.column_pointers[group];
      column_begin = is_packed ? pointer : -1 - pointer;
    }
    for (std::int64_t lane = 0; lane < slots; lane += lanes) {
      const std::int64_t slot = group * rows.group_size + lane;
      const std::int64_t count = std::min(lanes, slots - lane);
      const V* const values = rows.values + begin + lane;
      hn::Vec<Tag<T>> sums;
      if (rows.row_lengths == nullptr) {
        sums = SumBySentinel(d, values, rows.group_size, rows.columns + column_begin + lane, width, x);
      } else {
        Index some[8] = {};
        const Index* lengths = rows.row_lengths + slot;
        if (HWY_UNLIKELY(count < lanes)) {
          for (std::int64_t i = 0; i < count; ++i) some[i] = lengths[i];
          lengths = some;
        }
        if (is_packed) {
          const PackedColumns<Tag<T>> columns{rows.column_offsets + column_begin + lane,
                                              rows.column_bases + (begin >> shift), rows.group_size};
          sums = SumByLengths(d, values, rows.group_size, columns, lengths, width, x);
        } else {
          const PlainColumns<Tag<T>> columns{rows.columns + column_begin + lane, rows.group_size};
          sums = SumByLengths(d, values, rows.group_size, columns, lengths, width, x);
        }
      }
      WriteSums(d, sums, out, slot, count);
    }
  }
}

void GroupsDouble32(const GroupedRows<double, std::int32_t>& rows, const double* x, const RowTargets<double>& out,
                    std::int64_t first, std::int64_t last) {
  MultiplyGroups(rows, x, out, first, last);
}
void GroupsDouble64(const GroupedRows<double, std::int64_t>& rows, const double* x, const RowTargets<double>& out,
                    std::int64_t first, std::int64_t last) {
  MultiplyGroups(rows, x, out, first, last);
}
void GroupsFloat32(const GroupedRows<float, std::int32_t>& rows, const float* x, const RowTargets<float>& out,
                   std::int64_t first, std::int64_t last) {
  MultiplyGroups(rows, x, out, first, last);
}
void GroupsFloat64(const GroupedRows<float, std::int64_t>& rows, const float* x, const RowTargets<float>& out,
                   std::int64_t first, std::int64_t last) {
  MultiplyGroups(rows, x, out, first, last);
}
void GroupsMixed32(const GroupedRows<float, std::int32_t>& rows, const double* x, const RowTargets<double>& out,
                   std::int64_t first, std::int64_t last) {
  MultiplyGroups(rows, x, out, first, last);
}
void GroupsMixed64(const GroupedRows<float, std::int64_t>& rows, const double* x, const RowTargets<double>& out,
                   std::int64_t first, std::int64_t last) {
  MultiplyGroups(rows, x, out, first, last);
}

}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace krylite
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace krylite {
namespace detail {

HWY_EXPORT(GroupsDouble32);
HWY_EXPORT(GroupsDouble64);
HWY_EXPORT(GroupsFloat32);
HWY_EXPORT(GroupsFloat64);
HWY_EXPORT(GroupsMixed32);
HWY_EXPORT(GroupsMixed64);

void multiply_groups(const GroupedRows<double, std::int32_t>& rows, const double* x, const RowTargets<double>& out,
                     std::int64_t first, std::int64_t last) {
  HWY_DYNAMIC_DISPATCH(GroupsDouble32)(rows, x, out, first, last);
}
void multiply_groups(const GroupedRows<double, std::int64_t>& rows, const double* x, const RowTargets<double>& out,
                     std::int64_t first, std::int64_t last) {
  HWY_DYNAMIC_DISPATCH(GroupsDouble64)(rows, x, out, first, last);
}
void multiply_groups(const GroupedRows<float, std::int32_t>& rows, const float* x, const RowTargets<float>& out,
                     std::int64_t first, std::int64_t last) {
  HWY_DYNAMIC_DISPATCH(GroupsFloat32)(rows, x, out, first, last);
}
void multiply_groups(const GroupedRows<float, std::int64_t>& rows, const float* x, const RowTargets<float>& out,
                     std::int64_t first, std::int64_t last) {
  HWY_DYNAMIC_DISPATCH(GroupsFloat64)(rows, x, out, first, last);
}
void multiply_groups(const GroupedRows<float, std::int32_t>& rows, const double* x, const RowTargets<double>& out,
                     std::int64_t first, std::int64_t last) {
  HWY_DYNAMIC_DISPATCH(GroupsMixed32)(rows, x, out, first, last);
}
void multiply_groups(const GroupedRows<float, std::int64_t>& rows, const double* x, const RowTargets<double>& out,
                     std::int64_t first, std::int64_t last) {
  HWY_DYNAMIC_DISPATCH(GroupsMixed64)(rows, x, out, first, last);
}

}  // namespace detail
}  // namespace krylite
#endif
