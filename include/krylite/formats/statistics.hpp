#ifndef KRYLITE_FORMATS_STATISTICS_HPP
#define KRYLITE_FORMATS_STATISTICS_HPP

/// \file
/// What a CSR matrix looks like. With l_r stored entries in row r of m,
///
///     row_mean = (sum of l_r) / m        row_stddev = sqrt((sum of (l_r - row_mean)^2) / m)
///     bandwidth = max |i - j| over the stored entries
///
/// Rows may be unsorted and may hold a column more than once. Whether A equals its transpose is then a
/// question about the sums of the duplicates: rows are sorted by column, and by value within a column, so
/// that a_ij and a_ji are summed in one order whatever the order in storage.
///
/// Cost: a few sweeps over the columns and one over the values; for square matrices the look-up of the mirror
/// image of every entry by bisection. Rows that are not sorted or hold duplicates are copied and sorted first
/// (12 bytes an entry and 8 a row), which is the only memory taken.

#include <cmath>
#include <cstdint>
#include <krylite/core/algorithms.hpp>
#include <krylite/core/memory.hpp>
#include <krylite/formats/csr.hpp>
#include <utility>

namespace krylite {

/// What `statistics` finds; all zero for a matrix without rows, except that 0 x 0 is symmetric.
struct MatrixStatistics {
  std::int64_t row_min = 0;           ///< fewest stored entries in a row
  std::int64_t row_max = 0;           ///< most stored entries in a row
  double row_mean = 0;                ///< stored entries a row; 0 without rows
  double row_stddev = 0;              ///< of the stored entries a row, over all rows (not over one less)
  std::int64_t empty_rows = 0;        ///< rows without a stored entry
  std::int64_t bandwidth = 0;         ///< largest |row - column|; 0 without entries
  bool pattern_symmetric = false;     ///< square, and (j, i) is stored wherever (i, j) is
  bool value_symmetric = false;       ///< and the values are the same, exactly; a NaN off the diagonal is not
  std::int64_t zero_diagonal = 0;     ///< rows whose stored diagonal entries sum to 0
  std::int64_t missing_diagonal = 0;  ///< rows r < min(rows, columns) without a stored diagonal entry
  std::int64_t explicit_zeros = 0;    ///< stored entries that are 0
};

namespace detail {

/// Rows sorted by column without duplicates: row r is [begin(r), end(r)) of `columns` and `values`.
template <class Matrix>
struct CanonicalRows {
  typename Matrix::row_pointers_type row_begins;
  typename Matrix::row_pointers_type row_ends;
  typename Matrix::columns_type columns;
  typename Matrix::values_type values;

  KOKKOS_FUNCTION std::int64_t begin(std::int64_t row) const { return row_begins(row); }
  KOKKOS_FUNCTION std::int64_t end(std::int64_t row) const { return row_ends(row); }

  /// Position of (row, column), or -1.
  KOKKOS_FUNCTION std::int64_t find(std::int64_t row, Index column) const {
    std::int64_t low = begin(row);
    std::int64_t high = end(row);
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (columns(middle) < column)
        low = middle + 1;
      else
        high = middle;
    }
    return low < end(row) && columns(low) == column ? low : -1;
  }
};

/// Sorts `count` entries by column, then by value, in place and without recursion: a heap.
template <class Scalar>
class EntrySorter {
 public:
  KOKKOS_FUNCTION EntrySorter(Index* columns, Scalar* values) : columns_(columns), values_(values) {}

  KOKKOS_FUNCTION void sort(std::int64_t count) const {
    for (std::int64_t root = count / 2 - 1; root >= 0; --root) sift_down(root, count);
    for (std::int64_t last = count - 1; last > 0; --last) {
      swap(0, last);
      sift_down(0, last);
    }
  }

  /// Adds up the entries of each column, once sorted; gives how many columns there are.
  KOKKOS_FUNCTION std::int64_t merge(std::int64_t count) const {
    std::int64_t kept = 0;
    for (std::int64_t entry = 0; entry < count; ++entry) {
      if (kept > 0 && columns_[kept - 1] == columns_[entry]) {
        values_[kept - 1] += values_[entry];
        continue;
      }
      columns_[kept] = columns_[entry];
      values_[kept++] = values_[entry];
    }
    return kept;
  }

 private:
  KOKKOS_FUNCTION bool less(std::int64_t a, std::int64_t b) const {
    return columns_[a] != columns_[b] ? columns_[a] < columns_[b] : values_[a] < values_[b];
  }

