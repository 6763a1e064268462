#ifndef KRYLITE_SRC_IO_NUMBERS_HPP
#define KRYLITE_SRC_IO_NUMBERS_HPP

/// \file
/// Scanners for the numbers of a text file. All read from a text in which a character that belongs to no
/// number, such as a line end, is sure to come, so that they need no end.

#include <cstdint>

namespace krylite::detail::text {

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }
inline bool is_line_end(char c) { return c == '\n' || c == '\r'; }
inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
inline bool is_word_end(char c) { return is_blank(c) || is_line_end(c); }

/// Reads digits. Numbers of 2^63 and more become 2^63, one more than any size that is looked for.
/// \return the first character after them; `from` where there is none
inline const char* scan_digits(const char* from, std::uint64_t& number) {
  constexpr std::uint64_t too_large = std::uint64_t{1} << 63;
  number = 0;
  for (; is_digit(*from); ++from) {
    const std::uint64_t digit = static_cast<std::uint64_t>(*from - '0');
    number = number > (too_large - digit) / 10 ? too_large : number * 10 + digit;
  }
  return from;
}

/// What a word turned out to be as a decimal number.
enum class NumberStatus { ok, not_a_number, overflow };

/// A decimal number as it is written.
struct Decimal {
  double value = 0;           ///< valid only with status `ok`
  bool is_integer = true;     ///< neither point nor exponent
  const char* end = nullptr;  ///< the first character after it
  NumberStatus status = NumberStatus::ok;
};

/// Reads [sign] digits [. digits] [e|E|d|D [sign] digits], the double that is nearest to it; one too small
/// for a double is zero of the same sign.
Decimal scan_decimal(const char* from);

}  // namespace krylite::detail::text

#endif
