#ifndef KRYLITE_SRC_CUDA_SEGMENTS_CUH
#define KRYLITE_SRC_CUDA_SEGMENTS_CUH

/// \file
/// Sums of segments (rows) of consecutive products. A thread walks its products in order and closes the
/// segments that lie within them; what is open at its ends is joined across lanes and warps by a segmented
/// scan. Sums are only ever added, never taken as differences of a prefix sum, so that a segment's error does
/// not depend on its neighbours, and their order is fixed.

#include "launch.cuh"

namespace krylite {
namespace cuda {

/// The lanes before `lane`, and those with itself.
__device__ __forceinline__ unsigned lanes_before(int lane) { return (1u << lane) - 1; }
__device__ __forceinline__ unsigned lanes_up_to(int lane) { return lanes_before(lane) | (1u << lane); }

/// Highest lane of a set; -1 of none.
__device__ __forceinline__ int last_lane(unsigned lanes) { return 31 - __clz(static_cast<int>(lanes)); }

/// Sum of `value` over the lanes from the last of `flagged` (or lane 0, if there is none) to this one.
template <class T>
__device__ __forceinline__ T segmented_scan(T value, unsigned flagged, int lane) {
  const int first = last_lane(flagged & lanes_up_to(lane));
  const int distance = first >= 0 ? lane - first : lane;
#pragma unroll
  for (int step = 1; step < warp_size; step *= 2) {
    const T before = __shfl_up_sync(all_lanes, value, step);
    if (step <= distance) value += before;
  }
  return value;
}

/// Shared memory of a block that sums segments of `Threads * Items` products.
template <class T, int Threads, int Items>
struct BlockSegments {
  static constexpr int capacity = Threads * Items;
  static constexpr int num_words = capacity / 32 + 1;  // one more, since threads read two neighbours
  static constexpr int num_warps = Threads / warp_size;
  static_assert(Threads % warp_size == 0 && Items < 32, "a thread's flags must fit a word");

  T sums[capacity];           ///< products; then at the first place of a segment its sum
  unsigned flags[num_words];  ///< bit k % 32 of word k / 32: product k is the first of its segment
  T carry;                    ///< sum of the products before the first segment
  T warp_sums[num_warps];     ///< of the segment that is open at the end of each warp, the warp's part
  int warp_places[num_warps];

  __device__ void clear_flags() {
    for (int word = threadIdx.x; word < num_words; word += Threads) flags[word] = 0;
  }

  /// The segment that begins at `place` (-1: before the first product) has this sum.
  __device__ void close(int place, T sum) {
    if (place >= 0) {
      sums[place] = sum;
    } else {
      carry = sum;
    }
  }

  /// Replaces the first of each segment's products by their sum; all `capacity` products are set. All threads
  /// call it, behind a barrier, and another stands at its end.
  __device__ void sum_segments();
};

template <class T, int Threads, int Items>
__device__ __forceinline__ void BlockSegments<T, Threads, Items>::sum_segments() {
  const int thread = threadIdx.x;
  const int lane = thread % warp_size;
  const int warp = thread / warp_size;
  const int first = thread * Items;
  const unsigned bits = __funnelshift_r(flags[first / 32], flags[first / 32 + 1], first % 32);

  T products[Items];  // all loaded before the first store, which might be to the same place for all the
                      // compiler knows
#pragma unroll
  for (int i = 0; i < Items; ++i) products[i] = sums[first + i];

  T head = 0;  // of what precedes the thread's first segment
  T sum = 0;
  int place = -1;
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    if ((bits >> i) & 1) {
      if (place < 0) {
        head = sum;
      } else {
        sums[place] = sum;
      }
      place = first + i;
      sum = 0;
    }
    sum += products[i];
  }

  const unsigned flagged = __ballot_sync(all_lanes, place >= 0);
  const unsigned earlier = flagged & lanes_before(lane);
  const T open = segmented_scan(sum, flagged, lane);
  T before = __shfl_up_sync(all_lanes, open, 1);
  if (lane == 0) before = 0;
  int place_before = __shfl_sync(all_lanes, place, last_lane(earlier) & 31);
  const int last_place = __shfl_sync(all_lanes, place, last_lane(flagged) & 31);
  if (lane == warp_size - 1) {
    warp_sums[warp] = open;
    warp_places[warp] = last_place;
  }
  __syncthreads();

  T sum_carried = 0;
  int place_carried = -1;
  for (int w = 0; w < warp; ++w) {
    const bool is_new = warp_places[w] >= 0;
    sum_carried = (is_new ? T(0) : sum_carried) + warp_sums[w];
    if (is_new) place_carried = warp_places[w];
  }
  if (earlier == 0) {
    before += sum_carried;
    place_before = place_carried;
  }
  if (place >= 0) close(place_before, before + head);
  if (thread == Threads - 1) {
    close(flagged != 0 ? last_place : place_carried, flagged != 0 ? open : sum_carried + open);
  }
  __syncthreads();
}

}  // namespace cuda
}  // namespace krylite

#endif
