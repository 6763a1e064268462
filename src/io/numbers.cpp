#include "numbers.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

namespace krylite::detail::text {
namespace {

/// The parts of a decimal number: mantissa * 10^exponent, where the mantissa holds all digits as long as
/// there are at most 19 significant ones.
struct Parts {
  bool negative = false;
  bool has_point = false;
  bool has_exponent = false;
  std::uint64_t mantissa = 0;
  std::int64_t digits = 0;       ///< all digits of the mantissa
  std::int64_t significant = 0;  ///< those from the first that is not 0
  std::int64_t exponent = 0;
};

const char* scan_mantissa_digits(const char* p, Parts& parts) {
  for (; is_digit(*p); ++p) {
    const unsigned digit = static_cast<unsigned>(*p - '0');
    parts.mantissa = parts.mantissa * 10 + digit;  // wraps beyond 19 digits, where it is not used
    parts.significant += parts.significant > 0 || digit > 0;
    ++parts.digits;
  }
  return p;
}

/// Reads the exponent, if a whole one stands at `p`; returns `p` otherwise.
const char* scan_exponent(const char* p, Parts& parts) {
  if (*p != 'e' && *p != 'E' && *p != 'd' && *p != 'D') return p;
  const char* q = p + 1;
  const bool negative = *q == '-';
  if (*q == '-' || *q == '+') ++q;
  if (!is_digit(*q)) return p;
  constexpr std::uint64_t beyond_any_line = 1000000000;
  std::uint64_t magnitude = 0;
  q = scan_digits(q, magnitude);
  const std::int64_t exponent = static_cast<std::int64_t>(std::min(magnitude, beyond_any_line));
  parts.exponent += negative ? -exponent : exponent;
  parts.has_exponent = true;
  return q;
}

/// Reads the parts; returns the first character after them, or nullptr where there is no number.
const char* scan_parts(const char* p, Parts& parts) {
  parts.negative = *p == '-';
  if (*p == '-' || *p == '+') ++p;
  p = scan_mantissa_digits(p, parts);
  if (*p == '.') {
    const std::int64_t before_point = parts.digits;
    p = scan_mantissa_digits(p + 1, parts);
    parts.exponent = before_point - parts.digits;
    parts.has_point = true;
  }
  return parts.digits == 0 ? nullptr : scan_exponent(p, parts);
}

/// True, and the value, where one correctly rounded operation on two exact doubles gives it (W. D. Clinger,
/// How to read floating point numbers accurately, 1990).
bool exact_in_one_step(const Parts& parts, double& value) {
  static constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  constexpr std::uint64_t exact_integers = std::uint64_t{1} << 53;
  if (parts.significant > 19 || parts.mantissa > exact_integers) return false;
  if (parts.exponent < -22 || parts.exponent > 22) return false;
  const double mantissa = static_cast<double>(parts.mantissa);
  value = parts.exponent < 0 ? mantissa / powers[-parts.exponent] : mantissa * powers[parts.exponent];
  return true;
}

/// As std::from_chars, which knows no 'd' for the exponent: replaced in a copy, short ones on the stack.
std::from_chars_result convert(const char* first, const char* last, double& value) {
  const auto is_d = [](char c) { return c == 'd' || c == 'D'; };
  if (std::none_of(first, last, is_d)) return std::from_chars(first, last, value);
  char small[64];
  std::string large;
  const std::size_t length = static_cast<std::size_t>(last - first);
  if (length > sizeof small) large.resize(length);
  char* const copy = length > sizeof small ? large.data() : small;
  std::replace_copy_if(first, last, copy, is_d, 'e');
  return std::from_chars(copy, copy + length, value);
}

/// Any number, by the standard library.
NumberStatus convert_magnitude(const char* first, const char* last, const Parts& parts, double& value) {
  const std::from_chars_result result = convert(first, last, value);
  // Out of range is said of both ends: the number is 0.d1 d2 ... * 10^leading with d1 > 0.
  const std::int64_t leading = parts.significant + parts.exponent;
  if (result.ec == std::errc::result_out_of_range) value = leading > 0 ? HUGE_VAL : 0.0;
  return std::isinf(value) ? NumberStatus::overflow : NumberStatus::ok;
}

}  // namespace

Decimal scan_decimal(const char* from) {
  Decimal decimal;
  Parts parts;
  decimal.end = scan_parts(from, parts);
  if (decimal.end == nullptr) {
    decimal.end = from;
    decimal.status = NumberStatus::not_a_number;
    return decimal;
  }
  decimal.is_integer = !parts.has_point && !parts.has_exponent;
  double magnitude = 0;
  if (!exact_in_one_step(parts, magnitude)) {
    const char* const unsigned_from = from + (*from == '-' || *from == '+');
    decimal.status = convert_magnitude(unsigned_from, decimal.end, parts, magnitude);
  }
  decimal.value = parts.negative ? -magnitude : magnitude;
  return decimal;
}

}  // namespace krylite::detail::text
