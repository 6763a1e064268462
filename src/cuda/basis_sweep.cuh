#ifndef KRYLITE_SRC_CUDA_BASIS_SWEEP_CUH
#define KRYLITE_SRC_CUDA_BASIS_SWEEP_CUH

#include "basis_rows.cuh"

namespace krylite {
namespace cuda {

/// Where the sums of the blocks go: those of number `value` from all blocks are neighbours.
struct Partials {
  double* sums;
  double* maxima;
  int blocks;
  int squares;  ///< number of w^T w among the sums

  __device__ __forceinline__ double& at(int value) const { return sums[value * blocks + blockIdx.x]; }
};

/// Numbers that a warp leaves for its block: sums of its columns, Gram sums, w^T w and the largest.
inline constexpr int sums_of_warp = 2 * SweepTuning::columns + 2;
template <int Warps>
using BlockSums = double[Warps][sums_of_warp];

/// Adds the sums of the warps that took the same columns (a block has `blockDim.z` of them), and hands them on.
/// \param has_gram the Gram sums count; they are `count` numbers behind the products
template <int Warps>
__device__ __forceinline__ void hand_on(const BlockSums<Warps>& sums, const Partials& partials, int first_column, int count,
                                        bool has_gram) {
  __syncthreads();
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * warp_size + threadIdx.x;
  const int threads = blockDim.x * blockDim.y * blockDim.z;
  for (int i = thread; i < static_cast<int>(blockDim.y) * sums_of_warp; i += threads) {
    const int warp = i / sums_of_warp;
    const int value = i % sums_of_warp;
    if (value == sums_of_warp - 1) continue;
    double sum = 0;
    for (int z = 0; z < static_cast<int>(blockDim.z); ++z) sum += sums[z * blockDim.y + warp][value];
    const int column = first_column + warp * SweepTuning::columns + value % SweepTuning::columns;
    if (value < SweepTuning::columns) {
      if (column < count) partials.at(column) = sum;
    } else if (value < 2 * SweepTuning::columns) {
      if (has_gram && column < count) partials.at(count + column) = sum;
    } else if (warp == 0 && blockIdx.y == 0) {
      partials.at(partials.squares) = sum;
    }
  }
  if (thread == 0 && blockIdx.y == 0) {
    double largest = 0;
    for (int z = 0; z < static_cast<int>(blockDim.z); ++z) {
      const double other = sums[z * blockDim.y][sums_of_warp - 1];
      largest = other > largest ? other : largest;
    }
    partials.maxima[blockIdx.x] = largest;
  }
}

/// products[c] += column c times x and, where wanted, gram[c] += column c times u, for the rows of a lane.
template <Code C, bool HasGram>
__device__ __forceinline__ void add_products(const WarpColumns<C>& columns, const double (&x)[codes_of_pack<C>],
                                             const double (&u)[codes_of_pack<C>],
                                             double (&products)[SweepTuning::columns],
                                             double (&gram)[SweepTuning::columns]) {
  constexpr int rows = codes_of_pack<C>;
#pragma unroll
  for (int c = 0; c < SweepTuning::columns; ++c) {
    double values[rows];
    decode<C>(columns.packs[c], values);
    if constexpr (is_block_float<C>) {
      const double scale = power_of_two(columns.exponents[c]);
      double part = 0;
      double gram_part = 0;
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        part += values[r] * x[r];
        if constexpr (HasGram) gram_part += values[r] * u[r];
      }
      products[c] += part * scale;
      if constexpr (HasGram) gram[c] += gram_part * scale;
    } else {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        products[c] += values[r] * x[r];
        if constexpr (HasGram) gram[c] += values[r] * u[r];
      }
    }
  }
}

/// What a warp loads of a stretch of rows for products.
template <Code C, bool HasGram>
struct ProjectLoads {
  static constexpr int rows = codes_of_pack<C>;
  WarpColumns<C> columns;
  RawPack<C> last;
  int last_exponent;
  double x[rows];

