#ifndef KRYLITE_SPMV_SPMV_HPP
#define KRYLITE_SPMV_SPMV_HPP

/// \file
/// Sparse matrix times dense vector, y = alpha A x + beta y, for every format.

#include <krylite/core/error.hpp>
#include <krylite/core/traits.hpp>
#include <krylite/spmv/csr.hpp>
#include <krylite/spmv/rgcsr.hpp>

#include <type_traits>

namespace krylite {
namespace detail {

/// The product with vectors of the common shape: this is what the library holds compiled instances of.
template <class ExecutionSpace, class Matrix, class XScalar, class YScalar>
struct Spmv {
  using memory_space = typename Matrix::memory_space;
  using arithmetic_type = std::common_type_t<typename Matrix::scalar_type, XScalar, YScalar>;

  static void run(const ExecutionSpace& exec, arithmetic_type alpha, const Matrix& matrix,
                  const VectorRef<const XScalar, memory_space>& x, arithmetic_type beta,
                  const VectorRef<YScalar, memory_space>& y) {
    spmv_portable(exec, alpha, matrix, x, beta, y);
  }
};

template <class Matrix, class X, class Y>
void check_spmv_arguments(const Matrix& matrix, const X& x, const Y& y) {
  require(x.extent(0) == static_cast<std::size_t>(matrix.num_cols) &&
              y.extent(0) == static_cast<std::size_t>(matrix.num_rows),
          "spmv: A is ", matrix.num_rows, " x ", matrix.num_cols, ", but x has ", x.extent(0), " entries and y ",
          y.extent(0));
  require(x.data() == nullptr || static_cast<const void*>(x.data()) != static_cast<const void*>(y.data()),
          "spmv: x and y are the same vector of ", x.extent(0), " entries; y would overwrite what is still read");
}

/// y = beta y, which does not read y where beta = 0.
template <class ExecutionSpace, class T, class Y>
void scale(const ExecutionSpace& exec, T beta, const Y& y) {
  Kokkos::parallel_for(
      "krylite::spmv::scale", range(exec, y.extent(0)),
      KOKKOS_LAMBDA(const std::int64_t i) { update(y(i), T(0), T(0), beta); });
}

}  // namespace detail

/// y = alpha A x + beta y on `exec`, asynchronously where `exec` is.
///
/// \param A any of Krylite's formats, m x n
/// \param x vector of n entries: a Kokkos View of rank 1, of any layout
/// \param y vector of m entries, in and out; not read where beta = 0, so that NaN in it does not survive.
///        It must not overlap x.
/// \param alpha where 0, neither A nor x is read (the BLAS convention)
/// Products and sums are formed in the widest of the three value types; alpha and beta have the type of y. Each
/// row is summed in the order of its entries, so that results are the same bits each time and for any number of
/// threads, and within the bound of spmv/reference.hpp.
/// \throws Error where the sizes do not fit, with both in the message
template <class ExecutionSpace, class Matrix, class X, class Y>
void spmv(const ExecutionSpace& exec, typename Y::const_value_type alpha, const Matrix& A, const X& x,
          typename Y::const_value_type beta, const Y& y) {
  static_assert(X::rank == 1 && Y::rank == 1, "spmv: x and y must be Views of rank 1");
  static_assert(!std::is_const_v<typename Y::value_type>, "spmv: y must be writable");
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, typename Matrix::memory_space>::accessible &&
                    Kokkos::SpaceAccessibility<ExecutionSpace, typename X::memory_space>::accessible &&
                    Kokkos::SpaceAccessibility<ExecutionSpace, typename Y::memory_space>::accessible,
                "spmv: the execution space must reach A, x and y");
  using XScalar = typename X::non_const_value_type;
  using YScalar = typename Y::non_const_value_type;
  using Product = detail::Spmv<ExecutionSpace, Matrix, XScalar, YScalar>;
  using T = typename Product::arithmetic_type;
  using MemorySpace = typename Matrix::memory_space;

  detail::check_spmv_arguments(A, x, y);
  if (alpha == YScalar(0) || A.num_entries() == 0) {
    detail::scale(exec, static_cast<T>(beta), y);
  } else if (x.span_is_contiguous() && y.span_is_contiguous()) {
    Product::run(exec, alpha, A, detail::VectorRef<const XScalar, MemorySpace>(x.data(), x.extent(0)), beta,
                 detail::VectorRef<YScalar, MemorySpace>(y.data(), y.extent(0)));
  } else {
    const Kokkos::View<const XScalar*, Kokkos::LayoutStride, typename X::memory_space> strided_x = x;
    const Kokkos::View<YScalar*, Kokkos::LayoutStride, typename Y::memory_space> strided_y = y;
    detail::spmv_portable(exec, static_cast<T>(alpha), A, strided_x, static_cast<T>(beta), strided_y);
  }
}

/// y = alpha A x + beta y on the default instance of the matrix's own execution space.
template <class Matrix, class X, class Y>
void spmv(typename Y::const_value_type alpha, const Matrix& A, const X& x, typename Y::const_value_type beta,
          const Y& y) {
  spmv(typename Matrix::memory_space::execution_space(), alpha, A, x, beta, y);
}

}  // namespace krylite

#include <krylite/spmv/extern_templates.hpp>

#endif
