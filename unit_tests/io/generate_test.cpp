#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <krylite/formats/statistics.hpp>
#include <krylite/io/generate.hpp>
#include <limits>
#include <numeric>
#include <vector>

namespace {

using krylite::HostCsr;
using krylite::Index;

HostCsr make(const std::string& text) { return krylite::generate(krylite::parse_generator(text)); }

std::vector<std::vector<double>> dense(const HostCsr& matrix) {
  std::vector<std::vector<double>> result(static_cast<std::size_t>(matrix.num_rows),
                                          std::vector<double>(static_cast<std::size_t>(matrix.num_cols)));
  for (Index row = 0; row < matrix.num_rows; ++row) {
    for (auto k = matrix.row_pointers(row); k < matrix.row_pointers(row + 1); ++k) {
      result[std::size_t(row)][std::size_t(matrix.columns(k))] += matrix.values(k);
    }
  }
  return result;
}

std::int64_t row_length(const HostCsr& matrix, Index row) {
  return matrix.row_pointers(row + 1) - matrix.row_pointers(row);
}

/// Columns ascend in every row and lie within the matrix; no value is 0 or not finite.
void expect_well_formed(const HostCsr& matrix) {
  ASSERT_EQ(matrix.row_pointers(0), 0);
  ASSERT_EQ(matrix.row_pointers(matrix.num_rows), matrix.num_entries());
  for (Index row = 0; row < matrix.num_rows; ++row) {
    Index previous = -1;
    for (auto k = matrix.row_pointers(row); k < matrix.row_pointers(row + 1); ++k) {
      ASSERT_GT(matrix.columns(k), previous) << "row " << row;
      ASSERT_TRUE(std::isfinite(matrix.values(k)) && matrix.values(k) != 0.0) << "row " << row;
      previous = matrix.columns(k);
    }
    ASSERT_LT(previous, matrix.num_cols);
  }
}

void expect_dominant(const HostCsr& matrix) {
  for (Index row = 0; row < matrix.num_rows; ++row) {
    if (row_length(matrix, row) == 0) continue;
    double diagonal = 0;
    double others = 0;
    for (auto k = matrix.row_pointers(row); k < matrix.row_pointers(row + 1); ++k) {
      (matrix.columns(k) == row ? diagonal : others) += std::fabs(matrix.values(k));
    }
    ASSERT_GT(diagonal, others) << "row " << row;
  }
}

/// A hash (FNV-1a) of everything that the matrix holds.
std::uint64_t fingerprint(const HostCsr& matrix) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](std::uint64_t word) {
    for (int byte = 0; byte < 8; ++byte, word >>= 8) hash = (hash ^ (word & 0xff)) * 0x100000001b3u;
  };
  add(static_cast<std::uint64_t>(matrix.num_rows));
  add(static_cast<std::uint64_t>(matrix.num_cols));
  for (std::size_t k = 0; k < matrix.row_pointers.extent(0); ++k) add(std::uint64_t(matrix.row_pointers(k)));
  for (std::size_t k = 0; k < matrix.values.extent(0); ++k) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &matrix.values(k), sizeof bits);
    add(static_cast<std::uint64_t>(matrix.columns(k)));
    add(bits);
  }
  return hash;
}

