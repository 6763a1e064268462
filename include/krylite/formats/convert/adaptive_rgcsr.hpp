#ifndef KRYLITE_FORMATS_CONVERT_ADAPTIVE_RGCSR_HPP
#define KRYLITE_FORMATS_CONVERT_ADAPTIVE_RGCSR_HPP

#include <krylite/formats/adaptive_rgcsr.hpp>
#include <krylite/formats/convert/rgcsr.hpp>

#include <algorithm>

namespace krylite {
namespace detail {

/// How rows are cut: sums over the rows before each row.
template <class MemorySpace>
struct RowCuts {
  /// num_rows + 1; of the rows before that have several pieces, their pieces times 2^32, plus how many they are: one
  /// scan for both.
  Kokkos::View<std::int64_t*, MemorySpace> sums;
  Index num_pieces = 0;
  Index num_partials = 0;
  Index num_long = 0;

  KOKKOS_INLINE_FUNCTION Index partials_before(std::int64_t row) const { return static_cast<Index>(sums(row) >> 32); }
  KOKKOS_INLINE_FUNCTION Index long_before(std::int64_t row) const {
    return static_cast<Index>(sums(row) & 0xffffffff);
  }
  /// Pieces of all rows before: a row that is not long has one.
  KOKKOS_INLINE_FUNCTION Index first_piece(std::int64_t row) const {
    return static_cast<Index>(row) - long_before(row) + partials_before(row);
  }
};

/// On devices all pieces are short; a thread of a host takes what is worth its start.
template <class ExecutionSpace>
PieceRule piece_rule(std::int64_t limit, std::int64_t group_size) {
  constexpr std::int64_t shortest = is_host_space<ExecutionSpace> ? 256 : 1;
  return {limit, std::max(limit, shortest), group_size};
}

/// What is summed of a row that is cut into several pieces: these in the upper half, 1 in the lower; of others, 0.
template <class RowPointers>
struct CutCount {
  RowLength<RowPointers> length;
  PieceRule rule;

