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
/// Bytes: the columns of the matrix for the windows, the matrix, and 3 words for each entry of the windows. Where
/// columns are everywhere the few chunks leave many threads without work (a GPU most of them): whoever multiplies by
/// such an A^T often stores it.

#include <krylite/core/memory.hpp>
#include <krylite/core/traits.hpp>
#include <krylite/spmv/vectors.hpp>
#include <krylite/spmv/workspace.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace krylite {
namespace detail {

template <class ExecutionSpace>
inline constexpr int most_transposed_chunks = is_host_space<ExecutionSpace> ? 64 : 4096;

/// A chunk of units, the columns that it holds, and where its private vector begins.
struct ColumnWindow {
  std::int64_t first_unit;
  std::int64_t last_unit;  ///< one past the end
  Index first;
  Index last;  ///< one past the end
  std::int64_t begin;
};

template <class Matrix>
KOKKOS_FUNCTION ColumnWindow find_window(const Matrix& matrix, std::int64_t first_unit, std::int64_t last_unit) {
  ColumnWindow window = {first_unit, last_unit, matrix.num_cols, 0, 0};
  matrix.visit(first_unit, last_unit, [&](Index, Index column, const auto&) {
    window.first = column < window.first ? column : window.first;
    window.last = column >= window.last ? column + 1 : window.last;
  });
  if (window.first > window.last) window.first = window.last;
  return window;
}

/// Two windows that follow each other as one; an empty one has no columns.
inline ColumnWindow joined(const ColumnWindow& a, const ColumnWindow& b) {
  ColumnWindow both = {a.first_unit, b.last_unit, a.first, a.last, 0};
  if (a.first == a.last) {
    both.first = b.first;
    both.last = b.last;
  } else if (b.first < b.last) {
    both.first = std::min(a.first, b.first);
    both.last = std::max(a.last, b.last);
  }
  return both;
}

/// Sets where the private vectors begin; gives their size together.
inline std::int64_t place_windows(std::vector<ColumnWindow>& windows) {
  std::int64_t total = 0;
  for (ColumnWindow& window : windows) {
    window.begin = total;
    total += window.last - window.first;
  }
  return total;
}

template <class MemorySpace>
struct ColumnWindows {
  Kokkos::View<ColumnWindow*, MemorySpace> windows;
  std::int64_t size;  ///< of all private vectors together
};

/// Windows of as many chunks as fit the memory that is allowed: neighbours are joined until they do. Waits, since the
/// host decides.
template <class ExecutionSpace, class Matrix>
ColumnWindows<typename Matrix::memory_space> find_windows(const ExecutionSpace& exec, const Matrix& matrix) {
  using Windows = Kokkos::View<ColumnWindow*, typename Matrix::memory_space>;
  const std::int64_t allowed = matrix.num_entries() + 2 * std::int64_t(matrix.num_cols);
  const std::int64_t num_units = matrix.num_units();
  const std::int64_t count = std::min<std::int64_t>(most_transposed_chunks<ExecutionSpace>, num_units);
  const bool is_narrow = count * matrix.num_cols <= allowed;  // then every window may be all columns
  const auto found = allocate<Windows>(exec, "krylite::spmv::windows", static_cast<std::size_t>(count));
  Kokkos::parallel_for(
      "krylite::spmv::windows", range(exec, count), KOKKOS_LAMBDA(const std::int64_t chunk) {
        const std::int64_t first = num_units / count * chunk + num_units % count * chunk / count;
        const std::int64_t last = num_units / count * (chunk + 1) + num_units % count * (chunk + 1) / count;
        found(chunk) = is_narrow ? ColumnWindow{first, last, 0, matrix.num_cols, 0} : find_window(matrix, first, last);
      });
  exec.fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found);
  std::vector<ColumnWindow> windows(host.data(), host.data() + count);
  std::int64_t total = place_windows(windows);
  while (total > allowed && windows.size() > 1) {
    for (std::size_t i = 0; i < windows.size(); i += 2) {
      windows[i / 2] = i + 1 < windows.size() ? joined(windows[i], windows[i + 1]) : windows[i];
    }
    windows.resize((windows.size() + 1) / 2);
    total = place_windows(windows);
  }
  const auto result = Kokkos::subview(found, std::make_pair(std::size_t(0), windows.size()));
  for (std::size_t i = 0; i < windows.size(); ++i) host(i) = windows[i];
  Kokkos::deep_copy(exec, found, host);
  return {result, total};
}

/// Adds the entries of each chunk into its private vector.
template <class ExecutionSpace, class T, class Matrix, class X, class Windows>
void fill_windows(const ExecutionSpace& exec, const Matrix& matrix, const X& x, const Windows& windows,
                  T* const privates) {
  Kokkos::parallel_for(
      "krylite::spmv::transposed", range(exec, windows.extent(0)), KOKKOS_LAMBDA(const std::int64_t chunk) {
        const ColumnWindow window = windows(chunk);
        T* const mine = privates + window.begin;
        for (std::int64_t j = 0; j < window.last - window.first; ++j) mine[j] = 0;
        matrix.visit(window.first_unit, window.last_unit,
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
  T* const privates = workspace.template get<T>(exec, static_cast<std::size_t>(windows.size));
  fill_windows(exec, matrix, x, windows.windows, privates);
  add_windows(exec, alpha, matrix.num_cols, windows.windows, privates, beta, y);
}

}  // namespace detail
}  // namespace krylite

#endif
