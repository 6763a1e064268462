#ifndef KRYLITE_SOLVERS_DETAIL_LEAST_SQUARES_HPP
#define KRYLITE_SOLVERS_DETAIL_LEAST_SQUARES_HPP

#include <krylite/core/traits.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

namespace krylite {
namespace detail {

/// min_y || beta e_1 - H y || for a Hessenberg matrix H that grows by columns, by Givens rotations: R = Q^T H is
/// upper triangular and g = Q^T beta e_1. The leading k columns solve the problem of step k, for every k so far.
/// Source: CB-GMRES article, figure 1, line 17; Saad, Iterative methods, section 6.5.3.
class LeastSquares {
 public:
  explicit LeastSquares(double beta) : g_{beta}, residuals_{std::fabs(beta)} {}

  Index columns() const { return static_cast<Index>(cosines_.size()); }

  /// Appends a column: its leading entries h (columns() + 1 of them) and the one below the diagonal.
  void append(std::vector<double> h, double below) {
    const Index j = columns();
    for (Index i = 0; i < j; ++i) {
      const double upper = cosines_[i] * h[i] + sines_[i] * h[i + 1];
      h[i + 1] = cosines_[i] * h[i + 1] - sines_[i] * h[i];
      h[i] = upper;
    }
    // hypot neither overflows nor divides by a zero h_jj, as the tangent formulas do.
    const double length = std::hypot(h[j], below);
    const double cosine = length > 0 ? h[j] / length : 1;
    const double sine = length > 0 ? below / length : 0;
    h[j] = length;
    r_.insert(r_.end(), h.begin(), h.begin() + j + 1);
    cosines_.push_back(cosine);
    sines_.push_back(sine);
    g_.push_back(-sine * g_[j]);
    g_[j] *= cosine;
    residuals_.push_back(std::fabs(g_.back()));
  }

  /// The minimum with the first k columns.
  double residual(Index k) const { return residuals_[k]; }

  /// Magnitude of the last diagonal entry of R: zero where the last column adds nothing (a singular H).
  double last_diagonal() const { return r_.back(); }

  /// The minimizer with the first k columns, all of whose diagonal entries must not vanish.
  std::vector<double> solve(Index k) const {
    std::vector<double> y(g_.begin(), g_.begin() + k);
    // g_[k - 1] was rotated by step k, but not by the later ones, which touch g_[k] and on.
    for (Index j = k - 1; j >= 0; --j) {
      y[j] /= r(j, j);
      for (Index i = 0; i < j; ++i) y[i] -= r(i, j) * y[j];
    }
    return y;
  }

 private:
  double r(Index i, Index j) const { return r_[static_cast<std::size_t>(j) * (j + 1) / 2 + i]; }

  std::vector<double> r_;  // columns of the upper triangle, one after the other
  std::vector<double> g_;
  std::vector<double> cosines_;
  std::vector<double> sines_;
  std::vector<double> residuals_;  // of no column, one, two, ...
};

}  // namespace detail
}  // namespace krylite

#endif
