#ifndef KRYLITE_SOLVERS_GMRES_HPP
#define KRYLITE_SOLVERS_GMRES_HPP

/// \file
/// GMRES with a compressed basis (CB-GMRES): restarted, right-preconditioned GMRES whose Krylov basis is stored
/// in fewer bits while all arithmetic stays double. Each step reads the basis two to four times, so that storing
/// it in half the bytes nearly halves the time of a step where the basis dominates.
/// Source: CB-GMRES article, figure 1 and sections 3 to 5; what was changed is in solvers/detail/gmres_solver.hpp.

#include <krylite/core/error.hpp>
#include <krylite/preconditioners/identity.hpp>
#include <krylite/solvers/detail/gmres_solver.hpp>
#include <krylite/solvers/parameters.hpp>
#include <krylite/solvers/result.hpp>
#include <krylite/spmv/spmv.hpp>

#include <cmath>
#include <type_traits>

namespace krylite {
namespace detail {

template <class Matrix, class Vector, class X>
void check_gmres_arguments(const Matrix& A, const Vector& b, const X& x, const GmresParameters& parameters) {
  require(A.num_rows == A.num_cols && b.extent(0) == static_cast<std::size_t>(A.num_rows) &&
              x.extent(0) == b.extent(0),
          "gmres: A is ", A.num_rows, " x ", A.num_cols, ", b has ", b.extent(0), " entries and x ", x.extent(0),
          "; A must be square and the vectors as long");
  require(b.data() == nullptr || b.data() != x.data(), "gmres: b and x are the same vector");
  require(parameters.restart >= 1, "gmres: restart must be at least 1, not ", parameters.restart);
  require(parameters.tolerance >= 0 && std::isfinite(parameters.tolerance),
          "gmres: the tolerance must be finite and not negative, not ", parameters.tolerance);
  require(parameters.max_iterations >= 0, "gmres: max_iterations must not be negative, not ",
          parameters.max_iterations);
  require(parameters.eta >= 0 && parameters.eta <= 1, "gmres: eta must lie between 0 and 1, not ", parameters.eta);
}

}  // namespace detail

/// Solves A x = b to ||b - A x|| <= tolerance ||b||.
///
/// \param A square matrix in any of Krylite's formats, n x n; values may be narrower than double
/// \param M preconditioner with `M.apply(exec, in, out)`, out = M^-1 in, linear and the same in every call;
///        `IdentityPreconditioner()` for none
/// \param b n doubles, contiguous
/// \param x n doubles, contiguous: in, the initial guess; out, the best solution known, never worse than the guess
/// \returns status, iterations, residuals and history; `converged` always means that the residual computed from
///        x meets the tolerance. b = 0 gives x = 0.
/// Memory: n * min(restart, n, max_iterations) codes of the storage, and three vectors. Waits for `exec` in every step.
/// \throws Error where sizes or parameters do not fit, or the basis does not fit the memory; x is untouched then
template <class ExecutionSpace, class Matrix, class Preconditioner, class B, class X>
GmresResult gmres(const ExecutionSpace& exec, const Matrix& A, const Preconditioner& M, const B& b, const X& x,
                  const GmresParameters& parameters = {}) {
  static_assert(B::rank == 1 && X::rank == 1, "gmres: b and x must be Views of rank 1");
  static_assert(std::is_same_v<typename B::non_const_value_type, double> &&
                    std::is_same_v<typename X::value_type, double>,
                "gmres: b and x must hold doubles");
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, typename B::memory_space>::accessible &&
                    Kokkos::SpaceAccessibility<ExecutionSpace, typename X::memory_space>::accessible,
                "gmres: the execution space must reach b and x");
  using Solver = detail::GmresSolver<ExecutionSpace>;
  using In = typename Solver::In;
  using Out = typename Solver::Out;
  detail::check_gmres_arguments(A, b, x, parameters);
  detail::require(b.span_is_contiguous() && x.span_is_contiguous(), "gmres: b and x must be contiguous");

  typename Solver::Function apply_m;
  if constexpr (!std::is_same_v<Preconditioner, IdentityPreconditioner>) {
    apply_m = [&exec, &M](const In& in, const Out& out) { M.apply(exec, in, out); };
  }
  Solver solver(
      exec, [&exec, &A](const In& in, const Out& out) { spmv(exec, 1.0, A, in, 0.0, out); }, apply_m,
      In(b.data(), b.extent(0)), Out(x.data(), x.extent(0)), parameters);
  return solver.solve();
}

/// Without a preconditioner.
template <class ExecutionSpace, class Matrix, class B, class X>
GmresResult gmres(const ExecutionSpace& exec, const Matrix& A, const B& b, const X& x,
                  const GmresParameters& parameters = {}) {
  return gmres(exec, A, IdentityPreconditioner(), b, x, parameters);
}

namespace detail {

// The library holds the solver compiled for the enabled execution spaces (src/instantiations/gmres_*.cpp).
#ifdef KOKKOS_ENABLE_SERIAL
extern template class GmresSolver<Kokkos::Serial>;
#endif
#ifdef KOKKOS_ENABLE_OPENMP
extern template class GmresSolver<Kokkos::OpenMP>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
extern template class GmresSolver<Kokkos::Cuda>;
#endif

}  // namespace detail
}  // namespace krylite

#endif
