#include <krylite/solvers/detail/least_squares.hpp>

#include "support/battery.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

using krylite::detail::LeastSquares;
using Column = std::vector<double>;  // h_0 .. h_j, and the entry below

/// || beta e_1 - H y || from the columns themselves.
double residual_of(const std::vector<Column>& h, double beta, const std::vector<double>& y) {
  std::vector<double> r(y.size() + 1, 0.0);
  r[0] = beta;
  for (std::size_t j = 0; j < y.size(); ++j) {
    for (std::size_t i = 0; i < h[j].size(); ++i) r[i] -= h[j][i] * y[j];
  }
  double sum = 0;
  for (const double entry : r) sum += entry * entry;
  return std::sqrt(sum);
}

TEST(LeastSquares, EveryLeadingProblemIsSolved) {
  std::vector<Column> h;
  LeastSquares squares(2.0);
  for (int j = 0; j < 12; ++j) {
    Column column;
    for (int i = 0; i <= j + 1; ++i) column.push_back(krylite_test::noise(100 * j + i));
    h.push_back(column);
    const double below = column.back();
    column.pop_back();
    squares.append(column, below);
  }
  for (krylite::Index k = 1; k <= 12; ++k) {
    std::vector<double> y = squares.solve(k);
    const double minimum = residual_of(h, 2.0, y);
    EXPECT_NEAR(minimum, squares.residual(k), 1e-13) << k;
    for (std::size_t i = 0; i < y.size(); ++i) {  // no step in any direction is better
      for (const double step : {1e-4, -1e-4}) {
        std::vector<double> moved = y;
        moved[i] += step;
        EXPECT_GE(residual_of(h, 2.0, moved), minimum * (1 - 1e-13));
      }
    }
    EXPECT_LE(squares.residual(k), squares.residual(k - 1));
  }
}

TEST(LeastSquares, ZeroDiagonalOfHNeedsNoSpecialCase) {
  LeastSquares squares(1.0);  // the cyclic shift: ones below a zero diagonal
  squares.append({0.0}, 1.0);
  EXPECT_EQ(squares.residual(1), 1.0);
  squares.append({1.0, 0.0}, 0.0);  // closes the cycle of two
  EXPECT_EQ(squares.residual(2), 0.0);
  const auto y = squares.solve(2);
  EXPECT_EQ(y[0], 0.0);
  EXPECT_EQ(y[1], 1.0);
}

TEST(LeastSquares, HugeAndTinyEntriesNeitherOverflowNorVanish) {
  for (const double scale : {1e200, 1e-200}) {
    LeastSquares squares(scale);
    squares.append({3 * scale}, 4 * scale);
    EXPECT_NEAR(squares.residual(1) / scale, 0.8, 1e-15);
    EXPECT_NEAR(squares.solve(1)[0], 0.6 / 5, 1e-15);
  }
}

TEST(LeastSquares, SingularColumnShowsInTheDiagonal) {
  LeastSquares squares(1.0);
  squares.append({2.0}, 0.0);
  EXPECT_EQ(squares.last_diagonal(), 2.0);
  squares.append({5.0, 0.0}, 0.0);
  EXPECT_EQ(squares.last_diagonal(), 0.0);
}

}  // namespace
