#ifndef KRYLITE_BASIS_STORAGE_HPP
#define KRYLITE_BASIS_STORAGE_HPP

/// \file
/// How the entries of a Krylov basis are stored. Arithmetic is double whatever the storage.
///
/// A basis vector v is kept as codes c_i with one factor s a vector, v_i ~ s c_i:
///
///     storage                        code                                        |v_i - s c_i| at most
///     float64                        v_i, s = 1                                  0
///     float32, float16, bfloat16     v_i rounded to nearest even, s = 1          u |v_i|, or half a subnormal
///     int32, int16                   round(v_i / s), s = max |v| / (2^(b-1) - 1)  s / 2
///
/// Source: CB-GMRES article, sections 4 and 5 (fixed point with a normalization factor a vector); the factor is
/// the largest entry itself, so that no bit is wasted.

#include <krylite/core/half.hpp>
#include <krylite/core/traits.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace krylite {

enum class BasisStorage { float64, float32, float16, bfloat16, int32, int16 };

/// Every storage, in the order in which tables show them.
inline constexpr std::array<BasisStorage, 6> all_basis_storages = {
    BasisStorage::float64, BasisStorage::float32,  BasisStorage::int32,
    BasisStorage::float16, BasisStorage::bfloat16, BasisStorage::int16};

/// The storage's name on the command line and in JSON.
inline const char* name(BasisStorage storage) {
  switch (storage) {
    case BasisStorage::float64: return "float64";
    case BasisStorage::float32: return "float32";
    case BasisStorage::float16: return "float16";
    case BasisStorage::bfloat16: return "bfloat16";
    case BasisStorage::int32: return "int32";
    case BasisStorage::int16: return "int16";
  }
  return "unknown";
}

/// One of `double, float, Float16, BFloat16, std::int32_t, std::int16_t`.
template <class Code>
inline constexpr bool is_fixed_point = std::is_integral_v<Code>;

/// The factor of a vector whose largest magnitude is `largest`; 1 where it is not needed or the vector is zero.
template <class Code>
double storage_factor(double largest) {
  if constexpr (is_fixed_point<Code>) {
    const double factor = largest / static_cast<double>(std::numeric_limits<Code>::max());
    return factor >= std::numeric_limits<double>::min() ? factor : 1.0;
  } else {
    return 1.0;
  }
}

/// The code of a value that was divided by the vector's factor.
template <class Code>
KOKKOS_INLINE_FUNCTION Code encode(double value) {
  if constexpr (is_fixed_point<Code>) {
    return static_cast<Code>(rint(value));
  } else {
    return static_cast<Code>(value);
  }
}

/// The value of a code, to be multiplied by the vector's factor.
template <class Code>
KOKKOS_INLINE_FUNCTION double decode(Code code) {
  return static_cast<double>(code);
}

}  // namespace krylite

#endif
