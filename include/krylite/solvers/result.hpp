#ifndef KRYLITE_SOLVERS_RESULT_HPP
#define KRYLITE_SOLVERS_RESULT_HPP

#include <krylite/basis/storage.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace krylite {

enum class GmresStatus {
  converged,       ///< the true residual of x meets the tolerance
  max_iterations,  ///< it does not, after all steps allowed
  stagnated,       ///< three cycles in a row together lowered it by less than 0.1 %, or one not at all
  breakdown,       ///< the Krylov space is exhausted (a singular system) and holds no better x
  stopped,         ///< the monitor said so
  not_finite       ///< a NaN or Inf in A, b, x0, M or on the way; x is as it was before that cycle
};

/// The status as JSON and tables name it.
inline const char* name(GmresStatus status) {
  switch (status) {
    case GmresStatus::converged: return "converged";
    case GmresStatus::max_iterations: return "max_iterations";
    case GmresStatus::stagnated: return "stagnated";
    case GmresStatus::breakdown: return "breakdown";
    case GmresStatus::stopped: return "stopped";
    case GmresStatus::not_finite: return "not_finite";
  }
  return "unknown";
}

/// Residual after one step, relative to ||b||.
struct ResidualRecord {
  std::int64_t iteration = 0;
  std::int64_t cycle = 0;
  double estimated = 0;    ///< by the Givens rotations
  bool has_true = false;   ///< whether the cycle ended here
  double true_residual = 0;  ///< then: of the best x so far, computed from it
};

/// Seconds of the solve; all but `total` are 0 unless phases were measured.
struct GmresTimes {
  double total = 0;
  double spmv = 0;
  double orthogonalization = 0;
  double preconditioner = 0;
  double other = 0;
};

/// What GMRES found. Every figure belongs to the x that was returned, the best one known.
struct GmresResult {
  GmresStatus status = GmresStatus::max_iterations;
  std::int64_t iterations = 0;             ///< Arnoldi steps in all cycles, discarded ones too
  std::int64_t restarts = 0;               ///< cycles after the first
  double relative_residual = 0;            ///< ||b - A x|| / ||b||, computed from x; 0 where b = 0
  double estimated_relative_residual = 0;  ///< what the rotations promised for x
  std::vector<ResidualRecord> history;     ///< first the initial residual, then a record a step
  std::int64_t reductions = 0;             ///< global sums and maxima that the host waited for
  /// Cycles that ended since the Krylov space cannot grow: `happy` where it held the solution as far as rounding lets
  /// it (the residual fell to the tolerance, or by as much as the storage allows), `unhappy` where the operator is
  /// singular on it.
  std::int64_t happy_breakdowns = 0;
  std::int64_t unhappy_breakdowns = 0;
  BasisStorage storage = BasisStorage::float64;  ///< of the last cycle
  std::size_t basis_bytes = 0;   ///< memory of the basis (with `flexible`, of both), the largest of all cycles
  std::size_t memory_bytes = 0;  ///< that, and all vectors and scratch of the solver
  GmresTimes times;
};

/// What refinement found; every figure belongs to the x that was returned, the best one.
struct RefinementResult {
  /// `stagnated`: corrections that met the inner tolerance do not help, A_inner is too far from A (or rounding is
  /// reached); else as in GmresResult, of the last correction where that did not come to its end
  GmresStatus status = GmresStatus::max_iterations;
  std::int64_t refinements = 0;          ///< corrections that were computed
  std::int64_t iterations = 0;           ///< inner steps of all of them
  std::int64_t reductions = 0;           ///< of all of them, and of the norms of the residuals
  double relative_residual = 0;          ///< ||b - A x|| / ||b||, computed from x; 0 where b = 0
  std::vector<double> residual_history;  ///< that, at first and after each correction
  std::size_t memory_bytes = 0;          ///< of the basis and all vectors and scratch
  double seconds = 0;
};

}  // namespace krylite

#endif
