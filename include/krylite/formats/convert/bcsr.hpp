#ifndef KRYLITE_FORMATS_CONVERT_BCSR_HPP
#define KRYLITE_FORMATS_CONVERT_BCSR_HPP

#include <krylite/formats/bcsr.hpp>
#include <krylite/formats/convert/common.hpp>

#include <algorithm>
#include <type_traits>

namespace krylite {
namespace detail {

inline constexpr Index least_block_size = 2;
inline constexpr Index most_block_size = 8;

/// The entries of CSR with the columns of each row ascending, equal ones in the order of CSR.
template <class Csr>
struct SortedEntries {
  Csr csr;
  typename Csr::row_pointers_type positions;  ///< in CSR of each sorted entry; without entries they are sorted

  KOKKOS_INLINE_FUNCTION std::int64_t position(std::int64_t k) const {
    return positions.extent(0) > 0 ? static_cast<std::int64_t>(positions(k)) : k;
  }
  KOKKOS_INLINE_FUNCTION Index column(std::int64_t k) const { return csr.columns(position(k)); }
};

/// Whether columns never fall within a row. Waits, since the host is told.
template <class ExecutionSpace, class Csr>
bool has_sorted_rows(const ExecutionSpace& exec, const Csr& csr) {
  const std::int64_t falls = sum_of(
      exec, csr.num_rows, KOKKOS_LAMBDA(const std::int64_t row) {
        std::int64_t count = 0;
        for (std::int64_t k = std::int64_t(csr.row_pointers(row)) + 1; k < csr.row_pointers(row + 1); ++k) {
          count += csr.columns(k) < csr.columns(k - 1) ? 1 : 0;
        }
        return count;
      });
  return falls == 0;
}

/// Sorts `positions` [0, count) by their columns, equal ones by position.
template <class Offset, class Columns>
KOKKOS_FUNCTION void sort_by_column(Offset* positions, std::int64_t count, const Columns& columns) {
  const auto is_before = [&](Offset a, Offset b) {
    return columns(a) < columns(b) || (columns(a) == columns(b) && a < b);
  };
  heap_sort(positions, count, is_before);
}

/// The entries of `csr` sorted; positions only where they are not.
template <class ExecutionSpace, class Csr>
SortedEntries<Csr> sort_entries(const ExecutionSpace& exec, const Csr& csr) {
  using Offset = typename Csr::offset_type;
  SortedEntries<Csr> sorted{csr, {}};
  if (has_sorted_rows(exec, csr)) return sorted;
  require_memory<typename Csr::memory_space>(static_cast<std::size_t>(csr.num_entries()) * sizeof(Offset),
                                             "BCSR positions");
  allocate_array(exec, "krylite::bcsr::csr_positions", csr.num_entries(), sorted.positions);
  const auto positions = sorted.positions;
  Kokkos::parallel_for(
      "krylite::to_bcsr::sort", range(exec, csr.num_rows), KOKKOS_LAMBDA(const std::int64_t row) {
        const std::int64_t begin = csr.row_pointers(row);
        const std::int64_t end = csr.row_pointers(row + 1);
        for (std::int64_t k = begin; k < end; ++k) positions(k) = static_cast<Offset>(k);
        if (end > begin) sort_by_column(&positions(begin), end - begin, csr.columns);
      });
  return sorted;
}

/// Walks the blocks of one row of blocks from left to right, a block a step: each row gives its next entries as long
/// as they lie in the block and their columns rise, so that a duplicate waits for a further block.
template <class Sorted>
struct BlockWalk {
  Sorted sorted;
  Index block_size;
  Index num_rows;                      ///< of the row of blocks; b but for the last
  std::int64_t next[most_block_size];  ///< sorted entry of each row that is in no block yet
  std::int64_t end[most_block_size];

