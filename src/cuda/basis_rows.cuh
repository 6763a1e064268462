#ifndef KRYLITE_SRC_CUDA_BASIS_ROWS_CUH
#define KRYLITE_SRC_CUDA_BASIS_ROWS_CUH

#include "codes.cuh"

#include <krylite/basis/cuda/tuning.hpp>

namespace krylite {
namespace cuda {

/// Rows that a warp takes at a time: a pack a lane.
template <Code C>
inline constexpr int rows_of_warp = warp_size * codes_of_pack<C>;

/// Where a column has its code of a row.
template <Code C>
__device__ __forceinline__ const typename CodeTraits<C>::Word* code_at(const Basis& basis, int column,
                                                                      std::int64_t row) {
  return static_cast<const typename CodeTraits<C>::Word*>(basis.codes) + column * basis.stride + row;
}

/// The pack of a column at the rows of a lane; behind the last row or where it is not wanted, zeros. Columns are padded
/// with zeros to whole cache lines, so that a pack that begins before the last row can be loaded whole.
template <Code C>
__device__ __forceinline__ RawPack<C> load_pack(const Basis& basis, int column, std::int64_t row, bool is_wanted) {
  return load_once_if<sizeof(RawPack<C>)>(is_wanted && row < basis.rows, code_at<C>(basis, column, row));
}

/// The power of two that a column has at the rows of a lane, where entries share one.
template <Code C>
__device__ __forceinline__ int load_exponent(const Basis& basis, int column, std::int64_t row, bool is_wanted) {
  if (!is_block_float<C>) return 0;
  return load_again_if(is_wanted && row < basis.rows,
                       basis.exponents + row / entries_per_exponent + column * basis.exponent_stride);
}

/// Columns of a warp from one row on.
template <Code C>
struct WarpColumns {
  static constexpr int count = SweepTuning::columns;
  RawPack<C> packs[count];
  int exponents[count];

  /// Loads the leading `live` columns; the others are zeros, so that nothing depends on how many there are.
  __device__ __forceinline__ void load(const Basis& basis, int first_column, int live, std::int64_t row) {
    const auto* codes = code_at<C>(basis, first_column, row);
#pragma unroll
    for (int c = 0; c < count; ++c) {
      packs[c] = load_once_if<sizeof(RawPack<C>)>(c < live && row < basis.rows, codes);
      codes += basis.stride;
    }
#pragma unroll
    for (int c = 0; c < count; ++c) {
      exponents[c] = load_exponent<C>(basis, first_column + c, row, c < live);
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

template <int Rows>
__device__ __forceinline__ void store_rows(double* w, std::int64_t row, std::int64_t num_rows,
                                           const double (&values)[Rows]) {
  if (row + Rows <= num_rows && is_aligned<2>(w)) {
#pragma unroll
    for (int r = 0; r < Rows; r += 2) {
      *reinterpret_cast<double2*>(w + row + r) = make_double2(values[r], values[r + 1]);
    }
  } else {
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      if (row + r < num_rows) w[row + r] = values[r];
    }
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
