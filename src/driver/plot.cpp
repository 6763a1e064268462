#include "plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "text.hpp"

namespace krylite::driver {
namespace {

constexpr double width = 920;
constexpr double height = 540;
constexpr double left = 84;
constexpr double right = 760;
constexpr double top = 76;
constexpr double bottom = 480;

// Okabe and Ito's colours, which also those see apart who see few colours.
constexpr std::array<const char*, 6> colors = {"#0072b2", "#d55e00", "#009e73",
                                               "#cc79a7", "#e69f00", "#56b4e9"};

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : one_line(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      // Bytes beyond ASCII may be no UTF-8, which XML refuses.
      default:
        result += static_cast<unsigned char>(c) < 0x80 ? c : '?';
    }
  }
  return result;
}

std::string text_element(double x, double y, const std::string& attributes, const std::string& text) {
  return "<text x=\"" + fixed(x, 1) + "\" y=\"" + fixed(y, 1) + "\" " + attributes + ">" + escaped(text) +
         "</text>\n";
}

std::string line_element(double x1, double y1, double x2, double y2, const std::string& attributes) {
  return "<line x1=\"" + fixed(x1, 1) + "\" y1=\"" + fixed(y1, 1) + "\" x2=\"" + fixed(x2, 1) + "\" y2=\"" +
         fixed(y2, 1) + "\" " + attributes + "/>\n";
}

/// Where iterations and residuals lie in the picture.
struct Axes {
  std::int64_t last_iteration = 1;
  int lowest = -1;  ///< exponent of 10 at the bottom
  int highest = 0;

  double x(std::int64_t iteration) const {
    return left + (right - left) * static_cast<double>(iteration) / static_cast<double>(last_iteration);
  }
  /// Residuals beyond the axes, 0 and infinite ones among them, lie on the edge.
  double y(double residual) const {
    const double exponent = residual > 0 ? std::log10(residual) : lowest;
    const double part = (highest - exponent) / (highest - lowest);
    return top + (bottom - top) * std::clamp(part, 0.0, 1.0);
  }
};

Axes fit_axes(double tolerance, const std::vector<ResidualCurve>& curves) {
  constexpr double least = 1e-18;
  constexpr double most = 1e18;
  Axes axes;
  double smallest = tolerance > 0 ? tolerance : 1;
  double largest = 1;
  const auto include = [&](double residual) {
    smallest = residual > 0 ? std::min(smallest, residual) : smallest;
    largest = std::isfinite(residual) ? std::max(largest, residual) : largest;
  };
  for (const auto& curve : curves) {
    for (const auto& record : curve.history) {
      include(record.estimated);
      if (record.has_true) include(record.true_residual);
      axes.last_iteration = std::max(axes.last_iteration, record.iteration);
    }
  }
  axes.highest = static_cast<int>(std::ceil(std::log10(std::min(largest, most))));
  axes.lowest = static_cast<int>(std::floor(std::log10(std::max(smallest, least))));
  axes.lowest = std::min(axes.lowest, axes.highest - 1);
  return axes;
}

/// A step of 1, 2 or 5 times a power of ten that gives at most `most` ticks.
std::int64_t tick_step(std::int64_t range, int most) {
  for (std::int64_t power = 1;; power *= 10) {
    for (const int factor : {1, 2, 5}) {
      if (range / (power * factor) <= most) return power * factor;
    }
  }
}

std::string grid(const Axes& axes) {
  const std::string line_style = "stroke=\"#e3e3e3\"";
  std::string svg;
  const std::int64_t decades = tick_step(axes.highest - axes.lowest, 10);
  for (int exponent = axes.highest; exponent >= axes.lowest; exponent -= static_cast<int>(decades)) {
    const double y = axes.y(std::pow(10.0, exponent));
    svg += line_element(left, y, right, y, line_style);
    const std::string digits = exponent == 0 ? "1" : "1e" + std::to_string(exponent);
    svg += text_element(left - 8, y + 4, "text-anchor=\"end\"", digits);
  }
  const std::int64_t step = tick_step(axes.last_iteration, 8);
  for (std::int64_t iteration = 0; iteration <= axes.last_iteration; iteration += step) {
    const double x = axes.x(iteration);
    svg += line_element(x, top, x, bottom, line_style);
    svg += text_element(x, bottom + 18, "text-anchor=\"middle\"", grouped(iteration));
  }
  svg += "<rect x=\"" + fixed(left, 1) + "\" y=\"" + fixed(top, 1) + "\" width=\"" + fixed(right - left, 1) +
         "\" height=\"" + fixed(bottom - top, 1) + "\" fill=\"none\" stroke=\"#888\"/>\n";
  svg += text_element((left + right) / 2, bottom + 42, "text-anchor=\"middle\"", "iterations");
  const std::string middle = fixed((top + bottom) / 2, 1);
  return svg + text_element(24, (top + bottom) / 2,
                            "text-anchor=\"middle\" transform=\"rotate(-90 24 " + middle + ")\"",
                            "relative residual");
}

