#include <krylite/spmv/cuda/csr5_kernels.hpp>

#include "carries.cuh"
#include "launch.cuh"
#include "loads.cuh"
#include "segments.cuh"
#include "vectors.cuh"

namespace krylite {
namespace cuda {
namespace {

constexpr std::uint32_t tile_mark = 0x80000000u;

template <class V, class Offset>
__device__ __forceinline__ std::int32_t tile_row(const Csr5Arrays<V, Offset>& matrix, std::int64_t tile) {
  return static_cast<std::int32_t>(load_cached(matrix.tile_pointers + tile) & ~tile_mark);
}

/// First row that `tile`, whose first entry lies in `row`, writes (Csr5Matrix::first_written_row).
template <class V, class Offset>
__device__ __forceinline__ std::int32_t first_written_row(const Csr5Arrays<V, Offset>& matrix,
                                                          std::int64_t tile, std::int32_t row) {
  if (tile == 0) return 0;
  const std::int64_t first_entry = tile * warp_size * matrix.sigma;
  return static_cast<std::int64_t>(load_cached(matrix.row_pointers + row)) < first_entry ? row + 1 : row;
}

/// What the descriptor of a lane says.
struct LaneDescriptor {
  std::uint64_t flags;  ///< bit i: entry i is the first of a segment
  int segment;          ///< of the tile, that the first flag begins
};

template <class V, class Offset>
__device__ __forceinline__ LaneDescriptor load_descriptor(const Csr5Arrays<V, Offset>& matrix,
                                                          std::int64_t tile, int lane) {
  const std::uint32_t* words = matrix.tile_descriptors + tile * matrix.descriptor_words * warp_size + lane;
  std::uint64_t bits = __ldg(words);
  if (matrix.descriptor_words > 1) bits |= static_cast<std::uint64_t>(__ldg(words + warp_size)) << 32;
  const std::uint64_t flags = bits & ((std::uint64_t(1) << matrix.sigma) - 1);
  const std::uint32_t segment =
      static_cast<std::uint32_t>(bits >> matrix.sigma) & ((1u << matrix.y_offset_bits) - 1);
  return {flags, static_cast<int>(segment)};
}

/// Where the sums of a tile's segments go: first to shared memory, from which y is written side by side, and
/// straight to y where a tile has more rows than fit.
template <int NV, bool Contiguous, class Product, class T>
struct SegmentSums {
  static constexpr int capacity = tuning::csr5_staged_sums / NV;

  const Product& product;
  T* staged;  ///< capacity * NV, of this warp
  std::int32_t tile_row;
  const std::int32_t* offsets;  ///< null where the rows of the tile have no gaps

  __device__ __forceinline__ std::int32_t row_of(int segment) const {
    return tile_row + (offsets != nullptr ? load_cached(offsets + segment) : segment);
  }

  __device__ __forceinline__ void close(int segment, const T (&sums)[NV]) const {
#pragma unroll
    for (int v = 0; v < NV; ++v) {
      if (segment < capacity) {
        staged[v * capacity + segment] = sums[v];
      } else {
        update(entry<Contiguous>(product.y, row_of(segment), v), product.alpha, sums[v], product.beta);
      }
    }
  }

