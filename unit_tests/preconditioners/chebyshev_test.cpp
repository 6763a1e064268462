#include "support/expect.hpp"
#include "support/types.hpp"

#include <krylite/formats/convert.hpp>
#include <krylite/preconditioners/chebyshev.hpp>
#include <krylite/preconditioners/jacobi.hpp>
#include <krylite/solvers/gmres.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace {

using krylite::ChebyshevOptions;
using krylite::Index;
using namespace krylite_test;

using Vector = std::vector<double>;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// T_k(t) in long double, by the recurrence.
long double chebyshev_t(int k, long double t) {
  long double previous = 1, current = t;
  if (k == 0) return previous;
  for (int i = 1; i < k; ++i) {
    const long double next = 2 * t * current - previous;
    previous = current;
    current = next;
  }
  return current;
}

/// z p(z) of degree m + 1 by its closed form, whose recurrence the library does not use.
long double damping(int degree, double theta, double delta, long double z) {
  const int steps = degree + 1;
  return 1 - chebyshev_t(steps, (theta - z) / delta) / chebyshev_t(steps, static_cast<long double>(theta) / delta);
}

/// Five points on an m x m grid, row and column i of it multiplied by scale(i).
template <class Scale>
HostCsr grid(Index m, const Scale& scale) {
  Rows rows(m * m);
  const auto add = [&](Index r, Index c, double value) { rows[r].push_back({c, scale(r) * value * scale(c)}); };
  for (Index r = 0; r < m * m; ++r) {
    if (r >= m) add(r, r - m, -1);
    if (r % m > 0) add(r, r - 1, -1);
    add(r, r, 4);
    if (r % m < m - 1) add(r, r + 1, -1);
    if (r < m * m - m) add(r, r + m, -1);
  }
  return make_csr(m * m, rows);
}

HostCsr poisson(Index m) {
  return grid(m, [](Index) { return 1.0; });
}

/// Blocks [a, b; b, a], a_k = 1: eigenvalues 1 + b_k and 1 - b_k of D^-1 A = A, with the vectors (1, 1) and (1, -1).
HostCsr blocks(const Vector& b) {
  Rows rows;
  for (std::size_t k = 0; k < b.size(); ++k) {
    const Index first = static_cast<Index>(2 * k);
    rows.push_back({{first, 1}, {first + 1, b[k]}});
    rows.push_back({{first, b[k]}, {first + 1, 1}});
  }
  return make_csr(static_cast<Index>(2 * b.size()), rows);
}

Vector noise_of(std::size_t n, std::uint64_t seed) {
  Vector x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = noise(i, seed);
  return x;
}

template <class Space>
class ChebyshevTest : public ::testing::Test {
 protected:
  using Memory = typename Space::memory_space;
  using Device = Kokkos::View<double*, Memory>;

  auto make(const HostCsr& a, const ChebyshevOptions& options = {}) {
    const auto csr = convert<double, std::int32_t, Memory>(a);
    return krylite::make_chebyshev(exec_, csr, csr, options);
  }

  template <class Preconditioner>
  Vector apply(const Preconditioner& preconditioner, const Vector& x) {
    const Device in("in", x.size()), out("out", x.size());
    const auto host = Kokkos::create_mirror_view(in);
    for (std::size_t i = 0; i < x.size(); ++i) host(i) = x[i];
    Kokkos::deep_copy(in, host);
    // What is in y before must not matter.
    Kokkos::deep_copy(out, std::nan(""));
    preconditioner.apply(exec_, in, out);
    exec_.fence();
    const auto found = to_host(out);
    return Vector(found.data(), found.data() + x.size());
  }

  Space exec_;
};
TYPED_TEST_SUITE(ChebyshevTest, Spaces);

TYPED_TEST(ChebyshevTest, IsThePolynomialOnKnownEigenvectors) {
  const Vector b = {0, 0.1, -0.25, 0.5, -0.75, 0.9, 0.99};
  const HostCsr a = blocks(b);
  for (const int degree : {1, 2, 3, 4, 9}) {
    for (const double ratio : {2.0, 30.0, 1000.0}) {
      ChebyshevOptions options;
      options.degree = degree;
      options.ratio = ratio;
      const auto chebyshev = this->make(a, options);
      ASSERT_EQ(chebyshev.degree, degree);
      EXPECT_DOUBLE_EQ(chebyshev.theta + chebyshev.delta, 1.1 * chebyshev.lambda_max);
      EXPECT_NEAR(chebyshev.theta - chebyshev.delta, chebyshev.lambda_max / ratio,
                  4 * epsilon * chebyshev.lambda_max);
      Vector x(2 * b.size());
      for (std::size_t k = 0; k < b.size(); ++k) {
        x[2 * k] = 1;
        x[2 * k + 1] = k % 2 == 0 ? 1 : -1;
      }
      const Vector y = this->apply(chebyshev, x);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t k = i / 2;
        const double z = 1 + (k % 2 == 0 ? b[k] : -b[k]);
        const auto expected = static_cast<double>(damping(degree, chebyshev.theta, chebyshev.delta, z) / z) * x[i];
        // Each of the degree + 1 steps rounds about ten times, relative to y's largest value on the way, which is at
        // most (degree + 1)^2 / theta (the derivative of T_{m+1} at its end); coefficients grow errors no faster.
        const double steps = degree + 1;
        EXPECT_NEAR(y[i], expected, 10 * steps * epsilon * steps * steps / chebyshev.theta)
            << "degree " << degree << ", ratio " << ratio << ", eigenvalue " << z;
      }
    }
  }
}

