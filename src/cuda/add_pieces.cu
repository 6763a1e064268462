#include "early_start.cuh"

#include <krylite/spmv/cuda/groups_kernels.hpp>
#include <krylite/spmv/cuda/tuning.hpp>

#include <algorithm>

namespace krylite {
namespace cuda {
namespace {

/// The warps of a block add the pieces of a row each, but those of a row with more than `many` all together.
constexpr int threads = tuning::pieces_threads;
constexpr int rows_of_block = threads / warp_size;
constexpr int many = tuning::pieces_of_block;

/// Sum of every `step`-th partial from `p` on, `Together` loads at a time.
template <int Together, class T>
__device__ __forceinline__ T sum_every(const T* partials, std::int64_t p, std::int64_t end, int step,
                                       std::int64_t stride) {
  T sum = 0;
  for (; p < end; p += Together * step) {
    T values[Together] = {};
#pragma unroll
    for (int u = 0; u < Together; ++u) {
      if (p + u * step < end) values[u] = partials[(p + u * step) * stride];
    }
#pragma unroll
    for (int u = 0; u < Together; ++u) sum += values[u];
  }
  return sum;
}

/// Sums of `rows_here` rows of each block for one vector.
template <class T>
__global__ void __launch_bounds__(threads, 2)
    add_pieces_kernel(const std::int32_t* rows, const std::int32_t* pointers, std::int64_t count, int rows_here,
                      const SlotTargets<T> out) {
  wait_for_kernels_before();
  const std::int64_t first = blockIdx.x / out.y.count * rows_here;
  const std::int64_t last = min(first + rows_here, count);
  const int warp = threadIdx.x / warp_size;
  const int lane = threadIdx.x % warp_size;
  const std::int64_t v = blockIdx.x % out.y.count;
  const auto write = [&](std::int64_t i, T sum) {
    update(out.y.data + rows[i] * out.y.row_stride + v * out.y.vector_stride, out.alpha, sum, out.beta);
  };
  bool has_many = false;
  if (first + warp < last) {
    const std::int64_t begin = pointers[first + warp];
    const std::int64_t end = pointers[first + warp + 1];
    has_many = end - begin > many;
    if (!has_many) {
      const T sum = warp_sum(sum_every<1>(out.partials + v, begin + lane, end, warp_size, out.y.count));
      if (lane == 0) write(first + warp, sum);
    }
  }
  if (__syncthreads_or(has_many) == 0) return;
  __shared__ T of_warps[rows_of_block];
  for (std::int64_t i = first; i < last; ++i) {
    const std::int64_t begin = pointers[i];
    const std::int64_t end = pointers[i + 1];
    if (end - begin <= many) continue;
    const T part = warp_sum(sum_every<4>(out.partials + v, begin + threadIdx.x, end, threads, out.y.count));
    if (lane == 0) of_warps[warp] = part;
    __syncthreads();
    if (warp == 0) {
      const T sum = warp_sum(lane < rows_of_block ? of_warps[lane] : T(0));
      if (lane == 0) write(i, sum);
    }
    __syncthreads();
  }
}

}  // namespace

template <class T>
void add_pieces(Stream stream, const std::int32_t* rows, const std::int32_t* pointers, std::int64_t count,
                const SlotTargets<T>& out) {
  if (count == 0 || out.y.count == 0) return;
  // Few rows may have many pieces: a block for each.
  constexpr std::int64_t few = 4 * 132;
  const std::int64_t rows_here = std::min<std::int64_t>(rows_of_block, divide_up(count, few));
  const std::int64_t blocks = divide_up(count, rows_here) * out.y.count;
  constexpr auto kernel = add_pieces_kernel<T>;
  launch_early<kernel>({stream, blocks, threads}, rows, pointers, count, static_cast<int>(rows_here), out);
  check_launch("add_pieces");
}

template void add_pieces(Stream, const std::int32_t*, const std::int32_t*, std::int64_t, const SlotTargets<double>&);
template void add_pieces(Stream, const std::int32_t*, const std::int32_t*, std::int64_t, const SlotTargets<float>&);

}  // namespace cuda
}  // namespace krylite
