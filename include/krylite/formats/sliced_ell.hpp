#ifndef KRYLITE_FORMATS_SLICED_ELL_HPP
#define KRYLITE_FORMATS_SLICED_ELL_HPP

/// \file
/// Sliced ELLPACK: slices of C neighbouring rows, each an ELLPACK matrix of its own, padded to its own longest row.
/// Entry k of row r lies at `slice_pointers[r / C] + k * C + r % C`.
///
///     C = 2     [ a . b ]     slice_pointers  0       4   6
///               [ . c . ]     values          a c b 0 d 0
///               [ . . d ]     columns         0 1 2 - 2 -      (- is -1)
///
/// Unlike RgCSR it keeps no row lengths: fill has column -1 and value 0, comes after the entries of a row, and is
/// never multiplied. The last slice is stored whole.
/// Flops of a product 2 nnz; bytes stored (value + 4) + slices offset + rows y + (at best) columns x.
/// Source: Monakov, Lokhmotov, Avetisyan 2010; rgcsr article, section 3.

#include <krylite/core/traits.hpp>

#include <cstddef>
#include <cstdint>

namespace krylite {

/// How `to_sliced_ell` lays a matrix out.
struct SlicedEllOptions {
  /// Rows in a slice, a power of two from 1 to 256; 0 is `default_slice_size` of the execution space.
  Index slice_size = 0;
  /// The conversion is refused where the fill would exceed this multiple of the nonzeros and the padded arrays are
  /// not small (2^20 entries) either.
  double fill_limit = 100.0;
};

template <class Scalar, class Offset = std::int64_t,
          class MemorySpace = typename Kokkos::DefaultExecutionSpace::memory_space>
struct SlicedEllMatrix {
  using scalar_type = Scalar;
  using offset_type = Offset;
  using memory_space = MemorySpace;

  Index num_rows = 0;
  Index num_cols = 0;
  Index slice_size = 1;                               ///< C, a power of two
  std::int64_t entries = 0;                           ///< entries of the matrix, without fill
  Kokkos::View<Offset*, MemorySpace> slice_pointers;  ///< num_slices() + 1 positions where slices begin
  Kokkos::View<Index*, MemorySpace> columns;          ///< of all stored entries; -1 marks fill
  Kokkos::View<Scalar*, MemorySpace> values;          ///< of all stored entries

  Index num_slices() const { return num_rows / slice_size + (num_rows % slice_size != 0 ? 1 : 0); }

  /// Entries of the matrix.
  KOKKOS_INLINE_FUNCTION std::int64_t num_entries() const { return entries; }

  /// Entries and fill.
  std::int64_t stored_entries() const { return static_cast<std::int64_t>(values.extent(0)); }

  /// Entries that are stored only to fill the slices.
  std::int64_t artificial_zeros() const { return stored_entries() - entries; }

  /// Memory of the arrays, which is also what one SpMV must read of the matrix, in bytes.
  std::size_t bytes() const {
    return slice_pointers.extent(0) * sizeof(Offset) + columns.extent(0) * sizeof(Index) +
           values.extent(0) * sizeof(Scalar);
  }

  /// Rows are the units of traversal.
  std::int64_t num_units() const { return num_rows; }
  KOKKOS_INLINE_FUNCTION Index row_of(std::int64_t unit) const { return static_cast<Index>(unit); }

  /// Entries of a row, counted up to its fill.
  KOKKOS_INLINE_FUNCTION Index row_length(std::int64_t row) const {
    const std::int64_t begin = slice_pointers(row / slice_size);
    const std::int64_t end = slice_pointers(row / slice_size + 1);
    Index length = 0;
    for (std::int64_t k = begin + row % slice_size; k < end && columns(k) >= 0; k += slice_size) ++length;
    return length;
  }

  /// body(row, column, value) for the entries of rows [first, last), those of a row in the order of CSR.
  template <class Body>
  KOKKOS_INLINE_FUNCTION void visit(std::int64_t first, std::int64_t last, const Body& body) const {
    for (std::int64_t row = first; row < last; ++row) {
      const std::int64_t slice = row / slice_size;
      const std::int64_t end = slice_pointers(slice + 1);
      for (std::int64_t k = slice_pointers(slice) + row % slice_size; k < end; k += slice_size) {
        const Index column = columns(k);
        if (column < 0) break;
        body(static_cast<Index>(row), column, values(k));
      }
    }
  }
};

/// Rows in a slice where the options name none: a warp; on hosts as many as the widest vectors hold float64.
template <class ExecutionSpace>
constexpr Index default_slice_size() {
  return is_host_space<ExecutionSpace> ? 8 : 32;
}

}  // namespace krylite

#endif
