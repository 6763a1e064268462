#ifndef KRYLITE_FORMATS_RGCSR_HPP
#define KRYLITE_FORMATS_RGCSR_HPP

/// \file
/// Row-grouped CSR: rows are taken in groups of G; a group stores the first entry of each of its rows, then the
/// second of each, and so on, so that G neighbouring threads (or SIMD lanes) read neighbouring memory. Entry k
/// of row r lies at `group_pointers[r / G] + k * G + r % G`; a group is as long as its longest row, and what the
/// shorter rows lack is filled with artificial zeros.
///
///     G = 2     [ a . b ]     group_pointers  0       4   6
///               [ . c . ]     row_lengths     2 1     1
///               [ . . d ]     values          a c b 0 d 0
///                             columns         0 1 2 1 2 0
///
/// `row_lengths` bounds the loop of each row: artificial zeros are stored but never multiplied, so an Inf or NaN
/// in x reaches only the rows whose pattern holds it. (An artificial zero repeats the column of the row's last
/// entry, so that a kernel may load x there without leaving the vector.)
/// Source: rgcsr article, section 3.

#include <krylite/core/traits.hpp>

#include <cstddef>

namespace krylite {

/// How `to_rgcsr` lays a matrix out.
struct RgCsrOptions {
  /// Rows in a group, a power of two from 1 to 256; 0 is `default_rgcsr_group_size` of the execution space.
  Index group_size = 0;
  /// The conversion is refused where the artificial zeros would exceed this multiple of the nonzeros and the
  /// padded arrays are not small (2^20 entries) either. The article's worst case was 85.
  double fill_limit = 100.0;
};

template <class Scalar, class Offset = std::int64_t,
          class MemorySpace = typename Kokkos::DefaultExecutionSpace::memory_space>
struct RgCsrMatrix {
  using scalar_type = Scalar;
  using offset_type = Offset;
  using memory_space = MemorySpace;

  Index num_rows = 0;
  Index num_cols = 0;
  Index group_size = 1;                                ///< G, a power of two
  std::int64_t entries = 0;                            ///< entries of the matrix, without artificial zeros
  Kokkos::View<Offset*, MemorySpace> group_pointers;   ///< num_groups() + 1 positions where groups begin
  Kokkos::View<Index*, MemorySpace> row_lengths;       ///< num_rows entry counts
  Kokkos::View<Index*, MemorySpace> columns;           ///< stored_entries() columns, all inside [0, num_cols)
  Kokkos::View<Scalar*, MemorySpace> values;           ///< stored_entries() values

  Index num_groups() const { return num_rows / group_size + (num_rows % group_size != 0 ? 1 : 0); }

  /// Entries of the matrix.
  std::int64_t num_entries() const { return entries; }

  /// Entries and artificial zeros.
  std::int64_t stored_entries() const { return static_cast<std::int64_t>(values.extent(0)); }

  /// Entries that are stored only to fill the groups.
  std::int64_t artificial_zeros() const { return stored_entries() - entries; }

  /// Memory of the four arrays, in bytes.
  std::size_t bytes() const {
    return group_pointers.extent(0) * sizeof(Offset) + row_lengths.extent(0) * sizeof(Index) +
           values.extent(0) * (sizeof(Index) + sizeof(Scalar));
  }
};

/// Rows in a group where the options name none: the warp-coalescing size that the article found best on GPUs;
/// on hosts as many as keep a group's sums in registers (4 took 1.00 to 1.01, 0.91 to 0.93 and 0.87 to 0.95 of the
/// time of 8 on poisson3d n = 100, stencil27 n = 60 and elasticity n = 30, two threads of an AVX-512 machine).
template <class ExecutionSpace>
constexpr Index default_rgcsr_group_size() {
  return is_host_space<ExecutionSpace> ? 4 : 128;
}

}  // namespace krylite

#endif
