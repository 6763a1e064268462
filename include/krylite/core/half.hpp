#ifndef KRYLITE_CORE_HALF_HPP
#define KRYLITE_CORE_HALF_HPP

/// \file
/// 16-bit floating point types that take 2 bytes everywhere (Kokkos' half is a 4-byte float on hosts).
/// They only store: arithmetic is done in double after an exact widening. Narrowing rounds once, straight from
/// double, to nearest even; what is too large becomes infinity, and subnormals are kept.
///
///     Float16    1 sign, 5 exponent, 10 mantissa bits   unit roundoff 2^-11   largest 65504
///     BFloat16   1 sign, 8 exponent,  7 mantissa bits   unit roundoff 2^-8    largest 3.39e38

#include <krylite/core/traits.hpp>

#include <cstdint>
#include <cstring>

namespace krylite {
namespace detail {

template <class To, class From>
KOKKOS_INLINE_FUNCTION To bit_copy(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "bit_copy keeps the size");
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

/// Bits of `value` rounded to nearest even in the IEEE format with the given widths.
template <int ExponentBits, int MantissaBits>
KOKKOS_INLINE_FUNCTION std::uint16_t narrow(double value) {
  constexpr int shift = 52 - MantissaBits;
  constexpr std::uint64_t infinity = ((std::uint64_t(1) << ExponentBits) - 1) << MantissaBits;
  constexpr std::uint64_t bias_difference = std::uint64_t(1023 - ((1 << (ExponentBits - 1)) - 1)) << MantissaBits;
  // The double whose last bit weighs as much as the smallest subnormal: adding it rounds to subnormals.
  constexpr std::uint64_t rounder = std::uint64_t(1023 + 52 + 2 - (1 << (ExponentBits - 1)) - MantissaBits) << 52;

  const auto bits = bit_copy<std::uint64_t>(value);
  const std::uint64_t magnitude = bits & 0x7fffffffffffffffull;
  const std::uint64_t half_even = ((std::uint64_t(1) << (shift - 1)) - 1) + ((magnitude >> shift) & 1);
  const std::uint64_t normal = ((magnitude + half_even) >> shift) - bias_difference;
  const std::uint64_t subnormal =
      bit_copy<std::uint64_t>(bit_copy<double>(magnitude) + bit_copy<double>(rounder)) - rounder;
  const bool is_subnormal = magnitude < ((bias_difference >> MantissaBits) + 1) << 52;
  std::uint64_t result = is_subnormal ? subnormal : normal;
  result = result > infinity ? infinity : result;
  result = magnitude > 0x7ff0000000000000ull ? infinity + (std::uint64_t(1) << (MantissaBits - 1)) : result;
  return static_cast<std::uint16_t>(result | ((bits >> 63) << 15));
}

}  // namespace detail

/// IEEE binary16.
class Float16 {
 public:
  Float16() = default;
  KOKKOS_INLINE_FUNCTION explicit Float16(double value) : bits_(detail::narrow<5, 10>(value)) {}

  KOKKOS_INLINE_FUNCTION explicit operator double() const {
    // Both results are formed and one is masked in: without a branch, loops over entries vectorize.
    const std::uint32_t magnitude = bits_ & 0x7fffu;
    const std::uint32_t is_special = -static_cast<std::uint32_t>(magnitude >= 0x7c00u);
    const std::uint32_t is_subnormal = -static_cast<std::uint32_t>(magnitude < 0x0400u);
    const std::uint32_t normal = (magnitude << 13) + (112u << 23) + (is_special & (112u << 23));
    const float small = static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24f;
    const auto subnormal = detail::bit_copy<std::uint32_t>(small);
    const std::uint32_t bits = (subnormal & is_subnormal) | (normal & ~is_subnormal);
    return detail::bit_copy<float>(bits | (std::uint32_t(bits_ & 0x8000u) << 16));
  }

  KOKKOS_INLINE_FUNCTION std::uint16_t bits() const { return bits_; }

  KOKKOS_INLINE_FUNCTION static Float16 from_bits(std::uint16_t bits) {
    Float16 result;
    result.bits_ = bits;
    return result;
  }

 private:
  std::uint16_t bits_;
};

/// The upper half of an IEEE binary32.
class BFloat16 {
 public:
  BFloat16() = default;
  KOKKOS_INLINE_FUNCTION explicit BFloat16(double value) : bits_(detail::narrow<8, 7>(value)) {}

  KOKKOS_INLINE_FUNCTION explicit operator double() const {
    return detail::bit_copy<float>(std::uint32_t(bits_) << 16);
  }

  KOKKOS_INLINE_FUNCTION std::uint16_t bits() const { return bits_; }

  KOKKOS_INLINE_FUNCTION static BFloat16 from_bits(std::uint16_t bits) {
    BFloat16 result;
    result.bits_ = bits;
    return result;
  }

 private:
  std::uint16_t bits_;
};

static_assert(sizeof(Float16) == 2 && sizeof(BFloat16) == 2, "16-bit storage takes 2 bytes");

}  // namespace krylite

#endif
