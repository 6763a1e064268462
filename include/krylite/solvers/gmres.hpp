#ifndef KRYLITE_SOLVERS_GMRES_HPP
#define KRYLITE_SOLVERS_GMRES_HPP

/// \file
/// GMRES with a compressed basis (CB-GMRES): restarted GMRES whose Krylov basis is stored in fewer bits while all
/// arithmetic stays double. Each step reads the basis two to four times, so that storing it in half the bytes nearly
/// halves the time of a step where the basis dominates.
/// Source: CB-GMRES article, figure 1 and sections 3 to 5; what was changed is in solvers/detail/gmres_solver.hpp.

#include <krylite/core/error.hpp>
#include <krylite/preconditioners/identity.hpp>
#include <krylite/solvers/detail/gmres_solver.hpp>
#include <krylite/solvers/operators.hpp>
#include <krylite/solvers/parameters.hpp>
#include <krylite/solvers/result.hpp>

#include <cmath>
#include <type_traits>
#include <vector>

namespace krylite {
namespace detail {

template <class Operator, class B, class X>
void check_gmres_arguments(const Operator& A, const B& b, const X& x, const GmresParameters& parameters) {
  const auto n = static_cast<std::int64_t>(b.extent(0));
  const auto [rows, columns] = sizes_of(A, n);
  require(x.extent(0) == b.extent(0) && rows == n && columns == n, "gmres: A is ", rows, " x ", columns, ", b has ",
          b.extent(0), " entries and x ", x.extent(0), "; A must be square and the vectors as long");
  require(b.data() == nullptr || b.data() != x.data(), "gmres: b and x are the same vector");
  require(parameters.restart >= 1, "gmres: restart must be at least 1, not ", parameters.restart);
  require(parameters.tolerance >= 0 && std::isfinite(parameters.tolerance),
          "gmres: the tolerance must be finite and not negative, not ", parameters.tolerance);
  require(parameters.max_iterations >= 0, "gmres: max_iterations must not be negative, not ",
          parameters.max_iterations);
  require(parameters.eta >= 0 && parameters.eta <= 1, "gmres: eta must lie between 0 and 1, not ", parameters.eta);
  require(parameters.restart_delta <= 1, "gmres: restart_delta must be at most 1, not ", parameters.restart_delta);
}

template <class ExecutionSpace, class B, class X>
void check_gmres_types() {
  static_assert(std::is_same_v<typename B::non_const_value_type, double> &&
                    std::is_same_v<typename X::value_type, double>,
                "gmres: b and x must hold doubles");
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, typename B::memory_space>::accessible &&
                    Kokkos::SpaceAccessibility<ExecutionSpace, typename X::memory_space>::accessible,
                "gmres: the execution space must reach b and x");
}

/// The solver's view of A and M, which must outlive it.
template <class ExecutionSpace, class Operator, class Preconditioner>
LinearOperators<ExecutionSpace> make_operators(const ExecutionSpace& exec, const Operator& A,
                                               const Preconditioner& M) {
  using Operators = LinearOperators<ExecutionSpace>;
  using In = typename Operators::In;
  using Out = typename Operators::Out;
  Operators operators;
  operators.apply_a = [&exec, &A](const In& in, const Out& out) { apply_operator(exec, A, in, out); };
  operators.bytes = bytes_of(A);
  if constexpr (!std::is_same_v<Preconditioner, IdentityPreconditioner>) {
    operators.apply_m = [&exec, &M](const In& in, const Out& out) { apply_operator(exec, M, in, out); };
    operators.bytes += bytes_of(M);
  }
  return operators;
}

}  // namespace detail

