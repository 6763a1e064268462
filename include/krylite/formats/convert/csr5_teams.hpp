#ifndef KRYLITE_FORMATS_CONVERT_CSR5_TEAMS_HPP
#define KRYLITE_FORMATS_CONVERT_CSR5_TEAMS_HPP

/// \file
/// The steps of the conversion to CSR5 and back as devices take them: a team has several tiles in its scratch.
/// Cost: columns and values are read once and written once, row pointers are read once. Waits twice.

#include <krylite/formats/convert/common.hpp>
#include <krylite/formats/convert/traversal.hpp>
#include <krylite/formats/csr5.hpp>

#include <algorithm>

namespace krylite {
namespace detail {

/// Largest row with row_pointers(row) <= entry, which skips empty rows before the entry's own; 0 without rows.
template <class RowPointers>
KOKKOS_FUNCTION Index last_row_from(const RowPointers& row_pointers, Index num_rows, std::int64_t entry) {
  return last_not_behind(row_pointers, 0, num_rows, entry);
}

/// Stores the descriptor of one lane.
template <class Matrix>
KOKKOS_FUNCTION void set_descriptor(const Matrix& matrix, std::int64_t tile, Index lane, std::uint64_t flags,
                                    Index y_offset, Index seg_offset) {
  const int words = matrix.descriptor_words();
  const std::uint64_t offsets =
      static_cast<std::uint64_t>(y_offset) | static_cast<std::uint64_t>(seg_offset) << matrix.y_offset_bits();
  for (int word = 0; word < words; ++word) {
    const int shift = matrix.sigma - 32 * word;  // of the offsets within this word
    std::uint64_t bits = flags >> (32 * word < 64 ? 32 * word : 63);
    if (32 * word >= 64) bits = 0;
    if (shift >= 0 && shift < 32) bits |= offsets << shift;
    if (shift < 0) bits |= offsets >> -shift;
    matrix.tile_descriptors((tile * words + word) * matrix.omega + lane) = static_cast<std::uint32_t>(bits);
  }
}

/// Set bits.
KOKKOS_INLINE_FUNCTION Index count_bits(std::uint64_t bits) {
  bits -= (bits >> 1) & 0x5555555555555555u;
  bits = (bits & 0x3333333333333333u) + ((bits >> 2) & 0x3333333333333333u);
  bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return static_cast<Index>((bits * 0x0101010101010101u) >> 56);
}

/// The tiles of one team, `most` or what is left.
struct TileRange {
  std::int64_t first;
  int count;
};

template <class Member>
KOKKOS_FUNCTION TileRange tiles_of(const Member& team, int most, std::int64_t num_tiles) {
  const std::int64_t first = std::int64_t(team.league_rank()) * most;
  return {first, num_tiles - first < most ? static_cast<int>(num_tiles - first) : most};
}

/// Words of scratch that note a tile: two of flags for each lane, and whether there are empty rows between its rows.
template <class Matrix>
KOKKOS_FUNCTION int note_words(const Matrix& matrix) {
  return 2 * matrix.omega + 1;
}

/// Sets the flags of the tiles of a team, which is zero before, and the word behind those of a tile where it needs
/// empty offsets.
template <class Member, class Notes, class Matrix>
KOKKOS_FUNCTION void note_starts(const Member& team, const TileRange& tiles, const Notes& notes,
                                 const Matrix& matrix) {
  const int words = note_words(matrix);
  const auto size = static_cast<int>(matrix.tile_size());
  const std::int64_t begin = tiles.first * size;
  const std::int64_t end = begin + std::int64_t(tiles.count) * size;
  const Index first_row = matrix.tile_row(tiles.first) + 1;
  const Index last_row = matrix.tile_row(tiles.first + tiles.count);
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, last_row >= first_row ? last_row - first_row + 1 : 0),
                       [&](const int i) {
    const Index row = first_row + i;
    if (row >= matrix.num_rows) return;
    const std::int64_t start = matrix.row_pointers(row);
    if (start >= end || start == static_cast<std::int64_t>(matrix.row_pointers(row + 1))) return;
    const auto within = static_cast<int>(start - begin);
    const int tile = within / size;
    const int place = within - tile * size;
    const int lane = place / matrix.sigma;
    const int bit = place - lane * matrix.sigma;
    Kokkos::atomic_fetch_or(&notes(tile * words + 2 * lane + bit / 32), 1u << (bit % 32));
    // Behind an empty row; the row of a tile's first entry is not empty, so that this one is between two of the tile.
    const bool follows_empty = static_cast<std::int64_t>(matrix.row_pointers(row - 1)) == start;
    if (follows_empty && row > matrix.tile_row(tiles.first + tile)) {
      Kokkos::atomic_fetch_or(&notes(tile * words + words - 1), 1u);
    }
  });
  team.team_barrier();
}

