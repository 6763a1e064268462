#ifndef KRYLITE_PRECONDITIONERS_JACOBI_HPP
#define KRYLITE_PRECONDITIONERS_JACOBI_HPP

/// \file
/// Scalar Jacobi, M = diag(A): y_i = x_i / a_ii. Source: CB-GMRES article, section 6.1.

#include <krylite/core/error.hpp>
#include <krylite/core/memory.hpp>
#include <krylite/core/traits.hpp>
#include <krylite/formats/csr.hpp>

#include <cstdint>

namespace krylite {

template <class MemorySpace = typename Kokkos::DefaultExecutionSpace::memory_space>
struct JacobiPreconditioner {
  Kokkos::View<double*, MemorySpace> inverse_diagonal;  ///< n
  std::int64_t replaced = 0;  ///< rows whose diagonal entry was zero or missing (or had no finite inverse)

  /// y = M^-1 x; 24 n bytes.
  /// \throws Error where x or y is not as long as the diagonal
  template <class ExecutionSpace, class X, class Y>
  void apply(const ExecutionSpace& exec, const X& x, const Y& y) const {
    const auto inverse = inverse_diagonal;
    detail::require(x.extent(0) == inverse.extent(0) && y.extent(0) == inverse.extent(0), "Jacobi of ",
                    inverse.extent(0), " rows, but x has ", x.extent(0), " entries and y ", y.extent(0));
    Kokkos::parallel_for(
        "krylite::jacobi::apply", detail::range(exec, x.extent(0)),
        KOKKOS_LAMBDA(const std::int64_t i) { y(i) = inverse(i) * x(i); });
  }
};

/// Jacobi of a square matrix. Duplicates on the diagonal count as their sum; an entry that is zero, missing or
/// without a finite inverse counts as 1, and `replaced` says how many.
/// \throws Error where the matrix is not square
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
JacobiPreconditioner<MemorySpace> make_jacobi(const ExecutionSpace& exec,
                                              const CsrMatrix<Scalar, Offset, MemorySpace>& csr) {
  detail::require(csr.num_rows == csr.num_cols, "Jacobi needs a square matrix, not ", csr.num_rows, " x ",
                  csr.num_cols);
  JacobiPreconditioner<MemorySpace> result;
  result.inverse_diagonal = detail::allocate<Kokkos::View<double*, MemorySpace>>(
      exec, "krylite::jacobi::inverse_diagonal", csr.num_rows);
  const auto inverse = result.inverse_diagonal;
  // The count goes to the host, so this waits.
  Kokkos::parallel_reduce(
      "krylite::jacobi::invert", detail::range(exec, csr.num_rows),
      KOKKOS_LAMBDA(const std::int64_t row, std::int64_t& replaced) {
        double diagonal = 0;
        for (Offset k = csr.row_pointers(row); k < csr.row_pointers(row + 1); ++k) {
          if (csr.columns(k) == row) diagonal += static_cast<double>(csr.values(k));
        }
        // A NaN is not replaced: it must surface as `not_finite`.
        const bool usable = diagonal != diagonal || isfinite(1.0 / diagonal);
        inverse(row) = usable ? 1.0 / diagonal : 1.0;
        replaced += usable ? 0 : 1;
      },
      result.replaced);
  return result;
}

}  // namespace krylite

#endif
