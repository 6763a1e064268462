#ifndef KRYLITE_SOLVERS_DETAIL_GMRES_SOLVER_HPP
#define KRYLITE_SOLVERS_DETAIL_GMRES_SOLVER_HPP

#include <krylite/basis/row_scaling.hpp>
#include <krylite/solvers/detail/any_basis.hpp>
#include <krylite/solvers/detail/least_squares.hpp>
#include <krylite/solvers/detail/orthogonalizer.hpp>
#include <krylite/solvers/detail/phase_timer.hpp>
#include <krylite/solvers/detail/storage_control.hpp>
#include <krylite/solvers/parameters.hpp>
#include <krylite/solvers/result.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
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

/// The functions that the solver knows of a system: out = A in, out = M^-1 in (empty: M = I), and the bytes that both
/// read, as far as they are known.
template <class ExecutionSpace>
struct LinearOperators {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using In = VectorRef<const double, MemorySpace>;
  using Out = VectorRef<double, MemorySpace>;
  using Function = std::function<void(const In&, const Out&)>;

  Function apply_a;
  Function apply_m;
  double bytes = 0;
};

/// Restarted GMRES, compiled once an execution space.
///
/// Cycles follow figure 1 of the CB-GMRES article, with what running it has taught:
///  - after re-orthogonalizing, the new norm is compared with the norm just before (not with ||A M^-1 v||), and
///    at most twice; a breakdown is a norm near eps ||A M^-1 v||;
///  - a cycle ends where its estimate falls so far that the storage cannot hold the promise: the storage's delta, or
///    what the last cycle came to where its estimate and the true residual had parted;
///  - a cycle counts only if the true residual falls. If not, the leading half of its vectors is tried, a quarter,
///    and so on: the factorization holds the solution of every step;
///  - `converged` is said of a true residual only; with M from the left, whose estimate is of another residual, the
///    tolerance of the cycles tightens when the estimate met it and the true residual does not.
template <class ExecutionSpace>
class GmresSolver {
 public:
  using Operators = LinearOperators<ExecutionSpace>;
  using MemorySpace = typename Operators::MemorySpace;
  using In = typename Operators::In;
  using Out = typename Operators::Out;

  /// \param n rows of this process
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
    explicit Cycle(double beta) : squares(beta) {}