  KOKKOS_FUNCTION BlockWalk(const Sorted& entries, Index size, std::int64_t block_row)
      : sorted(entries), block_size(size) {
    const std::int64_t first = block_row * size;
    const std::int64_t left = entries.csr.num_rows - first;
    num_rows = left < size ? static_cast<Index>(left) : size;
    for (Index i = 0; i < num_rows; ++i) {
      next[i] = entries.csr.row_pointers(first + i);
      end[i] = entries.csr.row_pointers(first + i + 1);
    }
  }

  /// Block column of the next block; -1 after the last.
  KOKKOS_FUNCTION Index block_column() const {
    Index smallest = -1;
    for (Index i = 0; i < num_rows; ++i) {
      if (next[i] == end[i]) continue;
      const Index column = sorted.column(next[i]);
      smallest = smallest < 0 || column < smallest ? column : smallest;
    }
    return smallest < 0 ? -1 : smallest / block_size;
  }

  /// body(i, j, position in CSR) for the entries of the next block.
  template <class Body>
  KOKKOS_FUNCTION void step(Index block_column, const Body& body) {
    const Index first = block_column * block_size;
    for (Index i = 0; i < num_rows; ++i) {
      for (Index least = 0; next[i] < end[i]; ++next[i]) {
        const Index j = sorted.column(next[i]) - first;
        if (j < least || j >= block_size) break;
        body(i, j, sorted.position(next[i]));
        least = j + 1;
      }
    }
  }
};

/// Blocks of one row of blocks.
template <class Sorted>
KOKKOS_FUNCTION std::int64_t count_blocks(const Sorted& sorted, Index block_size, std::int64_t block_row) {
  BlockWalk<Sorted> walk(sorted, block_size, block_row);
  std::int64_t count = 0;
  for (Index column = walk.block_column(); column >= 0; column = walk.block_column()) {
    walk.step(column, [](Index, Index, std::int64_t) {});
    ++count;
  }
  return count;
}

/// Counts the blocks of every row of blocks into `counts`; all of them in 64 bits. Waits, since the host decides.
template <class ExecutionSpace, class Sorted, class Counts>
std::int64_t count_all_blocks(const ExecutionSpace& exec, const Sorted& sorted, Index block_size,
                              std::int64_t num_block_rows, Counts& counts) {
  using Offset = typename Counts::non_const_value_type;
  allocate_array(exec, "krylite::bcsr::counts", num_block_rows, counts);
  const Counts out = counts;
  std::int64_t num_blocks = 0;
  Kokkos::parallel_reduce(
      "krylite::to_bcsr::count", range(exec, num_block_rows),
      KOKKOS_LAMBDA(const std::int64_t block_row, std::int64_t& sum) {
        const std::int64_t count = count_blocks(sorted, block_size, block_row);
        out(block_row) = static_cast<Offset>(count);
        sum += count;
      },
      num_blocks);
  return num_blocks;
}

/// Bytes of BCSR without the CSR positions.
template <class Csr>
std::size_t bcsr_bytes(std::int64_t num_blocks, std::int64_t num_block_rows, Index block_size) {
  const std::size_t block = sizeof(Index) + sizeof(std::uint64_t) +
                            static_cast<std::size_t>(block_size * block_size) * sizeof(typename Csr::scalar_type);
  return static_cast<std::size_t>(num_blocks) * block +
         static_cast<std::size_t>(num_block_rows + 1) * sizeof(typename Csr::offset_type);
}

/// Block size with the fewest bytes, over at most 32 windows of 840 rows, a number that each of 2..8 divides.
template <class ExecutionSpace, class Sorted>
Index choose_block_size(const ExecutionSpace& exec, const Sorted& sorted) {
  using Csr = decltype(sorted.csr);
  constexpr std::int64_t window = 840;
  constexpr std::int64_t most_windows = 32;
  const std::int64_t num_rows = sorted.csr.num_rows;
  const std::int64_t num_windows = (num_rows + window - 1) / window;
  const std::int64_t step = (num_windows + most_windows - 1) / most_windows;
  Index best = least_block_size;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (Index size = least_block_size; size <= most_block_size && num_windows > 0; ++size) {
    const std::int64_t in_window = window / size;  // rows of blocks
    const std::int64_t num_block_rows = (num_rows + size - 1) / size;
    const std::int64_t counted = (num_windows + step - 1) / step * in_window;
    const std::int64_t blocks = sum_of(
        exec, counted, KOKKOS_LAMBDA(const std::int64_t i) {
          const std::int64_t block_row = i / in_window * step * in_window + i % in_window;
          return block_row < num_block_rows ? count_blocks(sorted, size, block_row) : std::int64_t(0);
        });
    const std::size_t bytes = bcsr_bytes<std::decay_t<Csr>>(blocks, std::min(counted, num_block_rows), size);
    if (bytes < fewest) {
      fewest = bytes;
      best = size;
    }
  }
  return best;
}

/// Block columns, patterns and values of all blocks.
template <class ExecutionSpace, class Sorted, class Bcsr>
void fill_blocks(const ExecutionSpace& exec, const Sorted& sorted, const Bcsr& result) {
  using Scalar = typename Bcsr::scalar_type;
  const Index size = result.block_size;
  Kokkos::parallel_for(
      "krylite::to_bcsr::fill", range(exec, result.num_block_rows()), KOKKOS_LAMBDA(const std::int64_t block_row) {
        BlockWalk<Sorted> walk(sorted, size, block_row);
        const std::int64_t last = result.block_row_pointers(block_row + 1);
        for (std::int64_t block = result.block_row_pointers(block_row); block < last; ++block) {
          const Index column = walk.block_column();
          const std::int64_t begin = block * size * size;
          for (Index i = 0; i < size * size; ++i) result.values(begin + i) = Scalar(0);
          std::uint64_t pattern = 0;
          walk.step(column, [&](Index i, Index j, std::int64_t position) {
            pattern |= std::uint64_t(1) << (i * size + j);
            result.values(begin + i * size + j) = sorted.csr.values(position);
          });
          result.block_columns(block) = column;
          result.patterns(block) = pattern;
        }
      });
}

/// body(column, index among the values, position in CSR) for every entry.
template <class ExecutionSpace, class Bcsr, class RowPointers, class Body>
void for_bcsr_entries(const ExecutionSpace& exec, const char* label, const Bcsr& matrix,
                      const RowPointers& row_pointers, const Body& body) {
  Kokkos::parallel_for(
      label, range(exec, matrix.num_rows), KOKKOS_LAMBDA(const std::int64_t row) {
        std::int64_t k = row_pointers(row);
        matrix.visit_indices(row, [&](Index column, std::int64_t index) {
          body(column, index, matrix.csr_positions.extent(0) > 0 ? std::int64_t(matrix.csr_positions(k)) : k);
          ++k;
        });
      });
}

/// Entries of a row, as the scan of row pointers sums them.
template <class Bcsr>
struct BcsrRowLength {
  Bcsr matrix;
  KOKKOS_INLINE_FUNCTION typename Bcsr::offset_type operator()(std::int64_t row) const {
    typename Bcsr::offset_type length = 0;
    matrix.visit(row, row + 1, [&](Index, Index, const auto&) { ++length; });
    return length;
  }
};

/// Copies a value of CSR to where the blocks keep it.
template <class Bcsr, class Values>
struct TakeValue {
  Bcsr matrix;
  Values csr_values;
  KOKKOS_INLINE_FUNCTION void operator()(Index, std::int64_t index, std::int64_t position) const {
    matrix.values(index) = csr_values(position);
  }
};

/// Copies an entry to where it belongs in CSR.
template <class Bcsr, class Csr>
struct GiveEntry {
  Bcsr matrix;
  Csr csr;
  KOKKOS_INLINE_FUNCTION void operator()(Index column, std::int64_t index, std::int64_t position) const {
    csr.columns(position) = column;
    csr.values(position) = matrix.values(index);
  }
};

}  // namespace detail

/// Block CSR of `csr`, on `exec`. The CSR is only read.
/// \throws Error where the block size is not from 2 to 8, or the blocks would exceed the offset type, the fill limit or
///         the memory; no block is allocated then
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
BcsrMatrix<Scalar, Offset, MemorySpace> to_bcsr(const ExecutionSpace& exec,
                                                const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                                                const BcsrOptions& options = {}) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "to_bcsr: the execution space cannot reach the matrix");
  const Index asked = options.block_size;
  detail::require(asked == 0 || (asked >= detail::least_block_size && asked <= detail::most_block_size),
                  "BCSR: the block size must be from 2 to 8, not ", asked);
  const auto sorted = detail::sort_entries(exec, csr);
  BcsrMatrix<Scalar, Offset, MemorySpace> result;
  result.num_rows = csr.num_rows;
  result.num_cols = csr.num_cols;
  result.block_size = asked == 0 ? detail::choose_block_size(exec, sorted) : asked;
  result.entries = csr.num_entries();
  result.csr_positions = sorted.positions;

  const std::int64_t num_block_rows = result.num_block_rows();
  Kokkos::View<Offset*, MemorySpace> counts;
  const std::int64_t num_blocks = detail::count_all_blocks(exec, sorted, result.block_size, num_block_rows, counts);
  const std::int64_t stored = num_blocks * result.block_size * result.block_size;
  using Csr = CsrMatrix<Scalar, Offset, MemorySpace>;
  detail::require_storable("BCSR", csr, stored, detail::bcsr_bytes<Csr>(num_blocks, num_block_rows, result.block_size),
                           options.fill_limit);

  detail::allocate_array(exec, "krylite::bcsr::block_row_pointers", num_block_rows + 1, result.block_row_pointers);
  detail::allocate_array(exec, "krylite::bcsr::block_columns", num_blocks, result.block_columns);
  detail::allocate_array(exec, "krylite::bcsr::patterns", num_blocks, result.patterns);
  detail::allocate_array(exec, "krylite::bcsr::values", stored, result.values);
  detail::prefix_sums(exec, "krylite::to_bcsr::scan", num_block_rows, result.block_row_pointers,
                      detail::ScaledCount<decltype(counts), Offset>{counts, Offset(1)});
  detail::fill_blocks(exec, sorted, result);
  return result;
}

