#include "support/expect.hpp"
#include "support/types.hpp"

#include <krylite/preconditioners/ilu0.hpp>
#include <krylite/preconditioners/jacobi.hpp>
#include <krylite/solvers/gmres.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace {

using krylite::Index;
using namespace krylite_test;

using Vector = std::vector<double>;

/// ILU(0) by the book (Saad, algorithm 10.4, IKJ order) on a map of each row, and the magnitudes that its rounding
/// errors are bounded with.
class Reference {
 public:
  explicit Reference(const HostCsr& a) : rows_(a.num_rows) {
    for (Index i = 0; i < a.num_rows; ++i) {
      rows_[i][i] += 0.0;
      for (std::int64_t k = a.row_pointers(i); k < a.row_pointers(i + 1); ++k) rows_[i][a.columns(k)] += a.values(k);
      if (rows_[i][i] == 0) rows_[i][i] = 1;
      eliminate(i);
    }
  }

  /// The largest |L U y - x| relative to its bound: at most 1 for y = M^-1 x. Each entry of a factor and each entry of
  /// a solution is a sum of at most `longest` products, and the same holds for the product formed here, so that with
  /// m = longest + 2 the error is below 4 m eps |L| |U| |y| row by row (Higham, Accuracy and Stability of Numerical
  /// Algorithms, theorems 8.5 and 9.3), where factors do not grow, as those of diagonally dominant matrices.
  /// \param size at least |y|: what y is the difference of
  double scaled_residual(const Vector& x, const Vector& y, const Vector& size) const {
    const std::size_t n = rows_.size();
    Vector u(n), magnitude_u(n);
    std::size_t longest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      longest = std::max(longest, rows_[i].size());
      for (const auto& [j, value] : rows_[i]) {
        if (j < static_cast<Index>(i)) continue;
        u[i] += value * y[j];
        magnitude_u[i] += std::fabs(value) * size[j];
      }
    }
    double worst = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double sum = u[i], magnitude = magnitude_u[i];
      for (const auto& [j, value] : rows_[i]) {
        if (j >= static_cast<Index>(i)) break;
        sum += value * u[j];
        magnitude += std::fabs(value) * magnitude_u[j];
      }
      const double bound = 4 * (longest + 2.0) * std::numeric_limits<double>::epsilon() * magnitude;
      const double error = std::fabs(sum - x[i]);
      worst = std::fmax(worst, error == 0 ? 0 : error / bound);
      if (std::isnan(error)) return std::numeric_limits<double>::infinity();
    }
    return worst;
  }

  double scaled_residual(const Vector& x, const Vector& y) const {
    Vector size(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) size[i] = std::fabs(y[i]);
    return scaled_residual(x, y, size);
  }

  /// Whether the product of the factors differs from the matrix outside its pattern: else ILU(0) is LU.
  bool drops_fill() const {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (const auto& [k, factor] : rows_[i]) {
        if (k >= static_cast<Index>(i)) break;
        for (const auto& [j, value] : rows_[k]) {
          if (j > k && factor * value != 0 && rows_[i].count(j) == 0) return true;
        }
      }
    }
    return false;
  }

 private:
  void eliminate(Index i) {
    auto& row = rows_[i];
    for (auto& [k, factor] : row) {
      if (k >= i) break;
      factor /= rows_[k].at(k);
      for (const auto& [j, value] : rows_[k]) {
        const auto place = row.find(j);
        if (j > k && place != row.end()) place->second -= factor * value;
      }
    }
  }

  std::vector<std::map<Index, double>> rows_;
};

/// Rows of about `per_row` entries, unsorted, some twice, with a dominant diagonal that every fifth row lacks.
HostCsr scattered(Index n, Index per_row, std::uint64_t seed) {
  Rows rows(n);
  std::uint64_t counter = 0;
  for (Index i = 0; i < n; ++i) {
    for (Index e = 0; e < per_row; ++e) {
      const auto column = static_cast<Index>((noise(++counter, seed) + 1) / 2 * n);
      const double value = noise(++counter, seed);
      if (column == i) continue;
      rows[i].push_back({column, value / per_row});
      if (e % 3 == 0) rows[i].push_back({column, value / per_row});
    }
    if (i % 5 != 0) rows[i].insert(rows[i].begin() + rows[i].size() / 2, {{i, 3.0}, {i, 1.0}});
    if (i % 7 == 0) rows[i].push_back({(i + n / 2) % n, 0.0});
  }
  return make_csr(n, rows);
}

