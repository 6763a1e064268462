#include <krylite/spmv/cuda/csr_kernels.hpp>

#include "carries.cuh"
#include "csr_balanced.cuh"
#include "launch.cuh"
#include "loads.cuh"
#include "vectors.cuh"

namespace krylite {
namespace cuda {
namespace {

/// Parts of a warp of this many threads read whole sectors, which need no place in L1.
template <int Threads, class T>
__device__ __forceinline__ T load_entry(const T* p) {
  if constexpr (Threads >= 16) {
    return load_once(p);
  } else {
    return load_cached(p);
  }
}

/// A row for `Threads` neighbouring threads and `NV` vectors.
template <int Threads, int NV, bool Contiguous, class V, class Offset, class T>
__global__ void __launch_bounds__(tuning::vector_threads, tuning::vector_blocks_per_sm)
    csr_vector_kernel(Product<CsrArrays<V, Offset>, T> product) {
  constexpr int unroll = tuning::vector_unroll;
  const CsrArrays<V, Offset>& matrix = product.matrix;
  const std::int64_t row =
      (static_cast<std::int64_t>(blockIdx.x) * tuning::vector_threads + threadIdx.x) / Threads;
  const int lane = threadIdx.x % Threads;
  const bool is_row = row < matrix.num_rows;
  const std::int64_t end = is_row ? static_cast<std::int64_t>(load_cached(matrix.row_pointers + row + 1)) : 0;
  std::int64_t first = is_row ? static_cast<std::int64_t>(load_cached(matrix.row_pointers + row)) + lane : 0;

  T sums[NV] = {};
  for (; first < end; first += unroll * Threads) {
    V values[unroll];
    std::int32_t columns[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const std::int64_t k = first + u * Threads;
      columns[u] = k < end ? load_entry<Threads>(matrix.columns + k) : -1;
      if (k < end) values[u] = load_entry<Threads>(matrix.values + k);
    }
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      if (columns[u] >= 0) {
#pragma unroll
        for (int v = 0; v < NV; ++v) {
          sums[v] += widen<T>(values[u]) * load_cached(entry<Contiguous>(product.x, columns[u], v));
        }
      }
    }
  }
#pragma unroll
  for (int v = 0; v < NV; ++v) {
#pragma unroll
    for (int step = Threads / 2; step > 0; step /= 2)
      sums[v] += __shfl_down_sync(all_lanes, sums[v], step, Threads);
    if (is_row && lane == 0)
      update(entry<Contiguous>(product.y, row, v), product.alpha, sums[v], product.beta);
  }
}

template <int Threads, int NV, bool Contiguous, class V, class Offset, class T>
void launch_vector(Stream stream, const Product<CsrArrays<V, Offset>, T>& product) {
  const std::int64_t threads = static_cast<std::int64_t>(product.matrix.num_rows) * Threads;
  const auto blocks = static_cast<unsigned>(divide_up(threads, std::int64_t(tuning::vector_threads)));
  csr_vector_kernel<Threads, NV, Contiguous><<<blocks, tuning::vector_threads, 0, stream>>>(product);
  check_launch("krylite::spmv::csr_vector");
}

/// `Threads` a row, for all vectors: four together as long as there are four.
template <int Threads, class V, class Offset, class T>
void launch_for_vectors(Stream stream, const Product<CsrArrays<V, Offset>, T>& product) {
  if (product.matrix.num_rows == 0) return;
  if (is_contiguous(product.x) && is_contiguous(product.y))
    return launch_vector<Threads, 1, true>(stream, product);
  std::int64_t v = 0;
  for (; v + 4 <= product.x.count; v += 4)
    launch_vector<Threads, 4, false>(stream, product_from(product, v, 4));
  for (; v < product.x.count; ++v) launch_vector<Threads, 1, false>(stream, product_from(product, v, 1));
}

template <bool Contiguous, class V, class Offset, class T>
void launch_balanced(Stream stream, const Product<CsrArrays<V, Offset>, T>& product, const CarryArrays<T>& carries,
                     const std::int32_t* first_rows) {
  constexpr auto kernel = csr_balanced_kernel<Contiguous, V, Offset, T>;
  launch_early<kernel>({stream, carries.count, tuning::balanced_threads}, product, carries, first_rows);
}

}  // namespace

template <class V, class T, class Offset>
void csr_scalar(Stream stream, const Product<CsrArrays<V, Offset>, T>& product) {
  launch_for_vectors<1>(stream, product);
}

template <class V, class T, class Offset>
void csr_vector(Stream stream, const Product<CsrArrays<V, Offset>, T>& product) {
  const std::int64_t share =
      static_cast<std::int64_t>(product.matrix.num_rows) * tuning::vector_entries_per_thread;
  const std::int64_t entries = product.matrix.num_entries;
  if (entries <= 2 * share) return launch_for_vectors<2>(stream, product);
  if (entries <= 4 * share) return launch_for_vectors<4>(stream, product);
  if (entries <= 8 * share) return launch_for_vectors<8>(stream, product);
  if (entries <= 16 * share) return launch_for_vectors<16>(stream, product);
  launch_for_vectors<32>(stream, product);
}

template <class V, class T, class Offset>
void csr_balanced(Stream stream, const Product<CsrArrays<V, Offset>, T>& product, const CarryArrays<T>& carries,
                  std::int32_t* first_rows) {
  if (carries.count == 0) return;
  constexpr int threads = 128;
  const std::int64_t warps = carries.count + 1;
  find_rows_kernel<<<static_cast<unsigned>(divide_up<std::int64_t>(warps * warp_size, threads)), threads, 0, stream>>>(
      product.matrix.row_pointers, product.matrix.num_rows, product.matrix.num_rows + product.matrix.num_entries,
      carries.count, first_rows);
  check_launch("krylite::spmv::csr_balanced, its rows");
  const bool contiguous = is_contiguous(product.x) && is_contiguous(product.y);
  for (std::int64_t v = 0; v < product.x.count; ++v) {
    const auto one = product_from(product, v, 1);
    if (contiguous) {
      launch_balanced<true>(stream, one, carries, first_rows);
    } else {
      launch_balanced<false>(stream, one, carries, first_rows);
    }
    check_launch("krylite::spmv::csr_balanced");
    add_carries<1, false>(stream, carries, one.alpha, one.y);
  }
}

template void csr_scalar(Stream, const Product<CsrArrays<double, std::int32_t>, double>&);
template void csr_scalar(Stream, const Product<CsrArrays<double, std::int64_t>, double>&);
template void csr_scalar(Stream, const Product<CsrArrays<float, std::int32_t>, float>&);
template void csr_scalar(Stream, const Product<CsrArrays<float, std::int64_t>, float>&);
template void csr_scalar(Stream, const Product<CsrArrays<float, std::int32_t>, double>&);
template void csr_scalar(Stream, const Product<CsrArrays<float, std::int64_t>, double>&);
template void csr_scalar(Stream, const Product<CsrArrays<Half, std::int32_t>, double>&);
template void csr_scalar(Stream, const Product<CsrArrays<Half, std::int64_t>, double>&);
template void csr_vector(Stream, const Product<CsrArrays<double, std::int32_t>, double>&);
template void csr_vector(Stream, const Product<CsrArrays<double, std::int64_t>, double>&);
template void csr_vector(Stream, const Product<CsrArrays<float, std::int32_t>, float>&);
template void csr_vector(Stream, const Product<CsrArrays<float, std::int64_t>, float>&);
template void csr_vector(Stream, const Product<CsrArrays<float, std::int32_t>, double>&);
template void csr_vector(Stream, const Product<CsrArrays<float, std::int64_t>, double>&);
template void csr_vector(Stream, const Product<CsrArrays<Half, std::int32_t>, double>&);
template void csr_vector(Stream, const Product<CsrArrays<Half, std::int64_t>, double>&);
template void csr_balanced(Stream, const Product<CsrArrays<double, std::int32_t>, double>&, const CarryArrays<double>&,
                           std::int32_t*);
template void csr_balanced(Stream, const Product<CsrArrays<double, std::int64_t>, double>&, const CarryArrays<double>&,
                           std::int32_t*);
template void csr_balanced(Stream, const Product<CsrArrays<float, std::int32_t>, float>&, const CarryArrays<float>&,
                           std::int32_t*);
template void csr_balanced(Stream, const Product<CsrArrays<float, std::int64_t>, float>&, const CarryArrays<float>&,
                           std::int32_t*);
template void csr_balanced(Stream, const Product<CsrArrays<float, std::int32_t>, double>&, const CarryArrays<double>&,
                           std::int32_t*);
template void csr_balanced(Stream, const Product<CsrArrays<float, std::int64_t>, double>&, const CarryArrays<double>&,
                           std::int32_t*);
template void csr_balanced(Stream, const Product<CsrArrays<Half, std::int32_t>, double>&, const CarryArrays<double>&,
                           std::int32_t*);
template void csr_balanced(Stream, const Product<CsrArrays<Half, std::int64_t>, double>&, const CarryArrays<double>&,
                           std::int32_t*);

}  // namespace cuda
}  // namespace krylite
