#ifndef KRYLITE_SRC_CUDA_BASIS_FUSED_CUH
#define KRYLITE_SRC_CUDA_BASIS_FUSED_CUH

#include "basis_add.cuh"
#include "shared_copies.cuh"

#include <algorithm>

namespace krylite {
namespace cuda {

/// How a block of the fused kernel shares out its work: columns of a warp, and rows of a lane in a turn, 2 or 4. A
/// stage is rows whose codes take 512 bytes of each column: memory gives less where it is asked for 128 or 256.
template <Code Stored, int WarpsOfBlock, int ColumnsOfWarp, int RowsOfLane>
struct FusedShape {
  static constexpr Code C = Stored;
  static constexpr int warps = WarpsOfBlock;
  static constexpr int columns = ColumnsOfWarp;
  static constexpr int rows = RowsOfLane;
  static constexpr int stages = 2;
  static constexpr int stage_rows = warp_size * codes_of_pack<C>;
  static constexpr int turn_rows = rows * warp_size;
  static constexpr int turns = stage_rows / turn_rows;
  static constexpr int threads = warps * warp_size;
  static_assert((rows == 2 || rows == 4) && turn_rows <= stage_rows, "of a pack, whole pairs");
  static_assert(turn_rows <= threads, "each row of a turn has a thread that adds its parts");
};

/// Where shared memory has the rows of a turn: the leading pair of each lane, and behind them, after a gap, the second
/// pair of each. So neither lanes that have all their rows nor threads that have one row each meet in a bank.
template <class Shape>
struct TurnLayout {
  static constexpr int rows = Shape::rows;
  static constexpr int next_pair = 2 * warp_size + 8;  ///< of which 8 are the gap: half of the banks
  static constexpr int size = (rows / 2 - 1) * next_pair + 2 * warp_size;

