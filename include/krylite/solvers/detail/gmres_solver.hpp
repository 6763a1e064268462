#ifndef KRYLITE_SOLVERS_DETAIL_GMRES_SOLVER_HPP
#define KRYLITE_SOLVERS_DETAIL_GMRES_SOLVER_HPP

#include <krylite/solvers/detail/any_basis.hpp>
#include <krylite/solvers/detail/least_squares.hpp>
#include <krylite/solvers/detail/phase_timer.hpp>
#include <krylite/solvers/parameters.hpp>
#include <krylite/solvers/result.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace krylite {
namespace detail {

/// v = b - v.
template <class ExecutionSpace, class In, class Out>
void subtract_from(const ExecutionSpace& exec, const In& b, const Out& v) {
  Kokkos::parallel_for(
      "krylite::gmres::residual", range(exec, v.extent(0)),
      KOKKOS_LAMBDA(const std::int64_t i) { v(i) = b(i) - v(i); });
}

/// z = z + x.
template <class ExecutionSpace, class In, class Out>
void add_to(const ExecutionSpace& exec, const In& x, const Out& z) {
  Kokkos::parallel_for(
      "krylite::gmres::move", range(exec, z.extent(0)), KOKKOS_LAMBDA(const std::int64_t i) { z(i) += x(i); });
}

/// Restarted GMRES over functions y = A x and y = M^-1 x (empty: M = I), compiled once an execution space.
///
/// Cycles follow figure 1 of the CB-GMRES article, with what running it has taught:
///  - after re-orthogonalizing, the new norm is compared with the norm just before (not with ||A M^-1 v||), and
///    at most twice; a breakdown is a norm near eps ||A M^-1 v||;
///  - a cycle ends where its estimate falls so far that the storage cannot hold the promise;
///  - a cycle counts only if the true residual falls. If not, the leading half of its vectors is tried, a quarter,
///    and so on: the factorization holds the solution of every step;
///  - `converged` is said of a true residual only.
template <class ExecutionSpace>
class GmresSolver {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using In = VectorRef<const double, MemorySpace>;
  using Out = VectorRef<double, MemorySpace>;
  using Function = std::function<void(const In&, const Out&)>;

  GmresSolver(const ExecutionSpace& exec, Function apply_a, Function apply_m, const In& b, const Out& x,
              const GmresParameters& parameters);

  GmresResult solve();

 private:
  /// One cycle's factorization: how many steps it holds and why it ended.
  struct Cycle {
    LeastSquares squares;
    bool singular = false;  ///< ended by a step that added nothing: the operator is singular on this space
    bool finite = true;
    Index usable = 0;  ///< leading columns whose diagonal does not vanish
  };

  struct Step {
    std::vector<double> h;
    double before = 0;  ///< ||A M^-1 v||
    double after = 0;   ///< norm of what is left of it
    double largest = 0;
  };

  Cycle run_cycle(double beta, double largest);
  Step arnoldi_step(Index columns);
  void orthogonalize(Index columns, Step& step);
  void form_trial(const std::vector<double>& y);
  void advance(const Cycle& cycle);
  double true_residual(const In& x);
  bool stagnated() const;
  void record(double estimate);
  double vector_norm(const In& v, const VectorNorms& found);

  /// Vectors that a cycle can come to: memory is taken for no more.
  static Index longest_cycle(const GmresParameters& parameters, std::int64_t n) {
    const std::int64_t steps = std::max<std::int64_t>(1, parameters.max_iterations);
    return static_cast<Index>(std::min({static_cast<std::int64_t>(parameters.restart), n, steps}));
  }

  /// A residual relative to ||b||; infinite where either is not finite.
  double relative(double residual) const {
    const double ratio = residual / norm_b_;
    return std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
  }

