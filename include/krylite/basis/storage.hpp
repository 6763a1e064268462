#ifndef KRYLITE_BASIS_STORAGE_HPP
#define KRYLITE_BASIS_STORAGE_HPP

/// \file
/// How the entries of a Krylov basis are stored. Arithmetic is double whatever the storage.
///
/// A basis vector v is kept as codes c_i with one factor s a vector, v_i ~ s c_i, where s = max |v| / c_max makes
/// the largest entry the largest code that is used:
///
///     storage    code                                     c_max        |v_i - s c_i| at most
///     float64    v_i itself, s = 1                        -            0
///     float32    v_i / s rounded to nearest even          1            2^-24 |v_i|, or half a subnormal times s
///     bfloat16   the same                                 1            2^-8 |v_i|, or half a subnormal times s
///     float16    the same, held as a multiple of 2^-15    1            2^-11 |v_i|, or 2^-40 s
///     int32      v_i / s rounded to a multiple of 2^-31   1 - 2^-31    2^-32 s
///     int16      v_i / s rounded to a multiple of 2^-15   1 - 2^-15    2^-16 s
///     bfp32      v_i / s / 2^e to a multiple of 2^-31     1 - 2^-30    2^-32 2^e s, at most 2^-31 of the block's max
///     bfp16      v_i / s / 2^e to a multiple of 2^-15     1 - 2^-14    2^-16 2^e s, at most 2^-15 of the block's max
///
/// Block floating point (bfp) shares an exponent e, a byte of its own, among 32 neighbouring entries: the smallest
/// for which the block's largest entry has a code, but at least -100. A vector whose size varies along its rows keeps
/// its small parts that way, which fixed point loses, and where it does not vary, 4 bits more than float16.
///
/// Codes are fractions of at most 1, so that products with them overflow no sooner than those with v itself.
///
/// Source: CB-GMRES article, sections 4 and 5 (fixed point with a normalization factor a vector). That the factor
/// is the largest entry itself wastes no bit; that the floating point formats have one too keeps float16's small
/// entries out of its subnormals, and vectors of equal entries exact.

#include <krylite/core/half.hpp>
#include <krylite/core/traits.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace krylite {

enum class BasisStorage {
  float64,
  float32,
  float16,
  bfloat16,
  int32,
  int16,
  bfp32,
  bfp16,
  automatic  ///< chosen before each cycle (solvers/detail/storage_control.hpp); no basis is stored so
};

/// Every storage that a basis can have, in the order in which tables show them.
inline constexpr std::array<BasisStorage, 8> all_basis_storages = {
    BasisStorage::float64, BasisStorage::float32,  BasisStorage::int32, BasisStorage::bfp32,
    BasisStorage::float16, BasisStorage::bfloat16, BasisStorage::int16, BasisStorage::bfp16};

/// The same, and the automatic choice among them.
inline std::vector<BasisStorage> all_basis_choices() {
  std::vector<BasisStorage> choices(all_basis_storages.begin(), all_basis_storages.end());
  choices.push_back(BasisStorage::automatic);
  return choices;
}

/// The storage's name on the command line and in JSON.
inline const char* name(BasisStorage storage) {
  switch (storage) {
    case BasisStorage::float64: return "float64";
    case BasisStorage::float32: return "float32";
    case BasisStorage::float16: return "float16";
    case BasisStorage::bfloat16: return "bfloat16";
    case BasisStorage::int32: return "int32";
    case BasisStorage::int16: return "int16";
    case BasisStorage::bfp32: return "bfp32";
    case BasisStorage::bfp16: return "bfp16";
    case BasisStorage::automatic: return "auto";
  }
  return "unknown";
}

/// An entry of a block that shares an exponent: value = mantissa 2^-31 2^e, or 2^-15 in 16 bits.
struct BlockFloat32 {
  std::int32_t mantissa;
};
struct BlockFloat16 {
  std::int16_t mantissa;
};

/// Entries that share an exponent, and the smallest exponent.
inline constexpr std::int64_t entries_per_exponent = 32;
inline constexpr int smallest_block_exponent = -100;

/// A code is one of `double, float, Float16, BFloat16, std::int32_t, std::int16_t, BlockFloat32, BlockFloat16`.
template <class Code>
inline constexpr bool is_fixed_point = std::is_integral_v<Code>;
template <class Code>
inline constexpr bool is_block_float = std::is_same_v<Code, BlockFloat32> || std::is_same_v<Code, BlockFloat16>;

/// What a code is a multiple of (times 2^e in a block): a power of two, so that to multiply by it is exact.
template <class Code>
constexpr double code_unit() {
  if (is_fixed_point<Code> || is_block_float<Code>) {
    return 0.5 / static_cast<double>(std::int64_t(1) << (8 * sizeof(Code) - 2));
  }
  return std::is_same_v<Code, Float16> ? 0x1p-15 : 1.0;
}

/// The factor of a vector whose largest magnitude is `largest`; 1 where it needs none, is zero, or so small that
/// the factor would be subnormal.
template <class Code>
double storage_factor(double largest) {
  if (std::is_same_v<Code, double>) return 1.0;
  // In blocks, the largest code that keeps the exponent 0.
  const double largest_code = 1.0 - (is_fixed_point<Code> ? 1 : is_block_float<Code> ? 2 : 0) * code_unit<Code>();
  const double factor = largest / largest_code;
  return factor >= std::numeric_limits<double>::min() ? factor : 1.0;
}

/// 2^exponent for -1022 <= exponent <= 1023.
KOKKOS_INLINE_FUNCTION double power_of_two(int exponent) {
  return detail::bit_copy<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// floor(log2(x)) of a normal x > 0.
KOKKOS_INLINE_FUNCTION int exponent_of(double x) {
  return static_cast<int>((detail::bit_copy<std::uint64_t>(x) >> 52) & 0x7ff) - 1023;
}

/// The exponent that a block of entries shares whose largest magnitude, divided by the vector's factor, is `largest`.
template <class Code>
KOKKOS_INLINE_FUNCTION int block_exponent(double largest) {
  // Entries that would round to a mantissa of 1 take the next exponent.
  const double bound = largest * (1.0 + code_unit<Code>());
  if (!(bound >= power_of_two(smallest_block_exponent))) return smallest_block_exponent;
  return exponent_of(bound) + 1;
}

/// The code of a value that was divided by the vector's factor (and by its block's power of two).
template <class Code>
KOKKOS_INLINE_FUNCTION Code encode(double value) {
  constexpr double units = 1.0 / code_unit<Code>();
  if constexpr (is_fixed_point<Code> || is_block_float<Code>) {
    // Rounds to nearest even, below 2^51; rint is a function call where the instruction set is that of every processor.
    constexpr double shift = 0x1.8p52;
    const double code = (value * units + shift) - shift;
    // What has no code is not finite, and shows elsewhere: it must only not be converted.
    const double in_range = code > -units && code < units ? code : 0;
    if constexpr (is_fixed_point<Code>) {
      return static_cast<Code>(in_range);
    } else {
      return Code{static_cast<decltype(Code::mantissa)>(in_range)};
    }
  } else {
    return static_cast<Code>(value * units);
  }
}

/// The value of a code, to be multiplied by the vector's factor (and by its block's power of two).
template <class Code>
KOKKOS_INLINE_FUNCTION double decode(Code code) {
  constexpr double unit = code_unit<Code>();
  if constexpr (is_block_float<Code>) {
    return static_cast<double>(code.mantissa) * unit;
  } else {
    return static_cast<double>(code) * unit;
  }
}

}  // namespace krylite

#endif
