#ifndef KRYLITE_SOLVERS_DETAIL_LEAST_SQUARES_HPP
#define KRYLITE_SOLVERS_DETAIL_LEAST_SQUARES_HPP

#include <krylite/core/traits.hpp>

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace krylite {
namespace detail {

/// min_y || beta e_1 - H y || for a Hessenberg matrix H that grows by columns, by Givens rotations: R = Q^T H is
/// upper triangular and g = Q^T beta e_1. The leading k columns solve the problem of step k, for every k so far.
///
/// Where basis vector j was stored with an error e_j, the residual of x_0 + V y is not only V (beta e_1 - H y): from
/// the next vector of each step comes y_j h_j+1,j e_j+1, and from the first beta e_1. Errors of rounding point
/// anywhere, so that their squares add up: `noise` is what they come to.
/// Source: CB-GMRES article, figure 1, line 17; Saad, Iterative methods, section 6.5.3.
class LeastSquares {
 public:
  explicit LeastSquares(double beta) : g_{beta}, residuals_{std::fabs(beta)} {}

  Index columns() const { return static_cast<Index>(cosines_.size()); }

  /// Appends a column: its leading entries h (columns() + 1 of them) and the one below the diagonal.
  void append(std::vector<double> h, double below) {
    last_h_ = h;
    belows_.push_back(below);
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
    last_g_ = g_[j];
    g_.push_back(-sine * g_[j]);
    g_[j] *= cosine;
    residuals_.push_back(std::fabs(g_.back()));
  }

  /// The vector below the last column turned out to have the part `along` in the earlier coordinates (columns() of
  /// them) and the norm `across` outside of them, instead of 0 and 1. Without a column, `across` scales beta e_1.
  void refine_last(const std::vector<double>& along, double across) {
    if (columns() == 0) {
      g_[0] *= across;
      residuals_[0] *= across;
      return;
    }
    std::vector<double> h = std::move(last_h_);
    for (std::size_t i = 0; i < h.size(); ++i) h[i] += belows_.back() * along[i];
    const double below = belows_.back() * across;
    belows_.pop_back();
    r_.resize(r_.size() - cosines_.size());
    cosines_.pop_back();
    sines_.pop_back();
    residuals_.pop_back();
    g_.pop_back();
    g_.back() = last_g_;
    append(std::move(h), below);
  }

  /// The minimum with the first k columns.
  double residual(Index k) const { return residuals_[k]; }

  /// Magnitude of the last diagonal entry of R: zero where the last column adds nothing (a singular H).
  double last_diagonal() const { return r_.empty() ? 0 : r_.back(); }

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

  /// What the errors of the stored vectors, `errors[j]` of vector j, add to the residual of the first k columns with y.
  double noise(Index k, const std::vector<double>& y, const std::vector<double>& errors) const {
    // Relative to beta, whose square may be out of range.
    const double beta = residuals_[0];
    double squares = errors[0] * errors[0];
    for (Index j = 0; j + 1 < k; ++j) squares += std::pow(y[j] / beta * belows_[j] * errors[j + 1], 2);
    return beta * std::sqrt(squares);
  }

 private:
  double r(Index i, Index j) const { return r_[static_cast<std::size_t>(j) * (j + 1) / 2 + i]; }

  std::vector<double> r_;  // columns of the upper triangle, one after the other
  std::vector<double> g_;
  std::vector<double> cosines_;
  std::vector<double> sines_;
  std::vector<double> belows_;     // entries of H below the diagonal
  std::vector<double> residuals_;  // of no column, one, two, ...
  // The last column as it came, and the entry of g that its rotation changed: what it takes to take it back.
  std::vector<double> last_h_;
  double last_g_ = 0;
};

}  // namespace detail
}  // namespace krylite

#endif
