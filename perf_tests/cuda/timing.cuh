#ifndef KRYLITE_PERF_TESTS_CUDA_TIMING_CUH
#define KRYLITE_PERF_TESTS_CUDA_TIMING_CUH

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace krylite_perf {

inline void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  std::exit(3);
}

template <class T>
T* device_array(std::size_t count) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(T)));
  return static_cast<T*>(memory);
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Seconds of one call among `calls` by the clock of the device.
template <class Work>
double seconds(int calls, const Work& work) {
  static cudaEvent_t begin = nullptr, end = nullptr;
  if (begin == nullptr) {
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
  }
  work();
  check(cudaEventRecord(begin));
  for (int i = 0; i < calls; ++i) work();
  check(cudaEventRecord(end));
  check(cudaEventSynchronize(end));
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin, end));
  return 1e-3 * milliseconds / calls;
}

/// Median over 9 batches.
template <class Work>
double median_seconds(int calls, const Work& work) {
  std::vector<double> samples;
  for (int batch = 0; batch < 9; ++batch) samples.push_back(seconds(calls, work));
  return median(samples);
}

__global__ void copy_kernel(const double2* from, double2* to, std::size_t count) {
  const std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
  if (i < count) to[i] = from[i];
}

/// Bytes a second that a copy reads and writes: the better of a kernel's and the driver's, over 2 GiB.
inline double copy_bandwidth() {
  constexpr std::size_t bytes = std::size_t(1) << 30;
  constexpr std::size_t count = bytes / sizeof(double2);
  double2* const from = device_array<double2>(count);
  double2* const to = device_array<double2>(count);
  check(cudaMemset(from, 0x3f, bytes));
  const double by_kernel = median_seconds(5, [&] { copy_kernel<<<count / 1024, 1024>>>(from, to, count); });
  const double by_driver =
      median_seconds(5, [&] { check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice)); });
  check(cudaFree(from));
  check(cudaFree(to));
  return 2.0 * bytes / std::min(by_kernel, by_driver);
}

}  // namespace krylite_perf

#endif