  /// Writes what is staged of `count` segments, the first to `carry` if it is not null.
  __device__ __forceinline__ void flush(int count, T* carry, int lane) const {
    for (int segment = lane; segment < count && segment < capacity; segment += warp_size) {
      const std::int32_t row = row_of(segment);
#pragma unroll
      for (int v = 0; v < NV; ++v) {
        const T sum = staged[v * capacity + segment];
        if (segment == 0 && carry != nullptr) {
          carry[v] = sum;
        } else {
          update(entry<Contiguous>(product.y, row, v), product.alpha, sum, product.beta);
        }
      }
    }
  }
};

/// What a lane has summed: before its first flag, and since its last, which began `segment` (-1: it has no
/// flag).
template <int NV, class T>
struct LaneSums {
  T head[NV] = {};
  T sums[NV] = {};
  int segment = -1;
};

/// Walks the entries of a lane; segments that lie within it are closed. `Unroll` entries are loaded together.
template <int Unroll, int NV, bool Contiguous, class Sums, class Product, class T>
__device__ __forceinline__ void walk_lane(const Product& product, std::int64_t place,
                                          LaneDescriptor descriptor, const Sums& out,
                                          LaneSums<NV, T>& lane_sums) {
  const auto& matrix = product.matrix;
  using V = std::remove_const_t<std::remove_pointer_t<decltype(matrix.values)>>;
  for (int step = 0; step < matrix.sigma; step += Unroll, place += Unroll * warp_size) {
    std::int32_t columns[Unroll];
    V values[Unroll];
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
      if (step + u < matrix.sigma) {
        columns[u] = load_once(matrix.columns + place + u * warp_size);
        values[u] = load_once(matrix.values + place + u * warp_size);
      }
    }
    T x[Unroll][NV];
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
#pragma unroll
      for (int v = 0; v < NV; ++v) {
        if (step + u < matrix.sigma) x[u][v] = load_cached(entry<Contiguous>(product.x, columns[u], v));
      }
    }
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
      if (step + u >= matrix.sigma) break;
      if ((descriptor.flags >> (step + u)) & 1) {
        if (lane_sums.segment >= 0) out.close(lane_sums.segment, lane_sums.sums);
#pragma unroll
        for (int v = 0; v < NV; ++v) {
          if (lane_sums.segment < 0) lane_sums.head[v] = lane_sums.sums[v];
          lane_sums.sums[v] = 0;
        }
        lane_sums.segment = descriptor.segment++;
      }
#pragma unroll
      for (int v = 0; v < NV; ++v) lane_sums.sums[v] += widen<T>(values[u]) * x[u][v];
    }
  }
}

/// Closes the segments that end in another lane than they began in. Lane 0 always begins one.
template <int NV, class Sums, class T>
__device__ __forceinline__ void join_lanes(const Sums& out, const LaneSums<NV, T>& lane_sums, int lane) {
  const unsigned flagged = __ballot_sync(all_lanes, lane_sums.segment >= 0);
  const int open_lane = last_lane(flagged & lanes_before(lane)) & 31;
  const int open_segment = __shfl_sync(all_lanes, lane_sums.segment, open_lane);
  T open[NV];
  T closed[NV];
#pragma unroll
  for (int v = 0; v < NV; ++v) {
    open[v] = segmented_scan(lane_sums.sums[v], flagged, lane);
    closed[v] = __shfl_up_sync(all_lanes, open[v], 1) + lane_sums.head[v];
  }
  if (lane > 0 && lane_sums.segment >= 0) out.close(open_segment, closed);
  const int last_segment = __shfl_sync(all_lanes, lane_sums.segment, last_lane(flagged));
  if (lane == warp_size - 1) out.close(last_segment, open);
}

/// y = beta y for the empty ones of rows [first, last).
template <int NV, bool Contiguous, class Product>
__device__ void write_empty_rows(const Product& product, std::int32_t first, std::int32_t last, int lane) {
  const auto* row_pointers = product.matrix.row_pointers;
  using T = decltype(product.alpha);
  for (std::int64_t row = static_cast<std::int64_t>(first) + lane; row < last; row += warp_size) {
    if (load_cached(row_pointers + row) != load_cached(row_pointers + row + 1)) continue;
    for (int v = 0; v < NV; ++v) {
      update(entry<Contiguous>(product.y, row, v), product.alpha, std::remove_const_t<T>(0), product.beta);
    }
  }
}

