#ifndef KRYLITE_SRC_CUDA_SHARED_COPIES_CUH
#define KRYLITE_SRC_CUDA_SHARED_COPIES_CUH

#include "vector_loads.cuh"

namespace krylite {
namespace cuda {

/// Sends 16 bytes from global to shared memory, or zeros where `condition` does not hold, past the registers and
/// without waiting (from sm_80 on). They are read once, and therefore the first to leave the second-level cache.
__device__ __forceinline__ void copy_to_shared(Raw<16>* shared, const void* data, bool condition) {
#if __CUDA_ARCH__ >= 800
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  const int size = condition ? 16 : 0;
  std::uint64_t once;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(once));
  asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2, %3;" ::"r"(address), "l"(data), "r"(size),
               "l"(once)
               : "memory");
#else
  *shared = load_once_if<16>(condition, data);
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
