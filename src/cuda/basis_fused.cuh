#ifndef KRYLITE_SRC_CUDA_BASIS_FUSED_CUH
#define KRYLITE_SRC_CUDA_BASIS_FUSED_CUH

#include "basis_add.cuh"
#include "shared_copies.cuh"

#include <algorithm>
#include <type_traits>

namespace krylite {
namespace cuda {

/// Rows of which each lane has a pair.
inline constexpr int fused_pair_rows = 2 * warp_size;

/// How a block of the fused kernel shares out its work: columns of a warp, and pairs of rows that a lane has in a turn.
/// A stage is rows whose codes take 512 bytes of each column: memory gives less where it is asked for 128 or 256.
template <Code Stored, int WarpsOfBlock, int ColumnsOfWarp, int PairsOfLane>
struct FusedShape {
  static constexpr Code C = Stored;
  static constexpr int warps = WarpsOfBlock;
  static constexpr int columns = ColumnsOfWarp;
  static constexpr int pairs = PairsOfLane;
  static constexpr int stages = 2;
  static constexpr int stage_rows = warp_size * codes_of_pack<C>;
  static constexpr int turn_rows = pairs * fused_pair_rows;
  static constexpr int threads = warps * warp_size;
};

/// Shared memory of a block of the fused kernel.
template <class Shape>
struct FusedShared {
  static constexpr Code C = Shape::C;
  static constexpr int Warps = Shape::warps;
  static constexpr int Columns = Shape::columns;
  static constexpr int exponents_of_column = is_block_float<C> ? Shape::stage_rows / entries_per_exponent : 1;
  RawPack<C> packs[Shape::stages][Warps][Columns][warp_size];
  double w[Shape::stage_rows];  ///< of a stage, as it was
  double x[Shape::turn_rows];   ///< the new w of a turn, as the columns are multiplied with it
  double parts[Warps][Shape::turn_rows];
  double weights[Warps][(Columns + 1) / 2 * 2];
  std::int8_t row_exponents[Shape::stage_rows];
  std::int8_t exponents[Warps][is_block_float<C> ? Columns : 16][exponents_of_column];
};

/// Blocks of a multiprocessor: as many as its shared memory allows, of which each block takes some more than is told,
/// and as its registers do.
template <class Shape>
inline constexpr int fused_blocks =
    std::min<int>((Shape::pairs > 1 ? FusedTuning::warps_of_pairs : FusedTuning::warps) / Shape::warps,
                  FusedTuning::shared_bytes / static_cast<int>(sizeof(FusedShared<Shape>) + 1280));

/// The sum of the parts that `Count` warps have of a row, in pairs, so that few additions wait for each other.
template <int Count, int Stride>
__device__ __forceinline__ double sum_of_parts(const double* parts) {
  if constexpr (Count == 1) {
    return *parts;
  } else {
    return sum_of_parts<Count / 2, Stride>(parts) + sum_of_parts<Count - Count / 2, Stride>(parts + Count / 2 * Stride);
  }
}

/// What one warp of the fused kernel does with its columns, which are [begin, begin + live).
template <class Shape>
struct FusedWarp {
  static constexpr Code C = Shape::C;
  static constexpr int Columns = Shape::columns;
  using Shared = FusedShared<Shape>;
  static constexpr int exponents_of_lane = divide_up(Columns * Shared::exponents_of_column, warp_size);
  const Basis& basis;
  Shared& shared;
  int begin;
  int live;
  double values[Columns][Shape::pairs][2];
  int exponents[exponents_of_lane];

  /// Sends for the codes of the stage that begins at `row`. Rows and columns that are not there become zeros.
  template <int Stage>
  __device__ __forceinline__ void send_for(std::int64_t row) {
    const std::int64_t own_row = row + threadIdx.x * codes_of_pack<C>;
    const bool has_rows = own_row < basis.rows;
    const auto* codes = code_at<C>(basis, begin, own_row);
#pragma unroll
    for (int c = 0; c < Columns; ++c) {
      copy_to_shared(&shared.packs[Stage][threadIdx.y][c][threadIdx.x], codes, c < live && has_rows);
      codes += basis.stride;
    }
    commit_copies();
  }

  /// Asks for the exponents of the stage that begins at `row`.
  __device__ __forceinline__ void ask_for_exponents(std::int64_t row) {
    if constexpr (is_block_float<C>) {
#pragma unroll
      for (int i = 0; i < exponents_of_lane; ++i) {
        const int e = i * warp_size + threadIdx.x;
        const int c = e / Shared::exponents_of_column;
        const std::int64_t first_row = row + e % Shared::exponents_of_column * entries_per_exponent;
        exponents[i] = load_exponent<C>(basis, begin + c, first_row, c < live && first_row < basis.rows);
      }
    }
  }