HostCsr tridiagonal(Index n, double lower, double diagonal, double upper) {
  Rows rows(n);
  for (Index i = 0; i < n; ++i) {
    if (i > 0) rows[i].push_back({i - 1, lower});
    rows[i].push_back({i, diagonal});
    if (i + 1 < n) rows[i].push_back({i + 1, upper});
  }
  return make_csr(n, rows);
}

/// Five points on an m x m grid.
HostCsr poisson(Index m) {
  Rows rows(m * m);
  for (Index r = 0; r < m * m; ++r) {
    if (r >= m) rows[r].push_back({r - m, -1});
    if (r % m > 0) rows[r].push_back({r - 1, -1});
    rows[r].push_back({r, 4});
    if (r % m < m - 1) rows[r].push_back({r + 1, -1});
    if (r < m * m - m) rows[r].push_back({r + m, -1});
  }
  return make_csr(m * m, rows);
}

Vector noise_of(std::size_t n, std::uint64_t seed) {
  Vector x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = noise(i, seed);
  return x;
}

krylite::Ilu0Options with_shift(double shift) {
  krylite::Ilu0Options options;
  options.first_shift = shift;
  return options;
}

template <class Space>
class Ilu0Test : public ::testing::Test {
 protected:
  using Memory = typename Space::memory_space;
  using Device = Kokkos::View<double*, Memory>;

  template <class Scalar = double, class Offset = std::int32_t>
  krylite::Ilu0Preconditioner<Space> make(const HostCsr& a, const krylite::Ilu0Options& options = {}) {
    return krylite::make_ilu0(exec_, convert<Scalar, Offset, Memory>(a), options);
  }

  Vector apply(const krylite::Ilu0Preconditioner<Space>& ilu0, const Vector& x) {
    const Device in("in", x.size()), out("out", x.size());
    const auto host = Kokkos::create_mirror_view(in);
    for (std::size_t i = 0; i < x.size(); ++i) host(i) = x[i];
    Kokkos::deep_copy(in, host);
    // What is in y before must not matter.
    Kokkos::deep_copy(out, std::nan(""));
    ilu0.apply(exec_, in, out);
    exec_.fence();
    const auto found = to_host(out);
    return Vector(found.data(), found.data() + x.size());
  }

  /// One matrix against the reference, in both orders of work.
  template <class Scalar = double, class Offset = std::int32_t>
  void check(const HostCsr& a, const std::string& what) {
    const Reference reference(a);
    const Vector x = noise_of(a.num_rows, 5);
    for (const auto schedule : {krylite::Ilu0Schedule::levels, krylite::Ilu0Schedule::sequential}) {
      krylite::Ilu0Options options;
      options.schedule = schedule;
      const auto ilu0 = make<Scalar, Offset>(a, options);
      EXPECT_EQ(ilu0.shift, 0) << what;
      EXPECT_LE(reference.scaled_residual(x, apply(ilu0, x)), 1) << what;
    }
  }

  Space exec_;
};
TYPED_TEST_SUITE(Ilu0Test, Spaces);

TYPED_TEST(Ilu0Test, SolvesTridiagonalSystems) {
  for (const Index n : {1, 2, 3, 17, 1000}) {
    const HostCsr a = tridiagonal(n, -1.25, 3, -0.5);
    EXPECT_FALSE(Reference(a).drops_fill());
    this->check(a, "tridiagonal " + std::to_string(n));
  }
}

