#ifndef KRYLITE_SRC_CUDA_SPMV_SHORT_ROWS_CUH
#define KRYLITE_SRC_CUDA_SPMV_SHORT_ROWS_CUH

#include "spmv_group_entries.cuh"

namespace krylite {
namespace cuda {

/// Where the entries of a thread's slots begin, and how many they have.
template <int Rows, class Offset>
struct ShortSlots {
  Offset begin;  ///< of their group
  int lengths[Rows];

  template <class V>
  __device__ __forceinline__ void load(const Groups<V, Offset>& a, std::int64_t slot, int group_shift) {
#pragma unroll
    for (int row = 0; row < Rows; ++row) lengths[row] = 0;
    if (slot >= a.num_slots) return;
    begin = a.group_pointers[slot >> group_shift];
    load_of_slots<Rows>(a.short_row_lengths, slot, a.num_slots, lengths);
  }
};

/// A product whose rows mostly have no more entries than a thread loads at once. While it waits for x it has already
/// asked for the entries of its next rows, and for where those begin that come after them, so that memory has work all
/// the time. \tparam IsPacked all groups are packed: then their columns begin where their values do
template <bool IsPacked, class Shape, class V, class Offset, class T>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    multiply_short_rows_kernel(const Groups<V, Offset> a, const OneVector<const T> x, const SlotTargets<T> out,
                               const int group_shift, const bool lets_next_start, const bool never) {
  constexpr int rows = Shape::rows;
  constexpr int together = Shape::positions;
  using Columns = std::conditional_t<IsPacked, PackedColumns<rows>, PlainColumns<rows>>;
  using Slots = ShortSlots<rows, Offset>;
  if (lets_next_start) let_next_start();
  wait_for_kernels_before();
  std::int64_t slot = (static_cast<std::int64_t>(blockIdx.x) * Shape::threads + threadIdx.x) * rows;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * Shape::threads * rows;
  const OneVector<T> y = {out.y.data};
  const auto columns_of = [&](const Slots& slots, std::int64_t first) -> Columns {
    const std::int64_t begin = slots.begin + (first & (a.group_size - 1));
    if constexpr (IsPacked) {
      return {a.column_offsets + begin, a.column_bases + (static_cast<std::int64_t>(slots.begin) >> group_shift),
              a.group_size};
    } else {
      return {a.columns + begin, a.group_size};
    }
  };
  const auto values_of = [&](const Slots& slots, std::int64_t first) {
    return a.values + slots.begin + (first & (a.group_size - 1));
  };
  Slots now = {}, next = {}, after = {};
  Entries<V, Columns, rows, together> entries, next_entries;
  now.load(a, slot, group_shift);
  next.load(a, slot + step, group_shift);
  entries.load(values_of(now, slot), a.group_size, columns_of(now, slot), 0, longest_of(now.lengths));
  for (; slot < a.num_slots; slot += step) {
    next_entries.load(values_of(next, slot + step), a.group_size, columns_of(next, slot + step), 0,
                      longest_of(next.lengths));
    after.load(a, slot + 2 * step, group_shift);
    T sums[rows][1] = {};
    // As in sum_rows.
    do {
      entries.template multiply<RowEnd::bytes>(now.lengths, 0, x, sums);
    } while (never);
    sum_rows<RowEnd::bytes, 1>(values_of(now, slot), a.group_size, columns_of(now, slot), now.lengths, together,
                               longest_of(now.lengths), x, never, sums);
    write_rows<false>(out, y, 0, slot, a.num_slots, now.lengths, sums);
    now = next;
    next = after;
    entries = next_entries;
  }
}

template <bool IsPacked, class Shape, class V, class Offset, class T>
void launch_short_rows(Stream stream, const Groups<V, Offset>& a, const OneVector<const T>& x,
                       const SlotTargets<T>& out) {
  const std::int64_t threads = divide_up<std::int64_t>(a.num_slots, Shape::rows);
  const std::int64_t all = divide_up<std::int64_t>(threads, Shape::threads);
  constexpr std::int64_t most = std::int64_t(tuning::multiprocessors) * Shape::blocks;
  constexpr auto kernel = multiply_short_rows_kernel<IsPacked, Shape, V, Offset, T>;
  launch_early<kernel>({stream, all < most ? all : most, Shape::threads}, a, x, out, group_shift(a),
                       threads < tuning::groups_few_threads, false);
  check_launch("spmv by groups of short rows");
}

/// \returns false where the product is not of this kind
template <class V, class Offset, class T>
bool multiply_short_rows(Stream stream, const Groups<V, Offset>& a, const OneVector<const T>& x,
                         const SlotTargets<T>& out) {
  const auto launch = [&](auto shape) {
    using Shape = decltype(shape);
    if (a.width > Shape::positions || !rows_fit<Shape::rows>(a, out.targets, out.y.data)) return false;
    if (a.column_pointers != nullptr) {
      launch_short_rows<true, Shape>(stream, a, x, out);
    } else {
      launch_short_rows<false, Shape>(stream, a, x, out);
    }
    return true;
  };
  const bool is_mixed = a.column_pointers != nullptr && a.columns != nullptr;
  if (out.targets != nullptr || a.group_pointers == nullptr || a.short_row_lengths == nullptr || is_mixed) return false;
  using Shapes = tuning::ShortRowsOf<V, T>;
  return launch(typename Shapes::Few()) || launch(typename Shapes::Many());
}

}  // namespace cuda
}  // namespace krylite

#endif