  /// Begins a stage: waits for its codes, and lets all lanes see them and the exponents that were asked for.
  __device__ __forceinline__ void begin_stage() {
    wait_for_copies<Shape::stages - 1>();
    if constexpr (is_block_float<C>) {
#pragma unroll
      for (int i = 0; i < exponents_of_lane; ++i) {
        const int e = i * warp_size + threadIdx.x;
        if (e < Columns * Shared::exponents_of_column) {
          (&shared.exponents[threadIdx.y][0][0])[e] = static_cast<std::int8_t>(exponents[i]);
        }
      }
    }
    __syncwarp();
  }

  /// Decodes the codes of a turn, and keeps them. \returns the part of these columns in V y at a pair of rows of a lane
  template <int Stage>
  __device__ __forceinline__ double2 add(int turn, int pair) {
    using Codes = RawPack<C, 2>;
    const auto* const weights = reinterpret_cast<const double2*>(shared.weights[threadIdx.y]);
    // Two sums, since one would wait for itself.
    double2 even = {}, odd = {};
#pragma unroll
    for (int c = 0; c < Columns; ++c) {
      const auto* const codes = reinterpret_cast<const Codes*>(&shared.packs[Stage][threadIdx.y][c][0]);
      double(&value)[2] = values[c][pair];
      decode<C, true>(codes[(turn * Shape::pairs + pair) * warp_size + threadIdx.x], value);
      if constexpr (is_block_float<C>) {
        const int e = (turn * Shape::pairs + pair) * (fused_pair_rows / entries_per_exponent) +
                      threadIdx.x / (entries_per_exponent / 2);
        const double scale = power_of_two(shared.exponents[threadIdx.y][c][e]);
        value[0] *= scale;
        value[1] *= scale;
      }
      const double2 two_weights = weights[c / 2];
      double2& sum = c % 2 == 0 ? even : odd;
      const double weight = c % 2 == 0 ? two_weights.x : two_weights.y;
      sum.x += weight * value[0];
      sum.y += weight * value[1];
    }
    return make_double2(even.x + odd.x, even.y + odd.y);
  }

