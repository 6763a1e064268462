#include "table.hpp"

#include <algorithm>

namespace krylite::driver {
namespace {

const std::string gap = "  ";

std::string without_end_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

bool Table::is_left(std::size_t column) const {
  return std::find(left_.begin(), left_.end(), column) != left_.end();
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (const auto& title : header_) widths.push_back(title.size());
  for (const auto& row : rows_) {
    // The text that ends a short row does not widen its column.
    const std::size_t cells = row.size() < header_.size() ? row.size() - 1 : row.size();
    for (std::size_t column = 0; column < cells; ++column) {
      widths[column] = std::max(widths[column], row[column].size());
    }
  }
  return widths;
}

std::string Table::line(const std::vector<std::string>& row, const std::vector<std::size_t>& widths) const {
  std::string line;
  for (std::size_t column = 0; column < row.size(); ++column) {
    const std::string& cell = row[column];
    const std::size_t padding = widths[column] > cell.size() ? widths[column] - cell.size() : 0;
    const bool left = is_left(column) || (row.size() < header_.size() && column + 1 == row.size());
    line += column == 0 ? "" : gap;
    line += left ? cell + std::string(padding, ' ') : std::string(padding, ' ') + cell;
  }
  return without_end_spaces(line) + "\n";
}

std::string Table::text() const {
  const std::vector<std::size_t> all_widths = widths();
  std::size_t total = gap.size() * (all_widths.size() - 1);
  for (const std::size_t width : all_widths) total += width;
  std::string text = line(header_, all_widths) + std::string(total, '-') + "\n";
  for (const auto& row : rows_) text += line(row, all_widths);
  return text;
}

std::string key_value_text(const std::vector<std::pair<std::string, std::string>>& lines) {
  std::size_t width = 0;
  for (const auto& [key, value] : lines) width = std::max(width, key.size());
  std::string text;
  for (const auto& [key, value] : lines) {
    text += without_end_spaces(key + std::string(width - key.size(), ' ') + gap + value) + "\n";
  }
  return text;
}

}  // namespace krylite::driver
