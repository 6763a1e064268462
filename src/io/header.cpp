#include "header.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace krylite::detail {
namespace {

using text::LineScanner;

/// A word of the banner, in lower case.
struct Word {
  std::string text;
  std::string quoted;
};

Word take_banner_word(LineScanner& in, const char* name, const char* choices) {
  if (in.at_line_end()) in.fail("the banner ends before its ", name, ": ", choices, " expected");
  const std::string quoted = in.quoted_word();
  std::string word = in.take_word();
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  std::transform(word.begin(), word.end(), word.begin(), lower);
  return {word, quoted};
}

void read_object(LineScanner& in) {
  const Word word = take_banner_word(in, "object", "'matrix'");
  if (word.text != "matrix") in.fail("the object ", word.quoted, " is not supported, only 'matrix' is");
}

FileFormat read_format(LineScanner& in) {
  const Word word = take_banner_word(in, "format", "'coordinate' or 'array'");
  if (word.text == "coordinate") return FileFormat::coordinate;
  if (word.text == "array") return FileFormat::array;
  in.fail("unknown format ", word.quoted, ": 'coordinate' or 'array' expected");
}

/// \param complex whether the field is complex, which is refused once the symmetry is known
FileField read_field(LineScanner& in, bool& complex) {
  const Word word = take_banner_word(in, "field", "'real', 'integer' or 'pattern'");
  complex = word.text == "complex";
  if (word.text == "real" || complex) return FileField::real;
  if (word.text == "integer") return FileField::integer;
  if (word.text == "pattern") return FileField::pattern;
  in.fail("unknown field ", word.quoted, ": 'real', 'integer' or 'pattern' expected");
}

/// \param hermitian whether the symmetry is hermitian, which is refused with the field
FileSymmetry read_symmetry(LineScanner& in, bool& hermitian) {
  const char* const choices = "'general', 'symmetric' or 'skew-symmetric'";
  const Word word = take_banner_word(in, "symmetry", choices);
  hermitian = word.text == "hermitian";
  if (word.text == "general" || hermitian) return FileSymmetry::general;
  if (word.text == "symmetric") return FileSymmetry::symmetric;
  if (word.text == "skew-symmetric") return FileSymmetry::skew_symmetric;
  in.fail("unknown symmetry ", word.quoted, ": ", choices, " expected");
}

void check_combination(const LineScanner& in, const MatrixMarketHeader& header, bool complex,
                       bool hermitian) {
  if (complex) in.fail("complex matrices are not supported, only real, integer and pattern ones");
  if (hermitian) in.fail("a hermitian matrix must be complex, and complex matrices are not supported");
  if (header.field != FileField::pattern) return;
  if (header.format == FileFormat::array) in.fail("an array has no pattern: 'array pattern' is not legal");
  if (header.symmetry == FileSymmetry::skew_symmetric)
    in.fail("a pattern has no signs: 'pattern skew-symmetric' is not legal");
}

void read_banner(LineScanner& in, MatrixMarketHeader& header) {
  if (!in.next_line()) in.fail("the file is empty");
  std::string first = in.take_word();
  const auto upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; };
  std::transform(first.begin(), first.end(), first.begin(), upper);
  if (first != "%%MATRIXMARKET")
    in.fail("not a Matrix Market file: the first line must begin '%%MatrixMarket'");
  bool complex = false;
  bool hermitian = false;
  read_object(in);
  header.format = read_format(in);
  header.field = read_field(in, complex);
  header.symmetry = read_symmetry(in, hermitian);
  check_combination(in, header, complex, hermitian);
  if (!in.at_line_end()) in.fail("unexpected ", in.quoted_word(), " after the five words of the banner");
}

/// One number of the size line, at most `largest`.
std::int64_t read_size(LineScanner& in, const char* name, std::int64_t largest) {
  if (in.at_line_end()) in.fail("the size line ends before the number of ", name);
  const char* const first = in.cursor();
  if (*first == '-') in.fail("the number of ", name, " is negative: ", in.quoted_word());
  std::uint64_t size = 0;
  const char* const digits = first + (*first == '+');
  const char* const end = text::scan_digits(digits, size);
  if (end == digits || !text::is_word_end(*end))
    in.fail("the number of ", name, " is not a whole number: ", in.quoted_word());
  if (size > static_cast<std::uint64_t>(largest)) {
    const int bits = largest == std::numeric_limits<Index>::max() ? 32 : 64;
    in.fail("the number of ", name, ", ", in.quoted_word(), ", does not fit ", bits, "-bit indices");
  }
  in.set_cursor(end);
  return static_cast<std::int64_t>(size);
}

/// Numbers that an array file holds: below 2^62, since the extents are below 2^31.
std::int64_t array_entries(const MatrixMarketHeader& header) {
  const std::int64_t rows = header.num_rows;
  if (header.symmetry == FileSymmetry::symmetric) return rows * (rows + 1) / 2;
  if (header.symmetry == FileSymmetry::skew_symmetric) return rows == 0 ? 0 : rows * (rows - 1) / 2;
  return rows * header.num_cols;
}

void read_sizes(LineScanner& in, MatrixMarketHeader& header) {
  constexpr std::int64_t largest_index = std::numeric_limits<Index>::max();
  if (!in.next_content_line()) in.fail("the file ends before the size line");
  header.size_line = in.line();
  header.num_rows = static_cast<Index>(read_size(in, "rows", largest_index));
  header.num_cols = static_cast<Index>(read_size(in, "columns", largest_index));
  const bool is_coordinate = header.format == FileFormat::coordinate;
  header.num_entries = is_coordinate ? read_size(in, "entries", std::numeric_limits<std::int64_t>::max())
                                     : array_entries(header);
  if (!in.at_line_end())
    in.fail("unexpected ", in.quoted_word(), " after the ", is_coordinate ? "three" : "two",
            " numbers of the size line");
  if (header.symmetry != FileSymmetry::general && header.num_rows != header.num_cols)
    in.fail("a matrix of ", header.num_rows, " x ", header.num_cols, " cannot be symmetric");
  if (header.num_entries > 0 && (header.num_rows == 0 || header.num_cols == 0))
    in.fail("a matrix of ", header.num_rows, " x ", header.num_cols, " has no entries, but ",
            header.num_entries, " announced");
}

}  // namespace

MatrixMarketHeader read_header(LineScanner& in) {
  MatrixMarketHeader header;
  read_banner(in, header);
  read_sizes(in, header);
  return header;
}

}  // namespace krylite::detail
