#ifndef KRYLITE_SRC_DRIVER_PROGRESS_HPP
#define KRYLITE_SRC_DRIVER_PROGRESS_HPP

#include <chrono>
#include <string>

namespace krylite::driver {

/// A bar on standard error for long work: shown on a terminal only, drawn at most ten times a second, and
/// gone when the work ends.
class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// \param fraction done, from 0 to 1
  /// \param text what stands beside the bar
  void show(double fraction, const std::string& text);

  /// Whether there is a bar at all, so that a text need not be made for nothing.
  bool is_shown() const { return shown_; }

 private:
  using Clock = std::chrono::steady_clock;

  bool shown_;
  bool drawn_ = false;
  Clock::time_point last_;
};

}  // namespace krylite::driver

#endif