  __device__ __forceinline__ void load(const Basis& basis, int first_column, int live, int last_column,
                                       const double* w, std::int64_t row) {
    columns.load(basis, first_column, live, row);
    last = load_pack<C>(basis, last_column, row, HasGram);
    last_exponent = load_exponent<C>(basis, last_column, row, HasGram);
    load_rows(w, row, basis.rows, x);
  }
};

/// Products of the columns [begin, begin + count) with w, and with the last of them. Warp y of a block takes the
/// columns from 8 y on, and the rows that its z says.
template <Code C, bool HasGram, bool IsScaled>
__global__ void __launch_bounds__(SweepTuning::warps* warp_size, SweepTuning::blocks_per_multiprocessor<HasGram>)
    project_kernel(const Basis basis, const int begin, const int count, const double* w, const Partials partials) {
  constexpr int rows = codes_of_pack<C>;
  // Packs of 8 bytes leave registers to load the next rows meanwhile.
  constexpr bool is_ahead = sizeof(RawPack<C>) == 8 && (HasGram || !is_block_float<C>);
  const int block_column = blockIdx.y * blockDim.y * SweepTuning::columns;
  const int first = block_column + threadIdx.y * SweepTuning::columns;
  const int live = min(SweepTuning::columns, count - first);
  const int last = begin + count - 1;
  const std::int64_t chunks = divide_up<std::int64_t>(basis.rows, rows_of_warp<C>);
  const std::int64_t step = gridDim.x * blockDim.z;
  double products[SweepTuning::columns] = {};
  double gram[SweepTuning::columns] = {};
  double squares = 0;
  double largest = 0;
  std::int64_t chunk = blockIdx.x * blockDim.z + threadIdx.z;
  std::int64_t row = chunk * rows_of_warp<C> + threadIdx.x * rows;
  ProjectLoads<C, HasGram> next;
  if (is_ahead && chunk < chunks) next.load(basis, begin + first, live, last, w, row);
  for (; chunk < chunks; chunk += step) {
    if (!is_ahead) next.load(basis, begin + first, live, last, w, row);
    ProjectLoads<C, HasGram> now = next;
    const std::int64_t this_row = row;
    row += step * rows_of_warp<C>;
    if (is_ahead && chunk + step < chunks) next.load(basis, begin + first, live, last, w, row);
    if (threadIdx.y == 0) {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        squares += now.x[r] * now.x[r];
        largest = fabs(now.x[r]) > largest ? fabs(now.x[r]) : largest;
      }
    }
    double u[rows] = {};
    if constexpr (HasGram) decode<C>(now.last, u);
    if constexpr (HasGram && is_block_float<C>) {
#pragma unroll
      for (int r = 0; r < rows; ++r) u[r] *= power_of_two(now.last_exponent);
    }
    if constexpr (IsScaled) {
      double scales[rows];
      load_row_scales(basis.row_exponents, this_row, basis.rows, scales);
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        now.x[r] *= scales[r];
        u[r] *= scales[r] * scales[r];
      }
    }
    add_products<C, HasGram>(now.columns, now.x, u, products, gram);
  }
  __shared__ BlockSums<SweepTuning::warps> sums;
  double* const own = sums[threadIdx.z * blockDim.y + threadIdx.y];
#pragma unroll
  for (int c = 0; c < SweepTuning::columns; ++c) {
    const double product = sum_of_warp(products[c]);
    if (threadIdx.x == 0) own[c] = product;
    if constexpr (HasGram) {
      const double gram_product = sum_of_warp(gram[c]);
      if (threadIdx.x == 0) own[SweepTuning::columns + c] = gram_product;
    } else {
      if (threadIdx.x == 0) own[SweepTuning::columns + c] = 0;
    }
  }
  squares = sum_of_warp(squares);
  largest = largest_of_warp(largest);
  if (threadIdx.x == 0) {
    own[2 * SweepTuning::columns] = squares;
    own[2 * SweepTuning::columns + 1] = largest;
  }
  hand_on(sums, partials, block_column, count, HasGram);
}

/// What the columns of one launch are multiplied with.
inline constexpr int columns_of_add = SweepTuning::columns * SweepTuning::add_warps;

struct Weights {
  double values[columns_of_add];
};