template <int Unroll, int NV, bool Contiguous, class V, class Offset, class T>
__device__ __forceinline__ void multiply_tile(const Product<Csr5Arrays<V, Offset>, T>& product,
                                              const CarryArrays<T>& carries, std::int64_t tile, T* staged,
                                              int lane) {
  const Csr5Arrays<V, Offset>& matrix = product.matrix;
  const std::int32_t row = tile_row(matrix, tile);
  const std::int32_t next_row = tile_row(matrix, tile + 1);
  const bool is_marked = (load_cached(matrix.tile_pointers + tile) & tile_mark) != 0;
  const std::int32_t* offsets =
      is_marked ? matrix.empty_offsets + load_cached(matrix.empty_offset_pointers + tile) : nullptr;
  const LaneDescriptor descriptor = load_descriptor(matrix, tile, lane);
  const std::int32_t first_row = first_written_row(matrix, tile, row);
  const std::int32_t last_row = first_written_row(matrix, tile + 1, next_row);
  const int segments = __shfl_sync(all_lanes, descriptor.segment + __popcll(descriptor.flags), warp_size - 1);

  const SegmentSums<NV, Contiguous, Product<Csr5Arrays<V, Offset>, T>, T> out = {product, staged, row,
                                                                                 offsets};
  LaneSums<NV, T> lane_sums;
  walk_lane<Unroll, NV, Contiguous>(product, tile * warp_size * matrix.sigma + lane, descriptor, out,
                                    lane_sums);
  join_lanes(out, lane_sums, lane);
  __syncwarp();

  const bool is_carried = row < first_row;
  if (lane == 0) carries.rows[tile] = is_carried ? row : -1;
  out.flush(segments, is_carried ? carries.values + tile * NV : nullptr, lane);
  const int written = segments - (is_carried ? 1 : 0);
  if (last_row - first_row != written) write_empty_rows<NV, Contiguous>(product, first_row, last_row, lane);
}

/// Unit 0 is the tail's part of the row before the first that starts in it, unit u that row and those after
/// it.
template <int NV, bool Contiguous, class V, class Offset, class T>
__device__ void multiply_tail_row(const Product<Csr5Arrays<V, Offset>, T>& product,
                                  const CarryArrays<T>& carries, std::int64_t tiled_entries,
                                  std::int64_t unit, int lane) {
  const Csr5Arrays<V, Offset>& matrix = product.matrix;
  const auto row = static_cast<std::int32_t>(matrix.tail_row + unit - 1);
  const std::int64_t end =
      row >= 0 ? static_cast<std::int64_t>(load_cached(matrix.row_pointers + row + 1)) : 0;
  std::int64_t begin = tiled_entries;
  if (unit > 0) begin = static_cast<std::int64_t>(load_cached(matrix.row_pointers + row));
  T sums[NV] = {};
#pragma unroll 4
  for (std::int64_t k = begin + lane; k < end; k += warp_size) {
    const T value = widen<T>(load_once(matrix.values + k));
    const std::int32_t column = load_once(matrix.columns + k);
#pragma unroll
    for (int v = 0; v < NV; ++v) sums[v] += value * load_cached(entry<Contiguous>(product.x, column, v));
  }
#pragma unroll
  for (int v = 0; v < NV; ++v) sums[v] = warp_sum(sums[v]);
  if (lane > 0) return;
  const std::int64_t last = carries.count - 1;
  if (unit == 0) carries.rows[last] = end > begin ? row : -1;
  for (int v = 0; v < NV; ++v) {
    if (unit == 0) {
      carries.values[last * NV + v] = sums[v];
    } else {
      update(entry<Contiguous>(product.y, row, v), product.alpha, sums[v], product.beta);
    }
  }
}