    LeastSquares squares;
    bool singular = false;  ///< ended by a step that added nothing: the operator is singular on this space
    bool finite = true;
    bool stopped = false;
    bool promised = false;  ///< the estimate met the tolerance
    Index usable = 0;       ///< leading columns whose diagonal does not vanish
    double cost = 0;        ///< bytes, conversion included
    std::vector<double> errors;  ///< of the stored vectors
  };

  void begin();
  GmresResult finish(GmresStatus status);
  bool ends_before_cycle(GmresStatus& status) const;
  bool ends_after_cycle(const Cycle& cycle, double before, GmresStatus& status);
  void reserve_bases();
  double start_vector();
  Cycle run_cycle();
  OrthogonalizedStep arnoldi_step(Index columns);
  void precondition_flexibly(Index column);
  bool take_step(Cycle& cycle, OrthogonalizedStep step);
  bool is_hollow(const Cycle& cycle) const;
  void scale_rows();
  void form_trial(const std::vector<double>& y);
  void advance(const Cycle& cycle);
  void learn_from(const Cycle& cycle, double before, double promised);
  double true_residual(const In& x);
  bool stagnated() const;
  bool record(double estimate);

  bool is_left() const { return operators_.apply_m && parameters_.side == Side::left; }
  bool is_flexible() const { return operators_.apply_m && parameters_.side == Side::flexible; }

  /// Vectors that a cycle can come to: memory is taken for no more.
  static Index longest_cycle(const GmresParameters& parameters, std::int64_t n) {
    const std::int64_t steps = std::max<std::int64_t>(1, parameters.max_iterations);
    return static_cast<Index>(std::min({static_cast<std::int64_t>(parameters.restart), n, steps}));
  }

  static std::shared_ptr<Communicator> communicator_of(const GmresParameters& parameters) {
    return parameters.communicator ? parameters.communicator : std::make_shared<Communicator>();
  }

  /// The scratch of a second basis, whose errors are not asked for.
  static SweepWorkspace<MemorySpace> with_own_errors(SweepWorkspace<MemorySpace> workspace) {
    workspace.errors = decltype(workspace.errors)("krylite::gmres::errors", workspace.errors.extent(0));
    return workspace;
  }

  static Kokkos::View<double*, MemorySpace> vector(const ExecutionSpace& exec, const char* label, std::int64_t n) {
    return allocate<Kokkos::View<double*, MemorySpace>>(exec, label, static_cast<std::size_t>(n));
  }

  /// A residual relative to ||b||; infinite where either is not finite.
  double relative(double residual) const {
    const double ratio = residual / norm_b_;
    return std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
  }

  double delta() const {
    const double own = parameters_.restart_delta;
    return own >= 0 ? own : std::max(default_restart_delta(basis_.storage()), learnt_delta_);
  }

  ExecutionSpace exec_;
  GmresParameters parameters_;
  Operators operators_;
  std::int64_t n_;
  Index restart_;
  std::shared_ptr<Communicator> communicator_;
  SweepWorkspace<MemorySpace> workspace_;
  AnyBasis<ExecutionSpace> basis_;
  AnyBasis<ExecutionSpace> preconditioned_;  ///< flexible: M^-1 v of each step
  Orthogonalizer<ExecutionSpace> orthogonalizer_;
  // v: the vector that goes into the operator, or the residual; w: what comes out; z: M^-1 v, or a trial x.
  Kokkos::View<double*, MemorySpace> storage_v_, storage_w_, storage_z_;
  Out v_, w_, z_;
  Kokkos::View<double*, MemorySpace> magnitudes_;      ///< of the rows, over vectors of all cycles
  Kokkos::View<std::int8_t*, MemorySpace> exponents_;  ///< of the rows, for this cycle

  // Of one solve:
  std::unique_ptr<PhaseTimer<ExecutionSpace>> timer_;
  StorageControl control_;
  GmresResult result_;
  In b_;
  Out x_;
  std::int64_t reductions_before_ = 0;
  double norm_b_ = 0;
  bool x_is_finite_ = true;
  double beta_ = 0;          ///< ||b - A x|| of the best x
  double beta_largest_ = 0;  ///< largest entry of that residual, on this process
  double cycle_beta_ = 0;    ///< norm of the residual that the cycle began with: left, of M^-1 (b - A x)
  double tightening_ = 1;    ///< left: what the tolerance of the cycles is multiplied with
  double learnt_delta_ = 0;
  std::vector<double> cycle_ends_;  ///< beta at the start and after each cycle of this storage
};

template <class ExecutionSpace>
GmresSolver<ExecutionSpace>::GmresSolver(const ExecutionSpace& exec, Operators operators, std::int64_t n,
                                         const GmresParameters& parameters)
    : exec_(exec),
      parameters_(parameters),
      operators_(std::move(operators)),
      n_(n),
      restart_(longest_cycle(parameters, n)),
      communicator_(communicator_of(parameters)),
      workspace_(n, restart_),
      basis_(exec, *communicator_, workspace_, parameters.kernel),
      preconditioned_(exec, *communicator_, with_own_errors(workspace_), parameters.kernel),
      orthogonalizer_(basis_, parameters.orthogonalization, parameters.eta),
      storage_v_(vector(exec, "krylite::gmres::v", n)),
      storage_w_(vector(exec, "krylite::gmres::w", n)),
      storage_z_(vector(exec, "krylite::gmres::z", n)),
      v_(storage_v_.data(), n),
      w_(storage_w_.data(), n),
      z_(storage_z_.data(), n),
      control_(parameters.storage) {
  reserve_bases();  // what does not fit is found out before x is touched
}

