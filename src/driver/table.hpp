#ifndef KRYLITE_SRC_DRIVER_TABLE_HPP
#define KRYLITE_SRC_DRIVER_TABLE_HPP

#include <string>
#include <utility>
#include <vector>

namespace krylite::driver {

/// Columns of text under a header and a rule: the first column to the left, the others to the right unless
/// told.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : header_(std::move(header)) {}

  /// Aligns a column to the left.
  void align_left(std::size_t column) { left_.push_back(column); }

  /// Adds a row; a row with fewer cells than the header ends in a text that may run over the other columns.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  std::string text() const;

 private:
  std::vector<std::size_t> widths() const;
  std::string line(const std::vector<std::string>& row, const std::vector<std::size_t>& widths) const;
  bool is_left(std::size_t column) const;

  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> left_ = {0};
};

/// "name   value" lines with the values aligned.
std::string key_value_text(const std::vector<std::pair<std::string, std::string>>& lines);

}  // namespace krylite::driver

#endif
