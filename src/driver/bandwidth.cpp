#include "bandwidth.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <krylite/core/error.hpp>
#include <krylite/core/memory.hpp>
#include <string>

#include "load.hpp"
#include "timing.hpp"

namespace krylite::driver {
namespace {

/// Entries that one host thread takes at a time, so that its loop is long enough to be vectorized.
constexpr std::int64_t block = 4096;
constexpr std::int64_t lanes = 32;  // sums side by side: one alone would wait for each addition

// The loop that reads must be as wide as the machine allows, or it and not the memory is measured: the widest
// version is chosen when the program starts.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define KRYLITE_DRIVER_WIDEST_LOOP __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define KRYLITE_DRIVER_WIDEST_LOOP
#endif

/// The sum of one block.
KRYLITE_DRIVER_WIDEST_LOOP double block_sum(const double* data) {
  double sums[lanes] = {};
  for (std::int64_t i = 0; i < block; i += lanes) {
    for (std::int64_t lane = 0; lane < lanes; ++lane) sums[lane] += data[i + lane];
  }
  double sum = 0;
  for (const double lane_sum : sums) sum += lane_sum;
  return sum;
}

/// Bytes of the last-level cache; 32 MiB where the system does not tell.
std::size_t last_level_cache_bytes() {
  constexpr std::size_t usual = std::size_t{32} << 20;
  std::size_t largest = 0;
  for (int index = 0; index < 16; ++index) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
    std::size_t size = 0;
    char unit = ' ';
    if (!(file >> size)) continue;
    file >> unit;
    size *= unit == 'K' ? std::size_t{1} << 10 : unit == 'M' ? std::size_t{1} << 20 : 1;
    largest = std::max(largest, size);
  }
  return largest > 0 ? largest : usual;
}

/// Entries of the array: a multiple of two blocks.
std::int64_t array_entries() {
  constexpr std::size_t device_bytes = std::size_t{2} << 30;
  const std::size_t wanted = is_host_space<Execution> ? 4 * last_level_cache_bytes() : device_bytes;
  const std::size_t bytes = std::min(wanted, available_bytes<Memory>() / 2);
  const auto entries = static_cast<std::int64_t>(bytes / sizeof(double));
  krylite::detail::require(entries >= 2 * block, "not enough memory to measure its speed");
  return entries / (2 * block) * (2 * block);
}

/// Each thread touches first what it will read, so that pages lie near their threads.
void fill_array(const Execution& exec, const Vector& array) {
  const auto entries = static_cast<std::int64_t>(array.extent(0));
  if constexpr (is_host_space<Execution>) {
    Kokkos::parallel_for("krylite::driver::fill", krylite::detail::range(exec, entries / block),
                         [=](const std::int64_t b) {
                           for (std::int64_t i = b * block; i < (b + 1) * block; ++i) array(i) = 1.0;
                         });
  } else {
    Kokkos::deep_copy(exec, array, 1.0);
  }
}

/// The upper half becomes the lower half.
void copy_half(const Execution& exec, const Vector& array) {
  const auto half = static_cast<std::int64_t>(array.extent(0)) / 2;
  double* const data = array.data();
  if constexpr (is_host_space<Execution>) {
    Kokkos::parallel_for("krylite::driver::copy", krylite::detail::range(exec, half / block),
                         [=](const std::int64_t b) {
                           std::memcpy(data + half + b * block, data + b * block, block * sizeof(double));
                         });
  } else {
    Kokkos::parallel_for(
        "krylite::driver::copy", krylite::detail::range(exec, half),
        KOKKOS_LAMBDA(const std::int64_t i) { data[half + i] = data[i]; });
  }
}

/// The sum of the array.
double read_all(const Execution& exec, const Vector& array) {
  const auto entries = static_cast<std::int64_t>(array.extent(0));
  const double* const data = array.data();
  double sum = 0;
  if constexpr (is_host_space<Execution>) {
    Kokkos::parallel_reduce(
        "krylite::driver::read", krylite::detail::range(exec, entries / block),
        [=](const std::int64_t b, double& part) { part += block_sum(data + b * block); }, sum);
  } else {
    Kokkos::parallel_reduce(
        "krylite::driver::read", krylite::detail::range(exec, entries),
        KOKKOS_LAMBDA(const std::int64_t i, double& part) { part += data[i]; }, sum);
  }
  return sum;
}

}  // namespace

Bandwidth measure_bandwidth() {
  const Execution exec;
  const auto array = krylite::detail::allocate<Vector>(exec, "krylite::driver::bandwidth",
                                                       static_cast<std::size_t>(array_entries()));
  fill_array(exec, array);
  double sum = 0;
  const double copy_seconds = median_seconds(exec, [&] { copy_half(exec, array); });
  const double read_seconds = median_seconds(exec, [&] { sum += read_all(exec, array); });
  // The sum is used, so that no compiler leaves the reading out.
  krylite::detail::require(sum > 0, "the memory does not hold what was written");
  const double gigabytes = 1e-9 * static_cast<double>(array.extent(0) * sizeof(double));
  return {gigabytes / copy_seconds, gigabytes / read_seconds};
}

}  // namespace krylite::driver