  static __device__ __forceinline__ int of_row(int row) {
    return row % rows / 2 * next_pair + row / rows * 2 + row % 2;
  }
  static __device__ __forceinline__ int of_lane(int pair) { return pair * next_pair + 2 * threadIdx.x; }
};

/// Shared memory of a block of the fused kernel.
template <class Shape>
struct FusedShared {
  static constexpr Code C = Shape::C;
  static constexpr int Warps = Shape::warps;
  static constexpr int Columns = Shape::columns;
  static constexpr int exponents_of_column = is_block_float<C> ? Shape::stage_rows / entries_per_exponent : 1;
  RawPack<C> packs[Shape::stages][Warps][Columns][warp_size];
  double w[Shape::stage_rows];          ///< of a stage, as it was
  double x[TurnLayout<Shape>::size];    ///< the new w of a turn, as the columns are multiplied with it
  double parts[Warps][TurnLayout<Shape>::size];
  double weights[Warps][(Columns + 1) / 2 * 2];
  std::int8_t row_exponents[Shape::stage_rows];
  std::int8_t exponents[Warps][is_block_float<C> ? Columns : 16][exponents_of_column];
};

/// Blocks of a multiprocessor: as many as its shared memory allows, of which each block takes some more than is told,
/// and as its registers do.
template <class Shape>
inline constexpr int fused_blocks =
    std::min<int>((Shape::rows == 2 ? FusedTuning::warps_of_2_rows : FusedTuning::warps_of_4_rows) / Shape::warps,
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
  static constexpr int rows = Shape::rows;
  using Shared = FusedShared<Shape>;
  using Word = typename CodeTraits<C>::Word;
  using Layout = TurnLayout<Shape>;
  static constexpr int exponents_of_lane = divide_up(Columns * Shared::exponents_of_column, warp_size);
  const Basis& basis;
  Shared& shared;
  int begin;
  int live;
  const Word* next_codes;  ///< of the stage that is sent for next
  double values[Columns][rows];
  int exponents[exponents_of_lane];

  __device__ __forceinline__ FusedWarp(const Basis& of, Shared& in, int first, int count, std::int64_t row)
      : basis(of), shared(in), begin(first), live(count),
        next_codes(code_at<C>(of, first, row + threadIdx.x * codes_of_pack<C>)) {}

  /// Sends for the codes of a stage, of which `left` rows are there, and goes on by `step` rows. Rows and columns that
  /// are not there become zeros.
  __device__ __forceinline__ void send_for(int stage, std::int64_t left, std::int64_t step) {
    const bool has_rows = static_cast<int>(threadIdx.x) * codes_of_pack<C> < left;
    const Word* codes = next_codes;
#pragma unroll
    for (int c = 0; c < Columns; ++c) {
      copy_to_shared(&shared.packs[stage][threadIdx.y][c][threadIdx.x], codes, c < live && has_rows);
      codes += basis.stride;
    }
    commit_copies();
    next_codes += step;
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

  /// Decodes the codes of a turn and keeps their numbers. Hands on the part of these columns in V y.
  __device__ __forceinline__ void add(int stage, int turn) {
    using Codes = RawPack<C, rows>;
    const auto* const weights = reinterpret_cast<const double2*>(shared.weights[threadIdx.y]);
    // Two sums, since one would wait for itself.
    double sums[2][rows] = {};
#pragma unroll
    for (int c = 0; c < Columns; ++c) {
      const auto* const codes = reinterpret_cast<const Codes*>(&shared.packs[stage][threadIdx.y][c][0]);
      const Codes own = codes[turn * warp_size + threadIdx.x];
      if constexpr (is_block_float<C>) {
        const int e = turn * (Shape::turn_rows / entries_per_exponent) + threadIdx.x / (entries_per_exponent / rows);
        decode_scaled<C>(own, shared.exponents[threadIdx.y][c][e], values[c]);
      } else {
        decode<C, true>(own, values[c]);
      }
      const double2 two_weights = weights[c / 2];
      const double weight = c % 2 == 0 ? two_weights.x : two_weights.y;
#pragma unroll
      for (int r = 0; r < rows; ++r) sums[c % 2][r] += weight * values[c][r];
    }
#pragma unroll
    for (int pair = 0; pair < rows / 2; ++pair) {
      *reinterpret_cast<double2*>(&shared.parts[threadIdx.y][Layout::of_lane(pair)]) =
          make_double2(sums[0][2 * pair] + sums[1][2 * pair], sums[0][2 * pair + 1] + sums[1][2 * pair + 1]);
    }
  }

  /// products += the columns at the rows of a turn times the new w.
  __device__ __forceinline__ void project(double (&products)[Columns]) const {
#pragma unroll
    for (int pair = 0; pair < rows / 2; ++pair) {
      const double2 x = *reinterpret_cast<const double2*>(&shared.x[Layout::of_lane(pair)]);
#pragma unroll
      for (int c = 0; c < Columns; ++c) {
        products[c] += values[c][2 * pair] * x.x;
        products[c] += values[c][2 * pair + 1] * x.y;
      }
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
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * stage_rows;
  std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * stage_rows;
  std::int64_t left = basis.rows - row;
  FusedWarp<Shape> warp(basis, shared, begin + first, min(Columns, count - first), row);
#pragma unroll
  for (int stage = 0; stage < Shape::stages; ++stage) warp.send_for(stage, left - stage * step, step);
  warp.ask_for_exponents(row);
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
  double* own_w = w + row + thread;
  const std::int8_t* own_exponents = IsScaled ? basis.row_exponents + row + thread : nullptr;
  const auto ask_for_w = [&](std::int64_t ahead) {
#pragma unroll
    for (int i = 0; i < entries; ++i) {
      const int row_of_stage = i * threads + thread;
      const bool is_there = row_of_stage < stage_rows && row_of_stage < left - ahead;
      next_w[i] = is_there ? own_w[ahead + i * threads] : 0.0;
      next_exponents[i] = IsScaled && is_there ? own_exponents[ahead + i * threads] : 0;
    }
  };
  ask_for_w(0);
  const bool adds = thread < Shape::turn_rows;
  const int own_place = TurnLayout<Shape>::of_row(thread);
  int stage = 0;
  while (left > 0) {
#pragma unroll
    for (int i = 0; i < entries; ++i) {
      const int row_of_stage = i * threads + thread;
      if (row_of_stage >= stage_rows) continue;
      shared.w[row_of_stage] = next_w[i];
      if (IsScaled) shared.row_exponents[row_of_stage] = static_cast<std::int8_t>(next_exponents[i]);
    }
    ask_for_w(step);
    warp.begin_stage();
    warp.ask_for_exponents(row + step);
#pragma unroll 1
    for (int turn = 0; turn < Shape::turns; ++turn) {
      warp.add(stage, turn);
      __syncthreads();
      double value = 0;
      double scale = 1;
      const int row_of_stage = turn * Shape::turn_rows + thread;
      if (adds) {
        if (IsScaled) scale = power_of_two(shared.row_exponents[row_of_stage]);
        const double sum = sum_of_parts<Shape::warps, TurnLayout<Shape>::size>(&shared.parts[0][own_place]);
        value = shared.w[row_of_stage] + (IsScaled ? sum * scale : sum);
        shared.x[own_place] = IsScaled ? value * scale : value;
      }
      __syncthreads();
      if (adds && row_of_stage < left) {
        own_w[turn * Shape::turn_rows] = value;
        add_to_norms<IsScaled>(partials, value, scale, squares, largest);
      }
      warp.project(products);
    }
    // All lanes have read this stage's codes: barriers came after.
    warp.send_for(stage, left - Shape::stages * step, step);
    stage = (stage + 1) % Shape::stages;
    // All go on by themselves: to find each from the row took more instructions.
    row += step;
    left -= step;
    own_w += step;
    if (IsScaled) own_exponents += step;
  }
  wait_for_copies<0>();
  const int c = add_lanes(products, threadIdx.x);
  if (c >= 0 && first + c < count) partials.at(first + c, blockIdx.x) = products[0];
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
  constexpr int rows = C == Code::float64 ? 2 : 4;
  const auto launch = count <= 28    ? launch_fused_columns<FusedShape<C, 4, 7, rows>>
                      : count <= 56  ? launch_fused_columns<FusedShape<C, 8, 7, rows>>
                      : count <= 80  ? launch_fused_columns<FusedShape<C, 8, 10, 2>>
                      : count <= 104 ? launch_fused_columns<FusedShape<C, 8, 13, 2>>
                                     : launch_fused_columns<FusedShape<C, 16, 8, 2>>;
  return launch(stream, basis, begin, count, weights, w, memory);
}

}  // namespace cuda
}  // namespace krylite

#endif
