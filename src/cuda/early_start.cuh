#ifndef KRYLITE_SRC_CUDA_EARLY_START_CUH
#define KRYLITE_SRC_CUDA_EARLY_START_CUH

/// \file
/// Kernels that follow one another in a stream without the gap of a launch, from compute capability 9.0 on: the next is
/// launched by `launch_early`, and starts as the blocks of the one before end, or sooner where that calls
/// `let_next_start`. What is launched so calls `wait_for_kernels_before` in all threads, ahead of all that it reads or
/// writes in memory and of any return: only then has all that came before ended, for those that come after too. A
/// kernel that does not wait is launched as always. Elsewhere all follow as always.

#include "launch.cuh"

#include <atomic>
#include <utility>

namespace krylite {
namespace cuda {

/// Lets blocks of the next kernel start where there is room for them, once all blocks of this one have called it or
/// ended.
__device__ __forceinline__ void let_next_start() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// Waits until all kernels before have ended, and what they wrote is there: for plain loads, since it was not constant
/// while this kernel ran.
__device__ __forceinline__ void wait_for_kernels_before() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// Whether `kernel` may start before those before it have ended: it must have been compiled to wait for them.
inline bool is_compiled_to_wait(const void* kernel, int device) {
  int major = 0;
  cudaFuncAttributes attributes = {};
  return cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
         cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess && major >= 9 && attributes.ptxVersion >= 90;
}

/// The same for the device in use, asked once for each of the first 64.
template <auto Kernel>
bool can_start_early() {
  constexpr int most = 64;
  enum : signed char { unknown, no, yes };
  static std::atomic<signed char> known[most];
  int device = most;
  if (cudaGetDevice(&device) != cudaSuccess || device >= most) return false;
  signed char answer = known[device].load(std::memory_order_relaxed);
  if (answer == unknown) {
    answer = is_compiled_to_wait(reinterpret_cast<const void*>(Kernel), device) ? yes : no;
    known[device].store(answer, std::memory_order_relaxed);
  }
  return answer == yes;
}

/// Where and how wide a kernel is launched.
struct Launch {
  Stream stream;
  std::int64_t blocks;
  dim3 threads;
  int shared_bytes = 0;
};

/// Launches `Kernel`, which may start while the one before it ends.
template <auto Kernel, class... Arguments>
void launch_early(const Launch& launch, Arguments&&... arguments) {
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(launch.blocks));
  config.blockDim = launch.threads;
  config.dynamicSmemBytes = static_cast<std::size_t>(launch.shared_bytes);
  config.stream = launch.stream;
  config.attrs = &early;
  config.numAttrs = can_start_early<Kernel>() ? 1 : 0;
  cudaLaunchKernelEx(&config, Kernel, std::forward<Arguments>(arguments)...);
}

}  // namespace cuda
}  // namespace krylite

#endif
