#ifndef KRYLITE_SRC_DRIVER_TEXT_HPP
#define KRYLITE_SRC_DRIVER_TEXT_HPP

/// \file
/// Numbers and messages as people read them, the same in every locale.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace krylite::driver {

/// "12.3", with `digits` digits after the point.
std::string fixed(double value, int digits);

/// "1.2e-10", with `digits` digits after the point.
std::string scientific(double value, int digits);

/// About three significant digits, without an exponent: "0.0123", "1.23", "12.3", "123", "12345".
std::string three_digits(double value);

/// "1,234,567".
std::string grouped(std::int64_t value);

/// "16.0 GiB".
std::string bytes_text(std::size_t bytes);

/// "4.1 %" of a fraction.
std::string percent(double fraction);

/// The fewest digits that give the number back; 1e300 for what is not finite.
std::string shortest(double value);

/// "a, b, c".
std::string join(const std::vector<std::string>& parts, const std::string& separator = ", ");

/// The parts between the separators; one empty part for an empty text.
std::vector<std::string> split(const std::string& text, char separator);

/// `text` with line breaks and other control characters turned into single spaces.
std::string one_line(const std::string& text);

/// "krylite: `text`" as one line on standard error.
void print_error(const std::string& text);

}  // namespace krylite::driver

#endif
