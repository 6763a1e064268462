#ifndef KRYLITE_SOLVERS_DETAIL_KRYLOV_SPACE_HPP
#define KRYLITE_SOLVERS_DETAIL_KRYLOV_SPACE_HPP

#include <krylite/basis/row_scaling.hpp>
#include <krylite/solvers/detail/any_basis.hpp>
#include <krylite/solvers/detail/orthogonalizer.hpp>
#include <krylite/solvers/detail/phase_timer.hpp>
#include <krylite/solvers/parameters.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
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

/// The functions that a solver knows of a system: out = A in, out = M^-1 in (empty: M = I), and the bytes that both
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

/// A Krylov space that grows by steps: its vectors in compressed storage, and all that works on whole vectors. What
/// comes of its numbers is decided in gmres_solver.hpp.
template <class ExecutionSpace>
class KrylovSpace {
 public:
  using Operators = LinearOperators<ExecutionSpace>;
  using MemorySpace = typename Operators::MemorySpace;
  using In = typename Operators::In;
  using Out = typename Operators::Out;
  using Timer = PhaseTimer<ExecutionSpace>;

  /// \param n rows of this process, \param capacity vectors of a cycle
  KrylovSpace(const ExecutionSpace& exec, Operators operators, std::int64_t n, Index capacity,
              Communicator& communicator, const GmresParameters& parameters)
      : exec_(exec),
        operators_(std::move(operators)),
        n_(n),
        capacity_(capacity),
        communicator_(communicator),
        side_(operators_.apply_m ? parameters.side : Side::right),
        may_scale_rows_(parameters.scale_rows),
        workspace_(n, capacity),
        basis_(exec, communicator, workspace_, parameters.kernel),
        preconditioned_(exec, communicator, with_own_errors(workspace_), parameters.kernel),
        orthogonalizer_(basis_, parameters.orthogonalization, parameters.eta),
        storage_v_(allocate<Vector>(exec, "krylite::gmres::v", static_cast<std::size_t>(n))),
        storage_w_(allocate<Vector>(exec, "krylite::gmres::w", static_cast<std::size_t>(n))),
        storage_z_(allocate<Vector>(exec, "krylite::gmres::z", static_cast<std::size_t>(n))),
        v_(storage_v_.data(), n),
        w_(storage_w_.data(), n),
        z_(storage_z_.data(), n) {}
  KrylovSpace(const KrylovSpace&) = delete;
  KrylovSpace& operator=(const KrylovSpace&) = delete;

  bool is_left() const { return side_ == Side::left; }
  bool is_flexible() const { return side_ == Side::flexible; }
  BasisStorage storage() const { return basis_.storage(); }

  /// Whether rows are scaled in this storage as they differed before, so that no cycle is like another.
  bool scales_rows() const { return may_scale_rows_ && profits_from_row_scaling(storage()); }

  /// Memory for `storage`, instead of what was there.
  void reserve(BasisStorage storage) {
    basis_.reserve(storage, n_, capacity_);
    if (is_flexible()) preconditioned_.reserve(storage, n_, capacity_);
  }

  std::size_t basis_bytes() const { return basis_.bytes() + (is_flexible() ? preconditioned_.bytes() : 0); }

  std::size_t other_bytes() const {
    return workspace_.bytes() + (3 * storage_v_.extent(0) + magnitudes_.extent(0)) * sizeof(double) +
           exponents_.extent(0);
  }

  /// Forgets how rows differed.
  void forget_rows() {
    has_magnitudes_ = false;
    magnitudes_ = {};
    exponents_ = {};
    basis_.scale_rows(exponents_);
  }

  double norm(const In& v) { return basis_.norm(v, basis_.norms(v)); }

  double residual(Timer& timer, const In& b, const In& x);
  double begin(Timer& timer, double beta);
  OrthogonalizedStep step(Timer& timer, Index column, double divisor);
  const Out& trial(Timer& timer, const Out& x, const std::vector<double>& y);

  /// Before the next step: its vector is what the last one left.
  void advance() { std::swap(v_, w_); }

 private:
  using Vector = Kokkos::View<double*, MemorySpace>;

  void scale_rows();
  void precondition(Index column);

  /// The scratch of a second basis, whose errors are not asked for.
  static SweepWorkspace<MemorySpace> with_own_errors(SweepWorkspace<MemorySpace> workspace) {
    workspace.errors = decltype(workspace.errors)("krylite::gmres::errors", workspace.errors.extent(0));
    return workspace;
  }

  ExecutionSpace exec_;
  Operators operators_;
  std::int64_t n_;
  Index capacity_;
  Communicator& communicator_;
  Side side_;
  bool may_scale_rows_;
  SweepWorkspace<MemorySpace> workspace_;
  AnyBasis<ExecutionSpace> basis_;
  AnyBasis<ExecutionSpace> preconditioned_;  ///< flexible: M^-1 v of each step
  Orthogonalizer<ExecutionSpace> orthogonalizer_;
  // v: the vector that goes into the operator, or the residual; w: what comes out; z: M^-1 v, or a trial x.
  Vector storage_v_, storage_w_, storage_z_;
  Out v_, w_, z_;
  double largest_ = 0;  ///< largest entry of the vector that is stored next, on this process, or `left_largest`
  bool has_magnitudes_ = false;
  Vector magnitudes_;   ///< of the rows, over vectors of all cycles
  Kokkos::View<std::int8_t*, MemorySpace> exponents_;  ///< of the rows, for this cycle
};