/// The weights of the added columns in shared memory: coefficients times factors, 0 behind the last column.
template <Code C>
__device__ __forceinline__ void fill_weights(const Basis& basis, int begin, int count, const Weights& y, int thread,
                                             int threads, double* weights) {
  for (int j = thread; j < columns_of_add; j += threads) {
    weights[j] = j < count ? y.values[j] * (basis.factors[begin + j] * CodeTraits<C>::unit) : 0.0;
  }
}

/// part += columns times their weights, for the rows of a lane.
template <Code C>
__device__ __forceinline__ void add_columns(const WarpColumns<C>& columns, const double* weights,
                                            double (&part)[codes_of_pack<C>]) {
#pragma unroll
  for (int c = 0; c < SweepTuning::columns; ++c) {
    double weight = weights[c];
    if constexpr (is_block_float<C>) weight *= power_of_two(columns.exponents[c]);
    double values[codes_of_pack<C>];
    decode<C>(columns.packs[c], values);
#pragma unroll
    for (int r = 0; r < codes_of_pack<C>; ++r) part[r] += weight * values[r];
  }
}

/// Hands on the norms of the rows that all threads of a block have had.
template <int Warps>
__device__ __forceinline__ void hand_on_norms(double squares, double largest, const Partials& partials) {
  __shared__ double squares_of[Warps];
  __shared__ double largest_of[Warps];
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const int warps = blockDim.x * blockDim.y * blockDim.z / warp_size;
  squares = sum_of_warp(squares);
  largest = largest_of_warp(largest);
  if (thread % warp_size == 0) {
    squares_of[thread / warp_size] = squares;
    largest_of[thread / warp_size] = largest;
  }
  __syncthreads();
  if (thread != 0) return;
  for (int warp = 1; warp < warps; ++warp) {
    squares += squares_of[warp];
    largest = largest_of[warp] > largest ? largest_of[warp] : largest;
  }
  partials.at(partials.squares) = squares;
  partials.maxima[blockIdx.x] = largest;
}

/// w = w + V(:, columns) y for up to 128 columns from `begin` on, where there are few rows: the warps of a stretch of
/// rows share its columns, and their parts of w are added in shared memory.
template <Code C, bool IsScaled>
__global__ void __launch_bounds__(SweepTuning::add_warps* warp_size)
    add_kernel(const Basis basis, const int begin, const int count, const Weights y, double* w,
               const Partials partials) {
  constexpr int rows = codes_of_pack<C>;
  constexpr int stretch = rows_of_warp<C>;
  extern __shared__ double shared[];  // of each z, a stretch for every warp
  __shared__ double weights[columns_of_add];
  double* const parts = shared + threadIdx.z * blockDim.y * stretch;
  const int group_thread = threadIdx.y * warp_size + threadIdx.x;
  const int group_threads = blockDim.y * warp_size;
  const int first = threadIdx.y * SweepTuning::columns;
  const int live = min(SweepTuning::columns, count - first);
  const std::int64_t chunks = divide_up<std::int64_t>(basis.rows, stretch);
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.z;
  std::int64_t chunk = static_cast<std::int64_t>(blockIdx.x) * blockDim.z + threadIdx.z;
  WarpColumns<C> next;
  next.load(basis, begin + first, live, chunk * stretch + threadIdx.x * rows);
  if (threadIdx.z == 0) fill_weights<C>(basis, begin, count, y, group_thread, group_threads, weights);
  __syncthreads();
  double squares = 0;
  double largest = 0;
  // All z of a block go round equally often, for the barriers.
  for (std::int64_t round = static_cast<std::int64_t>(blockIdx.x) * blockDim.z; round < chunks;
       round += step, chunk += step) {
    const std::int64_t begin_row = chunk * stretch;
    const WarpColumns<C> columns = next;
    const std::int64_t own_row = begin_row + group_thread;
    const bool has_own = group_thread < stretch && own_row < basis.rows;
    const double own_w = has_own ? w[own_row] : 0.0;
    if (round + step < chunks) {
      next.load(basis, begin + first, live, begin_row + threadIdx.x * rows + step * stretch);
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
      squares += value * value;
      const double magnitude = IsScaled ? fabs(value) / scale : fabs(value);
      largest = magnitude > largest ? magnitude : largest;
    }
    __syncthreads();
  }
  hand_on_norms<SweepTuning::add_warps>(squares, largest, partials);
}

