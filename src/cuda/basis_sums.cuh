#ifndef KRYLITE_SRC_CUDA_BASIS_SUMS_CUH
#define KRYLITE_SRC_CUDA_BASIS_SUMS_CUH

#include "basis_rows.cuh"

namespace krylite {
namespace cuda {

/// Where the sums of the blocks go: those of number `value` from all blocks are neighbours.
struct Partials {
  double* sums;
  double* maxima;
  int blocks;
  int squares;  ///< number of w^T w among the sums

  __device__ __forceinline__ double& at(int value) const { return sums[value * blocks + blockIdx.x]; }
};

/// Hands on the norms of the rows that the threads of a block have had, `Warps` warps at most.
template <int Warps>
__device__ __forceinline__ void hand_on_norms(double squares, double largest, const Partials& partials) {
  __shared__ double squares_of[Warps];
  __shared__ double largest_of[Warps];
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const int warps = blockDim.x * blockDim.y * blockDim.z / warp_size;
  squares = sum_of_warp(squares);
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
  partials.at(partials.squares) = squares;
  partials.maxima[blockIdx.x] = largest;
}

/// What the last block of a sweep adds up and sends to the host, where its sums are wanted.
struct Finish {
  const double* errors = nullptr;   ///< of the vector that was stored last
  const double* factors = nullptr;  ///< of the projected columns
  double* host_sums = nullptr;
  unsigned* host_ticket = nullptr;
  unsigned* tickets = nullptr;
  double unit = 1;
  int columns = 0;
  int gram_columns = 0;
  int num_errors = 0;
  unsigned sweep = 0;
  bool is_wanted = false;
};

/// add(...) over `count` numbers that other blocks wrote, by a warp; the same bits each time.
template <class Add>
__device__ __forceinline__ double joined(const double* values, int count, const Add& add) {
  constexpr int side_by_side = 4;
  double parts[side_by_side] = {};
  for (int i = threadIdx.x; i < count; i += side_by_side * warp_size) {
#pragma unroll
    for (int k = 0; k < side_by_side; ++k) {
      if (i + k * warp_size < count) parts[k] = add(parts[k], __ldcg(values + i + k * warp_size));
    }
  }
  double part = add(add(parts[0], parts[1]), add(parts[2], parts[3]));
#pragma unroll
  for (int step = warp_size / 2; step > 0; step /= 2) part = add(part, __shfl_xor_sync(all_lanes, part, step));
  return part;
}

/// At the end of a sweep's kernel: the block that comes last adds the sums of all blocks in their order, and tells the
/// host. A kernel of its own for that would cost as much as a sweep over few rows. Blocks are (32, warps, z).
__device__ __forceinline__ void finish_sweep(const Partials& partials, const Finish& finish) {
  if (!finish.is_wanted) return;
  __shared__ bool is_last;
  const int warp = threadIdx.z * blockDim.y + threadIdx.y;
  const int warps = blockDim.y * blockDim.z;
  __threadfence();
  __syncthreads();
  if (warp == 0 && threadIdx.x == 0) {
    is_last = atomicAdd(finish.tickets, 1u) == gridDim.x * gridDim.y - 1;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  const auto sum = [](double a, double b) { return a + b; };
  const auto larger = [](double a, double b) { return b > a ? b : a; };
  const int squares = finish.columns + finish.gram_columns;
  for (int value = warp; value < squares + 3; value += warps) {
    double result = 0;
    if (value <= squares) {
      result = joined(partials.sums + static_cast<std::int64_t>(value) * partials.blocks, partials.blocks, sum);
    } else if (value == squares + 1) {
      result = joined(finish.errors, finish.num_errors, sum);
    } else {
      result = joined(partials.maxima, partials.blocks, larger);
    }
    if (value < squares) {
      result *= finish.factors[value < finish.columns ? value : value - finish.columns] * finish.unit;
      if (value >= finish.columns) result *= finish.factors[finish.columns - 1] * finish.unit;
    }
    if (threadIdx.x == 0) finish.host_sums[value] = result;
  }
  __threadfence_system();
  __syncthreads();
  if (warp != 0 || threadIdx.x != 0) return;
  *finish.tickets = 0;
  *static_cast<volatile unsigned*>(finish.host_ticket) = finish.sweep;
}

}  // namespace cuda
}  // namespace krylite

#endif