  KOKKOS_INLINE_FUNCTION std::int64_t operator()(std::int64_t row) const {
    const std::int64_t entries = length(row);
    if (entries <= rule.limit) return 0;  // one piece, without the divisions
    const std::int64_t pieces = RowCut(entries, rule).pieces();
    return pieces == 1 ? 0 : (pieces << 32) + 1;
  }
};

/// Sums over rows that are cut as `count` says.
template <class ExecutionSpace, class Csr, class Count>
RowCuts<typename Csr::memory_space> sum_cuts(const ExecutionSpace& exec, const Csr& csr, const Count& count) {
  RowCuts<typename Csr::memory_space> cuts;
  allocate_array(exec, "krylite::adaptive_rgcsr::cuts", std::int64_t(csr.num_rows) + 1, cuts.sums);
  prefix_sums(exec, "krylite::to_adaptive_rgcsr::cuts", csr.num_rows, cuts.sums, count);
  std::int64_t total = 0;
  exec.fence();
  Kokkos::deep_copy(total, Kokkos::subview(cuts.sums, csr.num_rows));
  cuts.num_partials = static_cast<Index>(total >> 32);
  cuts.num_long = static_cast<Index>(total & 0xffffffff);
  cuts.num_pieces = csr.num_rows - cuts.num_long + cuts.num_partials;
  return cuts;
}

/// \throws Error where there are more pieces than 32 bits count
template <class ExecutionSpace, class Csr>
RowCuts<typename Csr::memory_space> cut_rows(const ExecutionSpace& exec, const Csr& csr, const PieceRule& rule) {
  // A row of l entries has at most 1 + 2 l / limit pieces.
  const std::int64_t most = csr.num_rows + 2 * (csr.num_entries() / rule.limit) + 2;
  require(most <= std::numeric_limits<Index>::max(), "adaptive RgCSR: ", csr.num_entries(), " entries in pieces of ",
          rule.limit, " do not fit 32-bit piece numbers");
  return sum_cuts(exec, csr, CutCount<typename Csr::row_pointers_type>{{csr.row_pointers}, rule});
}

/// Pieces in the order of rows.
template <class Csr>
struct Pieces {
  RgCsrSlots<Csr> slots;
  /// What they are sorted by, descending: the longest piece of their block of entries, or what stands for the block of
  /// columns or the cluster.
  Kokkos::View<Index*, typename Csr::memory_space> keys;
  Kokkos::View<Index*, typename Csr::memory_space> targets;
};

/// Sets piece `i` of `row`, which is number `piece` of all, and where its sum goes.
template <class Csr>
KOKKOS_FUNCTION void set_piece(const Pieces<Csr>& pieces, const Csr& csr, const RowCut& cut, std::int64_t row,
                               std::int64_t i, std::int64_t piece, std::int64_t target) {
  using Offset = typename Csr::offset_type;
  pieces.slots.begins(piece) = static_cast<Offset>(csr.row_pointers(row) + cut.begin(i));
  pieces.slots.lengths(piece) = static_cast<Index>(cut.length(i));
  pieces.slots.strides(piece) = static_cast<Index>(cut.stride(i));
  pieces.keys(piece) = static_cast<Index>(cut.longest(i));
  pieces.targets(piece) = static_cast<Index>(target);
}

template <class ExecutionSpace, class Csr, class Adaptive>
Pieces<Csr> allocate_pieces(const ExecutionSpace& exec, const RowCuts<typename Csr::memory_space>& cuts,
                            Adaptive& result) {
  using Offset = typename Csr::offset_type;
  // Begins, lengths, strides, keys and targets, sorted too, and the order.
  constexpr std::size_t piece_bytes = 2 * (sizeof(Offset) + 4 * sizeof(Index)) + sizeof(Index);
  require_memory<typename Csr::memory_space>(static_cast<std::size_t>(cuts.num_pieces) * piece_bytes,
                                             "the pieces of adaptive RgCSR");
  Pieces<Csr> pieces;
  allocate_array(exec, "krylite::adaptive_rgcsr::begins", cuts.num_pieces, pieces.slots.begins);
  allocate_array(exec, "krylite::adaptive_rgcsr::lengths", cuts.num_pieces, pieces.slots.lengths);
  allocate_array(exec, "krylite::adaptive_rgcsr::strides", cuts.num_pieces, pieces.slots.strides);
  allocate_array(exec, "krylite::adaptive_rgcsr::keys", cuts.num_pieces, pieces.keys);
  allocate_array(exec, "krylite::adaptive_rgcsr::targets", cuts.num_pieces, pieces.targets);
  allocate_array(exec, "krylite::adaptive_rgcsr::long_rows", cuts.num_long, result.long_rows);
  allocate_array(exec, "krylite::adaptive_rgcsr::long_pointers", std::int64_t(cuts.num_long) + 1,
                 result.long_pointers);
  allocate_array(exec, "krylite::adaptive_rgcsr::partial_owners", cuts.num_partials, result.partial_owners);
  return pieces;
}

/// The pieces of long rows, a thread each, since one row may have thousands.
template <class ExecutionSpace, class Csr, class Adaptive>
void make_partials(const ExecutionSpace& exec, const Csr& csr, const PieceRule& rule,
                   const RowCuts<typename Csr::memory_space>& cuts, const Adaptive& result,
                   const Pieces<Csr>& pieces) {
  const auto long_rows = result.long_rows;
  const auto long_pointers = result.long_pointers;
  const auto owners = result.partial_owners;
  const RowLength<typename Csr::row_pointers_type> length{csr.row_pointers};
  Kokkos::parallel_for(
      "krylite::to_adaptive_rgcsr::partials", range(exec, cuts.num_partials),
      KOKKOS_LAMBDA(const std::int64_t partial) {
        const Index owner = last_not_behind(long_pointers, 0, cuts.num_long - 1, partial);
        const Index row = long_rows(owner);
        const std::int64_t i = partial - long_pointers(owner);
        owners(partial) = owner;
        set_piece(pieces, csr, RowCut(length(row), rule), row, i, cuts.first_piece(row) + i,
                  -1 - partial);
      });
}

/// Cuts every row and notes the long ones in `result`.
template <Traversal Way, class ExecutionSpace, class Csr, class Adaptive>
Pieces<Csr> make_pieces(const ExecutionSpace& exec, const Csr& csr, const PieceRule& rule,
                        const RowCuts<typename Csr::memory_space>& cuts, Adaptive& result) {
  const auto pieces = allocate_pieces<ExecutionSpace, Csr>(exec, cuts, result);
  const auto long_rows = result.long_rows;
  const auto long_pointers = result.long_pointers;
  const auto owners = result.partial_owners;
  const RowLength<typename Csr::row_pointers_type> length{csr.row_pointers};
  Kokkos::deep_copy(exec, Kokkos::subview(long_pointers, cuts.num_long), cuts.num_partials);
  Kokkos::parallel_for(
      "krylite::to_adaptive_rgcsr::pieces", range(exec, csr.num_rows), KOKKOS_LAMBDA(const std::int64_t row) {
        const RowCut cut(length(row), rule);
        const std::int64_t count = cut.pieces();
        const Index first = cuts.first_piece(row);
        if (count == 1) return set_piece(pieces, csr, cut, row, 0, first, row);
        const Index partial = cuts.partials_before(row);
        const Index owner = cuts.long_before(row);
        long_rows(owner) = static_cast<Index>(row);
        long_pointers(owner) = partial;
        for (std::int64_t i = 0; Way == Traversal::rows && i < count; ++i) {
          set_piece(pieces, csr, cut, row, i, first + i, -1 - (partial + i));
          owners(partial + i) = owner;
        }
      });
  if (Way == Traversal::teams) make_partials(exec, csr, rule, cuts, result, pieces);
  return pieces;
}

/// Runs of entries of a row that lie in one block of columns, in the order of rows; an empty row is an empty run.
template <class Csr>
struct ColumnRuns {
  using Offset = typename Csr::offset_type;
  Kokkos::View<Index*, typename Csr::memory_space> first_runs;  ///< of each row, and their number
  Kokkos::View<Offset*, typename Csr::memory_space> begins;     ///< of each run, and the number of entries
  Kokkos::View<Index*, typename Csr::memory_space> first_pieces;  ///< of each run, and their number
  Index num_runs = 0;
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
  Offset all = 0;
  exec.fence();
  Kokkos::deep_copy(all, Kokkos::subview(starts, entries));
  const std::int64_t most = csr.num_rows + std::int64_t(all) + 2 * (entries / rule.limit) + 2;
  require(most <= std::numeric_limits<Index>::max(), "adaptive RgCSR: ", entries, " entries in blocks of ",
          block_columns, " columns and pieces of ", rule.limit, " do not fit 32-bit piece numbers");

