#include "support/battery.hpp"

#include <krylite/solvers/detail/gram_factor.hpp>
#include <krylite/solvers/detail/least_squares.hpp>
#include <krylite/solvers/detail/storage_control.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

using krylite::BasisStorage;
using krylite::Index;
using krylite::detail::GramFactor;
using krylite::detail::LeastSquares;
using krylite::detail::StorageControl;
using krylite_test::noise;
using Vectors = std::vector<std::vector<double>>;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  long double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<long double>(a[i]) * b[i];
  return static_cast<double>(sum);
}

/// k vectors of n entries that are orthonormal but for noise of that size.
Vectors nearly_orthonormal(int k, int n, double size) {
  Vectors vectors;
  for (int j = 0; j < k; ++j) {
    std::vector<double> v(n);
    for (int i = 0; i < n; ++i) v[i] = (i == j ? 1 : 0) + size * noise(j * n + i, 5);
    vectors.push_back(v);
  }
  return vectors;
}

std::vector<double> products(const Vectors& vectors, std::size_t count, const std::vector<double>& w) {
  std::vector<double> result;
  for (std::size_t j = 0; j < count; ++j) result.push_back(dot(vectors[j], w));
  return result;
}

/// What it subtracts leaves w orthogonal to vectors that are not quite orthonormal.
TEST(GramFactor, ProjectsOntoVectorsThatAreNotOrthonormal) {
  constexpr int n = 30, k = 12;
  const Vectors v = nearly_orthonormal(k, n, 0.05);
  GramFactor gram;
  for (std::size_t j = 0; j < v.size(); ++j) {
    EXPECT_NEAR(gram.append(products(v, j + 1, v[j]).data()), 1, 0.3);
  }
  std::vector<double> w(n);
  for (int i = 0; i < n; ++i) w[i] = noise(i, 9);
  const std::vector<double> y = gram.solve_transposed(products(v, k, w).data());
  const std::vector<double> h = gram.solve(y);
  const double before = std::sqrt(dot(w, w));
  for (int j = 0; j < k; ++j) {
    for (int i = 0; i < n; ++i) w[i] -= h[j] * v[j][i];
  }
  for (int j = 0; j < k; ++j) EXPECT_NEAR(dot(v[j], w), 0, 1e-14);
  // Pythagoras, in the coordinates of the orthonormal basis behind.
  EXPECT_NEAR(std::hypot(krylite::detail::norm_of(y), std::sqrt(dot(w, w))), before, 1e-14 * before);
}

TEST(GramFactor, FindsAVectorThatAddsNothing) {
  Vectors v = nearly_orthonormal(3, 10, 0.01);
  v.push_back(v[0]);
  for (int i = 0; i < 10; ++i) v[3][i] -= 2 * v[2][i];
  GramFactor gram;
  double last = 1;
  for (std::size_t j = 0; j < v.size(); ++j) last = gram.append(products(v, j + 1, v[j]).data());
  EXPECT_LE(last, 1e-7);  // the root of what rounding leaves of a difference
}

TEST(GramFactor, NormsNeitherOverflowNorVanish) {
  EXPECT_DOUBLE_EQ(krylite::detail::norm_of({3e200, 4e200}), 5e200);
  EXPECT_DOUBLE_EQ(krylite::detail::norm_of({3e-200, 4e-200}), 5e-200);
  EXPECT_EQ(krylite::detail::norm_of({}), 0);
}

/// Columns that are refined later give what appending the refined ones gives.
TEST(LeastSquaresRefinement, EqualsAppendingTheRefinedColumns) {
  LeastSquares late(2.0), early(2.0 * 1.01);
  late.refine_last({}, 1.01);
  for (int j = 0; j < 6; ++j) {
    std::vector<double> h, along;
    for (int i = 0; i <= j; ++i) {
      h.push_back(noise(10 * j + i, 3));
      along.push_back(1e-3 * noise(10 * j + i, 4));
    }
    const double below = 1 + 0.5 * noise(j, 6), across = 1 + 1e-3 * noise(j, 7);
    std::vector<double> refined = h;
    for (int i = 0; i <= j; ++i) refined[i] += below * along[i];
    late.append(h, below);
    late.refine_last(along, across);
    early.append(refined, below * across);
    EXPECT_NEAR(late.residual(j + 1), early.residual(j + 1), 1e-14);
  }
  const auto a = late.solve(6), b = early.solve(6);
  for (int j = 0; j < 6; ++j) EXPECT_NEAR(a[j], b[j], 1e-12 * (1 + std::fabs(b[j])));
}

