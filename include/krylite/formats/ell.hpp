#ifndef KRYLITE_FORMATS_ELL_HPP
#define KRYLITE_FORMATS_ELL_HPP

/// \file
/// ELLPACK: every row is as wide as the longest, K, and the entries are stored position by position, first those at
/// position 0 of all rows, then those at position 1, and so on. Entry k of row r lies at `k * stride + r`; the stride
/// is the number of rows rounded up, so that every position begins at a multiple of the vector width.
///
///     [ a . b ]     K = 2, stride 4     values    a c d 0   b 0 0 0
///     [ . c . ]                         columns   0 1 2 -   2 - - -      (- is -1)
///     [ . . d ]
///
/// There are no row lengths: fill has column -1 and value 0, comes after the entries of a row, and is never
/// multiplied. For matrices whose rows are about equally long; one long row pads all others.
/// Flops of a product 2 nnz; bytes stored (value + 4) + rows y + (at best) columns x.
/// Source: rgcsr article, section 3 and its figure 3; Bell and Garland 2009.

#include <krylite/core/traits.hpp>

#include <cstddef>
#include <cstdint>

namespace krylite {

/// How `to_ell` lays a matrix out.
struct EllOptions {
  /// The conversion is refused where the fill would exceed this multiple of the nonzeros and the padded arrays are
  /// not small (2^20 entries) either.
  double fill_limit = 100.0;
};

/// \tparam Offset as in CsrMatrix: the padded arrays are no longer than it can say
template <class Scalar, class Offset = std::int64_t,
          class MemorySpace = typename Kokkos::DefaultExecutionSpace::memory_space>
struct EllMatrix {
  using scalar_type = Scalar;
  using offset_type = Offset;
  using memory_space = MemorySpace;

  Index num_rows = 0;
  Index num_cols = 0;
  Index width = 0;                            ///< K, entries that every row has room for
  std::int64_t stride = 0;                    ///< from one position of a row to the next, at least num_rows
  std::int64_t entries = 0;                   ///< entries of the matrix, without fill
  Kokkos::View<Index*, MemorySpace> columns;  ///< width * stride; -1 marks fill
  Kokkos::View<Scalar*, MemorySpace> values;  ///< width * stride

  /// Entries of the matrix.
  KOKKOS_INLINE_FUNCTION std::int64_t num_entries() const { return entries; }

  /// Entries and fill.
  std::int64_t stored_entries() const { return static_cast<std::int64_t>(values.extent(0)); }

  /// Entries that are stored only to fill the rows.
  std::int64_t artificial_zeros() const { return stored_entries() - entries; }

  /// Memory of the arrays, which is also what one SpMV must read of the matrix, in bytes.
  std::size_t bytes() const { return columns.extent(0) * sizeof(Index) + values.extent(0) * sizeof(Scalar); }

  /// Rows are the units of traversal.
  std::int64_t num_units() const { return num_rows; }
  KOKKOS_INLINE_FUNCTION Index row_of(std::int64_t unit) const { return static_cast<Index>(unit); }

  /// Entries of a row, counted up to its fill.
  KOKKOS_INLINE_FUNCTION Index row_length(std::int64_t row) const {
    Index length = 0;
    while (length < width && columns(length * stride + row) >= 0) ++length;
    return length;
  }

  /// body(row, column, value) for the entries of rows [first, last), those of a row in the order of CSR.
  template <class Body>
  KOKKOS_INLINE_FUNCTION void visit(std::int64_t first, std::int64_t last, const Body& body) const {
    for (std::int64_t row = first; row < last; ++row) {
      const std::int64_t end = width * stride;
      for (std::int64_t k = row; k < end; k += stride) {
        const Index column = columns(k);
        if (column < 0) break;
        body(static_cast<Index>(row), column, values(k));
      }
    }
  }
};

/// Rows are rounded up to a multiple of this: on hosts as many as the widest vectors hold float64, elsewhere a warp.
template <class ExecutionSpace>
constexpr Index ell_stride_multiple() {
  return is_host_space<ExecutionSpace> ? 8 : 32;
}

}  // namespace krylite

#endif
