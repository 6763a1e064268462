#ifndef KRYLITE_FORMATS_HYB_HPP
#define KRYLITE_FORMATS_HYB_HPP

/// \file
/// Hybrid of ELLPACK and COO: the first K1 entries of every row are an ELLPACK matrix, what longer rows have beyond
/// them a COO matrix.
///
///     K1 = 1     [ a . b ]     ELL: values a c d     COO: rows 0, columns 2, values b
///                [ . c . ]          columns 0 1 2
///                [ . . d ]
///
/// K1 is the largest number such that at least a third of the rows have K1 entries or more. It is at most three
/// times the mean row length, so that the fill is at most twice the nonzeros.
/// A product is that of ELLPACK, to which COO's is added: flops 2 nnz, bytes those of the two.
/// Source: Bell and Garland 2009 (the third: COO was measured to be about three times slower than ELL); rgcsr
/// article, section 3.

#include <krylite/formats/coo.hpp>
#include <krylite/formats/ell.hpp>

#include <optional>

namespace krylite {

/// How `to_hyb` lays a matrix out.
struct HybOptions {
  std::optional<Index> ell_width;  ///< K1, at least 0; none: chosen from the row lengths as above
  /// As in EllOptions, over both parts.
  double fill_limit = 100.0;
};

template <class Scalar, class Offset = std::int64_t,
          class MemorySpace = typename Kokkos::DefaultExecutionSpace::memory_space>
struct HybMatrix {
  using scalar_type = Scalar;
  using offset_type = Offset;
  using memory_space = MemorySpace;

  Index num_rows = 0;
  Index num_cols = 0;
  EllMatrix<Scalar, Offset, MemorySpace> ell;  ///< the first ell.width entries of every row
  CooMatrix<Scalar, Offset, MemorySpace> coo;  ///< the others

  /// Entries of the matrix.
  KOKKOS_INLINE_FUNCTION std::int64_t num_entries() const { return ell.num_entries() + coo.num_entries(); }

  /// Entries and fill.
  std::int64_t stored_entries() const { return ell.stored_entries() + coo.stored_entries(); }

  /// Entries that are stored only to fill the ELLPACK part.
  std::int64_t artificial_zeros() const { return ell.artificial_zeros(); }

  /// Memory of the arrays, which is also what one SpMV must read of the matrix, in bytes.
  std::size_t bytes() const { return ell.bytes() + coo.bytes(); }

  /// Units of traversal: the rows of the ELLPACK part, then the entries of the COO part.
  std::int64_t num_units() const { return num_rows + coo.num_units(); }
  KOKKOS_INLINE_FUNCTION Index row_of(std::int64_t unit) const {
    return unit < num_rows ? static_cast<Index>(unit) : coo.row_of(unit - num_rows);
  }

  /// body(row, column, value) for the entries of units [first, last).
  template <class Body>
  KOKKOS_INLINE_FUNCTION void visit(std::int64_t first, std::int64_t last, const Body& body) const {
    const std::int64_t split = num_rows;
    if (first < split) ell.visit(first, last < split ? last : split, body);
    if (last > split) coo.visit(first > split ? first - split : 0, last - split, body);
  }
};

}  // namespace krylite

#endif
