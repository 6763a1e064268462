#ifndef KRYLITE_PERF_TESTS_SPMV_PEERS_STREAM_TIMER_HPP
#define KRYLITE_PERF_TESTS_SPMV_PEERS_STREAM_TIMER_HPP

/// \file
/// Time on the device, between two events of one stream.

#include <cuda_runtime.h>

#include <functional>

#include "support/load.hpp"

namespace krylite_perf {

inline void check_cuda(cudaError_t status, const char* what) {
  krylite::detail::require(status == cudaSuccess, what, ": ", cudaGetErrorString(status));
}

class StreamTimer {
 public:
  explicit StreamTimer(const Execution& exec) : stream_(exec.cuda_stream()) {
    check_cuda(cudaEventCreate(&start_), "cudaEventCreate");
    check_cuda(cudaEventCreate(&stop_), "cudaEventCreate");
  }
  StreamTimer(const StreamTimer&) = delete;
  StreamTimer& operator=(const StreamTimer&) = delete;
  ~StreamTimer() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }

  /// Seconds of one call in a batch. One call before it is not timed: it fills the caches with what is the work's own,
  /// and while it runs the host is already ahead of the device. A call that is a batch alone is too long to need that.
  double batch_seconds(int calls, const std::function<void()>& work) const {
    if (calls > 1) work();
    check_cuda(cudaEventRecord(start_, stream_), "cudaEventRecord");
    for (int call = 0; call < calls; ++call) work();
    check_cuda(cudaEventRecord(stop_, stream_), "cudaEventRecord");
    check_cuda(cudaEventSynchronize(stop_), "cudaEventSynchronize");
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, start_, stop_), "cudaEventElapsedTime");
    return 1e-3 * milliseconds / calls;
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t start_;
  cudaEvent_t stop_;
};

}  // namespace krylite_perf

#endif