TYPED_TEST(Ilu0Test, HandCheckedFactors) {
  // The matrix of the header: L^-1 (4, 8, 8) = (4, 6, 4), and U y = that.
  const auto ilu0 = this->make(make_csr(3, {{{0, 4}, {1, 1}}, {{0, 2}, {1, 5}, {2, 1}}, {{1, 3}, {2, 6}}}));
  const Vector y = this->apply(ilu0, {4, 8, 8});
  // Fewer than 8 roundings lie before each entry.
  const double tolerance = 8 * std::numeric_limits<double>::epsilon();
  EXPECT_NEAR(y[0], 17.0 / 24, tolerance);
  EXPECT_NEAR(y[1], 7.0 / 6, tolerance);
  EXPECT_NEAR(y[2], 0.75, tolerance);
}

TYPED_TEST(Ilu0Test, TheCheckSeesAWrongEntry) {
  const HostCsr a = scattered(100, 5, 1);
  const Vector x = noise_of(100, 5);
  Vector y = this->apply(this->make(a), x);
  ASSERT_LE(Reference(a).scaled_residual(x, y), 1);
  y[17] *= 1 + 1e-12;
  EXPECT_GT(Reference(a).scaled_residual(x, y), 1);
}

TYPED_TEST(Ilu0Test, DropsFillAsTheReferenceDoes) {
  const HostCsr grid = poisson(23);
  ASSERT_TRUE(Reference(grid).drops_fill());
  this->check(grid, "poisson");
  for (const Index n : {2, 31, 257, 900}) {
    const HostCsr a = scattered(n, 6, n);
    this->check(a, "scattered " + std::to_string(n));
    this->template check<double, std::int64_t>(a, "scattered, 64-bit offsets, " + std::to_string(n));
  }
  ASSERT_TRUE(Reference(scattered(900, 6, 900)).drops_fill());
}

TYPED_TEST(Ilu0Test, WidensFloatValues) {
  // Every value is a float: both matrices are the same.
  this->template check<float, std::int32_t>(poisson(9), "float");
  this->template check<float, std::int64_t>(tridiagonal(40, -1.25, 3, -0.5), "float, 64-bit offsets");
}

TYPED_TEST(Ilu0Test, WideLevelsAndDenseRows) {
  // A diagonal matrix is one level of n rows: a work array of n x n indices would take 160 GB.
  const Index n = 200000;
  Rows diagonal(n);
  for (Index i = 0; i < n; ++i) diagonal[i] = {{i, i + 1.0}};
  this->check(make_csr(n, diagonal), "diagonal");
  // Searching the last row linearly for each of its entries would take 2e10 steps.
  Rows arrow = diagonal;
  for (Index i = 0; i + 1 < n; ++i) {
    arrow[i].push_back({n - 1, 1.0 / n});
    arrow[n - 1].push_back({i, 1.0 / n});
  }
  this->check(make_csr(n, arrow), "arrow");
}

TYPED_TEST(Ilu0Test, CountsReplacedDiagonalEntries) {
  // Missing, zero, sum of duplicates zero, too small for a finite inverse; and two that stay.
  const HostCsr a = make_csr(
      6, {{{1, 1.0}}, {{1, 0.0}}, {{2, 3.0}, {2, -3.0}}, {{3, 1e-320}}, {{4, 2.0}, {0, 1.0}}, {{5, 1.0}, {5, 3.0}}});
  const auto ilu0 = this->make(a);
  EXPECT_EQ(ilu0.replaced, 4);
  EXPECT_EQ(ilu0.shift, 0);
  // With ones in place of the first four: y_5 = 8 / 4, y_4 = (x_4 - x_0) / 2, y_0 = x_0 - y_1.
  const Vector expected = {1, 2, 3, 4, 2, 2};
  EXPECT_EQ(this->apply(ilu0, {3, 2, 3, 4, 7, 8}), expected);
}

TYPED_TEST(Ilu0Test, ShiftsWhereEliminationBreaksDown) {
  const auto ilu0 = this->make(make_csr(2, {{{0, 1}, {1, 1}}, {{0, 1}, {1, 1}}}));
  EXPECT_EQ(ilu0.shift, 1e-3);
  EXPECT_EQ(ilu0.replaced, 0);
  // M = A + shift I.
  const HostCsr shifted = make_csr(2, {{{0, 1 + 1e-3}, {1, 1}}, {{0, 1}, {1, 1 + 1e-3}}});
  const Vector x = {1, -2};
  EXPECT_LE(Reference(shifted).scaled_residual(x, this->apply(ilu0, x)), 1);
  EXPECT_EQ(this->make(make_csr(2, {{{0, 1}, {1, 1}}, {{0, 1}, {1, 1}}}), with_shift(0.25)).shift, 0.25);
}

