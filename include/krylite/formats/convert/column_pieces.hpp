#ifndef KRYLITE_FORMATS_CONVERT_COLUMN_PIECES_HPP
#define KRYLITE_FORMATS_CONVERT_COLUMN_PIECES_HPP

/// \file
/// Rows of adaptive RgCSR cut where they go from one block of columns to another. A scan over the entries finds these
/// runs, each run is cut as a row would be, and the keys sort the pieces so that those of a block lie together.

#include <krylite/core/algorithms.hpp>
#include <krylite/formats/convert/row_pieces.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace krylite {
namespace detail {

/// Runs of entries of a row that lie in one block of columns, in the order of rows; an empty row is an empty run.
template <class Csr>
struct ColumnRuns {
  using Offset = typename Csr::offset_type;
  Kokkos::View<Index*, typename Csr::memory_space> first_runs;  ///< of each row, and their number
  Kokkos::View<Offset*, typename Csr::memory_space> begins;     ///< of each run, and the number of entries
  Kokkos::View<Index*, typename Csr::memory_space> first_pieces;  ///< of each run, and their number
  PieceRule rule;

  KOKKOS_INLINE_FUNCTION RowCut cut(std::int64_t run) const {
    return RowCut(static_cast<std::int64_t>(begins(run + 1) - begins(run)), rule);
  }
};

/// One where an entry's block of columns is not that of the entry before; the first entry of a row begins a run anyway.
template <class Columns>
struct RunStart {
  Columns columns;
  Index block_columns;

  KOKKOS_INLINE_FUNCTION Index block(std::int64_t k) const { return columns(k) / block_columns; }
  KOKKOS_INLINE_FUNCTION int operator()(std::int64_t k) const { return k > 0 && block(k) != block(k - 1) ? 1 : 0; }
};

/// Runs of a row, from the starts before each entry.
template <class RowPointers, class Starts>
struct RunCount {
  RowPointers row_pointers;
  Starts starts;

  KOKKOS_INLINE_FUNCTION Index operator()(std::int64_t row) const {
    const auto begin = static_cast<std::int64_t>(row_pointers(row));
    const auto end = static_cast<std::int64_t>(row_pointers(row + 1));
    return end - begin < 2 ? 1 : static_cast<Index>(1 + starts(end) - starts(begin + 1));
  }
};

template <class Csr>
struct PiecesOfRun {
  ColumnRuns<Csr> runs;
  KOKKOS_INLINE_FUNCTION Index operator()(std::int64_t run) const { return static_cast<Index>(runs.cut(run).pieces()); }
};

/// As CutCount, from the pieces of runs.
template <class Csr>
struct PiecesOfRow {
  ColumnRuns<Csr> runs;
  KOKKOS_INLINE_FUNCTION std::int64_t operator()(std::int64_t row) const {
    const std::int64_t pieces =
        runs.first_pieces(runs.first_runs(row + 1)) - runs.first_pieces(runs.first_runs(row));
    return pieces == 1 ? 0 : (pieces << 32) + 1;
  }
};

/// \throws Error where there are more pieces than 32 bits count
template <class ExecutionSpace, class Csr>
ColumnRuns<Csr> find_runs(const ExecutionSpace& exec, const Csr& csr, Index block_columns, const PieceRule& rule) {
  using Offset = typename Csr::offset_type;
  using RowPointers = typename Csr::row_pointers_type;
  using Starts = Kokkos::View<Offset*, typename Csr::memory_space>;
  const std::int64_t entries = csr.num_entries();
  const RunStart<typename Csr::columns_type> is_start = {csr.columns, block_columns};
  Starts starts;
  allocate_array(exec, "krylite::adaptive_rgcsr::starts", entries + 1, starts);
  prefix_sums(exec, "krylite::to_adaptive_rgcsr::starts", entries, starts, is_start);
  const std::int64_t all = element(exec, starts, entries);
  const std::int64_t most = csr.num_rows + all + 2 * (entries / rule.limit) + 2;
  require(most <= std::numeric_limits<Index>::max(), "adaptive RgCSR: ", entries, " entries in blocks of ",
          block_columns, " columns and pieces of ", rule.limit, " do not fit 32-bit piece numbers");

  ColumnRuns<Csr> runs;
  runs.rule = rule;
  allocate_array(exec, "krylite::adaptive_rgcsr::first_runs", std::int64_t(csr.num_rows) + 1, runs.first_runs);
  prefix_sums(exec, "krylite::to_adaptive_rgcsr::runs", csr.num_rows, runs.first_runs,
              RunCount<RowPointers, Starts>{csr.row_pointers, starts});
  const Index num_runs = element(exec, runs.first_runs, csr.num_rows);
  allocate_array(exec, "krylite::adaptive_rgcsr::run_begins", std::int64_t(num_runs) + 1, runs.begins);
  allocate_array(exec, "krylite::adaptive_rgcsr::first_pieces", std::int64_t(num_runs) + 1, runs.first_pieces);
  Kokkos::parallel_for(
      "krylite::to_adaptive_rgcsr::row_begins", range(exec, std::int64_t(csr.num_rows) + 1),
      KOKKOS_LAMBDA(const std::int64_t row) { runs.begins(runs.first_runs(row)) = csr.row_pointers(row); });
  Kokkos::parallel_for(
      "krylite::to_adaptive_rgcsr::run_begins", range(exec, entries), KOKKOS_LAMBDA(const std::int64_t k) {
        if (is_start(k) == 0) return;
        const Index row = last_not_behind(csr.row_pointers, 0, csr.num_rows - 1, k);
        const auto begin = static_cast<std::int64_t>(csr.row_pointers(row));
        if (k == begin) return;
        runs.begins(runs.first_runs(row) + starts(k + 1) - starts(begin + 1)) = static_cast<Offset>(k);
      });
  prefix_sums(exec, "krylite::to_adaptive_rgcsr::first_pieces", num_runs, runs.first_pieces, PiecesOfRun<Csr>{runs});
  return runs;
}

/// Cuts rows by blocks of columns, and what is in a block by length. Descending keys go through the blocks, and in a
/// block from the longest piece to the shortest; empty rows are in the last block.
template <class Csr>
struct ColumnCutter {
  ColumnRuns<Csr> runs;
  RunStart<typename Csr::columns_type> columns;
  std::int64_t blocks;
  std::int64_t longest;  ///< lengths from this on are one to the keys