/// Leaves b - A x for `begin`. \returns its norm
template <class ExecutionSpace>
double KrylovSpace<ExecutionSpace>::residual(Timer& timer, const In& b, const In& x) {
  timer.time(&GmresTimes::spmv, [&] {
    operators_.apply_a(x, v_);
    subtract_from(exec_, b, v_);
  });
  const VectorNorms found = basis_.norms(v_);
  largest_ = found.largest;
  return basis_.norm(v_, found);
}

/// Before a cycle: rows of the basis are scaled as they differed in the cycles before.
template <class ExecutionSpace>
void KrylovSpace<ExecutionSpace>::scale_rows() {
  if (!scales_rows()) return;
  if (!has_magnitudes_) {
    has_magnitudes_ = true;
    magnitudes_ = allocate<Vector>(exec_, "krylite::gmres::magnitudes", n_);
    Kokkos::deep_copy(exec_, magnitudes_, 0.0);
    exponents_ = allocate<Kokkos::View<std::int8_t*, MemorySpace>>(exec_, "krylite::gmres::exponents", n_);
    return;
  }
  const bool graded = choose_row_exponents(exec_, magnitudes_, exponents_, communicator_);
  basis_.scale_rows(graded ? exponents_ : decltype(exponents_)());
}

/// Begins a cycle from the residual that `residual` left, whose norm is beta.
/// \returns the norm of its first vector: left, of M^-1 (b - A x)
template <class ExecutionSpace>
double KrylovSpace<ExecutionSpace>::begin(Timer& timer, double beta) {
  orthogonalizer_.restart();
  scale_rows();
  if (!is_left()) return beta;
  timer.time(&GmresTimes::preconditioner, [&] { operators_.apply_m(v_, z_); });
  std::swap(v_, z_);
  const VectorNorms found = basis_.norms(v_);
  largest_ = found.largest;
  return basis_.norm(v_, found);
}

/// z = M^-1 v; flexible: as it is kept for x = x + Z y (its rows are not scaled). A NaN, which a code cannot hold,
/// fills z and shows in A z.
template <class ExecutionSpace>
void KrylovSpace<ExecutionSpace>::precondition(Index column) {
  operators_.apply_m(v_, z_);
  if (!is_flexible()) return;
  const VectorNorms found = preconditioned_.local_norms(z_);
  if (std::isnan(found.squares) || !std::isfinite(found.largest)) {
    Kokkos::deep_copy(exec_, z_, std::numeric_limits<double>::quiet_NaN());
  } else {
    preconditioned_.store(column, 1.0, found.largest, z_);
  }
}

/// Stores v / divisor as vector `column`, and makes A M^-1 v (left: M^-1 A v) orthogonal to all so far (lines 3 to 11
/// of figure 1 of the article). The vector that is multiplied is the one that the basis holds: with the exact one,
/// int32 stagnates on mcfe where it now converges, and elsewhere steps differ by a few.
template <class ExecutionSpace>
OrthogonalizedStep KrylovSpace<ExecutionSpace>::step(Timer& timer, Index column, double divisor) {
  timer.time(&GmresTimes::orthogonalization, [&] { basis_.store(column, divisor, largest_, v_, magnitudes_); });
  Out operand = v_;
  if (operators_.apply_m && !is_left()) {
    timer.time(&GmresTimes::preconditioner, [&] { precondition(column); });
    operand = z_;
  }
  timer.time(&GmresTimes::spmv, [&] { operators_.apply_a(operand, w_); });
  if (is_left()) {
    timer.time(&GmresTimes::preconditioner, [&] { operators_.apply_m(w_, z_); });
    std::swap(w_, z_);
  }
  OrthogonalizedStep step;
  timer.time(&GmresTimes::orthogonalization, [&] { step = orthogonalizer_.run(column + 1, w_); });
  largest_ = step.largest;
  return step;
}

/// x + M^-1 V y (left: x + V y; flexible: x + Z y) with the leading vectors. Valid until the next call of any kind
/// but `residual`.
template <class ExecutionSpace>
const typename KrylovSpace<ExecutionSpace>::Out& KrylovSpace<ExecutionSpace>::trial(Timer& timer, const Out& x,
                                                                                  const std::vector<double>& y) {
  const Sweep combination = {{0, static_cast<Index>(y.size())}, {}, false, true};
  const bool right = operators_.apply_m && !is_left() && !is_flexible();
  timer.time(&GmresTimes::orthogonalization, [&] {
    if (right) {
      Kokkos::deep_copy(exec_, v_, 0.0);
      basis_.local_sweep(combination, y.data(), v_);
    } else {
      Kokkos::deep_copy(exec_, z_, x);
      (is_flexible() ? preconditioned_ : basis_).local_sweep(combination, y.data(), z_);
    }
  });
  if (!right) return z_;
  timer.time(&GmresTimes::preconditioner, [&] {
    operators_.apply_m(v_, z_);
    add_to(exec_, x, z_);
  });
  return z_;
}

}  // namespace detail
}  // namespace krylite

#endif