TYPED_TEST(Ilu0Test, ShiftsByTheLargestEntryAndAwayFromZero) {
  // The second pivot is 4 - 2 * 2 = 0; the shift makes the diagonal (-1 - 2 s, -4 - 4 s), s = 1e-3.
  const auto ilu0 = this->make(make_csr(2, {{{0, -1}, {1, 2}}, {{0, 2}, {1, -4}}}));
  EXPECT_EQ(ilu0.shift, 1e-3);
  const HostCsr shifted = make_csr(2, {{{0, -1 - 1e-3 * 2}, {1, 2}}, {{0, 2}, {1, -4 - 1e-3 * 4}}});
  const Vector x = {1, 1};
  EXPECT_LE(Reference(shifted).scaled_residual(x, this->apply(ilu0, x)), 1);
}

TYPED_TEST(Ilu0Test, APivotOfRoundingErrorsIsAZero) {
  // The rows differ in the last bit of one entry: the pivot that is left, about -1e-17, says nothing.
  const double almost = 0.1 * 3;
  ASSERT_NE(0.1 - almost / 0.3 * 0.1, 0);
  const auto ilu0 = this->make(make_csr(2, {{{0, 0.3}, {1, 0.1}}, {{0, almost}, {1, 0.1}}}));
  EXPECT_EQ(ilu0.shift, 1e-3);
}

TYPED_TEST(Ilu0Test, ShiftsWhereAFactorOverflows) {
  // All pivots are 1, but u_12 = 1 - 1e200 * 1e200.
  const auto ilu0 =
      this->make(make_csr(3, {{{0, 1}, {2, 1e200}}, {{0, 1e200}, {1, 1}, {2, 1}}, {{2, 1}}}));
  EXPECT_EQ(ilu0.shift, 1e-3);
  for (const double entry : this->apply(ilu0, {1, 1, 1})) EXPECT_TRUE(std::isfinite(entry));
}

TYPED_TEST(Ilu0Test, APivotOfOneMillionIsNotAReplacedZero) {
  // Kokkos Kernels writes 1e6 for a pivot of zero; here it is what elimination gives: 1e6 + 1 - 1.
  const auto ilu0 = this->make(make_csr(2, {{{0, 1}, {1, 1}}, {{0, 1}, {1, 1e6 + 1}}}));
  EXPECT_EQ(ilu0.shift, 0);
  EXPECT_EQ(this->apply(ilu0, {0, 1e6}), (Vector{-1, 1}));
}

TYPED_TEST(Ilu0Test, ReportsWhatNoShiftHelps) {
  // l_10 = 1e300 / 1e-300 overflows, and the first row's largest entry is its diagonal.
  const HostCsr a = make_csr(2, {{{0, 1e-300}}, {{0, 1e300}, {1, 1}}});
  expect_error([&] { this->make(a); }, "ILU(0) of 2 rows", "1 of them", "0.001");
}

TYPED_TEST(Ilu0Test, NotANumberInTheMatrixSurfaces) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {std::nan(""), infinity, -infinity}) {
    for (const Index column : {0, 1, 2}) {
      const auto ilu0 = this->make(make_csr(3, {{{0, 2}}, {{0, 1}, {1, 2}, {2, 1}, {column, bad}}, {{2, 2}}}));
      const Vector y = this->apply(ilu0, {0, 0, 0});
      EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1]) && std::isnan(y[2])) << bad << " in column " << column;
      EXPECT_EQ(ilu0.shift, 0);
    }
  }
}

TYPED_TEST(Ilu0Test, EmptyAndTiny) {
  EXPECT_TRUE(this->apply(this->make(make_csr(0, {})), {}).empty());
  EXPECT_EQ(this->apply(this->make(make_csr(1, {{{0, 4}}})), {2}), Vector{0.5});
  const auto empty_row = this->make(make_csr(1, {{}}));
  EXPECT_EQ(empty_row.replaced, 1);
  EXPECT_EQ(this->apply(empty_row, {2}), Vector{2});
}

