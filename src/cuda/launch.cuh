#ifndef KRYLITE_SRC_CUDA_LAUNCH_CUH
#define KRYLITE_SRC_CUDA_LAUNCH_CUH

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <krylite/core/cuda.hpp>
#include <krylite/core/error.hpp>

#include <cstdint>

namespace krylite {
namespace cuda {

inline constexpr int warp_size = 32;
inline constexpr unsigned all_lanes = 0xffffffffu;

/// After a launch of `kernel`.
inline void check_launch(const char* kernel) {
  const cudaError_t status = cudaGetLastError();
  if (status != cudaSuccess) detail::fail(kernel, ": ", cudaGetErrorString(status));
}

/// ceil(a / b)
template <class Integer>
__host__ __device__ constexpr Integer divide_up(Integer a, Integer b) {
  return (a + b - 1) / b;
}

/// A matrix value in the type of the arithmetic.
template <class T>
__device__ __forceinline__ T widen(double value) {
  return static_cast<T>(value);
}
template <class T>
__device__ __forceinline__ T widen(float value) {
  return static_cast<T>(value);
}
template <class T>
__device__ __forceinline__ T widen(Half value) {
  return static_cast<T>(__half2float(__ushort_as_half(value.bits)));
}

/// Sum over the warp: in every lane, the same bits each time.
template <class T>
__device__ __forceinline__ T warp_sum(T value) {
#pragma unroll
  for (int step = warp_size / 2; step > 0; step /= 2) value += __shfl_xor_sync(all_lanes, value, step);
  return value;
}

/// y = alpha sum + beta y, where beta = 0 does not read y.
template <class T>
__device__ __forceinline__ void update(T* y, T alpha, T sum, T beta) {
  *y = beta == T(0) ? alpha * sum : alpha * sum + beta * *y;
}

}  // namespace cuda
}  // namespace krylite

#endif
