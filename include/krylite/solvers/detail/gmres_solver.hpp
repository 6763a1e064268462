#ifndef KRYLITE_SOLVERS_DETAIL_GMRES_SOLVER_HPP
#define KRYLITE_SOLVERS_DETAIL_GMRES_SOLVER_HPP

#include <krylite/solvers/detail/krylov_space.hpp>
#include <krylite/solvers/detail/least_squares.hpp>
#include <krylite/solvers/detail/phase_timer.hpp>
#include <krylite/solvers/detail/storage_control.hpp>
#include <krylite/solvers/parameters.hpp>
#include <krylite/solvers/result.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace krylite {
namespace detail {

/// Restarted GMRES, compiled once an execution space.
///
/// Cycles follow figure 1 of the CB-GMRES article, with what running it has taught:
///  - after re-orthogonalizing, the new norm is compared with the norm just before (not with ||A M^-1 v||), and
///    at most twice; a breakdown is a norm near eps ||A M^-1 v||;
///  - a cycle ends where its estimate falls so far that the storage cannot hold the promise: where it is below what the
///    measured errors of the stored vectors add to the residual, at the storage's delta, or about where the estimate
///    and the true residual of the last cycle had parted;
///  - a cycle counts only if the true residual falls. If not, the leading half of its vectors is tried, a quarter,
///    and so on: the factorization holds the solution of every step;
///  - `converged` is said of a true residual only; with M from the left, whose estimate is of another residual, the
///    tolerance of the cycles tightens when the estimate met it and the true residual does not.
///
/// Everything that decides is a number that all processes have: sums over all, never what one process found.
template <class ExecutionSpace>
class GmresSolver {
 public:
  using Space = KrylovSpace<ExecutionSpace>;
  using Operators = typename Space::Operators;
  using In = typename Space::In;
  using Out = typename Space::Out;

  /// \param n rows of this process
  /// \throws Error where the memory is not there
  GmresSolver(const ExecutionSpace& exec, Operators operators, std::int64_t n, const GmresParameters& parameters);

  /// Solves A x = b; may be called again.
  GmresResult solve(const In& b, const Out& x);

  /// Other limits for the solves to come; no more steps in a cycle than before.
  void limit(double tolerance, std::int64_t max_iterations) {
    parameters_.tolerance = tolerance;
    parameters_.max_iterations = max_iterations;
  }

  std::size_t memory_bytes() const { return result_.memory_bytes; }

 private:
  /// One cycle's factorization: how many steps it holds and why it ended.
  struct Cycle {
    explicit Cycle(double first_norm) : beta(first_norm), squares(first_norm) {}

    double beta;  ///< norm of the residual that it began with: left, of M^-1 (b - A x)
    LeastSquares squares;
    bool singular = false;  ///< ended by a step that added nothing: the operator is singular on this space
    bool finite = true;
    bool stopped = false;
    bool promised = false;       ///< the estimate met the tolerance
    Index usable = 0;            ///< leading columns whose diagonal does not vanish
    double cost = 0;             ///< bytes, conversion included
    std::vector<double> errors;  ///< of the stored vectors
  };

  /// Rows of all processes, and the bytes that their operators read.
  struct Global {
    double rows = 0;
    double operator_bytes = 0;
  };

  void reserve();
  void reserve_again();
  void begin();
  GmresResult finish(GmresStatus status);
  bool ends_before_cycle(GmresStatus& status) const;
  bool ends_after_cycle(const Cycle& cycle, double before, GmresStatus& status);
  Cycle run_cycle();
  bool take_step(Cycle& cycle, OrthogonalizedStep step);
  bool is_hollow(const Cycle& cycle) const;
  void move(const Cycle& cycle);
  void learn_from(const Cycle& cycle, double beta, double estimate);
  bool stagnated() const;
  bool record(double estimate);
  void record_true_residual();

  bool meets_tolerance() const { return beta_ <= parameters_.tolerance * norm_b_; }

  static Global global(Communicator& communicator, std::int64_t n, double operator_bytes) {
    double sums[2] = {static_cast<double>(n), operator_bytes};
    communicator.sum(sums, 2);
    return {sums[0], sums[1]};
  }

  /// Vectors that a cycle can come to: memory is taken for no more.
  static Index longest_cycle(const GmresParameters& parameters, double rows) {
    const std::int64_t steps = std::max<std::int64_t>(1, parameters.max_iterations);
    return static_cast<Index>(
        std::min({static_cast<std::int64_t>(parameters.restart), static_cast<std::int64_t>(rows), steps}));
  }

