#ifndef KRYLITE_SRC_CUDA_BASIS_PROJECT_CUH
#define KRYLITE_SRC_CUDA_BASIS_PROJECT_CUH

#include "basis_sums.cuh"

#include <algorithm>

namespace krylite {
namespace cuda {

/// Warps of the products at most.
inline constexpr int project_warps = ProjectTuning::multiprocessors * ProjectTuning::resident_warps;

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

/// How the warps of the products of `count` columns are shared out, all of them numbered through: a group of columns
/// each, and of its rows every stretch whose number is the warp's slot, counted by the number of slots.
struct ProjectShape {
  int groups;
  int slots;

  ProjectShape(std::int64_t num_rows, int stretch, int count)
      : groups(count > 0 ? divide_up(count, ProjectTuning::columns) : 1) {
    const std::int64_t stretches = divide_up<std::int64_t>(num_rows, stretch);
    // No more than are resident at once: all take equally long, and one more would double the time. Vectors without
    // rows have norms too.
    const int most = std::max(1, project_warps / groups);
    slots = static_cast<int>(std::max<std::int64_t>(1, std::min<std::int64_t>(stretches, most)));
  }

  int blocks() const { return divide_up(groups * slots, ProjectTuning::warps); }
};

/// Products of the columns [begin, begin + count) with w, and with the last of them. A warp takes
/// ProjectTuning::columns of them, and loads the next stretch of rows while it works on one.
template <Code C, bool HasGram, bool IsScaled>
__global__ void __launch_bounds__(ProjectTuning::warps* warp_size, ProjectTuning::blocks_of_multiprocessor)
    project_kernel(const Basis basis, const int begin, const int count, const ProjectShape shape, const double* w,
                   const Partials partials) {
  constexpr int columns = ProjectTuning::columns;
  constexpr int rows = codes_of_pack<C>;
  constexpr int stretch = warp_size * rows;
  wait_for_kernels_before();
  const int warp = blockIdx.x * ProjectTuning::warps + threadIdx.y;
  const int group = warp % shape.groups;
  const int slot = warp / shape.groups;
  if (slot >= shape.slots) return;
  // The last columns may be fewer: their warp then takes some of its neighbour's too, which costs less than predicates.
  const int own_first = group * columns;
  const int first = min(own_first, max(count - columns, 0));
  const int live = min(columns, count - first);
  const int last = begin + count - 1;
  const std::int64_t step = static_cast<std::int64_t>(shape.slots) * stretch;
  std::int64_t row = static_cast<std::int64_t>(slot) * stretch + threadIdx.x * rows;
  // Of the stretches that are whole, and of all.
  const std::int64_t whole = live == columns ? basis.rows / stretch * stretch : 0;
  ProjectSums<C, HasGram> sums;
  ProjectLoads<C, HasGram> even, odd;
  const auto load = [&](ProjectLoads<C, HasGram>& loads, std::int64_t from) {
    loads.template load<true>(basis, begin + first, live, last, w, from);
  };
  const auto add = [&](ProjectLoads<C, HasGram>& loads) {
    add_stretch<C, HasGram, IsScaled>(basis, loads, row, group == 0, sums);
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
  while (row - threadIdx.x * rows < basis.rows) {
    even.template load<false>(basis, begin + first, live, last, w, row);
    add(even);
  }

  const int c = add_lanes(sums.products, threadIdx.x);
  if (HasGram) add_lanes(sums.gram, threadIdx.x);  // in the same lanes
  if (c >= 0 && first + c >= own_first && first + c < count) {
    partials.at(first + c, slot) = sums.products[0];
    if (HasGram) partials.at(count + first + c, slot) = sums.gram[0];
  }
  if (group != 0) return;
  const double squares = warp_sum(sums.squares);
  const double largest = largest_of_warp(sums.largest);
  if (threadIdx.x == 0) partials.set_norms(slot, squares, largest);
}

template <Code C, bool HasGram>
void launch_project(Stream stream, const Basis& basis, int begin, int count, const double* w, SweepMemory& memory) {
  const ProjectShape shape(basis.rows, warp_size * codes_of_pack<C>, count);
  const Partials partials = {memory.partials, memory.maxima, shape.slots, (HasGram ? 2 : 1) * count};
  memory.num_slots = shape.slots;
  const Launch launch = {stream, shape.blocks(), dim3(warp_size, ProjectTuning::warps)};
  for_scaled(basis, [&](auto is_scaled) {
    launch_early<project_kernel<C, HasGram, decltype(is_scaled)::value>>(launch, basis, begin, count, shape, w,
                                                                         partials);
  });
  check_launch("products with the basis");
}

}  // namespace cuda
}  // namespace krylite

#endif
