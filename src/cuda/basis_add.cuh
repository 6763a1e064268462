#ifndef KRYLITE_SRC_CUDA_BASIS_ADD_CUH
#define KRYLITE_SRC_CUDA_BASIS_ADD_CUH

#include "basis_sums.cuh"

#include <algorithm>

namespace krylite {
namespace cuda {

/// What the columns of one launch are multiplied with.
inline constexpr int columns_of_add = AddTuning::columns * AddTuning::warps;

/// Rows of a lane: those whose codes take 16 bytes, or 8 of 16-bit codes, whose numbers would take too many registers.
template <Code C>
inline constexpr int rows_of_add = codes_of_pack<C> < 4 ? codes_of_pack<C> : 4;
template <Code C>
using AddColumns = LaneColumns<C, AddTuning::columns, rows_of_add<C>>;

struct Weights {
  double values[columns_of_add];
};

/// What an added column is multiplied with: its coefficient times its factor, 0 behind the last column.
template <Code C>
__device__ __forceinline__ double weight_of(const Basis& basis, int begin, int count, const Weights& y, int j) {
  return j < count ? y.values[j] * (basis.factors[begin + j] * CodeTraits<C>::unit) : 0.0;
}

/// The weights of the added columns in shared memory.
template <Code C>
__device__ __forceinline__ void fill_weights(const Basis& basis, int begin, int count, const Weights& y, int thread,
                                             int threads, double* weights) {
  for (int j = thread; j < columns_of_add; j += threads) {
    weights[j] = weight_of<C>(basis, begin, count, y, j);
  }
}

/// part += columns times their weights, for the rows of a lane.
template <Code C>
__device__ __forceinline__ void add_columns(const AddColumns<C>& columns, const double* weights,
                                            double (&part)[rows_of_add<C>]) {
#pragma unroll
  for (int c = 0; c < AddTuning::columns; ++c) {
    double weight = weights[c];
    if constexpr (is_block_float<C>) weight *= power_of_two(columns.exponents[c]);
    double values[rows_of_add<C>];
    decode<C>(columns.packs[c], values);
#pragma unroll
    for (int r = 0; r < rows_of_add<C>; ++r) part[r] += weight * values[r];
  }
}

/// w = w + V(:, columns) y for up to 128 columns from `begin` on, where there are few rows: the warps of a stretch of
/// rows share its columns, and their parts of w are added in shared memory.
template <Code C, bool IsScaled>
__global__ void __launch_bounds__(AddTuning::warps* warp_size)
    add_kernel(const Basis basis, const int begin, const int count, const Weights y, double* w,
               const Partials partials) {
  constexpr int rows = rows_of_add<C>;
  constexpr int stretch = warp_size * rows_of_add<C>;
  wait_for_kernels_before();
  extern __shared__ double shared[];  // of each z, a stretch for every warp
  __shared__ double weights[columns_of_add];
  double* const parts = shared + threadIdx.z * blockDim.y * stretch;
  const int group_thread = threadIdx.y * warp_size + threadIdx.x;
  const int group_threads = blockDim.y * warp_size;
  const int first = threadIdx.y * AddTuning::columns;
  const int live = min(AddTuning::columns, count - first);
  const std::int64_t chunks = divide_up<std::int64_t>(basis.rows, stretch);
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.z;
  std::int64_t chunk = static_cast<std::int64_t>(blockIdx.x) * blockDim.z + threadIdx.z;
  AddColumns<C> next;
  next.template load<false>(basis, begin + first, live, chunk * stretch + threadIdx.x * rows);
  if (threadIdx.z == 0) fill_weights<C>(basis, begin, count, y, group_thread, group_threads, weights);
  __syncthreads();
  double squares = 0;
  double largest = 0;
  // All z of a block go round equally often, for the barriers.
  for (std::int64_t round = static_cast<std::int64_t>(blockIdx.x) * blockDim.z; round < chunks;
       round += step, chunk += step) {
    const std::int64_t begin_row = chunk * stretch;
    const AddColumns<C> columns = next;
    const std::int64_t own_row = begin_row + group_thread;
    const bool has_own = group_thread < stretch && own_row < basis.rows;
    const double own_w = has_own ? w[own_row] : 0.0;
    if (round + step < chunks) {
      next.template load<false>(basis, begin + first, live, begin_row + threadIdx.x * rows + step * stretch);
    }
    double part[rows] = {};
    add_columns<C>(columns, weights + first, part);
#pragma unroll
    for (int r = 0; r < rows; ++r) parts[threadIdx.y * stretch + r * warp_size + threadIdx.x] = part[r];
    __syncthreads();
    for (int i = group_thread; i < stretch; i += group_threads) {
      const std::int64_t target = begin_row + i;
      if (target >= basis.rows) continue;
      // Entry r of a lane lies at r * 32 + lane, so that no two lanes meet in a bank.
      const int place = i % rows * warp_size + i / rows;
      double sum = 0;
#pragma unroll 4
      for (int warp = 0; warp < static_cast<int>(blockDim.y); ++warp) sum += parts[warp * stretch + place];
      const double scale = IsScaled ? power_of_two(basis.row_exponents[target]) : 1.0;
      const double value = (i == group_thread ? own_w : w[target]) + (IsScaled ? sum * scale : sum);
      w[target] = value;
      add_to_norms<IsScaled>(partials, value, scale, squares, largest);
    }
    __syncthreads();
  }
  hand_on_norms<AddTuning::warps>(squares, largest, partials);
}

/// w = w + V(:, columns) y where there are rows enough to keep the device busy: a thread takes a pack of rows and all
/// columns, so that no thread waits for another.
template <Code C, bool IsScaled>
__global__ void __launch_bounds__(AddTuning::rows_threads)
    add_rows_kernel(const Basis basis, const int begin, const int count, const Weights y, double* w,
                    const Partials partials, const bool never) {
  constexpr int rows = rows_of_add<C>;
  wait_for_kernels_before();
  __shared__ double weights[columns_of_add];
  fill_weights<C>(basis, begin, count, y, threadIdx.x, AddTuning::rows_threads, weights);
  __syncthreads();
  double squares = 0;
  double largest = 0;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * AddTuning::rows_threads * rows;
  for (std::int64_t row = (static_cast<std::int64_t>(blockIdx.x) * AddTuning::rows_threads + threadIdx.x) * rows;
       row < basis.rows; row += step) {
    double part[rows] = {};
    for (int first = 0; first < count; first += AddTuning::columns) {
      AddColumns<C> columns;
      columns.template load<false>(basis, begin + first, count - first, row);
      // This loop runs once, but the assembler does not know: else it would use each load before the next.
      do {
        add_columns<C>(columns, weights + first, part);
      } while (never);
    }
    double value[rows];
    load_rows(w, row, basis.rows, value);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      double scale = 1;
      if (IsScaled && row + r < basis.rows) scale = power_of_two(basis.row_exponents[row + r]);
      value[r] += IsScaled ? part[r] * scale : part[r];
      if (row + r >= basis.rows) value[r] = 0;
      add_to_norms<IsScaled>(partials, value[r], scale, squares, largest);
    }
    store_rows(w, row, basis.rows, value);
  }
  hand_on_norms<AddTuning::rows_threads / warp_size>(squares, largest, partials);
}

template <Code C>
void launch_add_few(Stream stream, const Basis& basis, int begin, int count, const Weights& y, double* w,
                    bool leaves_norms, SweepMemory& memory) {
  const int warps = divide_up(count, AddTuning::columns);
  const dim3 block(warp_size, warps, AddTuning::warps / warps);
  const std::int64_t all = divide_up<std::int64_t>(basis.rows, std::int64_t(warp_size) * rows_of_add<C> * block.z);
  const int blocks = static_cast<int>(std::max<std::int64_t>(1, std::min<std::int64_t>(all, AddTuning::blocks)));
  const Partials partials = {memory.partials, memory.maxima, blocks, 0, leaves_norms};
  memory.num_slots = partials.slots;
  const std::size_t bytes = block.z * block.y * warp_size * rows_of_add<C> * sizeof(double);
  const Launch launch = {stream, blocks, block, static_cast<int>(bytes)};
  for_scaled(basis, [&](auto is_scaled) {
    launch_early<add_kernel<C, decltype(is_scaled)::value>>(launch, basis, begin, count, y, w, partials);
  });
  check_launch("update by the basis");
}

template <Code C>
void launch_add_rows(Stream stream, const Basis& basis, int begin, int count, const Weights& y, double* w,
                     bool leaves_norms, SweepMemory& memory) {
  const std::int64_t all =
      divide_up<std::int64_t>(basis.rows, std::int64_t(AddTuning::rows_threads) * rows_of_add<C>);
  const int blocks = static_cast<int>(all < AddTuning::rows_blocks ? all : AddTuning::rows_blocks);
  const Partials partials = {memory.partials, memory.maxima, blocks, 0, leaves_norms};
  memory.num_slots = blocks;
  const Launch launch = {stream, blocks, AddTuning::rows_threads};
  for_scaled(basis, [&](auto is_scaled) {
    launch_early<add_rows_kernel<C, decltype(is_scaled)::value>>(launch, basis, begin, count, y, w, partials, false);
  });
  check_launch("update by the basis");
}

inline Weights weights_of(const double* y, int count) {
  Weights weights;
  for (int j = 0; j < count; ++j) weights.values[j] = y[j];
  return weights;
}

/// w = w + V(:, columns) y, 128 columns at a time.
template <Code C>
void launch_add(Stream stream, const Basis& basis, int begin, int count, const double* y, double* w,
                bool leaves_norms, SweepMemory& memory) {
  const auto launch = basis.rows >= AddTuning::many_rows ? launch_add_rows<C> : launch_add_few<C>;
  for (int done = 0; done < count; done += columns_of_add) {
    const int now = count - done < columns_of_add ? count - done : columns_of_add;
    launch(stream, basis, begin + done, now, weights_of(y + done, now), w, leaves_norms, memory);
  }
}

}  // namespace cuda
}  // namespace krylite

#endif
