#ifndef KRYLITE_FORMATS_FEATURES_HPP
#define KRYLITE_FORMATS_FEATURES_HPP

/// \file
/// What the choice of a format depends on: sums over the rows of a CSR matrix, and, from a sample of groups of rows,
/// how near to each other the columns are that a group stores side by side.
/// Cost: a few sweeps over the row pointers, and at most 256 entries of each row of 512 groups.

#include <krylite/formats/adaptive_rgcsr.hpp>
#include <krylite/formats/convert/adaptive_rgcsr.hpp>
#include <krylite/formats/convert/sliced_ell.hpp>

#include <cstdint>

namespace krylite {

/// Sizes of a matrix, and of its RgCSR forms with the default group size.
struct FormatFeatures {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t entries = 0;
  std::int64_t row_max = 0;          ///< entries of the longest row
  std::int64_t group_size = 1;       ///< rows in a group
  std::int64_t grouped_entries = 0;  ///< stored by RgCSR, artificial zeros counted
  std::int64_t pieces = 0;           ///< of adaptive RgCSR
  std::int64_t partials = 0;         ///< of adaptive RgCSR: pieces of rows that have several
  double packable = 0;               ///< share of the sampled positions in groups whose columns fit 16 bits
  double adjacent = 0;               ///< share of the sampled positions at which the columns are neighbours
};

namespace detail {

/// Positions of a group of rows: those that were looked at, those in groups that fit 16 bits, and those with
/// neighbouring columns.
struct GroupSample {
  std::int64_t positions = 0;
  std::int64_t packable = 0;
  std::int64_t adjacent = 0;
};

/// One whole group of rows; of long rows, the first positions.
template <class Csr>
KOKKOS_FUNCTION GroupSample sample_group(const Csr& csr, std::int64_t first, std::int64_t group_size) {
  constexpr std::int64_t most_positions = 256;
  GroupSample sample;
  bool fits = true;
  std::int64_t common = most_positions;
  for (std::int64_t row = first; row < first + group_size; ++row) {
    const std::int64_t length = csr.row_pointers(row + 1) - csr.row_pointers(row);
    sample.positions = length > sample.positions ? length : sample.positions;
    common = length < common ? length : common;
  }
  sample.positions = sample.positions < most_positions ? sample.positions : most_positions;
  for (std::int64_t k = 0; k < sample.positions; ++k) {
    Index smallest = -1;
    Index largest = -1;
    bool is_adjacent = k < common;
    for (std::int64_t lane = 0; lane < group_size; ++lane) {
      const std::int64_t entry = csr.row_pointers(first + lane) + k;
      if (entry >= csr.row_pointers(first + lane + 1)) continue;
      const Index column = csr.columns(entry);
      is_adjacent = is_adjacent && (lane == 0 || column == largest + 1);
      smallest = smallest < 0 || column < smallest ? column : smallest;
      largest = column > largest ? column : largest;
    }
    fits = fits && largest - smallest <= widest_packed;
    sample.adjacent += is_adjacent ? 1 : 0;
  }
  sample.packable = fits ? sample.positions : 0;
  return sample;
}

/// Sets what a sample of groups tells.
template <class ExecutionSpace, class Csr>
void sample_groups(const ExecutionSpace& exec, const Csr& csr, FormatFeatures& features) {
  using Samples = Kokkos::View<GroupSample*, typename Csr::memory_space>;
  constexpr std::int64_t most_samples = 512;
  const std::int64_t group_size = features.group_size;
  const std::int64_t groups = features.rows / group_size;
  const std::int64_t count = groups < most_samples ? groups : most_samples;
  const auto samples = allocate<Samples>(exec, "krylite::features::samples", static_cast<std::size_t>(count));
  Kokkos::parallel_for(
      "krylite::features::samples", range(exec, count), KOKKOS_LAMBDA(const std::int64_t i) {
        samples(i) = sample_group(csr, groups * i / count * group_size, group_size);
      });
  exec.fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), samples);
  GroupSample all;
  for (std::int64_t i = 0; i < count; ++i) {
    all.positions += host(i).positions;
    all.packable += host(i).packable;
    all.adjacent += host(i).adjacent;
  }
  if (all.positions == 0) return;
  features.packable = static_cast<double>(all.packable) / static_cast<double>(all.positions);
  features.adjacent = static_cast<double>(all.adjacent) / static_cast<double>(all.positions);
}

/// Rows that adaptive RgCSR would cut into several pieces, and those pieces.
template <class ExecutionSpace, class Csr>
void count_cuts(const ExecutionSpace& exec, const Csr& csr, std::int64_t group_size, std::int64_t& rows,
                std::int64_t& pieces) {
  const CutCount<typename Csr::row_pointers_type> count{
      {csr.row_pointers}, piece_rule<ExecutionSpace>(default_piece_length(csr), group_size)};
  rows = sum_of(
      exec, csr.num_rows, KOKKOS_LAMBDA(const std::int64_t row) { return count(row) != 0 ? 1 : 0; });
  pieces = sum_of(
      exec, csr.num_rows, KOKKOS_LAMBDA(const std::int64_t row) { return count(row) >> 32; });
}

}  // namespace detail

/// Looks at `csr` on `exec`, and waits for it.
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
FormatFeatures format_features(const ExecutionSpace& exec, const CsrMatrix<Scalar, Offset, MemorySpace>& csr) {
  FormatFeatures features;
  features.rows = csr.num_rows;
  features.columns = csr.num_cols;
  features.entries = csr.num_entries();
  features.group_size = default_rgcsr_group_size<ExecutionSpace>();
  const std::int64_t group_size = features.group_size;
  const std::int64_t rows = features.rows;
  features.row_max = detail::largest_of(exec, rows, detail::RowLength<decltype(csr.row_pointers)>{csr.row_pointers});
  features.grouped_entries = detail::sliced_ell_size(exec, csr, default_rgcsr_group_size<ExecutionSpace>(),
                                                     static_cast<Index>((rows + group_size - 1) / group_size));
  std::int64_t cut_rows = 0;
  detail::count_cuts(exec, csr, group_size, cut_rows, features.partials);
  features.pieces = rows - cut_rows + features.partials;
  detail::sample_groups(exec, csr, features);
  return features;
}

}  // namespace krylite

#endif
