#include <algorithm>
#include <cmath>
#include <krylite/io/matrix_market.hpp>
#include <new>
#include <stdexcept>

#include "header.hpp"
#include "line_scanner.hpp"

namespace krylite {
namespace detail {
namespace {

using text::LineScanner;

/// Collects entries; memory grows with what the file holds, and is asked for before it is taken.
class EntryCollector {
 public:
  EntryCollector(LineScanner& in, const MatrixMarketHeader& header) : in_(in), symmetry_(header.symmetry) {
    entries_.num_rows = header.num_rows;
    entries_.num_cols = header.num_cols;
    if (header.format == FileFormat::coordinate) reserve_announced(header);
  }

  /// Adds an entry and, where the matrix is symmetric, its image.
  void add(Index row, Index column, double value) {
    push(row, column, value);
    if (symmetry_ == FileSymmetry::general || row == column) return;
    push(column, row, symmetry_ == FileSymmetry::symmetric ? value : -value);
  }

  Coordinates take() { return std::move(entries_); }

 private:
  void push(Index row, Index column, double value) {
    if (entries_.rows.size() == capacity_) reserve(std::max(std::size_t{1024}, 2 * capacity_));
    entries_.rows.push_back(row);
    entries_.columns.push_back(column);
    entries_.values.push_back(value);
  }

  /// Room for the announced entries, unless the file is too short to hold them.
  void reserve_announced(const MatrixMarketHeader& header) {
    const std::uint64_t shortest_line = header.field == FileField::pattern ? 4 : 6;  // "1 1\n", "1 1 1\n"
    const std::uint64_t most_bytes = in_.most_bytes();
    if (most_bytes == std::numeric_limits<std::uint64_t>::max()) return;
    const std::uint64_t announced = static_cast<std::uint64_t>(header.num_entries);
    const std::uint64_t possible = std::min(announced, most_bytes / shortest_line + 1);
    reserve(possible * (symmetry_ == FileSymmetry::general ? 1 : 2));
  }

  void reserve(std::size_t count) {
    const std::string purpose = std::to_string(count) + " entries";
    try {
      constexpr std::size_t entry_bytes = 2 * sizeof(Index) + sizeof(double);
      require_memory<Kokkos::HostSpace>(count * entry_bytes, purpose);
      entries_.rows.reserve(count);
      entries_.columns.reserve(count);
      entries_.values.reserve(count);
    } catch (const Error& error) {
      in_.fail(error.what());
    } catch (const std::exception&) {
      in_.fail("not enough memory for ", purpose);
    }
    capacity_ = count;
  }

