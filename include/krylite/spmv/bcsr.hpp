#ifndef KRYLITE_SPMV_BCSR_HPP
#define KRYLITE_SPMV_BCSR_HPP

/// \file
/// Generic block CSR products. Each row is summed from left to right, over the bits of the patterns alone.
///
/// by rows         a thread a row: the threads of a row of blocks read the rows of the same blocks
/// by block rows   a thread a row of blocks, for one contiguous vector on hosts: the block size is known to the
///                 compiler, and full blocks need no look at their bits

#include <krylite/formats/bcsr.hpp>
#include <krylite/spmv/options.hpp>
#include <krylite/spmv/rows.hpp>
#include <krylite/spmv/workspace.hpp>

#include <type_traits>

namespace krylite {
namespace detail {

/// Sums of the rows of one row of blocks.
template <int BlockSize, class T, class Bcsr, class X>
KOKKOS_INLINE_FUNCTION void sum_block_row(const Bcsr& matrix, std::int64_t block_row, const X& x,
                                          T (&sums)[BlockSize]) {
  constexpr int size = BlockSize * BlockSize;
  constexpr std::uint64_t full = ~std::uint64_t(0) >> (64 - size);
  const auto* const values = matrix.values.data();
  const std::int64_t end = matrix.block_row_pointers(block_row + 1);
  for (std::int64_t block = matrix.block_row_pointers(block_row); block < end; ++block) {
    const auto* const entries = values + block * size;
    const std::int64_t column = std::int64_t(matrix.block_columns(block)) * BlockSize;
    if (matrix.patterns(block) == full) {
      for (int i = 0; i < BlockSize; ++i) {
        for (int j = 0; j < BlockSize; ++j) {
          sums[i] += static_cast<T>(entries[i * BlockSize + j]) * static_cast<T>(x(column + j, 0));
        }
      }
      continue;
    }
    for (int i = 0; i < BlockSize; ++i) {
      unsigned bits = matrix.row_pattern(block, i);
      for (int j = 0; bits != 0; ++j, bits >>= 1) {
        if ((bits & 1u) != 0) {
          sums[i] += static_cast<T>(entries[i * BlockSize + j]) * static_cast<T>(x(column + j, 0));
        }
      }
    }
  }
}

template <int BlockSize, class ExecutionSpace, class T, class Bcsr, class X, class Y>
void multiply_by_block_rows(const ExecutionSpace& exec, T alpha, const Bcsr& matrix, const X& x, T beta, const Y& y) {
  const std::int64_t num_rows = matrix.num_rows;
  Kokkos::parallel_for(
      "krylite::spmv::bcsr_blocks", range(exec, matrix.num_block_rows()),
      KOKKOS_LAMBDA(const std::int64_t block_row) {
        T sums[BlockSize] = {};
        sum_block_row<BlockSize>(matrix, block_row, x, sums);
        const std::int64_t first = block_row * BlockSize;
        const int rows = first + BlockSize <= num_rows ? BlockSize : static_cast<int>(num_rows - first);
        for (int i = 0; i < rows; ++i) update(y(first + i, 0), alpha, sums[i], beta);
      });
}

template <int Count, class ExecutionSpace, class Scalar, class Offset, class MemorySpace, class T, class X, class Y>
void multiply_portable(const ExecutionSpace& exec, T alpha, const BcsrMatrix<Scalar, Offset, MemorySpace>& matrix,
                       const X& x, T beta, const Y& y, SpmvWorkspace<MemorySpace>&, const SpmvOptions&) {
  using Entry = std::remove_reference_t<decltype(x(0, 0))>;
  if constexpr (is_host_space<ExecutionSpace> && std::is_same_v<X, ContiguousVector<Entry>>) {
    switch (matrix.block_size) {
      case 2: return multiply_by_block_rows<2>(exec, alpha, matrix, x, beta, y);
      case 3: return multiply_by_block_rows<3>(exec, alpha, matrix, x, beta, y);
      case 4: return multiply_by_block_rows<4>(exec, alpha, matrix, x, beta, y);
      case 5: return multiply_by_block_rows<5>(exec, alpha, matrix, x, beta, y);
      case 6: return multiply_by_block_rows<6>(exec, alpha, matrix, x, beta, y);
      case 7: return multiply_by_block_rows<7>(exec, alpha, matrix, x, beta, y);
      default: return multiply_by_block_rows<8>(exec, alpha, matrix, x, beta, y);
    }
  } else {
    multiply_by_rows<Count>(exec, "krylite::spmv::bcsr", alpha, matrix, x, beta, y);
  }
}

}  // namespace detail
}  // namespace krylite

#endif