TYPED_TEST(ChebyshevTest, DividesByTheDiagonal) {
  // D^-1 A = I whatever the diagonal: lambda_max = 1, and y = p(1) D^-1 x.
  const auto chebyshev = this->make(make_csr(3, {{{0, 4.0}}, {{1, -0.5}}, {{2, 1e12}}}));
  EXPECT_NEAR(chebyshev.lambda_max, 1, 4 * epsilon);
  const auto factor = static_cast<double>(damping(4, chebyshev.theta, chebyshev.delta, 1));
  const Vector y = this->apply(chebyshev, {4, -0.5, 1e12});
  for (const double value : y) EXPECT_NEAR(value, factor, 10 * 5 * epsilon * 25);
}

TYPED_TEST(ChebyshevTest, EstimatesTheLargestEigenvalue) {
  // D^-1 A of the grid has the eigenvalues 1 - (cos i h + cos j h) / 2, h = pi / (m + 1).
  const Index m = 20;
  const double exact = 1 + std::cos(std::acos(-1.0) / (m + 1));
  const auto plain = this->make(poisson(m));
  EXPECT_LE(plain.lambda_max, exact * (1 + 100 * epsilon));
  // In k = 20 steps eigenvectors below exact (1 - s) lose exp(-2 k s) of their weight: those that remain have s < 1/20.
  EXPECT_GE(plain.lambda_max, 0.95 * exact);
  ChebyshevOptions options;
  options.power_iterations = 2;
  EXPECT_LT(this->make(poisson(m), options).lambda_max, plain.lambda_max);
  // Symmetric scaling by powers of 2 leaves the spectrum; the quotient is no longer a bound, but near.
  const auto scaled = this->make(grid(m, [](Index i) { return i % 3 == 0 ? 2.0 : 1.0; }));
  EXPECT_NEAR(scaled.lambda_max, exact, 0.1 * exact);
}

TYPED_TEST(ChebyshevTest, ReducesIterations) {
  const HostCsr a = poisson(40);
  const auto csr = convert<double, std::int32_t, typename TestFixture::Memory>(a);
  const auto rgcsr = krylite::to_rgcsr(this->exec_, csr);
  const typename TestFixture::Device b("b", a.num_rows), x("x", a.num_rows);
  Kokkos::deep_copy(b, 1.0);
  const auto jacobi = krylite::gmres(this->exec_, rgcsr, krylite::make_jacobi(this->exec_, csr), b, x);
  Kokkos::deep_copy(x, 0.0);
  const auto m = krylite::make_chebyshev(this->exec_, rgcsr, csr);
  const auto chebyshev = krylite::gmres(this->exec_, rgcsr, m, b, x);
  EXPECT_EQ(jacobi.status, krylite::GmresStatus::converged);
  EXPECT_EQ(chebyshev.status, krylite::GmresStatus::converged);
  EXPECT_LT(2 * chebyshev.iterations, jacobi.iterations);
}

TYPED_TEST(ChebyshevTest, TakesAnyFormatAndNarrowValues) {
  const HostCsr a = poisson(13);
  const auto csr = convert<float, std::int64_t, typename TestFixture::Memory>(a);
  const Vector x = noise_of(a.num_rows, 2);
  const auto reference = this->make(a);
  const Vector expected = this->apply(reference, x);
  const auto compare = [&](const auto& matrix) {
    const auto chebyshev = krylite::make_chebyshev(this->exec_, matrix, csr);
    const Vector found = this->apply(chebyshev, x);
    // Sums in another order, of n terms in each power iteration; the polynomial's condition is (degree + 1)^2.
    const double tolerance = 20.0 * a.num_rows * 25 * epsilon;
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance);
  };
  compare(csr);
  compare(krylite::to_rgcsr(this->exec_, csr));
  compare(krylite::to_sliced_ell(this->exec_, csr));
}

TYPED_TEST(ChebyshevTest, CountsReplacedDiagonalEntries) {
  const auto chebyshev = this->make(make_csr(3, {{{1, 1.0}, {0, 0.0}}, {{0, 1.0}}, {{2, 5.0}}}));
  EXPECT_EQ(chebyshev.replaced, 2);
  EXPECT_GT(chebyshev.degree, 0);
}

