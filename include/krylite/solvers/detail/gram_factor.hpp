#ifndef KRYLITE_SOLVERS_DETAIL_GRAM_FACTOR_HPP
#define KRYLITE_SOLVERS_DETAIL_GRAM_FACTOR_HPP

#include <krylite/core/traits.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace krylite {
namespace detail {

/// ||y|| without overflow.
inline double norm_of(const std::vector<double>& y) {
  double largest = 0;
  for (const double value : y) largest = std::max(largest, std::fabs(value));
  if (largest == 0 || !std::isfinite(largest)) return largest;
  double squares = 0;
  for (const double value : y) squares += (value / largest) * (value / largest);
  return largest * std::sqrt(squares);
}

/// Upper triangular R with R^T R = V^T V, which grows with the columns of V: V = Q R with orthonormal Q that nobody
/// forms. Vectors that were stored rounded, or made orthogonal once, are nearly orthonormal, so that R is nearly I.
class GramFactor {
 public:
  void clear() {
    columns_ = 0;
    entries_.clear();
  }

  /// Appends the column of v from its products with the columns so far and itself.
  /// \returns the part of v that is orthogonal to them, r_jj; 0 where rounding leaves nothing of it
  double append(const double* products) {
    const std::vector<double> r = solve_transposed(products);
    const double squares = products[columns_];
    const double upper = norm_of(r);
    // (a - b)(a + b) with a = ||v|| loses less than a^2 - b^2.
    const double norm = std::sqrt(squares);
    const double rest = (norm - upper) * (norm + upper);
    const double diagonal = rest > 0 ? std::sqrt(rest) : 0;
    entries_.insert(entries_.end(), r.begin(), r.end());
    entries_.push_back(diagonal);
    ++columns_;
    return diagonal;
  }

  /// r_0j, ..., r_{j-1,j} of the last column.
  const double* last_column() const { return entries_.data() + begin(columns_ - 1); }

  /// y = R^-T p: the coordinates Q^T w of a w with p = V^T w.
  std::vector<double> solve_transposed(const double* p) const {
    std::vector<double> y(p, p + columns_);
    for (Index j = 0; j < columns_; ++j) {
      const double* const column = entries_.data() + begin(j);
      for (Index i = 0; i < j; ++i) y[j] -= column[i] * y[i];
      y[j] /= column[j];
    }
    return y;
  }

  /// h = R^-1 y: coefficients of V for coordinates of Q.
  std::vector<double> solve(const std::vector<double>& y) const {
    std::vector<double> h = y;
    for (Index j = columns_ - 1; j >= 0; --j) {
      const double* const column = entries_.data() + begin(j);
      h[j] /= column[j];
      for (Index i = 0; i < j; ++i) h[i] -= column[i] * h[j];
    }
    return h;
  }

 private:
  static std::size_t begin(Index j) { return static_cast<std::size_t>(j) * (j + 1) / 2; }

  Index columns_ = 0;
  std::vector<double> entries_;  // columns of the upper triangle, one after the other
};

}  // namespace detail
}  // namespace krylite

#endif
