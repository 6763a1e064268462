#ifndef KRYLITE_SPMV_RGCSR_HPP
#define KRYLITE_SPMV_RGCSR_HPP

#include <krylite/core/traits.hpp>
#include <krylite/formats/rgcsr.hpp>
#include <krylite/spmv/csr.hpp>

namespace krylite {
namespace detail {

/// Rows [first, first + Lanes) of one group by one host thread: while all rows still have entries, position by
/// position with one sum a lane (independent sums hide the latency of the additions, and the lanes' entries are
/// neighbours in memory), then each row's rest.
template <int Lanes, class T, class Matrix, class X, class Y>
void multiply_lanes(const Matrix& matrix, std::int64_t first, T alpha, const X& x, T beta, const Y& y) {
  const std::int64_t stride = matrix.group_size;
  const std::int64_t origin = matrix.group_pointers(first / stride) + first % stride;
  const auto* const columns = matrix.columns.data() + origin;
  const auto* const values = matrix.values.data() + origin;
  const std::int64_t left = matrix.num_rows - first;
  const int rows = left < Lanes ? static_cast<int>(left) : Lanes;

  Index common = rows == Lanes ? matrix.row_lengths(first) : 0;
  for (int lane = 1; lane < rows; ++lane) {
    common = matrix.row_lengths(first + lane) < common ? matrix.row_lengths(first + lane) : common;
  }
  T sums[Lanes] = {};
  for (std::int64_t k = 0; k < common * stride; k += stride) {
    for (int lane = 0; lane < Lanes; ++lane) {
      sums[lane] += static_cast<T>(values[k + lane]) * static_cast<T>(x(columns[k + lane]));
    }
  }
  for (int lane = 0; lane < rows; ++lane) {
    for (std::int64_t k = common; k < matrix.row_lengths(first + lane); ++k) {
      const std::int64_t position = k * stride + lane;
      sums[lane] += static_cast<T>(values[position]) * static_cast<T>(x(columns[position]));
    }
    update(y(first + lane), alpha, sums[lane], beta);
  }
}

template <int Lanes, class ExecutionSpace, class T, class Matrix, class X, class Y>
void spmv_by_lanes(const ExecutionSpace& exec, T alpha, const Matrix& matrix, const X& x, T beta, const Y& y) {
  const std::int64_t num_rows = matrix.num_rows;
  Kokkos::parallel_for("krylite::spmv::rgcsr", range(exec, (num_rows + Lanes - 1) / Lanes),
                       [=](const std::int64_t i) { multiply_lanes<Lanes>(matrix, i * Lanes, alpha, x, beta, y); });
}

/// A thread a row, as in the article: neighbouring threads read neighbouring entries.
template <class ExecutionSpace, class T, class Matrix, class X, class Y>
void spmv_by_rows(const ExecutionSpace& exec, T alpha, const Matrix& matrix, const X& x, T beta, const Y& y) {
  const std::int64_t group_size = matrix.group_size;
  Kokkos::parallel_for(
      "krylite::spmv::rgcsr", range(exec, matrix.num_rows), KOKKOS_LAMBDA(const std::int64_t row) {
        std::int64_t position = matrix.group_pointers(row / group_size) + row % group_size;
        const Index length = matrix.row_lengths(row);
        T sum = 0;
        for (Index k = 0; k < length; ++k, position += group_size) {
          sum += static_cast<T>(matrix.values(position)) * static_cast<T>(x(matrix.columns(position)));
        }
        update(y(row), alpha, sum, beta);
      });
}

/// Generic RgCSR product for any execution space; each row is summed in the order of its entries, whatever the
/// group size and the number of threads. Flops 2 nnz; bytes (at best, artificial zeros at the end of a group are
/// not read) nnz (value + 4) + 4 rows + groups offset + rows y + columns x.
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace, class T, class X, class Y>
void spmv_portable(const ExecutionSpace& exec, T alpha, const RgCsrMatrix<Scalar, Offset, MemorySpace>& matrix,
                   const X& x, T beta, const Y& y) {
  if constexpr (is_host_space<ExecutionSpace>) {
    switch (matrix.group_size) {
      case 1: return spmv_by_lanes<1>(exec, alpha, matrix, x, beta, y);
      case 2: return spmv_by_lanes<2>(exec, alpha, matrix, x, beta, y);
      case 4: return spmv_by_lanes<4>(exec, alpha, matrix, x, beta, y);
      default: return spmv_by_lanes<8>(exec, alpha, matrix, x, beta, y);
    }
  } else {
    spmv_by_rows(exec, alpha, matrix, x, beta, y);
  }
}

}  // namespace detail
}  // namespace krylite

#endif