/// Whether Cholesky's factorisation of the matrix exists.
bool positive_definite(const HostCsr& matrix) {
  auto a = dense(matrix);
  for (std::size_t j = 0; j < a.size(); ++j) {
    for (std::size_t k = 0; k < j; ++k) a[j][j] -= a[j][k] * a[j][k];
    if (!(a[j][j] > 0)) return false;
    a[j][j] = std::sqrt(a[j][j]);
    for (std::size_t i = j + 1; i < a.size(); ++i) {
      for (std::size_t k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
      a[i][j] /= a[j][j];
    }
  }
  return true;
}

// Small enough for a test, large enough for every branch.
const char* const every_kind[] = {
    "gen:poisson2d:7",   "gen:poisson3d:5",        "gen:stencil27:5", "gen:convection-diffusion:5",
    "gen:anisotropic:7", "gen:elasticity:4",       "gen:rmat:9",      "gen:circuit:5000",
    "gen:web:5000",      "gen:lp:30:columns=9000", "gen:arrow:40",    "gen:diagonal-plus-dense-row:41"};

TEST(Generate, EveryKindIsWellFormed) {
  for (const std::string text : every_kind) {
    SCOPED_TRACE(text);
    expect_well_formed(make(text));
    expect_well_formed(make(text + ":shuffle=3"));
  }
}

TEST(Generate, EveryKindTakesSizeOne) {
  for (const auto& kind : krylite::generator_kinds()) {
    SCOPED_TRACE(kind.name);
    const HostCsr matrix = make("gen:" + kind.name + ":1:shuffle=0");
    expect_well_formed(matrix);
    EXPECT_EQ(matrix.num_rows, kind.name == "rmat" ? 2 : kind.name == "elasticity" ? 3 : 1);
  }
}

TEST(Generate, TinyRandomKindsFillUpWithoutDuplicates) {
  for (int n = 2; n < 40; ++n) {
    for (const char* kind : {"circuit", "web", "lp"}) {
      const std::string text = std::string("gen:") + kind + ":" + std::to_string(n);
      SCOPED_TRACE(text);
      expect_well_formed(make(text));
    }
  }
}

TEST(Generate, Poisson2dByHand) {
  const std::vector<std::vector<double>> expected = {
      {4, -1, -1, 0}, {-1, 4, 0, -1}, {-1, 0, 4, -1}, {0, -1, -1, 4}};
  EXPECT_EQ(dense(make("gen:poisson2d:2")), expected);
  EXPECT_EQ(make("gen:poisson2d:2").num_entries(), 12);
}

TEST(Generate, Poisson3dCountsAndRowSums) {
  const HostCsr matrix = make("gen:poisson3d:3");
  EXPECT_EQ(matrix.num_rows, 27);
  EXPECT_EQ(matrix.num_entries(), 7 * 27 - 6 * 9);
  const auto a = dense(matrix);
  EXPECT_EQ(std::accumulate(a[13].begin(), a[13].end(), 0.0), 0.0);
  EXPECT_EQ(std::accumulate(a[0].begin(), a[0].end(), 0.0), 3.0);
  EXPECT_EQ(a[13][13 - 9], -1.0);
  EXPECT_EQ(a[13][13 + 3], -1.0);
  EXPECT_TRUE(krylite::statistics(matrix).value_symmetric);
}

TEST(Generate, Stencil27) {
  const HostCsr matrix = make("gen:stencil27:3");
  EXPECT_EQ(matrix.num_entries(), 7 * 7 * 7);
  EXPECT_EQ(row_length(matrix, 13), 27);
  EXPECT_EQ(row_length(matrix, 0), 8);
  const auto a = dense(matrix);
  for (std::size_t column = 0; column < 27; ++column) {
    EXPECT_EQ(a[13][column], column == 13 ? 26.0 + 1e-3 : -1.0);
  }
  EXPECT_TRUE(krylite::statistics(matrix).value_symmetric);
}

TEST(Generate, AnisotropicByHand) {
  const double d = 2 + 2 * 0.25 + 1e-4;
  const std::vector<std::vector<double>> expected = {
      {d, -1, -0.25, 0}, {-1, d, 0, -0.25}, {-0.25, 0, d, -1}, {0, -0.25, -1, d}};
  EXPECT_EQ(dense(make("gen:anisotropic:2:eps=0.25")), expected);
  EXPECT_EQ(dense(make("gen:anisotropic:2")), dense(make("gen:anisotropic:2:eps=0.01")));
}

TEST(Generate, ConvectionDiffusionByTheFormula) {
  const int n = 3;
  const double peclet = 12.5;
  const double h = 1.0 / (n + 1);
  const auto a = dense(make("gen:convection-diffusion:3:peclet=12.5"));
  for (int r = 0; r < n * n * n; ++r) {
    for (int s = 0; s < n * n * n; ++s) {
      const int step[3] = {s / 9 - r / 9, s / 3 % 3 - r / 3 % 3, s % 3 - r % 3};
      const double x = (r / 9 + 1) * h;
      const double y = (r / 3 % 3 + 1) * h;
      const double v[3] = {peclet * std::sin(3 * y), -peclet * std::cos(2 * x), peclet / 2};
      double expected = r == s ? 6 : 0;
      if (std::abs(step[0]) + std::abs(step[1]) + std::abs(step[2]) == 1) {
        expected = -1 + h / 2 * (step[0] * v[0] + step[1] * v[1] + step[2] * v[2]);
      }
      EXPECT_NEAR(a[std::size_t(r)][std::size_t(s)], expected, 16 * std::numeric_limits<double>::epsilon())
          << r << ", " << s;
    }
  }
}

TEST(Generate, ElasticityIsSymmetricPositiveDefinite) {
  for (const char* text : {"gen:elasticity:1", "gen:elasticity:2", "gen:elasticity:4"}) {
    SCOPED_TRACE(text);
    const HostCsr matrix = make(text);
    EXPECT_TRUE(krylite::statistics(matrix).value_symmetric);
    EXPECT_TRUE(positive_definite(matrix));
  }
  const HostCsr matrix = make("gen:elasticity:3");
  EXPECT_EQ(matrix.num_entries(), 9 * 7 * 7 * 7);
  EXPECT_EQ(row_length(matrix, 3 * 13), 81);
  // The coupling along j from node 13 to node 16: -(I/2 + e2 e2^T + ones/8).
  const auto a = dense(matrix);
  EXPECT_EQ(a[39][48], -0.625);
  EXPECT_EQ(a[40][49], -1.625);
  EXPECT_EQ(a[39][49], -0.125);
  // Away from the edges the sum of a row is what 1e-3 I leaves.
  EXPECT_NEAR(std::accumulate(a[40].begin(), a[40].end(), 0.0), 1e-3, 1e-13);
}

TEST(Generate, CholeskyNoticesAnIndefiniteMatrix) {
  HostCsr matrix = make("gen:poisson2d:3");
  EXPECT_TRUE(positive_definite(matrix));
  matrix.values(0) = 0.25;
  EXPECT_FALSE(positive_definite(matrix));
}

TEST(Generate, RmatIsAGraphOfTheRightShape) {
  const HostCsr matrix = make("gen:rmat:12");
  EXPECT_EQ(matrix.num_rows, 4096);
  EXPECT_EQ(matrix.num_cols, 4096);
  // Duplicates are merged, but few of 16 * 4096 edges are.
  EXPECT_GT(matrix.num_entries(), 8 * 4096);
  EXPECT_LT(matrix.num_entries(), 16 * 4096);
  EXPECT_EQ(make("gen:rmat:12").num_entries(), make("gen:rmat:12:edges=16").num_entries());
  EXPECT_LT(make("gen:rmat:12:edges=2").num_entries(), 2 * 4096 + 1);
  // 76 % of the edges start in the first half of the vertices (merging takes more from there).
  EXPECT_NEAR(static_cast<double>(matrix.row_pointers(2048)) / static_cast<double>(matrix.num_entries()),
              0.73, 0.03);
  for (std::size_t k = 0; k < matrix.values.extent(0); ++k) {
    ASSERT_TRUE(matrix.values(k) > 0.0 && matrix.values(k) <= 1.0);
  }
}

TEST(Generate, RmatQuadrants) {
  // One level, so many edges that all four are there; two vertices.
  EXPECT_EQ(make("gen:rmat:1:edges=1000").num_entries(), 4);
}

TEST(Generate, CircuitRows) {
  const Index n = 60000;
  const HostCsr matrix = make("gen:circuit:60000");
  expect_dominant(matrix);
  std::vector<Index> long_rows;
  std::int64_t near = 0;
  std::int64_t others = 0;
  for (Index row = 0; row < n; ++row) {
    EXPECT_GE(row_length(matrix, row), 2);
    if (row_length(matrix, row) > 1000) {
      long_rows.push_back(row);
      EXPECT_EQ(row_length(matrix, row), 9000);
      continue;
    }
    for (auto k = matrix.row_pointers(row); k < matrix.row_pointers(row + 1); ++k) {
      others += matrix.columns(k) != row;
      near += matrix.columns(k) != row && std::abs(matrix.columns(k) - row) <= 1000;
    }
  }
  EXPECT_EQ(long_rows, (std::vector<Index>{5000, 15000, 25000, 35000, 45000, 55000}));
  EXPECT_NEAR(static_cast<double>(others) / (n - 6), 1 / 0.3, 0.05);
  EXPECT_NEAR(static_cast<double>(near) / static_cast<double>(others), 0.9, 0.01);
}

TEST(Generate, WebRows) {
  const Index n = 60000;
  const HostCsr matrix = make("gen:web:60000");
  expect_dominant(matrix);
  const auto found = krylite::statistics(matrix);
  EXPECT_NEAR(static_cast<double>(found.empty_rows) / n, 0.15, 0.01);
  EXPECT_EQ(found.missing_diagonal, found.empty_rows);
  EXPECT_LE(found.row_max, n / 4);
  EXPECT_GT(found.row_max, 1000);
  std::int64_t at_least_8 = 0;
  std::int64_t near = 0;
  std::int64_t others = 0;
  for (Index row = 0; row < n; ++row) {
    at_least_8 += row_length(matrix, row) >= 8;
    if (row_length(matrix, row) > 100) continue;
    for (auto k = matrix.row_pointers(row); k < matrix.row_pointers(row + 1); ++k) {
      others += matrix.columns(k) != row;
      near += matrix.columns(k) != row && std::abs(matrix.columns(k) - row) <= 500;
    }
  }
  EXPECT_NEAR(static_cast<double>(at_least_8) / n, 0.85 * std::pow(8.0, -1.25), 0.005);
  EXPECT_NEAR(static_cast<double>(near) / static_cast<double>(others), 0.7, 0.01);
}

TEST(Generate, LpRows) {
  const HostCsr matrix = make("gen:lp:600:columns=50000");
  EXPECT_EQ(matrix.num_rows, 600);
  EXPECT_EQ(matrix.num_cols, 50000);
  const auto found = krylite::statistics(matrix);
  // Mean and standard deviation of an exponential are the same; five standard errors.
  EXPECT_NEAR(found.row_mean, 2600, 5 * 2600 / std::sqrt(600.0));
  EXPECT_NEAR(found.row_stddev, 2600, 10 * 2600 / std::sqrt(600.0));
  EXPECT_GT(found.row_max, 2600 * 3);
  EXPECT_EQ(make("gen:lp:5").num_cols, 20);
  EXPECT_EQ(krylite::statistics(make("gen:lp:50:columns=100")).row_max, 100);
}

TEST(Generate, ArrowByHand) {
  const std::vector<std::vector<double>> expected = {{3, -1, -1}, {-1, 2, 0}, {-1, 0, 2}};
  EXPECT_EQ(dense(make("gen:arrow:3")), expected);
  expect_dominant(make("gen:arrow:50"));
  EXPECT_EQ(make("gen:arrow:50").num_entries(), 3 * 50 - 2);
}

TEST(Generate, DiagonalPlusDenseRowByHand) {
  const std::vector<std::vector<double>> expected = {{2, 0, 0}, {-1, 3, -1}, {0, 0, 2}};
  EXPECT_EQ(dense(make("gen:diagonal-plus-dense-row:3")), expected);
  expect_dominant(make("gen:diagonal-plus-dense-row:50"));
  EXPECT_EQ(make("gen:diagonal-plus-dense-row:50").num_entries(), 2 * 50 - 1);
}

TEST(Generate, SeedsMatter) {
  for (const char* kind : {"rmat:8", "circuit:500", "web:500", "lp:5:columns=9000"}) {
    const std::string text = std::string("gen:") + kind;
    SCOPED_TRACE(text);
    EXPECT_EQ(fingerprint(make(text)), fingerprint(make(text + ":seed=1")));
    EXPECT_NE(fingerprint(make(text)), fingerprint(make(text + ":seed=2")));
  }
}

/// Diagonals of circuit all differ, so they tell where each row went.
TEST(Generate, ShuffleIsASimilarity) {
  const HostCsr before = make("gen:circuit:400");
  const HostCsr after = make("gen:circuit:400:shuffle=11");
  const auto a = dense(before);
  const auto b = dense(after);
  std::vector<std::size_t> source(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    while (source[i] < a.size() && a[source[i]][source[i]] != b[i][i]) ++source[i];
    ASSERT_LT(source[i], a.size());
  }
  EXPECT_FALSE(std::is_sorted(source.begin(), source.end()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a.size(); ++j) ASSERT_EQ(b[i][j], a[source[i]][source[j]]);
  }
  EXPECT_NE(fingerprint(after), fingerprint(make("gen:circuit:400:shuffle=12")));
}

TEST(Generate, ShuffleOfLongRowsKeepsTheSymmetry) {
  const auto found = krylite::statistics(make("gen:arrow:300:shuffle=5"));
  EXPECT_TRUE(found.value_symmetric);
  EXPECT_EQ(found.row_max, 300);
  EXPECT_EQ(found.missing_diagonal, 0);
}

TEST(Generate, ShuffleOfARectangularMatrixMovesRowsAndColumns) {
  const HostCsr before = make("gen:lp:40:columns=70");
  const HostCsr after = make("gen:lp:40:columns=70:shuffle=1");
  EXPECT_EQ(after.num_cols, 70);
  std::vector<double> values_before(before.values.data(), before.values.data() + before.values.extent(0));
  std::vector<double> values_after(after.values.data(), after.values.data() + after.values.extent(0));
  EXPECT_NE(values_before, values_after);
  std::sort(values_before.begin(), values_before.end());
  std::sort(values_after.begin(), values_after.end());
  EXPECT_EQ(values_before, values_after);
}

/// The same bits on every machine and with every number of threads. Convection-diffusion is not among them,
/// since the last bit of sine and cosine is the machine's.
TEST(Generate, StoredFingerprints) {
  const std::pair<const char*, std::uint64_t> stored[] = {
      {"gen:poisson2d:7", 0x8742bfc93f80f214u},
      {"gen:poisson3d:5", 0x38fc8fbbb943baaau},
      {"gen:stencil27:5", 0x01756b9ef14e97fbu},
      {"gen:anisotropic:7", 0x4101f27068980078u},
      {"gen:elasticity:4", 0x364914dac39c1b01u},
      {"gen:rmat:9", 0xfc73abb98238c398u},
      {"gen:circuit:5000", 0x587e6414dc89e074u},
      {"gen:web:5000", 0x3bcb891daafeefd2u},
      {"gen:lp:30:columns=9000", 0x8868a3a89db9672cu},
      {"gen:arrow:40", 0x741adf01658b2101u},
      {"gen:diagonal-plus-dense-row:41", 0xdff03554d3962a3cu},
      {"gen:poisson3d:9:shuffle=1", 0x6170fe9e53f7db2au},
      {"gen:web:5000:seed=3:shuffle=4", 0x4754cd265984d077u},
      {"gen:lp:30:columns=9000:shuffle=1", 0xe71667e8958bc46eu}};
  for (const auto& [text, expected] : stored) EXPECT_EQ(fingerprint(make(text)), expected) << text;
}

}  // namespace