  ExecutionSpace exec_;
  PhaseTimer<ExecutionSpace> timer_;
  Function apply_a_;
  Function apply_m_;
  In b_;
  Out x_;
  const GmresParameters& parameters_;
  Index restart_;
  double delta_;
  AnyBasis<ExecutionSpace> basis_;
  // v: the vector that goes into the operator, or the residual; w: what comes out; z: M^-1 v, or a trial x.
  Kokkos::View<double*, MemorySpace> storage_v_, storage_w_, storage_z_;
  Out v_, w_, z_;
  GmresResult result_;
  double norm_b_ = 0;
  double beta_ = 0;          ///< ||b - A x|| of the best x
  double beta_largest_ = 0;  ///< largest entry of that residual
  std::vector<double> cycle_ends_;  ///< beta at the start and after each cycle
};

template <class ExecutionSpace>
GmresSolver<ExecutionSpace>::GmresSolver(const ExecutionSpace& exec, Function apply_a, Function apply_m,
                                         const In& b, const Out& x, const GmresParameters& parameters)
    : exec_(exec),
      timer_(exec, parameters.time_phases),
      apply_a_(std::move(apply_a)),
      apply_m_(std::move(apply_m)),
      b_(b),
      x_(x),
      parameters_(parameters),
      restart_(longest_cycle(parameters, static_cast<std::int64_t>(b.extent(0)))),
      delta_(parameters.restart_delta < 0 ? default_restart_delta(parameters.storage) : parameters.restart_delta),
      basis_(exec, parameters.storage, static_cast<std::int64_t>(b.extent(0)), restart_),
      storage_v_(allocate<Kokkos::View<double*, MemorySpace>>(exec, "krylite::gmres::v", b.extent(0))),
      storage_w_(allocate<Kokkos::View<double*, MemorySpace>>(exec, "krylite::gmres::w", b.extent(0))),
      storage_z_(allocate<Kokkos::View<double*, MemorySpace>>(exec, "krylite::gmres::z", b.extent(0))),
      v_(storage_v_.data(), b.extent(0)),
      w_(storage_w_.data(), b.extent(0)),
      z_(storage_z_.data(), b.extent(0)) {
  result_.basis_bytes = basis_.bytes();
}

/// ||v||, by a second reading where the sum of squares left the range of double.
template <class ExecutionSpace>
double GmresSolver<ExecutionSpace>::vector_norm(const In& v, const VectorNorms& found) {
  return safe_norm(exec_, v, found, basis_.norms_workspace());
}

/// v = b - A x, and its norm.
template <class ExecutionSpace>
double GmresSolver<ExecutionSpace>::true_residual(const In& x) {
  timer_.time(&GmresTimes::spmv, [&] {
    apply_a_(x, v_);
    subtract_from(exec_, b_, v_);
  });
  const VectorNorms found = norms(exec_, In(v_), basis_.norms_workspace());
  ++result_.reductions;
  beta_largest_ = found.largest;
  return vector_norm(v_, found);
}

template <class ExecutionSpace>
void GmresSolver<ExecutionSpace>::record(double estimate) {
  result_.history.push_back({result_.iterations, result_.restarts, relative(estimate), false, 0});
  if (parameters_.monitor && result_.iterations > 0) parameters_.monitor(result_.iterations, relative(estimate));
}

/// step.h = V^T w and w = w - V h, again where that cancelled more than eta allows (lines 5 to 10 of figure 1).
template <class ExecutionSpace>
void GmresSolver<ExecutionSpace>::orthogonalize(Index columns, Step& step) {
  const double* products = basis_.project(columns, w_);
  step.h.assign(products, products + columns);
  const double squares = products[columns];
  ++result_.reductions;
  // The entries of w are not known to be tame: measure them again where their squares are not.
  const bool tame = squares > 1e-280 && squares < std::numeric_limits<double>::infinity();
  step.before = tame ? std::sqrt(squares) : vector_norm(w_, norms(exec_, In(w_), basis_.norms_workspace()));

  double previous = step.before;
  for (int pass = 0; pass < 3; ++pass) {
    if (pass > 0) {
      products = basis_.project(columns, w_);
      for (Index j = 0; j < columns; ++j) step.h[j] += products[j];
      ++result_.reductions;
    }
    const VectorNorms found = basis_.subtract(columns, w_);
    ++result_.reductions;
    step.after = vector_norm(w_, found);
    step.largest = found.largest;
    if (!(step.after < parameters_.eta * previous) || step.after == 0) break;
    previous = step.after;
  }
}

/// w = A M^-1 v, made orthogonal to the vectors so far (lines 3 to 11 of figure 1).
template <class ExecutionSpace>
typename GmresSolver<ExecutionSpace>::Step GmresSolver<ExecutionSpace>::arnoldi_step(Index columns) {
  Out operand = v_;
  if (apply_m_) {
    timer_.time(&GmresTimes::preconditioner, [&] { apply_m_(v_, z_); });
    operand = z_;
  }
  timer_.time(&GmresTimes::spmv, [&] { apply_a_(operand, w_); });
  Step step;
  timer_.time(&GmresTimes::orthogonalization, [&] { orthogonalize(columns, step); });
  return step;
}

/// One cycle from the residual in v, whose norm is beta.
template <class ExecutionSpace>
typename GmresSolver<ExecutionSpace>::Cycle GmresSolver<ExecutionSpace>::run_cycle(double beta, double largest) {
  constexpr double negligible = 10 * std::numeric_limits<double>::epsilon();
  Cycle cycle{LeastSquares(beta)};
  double divisor = beta;
  while (cycle.usable < restart_ && result_.iterations < parameters_.max_iterations) {
    timer_.time(&GmresTimes::orthogonalization,
                [&] { basis_.store(cycle.usable, divisor, largest, parameters_.next_vector, v_); });
    Step step = arnoldi_step(cycle.usable + 1);
    ++result_.iterations;
    if (!std::isfinite(step.before) || !std::isfinite(step.after)) {
      cycle.finite = false;
      break;
    }
    const bool breakdown = step.after <= negligible * step.before;
    cycle.squares.append(std::move(step.h), breakdown ? 0.0 : step.after);
    cycle.singular = breakdown && cycle.squares.last_diagonal() <= negligible * step.before;
    if (!cycle.singular) ++cycle.usable;
    const double estimate = cycle.squares.residual(cycle.usable);
    record(estimate);
    if (breakdown || estimate <= parameters_.tolerance * norm_b_ || estimate <= delta_ * beta) break;
    divisor = step.after;
    largest = step.largest;
    std::swap(v_, w_);
  }
  return cycle;
}

/// z = x + M^-1 V y.
template <class ExecutionSpace>
void GmresSolver<ExecutionSpace>::form_trial(const std::vector<double>& y) {
  const Out& sum = apply_m_ ? v_ : z_;
  timer_.time(&GmresTimes::orthogonalization, [&] {
    if (apply_m_) {
      Kokkos::deep_copy(exec_, v_, 0.0);
    } else {
      Kokkos::deep_copy(exec_, z_, x_);
    }
    basis_.add(y.data(), static_cast<Index>(y.size()), sum);
  });
  if (!apply_m_) return;
  timer_.time(&GmresTimes::preconditioner, [&] {
    apply_m_(v_, z_);
    add_to(exec_, x_, z_);
  });
}

/// Moves x by the cycle's solution, or that of its leading half, quarter, ..., whichever first lowers the true
/// residual; x stays where none does. Leaves the residual of x in v.
template <class ExecutionSpace>
void GmresSolver<ExecutionSpace>::advance(const Cycle& cycle) {
  for (Index k = cycle.usable; k > 0; k /= 2) {
    form_trial(cycle.squares.solve(k));
    const double beta = true_residual(z_);
    if (beta < beta_) {
      Kokkos::deep_copy(exec_, x_, z_);
      beta_ = beta;
      result_.estimated_relative_residual = relative(cycle.squares.residual(k));
      return;
    }
  }
  true_residual(x_);
}

/// Whether the last three cycles together lowered the true residual by less than 0.1 %.
template <class ExecutionSpace>
bool GmresSolver<ExecutionSpace>::stagnated() const {
  const std::size_t cycles = cycle_ends_.size();
  return cycles > 3 && cycle_ends_[cycles - 1] > 0.999 * cycle_ends_[cycles - 4];
}

template <class ExecutionSpace>
GmresResult GmresSolver<ExecutionSpace>::solve() {
  const auto finish = [&](GmresStatus status) {
    result_.status = status;
    result_.relative_residual = norm_b_ == 0 ? 0 : relative(beta_);
    result_.times = timer_.finish();
    return result_;
  };
  norm_b_ = vector_norm(b_, norms(exec_, b_, basis_.norms_workspace()));
  ++result_.reductions;
  if (norm_b_ == 0) {
    Kokkos::deep_copy(exec_, x_, 0.0);
    result_.history.push_back({0, 0, 0, true, 0});
    return finish(GmresStatus::converged);
  }
  // An entry of x that no row reads does not show in the residual.
  const VectorNorms x_norms = norms(exec_, In(x_), basis_.norms_workspace());
  ++result_.reductions;
  const bool x_is_finite = !std::isnan(x_norms.squares) && std::isfinite(x_norms.largest);
  beta_ = true_residual(x_);
  record(beta_);
  result_.estimated_relative_residual = relative(beta_);
  cycle_ends_ = {beta_};

  for (std::int64_t cycles = 0;; ++cycles) {
    result_.history.back().has_true = true;
    result_.history.back().true_residual = relative(beta_);
    if (!x_is_finite || !std::isfinite(norm_b_) || !std::isfinite(beta_)) return finish(GmresStatus::not_finite);
    if (beta_ <= parameters_.tolerance * norm_b_) return finish(GmresStatus::converged);
    if (stagnated()) return finish(GmresStatus::stagnated);
    if (result_.iterations >= parameters_.max_iterations) return finish(GmresStatus::max_iterations);
    result_.restarts = cycles;
    const Cycle cycle = run_cycle(beta_, beta_largest_);
    if (!cycle.finite) return finish(GmresStatus::not_finite);
    const double before = beta_;
    advance(cycle);
    cycle_ends_.push_back(beta_);
    if (cycle.singular && beta_ > 0.999 * before) return finish(GmresStatus::breakdown);
    // Nothing moved, so that the next cycle would repeat this one bit for bit.
    const bool is_whole = result_.iterations < parameters_.max_iterations;
    if (beta_ == before && is_whole) return finish(GmresStatus::stagnated);
  }
}

}  // namespace detail
}  // namespace krylite

#endif
