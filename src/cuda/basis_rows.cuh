#ifndef KRYLITE_SRC_CUDA_BASIS_ROWS_CUH
#define KRYLITE_SRC_CUDA_BASIS_ROWS_CUH

#include "codes.cuh"

#include <krylite/basis/cuda/tuning.hpp>

namespace krylite {
namespace cuda {

/// Rows that a warp takes at a time: a pack a lane.
template <Code C>
inline constexpr int rows_of_warp = warp_size * codes_of_pack<C>;

/// Columns of a warp from one row on.
template <Code C>
struct WarpColumns {
  static constexpr int count = SweepTuning::columns;
  CodePack<C> packs[count];
  std::int8_t exponents[count];  ///< where entries share one

  /// Loads the leading `live` columns; behind the last row, zeros.
  __device__ __forceinline__ void load(const Basis& basis, int first_column, int live, std::int64_t row) {
    using Word = typename CodeTraits<C>::Word;
    constexpr int rows = codes_of_pack<C>;
    const Word* const codes = static_cast<const Word*>(basis.codes) + first_column * basis.stride + row;
    const bool is_whole = row + rows <= basis.rows;
#pragma unroll
    for (int c = 0; c < count; ++c) {
      if (c >= live) continue;
      if (is_whole) {
        packs[c] = load_once<rows>(codes + c * basis.stride);
      } else {
#pragma unroll
        for (int r = 0; r < rows; ++r) packs[c][r] = row + r < basis.rows ? codes[c * basis.stride + r] : Word(0);
      }
      if constexpr (is_block_float<C>) {
        exponents[c] = row < basis.rows ? basis.exponents[row / entries_per_exponent +
                                                         (first_column + c) * basis.exponent_stride]
                                        : std::int8_t(0);
      }
    }
  }
};

/// Rows [row, row + Rows) of a vector; behind the last, zeros.
template <int Rows>
__device__ __forceinline__ void load_rows(const double* w, std::int64_t row, std::int64_t num_rows,
                                          double (&values)[Rows]) {
  if (row + Rows <= num_rows && is_aligned<2>(w)) {
#pragma unroll
    for (int r = 0; r < Rows; r += 2) {
      const double2 pair = *reinterpret_cast<const double2*>(w + row + r);
      values[r] = pair.x;
      values[r + 1] = pair.y;
    }
  } else {
#pragma unroll
    for (int r = 0; r < Rows; ++r) values[r] = row + r < num_rows ? w[row + r] : 0.0;
  }
}

/// The powers of two that belong to the rows.
template <int Rows>
__device__ __forceinline__ void load_row_scales(const std::int8_t* exponents, std::int64_t row, std::int64_t num_rows,
                                                double (&scales)[Rows]) {
#pragma unroll
  for (int r = 0; r < Rows; ++r) scales[r] = row + r < num_rows ? power_of_two(exponents[row + r]) : 1.0;
}

/// The same sum in every lane, the same bits each time.
__device__ __forceinline__ double sum_of_warp(double value) {
#pragma unroll
  for (int step = warp_size / 2; step > 0; step /= 2) value += __shfl_xor_sync(all_lanes, value, step);
  return value;
}

__device__ __forceinline__ double largest_of_warp(double value) {
#pragma unroll
  for (int step = warp_size / 2; step > 0; step /= 2) {
    const double other = __shfl_xor_sync(all_lanes, value, step);
    value = other > value ? other : value;
  }
  return value;
}

}  // namespace cuda
}  // namespace krylite

#endif