  KOKKOS_INLINE_FUNCTION Piece operator()(std::int64_t row, std::int64_t i) const {
    const Index first_run = runs.first_runs(row);
    const std::int64_t number = runs.first_pieces(first_run) + i;
    const Index run = last_not_behind(runs.first_pieces, first_run, runs.first_runs(row + 1) - 1, number);
    const auto begin = static_cast<std::int64_t>(runs.begins(run));
    Piece piece = piece_of(runs.cut(run), begin, number - runs.first_pieces(run));
    const std::int64_t block = piece.key > 0 ? columns.block(begin) : blocks - 1;
    const std::int64_t length = piece.key < longest ? piece.key : longest;
    piece.key = (blocks - 1 - block) * (longest + 1) + length;
    return piece;
  }
};

/// Pieces of rows that are cut by blocks of columns. \throws Error where their keys do not fit 32 bits
template <class ExecutionSpace, class Csr, class Adaptive>
Pieces<Csr> make_column_pieces(const ExecutionSpace& exec, const Csr& csr, const PieceRule& rule, Adaptive& result) {
  const std::int64_t blocks = std::int64_t(csr.num_cols) / result.block_columns + 1;
  // Only where columns are twofold are pieces longer than a block has columns.
  const std::int64_t longest = std::min<std::int64_t>(std::max(rule.limit, rule.whole), result.block_columns);
  require(blocks <= std::numeric_limits<Index>::max() / (longest + 1), "adaptive RgCSR: ", blocks, " blocks of ",
          result.block_columns, " columns and pieces of ", longest, " do not fit 32-bit keys");
  const auto runs = find_runs(exec, csr, result.block_columns, rule);
  const auto cuts = sum_cuts(exec, csr, PiecesOfRow<Csr>{runs});
  const ColumnCutter<Csr> cutter = {runs, {csr.columns, result.block_columns}, blocks, longest};
  // A thread for each piece of a long row, on hosts too: a row that is worth cutting by columns has many.
  return make_pieces<Traversal::teams>(exec, csr, cuts, cutter, result);
}

}  // namespace detail
}  // namespace krylite

#endif
