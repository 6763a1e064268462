#include <krylite/basis/host/tile.hpp>
#include <krylite/basis/norms.hpp>

#include <algorithm>
#include <cmath>

// Compiled for several instruction sets, the widest that the machine has is chosen when the program starts: codes of 16
// bits are made of integers, and take longer than all else of a step in the set that every processor has.
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

/// Entries that are stored together: those that share an exponent.
constexpr int chunk = entries_per_exponent;

/// Scales of the rows of a chunk, and their reciprocals.
KRYLITE_INLINE void read_scales(const std::int8_t* row_exponents, int rows, double* scales, double* reciprocals) {
  for (int i = 0; i < rows; ++i) {
    scales[i] = power_of_two(row_exponents[i]);
    reciprocals[i] = power_of_two(-row_exponents[i]);
  }
}

KRYLITE_INLINE double largest_entry(const double* values, int rows) {
  double largest = 0;
  for (int i = 0; i < rows; ++i) largest = std::fabs(values[i]) > largest ? std::fabs(values[i]) : largest;
  return largest;
}

/// One chunk, all loops over it short enough to stay in registers. Adds the squared errors to eight sums.
template <class Code>
KRYLITE_INLINE void store_chunk(const StoredRows& all, std::int64_t begin, int rows, double* errors) {
  Code* const codes = static_cast<Code*>(all.codes) + begin;
  double* const w = all.w + begin;
  double exact[chunk], scaled[chunk], scales[chunk], reciprocals[chunk];
  std::fill(scales, scales + chunk, 1.0);
  std::fill(reciprocals, reciprocals + chunk, 1.0);
  if (all.row_exponents != nullptr) read_scales(all.row_exponents + begin, rows, scales, reciprocals);
  for (int i = 0; i < rows; ++i) exact[i] = all.divisor(w[i]);
  for (int i = 0; i < rows; ++i) scaled[i] = all.factor(exact[i]) * reciprocals[i];
  double block_scale = 1;
  if constexpr (is_block_float<Code>) {
    const int exponent = block_exponent<Code>(largest_entry(scaled, rows));
    all.exponents[begin / chunk] = static_cast<std::int8_t>(exponent);
    block_scale = power_of_two(exponent);
  }
  const double inverse_scale = 1 / block_scale;
  for (int i = 0; i < rows; ++i) codes[i] = encode<Code>(scaled[i] * inverse_scale);
  for (int i = 0; i < rows; ++i) w[i] = all.factor.value * (decode(codes[i]) * (scales[i] * block_scale));
  for (int i = 0; i < rows; ++i) errors[i % tile_lanes] += (exact[i] - w[i]) * (exact[i] - w[i]);
  if (all.magnitudes == nullptr) return;
  double* const magnitudes = all.magnitudes + begin;
  for (int i = 0; i < rows; ++i) magnitudes[i] = std::max(magnitudes[i], std::fabs(exact[i]));
}

template <class Code>
KRYLITE_INLINE double store_all(const StoredRows& all) {
  double errors[tile_lanes] = {};
  std::int64_t begin = 0;
  for (; begin + chunk <= all.rows; begin += chunk) store_chunk<Code>(all, begin, chunk, errors);
  if (begin < all.rows) store_chunk<Code>(all, begin, static_cast<int>(all.rows - begin), errors);
  return sum_lanes(errors);
}

}  // namespace

KRYLITE_WIDEST_LOOP double store_tile(const StoredRows& all) {
  switch (all.storage) {
    case BasisStorage::float32: return store_all<float>(all);
    case BasisStorage::float16: return store_all<Float16>(all);
    case BasisStorage::bfloat16: return store_all<BFloat16>(all);
    case BasisStorage::int32: return store_all<std::int32_t>(all);
    case BasisStorage::int16: return store_all<std::int16_t>(all);
    case BasisStorage::bfp32: return store_all<BlockFloat32>(all);
    case BasisStorage::bfp16: return store_all<BlockFloat16>(all);
    case BasisStorage::float64:
    case BasisStorage::automatic: break;
  }
  return store_all<double>(all);
}

}  // namespace detail
}  // namespace krylite
