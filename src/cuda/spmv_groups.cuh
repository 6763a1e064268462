#ifndef KRYLITE_SRC_CUDA_SPMV_GROUPS_CUH
#define KRYLITE_SRC_CUDA_SPMV_GROUPS_CUH

#include "spmv_short_rows.cuh"

namespace krylite {
namespace cuda {

/// Where the entries of a thread's slots begin, and how many they have.
template <RowEnd End, bool IsPacked, int Rows>
struct Slots {
  std::int64_t begin;           ///< of their group
  std::int64_t lane;            ///< of the first slot in it
  std::int64_t column_pointer;  ///< as in RgCsrMatrix
  int lengths[Rows];

  template <class V, class Offset>
  __device__ __forceinline__ void load(const Groups<V, Offset>& a, std::int64_t slot, int group_shift) {
    const bool is_one_group = a.group_pointers == nullptr;
    const std::int64_t group = is_one_group ? 0 : slot >> group_shift;
    begin = is_one_group ? 0 : static_cast<std::int64_t>(a.group_pointers[group]);
    lane = is_one_group ? slot : slot & (a.group_size - 1);
    column_pointer = IsPacked ? static_cast<std::int64_t>(a.column_pointers[group]) : -1;
    if (End == RowEnd::bytes) {
      load_of_slots<Rows>(a.short_row_lengths, slot, a.num_slots, lengths);
    } else if (End == RowEnd::words) {
      load_of_slots<Rows>(a.row_lengths, slot, a.num_slots, lengths);
    } else {
      const std::int64_t end = is_one_group ? 0 : static_cast<std::int64_t>(a.group_pointers[group + 1]);
      const auto width = static_cast<int>(is_one_group ? a.width : (end - begin) >> group_shift);
#pragma unroll
      for (int row = 0; row < Rows; ++row) lengths[row] = slot + row < a.num_slots ? width : 0;
    }
  }
};

/// A thread multiplies `Rows` neighbouring slots, which lie in one group, and then others. Where those begin it asks
/// before it needs it.
template <RowEnd End, bool IsPacked, bool HasTargets, int Rows, int Together, class V, class Offset, class T, class X,
          class Y>
__global__ void __launch_bounds__(tuning::groups_threads, tuning::groups_blocks<V, X::count, Together>)
    multiply_groups_kernel(const Groups<V, Offset> a, const X x, const SlotTargets<T> out, const Y y,
                           const int first_vector, const int group_shift, const bool lets_next_start,
                           const bool never) {
  if (lets_next_start) let_next_start();
  wait_for_kernels_before();
  std::int64_t slot = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) * Rows;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x * Rows;
  Slots<End, IsPacked, Rows> next;
  if (slot < a.num_slots) next.load(a, slot, group_shift);
  for (; slot < a.num_slots; slot += step) {
    const Slots<End, IsPacked, Rows> now = next;
    if (slot + step < a.num_slots) next.load(a, slot + step, group_shift);
    int targets[Rows];
    // Asked for with the entries, not waited for behind them.
    if constexpr (HasTargets) load_of_slots<Rows>(out.targets, slot, a.num_slots, targets);
    const int longest = longest_of(now.lengths);
    T sums[Rows][X::count] = {};
    const V* const values = a.values + now.begin + now.lane;
    const std::int64_t pointer = IsPacked ? now.column_pointer : -1 - now.begin;
    if (!IsPacked || pointer < 0) {
      const PlainColumns<Rows> columns = {a.columns + (-1 - pointer) + now.lane, a.group_size};
      sum_rows<End, Together>(values, a.group_size, columns, now.lengths, 0, longest, x, never, sums);
    } else {
      const PackedColumns<Rows> columns = {a.column_offsets + pointer + now.lane,
                                           a.column_bases + (now.begin >> group_shift), a.group_size};
      sum_rows<End, Together>(values, a.group_size, columns, now.lengths, 0, longest, x, never, sums);
    }
    write_rows<HasTargets>(out, y, first_vector, slot, a.num_slots, targets, sums);
  }
}

/// Where sums of pieces come next, or the product is too short for a launch, the next kernel starts early. Elsewhere
/// its blocks would take the places of this kernel's as these end, in an order that spreads them unevenly. Products of
/// pieces themselves are launched as always: none was faster for an early start.
template <RowEnd End, bool IsPacked, bool HasTargets, int Rows, int Together, class V, class Offset, class T, class X,
          class Y>
void launch_groups(Stream stream, const Groups<V, Offset>& a, const X& x, const SlotTargets<T>& out, const Y& y,
                   int first_vector) {
  const std::int64_t threads = divide_up<std::int64_t>(a.num_slots, Rows);
  const int block = threads < tuning::groups_few_threads ? tuning::groups_threads / 2 : tuning::groups_threads;
  const std::int64_t all = divide_up<std::int64_t>(threads, block);
  constexpr std::int64_t most = IsPacked ? tuning::groups_grid_of_packed : tuning::groups_grid;
  const auto blocks = static_cast<unsigned>(HasTargets || all < most ? all : most);
  constexpr auto kernel = multiply_groups_kernel<End, IsPacked, HasTargets, Rows, Together, V, Offset, T, X, Y>;
  if constexpr (HasTargets) {
    kernel<<<blocks, block, 0, stream>>>(a, x, out, y, first_vector, group_shift(a), true, false);
  } else {
    launch_early<kernel>({stream, blocks, block}, a, x, out, y, first_vector, group_shift(a),
                         threads < tuning::groups_few_threads, false);
  }
  check_launch("spmv by groups");
}

template <bool HasTargets, int Rows, int Together, class V, class Offset, class T, class X, class Y>
void choose_row_end(Stream stream, const Groups<V, Offset>& a, const X& x, const SlotTargets<T>& out, const Y& y,
                    int first_vector) {
  const bool is_packed = a.column_pointers != nullptr;
  if (!HasTargets && a.row_lengths == nullptr) {
    launch_groups<RowEnd::sentinel, false, false, Rows, Together>(stream, a, x, out, y, first_vector);
  } else if (a.short_row_lengths != nullptr) {
    if (is_packed) {
      launch_groups<RowEnd::bytes, true, HasTargets, Rows, Together>(stream, a, x, out, y, first_vector);
    } else {
      launch_groups<RowEnd::bytes, false, HasTargets, Rows, Together>(stream, a, x, out, y, first_vector);
    }
  } else if (is_packed) {
    launch_groups<RowEnd::words, true, HasTargets, Rows, Together>(stream, a, x, out, y, first_vector);
  } else {
    launch_groups<RowEnd::words, false, HasTargets, Rows, Together>(stream, a, x, out, y, first_vector);
  }
}

/// Rows of a thread: what 16 bytes hold of the values.
template <class V>
inline constexpr int rows_of_thread = sizeof(V) == 8 ? 2 : 4;

template <int Rows, class V, class Offset, class T, class X, class Y>
void choose_targets(Stream stream, const Groups<V, Offset>& a, const X& x, const SlotTargets<T>& out, const Y& y,
                    int first_vector) {
  if (out.targets != nullptr) {
    choose_row_end<true, Rows, tuning::groups_positions>(stream, a, x, out, y, first_vector);
  } else {
    choose_row_end<false, Rows, tuning::groups_positions>(stream, a, x, out, y, first_vector);
  }
}

/// Positions that are loaded together: long rows wait for memory less often with many, short rows have more threads at
/// work with few.
template <int Rows, class V, class Offset, class T, class X, class Y>
void choose_together(Stream stream, const Groups<V, Offset>& a, const X& x, const SlotTargets<T>& out, const Y& y) {
  const bool is_long = a.width >= tuning::groups_long_rows && out.targets == nullptr;
  const bool has_many = is_long && (sizeof(V) < 8 || a.column_pointers != nullptr);
  if (has_many) {
    choose_row_end<false, Rows, tuning::groups_many_positions>(stream, a, x, out, y, 0);
  } else {
    choose_targets<Rows>(stream, a, x, out, y, 0);
  }
}

/// One contiguous vector at once; several, or strided ones, four at a time.
template <class V, class Offset, class T>
void multiply_groups(Stream stream, const Groups<V, Offset>& a, const Vectors<const T>& x, const SlotTargets<T>& out) {
  if (a.num_slots == 0) return;
  if (x.count == 1 && x.row_stride == 1 && out.y.row_stride == 1) {
    constexpr int rows = rows_of_thread<V>;
    const OneVector<const T> one_x = {x.data};
    const OneVector<T> one_y = {out.y.data};
    if (multiply_short_rows(stream, a, one_x, out)) return;
    if (rows_fit<rows>(a, out.targets, out.y.data)) return choose_together<rows>(stream, a, one_x, out, one_y);
    return choose_targets<1>(stream, a, one_x, out, one_y, 0);
  }
  constexpr int together = 4;
  const auto multiply = [&](std::int64_t first, auto count) {
    constexpr int vectors = decltype(count)::value;
    const StridedVectors<const T, vectors> some_x = {x.data + first * x.vector_stride, x.row_stride, x.vector_stride};
    const StridedVectors<T, vectors> some_y = {out.y.data + first * out.y.vector_stride, out.y.row_stride,
                                               out.y.vector_stride};
    choose_targets<1>(stream, a, some_x, out, some_y, static_cast<int>(first));
  };
  std::int64_t v = 0;
  for (; v + together <= x.count; v += together) multiply(v, std::integral_constant<int, together>());
  for (; v < x.count; ++v) multiply(v, std::integral_constant<int, 1>());
}

}  // namespace cuda
}  // namespace krylite

#endif