  LineScanner& in_;
  FileSymmetry symmetry_;
  Coordinates entries_;
  std::size_t capacity_ = 0;
};

[[noreturn]] void fail_index(LineScanner& in, const char* name, Index extent) {
  if (in.at_line_end()) in.fail("the ", name, " index is missing");
  const char* const first = in.cursor();
  const bool has_sign = *first == '-' || *first == '+';
  std::uint64_t index = 0;
  const char* const end = text::scan_digits(first + has_sign, index);
  if (end == first + has_sign || !text::is_word_end(*end))
    in.fail("the ", name, " index is not a whole number: ", in.quoted_word());
  if (*first == '-' || index == 0)
    in.fail("the ", name, " index ", in.quoted_word(), " is below 1, where counting starts");
  in.fail("the ", name, " index ", in.quoted_word(), " is beyond the ", extent, " ", name, "s");
}

/// An index of 1 to `extent`, returned counted from 0.
Index read_index(LineScanner& in, const char* name, Index extent) {
  in.skip_blanks();
  const char* const first = in.cursor();
  const char* const digits = first + (*first == '+');
  std::uint64_t index = 0;
  const char* const end = text::scan_digits(digits, index);
  // 0 wraps to the largest number, so that one comparison checks both ends.
  const bool legal = index - 1 < static_cast<std::uint64_t>(extent) && text::is_word_end(*end);
  if (!legal) fail_index(in, name, extent);
  in.set_cursor(end);
  return static_cast<Index>(index - 1);
}

/// Whether the word at the cursor means infinity or not-a-number, in C's, Fortran's or MATLAB's spelling.
bool is_not_finite(const char* word) {
  if (*word == '-' || *word == '+') ++word;
  const auto begins = [word](const char* name) {
    for (int i = 0; name[i] != '\0'; ++i)
      if ((word[i] | 0x20) != name[i]) return false;
    return true;
  };
  return begins("inf") || begins("nan");
}

[[noreturn]] void fail_value(LineScanner& in, const text::Decimal& decimal, bool integer) {
  if (in.at_line_end()) in.fail("the value is missing");
  const std::string word = in.quoted_word();
  if (is_not_finite(in.cursor())) in.fail("the value ", word, " is not finite, which the format lacks");
  if (decimal.status == text::NumberStatus::not_a_number || !text::is_word_end(*decimal.end))
    in.fail("the value ", word, " is not a number");
  if (integer && !decimal.is_integer) in.fail("the value ", word, " is not an integer, as the banner says");
  in.fail("the value ", word, " is too large for the floating-point type");
}

/// A value of magnitude below `limit`.
double read_value(LineScanner& in, bool integer, double limit) {
  in.skip_blanks();
  const text::Decimal decimal = text::scan_decimal(in.cursor());
  const bool legal = decimal.status == text::NumberStatus::ok && text::is_word_end(*decimal.end) &&
                     (decimal.is_integer || !integer) && std::fabs(decimal.value) < limit;
  if (!legal) fail_value(in, decimal, integer);
  in.set_cursor(decimal.end);
  return decimal.value;
}

void check_line_end(LineScanner& in) {
  if (!in.at_line_end()) in.fail("unexpected ", in.quoted_word(), " after the entry");
}

void check_triangle(const LineScanner& in, FileSymmetry symmetry, Index row, Index column) {
  if (symmetry == FileSymmetry::general || row > column) return;
  if (row < column)
    in.fail("entry (", row + 1, ", ", column + 1,
            ") is above the diagonal: a file of symmetry holds the lower", " triangle alone");
  if (symmetry == FileSymmetry::skew_symmetric)
    in.fail("entry (", row + 1, ", ", column + 1,
            ") is on the diagonal, which a skew-symmetric file leaves out");
}

void next_entry_line(LineScanner& in, const MatrixMarketHeader& header, std::int64_t done) {
  if (!in.next_content_line()) in.fail("the file ends after ", done, " of ", header.num_entries, " entries");
}

void check_file_end(LineScanner& in, const MatrixMarketHeader& header) {
  if (in.next_content_line())
    in.fail("one entry more than the ", header.num_entries, " of the size line (line ", header.size_line,
            ")");
}

void read_coordinate_entries(LineScanner& in, const MatrixMarketHeader& header, double limit,
                             EntryCollector& entries) {
  const bool pattern = header.field == FileField::pattern;
  const bool integer = header.field == FileField::integer;
  for (std::int64_t k = 0; k < header.num_entries; ++k) {
    next_entry_line(in, header, k);
    const Index row = read_index(in, "row", header.num_rows);
    const Index column = read_index(in, "column", header.num_cols);
    const double value = pattern ? 1.0 : read_value(in, integer, limit);
    check_line_end(in);
    check_triangle(in, header.symmetry, row, column);
    entries.add(row, column, value);
  }
  check_file_end(in, header);
}

/// Calls `use(row, column, value)` for each number of an array file.
template <class Use>
void read_array_entries(LineScanner& in, const MatrixMarketHeader& header, double limit, const Use& use) {
  const bool integer = header.field == FileField::integer;
  const bool general = header.symmetry == FileSymmetry::general;
  const Index below_diagonal = header.symmetry == FileSymmetry::skew_symmetric ? 1 : 0;
  std::int64_t done = 0;
  // Without rows there is nothing to read, however many columns are announced.
  const Index columns = header.num_entries == 0 ? 0 : header.num_cols;
  for (Index column = 0; column < columns; ++column) {
    for (Index row = general ? 0 : column + below_diagonal; row < header.num_rows; ++row, ++done) {
      next_entry_line(in, header, done);
      const double value = read_value(in, integer, limit);
      check_line_end(in);
      use(row, column, value);
    }
  }
  check_file_end(in, header);
}

Coordinates read_entries(LineScanner& in, const MatrixMarketHeader& header, double limit) {
  EntryCollector entries(in, header);
  if (header.format == FileFormat::coordinate) {
    read_coordinate_entries(in, header, limit, entries);
  } else {
    read_array_entries(in, header, limit, [&](Index row, Index column, double value) {
      if (value != 0) entries.add(row, column, value);
    });
  }
  return entries.take();
}

using HostVector = Kokkos::View<double*, Kokkos::HostSpace>;

/// A vector of zeros; errors name the file.
HostVector make_vector(const LineScanner& in, std::size_t length) {
  try {
    require_memory<Kokkos::HostSpace>(length * sizeof(double), "a vector of " + std::to_string(length));
    return HostVector("krylite::io::vector", length);
  } catch (const std::exception& error) {
    fail_file(in.path(), error);
  }
}

/// The numbers of an array file; its length is believed only once that many numbers have been read.
HostVector read_array_vector(LineScanner& in, const MatrixMarketHeader& header, double limit) {
  std::vector<double> numbers;
  try {
    const auto append = [&](Index, Index, double value) { numbers.push_back(value); };
    read_array_entries(in, header, limit, append);
  } catch (const std::bad_alloc&) {
    in.fail("not enough memory for ", header.num_entries, " numbers");
  }
  // A skew-symmetric 1 x 1 matrix is a zero that is not in the file.
  const bool is_scalar = header.num_rows == 1 && header.num_cols == 1;
  const std::size_t length = is_scalar ? 1 : numbers.size();
  const HostVector vector = make_vector(in, length);
  std::copy(numbers.begin(), numbers.end(), vector.data());
  return vector;
}

HostVector read_coordinate_vector(LineScanner& in, const MatrixMarketHeader& header, double limit) {
  const Coordinates entries = read_entries(in, header, limit);
  const std::size_t length = static_cast<std::size_t>(
      header.num_rows == 0 || header.num_cols == 0 ? 0 : std::max(header.num_rows, header.num_cols));
  const HostVector vector = make_vector(in, length);
  std::vector<bool> is_set(length, false);
  for (std::size_t k = 0; k < entries.values.size(); ++k) {
    const std::size_t place = static_cast<std::size_t>(std::max(entries.rows[k], entries.columns[k]));
    // The first one is not added to 0, which would turn -0 into 0.
    vector(place) = is_set[place] ? vector(place) + entries.values[k] : entries.values[k];
    is_set[place] = true;
    require(std::isfinite(vector(place)), in.path(), ": the sum of the duplicates of entry ", place + 1,
            " is too large for a double");
  }
  return vector;
}

}  // namespace

void fail_file(const std::string& path, const std::exception& error) {
  std::string message = error.what();
  while (!message.empty() && message.back() == '\n') message.pop_back();
  std::replace(message.begin(), message.end(), '\n', ' ');
  fail(path, ": ", message);
}

Coordinates read_coordinates(const std::string& path, double limit) {
  LineScanner in(path);
  const MatrixMarketHeader header = read_header(in);
  return read_entries(in, header, limit);
}

}  // namespace detail

Coordinates read_matrix_market_coordinates(const std::string& path) {
  return detail::read_coordinates(path, detail::overflow_magnitude<double>());
}

Kokkos::View<double*, Kokkos::HostSpace> read_matrix_market_vector(const std::string& path) {
  constexpr double limit = detail::overflow_magnitude<double>();
  detail::text::LineScanner in(path);
  const detail::MatrixMarketHeader header = detail::read_header(in);
  if (header.num_rows != 1 && header.num_cols != 1)
    in.fail("a vector is n x 1 or 1 x n, not ", header.num_rows, " x ", header.num_cols);
  if (header.format == detail::FileFormat::array) return detail::read_array_vector(in, header, limit);
  return detail::read_coordinate_vector(in, header, limit);
}

}  // namespace krylite