  ColumnRuns<Csr> runs;
  runs.rule = rule;
  allocate_array(exec, "krylite::adaptive_rgcsr::first_runs", std::int64_t(csr.num_rows) + 1, runs.first_runs);
  prefix_sums(exec, "krylite::to_adaptive_rgcsr::runs", csr.num_rows, runs.first_runs,
              RunCount<RowPointers, Starts>{csr.row_pointers, starts});
  exec.fence();
  Kokkos::deep_copy(runs.num_runs, Kokkos::subview(runs.first_runs, csr.num_rows));
  allocate_array(exec, "krylite::adaptive_rgcsr::run_begins", std::int64_t(runs.num_runs) + 1, runs.begins);
  allocate_array(exec, "krylite::adaptive_rgcsr::first_pieces", std::int64_t(runs.num_runs) + 1, runs.first_pieces);
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
  prefix_sums(exec, "krylite::to_adaptive_rgcsr::first_pieces", runs.num_runs, runs.first_pieces,
              PiecesOfRun<Csr>{runs});
  return runs;
}

/// The long rows, and what belongs to the partials.
template <class ExecutionSpace, class Csr, class Adaptive>
void note_long_rows(const ExecutionSpace& exec, const Csr& csr, const RowCuts<typename Csr::memory_space>& cuts,
                    const Adaptive& result, const Pieces<Csr>& pieces) {
  const auto long_rows = result.long_rows;
  const auto long_pointers = result.long_pointers;
  const auto owners = result.partial_owners;
  Kokkos::deep_copy(exec, Kokkos::subview(long_pointers, cuts.num_long), cuts.num_partials);
  Kokkos::parallel_for(
      "krylite::to_adaptive_rgcsr::long_rows", range(exec, csr.num_rows), KOKKOS_LAMBDA(const std::int64_t row) {
        const Index owner = cuts.long_before(row);
        pieces.targets(cuts.first_piece(row)) = static_cast<Index>(row);
        if (cuts.long_before(row + 1) == owner) return;
        long_rows(owner) = static_cast<Index>(row);
        long_pointers(owner) = cuts.partials_before(row);
      });
  Kokkos::parallel_for(
      "krylite::to_adaptive_rgcsr::partials", range(exec, cuts.num_partials),
      KOKKOS_LAMBDA(const std::int64_t partial) {
        const Index owner = last_not_behind(long_pointers, 0, cuts.num_long - 1, partial);
        owners(partial) = owner;
        pieces.targets(cuts.first_piece(long_rows(owner)) + partial - long_pointers(owner)) =
            static_cast<Index>(-1 - partial);
      });
}

/// Pieces of rows that are cut by blocks of columns, in the order of rows; their keys sort them by blocks, and those of
/// a block by length.
template <class ExecutionSpace, class Csr, class Adaptive>
Pieces<Csr> make_column_pieces(const ExecutionSpace& exec, const Csr& csr, const PieceRule& rule, Adaptive& result) {
  const std::int64_t blocks = std::int64_t(csr.num_cols) / result.block_columns + 1;
  // Only where columns are twofold are pieces longer than a block has columns.
  const std::int64_t longest = std::min<std::int64_t>(std::max(rule.limit, rule.whole), result.block_columns);
  require(blocks <= std::numeric_limits<Index>::max() / (longest + 1), "adaptive RgCSR: ", blocks, " blocks of ",
          result.block_columns, " columns and pieces of ", longest, " do not fit 32-bit keys");
  const auto runs = find_runs(exec, csr, result.block_columns, rule);
  const auto cuts = sum_cuts(exec, csr, PiecesOfRow<Csr>{runs});
  const auto pieces = allocate_pieces<ExecutionSpace, Csr>(exec, cuts, result);
  note_long_rows(exec, csr, cuts, result, pieces);
  const RunStart<typename Csr::columns_type> columns = {csr.columns, result.block_columns};
  Kokkos::parallel_for(
      "krylite::to_adaptive_rgcsr::pieces", range(exec, cuts.num_pieces), KOKKOS_LAMBDA(const std::int64_t piece) {
        const Index run = last_not_behind(runs.first_pieces, 0, runs.num_runs - 1, piece);
        const auto begin = static_cast<std::int64_t>(runs.begins(run));
        const RowCut cut = runs.cut(run);
        const std::int64_t i = piece - runs.first_pieces(run);
        pieces.slots.begins(piece) = static_cast<typename Csr::offset_type>(begin + cut.begin(i));
        pieces.slots.lengths(piece) = static_cast<Index>(cut.length(i));
        pieces.slots.strides(piece) = static_cast<Index>(cut.stride(i));
        const std::int64_t block = cut.longest(i) > 0 ? columns.block(begin) : blocks - 1;
        const std::int64_t length = cut.longest(i) < longest ? cut.longest(i) : longest;
        pieces.keys(piece) = static_cast<Index>((blocks - 1 - block) * (longest + 1) + length);
      });
  return pieces;
}

/// Four mean row lengths, so that only rows that stand out are cut.
template <class Csr>
std::int64_t default_piece_length(const Csr& csr) {
  const std::int64_t mean = csr.num_rows > 0 ? csr.num_entries() / csr.num_rows : 0;
  return std::min<std::int64_t>(512, std::max<std::int64_t>(32, 4 * mean));
}

/// Where each slot's entries are in the CSR that the matrix was made from.
template <class ExecutionSpace, class Csr, class Adaptive>
RgCsrSlots<Csr> slots_of(const ExecutionSpace& exec, const Csr& csr, const Adaptive& matrix) {
  using Offset = typename Csr::offset_type;
  if (matrix.block_columns > 0) return {matrix.begins, matrix.pieces.row_lengths, matrix.strides};
  RgCsrSlots<Csr> slots;
  slots.lengths = matrix.pieces.row_lengths;
  allocate_array(exec, "krylite::adaptive_rgcsr::begins", matrix.num_units(), slots.begins);
  allocate_array(exec, "krylite::adaptive_rgcsr::strides", matrix.num_units(), slots.strides);
  const PieceRule rule = matrix.rule();
  const auto row_pointers = csr.row_pointers;
  const RowLength<typename Csr::row_pointers_type> length{row_pointers};
  Kokkos::parallel_for(
      "krylite::adaptive_rgcsr::slots", range(exec, matrix.num_units()), KOKKOS_LAMBDA(const std::int64_t slot) {
        const Index row = matrix.row_of(slot);
        const Index target = matrix.targets(slot);
        const std::int64_t piece =
            target >= 0 ? 0 : -1 - target - matrix.long_pointers(matrix.partial_owners(-1 - target));
        const RowCut cut(length(row), rule);
        slots.begins(slot) = static_cast<Offset>(row_pointers(row) + cut.begin(piece));
        slots.strides(slot) = static_cast<Index>(cut.stride(piece));
      });
  return slots;
}

/// Adds the lengths of the slots of each row: the row lengths of CSR.
template <class ExecutionSpace, class Adaptive>
Kokkos::View<Index*, typename Adaptive::memory_space> adaptive_row_lengths(const ExecutionSpace& exec,
                                                                           const Adaptive& matrix) {
  using Lengths = Kokkos::View<Index*, typename Adaptive::memory_space>;
  const auto partials =
      allocate<Lengths>(exec, "krylite::adaptive_rgcsr::partials", static_cast<std::size_t>(matrix.num_partials()));
  const auto lengths = allocate<Lengths>(exec, "krylite::row_lengths", static_cast<std::size_t>(matrix.num_rows));
  Kokkos::parallel_for(
      "krylite::to_csr::slots", range(exec, matrix.num_units()), KOKKOS_LAMBDA(const std::int64_t slot) {
        const Index target = matrix.targets(slot);
        (target >= 0 ? lengths(target) : partials(-1 - target)) = matrix.pieces.row_lengths(slot);
      });
  Kokkos::parallel_for(
      "krylite::to_csr::long_rows", range(exec, matrix.long_rows.extent(0)), KOKKOS_LAMBDA(const std::int64_t i) {
        Index sum = 0;
        for (Index p = matrix.long_pointers(i); p < matrix.long_pointers(i + 1); ++p) sum += partials(p);
        lengths(matrix.long_rows(i)) = sum;
      });
  return lengths;
}

/// Makes the pieces' keys descend with the places of their rows in the order of clusters.
template <class ExecutionSpace, class Csr, class Adaptive>
void key_by_clusters(const ExecutionSpace& exec, const Csr& csr, const Adaptive& matrix, const Pieces<Csr>& pieces) {
  using Places = Kokkos::View<Index*, typename Csr::memory_space>;
  const Places order = order_by_clusters(exec, csr);
  const auto keys = allocate<Places>(exec, "krylite::adaptive_rgcsr::places", order.extent(0));
  const Index last = csr.num_rows - 1;
  Kokkos::parallel_for(
      "krylite::to_adaptive_rgcsr::places", range(exec, csr.num_rows),
      KOKKOS_LAMBDA(const std::int64_t place) { keys(order(place)) = last - static_cast<Index>(place); });
  const auto long_rows = matrix.long_rows;
  const auto owners = matrix.partial_owners;
  Kokkos::parallel_for(
      "krylite::to_adaptive_rgcsr::keys", range(exec, pieces.keys.extent(0)),
      KOKKOS_LAMBDA(const std::int64_t piece) {
        const Index target = pieces.targets(piece);
        pieces.keys(piece) = keys(target >= 0 ? target : long_rows(owners(-1 - target)));
      });
}

/// Sorts the pieces as the options ask.
template <Traversal Way, class ExecutionSpace, class Csr, class Adaptive>
void sort_pieces(const ExecutionSpace& exec, const Csr& csr, const RgCsrOptions& options, const Adaptive& matrix,
                 Pieces<Csr>& pieces) {
  const bool by_columns = matrix.block_columns > 0;
  if (options.order == RowOrder::natural && !by_columns) return;
  if (options.order == RowOrder::clusters && !by_columns) key_by_clusters(exec, csr, matrix, pieces);
  const auto count = static_cast<std::int64_t>(pieces.keys.extent(0));
  const bool in_windows = options.order == RowOrder::windowed && !by_columns;
  const std::int64_t window = in_windows ? options.order_window : count;
  const auto order = order_by_length<Way>(exec, pieces.keys, window);
  pieces.slots = {reordered(exec, pieces.slots.begins, order), reordered(exec, pieces.slots.lengths, order),
                  reordered(exec, pieces.slots.strides, order)};
  pieces.targets = reordered(exec, pieces.targets, order);
}

template <Traversal Way, class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
AdaptiveRgCsrMatrix<Scalar, Offset, MemorySpace> make_adaptive_rgcsr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
    const AdaptiveRgCsrOptions& options) {
  const Index group_size =
      options.groups.group_size == 0 ? default_rgcsr_group_size<ExecutionSpace>() : options.groups.group_size;
  check_rgcsr_options("adaptive RgCSR", group_size, options.groups);
  require(options.piece_length >= 0, "adaptive RgCSR: the piece length must be at least 1, not ",
          options.piece_length);
  require(options.block_columns >= 0, "adaptive RgCSR: blocks must have at least 1 column, not ",
          options.block_columns);
  AdaptiveRgCsrMatrix<Scalar, Offset, MemorySpace> result;
  result.num_rows = csr.num_rows;
  result.num_cols = csr.num_cols;
  if (csr.num_rows == 0) {
    result.pieces.num_cols = csr.num_cols;
    result.pieces.group_size = group_size;
    return result;
  }
  result.piece_length =
      options.piece_length == 0 ? static_cast<Index>(default_piece_length(csr)) : options.piece_length;
  require_short_rows(exec, "adaptive RgCSR", csr);
  const auto rule = piece_rule<ExecutionSpace>(result.piece_length, group_size);
  result.whole_length = static_cast<Index>(rule.whole);
  result.block_columns = options.block_columns;
  auto pieces = result.block_columns > 0
                    ? make_column_pieces(exec, csr, rule, result)
                    : make_pieces<Way>(exec, csr, rule, cut_rows(exec, csr, rule), result);
  sort_pieces<Way>(exec, csr, options.groups, result, pieces);
  result.targets = pieces.targets;
  if (result.block_columns > 0) {
    result.begins = pieces.slots.begins;
    result.strides = pieces.slots.strides;
  }
  result.pieces = group_slots<Way>(exec, "adaptive RgCSR", csr, pieces.slots, group_size, options.groups);
  return result;
}

template <class ExecutionSpace, class Adaptive, class Slots, class Csr>
void return_pieces_by_rows(const ExecutionSpace& exec, const Adaptive& matrix, const Slots& slots, const Csr& csr) {
  using Scalar = typename Adaptive::scalar_type;
  Kokkos::parallel_for(
      "krylite::to_csr::fill", range(exec, matrix.num_units()), KOKKOS_LAMBDA(const std::int64_t slot) {
        const SlotEntries entries = slots.entries(slot);
        std::int64_t k = 0;
        matrix.visit(slot, slot + 1, [&](Index, Index column, const Scalar& value) {
          const std::int64_t target = entries.position(k++);
          csr.columns(target) = column;
          csr.values(target) = value;
        });
      });
}

template <Traversal Way, class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
CsrMatrix<Scalar, Offset, MemorySpace> adaptive_rgcsr_to_csr(
    const ExecutionSpace& exec, const AdaptiveRgCsrMatrix<Scalar, Offset, MemorySpace>& matrix) {
  using Csr = CsrMatrix<Scalar, Offset, MemorySpace>;
  const Csr csr = allocate_csr<Csr>(exec, matrix.num_rows, matrix.num_cols, matrix.num_entries());
  const auto lengths = adaptive_row_lengths(exec, matrix);
  prefix_sums(exec, "krylite::to_csr::scan", matrix.num_rows, csr.row_pointers,
              ScaledCount<std::decay_t<decltype(lengths)>, Offset>{lengths, Offset(1)});
  const auto slots = slots_of(exec, csr, matrix);
  if constexpr (Way == Traversal::teams) {
    return_by_teams(exec, matrix.pieces, slots, csr);
  } else {
    return_pieces_by_rows(exec, matrix, slots, csr);
  }
  return csr;
}

}  // namespace detail

