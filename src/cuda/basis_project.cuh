#ifndef KRYLITE_SRC_CUDA_BASIS_PROJECT_CUH
#define KRYLITE_SRC_CUDA_BASIS_PROJECT_CUH

#include "basis_sums.cuh"

#include <algorithm>

namespace krylite {
namespace cuda {

/// What a lane of the products loads of a stretch of rows: its columns, w, and the last column where wanted.
template <Code C, bool HasGram>
struct ProjectLoads {
  static constexpr int rows = codes_of_pack<C>;
  static constexpr int columns = ProjectTuning::columns;
  LaneColumns<C, columns, rows> v;
  RawPack<C> last;
  int last_exponent;
  double x[rows];

  template <bool IsWhole>
  __device__ __forceinline__ void load(const Basis& basis, int first_column, int live, int last_column,
                                       const double* w, std::int64_t row) {
    v.template load<IsWhole>(basis, first_column, live, row);
    if constexpr (HasGram) {
      const bool has_rows = IsWhole || row < basis.rows;
      last = load_once_if<sizeof(last)>(has_rows, code_at<C>(basis, last_column, row));
      last_exponent = load_exponent<C>(basis, last_column, row, has_rows);
    }
    load_rows(w, row, basis.rows, x);
  }
};

/// The sums of a lane.
template <Code C, bool HasGram>
struct ProjectSums {
  static constexpr int rows = codes_of_pack<C>;
  static constexpr int columns = ProjectTuning::columns;
  double products[columns] = {};
  double gram[columns] = {};
  double squares = 0;
  double largest = 0;

  __device__ __forceinline__ void add_norms(const double (&x)[rows]) {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      squares += x[r] * x[r];
      largest = fabs(x[r]) > largest ? fabs(x[r]) : largest;
    }
  }

  /// products += columns times x, gram += columns times u.
  __device__ __forceinline__ void add_products(const LaneColumns<C, columns, rows>& v, const double (&x)[rows],
                                               const double (&u)[rows]) {
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      double values[rows];
      decode<C>(v.packs[c], values);
      double part = is_block_float<C> ? 0.0 : products[c];
      double gram_part = is_block_float<C> ? 0.0 : gram[c];
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        part += values[r] * x[r];
        if constexpr (HasGram) gram_part += values[r] * u[r];
      }
      if constexpr (is_block_float<C>) {
        const double scale = power_of_two(v.exponents[c]);
        part = products[c] + part * scale;
        gram_part = gram[c] + gram_part * scale;
      }
      products[c] = part;
      gram[c] = gram_part;
    }
  }
};

/// All that a stretch of rows adds to the sums.
template <Code C, bool HasGram, bool IsScaled>
__device__ __forceinline__ void add_stretch(const Basis& basis, ProjectLoads<C, HasGram>& loads, std::int64_t row,
                                            bool has_norms, ProjectSums<C, HasGram>& sums) {
  constexpr int rows = codes_of_pack<C>;
  if (has_norms) sums.add_norms(loads.x);
  double u[rows] = {};
  if constexpr (HasGram) decode<C>(loads.last, u);
  if constexpr (HasGram && is_block_float<C>) {
#pragma unroll
    for (int r = 0; r < rows; ++r) u[r] *= power_of_two(loads.last_exponent);
  }
  if constexpr (IsScaled) {
    double scales[rows];
    load_row_scales(basis.row_exponents, row, basis.rows, scales);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      loads.x[r] *= scales[r];
      u[r] *= scales[r] * scales[r];
    }
  }
  sums.add_products(loads.v, loads.x, u);
}

