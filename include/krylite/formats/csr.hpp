#ifndef KRYLITE_FORMATS_CSR_HPP
#define KRYLITE_FORMATS_CSR_HPP

/// \file
/// Compressed sparse rows: the entries of row r are `values[k]` in columns `columns[k]` for
/// `row_pointers[r] <= k < row_pointers[r + 1]`.
///
///     [ 10  0 20 ]     row_pointers  0 2 2 3
///     [  0  0  0 ]     columns       0 2 1
///     [  0 30  0 ]     values        10 20 30
///
/// The format that every other one is made from and goes back to. Columns within a row may come in any order
/// and more than once (duplicates count as their sum), and stored zeros are entries.
/// Source: rgcsr article, section 3.

#include <krylite/core/error.hpp>
#include <krylite/core/traits.hpp>

#include <cstddef>

namespace krylite {

/// \tparam Scalar type of the values: double, float, Float16 or BFloat16
/// \tparam Offset type of positions among the entries: std::int32_t or std::int64_t
/// \tparam MemorySpace where the three arrays live
template <class Scalar, class Offset = std::int64_t,
          class MemorySpace = typename Kokkos::DefaultExecutionSpace::memory_space>
struct CsrMatrix {
  using scalar_type = Scalar;
  using offset_type = Offset;
  using memory_space = MemorySpace;
  using row_pointers_type = Kokkos::View<Offset*, MemorySpace>;
  using columns_type = Kokkos::View<Index*, MemorySpace>;
  using values_type = Kokkos::View<Scalar*, MemorySpace>;

  Index num_rows = 0;
  Index num_cols = 0;
  row_pointers_type row_pointers;  ///< num_rows + 1 offsets; may be empty where num_rows is 0
  columns_type columns;            ///< one column of an entry, in [0, num_cols)
  values_type values;              ///< one value of an entry

  CsrMatrix() = default;

  /// Takes the arrays as they are, without a copy.
  /// \throws Error where the extents of the arrays do not fit each other
  CsrMatrix(Index rows, Index cols, row_pointers_type pointers, columns_type column_indices, values_type entries)
      : num_rows(rows), num_cols(cols), row_pointers(pointers), columns(column_indices), values(entries) {
    const bool pointers_fit = row_pointers.extent(0) == static_cast<std::size_t>(rows) + 1 ||
                              (rows == 0 && row_pointers.extent(0) == 0);
    detail::require(rows >= 0 && cols >= 0 && pointers_fit && columns.extent(0) == values.extent(0),
                    "CSR arrays do not fit: ", rows, " x ", cols, " with ", row_pointers.extent(0),
                    " row pointers, ", columns.extent(0), " columns and ", values.extent(0), " values");
  }

  /// Stored entries.
  KOKKOS_INLINE_FUNCTION std::int64_t num_entries() const { return static_cast<std::int64_t>(values.extent(0)); }

  /// The same: CSR adds nothing.
  std::int64_t stored_entries() const { return num_entries(); }

  /// Entries that are stored only to fill the format: none.
  std::int64_t artificial_zeros() const { return 0; }

  /// Memory of the arrays, which is also what one SpMV must read of the matrix, in bytes.
  std::size_t bytes() const {
    return row_pointers.extent(0) * sizeof(Offset) + columns.extent(0) * sizeof(Index) +
           values.extent(0) * sizeof(Scalar);
  }

  /// Rows are the units of traversal.
  std::int64_t num_units() const { return num_rows; }
  KOKKOS_INLINE_FUNCTION Index row_of(std::int64_t unit) const { return static_cast<Index>(unit); }

  /// body(row, column, value) for the entries of rows [first, last), in their order.
  template <class Body>
  KOKKOS_INLINE_FUNCTION void visit(std::int64_t first, std::int64_t last, const Body& body) const {
    for (std::int64_t row = first; row < last; ++row) {
      const Offset end = row_pointers(row + 1);
      for (Offset k = row_pointers(row); k < end; ++k) body(static_cast<Index>(row), columns(k), values(k));
    }
  }
};

}  // namespace krylite

#endif
