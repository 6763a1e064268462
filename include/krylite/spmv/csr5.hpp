#ifndef KRYLITE_SPMV_CSR5_HPP
#define KRYLITE_SPMV_CSR5_HPP

/// \file
/// Generic CSR5 product. The tiles are cut into chunks of fixed size; a thread walks the lanes of its tiles in order,
/// with the sum of the row that is open:
///
///     at a set flag   the open row is closed: y(row) = alpha sum + beta y(row); the empty rows before it get beta y
///     at the end      of a lane or tile nothing happens, of the chunk the open row is closed
///
/// The row of flag number f of a tile is tile_row + f, or + empty_offsets[f] in a marked tile. A chunk writes the rows
/// that start in it; its part of the row that began before goes to a carry (the article's calibrator,
/// spmv/carries.hpp). The tail is done row by row, with a carry too. Nothing is atomic, and y need not be cleared.
///
/// Lanes that run at once (host/kernels.hpp) close the segments within each lane first and then join the open ends
/// across lanes; the article takes differences of a prefix sum there, which lose accuracy where sizes differ, so that
/// Krylite adds lane after lane.
///
/// Flops 2 nnz; bytes nnz (value + 4) + tiles (4 + 4 W omega) + rows y + (at best) columns x.
/// Source: csr5 article, section 4.

#include <krylite/formats/csr5.hpp>
#include <krylite/spmv/carries.hpp>
#include <krylite/spmv/host/kernels.hpp>
#include <krylite/spmv/options.hpp>

namespace krylite {
namespace detail {

/// Tiles that one thread takes.
template <class ExecutionSpace>
inline constexpr std::int64_t csr5_chunk_tiles = is_host_space<ExecutionSpace> ? 128 : 1;

template <class Matrix>
KOKKOS_FUNCTION Csr5Chunk csr5_chunk(const Matrix& matrix, std::int64_t chunk, std::int64_t chunk_tiles) {
  const std::int64_t first = chunk * chunk_tiles;
  const std::int64_t num_tiles = matrix.num_tiles();
  const std::int64_t last = first + chunk_tiles < num_tiles ? first + chunk_tiles : num_tiles;
  return {first, last, matrix.first_written_row(first), matrix.first_written_row(last)};
}

/// The row that is being summed, and where it goes.
template <int Count, class T, class Y>
struct Csr5OpenRow {
  Y y;
  T alpha;
  T beta;
  Index row;
  Index next;  ///< first row that is not written yet; `row` is before it where it began before the chunk
  T carry[Count] = {};
  T sums[Count] = {};

  /// Writes the row, and the empty ones before it; then `new_row` is open.
  KOKKOS_FUNCTION void close(Index new_row) {
    if (row < next) {
      for (int v = 0; v < Count; ++v) carry[v] = sums[v];
    } else {
      write_empty(row);
      for (int v = 0; v < Count; ++v) update(y(row, v), alpha, sums[v], beta);
      next = row + 1;
    }
    row = new_row;
    for (int v = 0; v < Count; ++v) sums[v] = 0;
  }

