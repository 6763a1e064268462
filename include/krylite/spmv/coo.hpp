#ifndef KRYLITE_SPMV_COO_HPP
#define KRYLITE_SPMV_COO_HPP

/// \file
/// Generic COO product: y = beta y first, then entries in chunks of a fixed size. The chunk in which a row starts adds
/// its part of the row to y, and later chunks leave carries (spmv/carries.hpp).
/// Flops 2 nnz; bytes nnz (value + 8) + rows y (twice, or not at all where beta = 1) + (at best) columns x.
/// Source: Bell and Garland 2009, whose segmented reduction the carries replace.

#include <krylite/formats/coo.hpp>
#include <krylite/spmv/carries.hpp>
#include <krylite/spmv/options.hpp>
#include <krylite/spmv/vectors.hpp>
#include <krylite/spmv/workspace.hpp>

namespace krylite {
namespace detail {

/// Entries that one thread takes.
template <class ExecutionSpace>
inline constexpr std::int64_t coo_chunk = is_host_space<ExecutionSpace> ? 16384 : 64;

/// y(r, v) = beta y(r, v) for all rows and `Count` vectors; beta = 0 does not read y.
template <int Count, class ExecutionSpace, class T, class Y>
void scale_rows(const ExecutionSpace& exec, Index num_rows, T beta, const Y& y) {
  if (beta == T(1)) return;
  Kokkos::parallel_for(
      "krylite::spmv::scale_rows", range(exec, num_rows), KOKKOS_LAMBDA(const std::int64_t row) {
        for (int v = 0; v < Count; ++v) update(y(row, v), T(0), T(0), beta);
      });
}

/// y(:, v) += alpha A x(:, v) for `Count` vectors.
template <int Count, class ExecutionSpace, class T, class Coo, class X, class Y>
void add_entries(const ExecutionSpace& exec, T alpha, const Coo& matrix, const X& x, const Y& y,
                 SpmvWorkspace<typename Coo::memory_space>& workspace) {
  constexpr std::int64_t chunk_size = coo_chunk<ExecutionSpace>;
  const std::int64_t entries = matrix.num_entries();
  if (entries == 0) return;
  const auto carries = make_carries<T, Count>(exec, workspace, (entries + chunk_size - 1) / chunk_size);
  Kokkos::parallel_for(
      "krylite::spmv::coo", range(exec, carries.num_chunks), KOKKOS_LAMBDA(const std::int64_t chunk) {
        const std::int64_t begin = chunk * chunk_size;
        const std::int64_t end = begin + chunk_size < entries ? begin + chunk_size : entries;
        // The row, if any, that an earlier chunk started.
        const Index carried = begin > 0 && matrix.rows(begin - 1) == matrix.rows(begin) ? matrix.rows(begin) : -1;
        carries.rows[chunk] = carried;
        for (std::int64_t k = begin; k < end;) {
          const Index row = matrix.rows(k);
          T sums[Count] = {};
          for (; k < end && matrix.rows(k) == row; ++k) {
            for (int v = 0; v < Count; ++v) {
              sums[v] += static_cast<T>(matrix.values(k)) * static_cast<T>(x(matrix.columns(k), v));
            }
          }
          if (row == carried) {
            carries.set(chunk, row, sums);
          } else {
            for (int v = 0; v < Count; ++v) update(y(row, v), alpha, sums[v], T(1));
          }
        }
      });
  add_carries(exec, carries, alpha, y);
}

template <int Count, class ExecutionSpace, class Scalar, class Offset, class MemorySpace, class T, class X, class Y>
void multiply_portable(const ExecutionSpace& exec, T alpha, const CooMatrix<Scalar, Offset, MemorySpace>& matrix,
                       const X& x, T beta, const Y& y, SpmvWorkspace<MemorySpace>& workspace, const SpmvOptions&) {
  scale_rows<Count>(exec, matrix.num_rows, beta, y);
  add_entries<Count>(exec, alpha, matrix, x, y, workspace);
}

}  // namespace detail
}  // namespace krylite

#endif