TYPED_TEST(ChebyshevTest, FallsBackToJacobi) {
  const Vector x = {3, -4};
  const auto zero = this->make(make_csr(2, {{{0, 0.0}}, {}}));
  EXPECT_EQ(zero.lambda_max, 0);
  EXPECT_EQ(zero.degree, 0);
  EXPECT_EQ(this->apply(zero, x), x);
  const auto skew = this->make(make_csr(2, {{{1, 1.0}}, {{0, -1.0}}}));
  EXPECT_LE(skew.lambda_max, 0);
  EXPECT_EQ(this->apply(skew, x), x);
  // The eigenvalue 1 - 2 * 8 dwarfs 1 + 8.
  const Rows rows = {{{0, 1}, {1, -8}, {2, -8}}, {{0, -8}, {1, 1}, {2, -8}}, {{0, -8}, {1, -8}, {2, 1}}};
  const auto negative = this->make(make_csr(3, rows));
  EXPECT_NEAR(negative.lambda_max, -15, 0.1);
  EXPECT_EQ(this->apply(negative, {1, 2, 3}), (Vector{1, 2, 3}));
  // D^-1 A overflows, though A is finite.
  const auto huge = this->make(make_csr(2, {{{0, 1e-200}, {1, 1e200}}, {{0, 1e200}, {1, 1e-200}}}));
  EXPECT_EQ(huge.degree, 0);
  EXPECT_EQ(this->apply(huge, {1e-200, 2e-200}), (Vector{1, 2}));
}

TYPED_TEST(ChebyshevTest, NotANumberInTheMatrixSurfaces) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {std::nan(""), infinity, -infinity}) {
    for (const Index column : {0, 1}) {
      const auto chebyshev = this->make(make_csr(2, {{{0, 2}, {column, bad}}, {{1, 2}}}));
      EXPECT_TRUE(std::isnan(chebyshev.lambda_max));
      const Vector y = this->apply(chebyshev, {0, 0});
      EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1])) << bad << " in column " << column;
    }
  }
}

TYPED_TEST(ChebyshevTest, EmptyAndTiny) {
  EXPECT_TRUE(this->apply(this->make(make_csr(0, {})), {}).empty());
  const auto one = this->make(make_csr(1, {{{0, 4}}}));
  EXPECT_NEAR(one.lambda_max, 1, 4 * epsilon);
  const auto factor = static_cast<double>(damping(4, one.theta, one.delta, 1));
  EXPECT_NEAR(this->apply(one, {8})[0], 2 * factor, 2 * 10 * 5 * epsilon * 25);
}

TYPED_TEST(ChebyshevTest, IsLinearAndRepeatsBitForBit) {
  const HostCsr a = poisson(17);
  const auto chebyshev = this->make(a);
  const Vector x = noise_of(a.num_rows, 1), z = noise_of(a.num_rows, 2);
  Vector sum(x.size());
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = 0.5 * x[i] - 4 * z[i];
  const Vector of_x = this->apply(chebyshev, x), of_z = this->apply(chebyshev, z), of_sum = this->apply(chebyshev, sum);
  // |sum| <= 4.5, |D^-1| = 1/4, ||D^-1 A|| <= 2: each step rounds about ten times numbers of at most
  // (degree + 1)^2 * 5.
  for (std::size_t i = 0; i < sum.size(); ++i) {
    EXPECT_NEAR(of_sum[i], 0.5 * of_x[i] - 4 * of_z[i], 10 * 5 * epsilon * 25 * 5);
  }
  EXPECT_EQ(this->apply(chebyshev, x), of_x);
  EXPECT_EQ(this->apply(this->make(a), x), of_x);
}

TYPED_TEST(ChebyshevTest, RefusesWhatDoesNotFit) {
  const HostCsr a = poisson(2);
  const auto chebyshev = this->make(a);
  const typename TestFixture::Device four("four", 4), other("other", 4), three("three", 3);
  expect_error([&] { chebyshev.apply(this->exec_, three, four); }, "4 rows", "x has 3");
  expect_error([&] { chebyshev.apply(this->exec_, four, three); }, "4 rows", "y 3");
  expect_error([&] { chebyshev.apply(this->exec_, four, four); }, "same vector");
  expect_error([&] { this->make(make_csr(3, {{{0, 1}}, {{1, 1}}})); }, "square", "2 x 3");
  const auto csr = convert<double, std::int32_t, typename TestFixture::Memory>(a);
  const auto larger = convert<double, std::int32_t, typename TestFixture::Memory>(poisson(3));
  expect_error([&] { krylite::make_chebyshev(this->exec_, larger, csr); }, "9 x 9", "4 x 4");
}

TYPED_TEST(ChebyshevTest, RefusesOptionsOutOfRange) {
  const HostCsr a = poisson(2);
  const auto with = [](int degree, double ratio, int iterations) {
    ChebyshevOptions options;
    options.degree = degree;
    options.ratio = ratio;
    options.power_iterations = iterations;
    return options;
  };
  expect_error([&] { this->make(a, with(0, 30, 20)); }, "degree", "0");
  for (const double ratio : {1.0, -2.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    expect_error([&] { this->make(a, with(4, ratio, 20)); }, "ratio");
  }
  expect_error([&] { this->make(a, with(4, 30, 0)); }, "power iteration", "0");
}

}  // namespace