  KOKKOS_FUNCTION void swap(std::int64_t a, std::int64_t b) const {
    const Index column = columns_[a];
    const Scalar value = values_[a];
    columns_[a] = columns_[b];
    values_[a] = values_[b];
    columns_[b] = column;
    values_[b] = value;
  }

  KOKKOS_FUNCTION void sift_down(std::int64_t root, std::int64_t count) const {
    for (std::int64_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
      if (child + 1 < count && less(child, child + 1)) ++child;
      if (!less(root, child)) return;
      swap(root, child);
      root = child;
    }
  }

  Index* columns_;
  Scalar* values_;
};

/// A itself where its rows are sorted and without duplicates, else a copy that is. A has rows.
template <class ExecutionSpace, class Matrix>
CanonicalRows<Matrix> canonical_rows(const ExecutionSpace& exec, const Matrix& matrix) {
  const auto next = std::make_pair(std::size_t(1), static_cast<std::size_t>(matrix.num_rows) + 1);
  const CanonicalRows<Matrix> rows{matrix.row_pointers, Kokkos::subview(matrix.row_pointers, next),
                                   matrix.columns, matrix.values};
  const auto entries = static_cast<std::size_t>(matrix.num_entries());
  const std::int64_t not_ascending = sum_of(
      exec, matrix.num_rows, KOKKOS_LAMBDA(const std::int64_t row) {
        std::int64_t steps = 0;
        for (std::int64_t k = rows.begin(row) + 1; k < rows.end(row); ++k) {
          steps += rows.columns(k - 1) >= rows.columns(k);
        }
        return steps;
      });
  if (not_ascending == 0) return rows;

  using Scalar = typename Matrix::scalar_type;
  using Offset = typename Matrix::offset_type;
  require_memory<typename Matrix::memory_space>(
      entries * (sizeof(Index) + sizeof(Scalar)) + static_cast<std::size_t>(matrix.num_rows) * sizeof(Offset),
      "the sorted rows");
  const auto columns = allocate<typename Matrix::columns_type>(exec, "krylite::statistics::columns", entries);
  const auto values = allocate<typename Matrix::values_type>(exec, "krylite::statistics::values", entries);
  const auto ends = allocate<typename Matrix::row_pointers_type>(exec, "krylite::statistics::row_ends",
                                                                 static_cast<std::size_t>(matrix.num_rows));
  Kokkos::deep_copy(exec, columns, matrix.columns);
  Kokkos::deep_copy(exec, values, matrix.values);
  Kokkos::parallel_for(
      "krylite::statistics::sort", range(exec, matrix.num_rows), KOKKOS_LAMBDA(const std::int64_t row) {
        const std::int64_t begin = rows.begin(row);
        const EntrySorter<Scalar> sorter(columns.data() + begin, values.data() + begin);
        sorter.sort(rows.end(row) - begin);
        ends(row) = static_cast<Offset>(begin + sorter.merge(rows.end(row) - begin));
      });
  return {matrix.row_pointers, ends, columns, values};
}

template <class ExecutionSpace, class Matrix>
void find_symmetry(const ExecutionSpace& exec, const Matrix& matrix, MatrixStatistics& result) {
  if (matrix.num_rows != matrix.num_cols) return;
  if (matrix.num_rows == 0) {
    result.pattern_symmetric = result.value_symmetric = true;
    return;
  }
  const auto rows = canonical_rows(exec, matrix);
  const std::int64_t unmatched = sum_of(
      exec, matrix.num_rows, KOKKOS_LAMBDA(const std::int64_t row) {
        std::int64_t missing = 0;
        for (std::int64_t k = rows.begin(row); k < rows.end(row); ++k) {
          missing += rows.find(rows.columns(k), static_cast<Index>(row)) < 0;
        }
        return missing;
      });
  result.pattern_symmetric = unmatched == 0;
  if (!result.pattern_symmetric) return;
  const std::int64_t unequal = sum_of(
      exec, matrix.num_rows, KOKKOS_LAMBDA(const std::int64_t row) {
        std::int64_t different = 0;
        for (std::int64_t k = rows.begin(row); k < rows.end(row); ++k) {
          // Each pair once; the diagonal is its own mirror image even where it is NaN.
          if (rows.columns(k) <= row) continue;
          different += !(rows.values(rows.find(rows.columns(k), static_cast<Index>(row))) == rows.values(k));
        }
        return different;
      });
  result.value_symmetric = unequal == 0;
}

template <class ExecutionSpace, class Matrix>
void find_row_lengths(const ExecutionSpace& exec, const Matrix& matrix, MatrixStatistics& result) {
  const auto pointers = matrix.row_pointers;
  const std::int64_t rows = matrix.num_rows;
  if (rows == 0) return;
  const double mean = static_cast<double>(matrix.num_entries()) / static_cast<double>(rows);
  result.row_mean = mean;
  result.row_max = largest_of(
      exec, rows, KOKKOS_LAMBDA(const std::int64_t row) {
        return static_cast<std::int64_t>(pointers(row + 1) - pointers(row));
      });
  const std::int64_t longest = result.row_max;
  result.row_min =
      longest - largest_of(
                    exec, rows, KOKKOS_LAMBDA(const std::int64_t row) {
                      return longest - static_cast<std::int64_t>(pointers(row + 1) - pointers(row));
                    });
  result.empty_rows = sum_of(
      exec, rows, KOKKOS_LAMBDA(const std::int64_t row) {
        return static_cast<std::int64_t>(pointers(row + 1) == pointers(row));
      });
  double squares = 0;
  Kokkos::parallel_reduce(
      "krylite::statistics::variance", range(exec, rows),
      KOKKOS_LAMBDA(const std::int64_t row, double& part) {
        const double deviation = static_cast<double>(pointers(row + 1) - pointers(row)) - mean;
        part += deviation * deviation;
      },
      squares);
  result.row_stddev = std::sqrt(squares / static_cast<double>(rows));
}

template <class ExecutionSpace, class Matrix>
void find_diagonal(const ExecutionSpace& exec, const Matrix& matrix, MatrixStatistics& result) {
  const std::int64_t length = matrix.num_rows < matrix.num_cols ? matrix.num_rows : matrix.num_cols;
  const auto pointers = matrix.row_pointers;
  const auto columns = matrix.columns;
  const auto values = matrix.values;
  result.missing_diagonal = sum_of(
      exec, length, KOKKOS_LAMBDA(const std::int64_t row) {
        for (std::int64_t k = pointers(row); k < pointers(row + 1); ++k) {
          if (columns(k) == row) return std::int64_t(0);
        }
        return std::int64_t(1);
      });
  result.zero_diagonal = sum_of(
      exec, length, KOKKOS_LAMBDA(const std::int64_t row) {
        bool stored = false;
        double sum = 0;
        for (std::int64_t k = pointers(row); k < pointers(row + 1); ++k) {
          if (columns(k) != row) continue;
          stored = true;
          sum += static_cast<double>(values(k));
        }
        return static_cast<std::int64_t>(stored && sum == 0);
      });
}

}  // namespace detail