/// Stores the descriptor of each lane, and for each tile how many empty offsets it has.
template <class Member, class Notes, class Matrix, class Counts>
KOKKOS_FUNCTION void describe_lanes(const Member& team, const TileRange& tiles, const Notes& notes,
                                    const Matrix& matrix, const Counts& counts) {
  const int words = note_words(matrix);
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, tiles.count * matrix.omega), [&](const int i) {
    const int tile = i / matrix.omega;
    const int lane = i - tile * matrix.omega;
    const auto flags = [&](int l) {
      const int word = tile * words + 2 * l;
      return std::uint64_t(notes(word)) | std::uint64_t(notes(word + 1)) << 32;
    };
    Index before = 0;
    for (int l = 0; l < lane; ++l) before += count_bits(flags(l));
    const std::uint64_t own = flags(lane);
    Index without = 0;
    if (own != 0) {
      while (lane + 1 + without < matrix.omega && flags(lane + 1 + without) == 0) ++without;
    }
    set_descriptor(matrix, tiles.first + tile, lane, own, before, without);
    if (lane == matrix.omega - 1) {
      const bool has_gaps = notes(tile * words + words - 1) != 0;
      counts(tiles.first + tile) = has_gaps ? before + count_bits(own) : 0;
    }
  });
}

/// Tile pointers without marks. \return the first row that starts in the tail. Waits, since it goes to the host
template <class ExecutionSpace, class Matrix>
Index set_tile_pointers(const ExecutionSpace& exec, const Matrix& matrix) {
  const std::int64_t entries = matrix.num_entries();
  const std::int64_t num_tiles = matrix.num_tiles();
  Index tail_row = 0;
  Kokkos::parallel_reduce(
      "krylite::to_csr5::tile_pointers", range(exec, static_cast<std::int64_t>(matrix.tile_pointers.extent(0))),
      KOKKOS_LAMBDA(const std::int64_t tile, Index& row) {
        const std::int64_t begin = tile * matrix.tile_size();
        matrix.tile_pointers(tile) = static_cast<std::uint32_t>(
            last_row_from(matrix.row_pointers, matrix.num_rows, begin < entries ? begin : entries));
        if (tile == num_tiles) row += matrix.first_written_row(tile);
      },
      tail_row);
  return tail_row;
}

/// Descriptors of all tiles. \param counts gets the empty offsets of each tile
template <class ExecutionSpace, class Matrix, class Counts>
void set_descriptors(const ExecutionSpace& exec, const Matrix& matrix, const Counts& counts) {
  using Notes = TeamScratch<unsigned int, ExecutionSpace>;
  const int words = note_words(matrix);
  const int most = std::max(1, 1024 / words);  // tiles of a team, in about 4 KiB of scratch
  const std::int64_t num_tiles = matrix.num_tiles();
  if (num_tiles == 0) return;
  Kokkos::parallel_for(
      "krylite::to_csr5::descriptors",
      teams(exec, (num_tiles + most - 1) / most, 32, Notes::shmem_size(static_cast<std::size_t>(most) * words)),
      KOKKOS_LAMBDA(const TeamMember<ExecutionSpace>& team) {
        const Notes notes(team.team_scratch(0), static_cast<std::size_t>(most) * words);
        const TileRange tiles = tiles_of(team, most, num_tiles);
        // The first entry of a tile counts as one of a row always.
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, tiles.count * words),
                             [&](const int word) { notes(word) = word % words == 0 ? 1 : 0; });
        team.team_barrier();
        note_starts(team, tiles, notes, matrix);
        describe_lanes(team, tiles, notes, matrix, counts);
      });
}