/// The residual of vectors that are off by random errors is about the estimate and the noise together.
TEST(LeastSquaresNoise, IsWhatRandomErrorsAdd) {
  constexpr int k = 8;
  constexpr double beta = 3;
  LeastSquares squares(beta);
  std::vector<double> belows, errors;
  for (int j = 0; j < k; ++j) {
    std::vector<double> h;
    for (int i = 0; i <= j; ++i) h.push_back((i == j ? 2 : 0) + 0.3 * noise(10 * j + i, 3));
    belows.push_back(0.7);
    errors.push_back(1e-3 * (j + 1));
    squares.append(h, 0.7);
  }
  const auto y = squares.solve(k);
  double expected = std::pow(beta * errors[0], 2);
  for (int j = 0; j + 1 < k; ++j) expected += std::pow(y[j] * belows[j] * errors[j + 1], 2);
  EXPECT_NEAR(squares.noise(k, y, errors), std::sqrt(expected), 1e-15);
}

TEST(StorageControl, GoesByDigitsForBytes) {
  StorageControl control(BasisStorage::automatic);
  EXPECT_EQ(control.storage(), BasisStorage::float32);
  control.cycle_ended(1, 1e-6, 1000);
  EXPECT_EQ(control.storage(), BasisStorage::bfp16) << "16 bits are tried once";
  control.cycle_ended(1e-6, 1e-7, 500);
  EXPECT_EQ(control.storage(), BasisStorage::float32) << "6 digits for 1000 bytes beat 1 for 500";
  control.cycle_ended(1e-7, 1e-8, 1000);
  EXPECT_EQ(control.storage(), BasisStorage::bfp16) << "now 1 for 500 beats 1 for 1000";
}

TEST(StorageControl, WidensWhatStagnatesAndNeverGoesBack) {
  StorageControl control(BasisStorage::automatic);
  control.cycle_ended(1, 0.99, 1000);
  EXPECT_EQ(control.storage(), BasisStorage::bfp16);
  EXPECT_TRUE(control.widen(BasisStorage::bfp16));
  EXPECT_EQ(control.storage(), BasisStorage::float32);
  EXPECT_TRUE(control.widen(BasisStorage::float32));
  EXPECT_EQ(control.storage(), BasisStorage::float64);
  control.cycle_ended(1, 0.99, 1000);
  EXPECT_EQ(control.storage(), BasisStorage::float64);
  EXPECT_FALSE(control.widen(BasisStorage::float64));
}

TEST(StorageControl, TriesWiderWhereCyclesAreSlowAndDoesWithoutWhatHasNoMemory) {
  StorageControl control(BasisStorage::automatic);
  control.cycle_ended(1, 0.95, 1000);
  control.cycle_ended(0.95, 0.9499, 500);
  EXPECT_EQ(control.storage(), BasisStorage::float32);
  control.cycle_ended(0.9499, 0.92, 1000);
  EXPECT_EQ(control.storage(), BasisStorage::float64);
  EXPECT_TRUE(control.refuse());
  EXPECT_EQ(control.storage(), BasisStorage::float32);
  EXPECT_FALSE(control.widen(BasisStorage::float32));
  StorageControl fixed(BasisStorage::int16);
  fixed.cycle_ended(1, 1, 1);
  EXPECT_EQ(fixed.storage(), BasisStorage::int16);
  EXPECT_FALSE(fixed.widen(BasisStorage::int16));
  EXPECT_FALSE(fixed.refuse());
}

}  // namespace
