#ifndef KRYLITE_SPMV_CSR_HPP
#define KRYLITE_SPMV_CSR_HPP

#include <krylite/core/traits.hpp>
#include <krylite/formats/csr.hpp>

#include <type_traits>

namespace krylite {
namespace detail {

/// y = beta y + alpha sum, where beta = 0 does not read y.
template <class T, class Y>
KOKKOS_INLINE_FUNCTION void update(Y& y, T alpha, T sum, T beta) {
  y = static_cast<Y>(beta == T(0) ? alpha * sum : alpha * sum + beta * static_cast<T>(y));
}

/// Generic CSR product, a thread a row: entries are read once and in order. Flops 2 nnz; bytes
/// nnz (value + 4) + (rows + 1) offset + rows y + (at best) columns x.
/// Source: rgcsr article, section 3 ("scalar CSR").
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace, class T, class X, class Y>
void spmv_portable(const ExecutionSpace& exec, T alpha, const CsrMatrix<Scalar, Offset, MemorySpace>& matrix,
                   const X& x, T beta, const Y& y) {
  const auto row_pointers = matrix.row_pointers;
  const auto columns = matrix.columns;
  const auto values = matrix.values;
  Kokkos::parallel_for(
      "krylite::spmv::csr", range(exec, matrix.num_rows), KOKKOS_LAMBDA(const std::int64_t row) {
        T sum = 0;
        const Offset end = row_pointers(row + 1);
        for (Offset k = row_pointers(row); k < end; ++k) {
          sum += static_cast<T>(values(k)) * static_cast<T>(x(columns(k)));
        }
        update(y(row), alpha, sum, beta);
      });
}

}  // namespace detail
}  // namespace krylite

#endif
