#ifndef KRYLITE_SPMV_SPMV_HPP
#define KRYLITE_SPMV_SPMV_HPP

/// \file
/// Sparse matrix times dense vectors, y = alpha op(A) x + beta y, for every format.

#include <krylite/core/error.hpp>
#include <krylite/core/traits.hpp>
#include <krylite/spmv/held_products.hpp>
#include <krylite/spmv/options.hpp>
#include <krylite/spmv/vectors.hpp>
#include <krylite/spmv/workspace.hpp>

#include <type_traits>

namespace krylite {
namespace detail {

template <class Matrix, class X, class Y>
void check_spmv_arguments(const Matrix& matrix, const X& x, const Y& y, Transpose transpose) {
  const bool is_transposed = transpose == Transpose::yes;
  const Index x_size = is_transposed ? matrix.num_rows : matrix.num_cols;
  const Index y_size = is_transposed ? matrix.num_cols : matrix.num_rows;
  require(x.size == x_size && y.size == y_size, "spmv: A is ", matrix.num_rows, " x ", matrix.num_cols,
          is_transposed ? " and transposed" : "", ", but x has ", x.size, " entries and y ", y.size);
  require(x.count == y.count, "spmv: x has ", x.count, " vectors, but y ", y.count);
  require(x.data == nullptr || static_cast<const void*>(x.data) != static_cast<const void*>(y.data),
          "spmv: x and y are the same vector of ", x.size, " entries; y would overwrite what is still read");
}

/// y = beta y, which does not read y where beta = 0.
template <class ExecutionSpace, class T, class YScalar>
void scale(const ExecutionSpace& exec, T beta, const VectorBlock<YScalar>& y) {
  Kokkos::parallel_for(
      "krylite::spmv::scale", range(exec, y.size), KOKKOS_LAMBDA(const std::int64_t i) {
        for (std::int64_t v = 0; v < y.count; ++v) update(y(i, static_cast<int>(v)), T(0), T(0), beta);
      });
}

}  // namespace detail

/// y = alpha op(A) x + beta y on `exec`, asynchronously where `exec` is (transposed products wait twice).
///
/// \param A any of Krylite's formats, m x n
/// \param x a Kokkos View of any layout, strided too: n entries (m if transposed), or that many rows and a column for
///        each of several vectors
/// \param y as x with m entries (n if transposed) and as many vectors, in and out; not read where beta = 0, so that NaN
///        in it does not survive. It must not overlap x.
/// \param alpha where 0, neither A nor x is read (the BLAS convention)
/// \param workspace scratch that no other product uses at the same time; without it, one kept for each execution
///        instance and host thread
/// \param options op(A), and which kernel
/// Products and sums are formed in the widest of the three value types (16-bit types only store); alpha and beta have
/// the type of y. Results are the same bits each time and for any number of threads, and within the bound of
/// spmv/reference.hpp.
/// Several host threads may multiply by one matrix at once, each with its x and y, where Kokkos counts the owners of
/// Views atomically: not in a Kokkos before 4 whose only backend is Serial (such as Debian's binary package).
/// \throws Error where the sizes do not fit, with both in the message, and where the kernel asked for does not exist
template <class ExecutionSpace, class Matrix, class X, class Y>
void spmv(const ExecutionSpace& exec, typename Y::const_value_type alpha, const Matrix& A, const X& x,
          typename Y::const_value_type beta, const Y& y, SpmvWorkspace<typename Matrix::memory_space>& workspace,
          const SpmvOptions& options = {}) {
  static_assert((X::rank == 1 || X::rank == 2) && int(X::rank) == int(Y::rank),
                "spmv: x and y must be Views of rank 1, or both of rank 2");
  static_assert(!std::is_const_v<typename Y::value_type>, "spmv: y must be writable");
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, typename Matrix::memory_space>::accessible &&
                    Kokkos::SpaceAccessibility<ExecutionSpace, typename X::memory_space>::accessible &&
                    Kokkos::SpaceAccessibility<ExecutionSpace, typename Y::memory_space>::accessible,
                "spmv: the execution space must reach A, x and y");
  using XScalar = typename X::non_const_value_type;
  using YScalar = typename Y::non_const_value_type;
  using T = typename detail::ProductType<typename Matrix::scalar_type, XScalar, YScalar>::type;

  const auto x_block = detail::vector_block<const XScalar>(x);
  const auto y_block = detail::vector_block<YScalar>(y);
  detail::check_spmv_arguments(A, x_block, y_block, options.transpose);
  if (alpha == YScalar(0) || A.num_entries() == 0) {
    detail::scale(exec, static_cast<T>(beta), y_block);
  } else {
    detail::run_product(exec, static_cast<T>(alpha), A, x_block, static_cast<T>(beta), y_block, workspace, options);
  }
}

/// The same with the workspace of the execution instance.
template <class ExecutionSpace, class Matrix, class X, class Y>
void spmv(const ExecutionSpace& exec, typename Y::const_value_type alpha, const Matrix& A, const X& x,
          typename Y::const_value_type beta, const Y& y, const SpmvOptions& options = {}) {
  spmv(exec, alpha, A, x, beta, y, detail::default_workspace(exec), options);
}

/// On the default instance of the matrix's own execution space.
template <class Matrix, class X, class Y>
void spmv(typename Y::const_value_type alpha, const Matrix& A, const X& x, typename Y::const_value_type beta,
          const Y& y, const SpmvOptions& options = {}) {
  spmv(typename Matrix::memory_space::execution_space(), alpha, A, x, beta, y, options);
}

}  // namespace krylite

#endif
