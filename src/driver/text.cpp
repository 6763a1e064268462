#include "text.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <iomanip>
#include <krylite/core/memory.hpp>
#include <locale>
#include <sstream>

namespace krylite::driver {
namespace {

std::ostringstream classic_stream(int digits) {
  std::ostringstream stream;
  stream.imbue(std::locale::classic());
  stream << std::setprecision(digits);
  return stream;
}

}  // namespace

std::string fixed(double value, int digits) {
  std::ostringstream stream = classic_stream(digits);
  stream << std::fixed << value;
  return stream.str();
}

std::string scientific(double value, int digits) {
  std::ostringstream stream = classic_stream(digits);
  stream << std::scientific << value;
  return stream.str();
}

std::string three_digits(double value) {
  if (!(std::fabs(value) > 0)) return fixed(value, 0);
  const int magnitude = static_cast<int>(std::floor(std::log10(std::fabs(value))));
  return fixed(value, magnitude >= 2 ? 0 : 2 - magnitude);
}

std::string grouped(std::int64_t value) {
  std::string digits = std::to_string(value);
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t position = digits.size(); position > first + 3;) {
    position -= 3;
    digits.insert(position, 1, ',');
  }
  return digits;
}

std::string bytes_text(std::size_t bytes) { return krylite::detail::human_bytes(bytes); }

std::string percent(double fraction) { return fixed(100 * fraction, 1) + " %"; }

std::string shortest(double value) {
  char digits[32];
  const double finite_value = std::isfinite(value) ? value : 1e300;
  return std::string(digits, std::to_chars(digits, digits + sizeof digits, finite_value).ptr);
}

std::string join(const std::vector<std::string>& parts, const std::string& separator) {
  std::string joined;
  for (const auto& part : parts) joined += (joined.empty() ? "" : separator) + part;
  return joined;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(separator, begin)) != std::string::npos; begin = end + 1) {
    parts.push_back(text.substr(begin, end - begin));
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::string one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    if (!is_control) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

void print_error(const std::string& text) { std::fprintf(stderr, "krylite: %s\n", one_line(text).c_str()); }

}  // namespace krylite::driver
