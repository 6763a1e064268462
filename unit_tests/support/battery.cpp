#include "support/battery.hpp"

#include <algorithm>

namespace krylite_test {

using krylite::Index;

HostCsr make_csr(Index num_cols, const Rows& rows) {
  std::int64_t entries = 0;
  for (const auto& row : rows) entries += static_cast<std::int64_t>(row.size());
  HostCsr::row_pointers_type row_pointers("row_pointers", rows.size() + 1);
  HostCsr::columns_type columns("columns", entries);
  HostCsr::values_type values("values", entries);
  std::int64_t k = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    row_pointers(r) = k;
    for (const auto& [column, value] : rows[r]) {
      columns(k) = column;
      values(k++) = value;
    }
  }
  row_pointers(rows.size()) = k;
  return HostCsr(static_cast<Index>(rows.size()), num_cols, row_pointers, columns, values);
}

HostCsr transposed(const HostCsr& csr) {
  Rows rows(csr.num_cols);
  csr.visit(0, csr.num_rows, [&](Index row, Index column, double value) { rows[column].push_back({row, value}); });
  return make_csr(csr.num_rows, rows);
}

namespace {

/// Rows whose lengths vary without a pattern, up to `longest`, columns spread over all.
HostCsr irregular(Index num_rows, Index num_cols, Index longest, std::uint64_t seed) {
  Rows rows(num_rows);
  for (Index r = 0; r < num_rows; ++r) {
    const auto length = static_cast<Index>((noise(r, seed) + 1) / 2 * (std::min(longest, num_cols) + 1));
    for (Index k = 0; k < length; ++k) {
      const auto column = static_cast<Index>((static_cast<std::int64_t>(k) * num_cols) / std::max(length, 1));
      rows[r].push_back({column, noise(r * 1000003ull + k, seed + 1)});
    }
  }
  return make_csr(num_cols, rows);
}

HostCsr identity(Index n) {
  Rows rows(n);
  for (Index r = 0; r < n; ++r) rows[r] = {{r, 1.0}};
  return make_csr(n, rows);
}

HostCsr dense_row(Index n, Index where) {
  Rows rows(n);
  for (Index r = 0; r < n; ++r) rows[r] = {{r, 2.0 + noise(r)}};
  rows[where].clear();
  for (Index c = 0; c < n; ++c) rows[where].push_back({c, noise(c, 7)});
  return make_csr(n, rows);
}

HostCsr dense_column(Index n, Index where) {
  Rows rows(n);
  for (Index r = 0; r < n; ++r) rows[r] = {{where, noise(r, 9)}, {r, 1.5}};
  return make_csr(n, rows);
}

/// Only the rows that `keep` admits have entries.
template <class Keep>
HostCsr some_rows(Index n, const Keep& keep) {
  Rows rows(n);
  for (Index r = 0; r < n; ++r) {
    for (Index k = 0; keep(r) && k < 1 + r % 5; ++k) rows[r].push_back({(r + 3 * k) % n, noise(r + k, 11)});
  }
  return make_csr(n, rows);
}

HostCsr unsorted_with_duplicates(Index n) {
  Rows rows(n);
  for (Index r = 0; r < n; ++r) {
    rows[r] = {{n - 1, 0.5}, {r, 3.0}, {0, -1.0}, {r, -0.25}, {n - 1, noise(r)}, {r / 2, 0.0}};
  }
  return make_csr(n, rows);
}

void add_shapes(std::vector<NamedMatrix>& all) {
  all.push_back({"0x0", make_csr(0, {})});
  all.push_back({"no arrays at all", HostCsr()});
  all.push_back({"1x0", make_csr(0, Rows(1))});
  all.push_back({"5x0", make_csr(0, Rows(5))});
  all.push_back({"0x7", make_csr(7, {})});
  all.push_back({"1x1", make_csr(1, {{{0, 2.5}}})});
  all.push_back({"1x1 empty", make_csr(1, Rows(1))});
  all.push_back({"2x3 of 5", make_csr(3, {{{0, 1}, {1, 2}, {2, 3}}, {{0, 4}, {2, 5}}})});
  all.push_back({"4x5", irregular(4, 5, 5, 21)});
  all.push_back({"5x4", irregular(5, 4, 4, 22)});
  all.push_back({"300x33", irregular(300, 33, 33, 23)});
  all.push_back({"17x5000", irregular(17, 5000, 900, 24)});
  all.push_back({"5000x3", irregular(5000, 3, 3, 25)});
  all.push_back({"identity 5", identity(5)});
}

void add_patterns(std::vector<NamedMatrix>& all) {
  all.push_back({"all rows empty", some_rows(70, [](Index) { return false; })});
  all.push_back({"first rows empty", some_rows(130, [](Index r) { return r >= 70; })});
  all.push_back({"middle rows empty", some_rows(200, [](Index r) { return r < 40 || r > 170; })});
  all.push_back({"last rows empty", some_rows(130, [](Index r) { return r < 40; })});
  all.push_back({"every other row empty", some_rows(99, [](Index r) { return r % 2 == 1; })});
  all.push_back({"1000x1000 of 20", some_rows(1000, [](Index r) { return r % 150 == 3; })});
  all.push_back({"dense first row", dense_row(500, 0)});
  all.push_back({"dense middle row", dense_row(515, 300)});
  all.push_back({"dense last row", dense_row(257, 256)});
  all.push_back({"dense column", dense_column(300, 17)});
  all.push_back({"unsorted, duplicates, zeros", unsorted_with_duplicates(67)});
  all.push_back({"five entries in one column", make_csr(2, {{{1, 0}, {1, 1}, {1, 2}, {1, 3}, {1, 4}}})});
  all.push_back({"explicit zeros", make_csr(3, {{{0, 0.0}, {1, 0.0}}, {}, {{2, 0.0}, {0, -0.0}}})});
  for (const Index group : {1, 2, 4, 8, 16, 32, 64, 128, 256}) {
    for (const Index n : {group - 1, group, group + 1, 2 * group + 1}) {
      if (n > 0) all.push_back({"irregular " + std::to_string(n), irregular(n, n, 12, 30 + n)});
    }
  }
}

}  // namespace

const std::vector<NamedMatrix>& single_precision_battery() {
  static const std::vector<NamedMatrix> all = [] {
    std::vector<NamedMatrix> matrices;
    add_shapes(matrices);
    add_patterns(matrices);
    return matrices;
  }();
  return all;
}

const std::vector<NamedMatrix>& battery() {
  static const std::vector<NamedMatrix> all = [] {
    std::vector<NamedMatrix> matrices = single_precision_battery();
    matrices.push_back({"extreme values", make_csr(4, {{{0, 5e-324}, {1, 1e300}, {2, -1e300}},
                                                       {{3, -0.0}, {0, 2e-310}},
                                                       {{1, 1e-300}, {2, 4e-309}},
                                                       {{0, 1e300}, {3, 1e-300}, {1, -0.0}}})});
    return matrices;
  }();
  return all;
}

}  // namespace krylite_test
