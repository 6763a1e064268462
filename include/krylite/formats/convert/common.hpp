#ifndef KRYLITE_FORMATS_CONVERT_COMMON_HPP
#define KRYLITE_FORMATS_CONVERT_COMMON_HPP

/// \file
/// What the conversions of all formats share.

#include <krylite/core/algorithms.hpp>
#include <krylite/core/error.hpp>
#include <krylite/core/memory.hpp>
#include <krylite/formats/convert/group_tiles.hpp>
#include <krylite/formats/csr.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace krylite {
namespace detail {

/// out[0] = 0, out[i + 1] = out[i] + count(i) for 0 <= i < size. `out` has size + 1 entries.
template <class ExecutionSpace, class Out, class Count>
void prefix_sums(const ExecutionSpace& exec, const char* label, std::int64_t size, const Out& out,
                 const Count& count) {
  using Offset = typename Out::non_const_value_type;
  Kokkos::parallel_scan(
      label, range(exec, size + 1), KOKKOS_LAMBDA(const std::int64_t i, Offset& sum, const bool final) {
        if (final) out(i) = sum;
        if (i < size) sum += count(i);
      });
}

/// Counts as the scan sums them: counts(i) * factor in the type of the offsets.
template <class Counts, class Offset>
struct ScaledCount {
  Counts counts;
  Offset factor;
  KOKKOS_INLINE_FUNCTION Offset operator()(std::int64_t i) const { return static_cast<Offset>(counts(i)) * factor; }
};

/// Entries of a row of a CSR matrix.
template <class RowPointers>
struct RowLength {
  RowPointers row_pointers;
  KOKKOS_INLINE_FUNCTION std::int64_t operator()(std::int64_t row) const {
    return static_cast<std::int64_t>(row_pointers(row + 1)) - static_cast<std::int64_t>(row_pointers(row));
  }
};

/// Entries of the longest row in 64 bits. Waits. \throws Error where an Index cannot count them
/// \param format its name, for the message
template <class ExecutionSpace, class Csr>
std::int64_t longest_row(const ExecutionSpace& exec, const char* format, const Csr& csr) {
  const std::int64_t longest =
      largest_of(exec, csr.num_rows, RowLength<typename Csr::row_pointers_type>{csr.row_pointers});
  require(longest <= std::numeric_limits<Index>::max(), format, ": a row of ", longest,
          " entries does not fit 32-bit row lengths");
  return longest;
}

/// \throws Error where a row is too long for an Index. Waits, but not where no row of the matrix can be.
template <class ExecutionSpace, class Csr>
void require_short_rows(const ExecutionSpace& exec, const char* format, const Csr& csr) {
  const bool can_be_long = csr.num_entries() > std::numeric_limits<Index>::max();
  if (is_host_space<ExecutionSpace> || can_be_long) longest_row(exec, format, csr);
}

/// The last of pointers(low), ..., pointers(high), which never fall, that is not behind `number`; the first is not.
template <class Pointers>
KOKKOS_FUNCTION Index last_not_behind(const Pointers& pointers, Index low, Index high, std::int64_t number) {
  while (low < high) {
    const Index middle = high - (high - low) / 2;
    if (static_cast<std::int64_t>(pointers(middle)) <= number) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/// Refuses what a format would store where that does not fit the offset type, the fill limit or the memory.
/// \param format its name, for the message
/// \param stored entries with artificial zeros, counted in 64 bits
/// \param bytes of all arrays
template <class Csr>
void require_storable(const char* format, const Csr& csr, std::int64_t stored, std::size_t bytes, double fill_limit) {
  using Offset = typename Csr::offset_type;
  const std::int64_t entries = csr.num_entries();
  const auto shape = [&] {
    return std::to_string(csr.num_rows) + " x " + std::to_string(csr.num_cols) + " with " + std::to_string(entries) +
           " entries would store " + std::to_string(stored);
  };
  require(stored <= static_cast<std::int64_t>(std::numeric_limits<Offset>::max()), format, ": ", shape(),
          ", which does not fit ", 8 * sizeof(Offset), "-bit offsets");
  const bool small = stored <= (std::int64_t(1) << 20);
  require(small || static_cast<double>(stored - entries) <= fill_limit * static_cast<double>(entries), format, ": ",
          shape(), ", beyond the fill limit of ", fill_limit, " artificial zeros an entry");
  require_memory<typename Csr::memory_space>(bytes, std::string(format) + " arrays");
}

/// Refuses new values from a CSR that cannot have the pattern of `matrix`.
template <class Csr, class Matrix>
void require_same_pattern_size(const Csr& csr, const Matrix& matrix) {
  require(csr.num_rows == matrix.num_rows && csr.num_cols == matrix.num_cols &&
              csr.num_entries() == matrix.num_entries(),
          "update_values: the matrix is ", matrix.num_rows, " x ", matrix.num_cols, " with ", matrix.num_entries(),
          " entries, but the CSR ", csr.num_rows, " x ", csr.num_cols, " with ", csr.num_entries());
}

/// An array of a format: `allocate` under another name order, so that its type need not be written twice.
template <class ExecutionSpace, class View>
void allocate_array(const ExecutionSpace& exec, const char* label, std::int64_t count, View& view) {
  view = allocate<View>(exec, label, static_cast<std::size_t>(count));
}

/// A CSR of this size whose arrays are still to be written. \throws Error where the memory is not there
template <class Csr, class ExecutionSpace>
Csr allocate_csr(const ExecutionSpace& exec, Index num_rows, Index num_cols, std::int64_t entries) {
  using Scalar = typename Csr::scalar_type;
  require_memory<typename Csr::memory_space>(
      (static_cast<std::size_t>(num_rows) + 1) * sizeof(typename Csr::offset_type) +
          static_cast<std::size_t>(entries) * (sizeof(Index) + sizeof(Scalar)),
      "CSR arrays");
  Csr csr;
  csr.num_rows = num_rows;
  csr.num_cols = num_cols;
  allocate_array(exec, "krylite::csr::row_pointers", std::int64_t(num_rows) + 1, csr.row_pointers);
  allocate_array(exec, "krylite::csr::columns", entries, csr.columns);
  allocate_array(exec, "krylite::csr::values", entries, csr.values);
  return csr;
}

/// Entries of a row of a format, as the scan of row pointers sums them.
template <class Matrix>
struct CountedRow {
  Matrix matrix;
  KOKKOS_INLINE_FUNCTION typename Matrix::offset_type operator()(std::int64_t row) const {
    return static_cast<typename Matrix::offset_type>(matrix.row_length(row));
  }
};

/// Columns and values of rows that a format stores whole, a thread a row, to a CSR that has its row pointers.
template <class ExecutionSpace, class Matrix, class Csr>
void return_rows(const ExecutionSpace& exec, const Matrix& matrix, const Csr& csr) {
  using Scalar = typename Matrix::scalar_type;
  Kokkos::parallel_for(
      "krylite::to_csr::fill", range(exec, matrix.num_rows), KOKKOS_LAMBDA(const std::int64_t row) {
        std::int64_t target = csr.row_pointers(row);
        matrix.visit(row, row + 1, [&](Index, Index column, const Scalar& value) {
          csr.columns(target) = column;
          csr.values(target++) = value;
        });
      });
}

/// The same by teams. \param layout how the format lays the rows out \param most entries of a row that it has
template <class ExecutionSpace, class Matrix, class Layout, class Csr>
void return_tiles(const ExecutionSpace& exec, const Matrix& matrix, const Layout& layout, std::int64_t most,
                  const Csr& csr) {
  using Scalar = typename Matrix::scalar_type;
  const RowSlots<typename Csr::row_pointers_type> slots{csr.row_pointers, csr.num_rows, most};
  const TileShape shape(layout.group_size, matrix.num_entries(), csr.num_rows);
  const ArrayReturns<Layout, Index> columns{layout, {matrix.columns.data(), csr.columns.data()}};
  const ArrayReturns<Layout, Scalar> values{layout, {matrix.values.data(), csr.values.data()}};
  groups_to_rows<Index>(exec, "krylite::to_csr::columns", layout, slots, shape, columns);
  groups_to_rows<Scalar>(exec, "krylite::to_csr::values", layout, slots, shape, values);
}

/// An array of CSR by teams to groups of rows, the first `most` entries of each row.
template <class ExecutionSpace, class Csr, class Layout, class Array>
void fill_tiles(const ExecutionSpace& exec, const char* label, const Csr& csr, const Layout& layout, std::int64_t most,
                const Array& from, const Array& to, typename Array::non_const_value_type fill) {
  using Item = typename Array::non_const_value_type;
  const RowSlots<typename Csr::row_pointers_type> slots{csr.row_pointers, csr.num_rows, most};
  const TileShape shape(layout.group_size, csr.num_entries(), csr.num_rows);
  rows_to_groups<Item>(exec, label, layout, slots, shape,
                       ArrayCopies<Layout, Item>{layout, {from.data(), to.data(), fill}});
}

/// The CSR of a format that stores rows whole, in the order of CSR, and counts them with `row_length`.
/// \param layout how it lays them out
template <Traversal Way, class ExecutionSpace, class Matrix, class Layout>
CsrMatrix<typename Matrix::scalar_type, typename Matrix::offset_type, typename Matrix::memory_space> rows_to_csr(
    const ExecutionSpace& exec, const Matrix& matrix, const Layout& layout) {
  using Scalar = typename Matrix::scalar_type;
  using Csr = CsrMatrix<Scalar, typename Matrix::offset_type, typename Matrix::memory_space>;
  const Csr csr = allocate_csr<Csr>(exec, matrix.num_rows, matrix.num_cols, matrix.num_entries());
  prefix_sums(exec, "krylite::to_csr::scan", matrix.num_rows, csr.row_pointers, CountedRow<Matrix>{matrix});
  if constexpr (Way == Traversal::teams) {
    return_tiles(exec, matrix, layout, std::numeric_limits<Index>::max(), csr);
  } else {
    return_rows(exec, matrix, csr);
  }
  return csr;
}

}  // namespace detail
}  // namespace krylite

#endif
