#ifndef KRYLITE_SPMV_ROWS_HPP
#define KRYLITE_SPMV_ROWS_HPP

/// \file
/// The generic product of every format that stores rows whole. Such a format offers units of traversal:
///
///     num_units()                                how many there are; here, one for each row
///     visit(first, last, body)                   body(row, column, value) for the entries of units [first, last),
///                                                those of a row in the order of CSR
///     row_of(unit)                               the row of a unit

#include <krylite/core/traits.hpp>
#include <krylite/spmv/vectors.hpp>

namespace krylite {
namespace detail {

/// y(:, v) = alpha A x(:, v) + beta y(:, v) for `Count` vectors, a thread a row, each row summed in the order of its
/// entries. Reads the matrix once for all vectors.
template <int Count, class ExecutionSpace, class T, class Matrix, class X, class Y>
void multiply_by_rows(const ExecutionSpace& exec, const char* label, T alpha, const Matrix& matrix, const X& x, T beta,
                      const Y& y) {
  Kokkos::parallel_for(
      label, range(exec, matrix.num_units()), KOKKOS_LAMBDA(const std::int64_t unit) {
        T sums[Count] = {};
        matrix.visit(unit, unit + 1, [&](Index, Index column, const auto& value) {
          for (int v = 0; v < Count; ++v) sums[v] += static_cast<T>(value) * static_cast<T>(x(column, v));
        });
        const Index row = matrix.row_of(unit);
        for (int v = 0; v < Count; ++v) update(y(row, v), alpha, sums[v], beta);
      });
}

}  // namespace detail
}  // namespace krylite

#endif
