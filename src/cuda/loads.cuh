#ifndef KRYLITE_SRC_CUDA_LOADS_CUH
#define KRYLITE_SRC_CUDA_LOADS_CUH

#include <cstdint>
#include <krylite/core/cuda.hpp>

namespace krylite {
namespace cuda {

/// What is read once, the entries of a matrix by warps that read whole sectors: the first to leave the caches, in which
/// x is to stay. One H200: products in CSR take 0.94 to 1.00 of the time that they take where L1 does not keep it and
/// L2 gives it up first, since that needs a branch around each pair of loads.
template <class T>
__device__ __forceinline__ T load_once(const T* p) {
  return __ldcs(p);
}
__device__ __forceinline__ Half load_once(const Half* p) { return {__ldcs(&p->bits)}; }

/// What is read again: x, row pointers, and entries of which a thread reads neighbours.
template <class T>
__device__ __forceinline__ T load_cached(const T* p) {
  return __ldg(p);
}
__device__ __forceinline__ std::int64_t load_cached(const std::int64_t* p) {
  return static_cast<std::int64_t>(__ldg(reinterpret_cast<const long long*>(p)));
}
__device__ __forceinline__ Half load_cached(const Half* p) { return {__ldg(&p->bits)}; }

}  // namespace cuda
}  // namespace krylite

#endif