  /// Writes the rows up to `end`, which are empty.
  KOKKOS_FUNCTION void write_empty(Index end) {
    for (; next < end; ++next) {
      for (int v = 0; v < Count; ++v) update(y(next, v), alpha, T(0), beta);
    }
  }
};

template <int Count, class Matrix, class T, class X, class Y>
KOKKOS_FUNCTION void multiply_csr5_tile(const Matrix& matrix, std::int64_t tile, const X& x,
                                        Csr5OpenRow<Count, T, Y>& open) {
  const Index tile_row = matrix.tile_row(tile);
  if (open.row != tile_row) open.close(tile_row);
  const bool is_marked = matrix.is_marked(tile);
  const std::int64_t empty_begin = is_marked ? matrix.empty_offset_pointers(tile) : 0;
  for (Index lane = 0; lane < matrix.omega; ++lane) {
    std::uint64_t flags = matrix.bit_flag(tile, lane);
    Index start = matrix.y_offset(tile, lane);
    if (lane == 0) {  // the first flag is the tile's own
      flags &= ~std::uint64_t(1);
      start = 1;
    }
    std::int64_t place = tile * matrix.tile_size() + lane;
    for (Index step = 0; step < matrix.sigma; ++step, place += matrix.omega, flags >>= 1) {
      if ((flags & 1) != 0) {
        open.close(tile_row + (is_marked ? matrix.empty_offsets(empty_begin + start) : start));
        ++start;
      }
      const T value = static_cast<T>(matrix.values(place));
      const Index column = matrix.columns(place);
      for (int v = 0; v < Count; ++v) open.sums[v] += value * static_cast<T>(x(column, v));
    }
  }
}

/// y of the rows that start in the tail, and the tail's part of the row before them as the last carry.
template <int Count, class ExecutionSpace, class Matrix, class T, class X, class Y>
void multiply_csr5_tail(const ExecutionSpace& exec, T alpha, const Matrix& matrix, Index first_row, const X& x, T beta,
                        const Y& y, const Carries<T, Count>& carries) {
  const std::int64_t tiled = matrix.tiled_entries();
  Kokkos::parallel_for(
      "krylite::spmv::csr5_tail", range(exec, std::int64_t(matrix.num_rows) - first_row + 1),
      KOKKOS_LAMBDA(const std::int64_t unit) {
        // Unit 0 is the row before the first, which is the tail's only where it ends behind the tiles.
        const auto row = static_cast<Index>(first_row + unit - 1);
        const std::int64_t end = row >= 0 ? static_cast<std::int64_t>(matrix.row_pointers(row + 1)) : 0;
        T sums[Count] = {};
        for (std::int64_t k = unit == 0 ? tiled : matrix.row_pointers(row); k < end; ++k) {
          const T value = static_cast<T>(matrix.values(k));
          for (int v = 0; v < Count; ++v) sums[v] += value * static_cast<T>(x(matrix.columns(k), v));
        }
        if (unit == 0) {
          carries.set(carries.num_chunks - 1, end > tiled ? row : -1, sums);
        } else {
          for (int v = 0; v < Count; ++v) update(y(row, v), alpha, sums[v], beta);
        }
      });
}

template <int Count, class ExecutionSpace, class Scalar, class Offset, class MemorySpace, class T, class X, class Y>
void multiply_portable(const ExecutionSpace& exec, T alpha, const Csr5Matrix<Scalar, Offset, MemorySpace>& matrix,
                       const X& x, T beta, const Y& y, SpmvWorkspace<MemorySpace>& workspace, const SpmvOptions&) {
  constexpr std::int64_t chunk_tiles = csr5_chunk_tiles<ExecutionSpace>;
  const std::int64_t num_chunks = (matrix.num_tiles() + chunk_tiles - 1) / chunk_tiles;
  const auto carries = make_carries<T, Count>(exec, workspace, num_chunks + 1);
  Kokkos::parallel_for(
      "krylite::spmv::csr5", range(exec, num_chunks), KOKKOS_LAMBDA(const std::int64_t c) {
        const Csr5Chunk chunk = csr5_chunk(matrix, c, chunk_tiles);
        const Index tile_row = matrix.tile_row(chunk.first_tile);
        Csr5OpenRow<Count, T, Y> open = {y, alpha, beta, tile_row, chunk.first_row};
        for (std::int64_t tile = chunk.first_tile; tile < chunk.last_tile; ++tile) {
          multiply_csr5_tile(matrix, tile, x, open);
        }
        open.close(-1);
        open.write_empty(chunk.last_row);
        carries.set(c, tile_row < chunk.first_row ? tile_row : -1, open.carry);
      });
  multiply_csr5_tail<Count>(exec, alpha, matrix, matrix.tail_row, x, beta, y, carries);
  add_carries(exec, carries, alpha, y);
}

}  // namespace detail
}  // namespace krylite

#endif
