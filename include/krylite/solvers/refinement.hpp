#ifndef KRYLITE_SOLVERS_REFINEMENT_HPP
#define KRYLITE_SOLVERS_REFINEMENT_HPP

/// \file
/// Iterative refinement in mixed precision: residuals in float64, corrections from a cheaper GMRES,
///
///     r = b - A x,   solve A_inner d ~ r to a few digits,   x = x + d,
///
/// where A_inner is A with float32 values (`single_precision`), whose products read fewer bytes, or A itself with a
/// narrow Krylov basis, or both. A correction takes ||r|| down by about the inner tolerance as long as
/// u_inner cond(A) < 1. Cost of one: a product with A, about ten vectors, and the inner solve.
/// Source: Higham, Accuracy and Stability of Numerical Algorithms, chapter 12; Turner and Walker 1992, "Efficient
/// high accuracy solutions with GMRES(m)".

#include <krylite/core/error.hpp>
#include <krylite/core/memory.hpp>
#include <krylite/formats/csr.hpp>
#include <krylite/solvers/detail/refinement_solver.hpp>
#include <krylite/solvers/gmres.hpp>
#include <krylite/solvers/parameters.hpp>
#include <krylite/solvers/result.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace krylite {

/// A copy of a matrix with its values rounded to float32, and the same pattern.
/// \throws Error where a finite value becomes infinite; the memory is not there
template <class ExecutionSpace, class Offset, class MemorySpace>
CsrMatrix<float, Offset, MemorySpace> single_precision(const ExecutionSpace& exec,
                                                       const CsrMatrix<double, Offset, MemorySpace>& csr) {
  using Csr = CsrMatrix<float, Offset, MemorySpace>;
  const auto count = static_cast<std::size_t>(csr.num_entries());
  const auto values = detail::allocate<typename Csr::values_type>(exec, "krylite::single_precision", count);
  const auto from = csr.values;
  std::int64_t overflows = 0;
  // The count goes to the host, so this waits.
  Kokkos::parallel_reduce(
      "krylite::single_precision", detail::range(exec, csr.num_entries()),
      KOKKOS_LAMBDA(const std::int64_t k, std::int64_t& overflow) {
        values(k) = static_cast<float>(from(k));
        overflow += isfinite(from(k)) && !isfinite(static_cast<double>(values(k))) ? 1 : 0;
      },
      overflows);
  detail::require(overflows == 0, "single_precision: ", overflows, " of ", count, " values are beyond float32");
  return Csr(csr.num_rows, csr.num_cols, csr.row_pointers, csr.columns, values);
}

/// Solves A x = b to ||b - A x|| <= tolerance ||b|| by refinement.
/// \param A n x n, anything that `gmres` takes: only residuals are computed with it
/// \param A_inner n x n, close to A: the corrections are solved with it
/// \param M preconditioner of the corrections, as for `gmres`
/// \param b, x as for `gmres`
/// \throws Error where sizes or parameters do not fit, or the memory is not there; x is untouched then
template <class ExecutionSpace, class Operator, class InnerOperator, class Preconditioner, class B, class X>
RefinementResult refine(const ExecutionSpace& exec, const Operator& A, const InnerOperator& A_inner,
                        const Preconditioner& M, const B& b, const X& x, const RefinementParameters& parameters = {}) {
  static_assert(B::rank == 1 && X::rank == 1, "refine: b and x must be Views of rank 1");
  detail::check_gmres_types<ExecutionSpace, B, X>();
  detail::check_gmres_arguments(A, b, x, parameters.inner);
  detail::check_gmres_arguments(A_inner, b, x, parameters.inner);
  detail::require(b.span_is_contiguous() && x.span_is_contiguous(), "refine: b and x must be contiguous");
  detail::require(parameters.tolerance >= 0 && std::isfinite(parameters.tolerance),
                  "refine: the tolerance must be finite and not negative, not ", parameters.tolerance);
  detail::require(parameters.inner.tolerance < 1, "refine: the inner tolerance must be below 1, not ",
                  parameters.inner.tolerance);
  detail::require(parameters.max_refinements >= 0, "refine: max_refinements must not be negative, not ",
                  parameters.max_refinements);
  using Solver = detail::RefinementSolver<ExecutionSpace>;
  Solver solver(
      exec, detail::make_operators(exec, A, IdentityPreconditioner()).apply_a, detail::make_operators(exec, A_inner, M),
      static_cast<std::int64_t>(b.extent(0)), parameters);
  return solver.solve(typename Solver::In(b.data(), b.extent(0)), typename Solver::Out(x.data(), x.extent(0)));
}

}  // namespace krylite

#endif
