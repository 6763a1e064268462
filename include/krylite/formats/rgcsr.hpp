#ifndef KRYLITE_FORMATS_RGCSR_HPP
#define KRYLITE_FORMATS_RGCSR_HPP

/// \file
/// Row-grouped CSR: rows are taken in groups of G; a group stores the first entry of each of its rows, then the
/// second of each, and so on, so that G neighbouring threads (or SIMD lanes) read neighbouring memory. Entry k of
/// the row in slot s lies at `group_pointers[s / G] + k * G + s % G`; a group is as long as its longest row, and
/// what the shorter rows lack is filled with artificial zeros.
///
///     G = 2     [ a . b ]     group_pointers  0       4   6
///               [ . c . ]     row_lengths     2 1     1
///               [ . . d ]     values          a c b 0 d 0
///                             columns         0 1 2 1 2 0
///
/// `row_lengths` bounds the loop of each row: artificial zeros are stored but never multiplied, so an Inf or NaN
/// in x reaches only the rows whose pattern holds it. (An artificial zero has the column of the row's last
/// entry, or of the position's base where columns are packed, so that a kernel may load x there.)
/// On devices `short_row_lengths` has them in a byte each where the longest row allows it, so that a product moves
/// one byte a row instead of four.
///
/// Row order: slot s holds row s, or row `row_order[s]` where rows are sorted by descending length, within windows
/// or as a whole, so that the rows of a group are alike and fill is small. The order is undone while y is written.
///
/// Packed columns: where the G columns at every position k of a group lie within 2^16 of each other, the group
/// stores the smallest of them in `column_bases[group_pointers[g] / G + k]` and the columns as 16-bit offsets from
/// it. Group g's offsets begin at `column_pointers[g]` of `column_offsets`, or, where it does not fit, its 32-bit
/// columns at `-1 - column_pointers[g]` of `columns`.
///
/// Source: rgcsr article, section 3; row orders: its section 4.

#include <krylite/core/traits.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace krylite {

/// Order of the rows of a format.
enum class RowOrder {
  natural,    ///< as in the matrix
  windowed,   ///< by descending length within windows of `order_window` rows; equal lengths as in the matrix
  descending, ///< by descending length as a whole
  clusters    ///< rows that share columns together (convert/cluster_order.hpp), where the numbering of the matrix
              ///< tells nothing of nearness; found on the host by one thread, which is waited for
};

/// How `to_rgcsr` lays a matrix out.
struct RgCsrOptions {
  /// Rows in a group, a power of two from 1 to 256; 0 is `default_rgcsr_group_size` of the execution space.
  Index group_size = 0;
  /// The conversion is refused where the artificial zeros would exceed this multiple of the nonzeros and the
  /// padded arrays are not small (2^20 entries) either. The article's worst case was 85.
  double fill_limit = 100.0;
  /// Columns as 16-bit offsets in the groups where they fit, if that saves bytes over the whole matrix.
  bool packed = true;
  RowOrder order = RowOrder::natural;
  Index order_window = 1024;  ///< rows, at least 1; larger windows mean less fill and less locality of x
};

template <class Scalar, class Offset = std::int64_t,
          class MemorySpace = typename Kokkos::DefaultExecutionSpace::memory_space>
struct RgCsrMatrix {
  using scalar_type = Scalar;
  using offset_type = Offset;
  using memory_space = MemorySpace;

  Index num_rows = 0;
  Index num_cols = 0;
  Index group_size = 1;                              ///< G, a power of two
  std::int64_t entries = 0;                          ///< entries of the matrix, without artificial zeros
  Kokkos::View<Offset*, MemorySpace> group_pointers; ///< num_groups() + 1 positions where groups begin
  Kokkos::View<Index*, MemorySpace> row_lengths;     ///< of the row in each of num_rows slots
  /// row_lengths in a byte each, where the longest row allows it and the matrix is not a host's; else none.
  Kokkos::View<std::uint8_t*, MemorySpace> short_row_lengths;
  Kokkos::View<Index*, MemorySpace> row_order;       ///< the row in each slot; no entries: slot s holds row s
  Kokkos::View<Scalar*, MemorySpace> values;         ///< stored_entries() values
  Kokkos::View<Index*, MemorySpace> columns;         ///< of all stored entries, or of the groups that are not packed

  // Only where columns are packed; else they have no entries.
  Kokkos::View<Offset*, MemorySpace> column_pointers;        ///< num_groups(), as above
  Kokkos::View<std::uint16_t*, MemorySpace> column_offsets;  ///< of the packed groups
  Kokkos::View<Index*, MemorySpace> column_bases;            ///< stored_entries() / G

  Index num_groups() const { return num_rows / group_size + (num_rows % group_size != 0 ? 1 : 0); }

  /// Whether any group has 16-bit columns.
  KOKKOS_INLINE_FUNCTION bool is_packed() const { return column_pointers.extent(0) > 0; }

  /// Entries of the matrix.
  KOKKOS_INLINE_FUNCTION std::int64_t num_entries() const { return entries; }

  /// Entries and artificial zeros.
  std::int64_t stored_entries() const { return static_cast<std::int64_t>(values.extent(0)); }

  /// Entries that are stored only to fill the groups.
  std::int64_t artificial_zeros() const { return stored_entries() - entries; }

  /// Memory of the arrays, in bytes.
  std::size_t bytes() const {
    return (group_pointers.extent(0) + column_pointers.extent(0)) * sizeof(Offset) +
           (row_lengths.extent(0) + row_order.extent(0) + columns.extent(0) + column_bases.extent(0)) * sizeof(Index) +
           values.extent(0) * sizeof(Scalar) + column_offsets.extent(0) * sizeof(std::uint16_t) +
           short_row_lengths.extent(0);
  }

  /// Slots are the units of traversal.
  std::int64_t num_units() const { return num_rows; }

  KOKKOS_INLINE_FUNCTION Index row_of(std::int64_t slot) const {
    return row_order.extent(0) > 0 ? row_order(slot) : static_cast<Index>(slot);
  }

  /// body(row, column, value) for the entries of slots [first, last), those of a row in the order of CSR.
  template <class Body>
  KOKKOS_INLINE_FUNCTION void visit(std::int64_t first, std::int64_t last, const Body& body) const {
    for (std::int64_t slot = first; slot < last; ++slot) {
      const std::int64_t group = slot / group_size;
      const std::int64_t begin = group_pointers(group);
      const auto lane = static_cast<Index>(slot % group_size);
      const Index row = row_of(slot);
      const Index length = row_lengths(slot);
      const std::int64_t pointer = is_packed() ? column_pointers(group) : -1 - begin;
      const Scalar* const value = values.data() + begin + lane;
      if (pointer < 0) {
        const Index* const column = columns.data() + (-1 - pointer) + lane;
        for (std::int64_t k = 0; k < length; ++k) body(row, column[k * group_size], value[k * group_size]);
      } else {
        const std::uint16_t* const offset = column_offsets.data() + pointer + lane;
        const Index* const base = column_bases.data() + begin / group_size;
        for (std::int64_t k = 0; k < length; ++k) body(row, base[k] + offset[k * group_size], value[k * group_size]);
      }
    }
  }
};

/// Rows in a group where the options name none: the warp-coalescing size that the article found best on GPUs;
/// on hosts as many as the widest vectors hold float64.
template <class ExecutionSpace>
constexpr Index default_rgcsr_group_size() {
  return is_host_space<ExecutionSpace> ? 8 : 128;
}

}  // namespace krylite

#endif