/// Empty offsets of a tile until the scan has replaced them; marks the tiles that have some. Nothing behind the last.
template <class Matrix>
struct NotedCount {
  Matrix matrix;
  KOKKOS_INLINE_FUNCTION std::int64_t operator()(std::int64_t tile) const {
    return tile < matrix.num_tiles() ? static_cast<std::int64_t>(matrix.empty_offset_pointers(tile)) : 0;
  }
};

template <class Matrix>
struct MarkTile {
  Matrix matrix;
  KOKKOS_INLINE_FUNCTION typename Matrix::offset_type operator()(std::int64_t tile, std::int64_t sum) const {
    if (NotedCount<Matrix>{matrix}(tile) > 0) matrix.tile_pointers(tile) |= Matrix::mark;
    return static_cast<typename Matrix::offset_type>(sum);
  }
};

/// Empty offsets of the marked tiles, each by the row that it is of; the first of a tile is 0.
template <class ExecutionSpace, class Matrix>
void fill_empty_offsets(const ExecutionSpace& exec, const Matrix& matrix) {
  const std::int64_t num_rows = matrix.num_rows;
  const std::int64_t num_tiles = matrix.num_tiles();
  const auto offsets = matrix.empty_offsets;
  Kokkos::parallel_for(
      "krylite::to_csr5::first_empty_offsets", range(exec, num_tiles), KOKKOS_LAMBDA(const std::int64_t tile) {
        if (matrix.is_marked(tile)) offsets(matrix.empty_offset_pointers(tile)) = 0;
      });
  Kokkos::parallel_for(
      "krylite::to_csr5::empty_offsets", range(exec, num_rows), KOKKOS_LAMBDA(const std::int64_t row) {
        const std::int64_t start = matrix.row_pointers(row);
        const std::int64_t tile = start / matrix.tile_size();
        const bool is_empty = start == static_cast<std::int64_t>(matrix.row_pointers(row + 1));
        if (is_empty || tile >= num_tiles || !matrix.is_marked(tile)) return;
        const auto place = static_cast<Index>(start - tile * matrix.tile_size());
        const Index lane = place / matrix.sigma;
        const std::uint64_t below = (std::uint64_t(1) << (place % matrix.sigma)) - 1;
        const Index flag = matrix.y_offset(tile, lane) + count_bits(matrix.bit_flag(tile, lane) & below);
        offsets(matrix.empty_offset_pointers(tile) + flag) = static_cast<Index>(row) - matrix.tile_row(tile);
      });
}

/// Tile pointers, descriptors and empty offsets of a matrix that has its row pointers and sizes, and arrays for the
/// first two. Waits twice.
template <class ExecutionSpace, class Matrix>
void describe_by_teams(const ExecutionSpace& exec, Matrix& result) {
  const std::int64_t num_tiles = result.num_tiles();
  result.tail_row = set_tile_pointers(exec, result);
  allocate_array(exec, "krylite::csr5::empty_offset_pointers", num_tiles + 1, result.empty_offset_pointers);
  set_descriptors(exec, result, result.empty_offset_pointers);
  const std::int64_t empty_offsets =
      scan_in_place(exec, "krylite::to_csr5::empty_offset_pointers", num_tiles + 1, result.empty_offset_pointers,
                    NotedCount<Matrix>{result}, MarkTile<Matrix>{result});
  if (empty_offsets == 0) {
    result.empty_offset_pointers = {};
    return;
  }
  allocate_array(exec, "krylite::csr5::empty_offsets", empty_offsets, result.empty_offsets);
  fill_empty_offsets(exec, result);
}

