#include <krylite/core/half.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

using krylite::BFloat16;
using krylite::Float16;

/// Value of a pattern by the definition of the format, without bit tricks.
double by_definition(unsigned bits, int exponent_bits, int mantissa_bits) {
  const unsigned mantissa = bits & ((1u << mantissa_bits) - 1);
  const int exponent = static_cast<int>((bits >> mantissa_bits) & ((1u << exponent_bits) - 1));
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double sign = (bits >> 15) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) {
    return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp(mantissa + (1u << mantissa_bits), exponent - bias - mantissa_bits);
}

template <class Half>
struct Widths;
template <>
struct Widths<Float16> {
  static constexpr int exponent = 5, mantissa = 10;
};
template <>
struct Widths<BFloat16> {
  static constexpr int exponent = 8, mantissa = 7;
};

template <class Half>
class HalfTest : public ::testing::Test {};
using Halves = ::testing::Types<Float16, BFloat16>;
TYPED_TEST_SUITE(HalfTest, Halves);

TYPED_TEST(HalfTest, EveryPatternWidensByDefinitionAndComesBack) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const auto half = TypeParam::from_bits(static_cast<std::uint16_t>(bits));
    const auto value = static_cast<double>(half);
    const double expected = by_definition(bits, Widths<TypeParam>::exponent, Widths<TypeParam>::mantissa);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(value)) << bits;
      EXPECT_TRUE(std::isnan(static_cast<double>(TypeParam(value)))) << bits;
    } else {
      ASSERT_EQ(value, expected) << bits;
      ASSERT_EQ(std::signbit(value), std::signbit(expected)) << bits;
      ASSERT_EQ(TypeParam(value).bits(), bits);
    }
  }
}

/// Between each two neighbours: just below the middle, the middle (to even), just above.
TYPED_TEST(HalfTest, RoundsToNearestEvenStraightFromDouble) {
  const unsigned infinity = ((1u << Widths<TypeParam>::exponent) - 1) << Widths<TypeParam>::mantissa;
  for (unsigned bits = 0; bits + 1 < infinity; ++bits) {
    const auto lower = static_cast<double>(TypeParam::from_bits(static_cast<std::uint16_t>(bits)));
    const auto upper = static_cast<double>(TypeParam::from_bits(static_cast<std::uint16_t>(bits + 1)));
    const double middle = lower + (upper - lower) / 2;
    ASSERT_EQ(TypeParam(std::nextafter(middle, 0.0)).bits(), bits);
    ASSERT_EQ(TypeParam(middle).bits(), bits % 2 == 0 ? bits : bits + 1);
    ASSERT_EQ(TypeParam(std::nextafter(middle, 1e300)).bits(), bits + 1);
    ASSERT_EQ(TypeParam(-middle).bits(), 0x8000u | (bits % 2 == 0 ? bits : bits + 1));
  }
}

TYPED_TEST(HalfTest, TooLargeBecomesInfinityAndTooSmallZero) {
  const unsigned infinity = ((1u << Widths<TypeParam>::exponent) - 1) << Widths<TypeParam>::mantissa;
  const auto largest = static_cast<double>(TypeParam::from_bits(static_cast<std::uint16_t>(infinity - 1)));
  const auto step = largest - static_cast<double>(TypeParam::from_bits(static_cast<std::uint16_t>(infinity - 2)));
  EXPECT_EQ(TypeParam(largest + 0.49 * step).bits(), infinity - 1);
  EXPECT_EQ(TypeParam(largest + 0.5 * step).bits(), infinity);
  EXPECT_EQ(TypeParam(1e300).bits(), infinity);
  EXPECT_EQ(TypeParam(std::numeric_limits<double>::infinity()).bits(), infinity);
  EXPECT_EQ(TypeParam(5e-324).bits(), 0u);
  EXPECT_EQ(TypeParam(-1e-300).bits(), 0x8000u);
}

}  // namespace