  /// products += the columns at a pair of rows of the turn times x.
  __device__ __forceinline__ void project(int pair, const double2& x, double (&products)[Columns]) const {
#pragma unroll
    for (int c = 0; c < Columns; ++c) {
      products[c] += values[c][pair][0] * x.x;
      products[c] += values[c][pair][1] * x.y;
    }
  }
};

/// w = w + V(:, columns) y, and the products of the same columns with the new w. Each warp sends for the codes that it
/// will use itself, two stages ahead, so that these need no barrier. In a turn each code is decoded once and stays in a
/// register; the warps wait for each other where their parts of w are added, and where the new w is read.
template <class Shape, bool IsScaled>
__global__ void __launch_bounds__(Shape::threads, fused_blocks<Shape>)
    fused_kernel(const Basis basis, const int begin, const int count, const Weights y, double* w,
                 const Partials partials) {
  using Shared = FusedShared<Shape>;
  constexpr int stage_rows = Shape::stage_rows;
  constexpr int threads = Shape::threads;
  constexpr int Columns = Shape::columns;
  wait_for_kernels_before();
  extern __shared__ __align__(16) char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const int thread = threadIdx.y * warp_size + threadIdx.x;
  const int first = threadIdx.y * Columns;
  FusedWarp<Shape> warp = {basis, shared, begin + first, min(Columns, count - first), {}, {}};
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * stage_rows;
  std::int64_t stage_row = static_cast<std::int64_t>(blockIdx.x) * stage_rows;
  warp.template send_for<0>(stage_row);
  warp.template send_for<1>(stage_row + step);
  warp.ask_for_exponents(stage_row);
  for (int j = thread; j < Shape::warps * Columns; j += threads) {
    shared.weights[j / Columns][j % Columns] = weight_of<Shape::C>(basis, begin, count, y, j);
  }
  __syncthreads();
  double products[Columns] = {};
  double squares = 0;
  double largest = 0;
  // Of the next stage, some entries of w.
  constexpr int entries = divide_up(stage_rows, threads);
  double next_w[entries];
  int next_exponents[entries];
  const auto ask_for_w = [&](std::int64_t first_row) {
#pragma unroll
    for (int i = 0; i < entries; ++i) {
      const std::int64_t row = first_row + i * threads + thread;
      const bool is_there = i * threads + thread < stage_rows && row < basis.rows;
      next_w[i] = is_there ? w[row] : 0.0;
      next_exponents[i] = IsScaled && is_there ? basis.row_exponents[row] : 0;
    }
  };
  ask_for_w(stage_row);
  const bool adds = thread < Shape::turn_rows;

  const auto one_stage = [&](auto stage) {
    constexpr int now = decltype(stage)::value;
    constexpr int turns = stage_rows / Shape::turn_rows;
#pragma unroll
    for (int i = 0; i < entries; ++i) {
      const int row = i * threads + thread;
      if (row >= stage_rows) continue;
      shared.w[row] = next_w[i];
      if (IsScaled) shared.row_exponents[row] = static_cast<std::int8_t>(next_exponents[i]);
    }
    ask_for_w(stage_row + step);
    warp.begin_stage();
    warp.ask_for_exponents(stage_row + step);
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
      const int row_of_stage = turn * Shape::turn_rows + thread;
      const std::int64_t row = stage_row + row_of_stage;
      auto* const parts = reinterpret_cast<double2*>(shared.parts[threadIdx.y]);
#pragma unroll
      for (int p = 0; p < Shape::pairs; ++p) parts[p * warp_size + threadIdx.x] = warp.template add<now>(turn, p);
      __syncthreads();
      double value = 0;
      double scale = 1;
      if (adds) {
        if (IsScaled) scale = power_of_two(shared.row_exponents[row_of_stage]);
        const double sum = sum_of_parts<Shape::warps, Shape::turn_rows>(&shared.parts[0][thread]);
        value = shared.w[row_of_stage] + (IsScaled ? sum * scale : sum);
        shared.x[thread] = IsScaled ? value * scale : value;
      }
      __syncthreads();
      if (adds && row < basis.rows) {
        w[row] = value;
        add_to_norms<IsScaled>(partials, value, scale, squares, largest);
      }
      const auto* const x = reinterpret_cast<const double2*>(shared.x);
#pragma unroll
      for (int p = 0; p < Shape::pairs; ++p) warp.project(p, x[p * warp_size + threadIdx.x], products);
    }
    __syncwarp();
    warp.template send_for<now>(stage_row + 2 * step);
    stage_row += step;
  };
  while (stage_row < basis.rows) {
    one_stage(std::integral_constant<int, 0>());
    if (stage_row >= basis.rows) break;
    one_stage(std::integral_constant<int, 1>());
  }
  wait_for_copies<0>();
#pragma unroll
  for (int c = 0; c < Columns; ++c) {
    const double product = warp_sum(products[c]);
    if (threadIdx.x == 0 && first + c < count) partials.at(first + c, blockIdx.x) = product;
  }
  hand_on_norms<Shape::warps>(squares, largest, partials);
}

/// \returns false where a block of the device has too little shared memory for so many columns
template <class Shape>
bool launch_fused_columns(Stream stream, const Basis& basis, int begin, int count, const Weights& y, double* w,
                          SweepMemory& memory) {
  const std::int64_t stages = divide_up<std::int64_t>(basis.rows, Shape::stage_rows);
  static_assert(fused_blocks<Shape> >= 1 && fused_blocks<Shape> <= FusedTuning::most_blocks,
                "SweepMemory has room for the sums of these");
  constexpr int most = fused_blocks<Shape> * FusedTuning::multiprocessors;
  const int blocks = static_cast<int>(std::max<std::int64_t>(1, std::min<std::int64_t>(stages, most)));
  const Partials partials = {memory.partials, memory.maxima, blocks, count};
  memory.num_slots = blocks;
  constexpr int bytes = static_cast<int>(sizeof(FusedShared<Shape>));
  bool fits = false;
  for_scaled(basis, [&](auto is_scaled) {
    constexpr auto kernel = fused_kernel<Shape, decltype(is_scaled)::value>;
    fits = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) == cudaSuccess;
    if (!fits) return;
    const Launch launch = {stream, blocks, dim3(warp_size, Shape::warps), bytes};
    launch_early<kernel>(launch, basis, begin, count, y, w, partials);
  });
  if (!fits) {
    cudaGetLastError();
    return false;
  }
  check_launch("update by the basis and products with it");
  return true;
}

template <Code C>
bool launch_fused(Stream stream, const Basis& basis, int begin, int count, const double* y, double* w,
                  SweepMemory& memory) {
  const Weights weights = weights_of(y, count);
  constexpr int pairs = C == Code::float64 ? 1 : 2;
  const auto launch = count <= 28    ? launch_fused_columns<FusedShape<C, 4, 7, pairs>>
                      : count <= 56  ? launch_fused_columns<FusedShape<C, 8, 7, pairs>>
                      : count <= 80  ? launch_fused_columns<FusedShape<C, 8, 10, 1>>
                      : count <= 104 ? launch_fused_columns<FusedShape<C, 8, 13, 1>>
                                     : launch_fused_columns<FusedShape<C, 16, 8, 1>>;
  return launch(stream, basis, begin, count, weights, w, memory);
}

}  // namespace cuda
}  // namespace krylite

#endif