/// The CSR that `matrix` was made from: the same entries in the same order.
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
CsrMatrix<Scalar, Offset, MemorySpace> to_csr(const ExecutionSpace& exec,
                                              const BcsrMatrix<Scalar, Offset, MemorySpace>& matrix) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "to_csr: the execution space cannot reach the matrix");
  using Csr = CsrMatrix<Scalar, Offset, MemorySpace>;
  using Bcsr = BcsrMatrix<Scalar, Offset, MemorySpace>;
  const Csr csr = detail::allocate_csr<Csr>(exec, matrix.num_rows, matrix.num_cols, matrix.entries);
  detail::prefix_sums(exec, "krylite::to_csr::scan", matrix.num_rows, csr.row_pointers,
                      detail::BcsrRowLength<Bcsr>{matrix});
  detail::for_bcsr_entries(exec, "krylite::to_csr::fill", matrix, csr.row_pointers,
                           detail::GiveEntry<Bcsr, Csr>{matrix, csr});
  return csr;
}

/// Takes new values from a CSR of the same pattern; the pattern is not looked at again.
/// \throws Error where the sizes differ
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
void update_values(const ExecutionSpace& exec, const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                   const BcsrMatrix<Scalar, Offset, MemorySpace>& matrix) {
  detail::require_same_pattern_size(csr, matrix);
  using Take = detail::TakeValue<BcsrMatrix<Scalar, Offset, MemorySpace>, decltype(csr.values)>;
  detail::for_bcsr_entries(exec, "krylite::update_values::bcsr", matrix, csr.row_pointers, Take{matrix, csr.values});
}

}  // namespace krylite

#endif
