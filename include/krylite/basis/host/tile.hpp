#ifndef KRYLITE_BASIS_HOST_TILE_HPP
#define KRYLITE_BASIS_HOST_TILE_HPP

/// \file
/// What one host thread does with a tile: a stretch of w that stays in the first-level cache while the columns
/// of the basis pass by, several at a time, so that w is read from memory once for all columns.

#include <krylite/basis/storage.hpp>

#include <cmath>
#include <cstdint>

namespace krylite {
namespace detail {

/// Independent partial sums of a product: the loop over them is unrolled and vectorized, and the order of
/// summation is part of the code, so that results repeat.
inline constexpr int tile_lanes = 8;

inline double sum_lanes(const double (&lanes)[tile_lanes]) {
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

/// sum_i decode(column[i]) w[i]. In the library (src/host/tile.cpp), for the instruction set of the machine.
double tile_product(const double* column, const double* w, std::int64_t size);
double tile_product(const float* column, const double* w, std::int64_t size);
double tile_product(const Float16* column, const double* w, std::int64_t size);
double tile_product(const BFloat16* column, const double* w, std::int64_t size);
double tile_product(const std::int32_t* column, const double* w, std::int64_t size);
double tile_product(const std::int16_t* column, const double* w, std::int64_t size);

/// w[i] += weight decode(column[i]), likewise.
void add_tile_column(const double* column, double weight, double* w, std::int64_t size);
void add_tile_column(const float* column, double weight, double* w, std::int64_t size);
void add_tile_column(const Float16* column, double weight, double* w, std::int64_t size);
void add_tile_column(const BFloat16* column, double weight, double* w, std::int64_t size);
void add_tile_column(const std::int32_t* column, double weight, double* w, std::int64_t size);
void add_tile_column(const std::int16_t* column, double weight, double* w, std::int64_t size);

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
