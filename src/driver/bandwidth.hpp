#ifndef KRYLITE_SRC_DRIVER_BANDWIDTH_HPP
#define KRYLITE_SRC_DRIVER_BANDWIDTH_HPP

#include <cstddef>

namespace krylite::driver {

/// Speed of the memory in 1e9 bytes a second; a copy counts what it reads and what it writes.
struct Bandwidth {
  double copy_gbs = 0;
  double read_gbs = 0;
};

/// Measures on arrays four times the last-level cache, or half of the free memory where that is less;
/// medians.
Bandwidth measure_bandwidth();

}  // namespace krylite::driver

#endif
