#ifndef KRYLITE_SRC_CUDA_SHARED_COPIES_CUH
#define KRYLITE_SRC_CUDA_SHARED_COPIES_CUH

#include "vector_loads.cuh"

namespace krylite {
namespace cuda {

/// Sends `Bytes` from global to shared memory, or zeros where `condition` does not hold, past the registers and without
/// waiting (from sm_80 on).
template <int Bytes>
__device__ __forceinline__ void copy_to_shared(Raw<Bytes>* shared, const void* data, bool condition) {
#if __CUDA_ARCH__ >= 800
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  const int size = condition ? Bytes : 0;
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(data), "r"(size)
                 : "memory");
  } else {
    static_assert(Bytes == 8, "copies are of 8 or 16 bytes");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(address), "l"(data), "r"(size)
                 : "memory");
  }
#else
  *shared = load_once_if<Bytes>(condition, data);
#endif
}

/// The copies so far are a group.
__device__ __forceinline__ void commit_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits until at most `Groups` groups of this thread's copies are on their way.
template <int Groups>
__device__ __forceinline__ void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Groups) : "memory");
#endif
}

}  // namespace cuda
}  // namespace krylite

#endif
