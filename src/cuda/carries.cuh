#ifndef KRYLITE_SRC_CUDA_CARRIES_CUH
#define KRYLITE_SRC_CUDA_CARRIES_CUH

/// \file
/// Second pass over carries (spmv/carries.hpp): y(row) += alpha (sum of the carries of the row). Chunks that
/// carry for the same row are neighbours, a run. A lane takes a carry, and a warp sums its runs by a
/// segmented scan; the warp in which a run begins also adds those that lie behind its 32. No order depends on
/// the device's schedule.

#include <krylite/spmv/cuda/arrays.hpp>

#include "early_start.cuh"
#include "launch.cuh"
#include "segments.cuh"
#include "vectors.cuh"

namespace krylite {
namespace cuda {

/// Sum of the carries for `row` from `first` on, for vector `v`. The whole warp calls it.
template <int NV, class T>
__device__ T sum_run(const CarryArrays<T>& carries, std::int64_t first, std::int32_t row, int v, int lane) {
  constexpr int unroll = 8;  // loads at once: a dense row has thousands of carries
  T sum = 0;
  for (bool goes_on = true; goes_on; first += unroll * warp_size) {
    std::int32_t rows[unroll];
    T values[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const std::int64_t chunk = first + u * warp_size + lane;
      rows[u] = chunk < carries.count ? carries.rows[chunk] : -1;
      values[u] = chunk < carries.count ? carries.values[chunk * NV + v] : T(0);
    }
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      if (rows[u] == row) sum += values[u];
    }
    goes_on = __shfl_sync(all_lanes, rows[unroll - 1], warp_size - 1) == row;
  }
  return warp_sum(sum);
}

template <int NV, bool Contiguous, class T>
__global__ void add_carries_kernel(CarryArrays<T> carries, T alpha, Vectors<T> y) {
  wait_for_kernels_before();
  const int lane = threadIdx.x % warp_size;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x - lane;
  if (first >= carries.count) return;
  const std::int64_t chunk = first + lane;
  const std::int64_t next = first + warp_size;
  const std::int32_t row = chunk < carries.count ? carries.rows[chunk] : -1;
  const std::int32_t row_before = chunk > 0 && chunk <= carries.count ? carries.rows[chunk - 1] : -1;
  const std::int32_t next_row = next < carries.count ? carries.rows[next] : -1;

  const unsigned flagged = __ballot_sync(all_lanes, row != row_before);
  const bool begins_here = (flagged & lanes_up_to(lane)) != 0;
  const bool is_last = lane == warp_size - 1 || ((flagged >> (lane + 1)) & 1) != 0;
  const std::int32_t open_row = __shfl_sync(all_lanes, row, warp_size - 1);
  const bool goes_on = flagged != 0 && open_row >= 0 && open_row == next_row;
  for (int v = 0; v < NV; ++v) {
    T sum = segmented_scan(row >= 0 ? carries.values[chunk * NV + v] : T(0), flagged, lane);
    const T behind = goes_on ? sum_run<NV>(carries, next, open_row, v, lane) : T(0);
    if (lane == warp_size - 1) sum += behind;
    if (begins_here && is_last && row >= 0) update(entry<Contiguous>(y, row, v), alpha, sum, T(1));
  }
}

/// Adds the carries of `NV` vectors to y.
template <int NV, bool Contiguous, class T>
void add_carries(Stream stream, const CarryArrays<T>& carries, T alpha, const Vectors<T>& y) {
  constexpr int threads = 128;
  if (carries.count < 2) return;  // the first chunk has none
  constexpr auto kernel = add_carries_kernel<NV, Contiguous, T>;
  launch_early<kernel>({stream, divide_up<std::int64_t>(carries.count, threads), threads}, carries, alpha, y);
  check_launch("krylite::spmv::add_carries");
}

}  // namespace cuda
}  // namespace krylite

#endif
