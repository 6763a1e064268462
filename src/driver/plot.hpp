#ifndef KRYLITE_SRC_DRIVER_PLOT_HPP
#define KRYLITE_SRC_DRIVER_PLOT_HPP

#include <krylite/solvers/result.hpp>
#include <string>
#include <vector>

namespace krylite::driver {

/// One curve: the estimated residual after each step, with a dot wherever the true one was computed.
struct ResidualCurve {
  std::string label;
  std::vector<ResidualRecord> history;
};

/// Relative residuals over iterations, on a logarithmic scale, as an SVG file that needs nothing else.
/// \param title, subtitle stand above the plot; any text
/// \param tolerance drawn as a dashed line, unless 0
std::string residual_plot(const std::string& title, const std::string& subtitle, double tolerance,
                          const std::vector<ResidualCurve>& curves);

}  // namespace krylite::driver

#endif
