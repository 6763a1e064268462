#ifndef KRYLITE_FORMATS_CONVERT_CSR5_HPP
#define KRYLITE_FORMATS_CONVERT_CSR5_HPP

/// \file
/// CSR to CSR5 and back; what devices do is in csr5_teams.hpp. Cost: columns and values are read and written once, each
/// in tiles that stay in the cache; row pointers are read once and searched once for each tile.
/// Source: csr5 article, sections 3.3 to 3.6.

#include <krylite/formats/convert/common.hpp>
#include <krylite/formats/convert/csr5_teams.hpp>
#include <krylite/formats/csr5.hpp>

#include <type_traits>

namespace krylite {
namespace detail {

/// body(place, row) for the first entry of `tile`, with its row, and for each further row that starts in the tile,
/// in order; empty rows start nowhere.
template <class Matrix, class Body>
KOKKOS_FUNCTION void for_each_start(const Matrix& matrix, std::int64_t tile, const Body& body) {
  const std::int64_t begin = tile * matrix.tile_size();
  const std::int64_t end = begin + matrix.tile_size();
  std::int64_t start = begin;
  for (Index row = matrix.tile_row(tile); row < matrix.num_rows && start < end; ++row) {
    const std::int64_t next = matrix.row_pointers(row + 1);
    if (next > start) body(static_cast<Index>(start - begin), row);
    start = next;
  }
}

/// Stores the descriptors of one tile, and the mark in its pointer.
/// \return how many empty offsets the tile has: none where it needs no mark
template <class Matrix>
KOKKOS_FUNCTION std::int64_t describe_tile(const Matrix& matrix, std::int64_t tile) {
  constexpr int most_lanes = 64;
  std::uint64_t flags[most_lanes];
  for (Index lane = 0; lane < matrix.omega; ++lane) flags[lane] = 0;
  const Index tile_row = matrix.tile_row(tile);
  Index starts = 0;
  Index lane = 0;
  Index lane_begin = 0;
  bool has_gaps = false;
  for_each_start(matrix, tile, [&](Index place, Index row) {
    for (; place - lane_begin >= matrix.sigma; lane_begin += matrix.sigma) ++lane;
    flags[lane] |= std::uint64_t(1) << (place - lane_begin);
    has_gaps = has_gaps || row - tile_row != starts;
    ++starts;
  });
  Index before = starts;
  Index without = 0;  // lanes directly after this one that have no flag
  for (lane = matrix.omega - 1; lane >= 0; --lane) {
    for (std::uint64_t rest = flags[lane]; rest != 0; rest &= rest - 1) --before;
    set_descriptor(matrix, tile, lane, flags[lane], before, flags[lane] != 0 ? without : 0);
    without = flags[lane] != 0 ? 0 : without + 1;
  }
  if (!has_gaps) return 0;
  matrix.tile_pointers(tile) |= Matrix::mark;
  return starts;
}

/// Set flags of a marked tile, 0 for others.
template <class Matrix>
struct EmptyOffsetCount {
  Matrix matrix;
  KOKKOS_INLINE_FUNCTION typename Matrix::offset_type operator()(std::int64_t tile) const {
    if (!matrix.is_marked(tile)) return 0;
    typename Matrix::offset_type starts = matrix.y_offset(tile, matrix.omega - 1);
    for (std::uint64_t rest = matrix.bit_flag(tile, matrix.omega - 1); rest != 0; rest &= rest - 1) ++starts;
    return starts;
  }
};

/// Tile pointers, descriptors and empty offsets of a matrix that has its row pointers and sizes, and arrays for the
/// first two. Waits.
template <class ExecutionSpace, class Matrix>
void describe_by_tiles(const ExecutionSpace& exec, Matrix& result) {
  const std::int64_t entries = result.num_entries();
  const std::int64_t num_tiles = result.num_tiles();
  const auto pointers = static_cast<std::int64_t>(result.tile_pointers.extent(0));
  const Matrix matrix = result;
  Kokkos::parallel_for(
      "krylite::to_csr5::tile_pointers", range(exec, pointers), KOKKOS_LAMBDA(const std::int64_t tile) {
        const std::int64_t begin = tile * matrix.tile_size();
        matrix.tile_pointers(tile) = static_cast<std::uint32_t>(
            last_row_from(matrix.row_pointers, matrix.num_rows, begin < entries ? begin : entries));
      });
  Kokkos::parallel_reduce(
      "krylite::to_csr5::tail_row", range(exec, 1),
      KOKKOS_LAMBDA(const std::int64_t, Index& row) { row += matrix.first_written_row(num_tiles); }, result.tail_row);
  std::int64_t empty_offsets = 0;
  Kokkos::parallel_reduce(
      "krylite::to_csr5::descriptors", range(exec, num_tiles),
      KOKKOS_LAMBDA(const std::int64_t tile, std::int64_t& sum) { sum += describe_tile(matrix, tile); },
      empty_offsets);
  if (empty_offsets == 0) return;

  allocate_array(exec, "krylite::csr5::empty_offset_pointers", num_tiles + 1, result.empty_offset_pointers);
  allocate_array(exec, "krylite::csr5::empty_offsets", empty_offsets, result.empty_offsets);
  const auto empty_pointers = result.empty_offset_pointers;
  const auto offsets = result.empty_offsets;
  prefix_sums(exec, "krylite::to_csr5::empty_offset_pointers", num_tiles, empty_pointers,
              EmptyOffsetCount<Matrix>{matrix});
  Kokkos::parallel_for(
      "krylite::to_csr5::empty_offsets", range(exec, num_tiles), KOKKOS_LAMBDA(const std::int64_t tile) {
        if (!matrix.is_marked(tile)) return;
        std::int64_t target = empty_pointers(tile);
        for_each_start(matrix, tile, [&](Index, Index row) { offsets(target++) = row - matrix.tile_row(tile); });
      });
}

template <Traversal Way, class ExecutionSpace, class Matrix>
void describe_tiles(const ExecutionSpace& exec, Matrix& result) {
  const std::int64_t num_tiles = result.num_tiles();
  const std::int64_t pointers = num_tiles + (result.num_entries() > result.tiled_entries() ? 2 : 1);
  allocate_array(exec, "krylite::csr5::tile_pointers", pointers, result.tile_pointers);
  allocate_array(exec, "krylite::csr5::tile_descriptors", num_tiles * result.descriptor_words() * result.omega,
                 result.tile_descriptors);
  if constexpr (Way == Traversal::teams) {
    describe_by_teams(exec, result);
  } else {
    describe_by_tiles(exec, result);
  }
}

/// Whether entries move from CSR into tiles or back.
enum class TileDirection { into, out_of };

/// Copies the entries of one array of tile `tile` between CSR order and tile order.
template <TileDirection Direction, int Omega, class Scalar>
KOKKOS_FUNCTION void transpose_tile(const Scalar* from, Scalar* to, Index omega, Index sigma) {
  const Index lanes = Omega > 0 ? Omega : omega;
  for (Index step = 0; step < sigma; ++step) {
    for (Index lane = 0; lane < lanes; ++lane) {
      const Index by_row = lane * sigma + step;
      const Index by_step = step * lanes + lane;
      if constexpr (Direction == TileDirection::into) {
        to[by_step] = from[by_row];
      } else {
        to[by_row] = from[by_step];
      }
    }
  }
}

/// Copies one array of a CSR matrix into the order of `matrix`, or back, a tile a thread.
template <TileDirection Direction, class ExecutionSpace, class Matrix, class View>
void transpose_by_tiles(const ExecutionSpace& exec, const Matrix& matrix, const View& from, const View& to) {
  const std::int64_t size = matrix.tile_size();
  const Index omega = matrix.omega;
  const Index sigma = matrix.sigma;
  Kokkos::parallel_for("krylite::csr5::transpose", range(exec, matrix.num_tiles()), [=](const std::int64_t tile) {
    const auto* const source = from.data() + tile * size;
    auto* const target = to.data() + tile * size;
    if (omega == 8) return transpose_tile<Direction, 8>(source, target, omega, sigma);
    if (omega == 4) return transpose_tile<Direction, 4>(source, target, omega, sigma);
    transpose_tile<Direction, 0>(source, target, omega, sigma);
  });
  const std::int64_t tiled = matrix.tiled_entries();
  short_loop(exec, "krylite::csr5::tail", matrix.num_entries() - tiled,
             [=](const std::int64_t k) { to(tiled + k) = from(tiled + k); });
}

template <Traversal Way, TileDirection Direction, class ExecutionSpace, class Matrix, class View>
void transpose_tiles(const ExecutionSpace& exec, const Matrix& matrix, const View& from, const View& to) {
  if constexpr (Way == Traversal::teams) {
    transpose_by_teams<Direction == TileDirection::into>(exec, matrix, from, to);
  } else {
    transpose_by_tiles<Direction>(exec, matrix, from, to);
  }
}

template <Traversal Way, class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
Csr5Matrix<Scalar, Offset, MemorySpace> make_csr5(const ExecutionSpace& exec,
                                                  const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                                                  const Csr5Options& options) {
  Csr5Matrix<Scalar, Offset, MemorySpace> result;
  result.num_rows = csr.num_rows;
  result.num_cols = csr.num_cols;
  result.omega = options.omega == 0 ? default_csr5_omega<ExecutionSpace, Scalar>() : options.omega;
  result.sigma = options.sigma == 0 ? default_csr5_sigma<ExecutionSpace>(result.omega) : options.sigma;
  require(result.omega >= 2 && result.omega <= 64 && result.sigma >= 1 && result.sigma <= 64,
          "CSR5: omega must be 2 to 64 and sigma 1 to 64, not ", result.omega, " and ", result.sigma);
  const auto entry_bytes = static_cast<std::size_t>(csr.num_entries()) * (sizeof(Scalar) + sizeof(Index));
  require_memory<MemorySpace>(entry_bytes + entry_bytes / 8, "CSR5 arrays");

  result.row_pointers = csr.row_pointers;
  allocate_array(exec, "krylite::csr5::columns", csr.num_entries(), result.columns);
  allocate_array(exec, "krylite::csr5::values", csr.num_entries(), result.values);
  describe_tiles<Way>(exec, result);
  transpose_tiles<Way, TileDirection::into>(exec, result, csr.columns, result.columns);
  transpose_tiles<Way, TileDirection::into>(exec, result, csr.values, result.values);
  return result;
}

template <Traversal Way, class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
CsrMatrix<Scalar, Offset, MemorySpace> csr5_to_csr(const ExecutionSpace& exec,
                                                   const Csr5Matrix<Scalar, Offset, MemorySpace>& matrix) {
  CsrMatrix<Scalar, Offset, MemorySpace> csr;
  csr.num_rows = matrix.num_rows;
  csr.num_cols = matrix.num_cols;
  csr.row_pointers = matrix.row_pointers;
  allocate_array(exec, "krylite::csr::columns", matrix.num_entries(), csr.columns);
  allocate_array(exec, "krylite::csr::values", matrix.num_entries(), csr.values);
  transpose_tiles<Way, TileDirection::out_of>(exec, matrix, matrix.columns, csr.columns);
  transpose_tiles<Way, TileDirection::out_of>(exec, matrix, matrix.values, csr.values);
  return csr;
}

}  // namespace detail

/// CSR5 of `csr`, on `exec`; waits once or twice. The CSR is only read, and its row pointers are shared.
/// \throws Error where omega is not 2 to 64 or sigma not 1 to 64, or where there is not enough memory; nothing is
///         allocated then
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
Csr5Matrix<Scalar, Offset, MemorySpace> to_csr5(const ExecutionSpace& exec,
                                                const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                                                const Csr5Options& options = {}) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "to_csr5: the execution space cannot reach the matrix");
  return detail::make_csr5<detail::traversal_of<ExecutionSpace>>(exec, csr, options);
}

/// The CSR that `matrix` was made from: the same entries in the same order. The row pointers are shared.
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
CsrMatrix<Scalar, Offset, MemorySpace> to_csr(const ExecutionSpace& exec,
                                              const Csr5Matrix<Scalar, Offset, MemorySpace>& matrix) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "to_csr: the execution space cannot reach the matrix");
  return detail::csr5_to_csr<detail::traversal_of<ExecutionSpace>>(exec, matrix);
}

/// Takes new values from a CSR of the same pattern; the pattern is not looked at again.
/// \throws Error where the sizes differ
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
void update_values(const ExecutionSpace& exec, const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                   const Csr5Matrix<Scalar, Offset, MemorySpace>& matrix) {
  detail::require_same_pattern_size(csr, matrix);
  constexpr auto way = detail::traversal_of<ExecutionSpace>;
  detail::transpose_tiles<way, detail::TileDirection::into>(exec, matrix, csr.values, matrix.values);
}

}  // namespace krylite

#endif
