#ifndef KRYLITE_SRC_DRIVER_TIMING_HPP
#define KRYLITE_SRC_DRIVER_TIMING_HPP

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "formats.hpp"

namespace krylite::driver {

/// Batches that a figure is the median of, at least.
inline constexpr int least_batches = 7;

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// Seconds of one call in a batch of `calls`, from idle to idle. One call before it is not timed, so that what lies in
/// the caches is the work's own, as in a solver, and not that of another.
inline double batch_seconds(const Execution& exec, int calls, const std::function<void()>& work) {
  work();
  exec.fence();
  const Kokkos::Timer timer;
  for (int call = 0; call < calls; ++call) work();
  exec.fence();
  return timer.seconds() / calls;
}

/// Seconds of work that is done once.
inline double seconds_of(const Execution& exec, const std::function<void()>& work) {
  exec.fence();
  const Kokkos::Timer timer;
  work();
  exec.fence();
  return timer.seconds();
}

/// Calls that make a batch long enough to be timed; the work has run once before.
inline int calls_in_batch(const Execution& exec, const std::function<void()>& work) {
  constexpr double shortest_batch = 1e-2;
  constexpr double most_calls = 100000;
  const double seconds = std::max(batch_seconds(exec, 1, work), 1e-9);
  return static_cast<int>(std::min(most_calls, std::max(1.0, std::ceil(shortest_batch / seconds))));
}

/// Median over batches of the seconds of one call.
inline double median_seconds(const Execution& exec, const std::function<void()>& work) {
  work();
  const int calls = calls_in_batch(exec, work);
  std::vector<double> samples;
  for (int batch = 0; batch < least_batches; ++batch) samples.push_back(batch_seconds(exec, calls, work));
  return median(samples);
}

}  // namespace krylite::driver

#endif
