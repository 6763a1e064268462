#ifndef KRYLITE_BASIS_HOST_TILE_HPP
#define KRYLITE_BASIS_HOST_TILE_HPP

/// \file
/// What one host thread does with a tile: a stretch of w that stays in the first-level cache while the columns
/// of the basis pass by, several at a time, so that w is read from memory once for all columns.

#include <krylite/basis/storage.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace krylite {
namespace detail {

/// Independent partial sums of a product: the loop over them is unrolled and vectorized, and the order of
/// summation is part of the code, so that results repeat.
inline constexpr int tile_lanes = 8;

/// Entries that are widened at once into a buffer in the first-level cache: one loop that converts and one that
/// multiplies both vectorize, which a loop that does both did not.
inline constexpr std::int64_t widened_entries = 512;

/// The codes as doubles: themselves, or a copy in `buffer`.
template <class Code>
const double* widen(const Code* codes, std::int64_t size, double* buffer) {
  for (std::int64_t i = 0; i < size; ++i) buffer[i] = decode(codes[i]);
  return buffer;
}
inline const double* widen(const double* codes, std::int64_t, double*) { return codes; }

inline double sum_lanes(const double (&lanes)[tile_lanes]) {
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

/// sum_i v[i] w[i].
inline double tile_product(const double* v, const double* w, std::int64_t size) {
  double lanes[tile_lanes] = {};
  std::int64_t i = 0;
  for (; i + tile_lanes <= size; i += tile_lanes) {
    for (int lane = 0; lane < tile_lanes; ++lane) lanes[lane] += v[i + lane] * w[i + lane];
  }
  for (; i < size; ++i) lanes[0] += v[i] * w[i];
  return sum_lanes(lanes);
}

/// sum_i decode(column[i]) w[i].
template <class Code>
double tile_product(const Code* column, const double* w, std::int64_t size) {
  double buffer[widened_entries];
  double sum = 0;
  for (std::int64_t i = 0; i < size; i += widened_entries) {
    const std::int64_t count = std::min(widened_entries, size - i);
    sum += tile_product(widen(column + i, count, buffer), w + i, count);
  }
  return sum;
}

/// w[i] += weight decode(column[i]).
template <class Code>
void add_tile_column(const Code* column, double weight, double* w, std::int64_t size) {
  double buffer[widened_entries];
  for (std::int64_t i = 0; i < size; i += widened_entries) {
    const std::int64_t count = std::min(widened_entries, size - i);
    const double* const v = widen(column + i, count, buffer);
    double* const part = w + i;
    for (std::int64_t k = 0; k < count; ++k) part[k] += weight * v[k];
  }
}

/// squares += sum_i (w[i] / divisor)^2, and largest = max(largest, |w[i] / divisor|). A NaN makes the sum NaN.
inline void add_tile_norms(const double* w, std::int64_t size, double divisor, double& squares, double& largest) {
  double sums[tile_lanes] = {};
  double maxima[tile_lanes] = {};
  const auto add = [&](std::int64_t i, int lane) {
    const double magnitude = std::fabs(w[i] / divisor);
    sums[lane] += magnitude * magnitude;
    maxima[lane] = magnitude > maxima[lane] ? magnitude : maxima[lane];
  };
  std::int64_t i = 0;
  for (; i + tile_lanes <= size; i += tile_lanes) {
    for (int lane = 0; lane < tile_lanes; ++lane) add(i + lane, lane);
  }
  for (; i < size; ++i) add(i, 0);
  squares += sum_lanes(sums);
  for (const double maximum : maxima) largest = maximum > largest ? maximum : largest;
}

}  // namespace detail
}  // namespace krylite

#endif