/// w = w + V(:, columns) y where there are rows enough to keep the device busy: a thread takes a pack of rows and all
/// columns, so that no thread waits for another.
template <Code C, bool IsScaled>
__global__ void __launch_bounds__(SweepTuning::rows_threads)
    add_rows_kernel(const Basis basis, const int begin, const int count, const Weights y, double* w,
                    const Partials partials, const bool never) {
  constexpr int rows = codes_of_pack<C>;
  __shared__ double weights[columns_of_add];
  fill_weights<C>(basis, begin, count, y, threadIdx.x, SweepTuning::rows_threads, weights);
  __syncthreads();
  double squares = 0;
  double largest = 0;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * SweepTuning::rows_threads * rows;
  for (std::int64_t row = (static_cast<std::int64_t>(blockIdx.x) * SweepTuning::rows_threads + threadIdx.x) * rows;
       row < basis.rows; row += step) {
    double part[rows] = {};
    for (int first = 0; first < count; first += SweepTuning::columns) {
      WarpColumns<C> columns;
      columns.load(basis, begin + first, count - first, row);
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
      squares += value[r] * value[r];
      const double magnitude = IsScaled ? fabs(value[r]) / scale : fabs(value[r]);
      largest = magnitude > largest ? magnitude : largest;
    }
    store_rows(w, row, basis.rows, value);
  }
  hand_on_norms<SweepTuning::rows_threads / warp_size>(squares, largest, partials);
}

/// Threads and blocks of a sweep over `count` columns, by blocks of at most `most_warps`.
struct SweepShape {
  dim3 block;
  dim3 grid;

  SweepShape(std::int64_t num_rows, int rows_of_warp, int count, int most_warps, int most_blocks) {
    const int column_warps = count > 0 ? divide_up(count, SweepTuning::columns) : 1;
    grid.y = divide_up(column_warps, most_warps);
    block = dim3(warp_size, divide_up<int>(column_warps, grid.y), 1);
    block.z = most_warps / block.y;
    const std::int64_t blocks = divide_up<std::int64_t>(num_rows, static_cast<std::int64_t>(rows_of_warp) * block.z);
    const int most = most_blocks / static_cast<int>(grid.y);
    grid.x = static_cast<unsigned>(blocks < most ? blocks : most > 0 ? most : 1);
  }
};

template <Code C, bool HasGram>
void launch_project(Stream stream, const Basis& basis, int begin, int count, const double* w, SweepMemory& memory) {
  const SweepShape shape(basis.rows, rows_of_warp<C>, count, SweepTuning::warps, SweepTuning::blocks);
  const dim3 grid = shape.grid;
  const Partials partials = {memory.partials, memory.maxima, static_cast<int>(grid.x), (HasGram ? 2 : 1) * count};
  memory.num_maxima = partials.blocks;
  if (basis.row_exponents != nullptr) {
    project_kernel<C, HasGram, true><<<grid, shape.block, 0, stream>>>(basis, begin, count, w, partials);
  } else {
    project_kernel<C, HasGram, false><<<grid, shape.block, 0, stream>>>(basis, begin, count, w, partials);
  }
  check_launch("products with the basis");
}

template <Code C>
void launch_add_few(Stream stream, const Basis& basis, int begin, int count, const Weights& y, double* w,
                    SweepMemory& memory) {
  const SweepShape shape(basis.rows, rows_of_warp<C>, count, SweepTuning::add_warps, SweepTuning::add_blocks);
  const Partials partials = {memory.partials, memory.maxima, static_cast<int>(shape.grid.x), 0};
  memory.num_maxima = partials.blocks;
  const std::size_t bytes = shape.block.z * shape.block.y * rows_of_warp<C> * sizeof(double);
  const auto kernel = basis.row_exponents != nullptr ? add_kernel<C, true> : add_kernel<C, false>;
  kernel<<<shape.grid.x, shape.block, bytes, stream>>>(basis, begin, count, y, w, partials);
  check_launch("update by the basis");
}