/// The rows of the tail come first, so that none of them is the last to end.
template <int Unroll, int NV, bool Contiguous, class V, class Offset, class T>
__global__ void __launch_bounds__(tuning::csr5_warps* warp_size,
                                  NV > 1 ? tuning::csr5_blocks_per_sm_of_four : tuning::csr5_blocks_per_sm)
    csr5_kernel(Product<Csr5Arrays<V, Offset>, T> product, CarryArrays<T> carries, std::int64_t tail_units) {
  let_next_start();
  __shared__ T staged[tuning::csr5_warps][tuning::csr5_staged_sums];
  const int lane = threadIdx.x % warp_size;
  const int warp = threadIdx.x / warp_size;
  const std::int64_t num_tiles = carries.count - 1;
  const std::int64_t unit = static_cast<std::int64_t>(blockIdx.x) * tuning::csr5_warps + warp;
  if (unit < tail_units) {
    const std::int64_t tiled_entries = num_tiles * warp_size * product.matrix.sigma;
    multiply_tail_row<NV, Contiguous>(product, carries, tiled_entries, unit, lane);
  } else if (unit - tail_units < num_tiles) {
    multiply_tile<Unroll, NV, Contiguous>(product, carries, unit - tail_units, staged[warp], lane);
  }
}

template <int NV, bool Contiguous, class V, class Offset, class T>
void launch_csr5(Stream stream, const Product<Csr5Arrays<V, Offset>, T>& product,
                 const CarryArrays<T>& carries) {
  const std::int64_t tail_units = std::int64_t(product.matrix.num_rows) - product.matrix.tail_row + 1;
  const std::int64_t warps = tail_units + carries.count - 1;
  const auto blocks = static_cast<unsigned>(divide_up(warps, std::int64_t(tuning::csr5_warps)));
  constexpr int threads = tuning::csr5_warps * warp_size;
  constexpr int unroll = NV > 1 ? 4 : tuning::csr5_unroll;
  if (product.matrix.sigma <= 4) {
    csr5_kernel<4, NV, Contiguous><<<blocks, threads, 0, stream>>>(product, carries, tail_units);
  } else {
    csr5_kernel<unroll, NV, Contiguous><<<blocks, threads, 0, stream>>>(product, carries, tail_units);
  }
  check_launch("krylite::spmv::csr5");
  add_carries<NV, Contiguous>(stream, carries, product.alpha, product.y);
}

}  // namespace

template <class V, class T, class Offset>
void csr5(Stream stream, const Product<Csr5Arrays<V, Offset>, T>& product, const CarryArrays<T>& carries) {
  if (product.matrix.num_rows == 0) return;
  if (is_contiguous(product.x) && is_contiguous(product.y))
    return launch_csr5<1, true>(stream, product, carries);
  std::int64_t v = 0;
  for (; v + 4 <= product.x.count; v += 4)
    launch_csr5<4, false>(stream, product_from(product, v, 4), carries);
  for (; v < product.x.count; ++v) launch_csr5<1, false>(stream, product_from(product, v, 1), carries);
}

template void csr5(Stream, const Product<Csr5Arrays<double, std::int32_t>, double>&,
                   const CarryArrays<double>&);
template void csr5(Stream, const Product<Csr5Arrays<double, std::int64_t>, double>&,
                   const CarryArrays<double>&);
template void csr5(Stream, const Product<Csr5Arrays<float, std::int32_t>, float>&, const CarryArrays<float>&);
template void csr5(Stream, const Product<Csr5Arrays<float, std::int64_t>, float>&, const CarryArrays<float>&);
template void csr5(Stream, const Product<Csr5Arrays<float, std::int32_t>, double>&,
                   const CarryArrays<double>&);
template void csr5(Stream, const Product<Csr5Arrays<float, std::int64_t>, double>&,
                   const CarryArrays<double>&);
template void csr5(Stream, const Product<Csr5Arrays<Half, std::int32_t>, double>&,
                   const CarryArrays<double>&);
template void csr5(Stream, const Product<Csr5Arrays<Half, std::int64_t>, double>&,
                   const CarryArrays<double>&);

}  // namespace cuda
}  // namespace krylite