/// Adaptive RgCSR of `csr`, on `exec`.
/// \throws Error as `to_rgcsr` does, and where the piece length or the columns of a block are negative, there are too
///         many pieces for 32 bits, or blocks of columns times the length of pieces exceed them
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
AdaptiveRgCsrMatrix<Scalar, Offset, MemorySpace> to_adaptive_rgcsr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
    const AdaptiveRgCsrOptions& options = {}) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "to_adaptive_rgcsr: the execution space cannot reach the matrix");
  return detail::make_adaptive_rgcsr<detail::traversal_of<ExecutionSpace>>(exec, csr, options);
}

/// The CSR that `matrix` was made from: the same entries in the same order.
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
CsrMatrix<Scalar, Offset, MemorySpace> to_csr(const ExecutionSpace& exec,
                                              const AdaptiveRgCsrMatrix<Scalar, Offset, MemorySpace>& matrix) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "to_csr: the execution space cannot reach the matrix");
  return detail::adaptive_rgcsr_to_csr<detail::traversal_of<ExecutionSpace>>(exec, matrix);
}

/// Takes new values from a CSR of the same pattern; the pattern is not looked at again.
/// \throws Error where the sizes differ
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
void update_values(const ExecutionSpace& exec, const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                   const AdaptiveRgCsrMatrix<Scalar, Offset, MemorySpace>& matrix) {
  detail::require_same_pattern_size(csr, matrix);
  const auto slots = detail::slots_of(exec, csr, matrix);
  detail::fill_slot_values<detail::traversal_of<ExecutionSpace>>(exec, csr, slots, matrix.pieces);
}

}  // namespace krylite

#endif