template <Code C>
void launch_add_rows(Stream stream, const Basis& basis, int begin, int count, const Weights& y, double* w,
                     SweepMemory& memory) {
  const std::int64_t all =
      divide_up<std::int64_t>(basis.rows, static_cast<std::int64_t>(SweepTuning::rows_threads) * codes_of_pack<C>);
  const int blocks = static_cast<int>(all < SweepTuning::rows_blocks ? all : SweepTuning::rows_blocks);
  const Partials partials = {memory.partials, memory.maxima, blocks, 0};
  memory.num_maxima = blocks;
  const auto kernel = basis.row_exponents != nullptr ? add_rows_kernel<C, true> : add_rows_kernel<C, false>;
  kernel<<<blocks, SweepTuning::rows_threads, 0, stream>>>(basis, begin, count, y, w, partials, false);
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
                SweepMemory& memory) {
  const auto launch = basis.rows >= SweepTuning::many_rows ? launch_add_rows<C> : launch_add_few<C>;
  for (int done = 0; done < count; done += columns_of_add) {
    const int now = count - done < columns_of_add ? count - done : columns_of_add;
    launch(stream, basis, begin + done, now, weights_of(y + done, now), w, memory);
  }
}

/// The sums of the blocks, added in a fixed order and sent to the host.
struct Join {
  const double* partials;
  const double* maxima;
  const double* errors;
  const double* factors;  ///< of the projected columns, or null
  double* sums;
  double* host_sums;
  unsigned* host_ticket;
  unsigned* tickets;
  double unit;
  int columns;
  int gram_columns;
  int blocks;
  int num_errors;
  unsigned sweep;
};
void join(Stream stream, const Join& what);

// In basis_fused.cuh:
template <Code C>
void launch_fused(Stream stream, const Basis& basis, int begin, int count, const double* y, double* w,
                  SweepMemory& memory);

/// A sweep over columns of one storage. What must be added first and projected then is one kernel where it is the same
/// columns.
template <Code C>
void sweep_columns(Stream stream, const Basis& basis, const SweepPlan& plan, const double* y, double* w,
                   SweepMemory& memory) {
  const bool is_fused = plan.add_count > 0 && plan.add_count == plan.project_count &&
                        plan.add_begin == plan.project_begin && !plan.gram && plan.add_count <= columns_of_add;
  if (is_fused) return launch_fused<C>(stream, basis, plan.add_begin, plan.add_count, y, w, memory);
  if (plan.add_count > 0) launch_add<C>(stream, basis, plan.add_begin, plan.add_count, y, w, memory);
  if (plan.project_count == 0 && plan.add_count > 0) return;
  if (plan.gram) {
    launch_project<C, true>(stream, basis, plan.project_begin, plan.project_count, w, memory);
  } else {
    launch_project<C, false>(stream, basis, plan.project_begin, plan.project_count, w, memory);
  }
}

extern template void sweep_columns<Code::float64>(Stream, const Basis&, const SweepPlan&, const double*, double*,
                                                  SweepMemory&);
extern template void sweep_columns<Code::float32>(Stream, const Basis&, const SweepPlan&, const double*, double*,
                                                  SweepMemory&);
extern template void sweep_columns<Code::float16>(Stream, const Basis&, const SweepPlan&, const double*, double*,
                                                  SweepMemory&);
extern template void sweep_columns<Code::bfloat16>(Stream, const Basis&, const SweepPlan&, const double*, double*,
                                                   SweepMemory&);
extern template void sweep_columns<Code::int32>(Stream, const Basis&, const SweepPlan&, const double*, double*,
                                                SweepMemory&);
extern template void sweep_columns<Code::int16>(Stream, const Basis&, const SweepPlan&, const double*, double*,
                                                SweepMemory&);
extern template void sweep_columns<Code::bfp32>(Stream, const Basis&, const SweepPlan&, const double*, double*,
                                                SweepMemory&);
extern template void sweep_columns<Code::bfp16>(Stream, const Basis&, const SweepPlan&, const double*, double*,
                                                SweepMemory&);

}  // namespace cuda
}  // namespace krylite

#endif
