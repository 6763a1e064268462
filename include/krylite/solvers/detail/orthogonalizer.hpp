#ifndef KRYLITE_SOLVERS_DETAIL_ORTHOGONALIZER_HPP
#define KRYLITE_SOLVERS_DETAIL_ORTHOGONALIZER_HPP

#include <krylite/solvers/detail/any_basis.hpp>
#include <krylite/solvers/detail/gram_factor.hpp>
#include <krylite/solvers/orthogonalization.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace krylite {
namespace detail {

/// What a step found: w = V h' + (what is left), where the column h of the Hessenberg matrix is in the coordinates of
/// an orthonormal basis of the same space.
struct OrthogonalizedStep {
  std::vector<double> h;  ///< k entries
  double below = 0;       ///< norm of what is left of w
  double before = 0;      ///< norm of w before
  double largest = 0;     ///< largest entry of what is left, on this process, or `left_largest`
  double stored_error = 0;  ///< how far the vector that was stored last is from what it should have been
  /// low_sync: what the vector that was stored last turned out to be. Its part along the earlier ones, and its norm
  /// across them: the step that made it had taken it for e_k.
  bool refines_last = false;
  std::vector<double> stored;
  double stored_norm = 1;
  bool independent = true;  ///< whether that norm is more than rounding
};

/// Makes w orthogonal to the leading columns of a basis, by one of four methods (solvers/orthogonalization.hpp).
///
/// low_sync reads the basis twice and reduces once a step. The first reading forms V^T w and, of the vector v that was
/// stored last, V^T v (the delayed second pass of Gram-Schmidt); they come in one reduction with w^T w. V^T V = R^T R
/// grows by that column, and h = (R^T R)^-1 V^T w makes w - V h orthogonal to V although V itself is orthogonal
/// only as far as its storage and one pass of Gram-Schmidt allow. What DCGS2 (Bielich, Langou, Thomas, Swirydowicz,
/// Yamazaki, Boman 2022, "Low-synch Gram-Schmidt with delayed reorthogonalization for Krylov solvers") does to the
/// vectors, this does to the coefficients (as the inverse compact WY form of Swirydowicz, Langou, Ananthan, Yang,
/// Thomas 2020 does for MGS). The vector that went into the operator is then the one that the basis holds, the
/// preconditioner may change from step to step, and no vector is written twice. The Hessenberg matrix is expressed
/// in Q = V R^-1, so that its least-squares problem knows how far V is from orthonormal. The norm of what is left
/// comes from w^T w - h^T R^T R h; where that cancels, it is summed up, and where little is left, w is projected again.
template <class ExecutionSpace>
class Orthogonalizer {
 public:
  using Basis = AnyBasis<ExecutionSpace>;
  using Out = typename Basis::Out;

  Orthogonalizer(Basis& basis, Orthogonalization method, double eta) : basis_(basis), method_(method), eta_(eta) {}

  /// Before the first vector of a basis.
  void restart() { gram_.clear(); }

  /// w = w - (its part in the first `columns` vectors).
  OrthogonalizedStep run(Index columns, const Out& w) {
    switch (method_) {
      case Orthogonalization::mgs: return modified(columns, w);
      case Orthogonalization::low_sync: return low_synchronization(columns, w);
      case Orthogonalization::cgs:
      case Orthogonalization::cgs2: break;
    }
    return classical(columns, w);
  }

 private:
  OrthogonalizedStep classical(Index columns, const Out& w);
  OrthogonalizedStep modified(Index columns, const Out& w);
  OrthogonalizedStep low_synchronization(Index columns, const Out& w);
  void subtract_twice(Index columns, const std::vector<double>& coefficients, const Out& w,
                      OrthogonalizedStep& step);

  /// Takes over the norm that a sweep found.
  void measure(const Out& w, const SweepSums& sums, OrthogonalizedStep& step) {
    step.below = basis_.norm(w, sums.norms);
    step.largest = sums.norms.largest;
  }

  static std::vector<double> negative(const double* values, Index count) {
    std::vector<double> result(values, values + count);
    for (double& value : result) value = -value;
    return result;
  }

  static void add(std::vector<double>& h, const double* values) {
    for (double& value : h) value += *values++;
  }

