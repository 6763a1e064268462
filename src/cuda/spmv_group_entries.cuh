#ifndef KRYLITE_SRC_CUDA_SPMV_GROUP_ENTRIES_CUH
#define KRYLITE_SRC_CUDA_SPMV_GROUP_ENTRIES_CUH

/// \file
/// What the kernels of grouped rows share: how a thread loads its entries, multiplies them and writes its sums.

#include "early_start.cuh"
#include "launch.cuh"
#include "vector_loads.cuh"

#include <krylite/spmv/cuda/groups_kernels.hpp>
#include <krylite/spmv/cuda/tuning.hpp>

#include <type_traits>

namespace krylite {
namespace cuda {

/// How a kernel knows where a row ends.
enum class RowEnd { bytes, words, sentinel };

/// The columns of a thread's rows at each position: as they are, or as offsets from the base of the position.
template <int Rows>
struct PlainColumns {
  const std::int32_t* columns;
  std::int64_t group_size;

  using Loaded = Raw<4 * Rows>;
  __device__ __forceinline__ Loaded load(bool condition, int k) const {
    return load_once_if<4 * Rows>(condition, columns + k * group_size);
  }
  __device__ __forceinline__ static int column(const Loaded& loaded, int row) { return entry<int>(loaded, row); }
};
template <int Rows>
struct PackedColumns {
  const std::uint16_t* offsets;
  const std::int32_t* bases;
  std::int64_t group_size;

  struct Loaded {
    Raw<2 * Rows> offsets;
    Raw<4> base;
  };
  __device__ __forceinline__ Loaded load(bool condition, int k) const {
    return {load_once_if<2 * Rows>(condition, offsets + k * group_size), load_once_if<4>(condition, bases + k)};
  }
  __device__ __forceinline__ static int column(const Loaded& loaded, int row) {
    return entry<int>(loaded.base, 0) + entry<std::uint16_t>(loaded.offsets, row);
  }
};

/// The vectors that a thread multiplies at a time: one whose entries are neighbours, or some of any strides.
template <class T>
struct OneVector {
  static constexpr int count = 1;
  T* data;
  __device__ __forceinline__ T* at(std::int64_t i, int) const { return data + i; }
};
template <class T, int Count>
struct StridedVectors {
  static constexpr int count = Count;
  T* data;
  std::int64_t row_stride;
  std::int64_t vector_stride;
  __device__ __forceinline__ T* at(std::int64_t i, int v) const { return data + i * row_stride + v * vector_stride; }
};

/// What a thread has loaded of its rows at `Together` neighbouring positions.
template <class V, class Columns, int Rows, int Together>
struct Entries {
  typename Columns::Loaded columns[Together];
  Raw<sizeof(V) * Rows> values[Together];

  /// Loads the positions from k on that lie before `longest`.
  __device__ __forceinline__ void load(const V* from, std::int64_t group_size, const Columns& source, int k,
                                       int longest) {
#pragma unroll
    for (int u = 0; u < Together; ++u) columns[u] = source.load(k + u < longest, k + u);
#pragma unroll
    for (int u = 0; u < Together; ++u) {
      values[u] = load_once_if<sizeof(V) * Rows>(k + u < longest, from + (k + u) * group_size);
    }
  }