  static std::shared_ptr<Communicator> communicator_of(const GmresParameters& parameters) {
    return parameters.communicator ? parameters.communicator : std::make_shared<Communicator>();
  }

  /// A residual relative to ||b||; infinite where either is not finite.
  double relative(double residual) const {
    const double ratio = residual / norm_b_;
    return std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
  }

  double delta() const {
    const double own = parameters_.restart_delta;
    return own >= 0 ? own : std::max(default_restart_delta(space_.storage()), learnt_delta_);
  }

  ExecutionSpace exec_;
  GmresParameters parameters_;
  std::shared_ptr<Communicator> communicator_;
  std::int64_t reductions_before_;
  Global global_;
  Index restart_;
  Space space_;

  // Of one solve:
  std::unique_ptr<PhaseTimer<ExecutionSpace>> timer_;
  StorageControl control_;
  GmresResult result_;
  In b_;
  Out x_;
  double norm_b_ = 0;
  bool x_is_finite_ = true;
  double beta_ = 0;        ///< ||b - A x|| of the best x
  double tightening_ = 1;  ///< left: what the tolerance of the cycles is multiplied with
  double learnt_delta_ = 0;
  bool learnt_ = false;  ///< whether the last cycle changed either
  std::vector<double> cycle_ends_;  ///< beta at the start and after each cycle since the storage was widened
};

template <class ExecutionSpace>
GmresSolver<ExecutionSpace>::GmresSolver(const ExecutionSpace& exec, Operators operators, std::int64_t n,
                                         const GmresParameters& parameters)
    : exec_(exec),
      parameters_(parameters),
      communicator_(communicator_of(parameters)),
      reductions_before_(communicator_->reductions()),
      global_(global(*communicator_, n, operators.bytes)),
      restart_(longest_cycle(parameters, global_.rows)),
      space_(exec, std::move(operators), n, restart_, *communicator_, parameters),
      control_(parameters.storage) {
  reserve();  // what does not fit is found out before x is touched
}

/// Memory for the storage that the next cycle uses.
template <class ExecutionSpace>
void GmresSolver<ExecutionSpace>::reserve() {
  if (control_.storage() != space_.storage()) learnt_delta_ = 0;
  space_.reserve(control_.storage());
  result_.storage = control_.storage();
  result_.basis_bytes = std::max(result_.basis_bytes, space_.basis_bytes());
  result_.memory_bytes = result_.basis_bytes + space_.other_bytes();
}

/// The same before a later cycle, when x has moved: a storage for which there is no memory is not used.
template <class ExecutionSpace>
void GmresSolver<ExecutionSpace>::reserve_again() {
  try {
    reserve();
  } catch (const Error&) {
    if (!control_.refuse()) throw;
    reserve();
  }
}

/// Appends to the history and tells the monitor. \param estimate of ||b - A x||. \returns false where it says stop
template <class ExecutionSpace>
bool GmresSolver<ExecutionSpace>::record(double estimate) {
  result_.history.push_back({result_.iterations, result_.restarts, relative(estimate), false, 0});
  if (!parameters_.monitor || result_.iterations == 0) return true;
  return parameters_.monitor(result_.iterations, relative(estimate));
}

template <class ExecutionSpace>
void GmresSolver<ExecutionSpace>::record_true_residual() {
  result_.history.back().has_true = true;
  result_.history.back().true_residual = relative(beta_);
}

/// Takes a step into the factorization. \returns whether the cycle goes on
template <class ExecutionSpace>
bool GmresSolver<ExecutionSpace>::take_step(Cycle& cycle, OrthogonalizedStep step) {
  constexpr double negligible = 10 * std::numeric_limits<double>::epsilon();
  cycle.finite = std::isfinite(step.before) && std::isfinite(step.below);
  if (!cycle.finite) return false;
  cycle.errors.push_back(step.stored_error);
  if (step.refines_last) cycle.squares.refine_last(step.stored, step.stored_norm);
  // A vector that lies in the space of those before it: the step that made it had reached the end.
  const bool was_end = !step.independent;
  const bool breakdown = was_end || step.below <= negligible * step.before;
  if (!was_end) {
    cycle.squares.append(std::move(step.h), breakdown ? 0.0 : step.below);
    ++cycle.usable;
  }
  cycle.singular = breakdown && cycle.squares.last_diagonal() <= negligible * step.before;
  if (cycle.singular) --cycle.usable;
  if (breakdown) ++(cycle.singular ? result_.unhappy_breakdowns : result_.happy_breakdowns);
  // As if the true residual fell like the preconditioned one.
  const double part = cycle.squares.residual(cycle.usable) / cycle.beta;
  cycle.stopped = !record(part * beta_);
  cycle.promised = part * beta_ <= parameters_.tolerance * norm_b_ * tightening_;
  return !(cycle.stopped || cycle.promised || breakdown || part <= delta() || is_hollow(cycle));
}

/// Whether the estimate has fallen so far below what the rounding of the stored vectors adds to the residual that
/// further steps would promise only what they cannot keep.
template <class ExecutionSpace>
bool GmresSolver<ExecutionSpace>::is_hollow(const Cycle& cycle) const {
  constexpr double part = 0.3;
  const Index k = cycle.usable;
  if (k == 0) return false;
  return cycle.squares.residual(k) < part * cycle.squares.noise(k, cycle.squares.solve(k), cycle.errors);
}

/// One cycle from the residual of x.
template <class ExecutionSpace>
typename GmresSolver<ExecutionSpace>::Cycle GmresSolver<ExecutionSpace>::run_cycle() {
  Cycle cycle(space_.begin(*timer_, beta_));
  cycle.finite = std::isfinite(cycle.beta);
  const double vectors_cost = global_.operator_bytes + 10.0 * sizeof(double) * global_.rows;
  const double column_cost = 2 * global_.rows * sweep_cost(space_.storage());
  // M^-1 takes the residual to 0: there is no space to search.
  cycle.singular = cycle.beta == 0;
  if (cycle.singular) ++result_.unhappy_breakdowns;
  double divisor = cycle.beta;
  while (cycle.finite && !cycle.singular && cycle.usable < restart_ &&
         result_.iterations < parameters_.max_iterations) {
    OrthogonalizedStep step = space_.step(*timer_, cycle.usable, divisor);
    ++result_.iterations;
    cycle.cost += vectors_cost + (cycle.usable + 1) * column_cost;
    divisor = step.below;
    if (!take_step(cycle, std::move(step))) break;
    space_.advance();
  }
  return cycle;
}

/// Moves x by the cycle's solution, or that of its leading half, quarter, ..., whichever first lowers the true
/// residual; x stays where none does. Leaves the residual of x for the next cycle.
template <class ExecutionSpace>
void GmresSolver<ExecutionSpace>::move(const Cycle& cycle) {
  const double before = beta_;
  learnt_ = false;
  for (Index k = cycle.usable; k > 0; k /= 2) {
    const Out trial = space_.trial(*timer_, x_, cycle.squares.solve(k));
    const double beta = space_.residual(*timer_, b_, trial);
    const double estimate = cycle.squares.residual(k) / cycle.beta * before;
    if (k == cycle.usable) learn_from(cycle, beta, estimate);
    if (beta < beta_) {
      Kokkos::deep_copy(exec_, x_, trial);
      beta_ = beta;
      result_.estimated_relative_residual = relative(estimate);
      return;
    }
  }
  space_.residual(*timer_, b_, x_);
}

/// Where the estimate and the true residual have parted, the next cycle ends about where they did; where they have
/// not, later. Where the tolerance was promised and not kept, cycles from the left aim lower.
template <class ExecutionSpace>
void GmresSolver<ExecutionSpace>::learn_from(const Cycle& cycle, double beta, double estimate) {
  constexpr double parted = 3;
  if (!space_.is_left() && beta > parted * estimate) {
    const double delta = std::min(0.1, beta / beta_);
    learnt_ = delta != learnt_delta_;
    learnt_delta_ = delta;
  } else {
    learnt_delta_ /= 10;
  }
  const double wanted = parameters_.tolerance * norm_b_;
  if (space_.is_left() && cycle.promised && beta > wanted) {
    const double tighter =
        std::max(tightening_ * std::min(0.5, wanted / beta), std::numeric_limits<double>::epsilon());
    learnt_ = tighter != tightening_;
    tightening_ = tighter;
    // A cycle that aimed too high says nothing of what can be reached.
    if (learnt_) cycle_ends_.clear();
  }
}

/// Whether the last three cycles together lowered the true residual by less than 0.1 %.
template <class ExecutionSpace>
bool GmresSolver<ExecutionSpace>::stagnated() const {
  const std::size_t cycles = cycle_ends_.size();
  if (cycles <= 3) return false;
  const double first = cycle_ends_[cycles - 4];
  // The product of a denormal may round to itself.
  return cycle_ends_[cycles - 1] > 0.999 * first || cycle_ends_[cycles - 1] == first;
}

template <class ExecutionSpace>
GmresResult GmresSolver<ExecutionSpace>::finish(GmresStatus status) {
  result_.status = status;
  result_.relative_residual = norm_b_ == 0 ? 0 : relative(beta_);
  result_.memory_bytes = result_.basis_bytes + space_.other_bytes();
  result_.reductions = communicator_->reductions() - reductions_before_;
  reductions_before_ = communicator_->reductions();
  result_.times = timer_->finish();
  return result_;
}

/// ||b||, and the residual of the guess.
template <class ExecutionSpace>
void GmresSolver<ExecutionSpace>::begin() {
  timer_ = std::make_unique<PhaseTimer<ExecutionSpace>>(exec_, parameters_.time_phases);
  control_ = StorageControl(parameters_.storage);
  result_ = GmresResult();
  tightening_ = 1;
  learnt_delta_ = 0;
  beta_ = 0;
  space_.forget_rows();
  reserve();
  norm_b_ = space_.norm(b_);
  if (norm_b_ == 0) {
    Kokkos::deep_copy(exec_, x_, 0.0);
    result_.history.push_back({0, 0, 0, true, 0});
    return;
  }
  // An entry of x that no row reads does not show in the residual.
  x_is_finite_ = std::isfinite(space_.norm(x_));
  beta_ = space_.residual(*timer_, b_, x_);
  record(beta_);
  result_.estimated_relative_residual = relative(beta_);
  cycle_ends_ = {beta_};
}

template <class ExecutionSpace>
bool GmresSolver<ExecutionSpace>::ends_before_cycle(GmresStatus& status) const {
  if (!x_is_finite_ || !std::isfinite(norm_b_) || !std::isfinite(beta_)) {
    status = GmresStatus::not_finite;
  } else if (meets_tolerance()) {
    status = GmresStatus::converged;
  } else if (result_.iterations >= parameters_.max_iterations) {
    status = GmresStatus::max_iterations;
  } else {
    return false;
  }
  return true;
}

/// Whether there is nothing more to be had, in this storage or a wider one.
template <class ExecutionSpace>
bool GmresSolver<ExecutionSpace>::ends_after_cycle(const Cycle& cycle, double before, GmresStatus& status) {
  if (meets_tolerance()) return false;
  if (cycle.stopped) {
    status = GmresStatus::stopped;
    return true;
  }
  const bool is_whole = result_.iterations < parameters_.max_iterations;
  const bool exhausted = cycle.singular && beta_ > 0.999 * before && !learnt_;
  // Where nothing moved, the next cycle would repeat this one bit for bit, unless it ends elsewhere or its rows are
  // scaled anew.
  const bool repeats = beta_ == before && is_whole && !learnt_ && !space_.scales_rows();
  if (!exhausted && !stagnated() && !repeats) return false;
  if (control_.widen(space_.storage())) {
    cycle_ends_ = {beta_};
    return false;
  }
  status = exhausted ? GmresStatus::breakdown : GmresStatus::stagnated;
  return true;
}

template <class ExecutionSpace>
GmresResult GmresSolver<ExecutionSpace>::solve(const In& b, const Out& x) {
  b_ = b;
  x_ = x;
  begin();
  if (norm_b_ == 0) return finish(GmresStatus::converged);
  GmresStatus status = GmresStatus::converged;
  for (std::int64_t cycles = 0;; ++cycles) {
    record_true_residual();
    if (ends_before_cycle(status)) return finish(status);
    result_.restarts = cycles;
    reserve_again();
    const Cycle cycle = run_cycle();
    if (!cycle.finite) return finish(GmresStatus::not_finite);
    const double before = beta_;
    move(cycle);
    cycle_ends_.push_back(beta_);
    control_.cycle_ended(before, beta_, cycle.cost);
    if (!ends_after_cycle(cycle, before, status)) continue;
    record_true_residual();
    return finish(status);
  }
}

}  // namespace detail
}  // namespace krylite

#endif
