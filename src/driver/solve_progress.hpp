#ifndef KRYLITE_SRC_DRIVER_SOLVE_PROGRESS_HPP
#define KRYLITE_SRC_DRIVER_SOLVE_PROGRESS_HPP

#include <cmath>
#include <functional>
#include <string>

#include "progress.hpp"
#include "text.hpp"

namespace krylite::driver {

/// A monitor that shows the steps so far and how much of the way to the tolerance, in digits, is done; none
/// where there is no bar to show.
inline std::function<bool(std::int64_t, double)> solve_monitor(Progress& progress, double tolerance,
                                                               const std::string& what) {
  if (!progress.is_shown()) return {};
  return [&progress, tolerance, what](std::int64_t iteration, double estimate) {
    progress.show(std::log(estimate) / std::log(tolerance),
                  what + ": step " + grouped(iteration) + ", estimated residual " + scientific(estimate, 1));
    return true;
  };
}

}  // namespace krylite::driver

#endif