  /// sums[row][v] += these entries times x, where position k is the first. What is not an entry is 0 times 0: fill has
  /// the value 0.
  template <RowEnd End, class X, class T>
  __device__ __forceinline__ void multiply(const int (&lengths)[Rows], int k, const X& x,
                                           T (&sums)[Rows][X::count]) const {
#pragma unroll
    for (int v = 0; v < X::count; ++v) {
      T factors[Together][Rows];
#pragma unroll
      for (int u = 0; u < Together; ++u) {
#pragma unroll
        for (int row = 0; row < Rows; ++row) {
          const int j = Columns::column(columns[u], row);
          const bool is_entry = k + u < lengths[row] && (End != RowEnd::sentinel || j >= 0);
          factors[u][row] = load_again_if(is_entry, x.at(j, v));
        }
      }
#pragma unroll
      for (int u = 0; u < Together; ++u) {
#pragma unroll
        for (int row = 0; row < Rows; ++row) sums[row][v] += widen<T>(entry<V>(values[u], row)) * factors[u][row];
      }
    }
  }
};

/// sums[row][v] += the row's entries from position `first` on times x, for rows whose lengths are `lengths` (at most
/// `longest`; where a sentinel ends them, all are `longest`). \param never false
template <RowEnd End, int Together, int Rows, class Columns, class V, class X, class T>
__device__ __forceinline__ void sum_rows(const V* values, std::int64_t group_size, const Columns& columns,
                                         const int (&lengths)[Rows], int first, int longest, const X& x, bool never,
                                         T (&sums)[Rows][X::count]) {
  for (int k = first; k < longest; k += Together) {
    Entries<V, Columns, Rows, Together> entries;
    entries.load(values, group_size, columns, k, longest);
    // This loop runs once, but the assembler does not know: else it would load the values behind x, and wait twice.
    do {
      entries.template multiply<End>(lengths, k, x, sums);
    } while (never);
  }
}

/// The lengths or targets of a thread's slots, 0 behind the last one.
template <int Rows, class Length>
__device__ __forceinline__ void load_of_slots(const Length* stored, std::int64_t slot, std::int64_t num_slots,
                                              int (&loaded)[Rows]) {
  if (slot + Rows <= num_slots) {
    const auto raw = load_once_if<sizeof(Length) * Rows>(true, stored + slot);
#pragma unroll
    for (int row = 0; row < Rows; ++row) loaded[row] = entry<Length>(raw, row);
  } else {
#pragma unroll
    for (int row = 0; row < Rows; ++row) loaded[row] = slot + row < num_slots ? stored[slot + row] : 0;
  }
}

/// The largest length of a thread's slots.
template <int Rows>
__device__ __forceinline__ int longest_of(const int (&lengths)[Rows]) {
  int longest = lengths[0];
#pragma unroll
  for (int row = 1; row < Rows; ++row) longest = max(longest, lengths[row]);
  return longest;
}

/// Sends the sums of a thread's rows to where they belong.
template <bool HasTargets, int Rows, class T, class Y>
__device__ __forceinline__ void write_rows(const SlotTargets<T>& out, const Y& y, int first_vector, std::int64_t slot,
                                           std::int64_t num_slots, const int (&targets)[Rows],
                                           const T (&sums)[Rows][Y::count]) {
  constexpr bool is_contiguous = std::is_same<Y, OneVector<T>>::value;
  if (is_contiguous && Rows > 1 && !HasTargets && slot + Rows <= num_slots) {
    Pack<T, Rows> pack;
    if (out.beta != T(0)) pack = *reinterpret_cast<const Pack<T, Rows>*>(y.at(slot, 0));
#pragma unroll
    for (int row = 0; row < Rows; ++row) update(&pack[row], out.alpha, sums[row][0], out.beta);
    *reinterpret_cast<Pack<T, Rows>*>(y.at(slot, 0)) = pack;
    return;
  }
#pragma unroll
  for (int row = 0; row < Rows; ++row) {
    if (slot + row >= num_slots) return;
    const std::int64_t target = HasTargets ? targets[row] : slot + row;
#pragma unroll
    for (int v = 0; v < Y::count; ++v) {
      if (target >= 0) {
        update(y.at(target, v), out.alpha, sums[row][v], out.beta);
      } else {
        out.partials[(-1 - target) * out.y.count + first_vector + v] = sums[row][v];
      }
    }
  }
}

/// log2 of the group size; 0 where there is one group.
template <class V, class Offset>
int group_shift(const Groups<V, Offset>& a) {
  int shift = 0;
  while (a.group_pointers != nullptr && (std::int64_t(1) << shift) < a.group_size) ++shift;
  return shift;
}

/// Whether threads can take so many rows: groups hold multiples of them, and arrays begin where packs do.
template <int Rows, class V, class Offset, class T>
bool rows_fit(const Groups<V, Offset>& a, const std::int32_t* targets, const T* y) {
  return a.group_size % Rows == 0 && is_aligned<Rows>(a.values) && is_aligned<Rows>(a.columns) &&
         is_aligned<Rows>(a.column_offsets) && is_aligned<Rows>(a.row_lengths) &&
         is_aligned<Rows>(a.short_row_lengths) &&
         (targets != nullptr ? is_aligned<Rows>(targets) : is_aligned<Rows>(y));
}

}  // namespace cuda
}  // namespace krylite

#endif
