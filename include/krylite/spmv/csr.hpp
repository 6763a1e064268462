#ifndef KRYLITE_SPMV_CSR_HPP
#define KRYLITE_SPMV_CSR_HPP

/// \file
/// Generic CSR products. Flops 2 nnz; bytes nnz (value + 4) + (rows + 1) offset + rows y + (at best) columns x.
///
/// scalar    a thread a row, which sums its entries in order
/// vector    a team a row, whose threads share its entries; for long rows on a GPU
/// balanced  the work is the rows and the entries together, in the order row 0, its entries, row 1, ...: item
///           `row_pointers[r] + r` is row r. Chunks of equally many items need no luck with row lengths: a chunk writes
///           y for the rows whose item it holds, and leaves a carry (spmv/carries.hpp) for the row that began before it
///
/// Source: rgcsr article, section 3 (scalar and vector CSR); balanced: the merge path of Merrill and Garland 2016,
/// with chunks of fixed size.

#include <krylite/formats/csr.hpp>
#include <krylite/spmv/carries.hpp>
#include <krylite/spmv/options.hpp>
#include <krylite/spmv/rows.hpp>

namespace krylite {
namespace detail {

/// Items (rows and entries) that one thread takes in a balanced product.
template <class ExecutionSpace>
inline constexpr std::int64_t balanced_items = is_host_space<ExecutionSpace> ? 16384 : 64;

/// Smallest row whose item is not before `item`; num_rows where there is none.
template <class RowPointers>
KOKKOS_FUNCTION Index first_row_from(const RowPointers& row_pointers, Index num_rows, std::int64_t item) {
  Index low = 0;
  Index high = num_rows;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (static_cast<std::int64_t>(row_pointers(middle)) + middle < item) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Rows and entries of one chunk of a balanced product.
struct BalancedChunk {
  Index first_row;            ///< first row whose item is in the chunk
  Index last_row;             ///< one past the last
  std::int64_t carry_begin;   ///< entries of row first_row - 1 that are in the chunk
  std::int64_t carry_end;
  std::int64_t end;           ///< one past the last entry of the chunk
};

template <class RowPointers>
KOKKOS_FUNCTION BalancedChunk balanced_chunk(const RowPointers& row_pointers, Index num_rows, std::int64_t first_item,
                                             std::int64_t last_item) {
  BalancedChunk chunk;
  chunk.first_row = first_row_from(row_pointers, num_rows, first_item);
  chunk.last_row = first_row_from(row_pointers, num_rows, last_item);
  // Entry k of row r is item k + r + 1, so that a chunk that begins inside of row first_row - 1 begins at this entry.
  chunk.carry_begin = first_item - chunk.first_row;
  const std::int64_t last_entry = last_item - chunk.last_row;
  const std::int64_t all = row_pointers(num_rows);
  chunk.end = last_entry < all ? last_entry : all;
  const std::int64_t row_end = row_pointers(chunk.first_row);
  chunk.carry_end = row_end < chunk.end ? row_end : chunk.end;
  if (chunk.first_row == 0) chunk.carry_end = chunk.carry_begin;
  return chunk;
}

template <int Count, class ExecutionSpace, class Csr, class T, class X, class Y>
void multiply_balanced(const ExecutionSpace& exec, T alpha, const Csr& matrix, const X& x, T beta, const Y& y,
                       SpmvWorkspace<typename Csr::memory_space>& workspace) {
  constexpr std::int64_t items = balanced_items<ExecutionSpace>;
  const std::int64_t all_items = matrix.num_rows + matrix.num_entries();
  const auto carries = make_carries<T, Count>(exec, workspace, (all_items + items - 1) / items);
  Kokkos::parallel_for(
      "krylite::spmv::csr_balanced", range(exec, carries.num_chunks), KOKKOS_LAMBDA(const std::int64_t c) {
        const std::int64_t last_item = (c + 1) * items < all_items ? (c + 1) * items : all_items;
        const BalancedChunk chunk = balanced_chunk(matrix.row_pointers, matrix.num_rows, c * items, last_item);
        const auto sum_entries = [&](std::int64_t begin, std::int64_t end, T(&sums)[Count]) {
          for (std::int64_t k = begin; k < end; ++k) {
            for (int v = 0; v < Count; ++v) {
              sums[v] += static_cast<T>(matrix.values(k)) * static_cast<T>(x(matrix.columns(k), v));
            }
          }
        };
        T carry[Count] = {};
        sum_entries(chunk.carry_begin, chunk.carry_end, carry);
        carries.set(c, chunk.carry_begin < chunk.carry_end ? chunk.first_row - 1 : -1, carry);
        for (Index row = chunk.first_row; row < chunk.last_row; ++row) {
          T sums[Count] = {};
          const std::int64_t row_end = matrix.row_pointers(row + 1);
          sum_entries(matrix.row_pointers(row), row_end < chunk.end ? row_end : chunk.end, sums);
          for (int v = 0; v < Count; ++v) update(y(row, v), alpha, sums[v], beta);
        }
      });
  add_carries(exec, carries, alpha, y);
}

template <int Count, class ExecutionSpace, class Csr, class T, class X, class Y>
void multiply_by_teams(const ExecutionSpace& exec, T alpha, const Csr& matrix, const X& x, T beta, const Y& y) {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  Kokkos::parallel_for(
      "krylite::spmv::csr_vector", Policy(exec, matrix.num_rows, Kokkos::AUTO),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const Index row = team.league_rank();
        for (int v = 0; v < Count; ++v) {
          T sum = 0;
          Kokkos::parallel_reduce(
              Kokkos::TeamThreadRange(team, static_cast<std::int64_t>(matrix.row_pointers(row)),
                                      static_cast<std::int64_t>(matrix.row_pointers(row + 1))),
              [&](const std::int64_t k, T& part) {
                part += static_cast<T>(matrix.values(k)) * static_cast<T>(x(matrix.columns(k), v));
              },
              sum);
          Kokkos::single(Kokkos::PerTeam(team), [&] { update(y(row, v), alpha, sum, beta); });
        }
      });
}

/// What `automatic` means: balanced on hosts, where it costs nothing; elsewhere by the mean row length.
template <class ExecutionSpace, class Csr>
CsrKernel csr_kernel_for(const Csr& matrix, CsrKernel asked) {
  constexpr std::int64_t long_mean = 16;
  if (asked != CsrKernel::automatic) return asked;
  if (is_host_space<ExecutionSpace>) return CsrKernel::balanced;
  return matrix.num_entries() >= long_mean * matrix.num_rows ? CsrKernel::vector : CsrKernel::scalar;
}

template <int Count, class ExecutionSpace, class Scalar, class Offset, class MemorySpace, class T, class X, class Y>
void multiply_portable(const ExecutionSpace& exec, T alpha, const CsrMatrix<Scalar, Offset, MemorySpace>& matrix,
                       const X& x, T beta, const Y& y, SpmvWorkspace<MemorySpace>& workspace,
                       const SpmvOptions& options) {
  switch (csr_kernel_for<ExecutionSpace>(matrix, options.csr_kernel)) {
    case CsrKernel::balanced: return multiply_balanced<Count>(exec, alpha, matrix, x, beta, y, workspace);
    case CsrKernel::vector: return multiply_by_teams<Count>(exec, alpha, matrix, x, beta, y);
    default: return multiply_by_rows<Count>(exec, "krylite::spmv::csr", alpha, matrix, x, beta, y);
  }
}

}  // namespace detail
}  // namespace krylite

#endif
