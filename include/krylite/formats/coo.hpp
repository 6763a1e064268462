#ifndef KRYLITE_FORMATS_COO_HPP
#define KRYLITE_FORMATS_COO_HPP

/// \file
/// Coordinates: every entry with its row and its column, sorted by row, the entries of a row in the order of CSR.
///
///     [ a . b ]     rows      0 0 1 2
///     [ . c . ]     columns   0 2 1 2
///     [ . . d ]     values    a b c d
///
/// No fill, whatever the row lengths, and work is divided by entries; but a row number is stored for each of them.
/// Flops of a product 2 nnz; bytes nnz (value + 8) + rows y (twice) + (at best) columns x.
/// Source: rgcsr article, section 3 and its figure 4; Bell and Garland 2009.

#include <krylite/core/algorithms.hpp>
#include <krylite/core/traits.hpp>

#include <cstddef>
#include <cstdint>

namespace krylite {

/// How `to_coo` lays a matrix out: there is nothing to choose.
struct CooOptions {};

/// \tparam Offset as in CsrMatrix, to which the matrix goes back
template <class Scalar, class Offset = std::int64_t,
          class MemorySpace = typename Kokkos::DefaultExecutionSpace::memory_space>
struct CooMatrix {
  using scalar_type = Scalar;
  using offset_type = Offset;
  using memory_space = MemorySpace;

  Index num_rows = 0;
  Index num_cols = 0;
  Kokkos::View<Index*, MemorySpace> rows;     ///< of each entry; never falls
  Kokkos::View<Index*, MemorySpace> columns;  ///< of each entry
  Kokkos::View<Scalar*, MemorySpace> values;  ///< of each entry

  /// Entries of the matrix.
  KOKKOS_INLINE_FUNCTION std::int64_t num_entries() const { return static_cast<std::int64_t>(values.extent(0)); }

  /// The same: COO adds nothing.
  std::int64_t stored_entries() const { return num_entries(); }

  /// Entries that are stored only to fill the format: none.
  std::int64_t artificial_zeros() const { return 0; }

  /// Memory of the arrays, which is also what one SpMV must read of the matrix, in bytes.
  std::size_t bytes() const {
    return (rows.extent(0) + columns.extent(0)) * sizeof(Index) + values.extent(0) * sizeof(Scalar);
  }

  /// Entries are the units of traversal.
  std::int64_t num_units() const { return num_entries(); }
  KOKKOS_INLINE_FUNCTION Index row_of(std::int64_t unit) const { return rows(unit); }

  /// First entry whose row is not before `row`.
  KOKKOS_INLINE_FUNCTION std::int64_t row_begin(std::int64_t row) const {
    return detail::lower_bound_row(rows, row);
  }

  /// body(row, column, value) for the entries [first, last).
  template <class Body>
  KOKKOS_INLINE_FUNCTION void visit(std::int64_t first, std::int64_t last, const Body& body) const {
    for (std::int64_t k = first; k < last; ++k) body(rows(k), columns(k), values(k));
  }
};

}  // namespace krylite

#endif