/// Memory for the storage that the next cycle uses.
template <class ExecutionSpace>
void GmresSolver<ExecutionSpace>::reserve_bases() {
  basis_.reserve(control_.storage(), n_, restart_);
  if (is_flexible()) preconditioned_.reserve(control_.storage(), n_, restart_);
  const std::size_t bases = basis_.bytes() + (is_flexible() ? preconditioned_.bytes() : 0);
  result_.storage = control_.storage();
  result_.basis_bytes = std::max(result_.basis_bytes, bases);
  result_.memory_bytes = result_.basis_bytes + workspace_.bytes() +
                         (3 * storage_v_.extent(0) + magnitudes_.extent(0)) * sizeof(double) + exponents_.extent(0);
}

/// v = b - A x, and its norm.
template <class ExecutionSpace>
double GmresSolver<ExecutionSpace>::true_residual(const In& x) {
  timer_->time(&GmresTimes::spmv, [&] {
    operators_.apply_a(x, v_);
    subtract_from(exec_, b_, v_);
  });
  const VectorNorms found = basis_.norms(v_);
  beta_largest_ = found.largest;
  return basis_.norm(v_, found);
}

/// Appends to the history and tells the monitor. \param estimate of ||b - A x||. \returns false where it says stop
template <class ExecutionSpace>
bool GmresSolver<ExecutionSpace>::record(double estimate) {
  result_.history.push_back({result_.iterations, result_.restarts, relative(estimate), false, 0});
  if (!parameters_.monitor || result_.iterations == 0) return true;
  return parameters_.monitor(result_.iterations, relative(estimate));
}

/// The first vector of a cycle in v, from the residual there; its norm in cycle_beta_. \returns its largest entry
template <class ExecutionSpace>
double GmresSolver<ExecutionSpace>::start_vector() {
  orthogonalizer_.restart();
  cycle_beta_ = beta_;
  if (!is_left()) return beta_largest_;
  timer_->time(&GmresTimes::preconditioner, [&] { operators_.apply_m(v_, z_); });
  std::swap(v_, z_);
  const VectorNorms found = basis_.norms(v_);
  cycle_beta_ = basis_.norm(v_, found);
  return found.largest;
}

/// z = M^-1 v as it is kept for x = x + Z y. A NaN, which a code cannot hold, fills z and shows in A z.
template <class ExecutionSpace>
void GmresSolver<ExecutionSpace>::precondition_flexibly(Index column) {
  operators_.apply_m(v_, z_);
  const VectorNorms found = preconditioned_.local_norms(z_);
  if (std::isnan(found.squares) || !std::isfinite(found.largest)) {
    Kokkos::deep_copy(exec_, z_, std::numeric_limits<double>::quiet_NaN());
  } else {
    preconditioned_.store(column, 1.0, found.largest, z_);
  }
}