/// Products of the columns [begin, begin + count) with w, and with the last of them. Warp y of a block takes
/// ProjectTuning::columns of them and the stretches of rows that its z says; it loads the next stretch while it works
/// on one.
template <Code C, bool HasGram, bool IsScaled>
__global__ void __launch_bounds__(ProjectTuning::warps* warp_size, ProjectTuning::blocks_of_multiprocessor)
    project_kernel(const Basis basis, const int begin, const int count, const double* w, const Partials partials) {
  constexpr int columns = ProjectTuning::columns;
  constexpr int stretch = warp_size * codes_of_pack<C>;
  // The last columns may be fewer: their warp then takes some of its neighbour's too, which costs less than predicates.
  const int own_first = (blockIdx.y * blockDim.y + threadIdx.y) * columns;
  const int first = min(own_first, max(count - columns, 0));
  const int live = min(columns, count - first);
  const int last = begin + count - 1;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.z * stretch;
  const std::int64_t row_of_warp = (static_cast<std::int64_t>(blockIdx.x) * blockDim.z + threadIdx.z) * stretch;
  std::int64_t row = row_of_warp + threadIdx.x * codes_of_pack<C>;
  // Of the stretches that are whole, and of all.
  const std::int64_t whole = live == columns ? basis.rows / stretch * stretch : 0;
  const bool has_columns = own_first < max(count, 1);
  const std::int64_t end = basis.rows;
  if (!has_columns) row = end + threadIdx.x * codes_of_pack<C>;
  ProjectSums<C, HasGram> sums;
  ProjectLoads<C, HasGram> even, odd;
  const auto load = [&](ProjectLoads<C, HasGram>& loads, std::int64_t from) {
    loads.template load<true>(basis, begin + first, live, last, w, from);
  };
  const auto add = [&](ProjectLoads<C, HasGram>& loads) {
    add_stretch<C, HasGram, IsScaled>(basis, loads, row, threadIdx.y == 0, sums);
    row += step;
  };
  if (row < whole) load(even, row);
  while (row < whole) {
    if (row + step < whole) load(odd, row + step);
    add(even);
    if (row >= whole) break;
    if (row + step < whole) load(even, row + step);
    add(odd);
  }
  // The stretch with the last row, or all where there are fewer columns. Lanes of a warp stay together.
  while (row - threadIdx.x * codes_of_pack<C> < end) {
    even.template load<false>(basis, begin + first, live, last, w, row);
    add(even);
  }

  constexpr int values = 2 * columns;
  __shared__ double sums_of[ProjectTuning::warps][values];
  double* const own = sums_of[threadIdx.z * blockDim.y + threadIdx.y];
#pragma unroll
  for (int c = 0; c < columns; ++c) {
    const double product = warp_sum(sums.products[c]);
    const double gram = HasGram ? warp_sum(sums.gram[c]) : 0;
    if (threadIdx.x == 0) own[c] = product;
    if (threadIdx.x == 0) own[columns + c] = gram;
  }
  __syncthreads();
  // The warps that took the same columns are added in their order.
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * warp_size + threadIdx.x;
  for (int i = thread; i < static_cast<int>(blockDim.y) * values; i += blockDim.x * blockDim.y * blockDim.z) {
    const int warp = i / values;
    const int value = i % values;
    const int own_column = (blockIdx.y * blockDim.y + warp) * columns;
    const int column = min(own_column, max(count - columns, 0)) + value % columns;
    if (column < own_column || column >= count || (value >= columns && !HasGram)) continue;
    double sum = 0;
    for (int z = 0; z < static_cast<int>(blockDim.z); ++z) sum += sums_of[z * blockDim.y + warp][value];
    partials.at(value < columns ? column : count + column) = sum;
  }
  if (blockIdx.y == 0) hand_on_norms<ProjectTuning::warps>(sums.squares, sums.largest, partials);
}

/// Threads and blocks of the products of `count` columns: as few blocks along the columns as hold them evenly.
struct ProjectShape {
  dim3 block;
  dim3 grid;

  ProjectShape(std::int64_t num_rows, int stretch, int count) {
    const int warps = count > 0 ? divide_up(count, ProjectTuning::columns) : 1;
    grid.y = divide_up(warps, ProjectTuning::warps);
    // One more where that leaves no warp without columns.
    if (warps % grid.y != 0 && warps % (grid.y + 1) == 0) ++grid.y;
    block = dim3(warp_size, divide_up<int>(warps, grid.y), 1);
    block.z = ProjectTuning::warps / block.y;
    const std::int64_t blocks = divide_up<std::int64_t>(num_rows, static_cast<std::int64_t>(stretch) * block.z);
    // No more than are resident at once: all take equally long, and one more would double the time.
    const int resident = ProjectTuning::resident_warps / static_cast<int>(block.y * block.z);
    const int most = ProjectTuning::multiprocessors * resident / static_cast<int>(grid.y);
    // Vectors without rows have norms too.
    grid.x = static_cast<unsigned>(std::max<std::int64_t>(1, std::min<std::int64_t>(blocks, most)));
  }
};

template <Code C, bool HasGram>
void launch_project(Stream stream, const Basis& basis, int begin, int count, const double* w, SweepMemory& memory) {
  const ProjectShape shape(basis.rows, warp_size * codes_of_pack<C>, count);
  const Partials partials = {memory.partials, memory.maxima, static_cast<int>(shape.grid.x),
                             (HasGram ? 2 : 1) * count};
  memory.num_maxima = partials.blocks;
  const auto kernel = basis.row_exponents != nullptr ? project_kernel<C, HasGram, true>
                                                     : project_kernel<C, HasGram, false>;
  kernel<<<shape.grid, shape.block, 0, stream>>>(basis, begin, count, w, partials);
  check_launch("products with the basis");
}

}  // namespace cuda
}  // namespace krylite

#endif
