#ifndef KRYLITE_SOLVERS_DETAIL_STORAGE_CONTROL_HPP
#define KRYLITE_SOLVERS_DETAIL_STORAGE_CONTROL_HPP

#include <krylite/basis/storage.hpp>

#include <array>
#include <cmath>
#include <limits>

namespace krylite {
namespace detail {

/// Bytes that a basis entry costs in a sweep, conversion included: the time of a sweep over that of float64, times 8.
/// Measured by perf_tests/gmres/sweep_times.cpp on two threads of an AVX-512 machine (gram and add together). Constants
/// and not a measurement in the run, so that a solve repeats bit for bit.
inline double sweep_cost(BasisStorage storage) {
  switch (storage) {
    case BasisStorage::float32: return 4.3;
    case BasisStorage::int32: return 4.6;
    case BasisStorage::bfp32: return 4.5;
    case BasisStorage::float16: return 2.6;
    case BasisStorage::bfloat16: return 2.7;
    case BasisStorage::int16: return 2.8;
    case BasisStorage::bfp16: return 3.1;
    case BasisStorage::float64:
    case BasisStorage::automatic: break;
  }
  return 8;
}

/// Which storage the next cycle uses. One that was asked for stays. `automatic` goes by the time to solution: each
/// cycle yields digits of the true residual for a cost in bytes, and the storage with the most digits a byte, as
/// each was seen last, is next. It begins with 32 bits, which hardly ever need more steps; tries 16 bits in the second
/// cycle; and 64 bits when cycles of 32 win little. What stagnates is not used again, nor what is narrower.
class StorageControl {
 public:
  explicit StorageControl(BasisStorage asked) : asked_(asked), level_(1) {}

  BasisStorage storage() const { return asked_ == BasisStorage::automatic ? levels_[level_] : asked_; }

  /// After a cycle from a true residual of `before` to one of `after`, for `cost` bytes.
  void cycle_ended(double before, double after, double cost) {
    if (asked_ != BasisStorage::automatic || !(cost > 0)) return;
    yields_[level_] = after > 0 ? std::log(before / after) / cost : std::numeric_limits<double>::infinity();
    constexpr double little = 0.9;
    const bool is_slow = after > little * before;
    if (narrowest_ == 0 && std::isnan(yields_[0])) {
      level_ = 0;
    } else if (is_slow && level_ < widest_ && std::isnan(yields_[level_ + 1])) {
      ++level_;
    } else {
      level_ = best();
    }
  }

  /// Gives up the storage of the last cycle, and all narrower ones. \returns false where there is no wider one
  bool widen(BasisStorage failed) {
    if (asked_ != BasisStorage::automatic || failed == levels_[widest_]) return false;
    for (int level = 0; level < widest_; ++level) {
      if (levels_[level] == failed) narrowest_ = level + 1;
    }
    level_ = level_ < narrowest_ ? narrowest_ : level_;
    return true;
  }

  /// There is no memory for the storage of the next cycle: a narrower one takes its place, for good.
  /// \returns false where there is none
  bool refuse() {
    if (asked_ != BasisStorage::automatic || level_ == 0) return false;
    widest_ = level_ - 1;
    narrowest_ = narrowest_ < widest_ ? narrowest_ : widest_;
    level_ = widest_;
    return true;
  }

 private:
  static constexpr int level_count = 3;
  static constexpr std::array<BasisStorage, level_count> levels_ = {BasisStorage::bfp16, BasisStorage::float32,
                                                                    BasisStorage::float64};

  /// The allowed level with the best yield known.
  int best() const {
    int best = level_ < narrowest_ ? narrowest_ : level_;
    for (int level = narrowest_; level <= widest_; ++level) {
      if (yields_[level] > yields_[best]) best = level;
    }
    return best;
  }

  BasisStorage asked_;
  int level_;
  int narrowest_ = 0;
  int widest_ = level_count - 1;
  std::array<double, level_count> yields_ = {std::numeric_limits<double>::quiet_NaN(),
                                             std::numeric_limits<double>::quiet_NaN(),
                                             std::numeric_limits<double>::quiet_NaN()};
};

}  // namespace detail
}  // namespace krylite

#endif
