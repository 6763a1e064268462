#ifndef KRYLITE_PERF_TESTS_SPMV_PEERS_TURNS_HPP
#define KRYLITE_PERF_TESTS_SPMV_PEERS_TURNS_HPP

/// \file
/// Works that are timed in turn, a batch each, so that what else happens to the device meets all of them.

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "stream_timer.hpp"

namespace krylite_perf {

struct Timed {
  std::function<void()> work;
  std::vector<double> seconds = {};  ///< of one call, an entry a batch
  int calls = 0;                     ///< in a batch

  double fastest() const { return *std::min_element(seconds.begin(), seconds.end()); }
  double slowest() const { return *std::max_element(seconds.begin(), seconds.end()); }
};

/// Calls that make a batch of 5 ms and at least 10 of them, or fewer where these would take 50 ms.
inline int calls_in_batch(const StreamTimer& timer, const std::function<void()>& work) {
  constexpr double shortest_batch = 5e-3;
  constexpr double long_batch = 50e-3;
  double seconds = timer.batch_seconds(1, work);
  // One short call alone is mostly the gap between the two events.
  if (seconds < 1e-3) seconds = timer.batch_seconds(20, work);
  seconds = std::max(seconds, 1e-7);
  const double calls = std::max(shortest_batch / seconds, std::min(10.0, long_batch / seconds));
  return static_cast<int>(std::max(1.0, std::ceil(calls)));
}

/// Calls of all works, the first of which finds whatever is made once made.
inline void time_in_turn(const StreamTimer& timer, std::vector<Timed*> works, int batches) {
  for (Timed* each : works) each->calls = calls_in_batch(timer, each->work);
  for (int batch = 0; batch < batches; ++batch) {
    for (Timed* each : works) each->seconds.push_back(timer.batch_seconds(each->calls, each->work));
  }
}

}  // namespace krylite_perf

#endif