TYPED_TEST(Ilu0Test, IsLinear) {
  const HostCsr a = scattered(300, 5, 8);
  const auto ilu0 = this->make(a);
  Vector x = noise_of(300, 1), z = noise_of(300, 2), sum(300);
  for (std::size_t i = 0; i < sum.size(); ++i) {
    // With 20 bits each, the sum is exact.
    x[i] = std::round(x[i] * 0x1p20) * 0x1p-20;
    z[i] = std::round(z[i] * 0x1p20) * 0x1p-20;
    sum[i] = 0.5 * x[i] - 4 * z[i];
  }
  const Vector of_x = this->apply(ilu0, x), of_z = this->apply(ilu0, z);
  Vector combined(300), size(300);
  for (std::size_t i = 0; i < sum.size(); ++i) {
    combined[i] = 0.5 * of_x[i] - 4 * of_z[i];
    size[i] = 0.5 * std::fabs(of_x[i]) + 4 * std::fabs(of_z[i]);
  }
  const Reference reference(a);
  EXPECT_LE(reference.scaled_residual(sum, combined, size), 1);
  EXPECT_LE(reference.scaled_residual(sum, this->apply(ilu0, sum)), 1);
}

TYPED_TEST(Ilu0Test, RepeatsBitForBit) {
  const HostCsr a = scattered(700, 6, 3);
  const Vector x = noise_of(700, 4);
  const auto ilu0 = this->make(a);
  const Vector first = this->apply(ilu0, x);
  EXPECT_EQ(this->apply(ilu0, x), first);
  EXPECT_EQ(this->apply(this->make(a), x), first);
}

TYPED_TEST(Ilu0Test, LeavesTheMatrixAlone) {
  const HostCsr a = make_csr(2, {{{1, 1.0}, {0, 0.0}}, {{1, 2.0}}});
  const auto csr = convert<double, std::int32_t, typename TypeParam::memory_space>(a);
  EXPECT_EQ(krylite::make_ilu0(this->exec_, csr).replaced, 1);
  expect_same_bits(a.columns, Kokkos::View<Index*, Kokkos::HostSpace>(to_host(csr.columns)), "columns");
  expect_same_bits(a.values, Kokkos::View<double*, Kokkos::HostSpace>(to_host(csr.values)), "values");
}

TYPED_TEST(Ilu0Test, RefusesWhatDoesNotFit) {
  expect_error([&] { this->make(make_csr(3, {{{0, 1}}, {{1, 1}}})); }, "square", "2 x 3");
  const HostCsr a = tridiagonal(2, 1, 4, 1);
  const auto ilu0 = this->make(a);
  const typename TestFixture::Device two("two", 2), three("three", 3);
  expect_error([&] { ilu0.apply(this->exec_, three, two); }, "2 rows", "x has 3");
  expect_error([&] { ilu0.apply(this->exec_, two, three); }, "2 rows", "y 3");
  for (const double shift : {0.0, -1.0, 1.5, std::nan("")}) {
    expect_error([&] { this->make(a, with_shift(shift)); }, "first shift");
  }
}

TYPED_TEST(Ilu0Test, NeedsFewerIterationsThanJacobi) {
  const HostCsr a = poisson(40);
  const auto csr = convert<double, std::int32_t, typename TypeParam::memory_space>(a);
  const typename TestFixture::Device b("b", a.num_rows), x("x", a.num_rows);
  Kokkos::deep_copy(b, 1.0);
  const auto jacobi = krylite::gmres(this->exec_, csr, krylite::make_jacobi(this->exec_, csr), b, x);
  Kokkos::deep_copy(x, 0.0);
  const auto ilu0 = krylite::gmres(this->exec_, csr, krylite::make_ilu0(this->exec_, csr), b, x);
  EXPECT_EQ(jacobi.status, krylite::GmresStatus::converged);
  EXPECT_EQ(ilu0.status, krylite::GmresStatus::converged);
  EXPECT_LT(2 * ilu0.iterations, jacobi.iterations);
}

}  // namespace
