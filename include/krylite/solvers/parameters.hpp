#ifndef KRYLITE_SOLVERS_PARAMETERS_HPP
#define KRYLITE_SOLVERS_PARAMETERS_HPP

#include <krylite/basis/storage.hpp>
#include <krylite/core/kernel.hpp>
#include <krylite/core/traits.hpp>
#include <krylite/distributed/communicator.hpp>
#include <krylite/solvers/orthogonalization.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>

namespace krylite {

/// Where the preconditioner M stands.
enum class Side {
  right,    ///< A M^-1 (M x) = b: residuals are those of A x = b. M is applied once more a cycle
  left,     ///< M^-1 A x = M^-1 b: the estimate is of the preconditioned residual
  flexible  ///< right, and M may change from step to step: keeps M^-1 v of each step, in the basis' storage (FGMRES)
};

inline constexpr std::array<Side, 3> all_sides = {Side::right, Side::left, Side::flexible};

/// The name on the command line and in JSON.
inline const char* name(Side side) {
  switch (side) {
    case Side::right: return "right";
    case Side::left: return "left";
    case Side::flexible: return "flexible";
  }
  return "unknown";
}

/// What GMRES is told. Every default is one that works without thought.
struct GmresParameters {
  /// Basis vectors of a cycle (m of the article); never more than n are kept.
  Index restart = 100;
  /// Converged when ||b - A x|| <= tolerance * ||b||, by the residual computed from x.
  double tolerance = 1e-10;
  /// Arnoldi steps in all cycles together.
  std::int64_t max_iterations = 10000;
  /// How the basis is kept in memory; arithmetic is double.
  BasisStorage storage = BasisStorage::float32;
  /// How a new vector is made orthogonal to the basis.
  Orthogonalization orthogonalization = Orthogonalization::low_sync;
  /// Where the preconditioner stands.
  Side side = Side::right;
  /// `cgs` orthogonalizes again where that shortened the vector below eta times its length (1 / sqrt 2).
  double eta = 0.70710678118654752;
  /// A cycle ends where its estimate falls below this part of the residual it began with: past that a compressed
  /// basis promises what it cannot hold. Negative: the storage's own (`default_restart_delta`).
  double restart_delta = -1;
  /// Rows of a basis of few bits are scaled as they differed in earlier cycles (basis/row_scaling.hpp). Without it, and
  /// with a `restart_delta` of one's own, a cycle depends on nothing but the x that it begins with.
  bool scale_rows = true;
  /// Which implementation of the sweeps over the basis runs.
  Kernel kernel = Kernel::automatic;
  /// Measure the phases of the solve. This waits for the device around each, so that it costs time.
  bool time_phases = false;
  /// Told after each step: the number of steps so far and the estimated relative residual. Where it returns false the
  /// solve ends (`GmresStatus::stopped`), with the best x of the steps so far. Processes that share a system must all
  /// get the same answer.
  std::function<bool(std::int64_t iteration, double estimated_relative_residual)> monitor = {};
  /// Where rows are spread over processes: through which all reductions go. None: one process.
  std::shared_ptr<Communicator> communicator = {};
};

/// What iterative refinement is told (solvers/refinement.hpp).
struct RefinementParameters {
  RefinementParameters() { inner.tolerance = 1e-4; }

  /// Converged when ||b - A x|| <= tolerance * ||b||, by the residual computed from x with A in float64.
  double tolerance = 1e-10;
  std::int64_t max_refinements = 100;
  /// Of each correction. Its tolerance is relative to the residual at hand, and loosened where less is needed;
  /// `max_iterations` bounds the steps of all corrections together.
  GmresParameters inner;
};

/// Part of a cycle's first residual below which the estimate of a compressed basis is not to be trusted.
inline double default_restart_delta(BasisStorage storage) {
  switch (storage) {
    case BasisStorage::float64: return 1e-12;
    case BasisStorage::float32: return 1e-6;
    case BasisStorage::int32: return 1e-6;
    case BasisStorage::bfp32: return 1e-6;
    case BasisStorage::float16: return 1e-3;
    case BasisStorage::bfloat16: return 1e-2;
    case BasisStorage::int16: return 1e-3;
    case BasisStorage::bfp16: return 1e-3;
    case BasisStorage::automatic: break;
  }
  return 0;
}

}  // namespace krylite

#endif
