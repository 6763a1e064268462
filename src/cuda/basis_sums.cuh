#ifndef KRYLITE_SRC_CUDA_BASIS_SUMS_CUH
#define KRYLITE_SRC_CUDA_BASIS_SUMS_CUH

#include "basis_rows.cuh"

namespace krylite {
namespace cuda {

/// Where sums go that are added later: those of number `value` from all slots (blocks, or warps) are neighbours.
struct Partials {
  double* sums;
  double* maxima;
  int slots;
  int squares;  ///< number of w^T w among the sums
  bool scales_maxima = false;  ///< whether the maxima are of |w_i| / 2^e_i, for `store`

  __device__ __forceinline__ double& at(int value, int slot) const { return sums[value * slots + slot]; }

  __device__ __forceinline__ void set_norms(int slot, double sum_of_squares, double largest) const {
    at(squares, slot) = sum_of_squares;
    maxima[slot] = largest;
  }
};

/// Adds an entry of w to the norms of a thread. \param scale 2^e of its row
template <bool IsScaled>
__device__ __forceinline__ void add_to_norms(const Partials& partials, double value, double scale, double& squares,
                                             double& largest) {
  squares += value * value;
  const double magnitude = IsScaled && partials.scales_maxima ? fabs(value) / scale : fabs(value);
  largest = magnitude > largest ? magnitude : largest;
}

/// Adds each of some values over the lanes of a warp. Halves of the warp give each other half of their values, so that
/// each goes on with the rest: 13 values take 15 exchanges and not 65. \returns the number of the value whose sum the
/// lane then has in values[0], or -1; the other values are left as they were
template <int Count, int Distance = warp_size / 2>
__device__ __forceinline__ int add_lanes(double (&values)[Count], int lane) {
  constexpr int half = (Count + 1) / 2;
  const bool is_upper = (lane & Distance) != 0;
  double kept[half];
#pragma unroll
  for (int i = 0; i < half; ++i) {
    const double own = i + half < Count && is_upper ? values[i + half] : values[i];
    const double given = i + half < Count && !is_upper ? values[i + half] : values[i];
    kept[i] = own + __shfl_xor_sync(all_lanes, given, Distance);
  }
  int position = 0;
  if constexpr (Distance > 1) {
    position = add_lanes<half, Distance / 2>(kept, lane);
  } else {
    static_assert(half == 1, "each lane has one sum at most");
  }
  values[0] = kept[0];
  if (is_upper && position >= 0) position += half;
  return position < Count ? position : -1;
}

/// Hands on the norms of the rows that the threads of a block have had, `Warps` warps at most, as those of one slot.
template <int Warps>
__device__ __forceinline__ void hand_on_norms(double squares, double largest, const Partials& partials) {
  __shared__ double squares_of[Warps];
  __shared__ double largest_of[Warps];
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const int warps = blockDim.x * blockDim.y * blockDim.z / warp_size;
  squares = warp_sum(squares);
  largest = largest_of_warp(largest);
  if (thread % warp_size == 0) {
    squares_of[thread / warp_size] = squares;
    largest_of[thread / warp_size] = largest;
  }
  __syncthreads();
  if (thread != 0) return;
  // By a constant, so that the loads do not wait for each other.
#pragma unroll
  for (int warp = 1; warp < Warps; ++warp) {
    if (warp >= warps) break;
    squares += squares_of[warp];
    largest = largest_of[warp] > largest ? largest_of[warp] : largest;
  }
  partials.set_norms(blockIdx.x, squares, largest);
}

}  // namespace cuda
}  // namespace krylite

#endif
