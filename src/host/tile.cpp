#include <krylite/basis/host/tile.hpp>

#include <algorithm>

// These loops are compiled for several instruction sets, and the widest that the machine has is chosen when the
// program starts, so that a portable binary converts codes as fast as it reads them. A machine gives the same
// bits each time; two machines may differ in the last one, since the widest set fuses products and sums.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define KRYLITE_WIDEST_LOOP __attribute__((target_clones("avx512f", "avx2", "default"), optimize("O3")))
#define KRYLITE_INLINE inline __attribute__((always_inline))
#else
#define KRYLITE_WIDEST_LOOP
#define KRYLITE_INLINE inline
#endif

namespace krylite {
namespace detail {
namespace {

/// Entries that are widened at once into a buffer in the first-level cache: one loop that converts and one that
/// multiplies both vectorize, which a loop that does both did not.
constexpr std::int64_t widened_entries = 512;

/// The codes as doubles: themselves, or a copy in `buffer`.
template <class Code>
KRYLITE_INLINE const double* widen(const Code* codes, std::int64_t size, double* buffer) {
  for (std::int64_t i = 0; i < size; ++i) buffer[i] = decode(codes[i]);
  return buffer;
}
KRYLITE_INLINE const double* widen(const double* codes, std::int64_t, double*) { return codes; }

template <class Code>
KRYLITE_INLINE double product(const Code* column, const double* w, std::int64_t size) {
  double buffer[widened_entries];
  double lanes[tile_lanes] = {};
  for (std::int64_t begin = 0; begin < size; begin += widened_entries) {
    const std::int64_t count = std::min(widened_entries, size - begin);
    const double* const v = widen(column + begin, count, buffer);
    const double* const part = w + begin;
    std::int64_t i = 0;
    for (; i + tile_lanes <= count; i += tile_lanes) {
      for (int lane = 0; lane < tile_lanes; ++lane) lanes[lane] += v[i + lane] * part[i + lane];
    }
    for (; i < count; ++i) lanes[0] += v[i] * part[i];
  }
  return sum_lanes(lanes);
}

template <class Code>
KRYLITE_INLINE void add_column(const Code* column, double weight, double* w, std::int64_t size) {
  double buffer[widened_entries];
  for (std::int64_t begin = 0; begin < size; begin += widened_entries) {
    const std::int64_t count = std::min(widened_entries, size - begin);
    const double* const v = widen(column + begin, count, buffer);
    double* const part = w + begin;
    for (std::int64_t i = 0; i < count; ++i) part[i] += weight * v[i];
  }
}

}  // namespace

KRYLITE_WIDEST_LOOP double tile_product(const double* column, const double* w, std::int64_t size) {
  return product(column, w, size);
}
KRYLITE_WIDEST_LOOP double tile_product(const float* column, const double* w, std::int64_t size) {
  return product(column, w, size);
}
KRYLITE_WIDEST_LOOP double tile_product(const Float16* column, const double* w, std::int64_t size) {
  return product(column, w, size);
}
KRYLITE_WIDEST_LOOP double tile_product(const BFloat16* column, const double* w, std::int64_t size) {
  return product(column, w, size);
}
KRYLITE_WIDEST_LOOP double tile_product(const std::int32_t* column, const double* w, std::int64_t size) {
  return product(column, w, size);
}
KRYLITE_WIDEST_LOOP double tile_product(const std::int16_t* column, const double* w, std::int64_t size) {
  return product(column, w, size);
}

KRYLITE_WIDEST_LOOP void add_tile_column(const double* column, double weight, double* w, std::int64_t size) {
  add_column(column, weight, w, size);
}
KRYLITE_WIDEST_LOOP void add_tile_column(const float* column, double weight, double* w, std::int64_t size) {
  add_column(column, weight, w, size);
}
KRYLITE_WIDEST_LOOP void add_tile_column(const Float16* column, double weight, double* w, std::int64_t size) {
  add_column(column, weight, w, size);
}
KRYLITE_WIDEST_LOOP void add_tile_column(const BFloat16* column, double weight, double* w, std::int64_t size) {
  add_column(column, weight, w, size);
}
KRYLITE_WIDEST_LOOP void add_tile_column(const std::int32_t* column, double weight, double* w, std::int64_t size) {
  add_column(column, weight, w, size);
}
KRYLITE_WIDEST_LOOP void add_tile_column(const std::int16_t* column, double weight, double* w, std::int64_t size) {
  add_column(column, weight, w, size);
}

}  // namespace detail
}  // namespace krylite
