#include "launch.cuh"

#include <krylite/spmv/cuda/groups_kernels.hpp>

namespace krylite {
namespace cuda {
namespace {

/// A warp sums the pieces of a row for one vector: each lane every 32nd of them, then the lanes in a tree.
template <class T>
__global__ void add_pieces_kernel(const std::int32_t* rows, const std::int32_t* pointers, std::int64_t count,
                                  const SlotTargets<T> out) {
  const std::int64_t warp = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / warp_size;
  const int lane = threadIdx.x % warp_size;
  const std::int64_t i = warp / out.y.count;
  const std::int64_t v = warp % out.y.count;
  if (i >= count) return;
  T sum = 0;
  for (std::int64_t p = pointers[i] + lane; p < pointers[i + 1]; p += warp_size) {
    sum += out.partials[p * out.y.count + v];
  }
  for (int step = warp_size / 2; step > 0; step /= 2) sum += __shfl_down_sync(all_lanes, sum, step);
  if (lane == 0) {
    update(out.y.data + rows[i] * out.y.row_stride + v * out.y.vector_stride, out.alpha, sum, out.beta);
  }
}

}  // namespace

template <class T>
void add_pieces(Stream stream, const std::int32_t* rows, const std::int32_t* pointers, std::int64_t count,
                const SlotTargets<T>& out) {
  if (count == 0 || out.y.count == 0) return;
  constexpr int threads = 128;
  const std::int64_t blocks = divide_up<std::int64_t>(count * out.y.count * warp_size, threads);
  add_pieces_kernel<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(rows, pointers, count, out);
  check_launch("add_pieces");
}

template void add_pieces(Stream, const std::int32_t*, const std::int32_t*, std::int64_t, const SlotTargets<double>&);
template void add_pieces(Stream, const std::int32_t*, const std::int32_t*, std::int64_t, const SlotTargets<float>&);

}  // namespace cuda
}  // namespace krylite
