#ifndef KRYLITE_SRC_CUDA_STAGE_PRODUCTS_CUH
#define KRYLITE_SRC_CUDA_STAGE_PRODUCTS_CUH

#include <krylite/spmv/cuda/tuning.hpp>

#include "launch.cuh"
#include "loads.cuh"
#include "segments.cuh"
#include "vectors.cuh"

namespace krylite {
namespace cuda {

/// What balanced CSR and COO share of a block's memory.
template <class T>
using BalancedSegments = BlockSegments<T, tuning::balanced_threads, tuning::balanced_items>;

/// Leaves values times entries of x in segments.sums. Thread t holds entries t, t + threads, ... of the
/// `count` of the chunk; all its entries of x are loaded before the first is used. Behind the `count` are
/// zeros.
template <bool Contiguous, class V, class T>
__device__ __forceinline__ void stage_products(BalancedSegments<T>& segments, const Vectors<const T>& x,
                                               const V (&values)[tuning::balanced_items],
                                               const std::int32_t (&columns)[tuning::balanced_items],
                                               int count) {
  T factors[tuning::balanced_items];
#pragma unroll
  for (int i = 0; i < tuning::balanced_items; ++i) {
    const int k = i * tuning::balanced_threads + threadIdx.x;
    factors[i] = k < count ? load_cached(entry<Contiguous>(x, columns[i], 0)) : T(0);
  }
#pragma unroll
  for (int i = 0; i < tuning::balanced_items; ++i) {
    const int k = i * tuning::balanced_threads + threadIdx.x;
    segments.sums[k] = widen<T>(values[i]) * factors[i];
  }
}

}  // namespace cuda
}  // namespace krylite

#endif
