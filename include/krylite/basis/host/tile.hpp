#ifndef KRYLITE_BASIS_HOST_TILE_HPP
#define KRYLITE_BASIS_HOST_TILE_HPP

/// \file
/// What one host thread does with a tile: a stretch of w that stays in the first-level cache while the columns of the
/// basis pass by, four at a time. In the library (src/simd/basis.cpp) for several instruction sets, where it has
/// SIMD kernels; what stores a vector is in src/host/store.cpp, for several as well.

#include <krylite/basis/compressed_basis.hpp>

#include <cstdint>
#include <type_traits>

namespace krylite {
namespace detail {

/// The storage whose codes are of type Code.
template <class Code>
constexpr BasisStorage storage_of() {
  if (std::is_same_v<Code, float>) return BasisStorage::float32;
  if (std::is_same_v<Code, Float16>) return BasisStorage::float16;
  if (std::is_same_v<Code, BFloat16>) return BasisStorage::bfloat16;
  if (std::is_same_v<Code, std::int32_t>) return BasisStorage::int32;
  if (std::is_same_v<Code, std::int16_t>) return BasisStorage::int16;
  if (std::is_same_v<Code, BlockFloat32>) return BasisStorage::bfp32;
  if (std::is_same_v<Code, BlockFloat16>) return BasisStorage::bfp16;
  return BasisStorage::float64;
}

/// A tile of a basis: its columns from the tile's first row on, of any storage.
struct BasisTile {
  BasisStorage storage = BasisStorage::float64;
  const void* codes = nullptr;
  const std::int8_t* exponents = nullptr;
  std::int64_t stride = 0;
  std::int64_t exponent_stride = 0;
  std::int64_t rows = 0;
};

template <class Code>
BasisTile tile_of(const BasisAccessor<Code>& basis, std::int64_t row, Index column, std::int64_t rows) {
  const BasisAccessor<Code> part = basis.at(row, column);
  return {storage_of<Code>(), part.codes, part.exponents, part.stride, part.exponent_stride, rows};
}

/// products[j] += v_j . w and, where `gram` is not null, gram[j] += v_j . u, for `columns` columns v_j of the tile.
void project_tile(const BasisTile& tile, Index columns, const double* w, const double* u, double* products,
                  double* gram);

/// w += sum_j weights[j] v_j.
void add_tile(const BasisTile& tile, Index columns, const double* weights, double* w);

/// out = v_0.
void decode_tile(const BasisTile& tile, double* out);

/// A stretch of rows that is stored, from a multiple of 32 on: codes of w / divisor, and w as it is stored.
struct StoredRows {
  BasisStorage storage;
  void* codes;
  std::int8_t* exponents;            ///< of its blocks, in block floating point
  const std::int8_t* row_exponents;  ///< or null
  double* magnitudes;                ///< or null
  double* w;
  Divisor divisor;
  Divisor factor;
  std::int64_t rows;
};

/// \returns the sum of the squared errors
double store_tile(const StoredRows& stored);

}  // namespace detail
}  // namespace krylite

#endif