/// w = A M^-1 v (left: M^-1 A v), made orthogonal to the vectors so far (lines 3 to 11 of figure 1).
template <class ExecutionSpace>
OrthogonalizedStep GmresSolver<ExecutionSpace>::arnoldi_step(Index columns) {
  Out operand = v_;
  if (operators_.apply_m && !is_left()) {
    timer_->time(&GmresTimes::preconditioner, [&] {
      if (is_flexible()) {
        precondition_flexibly(columns - 1);
      } else {
        operators_.apply_m(v_, z_);
      }
    });
    operand = z_;
  }
  timer_->time(&GmresTimes::spmv, [&] { operators_.apply_a(operand, w_); });
  if (is_left()) {
    timer_->time(&GmresTimes::preconditioner, [&] { operators_.apply_m(w_, z_); });
    std::swap(w_, z_);
  }
  OrthogonalizedStep step;
  timer_->time(&GmresTimes::orthogonalization, [&] { step = orthogonalizer_.run(columns, w_); });
  return step;
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
  const double part = cycle.squares.residual(cycle.usable) / cycle_beta_;
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

/// Before a cycle: rows of the basis are scaled as they differed in the cycles before.
template <class ExecutionSpace>
void GmresSolver<ExecutionSpace>::scale_rows() {
  if (!parameters_.scale_rows || !profits_from_row_scaling(basis_.storage())) return;
  if (magnitudes_.extent(0) == 0 && n_ > 0) {
    magnitudes_ = Kokkos::View<double*, MemorySpace>("krylite::gmres::magnitudes", n_);
    exponents_ = allocate<Kokkos::View<std::int8_t*, MemorySpace>>(exec_, "krylite::gmres::exponents", n_);
    return;
  }
  const bool graded = choose_row_exponents(exec_, magnitudes_, exponents_, *communicator_);
  basis_.scale_rows(graded ? exponents_ : decltype(exponents_)());
}

/// One cycle from the residual in v.
template <class ExecutionSpace>
typename GmresSolver<ExecutionSpace>::Cycle GmresSolver<ExecutionSpace>::run_cycle() {
  scale_rows();
  double largest = start_vector();
  double divisor = cycle_beta_;
  Cycle cycle(cycle_beta_);
  cycle.finite = std::isfinite(cycle_beta_);
  if (!cycle.finite) return cycle;
  const double column_cost = 2 * static_cast<double>(n_) * sweep_cost(basis_.storage()) * (is_flexible() ? 1.5 : 1);
  while (cycle.usable < restart_ && result_.iterations < parameters_.max_iterations) {
    timer_->time(&GmresTimes::orthogonalization,
                 [&] { basis_.store(cycle.usable, divisor, largest, v_, magnitudes_); });
    OrthogonalizedStep step = arnoldi_step(cycle.usable + 1);
    ++result_.iterations;
    cycle.cost += operators_.bytes + 10.0 * sizeof(double) * static_cast<double>(n_) + (cycle.usable + 1) * column_cost;
    divisor = step.below;
    largest = step.largest;
    if (!take_step(cycle, std::move(step))) break;
    std::swap(v_, w_);
  }
  return cycle;
}

/// z = x + M^-1 V y; left: x + V y; flexible: x + Z y.
template <class ExecutionSpace>
void GmresSolver<ExecutionSpace>::form_trial(const std::vector<double>& y) {
  const Sweep combination = {{0, static_cast<Index>(y.size())}, {}};
  const bool right = operators_.apply_m && !is_left() && !is_flexible();
  timer_->time(&GmresTimes::orthogonalization, [&] {
    if (right) {
      Kokkos::deep_copy(exec_, v_, 0.0);
      basis_.local_sweep(combination, y.data(), v_);
    } else {
      Kokkos::deep_copy(exec_, z_, x_);
      (is_flexible() ? preconditioned_ : basis_).local_sweep(combination, y.data(), z_);
    }
  });
  if (!right) return;
  timer_->time(&GmresTimes::preconditioner, [&] {
    operators_.apply_m(v_, z_);
    add_to(exec_, x_, z_);
  });
}

/// Moves x by the cycle's solution, or that of its leading half, quarter, ..., whichever first lowers the true
/// residual; x stays where none does. Leaves the residual of x in v.
template <class ExecutionSpace>
void GmresSolver<ExecutionSpace>::advance(const Cycle& cycle) {
  const double before = beta_;
  for (Index k = cycle.usable; k > 0; k /= 2) {
    form_trial(cycle.squares.solve(k));
    const double beta = true_residual(z_);
    const double estimate = cycle.squares.residual(k) / cycle_beta_ * before;
    if (k == cycle.usable) learn_from(cycle, beta, estimate);
    if (beta < beta_) {
      Kokkos::deep_copy(exec_, x_, z_);
      beta_ = beta;
      result_.estimated_relative_residual = relative(estimate);
      return;
    }
  }
  true_residual(x_);
}

/// Where the estimate and the true residual have parted, the next cycle ends about where they did; where they have
/// not, later. Where the tolerance was promised and not kept, cycles from the left aim lower.
template <class ExecutionSpace>
void GmresSolver<ExecutionSpace>::learn_from(const Cycle& cycle, double beta, double estimate) {
  constexpr double parted = 3;
  if (!is_left() && beta > parted * estimate) {
    learnt_delta_ = std::min(0.1, beta / beta_);
  } else {
    learnt_delta_ /= 10;
  }
  if (is_left() && cycle.promised && beta > parameters_.tolerance * norm_b_) {
    const double missed = parameters_.tolerance * norm_b_ / beta;
    tightening_ = std::max(tightening_ * std::min(0.5, missed), std::numeric_limits<double>::epsilon());
  }
}

/// Whether the last three cycles together lowered the true residual by less than 0.1 %.
template <class ExecutionSpace>
bool GmresSolver<ExecutionSpace>::stagnated() const {
  const std::size_t cycles = cycle_ends_.size();
  return cycles > 3 && cycle_ends_[cycles - 1] > 0.999 * cycle_ends_[cycles - 4];
}

template <class ExecutionSpace>
GmresResult GmresSolver<ExecutionSpace>::finish(GmresStatus status) {
  result_.status = status;
  result_.relative_residual = norm_b_ == 0 ? 0 : relative(beta_);
  result_.reductions = communicator_->reductions() - reductions_before_;
  result_.times = timer_->finish();
  return result_;
}

/// ||b||, and the residual of the guess.
template <class ExecutionSpace>
void GmresSolver<ExecutionSpace>::begin() {
  timer_ = std::make_unique<PhaseTimer<ExecutionSpace>>(exec_, parameters_.time_phases);
  control_ = StorageControl(parameters_.storage);
  result_ = GmresResult();
  reductions_before_ = communicator_->reductions();
  tightening_ = 1;
  learnt_delta_ = 0;
  beta_ = 0;
  magnitudes_ = {};
  exponents_ = {};
  reserve_bases();
  basis_.scale_rows(exponents_);
  norm_b_ = basis_.norm(b_, basis_.norms(b_));
  if (norm_b_ == 0) {
    Kokkos::deep_copy(exec_, x_, 0.0);
    result_.history.push_back({0, 0, 0, true, 0});
    return;
  }
  // An entry of x that no row reads does not show in the residual.
  const VectorNorms x_norms = basis_.norms(x_);
  x_is_finite_ = std::isfinite(basis_.norm(x_, x_norms));
  beta_ = true_residual(x_);
  record(beta_);
  result_.estimated_relative_residual = relative(beta_);
  cycle_ends_ = {beta_};
}

template <class ExecutionSpace>
bool GmresSolver<ExecutionSpace>::ends_before_cycle(GmresStatus& status) const {
  if (!x_is_finite_ || !std::isfinite(norm_b_) || !std::isfinite(beta_)) {
    status = GmresStatus::not_finite;
  } else if (beta_ <= parameters_.tolerance * norm_b_) {
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
  const bool is_whole = result_.iterations < parameters_.max_iterations && !cycle.stopped;
  const bool exhausted = cycle.singular && beta_ > 0.999 * before;
  // Where nothing moved, the next cycle would repeat this one bit for bit, unless its rows are scaled anew.
  const bool is_scaled = parameters_.scale_rows && profits_from_row_scaling(basis_.storage());
  const bool repeats = beta_ == before && is_whole && !is_scaled;
  if (!exhausted && !stagnated() && !repeats) return false;
  if (beta_ <= parameters_.tolerance * norm_b_) return false;
  const BasisStorage failed = basis_.storage();
  if (control_.widen(failed)) {
    cycle_ends_ = {beta_};
    learnt_delta_ = 0;
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
    result_.history.back().has_true = true;
    result_.history.back().true_residual = relative(beta_);
    if (ends_before_cycle(status)) return finish(status);
    result_.restarts = cycles;
    reserve_bases();
    const Cycle cycle = run_cycle();
    if (!cycle.finite) return finish(GmresStatus::not_finite);
    const double before = beta_;
    advance(cycle);
    cycle_ends_.push_back(beta_);
    control_.cycle_ended(before, beta_, cycle.cost);
    const bool ends = ends_after_cycle(cycle, before, status);
    if (cycle.stopped && beta_ > parameters_.tolerance * norm_b_) status = GmresStatus::stopped;
    if (ends || status == GmresStatus::stopped) {
      result_.history.back().has_true = true;
      result_.history.back().true_residual = relative(beta_);
      return finish(status);
    }
  }
}

}  // namespace detail
}  // namespace krylite

#endif
