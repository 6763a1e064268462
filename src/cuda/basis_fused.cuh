#ifndef KRYLITE_SRC_CUDA_BASIS_FUSED_CUH
#define KRYLITE_SRC_CUDA_BASIS_FUSED_CUH

#include "basis_add.cuh"
#include "shared_copies.cuh"

#include <algorithm>

namespace krylite {
namespace cuda {

/// Rows of a lane: those whose codes take 8 bytes, so that several blocks fit the shared memory of a multiprocessor.
template <Code C>
inline constexpr int rows_of_fused = codes_of_pack<C> < 4 ? codes_of_pack<C> : codes_of_pack<C> / 2;

/// Blocks of a multiprocessor: as many as their shared memory and registers allow. Two of 13 float64 columns a warp
/// take 226 of the 228 KB of an H200: 1.01 of the copy bandwidth against 0.95 of one that has more registers.
template <Code C, int Columns>
constexpr int blocks_of_fused() {
  constexpr bool is_narrow = sizeof(typename CodeTraits<C>::Word) == 2 && !is_block_float<C>;
  if (sizeof(typename CodeTraits<C>::Word) == 8 && Columns > 13) return 1;
  if (Columns <= 4) return 4;
  return Columns <= (is_narrow ? 13 : 7) ? 3 : 2;
}

/// Shared memory of a block of the fused kernel that takes `Columns` columns a warp.
template <Code C, int Columns>
struct FusedShared {
  static constexpr int stretch = warp_size * rows_of_fused<C>;
  static constexpr int warps = FusedTuning::warps;
  static constexpr int stages = 2;
  RawPack<C, rows_of_fused<C>> packs[stages][warps][Columns][warp_size];
  double parts[warps][stretch];
  double new_w[stretch];
  double weights[warps * Columns];
};

/// What one warp of the fused kernel does with its columns of a stretch.
template <Code C, int Columns>
struct FusedWarp {
  static constexpr int rows = rows_of_fused<C>;
  using Shared = FusedShared<C, Columns>;
  const Basis& basis;
  Shared& shared;
  int first;        ///< column, from `begin` on
  int begin;
  int live;         ///< columns
  int exponents[2][is_block_float<C> ? Columns : 1];

  /// Sends for the codes of the rows from `row` on.
  template <int Stage>
  __device__ __forceinline__ void send_for(std::int64_t row) {
    const auto* codes = code_at<C>(basis, begin + first, row);
#pragma unroll
    for (int c = 0; c < Columns; ++c) {
      copy_to_shared(&shared.packs[Stage][threadIdx.y][c][threadIdx.x], codes, c < live && row < basis.rows);
      codes += basis.stride;
      if constexpr (is_block_float<C>) {
        exponents[Stage][c] = load_exponent<C>(basis, begin + first + c, row, c < live && row < basis.rows);
      }
    }
    commit_copies();
  }

  /// The part of these columns in V y, at the rows of a lane.
  template <int Stage>
  __device__ __forceinline__ void add(double (&part)[rows]) const {
#pragma unroll
    for (int c = 0; c < Columns; ++c) {
      double weight = shared.weights[threadIdx.y * Columns + c];
      if constexpr (is_block_float<C>) weight *= power_of_two(exponents[Stage][c]);
      double values[rows];
      decode<C>(shared.packs[Stage][threadIdx.y][c][threadIdx.x], values);
#pragma unroll
      for (int r = 0; r < rows; ++r) part[r] += weight * values[r];
    }
  }

