#include <krylite/spmv/cuda/coo_kernels.hpp>

#include "carries.cuh"
#include "launch.cuh"
#include "loads.cuh"
#include "segments.cuh"
#include "stage_products.cuh"
#include "vectors.cuh"

namespace krylite {
namespace cuda {
namespace {

template <class T>
__global__ void scale_rows_kernel(std::int32_t num_rows, T beta, Vectors<T> y) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= num_rows) return;
  for (int v = 0; v < y.count; ++v) update(entry<false>(y, row, v), T(0), T(0), beta);
}

template <bool Contiguous, class V, class T>
__global__ void __launch_bounds__(tuning::balanced_threads, tuning::coo_blocks_per_sm)
    coo_kernel(Product<CooArrays<V>, T> product, CarryArrays<T> carries) {
  let_next_start();
  constexpr int threads = tuning::balanced_threads;
  constexpr int items = tuning::balanced_items;
  __shared__ BalancedSegments<T> segments;
  const CooArrays<V>& matrix = product.matrix;
  const int thread = threadIdx.x;
  const int lane = thread % warp_size;
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * (threads * items);
  const std::int64_t left = matrix.num_entries - begin;
  const int count = left < threads * items ? static_cast<int>(left) : threads * items;

  std::int32_t rows[items];
  std::int32_t columns[items];
  V values[items];
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const int k = i * threads + thread;
    rows[i] = -1;
    values[i] = V{};
    if (k < count) {
      rows[i] = load_once(matrix.rows + begin + k);
      columns[i] = load_once(matrix.columns + begin + k);
      values[i] = load_once(matrix.values + begin + k);
    }
  }
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const int k = i * threads + thread;
    std::int32_t row_before = __shfl_up_sync(all_lanes, rows[i], 1);
    if (lane == 0) row_before = begin + k > 0 && k < count ? load_cached(matrix.rows + begin + k - 1) : -1;
    const unsigned flagged = __ballot_sync(all_lanes, k < count && rows[i] != row_before);
    if (lane == 0) segments.flags[k / 32] = flagged;
  }
  if (thread == 0) segments.flags[threads * items / 32] = 0;
  stage_products<Contiguous>(segments, product.x, values, columns, count);
  __syncthreads();
  segments.sum_segments();

  if (thread == 0) {
    carries.rows[blockIdx.x] = (segments.flags[0] & 1) != 0 ? -1 : rows[0];
    carries.values[blockIdx.x] = segments.carry;
  }
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const int k = i * threads + thread;
    if ((segments.flags[k / 32] >> lane) & 1) {
      update(entry<Contiguous>(product.y, rows[i], 0), product.alpha, segments.sums[k], T(1));
    }
  }
}

}  // namespace

template <class T>
void scale_rows(Stream stream, std::int32_t num_rows, T beta, const Vectors<T>& y) {
  if (beta == T(1) || num_rows == 0) return;
  constexpr int threads = 256;
  scale_rows_kernel<<<static_cast<unsigned>(divide_up<std::int64_t>(num_rows, threads)), threads, 0, stream>>>(num_rows,
                                                                                                 beta, y);
  check_launch("krylite::spmv::scale_rows");
}

template <class V, class T>
void coo_add(Stream stream, const Product<CooArrays<V>, T>& product, const CarryArrays<T>& carries) {
  if (carries.count == 0) return;
  const auto blocks = static_cast<unsigned>(carries.count);
  const bool contiguous = is_contiguous(product.x) && is_contiguous(product.y);
  for (std::int64_t v = 0; v < product.x.count; ++v) {
    const auto one = product_from(product, v, 1);
    if (contiguous) {
      coo_kernel<true><<<blocks, tuning::balanced_threads, 0, stream>>>(one, carries);
    } else {
      coo_kernel<false><<<blocks, tuning::balanced_threads, 0, stream>>>(one, carries);
    }
    check_launch("krylite::spmv::coo");
    add_carries<1, false>(stream, carries, one.alpha, one.y);
  }
}

template void scale_rows(Stream, std::int32_t, double, const Vectors<double>&);
template void scale_rows(Stream, std::int32_t, float, const Vectors<float>&);
template void coo_add(Stream, const Product<CooArrays<double>, double>&, const CarryArrays<double>&);
template void coo_add(Stream, const Product<CooArrays<float>, float>&, const CarryArrays<float>&);
template void coo_add(Stream, const Product<CooArrays<float>, double>&, const CarryArrays<double>&);
template void coo_add(Stream, const Product<CooArrays<Half>, double>&, const CarryArrays<double>&);

}  // namespace cuda
}  // namespace krylite
