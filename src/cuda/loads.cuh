#ifndef KRYLITE_SRC_CUDA_LOADS_CUH
#define KRYLITE_SRC_CUDA_LOADS_CUH

#include <cstdint>
#include <krylite/core/cuda.hpp>
#include <krylite/spmv/cuda/tuning.hpp>

namespace krylite {
namespace cuda {

__device__ __forceinline__ std::uint64_t load_past_l1(const std::uint64_t* p) {
  std::uint64_t bits;
  asm("ld.global.nc.L1::no_allocate.b64 %0, [%1];" : "=l"(bits) : "l"(p));
  return bits;
}
__device__ __forceinline__ std::uint32_t load_past_l1(const std::uint32_t* p) {
  std::uint32_t bits;
  asm("ld.global.nc.L1::no_allocate.b32 %0, [%1];" : "=r"(bits) : "l"(p));
  return bits;
}
__device__ __forceinline__ std::uint16_t load_past_l1(const std::uint16_t* p) {
  std::uint16_t bits;
  asm("ld.global.nc.L1::no_allocate.b16 %0, [%1];" : "=h"(bits) : "l"(p));
  return bits;
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
/// The policy of what leaves L2 first.
__device__ __forceinline__ std::uint64_t evict_first() {
  std::uint64_t policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

__device__ __forceinline__ std::uint64_t load_evict_first(const std::uint64_t* p, std::uint64_t policy) {
  std::uint64_t bits;
  asm("ld.global.nc.L1::no_allocate.L2::cache_hint.b64 %0, [%1], %2;" : "=l"(bits) : "l"(p), "l"(policy));
  return bits;
}
__device__ __forceinline__ std::uint32_t load_evict_first(const std::uint32_t* p, std::uint64_t policy) {
  std::uint32_t bits;
  asm("ld.global.nc.L1::no_allocate.L2::cache_hint.b32 %0, [%1], %2;" : "=r"(bits) : "l"(p), "l"(policy));
  return bits;
}
__device__ __forceinline__ std::uint16_t load_evict_first(const std::uint16_t* p, std::uint64_t policy) {
  std::uint16_t bits;
  asm("ld.global.nc.L1::no_allocate.L2::cache_hint.b16 %0, [%1], %2;" : "=h"(bits) : "l"(p), "l"(policy));
  return bits;
}
#endif

template <class Bits>
__device__ __forceinline__ Bits load_past_caches(const Bits* p) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return load_evict_first(p, evict_first());
#else
  return load_past_l1(p);
#endif
}

template <class Bits>
__device__ __forceinline__ Bits load_bits_once(const Bits* p) {
  if constexpr (tuning::read_once_policy == 0) {
    return __ldg(p);
  } else if constexpr (tuning::read_once_policy == 1) {
    return load_past_l1(p);
  } else if constexpr (tuning::read_once_policy == 2) {
    return __ldcs(p);
  } else {
    return load_past_caches(p);
  }
}

/// What is read once: the entries of a matrix by warps that read whole sectors.
__device__ __forceinline__ double load_once(const double* p) {
  return __longlong_as_double(
      static_cast<long long>(load_bits_once(reinterpret_cast<const std::uint64_t*>(p))));
}
__device__ __forceinline__ float load_once(const float* p) {
  return __uint_as_float(load_bits_once(reinterpret_cast<const std::uint32_t*>(p)));
}
__device__ __forceinline__ Half load_once(const Half* p) { return {load_bits_once(&p->bits)}; }
__device__ __forceinline__ std::int32_t load_once(const std::int32_t* p) {
  return static_cast<std::int32_t>(load_bits_once(reinterpret_cast<const std::uint32_t*>(p)));
}

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
