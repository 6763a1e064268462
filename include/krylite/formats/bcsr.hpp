#ifndef KRYLITE_FORMATS_BCSR_HPP
#define KRYLITE_FORMATS_BCSR_HPP

/// \file
/// Block CSR: the matrix in b x b blocks, b = 2..8, of which those that hold an entry are stored, row of blocks by
/// row of blocks, each with its block column and its b * b values row by row. Bit `i * b + j` of a block's pattern
/// says that (i, j) of the block is an entry of the matrix; the others are fill, which is never multiplied.
///
///     b = 2     [ a . | b . ]     block_row_pointers  0                 2         3
///               [ . c | . . ]     block_columns       0        1        1
///               [-----+-----]     values              a 0 0 c  b 0 0 0  0 0 d e
///               [ . . | . . ]     patterns            1001     0001     1100      (binary)
///               [ . . | d e ]
///
/// One column number for up to b * b entries, and x is read b at a time; but every hole in a block is stored.
///
/// Back to CSR: the entries of a row of the matrix are those of its blocks from left to right, which is their order
/// in CSR if columns never fall within a row. A duplicate goes to a further block of the same block column. Where
/// columns do fall, `csr_positions` says where in CSR each entry belongs.
///
/// Flops of a product 2 nnz; bytes blocks (b^2 value + 12) + block rows offset + rows y + (at best) columns x.
/// Source: rgcsr article, section 3 and its figure 2; the patterns are Krylite's.

#include <krylite/core/traits.hpp>

#include <cstddef>
#include <cstdint>

namespace krylite {

/// How `to_bcsr` lays a matrix out.
struct BcsrOptions {
  /// b, from 2 to 8; 0 is the one that takes the fewest bytes, over the whole matrix or, where it has more than 26,880
  /// rows, over about as many, spread evenly.
  Index block_size = 0;
  /// The conversion is refused where the fill would exceed this multiple of the nonzeros and the blocks are not small
  /// (2^20 entries) either. It is never more than 63.
  double fill_limit = 100.0;
};

template <class Scalar, class Offset = std::int64_t,
          class MemorySpace = typename Kokkos::DefaultExecutionSpace::memory_space>
struct BcsrMatrix {
  using scalar_type = Scalar;
  using offset_type = Offset;
  using memory_space = MemorySpace;

  Index num_rows = 0;
  Index num_cols = 0;
  Index block_size = 2;                                   ///< b
  std::int64_t entries = 0;                               ///< entries of the matrix, without fill
  Kokkos::View<Offset*, MemorySpace> block_row_pointers;  ///< num_block_rows() + 1 numbers of blocks
  Kokkos::View<Index*, MemorySpace> block_columns;        ///< of each block; its first column is b times this
  Kokkos::View<std::uint64_t*, MemorySpace> patterns;     ///< of each block
  Kokkos::View<Scalar*, MemorySpace> values;              ///< b * b of each block

  /// Where in CSR the entries belong, those of row 0 from left to right, then those of row 1, ...; without entries
  /// where they belong in this order.
  Kokkos::View<Offset*, MemorySpace> csr_positions;

  KOKKOS_INLINE_FUNCTION Index num_block_rows() const {
    return num_rows / block_size + (num_rows % block_size != 0 ? 1 : 0);
  }

  /// Entries of the matrix.
  KOKKOS_INLINE_FUNCTION std::int64_t num_entries() const { return entries; }

  /// Entries and fill.
  std::int64_t stored_entries() const { return static_cast<std::int64_t>(values.extent(0)); }

  /// Entries that are stored only to fill the blocks.
  std::int64_t artificial_zeros() const { return stored_entries() - entries; }

  /// Memory of the arrays, in bytes. A product reads all but `csr_positions`.
  std::size_t bytes() const {
    return (block_row_pointers.extent(0) + csr_positions.extent(0)) * sizeof(Offset) +
           block_columns.extent(0) * sizeof(Index) + patterns.extent(0) * sizeof(std::uint64_t) +
           values.extent(0) * sizeof(Scalar);
  }

  /// Rows are the units of traversal.
  std::int64_t num_units() const { return num_rows; }
  KOKKOS_INLINE_FUNCTION Index row_of(std::int64_t unit) const { return static_cast<Index>(unit); }

  /// Pattern of row `i` of a block: bit j says that (i, j) is an entry.
  KOKKOS_INLINE_FUNCTION unsigned row_pattern(std::int64_t block, Index i) const {
    return static_cast<unsigned>(patterns(block) >> (i * block_size)) & ((1u << block_size) - 1u);
  }

  /// body(column, index among the values) for the entries of a row from left to right.
  template <class Body>
  KOKKOS_INLINE_FUNCTION void visit_indices(std::int64_t row, const Body& body) const {
    const std::int64_t block_row = row / block_size;
    const auto i = static_cast<Index>(row % block_size);
    const std::int64_t end = block_row_pointers(block_row + 1);
    for (std::int64_t block = block_row_pointers(block_row); block < end; ++block) {
      const Index first_column = block_columns(block) * block_size;
      const std::int64_t begin = (block * block_size + i) * block_size;
      unsigned pattern = row_pattern(block, i);
      for (Index j = 0; pattern != 0; ++j, pattern >>= 1) {
        if ((pattern & 1u) != 0) body(first_column + j, begin + j);
      }
    }
  }

  /// body(row, column, value) for the entries of rows [first, last), those of a row from left to right.
  template <class Body>
  KOKKOS_INLINE_FUNCTION void visit(std::int64_t first, std::int64_t last, const Body& body) const {
    for (std::int64_t row = first; row < last; ++row) {
      visit_indices(row, [&](Index column, std::int64_t k) { body(static_cast<Index>(row), column, values(k)); });
    }
  }
};

}  // namespace krylite

#endif
