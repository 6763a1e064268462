#include "progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace krylite::driver {
namespace {

constexpr std::chrono::milliseconds shortest_interval{100};
constexpr int bar_width = 30;

}  // namespace

// Work that ends within the first interval never shows a bar.
Progress::Progress(bool quiet) : shown_(!quiet && ::isatty(STDERR_FILENO) == 1), last_(Clock::now()) {}

Progress::~Progress() {
  if (!drawn_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

void Progress::show(double fraction, const std::string& text) {
  if (!shown_) return;
  const Clock::time_point now = Clock::now();
  if (now - last_ < shortest_interval) return;
  last_ = now;
  drawn_ = true;
  // Written so that a NaN shows an empty bar.
  const double part = fraction > 0 ? std::min(fraction, 1.0) : 0.0;
  const int filled = static_cast<int>(part * bar_width);
  std::string bar(static_cast<std::size_t>(filled), '#');
  bar.resize(bar_width, '.');
  std::fprintf(stderr, "\r\033[K[%s] %s", bar.c_str(), text.c_str());
  std::fflush(stderr);
}

}  // namespace krylite::driver
