#ifndef KRYLITE_SRC_CUDA_CSR_BALANCED_CUH
#define KRYLITE_SRC_CUDA_CSR_BALANCED_CUH

/// \file
/// Balanced CSR: rows and entries are items in the order row 0, its entries, row 1, ... (spmv/csr.hpp), and a
/// block takes a chunk of equally many. It loads its entries side by side, leaves the products in shared memory, sums
/// them by rows, and writes the rows whose item it holds, side by side.

#include <krylite/spmv/cuda/csr_kernels.hpp>

#include "early_start.cuh"
#include "launch.cuh"
#include "loads.cuh"
#include "segments.cuh"
#include "stage_products.cuh"
#include "vectors.cuh"

namespace krylite {
namespace cuda {

/// Smallest row whose item, row_pointers[row] + row, is not before `item`; num_rows where there is none. The
/// 32 lanes of a warp probe together, so that a few dependent loads do.
template <class Offset>
__device__ std::int32_t first_row_from(const Offset* row_pointers, std::int32_t num_rows, std::int64_t item,
                                       int lane) {
  std::int64_t low = 0;
  std::int64_t high = num_rows;
  while (low < high) {
    const std::int64_t step = (high - low + warp_size - 1) / warp_size;
    const std::int64_t probe = low + (lane + 1) * step - 1;
    const bool is_before =
        probe < high && static_cast<std::int64_t>(load_cached(row_pointers + probe)) + probe < item;
    const int before = __popc(__ballot_sync(all_lanes, is_before));
    const std::int64_t not_before = low + (before + 1) * step - 1;  // the probe of lane `before`
    low += before * step;
    high = not_before < high ? not_before : high;
  }
  return static_cast<std::int32_t>(low);
}

/// Items of a chunk.
inline constexpr int balanced_chunk = tuning::balanced_threads * tuning::balanced_items;

/// first_rows[c] = the first row whose item is not before chunk c, for all chunks and behind them: a warp for each.
template <class Offset>
__global__ void find_rows_kernel(const Offset* row_pointers, std::int32_t num_rows, std::int64_t all_items,
                                 std::int64_t chunks, std::int32_t* first_rows) {
  let_next_start();
  const std::int64_t chunk = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / warp_size;
  if (chunk > chunks) return;
  const std::int64_t item = chunk * balanced_chunk < all_items ? chunk * balanced_chunk : all_items;
  const int lane = threadIdx.x % warp_size;
  const std::int32_t row = first_row_from(row_pointers, num_rows, item, lane);
  if (lane == 0) first_rows[chunk] = row;
}

template <bool Contiguous, class V, class Offset, class T>
__global__ void __launch_bounds__(tuning::balanced_threads, tuning::balanced_blocks_per_sm)
    csr_balanced_kernel(Product<CsrArrays<V, Offset>, T> product, CarryArrays<T> carries,
                        const std::int32_t* first_rows) {
  let_next_start();
  // Only for the first rows: the kernel that finds them was not launched early, so that x, which it does not write, is
  // constant here.
  wait_for_kernels_before();
  constexpr int threads = tuning::balanced_threads;
  constexpr int items = tuning::balanced_items;
  constexpr int chunk_items = balanced_chunk;
  static_assert(chunk_items < 65536 && threads >= 2 * warp_size, "places in a chunk are held in 16 bits");
  __shared__ BalancedSegments<T> segments;
  __shared__ std::uint16_t starts[chunk_items + 1];  // of the chunk's rows, among its entries
  const CsrArrays<V, Offset>& matrix = product.matrix;
  const int thread = threadIdx.x;

  const std::int64_t all_items = matrix.num_rows + matrix.num_entries;
  const std::int64_t first_item = static_cast<std::int64_t>(blockIdx.x) * chunk_items;
  const std::int64_t last_item = first_item + chunk_items < all_items ? first_item + chunk_items : all_items;
  const std::int32_t first_row = first_rows[blockIdx.x];
  const std::int32_t last_row = first_rows[blockIdx.x + 1];
  segments.clear_flags();
  __syncthreads();
  const int num_rows = last_row - first_row;
  const std::int64_t begin = first_item - first_row;
  const int count = static_cast<int>(last_item - last_row - begin);

  V values[items];
  std::int32_t columns[items];
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const int k = i * threads + thread;
    values[i] = V{};
    if (k < count) {
      columns[i] = load_once(matrix.columns + begin + k);
      values[i] = load_once(matrix.values + begin + k);
    }
  }
  for (int row = thread; row <= num_rows; row += threads) {
    const std::int64_t start =
        static_cast<std::int64_t>(load_cached(matrix.row_pointers + first_row + row)) - begin;
    const int place = start < count ? static_cast<int>(start) : count;
    starts[row] = static_cast<std::uint16_t>(place);
    // An empty row flags the start of the row after it, which is harmless.
    if (row < num_rows && place < count) atomicOr(&segments.flags[place / 32], 1u << (place % 32));
  }
  stage_products<Contiguous>(segments, product.x, values, columns, count);
  __syncthreads();
  segments.sum_segments();

  if (thread == 0) {
    carries.rows[blockIdx.x] = starts[0] > 0 ? first_row - 1 : -1;
    carries.values[blockIdx.x] = segments.carry;
  }
  for (int row = thread; row < num_rows; row += threads) {
    const T sum = starts[row] < starts[row + 1] ? segments.sums[starts[row]] : T(0);
    update(entry<Contiguous>(product.y, first_row + row, 0), product.alpha, sum, product.beta);
  }
}

}  // namespace cuda
}  // namespace krylite

#endif