  /// products += columns times x.
  template <int Stage>
  __device__ __forceinline__ void project(const double (&x)[rows], double (&products)[Columns]) const {
#pragma unroll
    for (int c = 0; c < Columns; ++c) {
      double values[rows];
      decode<C>(shared.packs[Stage][threadIdx.y][c][threadIdx.x], values);
      double part = 0;
#pragma unroll
      for (int r = 0; r < rows; ++r) part += values[r] * x[r];
      products[c] += is_block_float<C> ? part * power_of_two(exponents[Stage][is_block_float<C> ? c : 0]) : part;
    }
  }
};

/// w = w + V(:, columns) y, and the products of the same columns with the new w. Each thread sends for the codes that
/// it will use itself, so that these need no barrier; the warps share a stretch of rows, and wait for each other where
/// their parts of w are added, and where the new w is read.
template <Code C, int Columns, bool IsScaled>
__global__ void __launch_bounds__(FusedTuning::warps* warp_size, blocks_of_fused<C, Columns>())
    fused_kernel(const Basis basis, const int begin, const int count, const Weights y, double* w,
                 const Partials partials) {
  using Shared = FusedShared<C, Columns>;
  constexpr int rows = rows_of_fused<C>;
  constexpr int stretch = Shared::stretch;
  constexpr int threads = FusedTuning::warps * warp_size;
  extern __shared__ __align__(16) char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const int thread = threadIdx.y * warp_size + threadIdx.x;
  const int first = threadIdx.y * Columns;
  FusedWarp<C, Columns> warp = {basis, shared, first, begin, min(Columns, count - first), {}};
  const std::int64_t chunks = divide_up<std::int64_t>(basis.rows, stretch);
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * stretch;
  std::int64_t begin_row = static_cast<std::int64_t>(blockIdx.x) * stretch;
  warp.template send_for<0>(begin_row + threadIdx.x * rows);
  for (int j = thread; j < FusedTuning::warps * Columns; j += threads) {
    shared.weights[j] = j < count ? y.values[j] * (basis.factors[begin + j] * CodeTraits<C>::unit) : 0.0;
  }
  __syncthreads();
  double products[Columns] = {};
  double squares = 0;
  double largest = 0;

  const auto one_stretch = [&](auto stage) {
    constexpr int now = decltype(stage)::value;
    const std::int64_t target = begin_row + thread;
    const bool is_mine = thread < stretch && target < basis.rows;
    const double old_w = is_mine ? w[target] : 0.0;
    const double scale = IsScaled && is_mine ? power_of_two(basis.row_exponents[target]) : 1.0;
    warp.template send_for<1 - now>(begin_row + step + threadIdx.x * rows);
    wait_for_copies<1>();
    double part[rows] = {};
    warp.template add<now>(part);
#pragma unroll
    for (int r = 0; r < rows; ++r) shared.parts[threadIdx.y][r * warp_size + threadIdx.x] = part[r];
    __syncthreads();
    if (thread < stretch) {
      // Entry r of a lane lies at r * 32 + lane, so that no two lanes meet in a bank.
      const int place = thread % rows * warp_size + thread / rows;
      double sum = 0;
#pragma unroll
      for (int other = 0; other < FusedTuning::warps; ++other) sum += shared.parts[other][place];
      const double value = old_w + (IsScaled ? sum * scale : sum);
      if (is_mine) {
        w[target] = value;
        squares += value * value;
        const double magnitude = IsScaled && partials.scales_maxima ? fabs(value) / scale : fabs(value);
        largest = magnitude > largest ? magnitude : largest;
      }
      shared.new_w[place] = IsScaled ? value * scale : value;
    }
    __syncthreads();
    double x[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) x[r] = shared.new_w[r * warp_size + threadIdx.x];
    warp.template project<now>(x, products);
  };
  for (std::int64_t chunk = blockIdx.x; chunk < chunks; chunk += 2 * gridDim.x) {
    one_stretch(std::integral_constant<int, 0>());
    begin_row += step;
    if (chunk + gridDim.x >= chunks) break;
    one_stretch(std::integral_constant<int, 1>());
    begin_row += step;
  }
  wait_for_copies<0>();
#pragma unroll
  for (int c = 0; c < Columns; ++c) {
    const double product = warp_sum(products[c]);
    if (threadIdx.x == 0 && first + c < count) partials.at(first + c) = product;
  }
  hand_on_norms<FusedTuning::warps>(squares, largest, partials);
}

/// \returns false where a block of the device has too little shared memory for so many columns
template <Code C, int Columns>
bool launch_fused_columns(Stream stream, const Basis& basis, int begin, int count, const Weights& y, double* w,
                          SweepMemory& memory) {
  const std::int64_t chunks = divide_up<std::int64_t>(basis.rows, warp_size * rows_of_fused<C>);
  constexpr int most = blocks_of_fused<C, Columns>() * FusedTuning::multiprocessors;
  const int blocks = static_cast<int>(std::max<std::int64_t>(1, std::min<std::int64_t>(chunks, most)));
  const Partials partials = {memory.partials, memory.maxima, blocks, count};
  memory.num_maxima = blocks;
  const auto kernel = basis.row_exponents != nullptr ? fused_kernel<C, Columns, true> : fused_kernel<C, Columns, false>;
  constexpr int bytes = static_cast<int>(sizeof(FusedShared<C, Columns>));
  if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  kernel<<<blocks, dim3(warp_size, FusedTuning::warps), bytes, stream>>>(basis, begin, count, y, w, partials);
  check_launch("update by the basis and products with it");
  return true;
}

template <Code C>
bool launch_fused(Stream stream, const Basis& basis, int begin, int count, const double* y, double* w,
                  SweepMemory& memory) {
  const Weights weights = weights_of(y, count);
  const int columns = divide_up(count, FusedTuning::warps);
  const auto launch = columns <= 2    ? launch_fused_columns<C, 2>
                      : columns <= 4  ? launch_fused_columns<C, 4>
                      : columns <= 7  ? launch_fused_columns<C, 7>
                      : columns <= 10 ? launch_fused_columns<C, 10>
                      : columns <= 13 ? launch_fused_columns<C, 13>
                                      : launch_fused_columns<C, 16>;
  return launch(stream, basis, begin, count, weights, w, memory);
}

}  // namespace cuda
}  // namespace krylite

#endif