/// Looks at every row and entry of `matrix`.
/// \param exec where the sweeps run; reaches the matrix's memory space. Fenced, since the host gets numbers
/// \param matrix any m x n, 0 allowed; rows unsorted, with duplicates and stored zeros allowed
/// \throws Error where rows have to be sorted and the memory for that is not there
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
MatrixStatistics statistics(const ExecutionSpace& exec,
                            const CsrMatrix<Scalar, Offset, MemorySpace>& matrix) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "the execution space must reach the matrix");
  MatrixStatistics result;
  const auto pointers = matrix.row_pointers;
  const auto columns = matrix.columns;
  const auto values = matrix.values;
  detail::find_row_lengths(exec, matrix, result);
  detail::find_diagonal(exec, matrix, result);
  detail::find_symmetry(exec, matrix, result);
  result.bandwidth = detail::largest_of(
      exec, matrix.num_rows, KOKKOS_LAMBDA(const std::int64_t row) {
        std::int64_t widest = 0;
        for (std::int64_t k = pointers(row); k < pointers(row + 1); ++k) {
          const std::int64_t distance = columns(k) > row ? columns(k) - row : row - columns(k);
          widest = distance > widest ? distance : widest;
        }
        return widest;
      });
  result.explicit_zeros = detail::sum_of(
      exec, matrix.num_entries(),
      KOKKOS_LAMBDA(const std::int64_t k) { return static_cast<std::int64_t>(values(k) == Scalar(0)); });
  return result;
}

/// On the default instance of the matrix's own execution space.
template <class Scalar, class Offset, class MemorySpace>
MatrixStatistics statistics(const CsrMatrix<Scalar, Offset, MemorySpace>& matrix) {
  return statistics(typename MemorySpace::execution_space{}, matrix);
}

}  // namespace krylite

#endif
