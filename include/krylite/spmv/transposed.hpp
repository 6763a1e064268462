#ifndef KRYLITE_SPMV_TRANSPOSED_HPP
#define KRYLITE_SPMV_TRANSPOSED_HPP

/// \file
/// y = alpha A^T x + beta y for every format, without atomics: the units of A (spmv/rows.hpp) are cut into chunks;
/// chunk c adds its entries into a private vector over the columns that it holds, its window [first_c, last_c), and
///
///     y_j = beta y_j + alpha sum_c private_c(j)        in the order of the chunks
///
/// Chunks depend on the matrix alone, so that results are the same bits each time and for any number of threads.
/// There are as many chunks as keep the windows together within two entries of memory for each column and one for
/// each nonzero: 64 for banded and for narrow matrices, fewer where the columns of a square matrix are everywhere.
/// Bytes: the matrix twice (its columns for the windows), and 3 words for each entry of the windows.
/// Who multiplies by A^T often does better with `transpose(exec, csr)`.

#include <krylite/core/traits.hpp>
#include <krylite/spmv/vectors.hpp>
#include <krylite/spmv/workspace.hpp>

#include <algorithm>
#include <cstdint>

namespace krylite {
namespace detail {

template <class ExecutionSpace>
inline constexpr int most_transposed_chunks = is_host_space<ExecutionSpace> ? 64 : 4096;

/// Columns of a chunk, and where its private vector begins.
struct ColumnWindow {
  Index first;
  Index last;  ///< one past the end
  std::int64_t begin;
};

/// Units [0, num_units) in `count` equal chunks: where chunk c begins.
KOKKOS_INLINE_FUNCTION std::int64_t chunk_begin(std::int64_t num_units, int count, std::int64_t chunk) {
  return num_units / count * chunk + num_units % count * chunk / count;
}

template <class Matrix>
KOKKOS_FUNCTION ColumnWindow find_window(const Matrix& matrix, std::int64_t first, std::int64_t last) {
  ColumnWindow window = {matrix.num_cols, 0, 0};
  matrix.visit(first, last, [&](Index, Index column, const auto&) {
    window.first = column < window.first ? column : window.first;
    window.last = column >= window.last ? column + 1 : window.last;
  });
  if (window.first > window.last) window.first = window.last;
  return window;
}

/// Windows of as many chunks as fit the memory that is allowed; waits, since the host decides.
template <class ExecutionSpace, class Matrix>
Kokkos::View<ColumnWindow*, typename Matrix::memory_space> find_windows(const ExecutionSpace& exec,
                                                                        const Matrix& matrix) {
  using Windows = Kokkos::View<ColumnWindow*, typename Matrix::memory_space>;
  const std::int64_t allowed = matrix.num_entries() + 2 * std::int64_t(matrix.num_cols);
  int count = static_cast<int>(std::min<std::int64_t>(most_transposed_chunks<ExecutionSpace>, matrix.num_units()));
  for (;; count = (count + 1) / 2) {
    const auto windows = allocate<Windows>(exec, "krylite::spmv::windows", count);
    const std::int64_t num_units = matrix.num_units();
    Kokkos::parallel_for(
        "krylite::spmv::windows", range(exec, count), KOKKOS_LAMBDA(const std::int64_t chunk) {
          windows(chunk) =
              find_window(matrix, chunk_begin(num_units, count, chunk), chunk_begin(num_units, count, chunk + 1));
        });
    exec.fence();
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), windows);
    std::int64_t total = 0;
    for (int chunk = 0; chunk < count; ++chunk) {
      host(chunk).begin = total;
      total += host(chunk).last - host(chunk).first;
    }
    if (total > allowed && count > 1) continue;
    Kokkos::deep_copy(exec, windows, host);
    return windows;
  }
}

/// Adds the entries of each chunk into its private vector.
template <class ExecutionSpace, class T, class Matrix, class X, class Windows>
void fill_windows(const ExecutionSpace& exec, const Matrix& matrix, const X& x, const Windows& windows,
                  T* const privates) {
  const int count = static_cast<int>(windows.extent(0));
  const std::int64_t num_units = matrix.num_units();
  Kokkos::parallel_for(
      "krylite::spmv::transposed", range(exec, count), KOKKOS_LAMBDA(const std::int64_t chunk) {
        const ColumnWindow window = windows(chunk);
        T* const mine = privates + window.begin;
        for (std::int64_t j = 0; j < window.last - window.first; ++j) mine[j] = 0;
        matrix.visit(chunk_begin(num_units, count, chunk), chunk_begin(num_units, count, chunk + 1),
                     [&](Index row, Index column, const auto& value) {
                       mine[column - window.first] += static_cast<T>(value) * static_cast<T>(x(row, 0));
                     });
      });
}

/// y = alpha (sum of the private vectors) + beta y, a stretch of columns a thread.
template <class ExecutionSpace, class T, class Y, class Windows>
void add_windows(const ExecutionSpace& exec, T alpha, Index num_cols, const Windows& windows, const T* const privates,
                 T beta, const Y& y) {
  constexpr int stretch = is_host_space<ExecutionSpace> ? 1024 : 1;
  const int count = static_cast<int>(windows.extent(0));
  const std::int64_t stretches = (std::int64_t(num_cols) + stretch - 1) / stretch;
  Kokkos::parallel_for(
      "krylite::spmv::add_windows", range(exec, stretches), KOKKOS_LAMBDA(const std::int64_t s) {
        const std::int64_t begin = s * stretch;
        const std::int64_t end = begin + stretch < num_cols ? begin + stretch : num_cols;
        T sums[stretch] = {};
        for (int chunk = 0; chunk < count; ++chunk) {
          const ColumnWindow window = windows(chunk);
          const std::int64_t from = window.first > begin ? window.first : begin;
          const std::int64_t to = window.last < end ? window.last : end;
          const T* const part = privates + window.begin - window.first;
          for (std::int64_t j = from; j < to; ++j) sums[j - begin] += part[j];
        }
        for (std::int64_t j = begin; j < end; ++j) update(y(j, 0), alpha, sums[j - begin], beta);
      });
}

/// y = alpha A^T x + beta y for one vector.
/// \param x num_rows entries; y num_cols entries
template <class ExecutionSpace, class T, class Matrix, class X, class Y, class Workspace, class Windows>
void multiply_transposed(const ExecutionSpace& exec, T alpha, const Matrix& matrix, const X& x, T beta, const Y& y,
                         const Windows& windows, Workspace& workspace) {
  const std::size_t most = static_cast<std::size_t>(matrix.num_entries()) + 2 * std::size_t(matrix.num_cols);
  T* const privates = workspace.template get<T>(exec, most);
  fill_windows(exec, matrix, x, windows, privates);
  add_windows(exec, alpha, matrix.num_cols, windows, privates, beta, y);
}

}  // namespace detail
}  // namespace krylite

#endif
