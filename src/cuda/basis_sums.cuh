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
  for (int warp = 1; warp < warps; ++warp) {
    squares += squares_of[warp];
    largest = largest_of[warp] > largest ? largest_of[warp] : largest;
  }
  partials.set_norms(blockIdx.x, squares, largest);
}

}  // namespace cuda
}  // namespace krylite

#endif