/// The curve with at most about a thousand points, and its dots with at most about a hundred.
std::string curve_elements(const Axes& axes, const ResidualCurve& curve, const std::string& color) {
  const std::size_t stride = curve.history.size() / 1000 + 1;
  std::size_t dots = 0;
  for (const auto& record : curve.history) dots += record.has_true ? 1 : 0;
  const std::size_t dot_stride = dots / 100 + 1;
  std::string points;
  std::string circles;
  std::size_t dot = 0;
  for (std::size_t i = 0; i < curve.history.size(); ++i) {
    const ResidualRecord& record = curve.history[i];
    const std::string x = fixed(axes.x(record.iteration), 1);
    const bool is_last = i + 1 == curve.history.size();
    if (i % stride == 0 || is_last) points += x + "," + fixed(axes.y(record.estimated), 1) + " ";
    if (!record.has_true || (dot++ % dot_stride != 0 && !is_last)) continue;
    circles += "<circle cx=\"" + x + "\" cy=\"" + fixed(axes.y(record.true_residual), 1) + "\" r=\"3.2\"/>\n";
  }
  return "<polyline points=\"" + points + "\" fill=\"none\" stroke=\"" + color +
         "\" stroke-width=\"1.8\" stroke-linejoin=\"round\"/>\n<g fill=\"" + color +
         "\" stroke=\"white\" stroke-width=\"0.8\">\n" + circles + "</g>\n";
}

std::string legend(const std::vector<ResidualCurve>& curves, bool has_tolerance) {
  constexpr double row_height = 22;
  double y = top + 12;
  std::string svg;
  for (std::size_t i = 0; i < curves.size(); ++i, y += row_height) {
    svg += line_element(right + 18, y - 4, right + 42, y - 4,
                        "stroke=\"" + std::string(colors[i % colors.size()]) + "\" stroke-width=\"2.5\"");
    svg += text_element(right + 50, y, "", curves[i].label);
  }
  if (has_tolerance) {
    svg += line_element(right + 18, y - 4, right + 42, y - 4, "stroke=\"#555\" stroke-dasharray=\"5 4\"");
    svg += text_element(right + 50, y, "", "tolerance");
    y += row_height;
  }
  svg += text_element(right + 18, y + 8, "fill=\"#666\" font-size=\"11\"", "lines: estimated");
  return svg + text_element(right + 18, y + 24, "fill=\"#666\" font-size=\"11\"", "dots: computed from x");
}

}  // namespace

std::string residual_plot(const std::string& title, const std::string& subtitle, double tolerance,
                          const std::vector<ResidualCurve>& curves) {
  const Axes axes = fit_axes(tolerance, curves);
  const std::string size = "width=\"" + fixed(width, 0) + "\" height=\"" + fixed(height, 0) + "\"";
  std::string svg = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" " +
                    size + " viewBox=\"0 0 " + fixed(width, 0) + " " + fixed(height, 0) +
                    "\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\">\n<rect " + size +
                    " fill=\"white\"/>\n";
  svg += text_element(left, 32, "font-size=\"17\" font-weight=\"bold\"", title);
  svg += text_element(left, 55, "fill=\"#555\"", subtitle);
  svg += grid(axes);
  if (tolerance > 0) {
    svg += line_element(left, axes.y(tolerance), right, axes.y(tolerance),
                        "stroke=\"#555\" stroke-dasharray=\"5 4\"");
  }
  for (std::size_t i = 0; i < curves.size(); ++i) {
    svg += curve_elements(axes, curves[i], colors[i % colors.size()]);
  }
  return svg + legend(curves, tolerance > 0) + "</svg>\n";
}

}  // namespace krylite::driver