/// n / divisor for n < 4096 and divisors up to 64 by a multiplication, which is exact since 4096 * 64 < 2^20.
struct SmallDivision {
  unsigned int factor;

  explicit SmallDivision(int divisor) : factor((1u << 20) / static_cast<unsigned int>(divisor) + 1) {}
  KOKKOS_INLINE_FUNCTION int operator()(int n) const {
    return static_cast<int>((static_cast<unsigned int>(n) * factor) >> 20);
  }
};

/// Places of a few tiles in scratch: lanes one after the other, with a distance that is odd, so that those that
/// neighbouring threads take from different lanes lie in different banks.
struct TilePlaces {
  int omega;
  int sigma;
  SmallDivision by_omega{omega};
  SmallDivision by_sigma{sigma};

  KOKKOS_INLINE_FUNCTION int size() const { return omega * sigma; }
  KOKKOS_INLINE_FUNCTION int scratch_size(int tiles) const { return tiles * omega * (sigma | 1); }
  /// Of an entry in the order of CSR.
  KOKKOS_INLINE_FUNCTION int of_entry(int entry) const {
    const int lane = by_sigma(entry);
    return lane * (sigma | 1) + (entry - lane * sigma);
  }
  /// Of an entry in the order of tiles.
  KOKKOS_INLINE_FUNCTION int of_place(int place) const {
    const int steps = by_omega(place);  // of the tiles before too
    const int lane = place - steps * omega;
    const int tile = by_sigma(steps);
    return (tile * omega + lane) * (sigma | 1) + (steps - tile * sigma);
  }
};

/// Copies one array of a CSR matrix into the order of `matrix`, or back. The team behind the last tile has the tail.
template <bool Into, class ExecutionSpace, class Matrix, class View>
void transpose_by_teams(const ExecutionSpace& exec, const Matrix& matrix, const View& from, const View& to) {
  using Item = typename View::non_const_value_type;
  using Scratch = TeamScratch<Item, ExecutionSpace>;
  const std::int64_t num_tiles = matrix.num_tiles();
  const std::int64_t tiled = matrix.tiled_entries();
  const std::int64_t entries = matrix.num_entries();
  const TilePlaces places{matrix.omega, matrix.sigma};
  // Tiles of a team: about 1024 entries, four for each of its threads.
  const int most = std::max(1, 1024 / places.size());
  const int scratch_size = places.scratch_size(most);
  Kokkos::parallel_for(
      "krylite::csr5::transpose",
      teams(exec, (num_tiles + most - 1) / most + 1, 32, Scratch::shmem_size(static_cast<std::size_t>(scratch_size))),
      KOKKOS_LAMBDA(const TeamMember<ExecutionSpace>& team) {
        const TileRange tiles = tiles_of(team, most, num_tiles);
        if (team.league_rank() == team.league_size() - 1) {
          Kokkos::parallel_for(Kokkos::TeamVectorRange(team, static_cast<int>(entries - tiled)),
                               [&](const int k) { to(tiled + k) = from(tiled + k); });
          return;
        }
        const Scratch scratch(team.team_scratch(0), static_cast<std::size_t>(scratch_size));
        const std::int64_t begin = tiles.first * places.size();
        const int count = tiles.count * places.size();
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), [&](const int k) {
          scratch(Into ? places.of_entry(k) : places.of_place(k)) = from(begin + k);
        });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), [&](const int k) {
          to(begin + k) = scratch(Into ? places.of_place(k) : places.of_entry(k));
        });
      });
}

}  // namespace detail
}  // namespace krylite

#endif