  Basis& basis_;
  Orthogonalization method_;
  double eta_;
  GramFactor gram_;
};

/// Lines 5 to 10 of the article's figure 1. Each subtraction but the last possible one forms the products for a next
/// one in the same reading, so that they are there if the norm says that they are needed.
template <class ExecutionSpace>
OrthogonalizedStep Orthogonalizer<ExecutionSpace>::classical(Index columns, const Out& w) {
  const bool always_twice = method_ == Orthogonalization::cgs2;
  const int most = always_twice ? 2 : 3;
  OrthogonalizedStep step;
  SweepSums sums = basis_.sweep({{}, {0, columns}}, nullptr, w);
  step.h.assign(columns, 0.0);
  std::vector<double> products(sums.products, sums.products + columns);
  step.before = basis_.norm(w, sums.norms);
  step.stored_error = std::sqrt(sums.stored_error);
  double previous = step.before;
  for (int pass = 1; pass <= most; ++pass) {
    add(step.h, products.data());
    const ColumnRange next{0, pass < most ? columns : 0};
    sums = basis_.sweep({{0, columns}, next}, negative(products.data(), columns).data(), w);
    products.assign(sums.products, sums.products + next.count());
    measure(w, sums, step);
    if (always_twice || step.below < eta_ * previous) {
      previous = step.below;
    } else {
      break;
    }
    if (step.below == 0) break;
  }
  return step;
}

/// One vector after the other; to subtract one and to multiply the next takes one reading of w.
template <class ExecutionSpace>
OrthogonalizedStep Orthogonalizer<ExecutionSpace>::modified(Index columns, const Out& w) {
  OrthogonalizedStep step;
  SweepSums sums = basis_.sweep({{}, {0, 1}}, nullptr, w);
  step.before = basis_.norm(w, sums.norms);
  step.stored_error = std::sqrt(sums.stored_error);
  for (Index j = 0; j < columns; ++j) {
    const double product = sums.products[0];
    step.h.push_back(product);
    const double coefficient = -product;
    const ColumnRange next{j + 1, j + 1 < columns ? j + 2 : j + 1};
    sums = basis_.sweep({{j, j + 1}, next}, &coefficient, w);
  }
  measure(w, sums, step);
  return step;
}

template <class ExecutionSpace>
OrthogonalizedStep Orthogonalizer<ExecutionSpace>::low_synchronization(Index columns, const Out& w) {
  // Below this part of ||w||, the difference of squares has lost half its digits.
  constexpr double cancelled = 1e-6;
  OrthogonalizedStep step;
  const SweepSums sums = basis_.sweep({{}, {0, columns}, true}, nullptr, w);
  step.before = basis_.norm(w, sums.norms);
  step.stored_error = std::sqrt(sums.stored_error);
  step.refines_last = true;
  step.stored_norm = gram_.append(sums.gram);
  step.stored.assign(gram_.last_column(), gram_.last_column() + columns - 1);
  step.independent = step.stored_norm > 100 * std::numeric_limits<double>::epsilon();
  if (!step.independent || !std::isfinite(step.before)) return step;
  step.h = gram_.solve_transposed(sums.products);
  const double inside = norm_of(step.h);
  const double squares = (step.before - inside) / step.before * (step.before + inside) / step.before;
  step.below = squares > 0 ? step.before * std::sqrt(squares) : 0;

  // What is left of w is orthogonal to V up to eps ||w|| over its norm. Where that is more than storing the vector will
  // cost anyway, w is projected once more.
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const double little = std::min(0.05, 20 * epsilon / std::max(step.stored_error, epsilon));
  const std::vector<double> coefficients = negative(gram_.solve(step.h).data(), columns);
  if (squares < cancelled * cancelled || step.below < little * step.before) {
    subtract_twice(columns, coefficients, w, step);
  } else {
    step.largest = basis_.local_sweep({{0, columns}, {}, false, true}, coefficients.data(), w).norms.largest;
  }
  return step;
}

/// w = w + V coefficients and a second pass behind it, with the norm of what is left summed up.
template <class ExecutionSpace>
void Orthogonalizer<ExecutionSpace>::subtract_twice(Index columns, const std::vector<double>& coefficients,
                                                    const Out& w, OrthogonalizedStep& step) {
  SweepSums sums = basis_.sweep({{0, columns}, {0, columns}}, coefficients.data(), w);
  const std::vector<double> inside = gram_.solve_transposed(sums.products);
  add(step.h, inside.data());
  sums = basis_.sweep({{0, columns}, {}}, negative(gram_.solve(inside).data(), columns).data(), w);
  measure(w, sums, step);
}

}  // namespace detail
}  // namespace krylite

#endif
