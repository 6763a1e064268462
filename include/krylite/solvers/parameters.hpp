#ifndef KRYLITE_SOLVERS_PARAMETERS_HPP
#define KRYLITE_SOLVERS_PARAMETERS_HPP

#include <krylite/basis/storage.hpp>
#include <krylite/basis/sweeps.hpp>
#include <krylite/core/traits.hpp>

#include <cstdint>
#include <functional>

namespace krylite {

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
  /// Orthogonalize again where that shortened the vector below eta times its length (1 / sqrt 2).
  double eta = 0.70710678118654752;
  /// A cycle ends where its estimate falls below this part of the residual it began with: past that a compressed
  /// basis promises what it cannot hold. Negative: the storage's own (`default_restart_delta`).
  double restart_delta = -1;
  /// Which vector goes into the operator. Measured with GMRES(100) and Jacobi to 1e-8: on mcfe int32 converges
  /// with the stored vector (about 900 steps) and stagnates with the exact one; elsewhere they differ by a few steps.
  NextVector next_vector = NextVector::stored;
  /// Measure the phases of the solve. This waits for the device around each, so that it costs time.
  bool time_phases = false;
  /// Told after each step: the number of steps so far and the estimated relative residual.
  std::function<void(std::int64_t iteration, double estimated_relative_residual)> monitor = {};
};

/// Part of a cycle's first residual below which the estimate of a compressed basis is not to be trusted.
inline double default_restart_delta(BasisStorage storage) {
  switch (storage) {
    case BasisStorage::float64: return 1e-12;
    case BasisStorage::float32: return 1e-6;
    case BasisStorage::int32: return 1e-6;
    case BasisStorage::float16: return 1e-3;
    case BasisStorage::bfloat16: return 1e-2;
    case BasisStorage::int16: return 1e-3;
  }
  return 0;
}

}  // namespace krylite

#endif