/// Solves A x = b to ||b - A x|| <= tolerance ||b||.
///
/// \param A n x n: a matrix in any of Krylite's formats, whose values may be narrower than double, or anything that
///        can be applied (solvers/operators.hpp)
/// \param M preconditioner, anything that can be applied: out = M^-1 in, linear and the same in every call (with
///        `Side::flexible` it may change); `IdentityPreconditioner()` for none
/// \param b n doubles, contiguous
/// \param x n doubles, contiguous: in, the initial guess; out, the best solution known, never worse than the guess
/// \returns status, iterations, residuals and history; `converged` always means that the residual computed from
///        x meets the tolerance. b = 0 gives x = 0.
/// Memory: n * min(restart, n, max_iterations) codes of the storage (twice that with `flexible`), three vectors, and
/// for storages that scale rows 9 n bytes.
/// Waits for `exec` in every step.
/// \throws Error where sizes or parameters do not fit, or the basis does not fit the memory; x is untouched then
template <class ExecutionSpace, class Operator, class Preconditioner, class B, class X>
std::enable_if_t<X::rank == 1, GmresResult> gmres(const ExecutionSpace& exec, const Operator& A,
                                                  const Preconditioner& M, const B& b, const X& x,
                                                  const GmresParameters& parameters = {}) {
  static_assert(B::rank == 1, "gmres: b and x must be Views of the same rank");
  detail::check_gmres_types<ExecutionSpace, B, X>();
  using Solver = detail::GmresSolver<ExecutionSpace>;
  detail::check_gmres_arguments(A, b, x, parameters);
  detail::require(b.span_is_contiguous() && x.span_is_contiguous(), "gmres: b and x must be contiguous");
  Solver solver(exec, detail::make_operators(exec, A, M), static_cast<std::int64_t>(b.extent(0)), parameters);
  return solver.solve(typename Solver::In(b.data(), b.extent(0)), typename Solver::Out(x.data(), x.extent(0)));
}

/// Solves A X = B for several right-hand sides, one after the other with one basis.
/// \param B n x k doubles of any layout
/// \param X n x k: in, the initial guesses; out, the solutions
/// \returns a result for each column
template <class ExecutionSpace, class Operator, class Preconditioner, class B, class X>
std::enable_if_t<X::rank == 2, std::vector<GmresResult>> gmres(const ExecutionSpace& exec, const Operator& A,
                                                               const Preconditioner& M, const B& b, const X& x,
                                                               const GmresParameters& parameters = {}) {
  static_assert(B::rank == 2, "gmres: b and x must be Views of the same rank");
  detail::check_gmres_types<ExecutionSpace, B, X>();
  using Solver = detail::GmresSolver<ExecutionSpace>;
  using Vector = Kokkos::View<double*, typename ExecutionSpace::memory_space>;
  detail::check_gmres_arguments(A, b, x, parameters);
  detail::require(b.extent(1) == x.extent(1), "gmres: b has ", b.extent(1), " columns and x ", x.extent(1));
  const auto b_column = detail::allocate<Vector>(exec, "krylite::gmres::b", b.extent(0));
  const auto x_column = detail::allocate<Vector>(exec, "krylite::gmres::x", b.extent(0));
  Solver solver(exec, detail::make_operators(exec, A, M), static_cast<std::int64_t>(b.extent(0)), parameters);
  std::vector<GmresResult> results;
  for (std::size_t k = 0; k < b.extent(1); ++k) {
    Kokkos::deep_copy(exec, b_column, Kokkos::subview(b, Kokkos::ALL, k));
    Kokkos::deep_copy(exec, x_column, Kokkos::subview(x, Kokkos::ALL, k));
    results.push_back(solver.solve(typename Solver::In(b_column.data(), b.extent(0)),
                                   typename Solver::Out(x_column.data(), b.extent(0))));
    Kokkos::deep_copy(exec, Kokkos::subview(x, Kokkos::ALL, k), x_column);
  }
  exec.fence();  // the columns' memory is given back
  return results;
}

/// Without a preconditioner.
template <class ExecutionSpace, class Operator, class B, class X,
          class = std::enable_if_t<Kokkos::is_view<B>::value && Kokkos::is_view<X>::value>>
auto gmres(const ExecutionSpace& exec, const Operator& A, const B& b, const X& x,
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
