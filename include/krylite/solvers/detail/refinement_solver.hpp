#ifndef KRYLITE_SOLVERS_DETAIL_REFINEMENT_SOLVER_HPP
#define KRYLITE_SOLVERS_DETAIL_REFINEMENT_SOLVER_HPP

#include <krylite/basis/norms.hpp>
#include <krylite/solvers/detail/gmres_solver.hpp>
#include <krylite/solvers/parameters.hpp>
#include <krylite/solvers/result.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

namespace krylite {
namespace detail {

/// Refinement over functions: r = b - A x in double, corrections from the solver of other operators.
template <class ExecutionSpace>
class RefinementSolver {
 public:
  using Operators = LinearOperators<ExecutionSpace>;
  using MemorySpace = typename Operators::MemorySpace;
  using In = typename Operators::In;
  using Out = typename Operators::Out;

  RefinementSolver(const ExecutionSpace& exec, typename Operators::Function apply_a, Operators inner, std::int64_t n,
                   const RefinementParameters& parameters)
      : exec_(exec),
        parameters_(with_communicator(parameters)),
        communicator_(*parameters_.inner.communicator),
        apply_a_(std::move(apply_a)),
        solver_(exec, std::move(inner), n, parameters_.inner),
        norms_(n),
        storage_r_(allocate<Vector>(exec, "krylite::refine::r", n)),
        storage_d_(allocate<Vector>(exec, "krylite::refine::d", n)),
        storage_best_(allocate<Vector>(exec, "krylite::refine::best", n)),
        r_(storage_r_.data(), n),
        d_(storage_d_.data(), n),
        best_(storage_best_.data(), n) {}

  RefinementResult solve(const In& b, const Out& x) {
    const Kokkos::Timer timer;
    const std::int64_t reductions_before = communicator_.reductions();
    result_ = RefinementResult();
    inner_status_ = GmresStatus::converged;
    stuck_ = false;
    norm_b_ = norm(exec_, b, norms_, communicator_);
    if (norm_b_ == 0) Kokkos::deep_copy(exec_, x, 0.0);
    // An entry of x that no row reads does not show in the residual.
    const double norm_x = norm(exec_, In(x), norms_, communicator_);
    double beta = std::isfinite(norm_x) ? residual(b, x) : norm_x;
    record(beta);
    while (!ends(beta)) {
      beta = refine(b, x, beta);
      record(beta);
    }
    exec_.fence();
    result_.reductions = communicator_.reductions() - reductions_before;
    result_.memory_bytes = solver_.memory_bytes() + 3 * r_.extent(0) * sizeof(double) + norms_.bytes();
    result_.seconds = timer.seconds();
    return result_;
  }

 private:
  using Vector = Kokkos::View<double*, MemorySpace>;

  /// The same object counts the reductions of the corrections.
  static RefinementParameters with_communicator(RefinementParameters parameters) {
    if (!parameters.inner.communicator) parameters.inner.communicator = std::make_shared<Communicator>();
    return parameters;
  }

  /// r = b - A x, and its norm.
  double residual(const In& b, const In& x) {
    apply_a_(x, r_);
    subtract_from(exec_, b, r_);
    return norm(exec_, In(r_), norms_, communicator_);
  }

  void record(double beta) {
    const double ratio = norm_b_ == 0 ? 0 : beta / norm_b_;
    result_.relative_residual = std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
    result_.residual_history.push_back(result_.relative_residual);
  }

  bool ends(double beta) {
    GmresStatus& status = result_.status;
    if (!std::isfinite(beta) || !std::isfinite(norm_b_) || inner_status_ == GmresStatus::not_finite) {
      status = GmresStatus::not_finite;
    } else if (beta <= parameters_.tolerance * norm_b_) {
      status = GmresStatus::converged;
    } else if (inner_status_ == GmresStatus::stopped) {
      status = GmresStatus::stopped;
    } else if (result_.refinements >= parameters_.max_refinements ||
               result_.iterations >= parameters_.inner.max_iterations) {
      status = GmresStatus::max_iterations;
    } else if (stuck_) {
      // Corrections that were found to the inner tolerance and do not help are below the rounding of A_inner.
      status = inner_status_ == GmresStatus::converged ? GmresStatus::stagnated : inner_status_;
    } else {
      return false;
    }
    return true;
  }

  /// One correction, to the inner tolerance or what is still needed of it. x stays where it does not help.
  /// \returns the norm of the residual of x, which is in r
  double refine(const In& b, const Out& x, double beta) {
    const double needed = 0.5 * parameters_.tolerance * norm_b_ / beta;
    solver_.limit(std::max(parameters_.inner.tolerance, std::min(needed, 0.5)),
                  parameters_.inner.max_iterations - result_.iterations);
    Kokkos::deep_copy(exec_, d_, 0.0);
    const GmresResult correction = solver_.solve(r_, d_);
    inner_status_ = correction.status;
    ++result_.refinements;
    result_.iterations += correction.iterations;
    if (inner_status_ == GmresStatus::not_finite) return beta;
    Kokkos::deep_copy(exec_, best_, x);
    add_to(exec_, In(d_), x);
    const double next = residual(b, x);
    stuck_ = !(next <= 0.999 * beta);
    if (next < beta) return next;
    Kokkos::deep_copy(exec_, x, best_);
    return beta;
  }

  ExecutionSpace exec_;
  RefinementParameters parameters_;
  Communicator& communicator_;
  typename Operators::Function apply_a_;
  GmresSolver<ExecutionSpace> solver_;
  NormsWorkspace<MemorySpace> norms_;
  Vector storage_r_, storage_d_, storage_best_;
  Out r_, d_, best_;
  RefinementResult result_;
  GmresStatus inner_status_ = GmresStatus::converged;
  bool stuck_ = false;
  double norm_b_ = 0;
};

}  // namespace detail
}  // namespace krylite

#endif
