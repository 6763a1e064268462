#ifndef KRYLITE_SRC_CUDA_BASIS_ROWS_CUH
#define KRYLITE_SRC_CUDA_BASIS_ROWS_CUH

#include "codes.cuh"
#include "early_start.cuh"

#include <krylite/basis/cuda/tuning.hpp>

namespace krylite {
namespace cuda {

/// Where a column has its code of a row.
template <Code C>
__device__ __forceinline__ const typename CodeTraits<C>::Word* code_at(const Basis& basis, int column,
                                                                      std::int64_t row) {
  return static_cast<const typename CodeTraits<C>::Word*>(basis.codes) + column * basis.stride + row;
}

/// The exponent that a column has at some rows, where entries share one.
template <Code C>
__device__ __forceinline__ int load_exponent(const Basis& basis, int column, std::int64_t row, bool is_wanted) {
  if (!is_block_float<C>) return 0;
  return load_again_if(is_wanted, basis.exponents + row / entries_per_exponent + column * basis.exponent_stride);
}

/// `Count` neighbouring rows of `Columns` neighbouring columns, for one lane.
template <Code C, int Columns, int Count>
struct LaneColumns {
  RawPack<C, Count> packs[Columns];
  int exponents[is_block_float<C> ? Columns : 1];

  /// Loads the leading `live` columns from `row` on. What is not there is zero: the other columns, and rows behind the
  /// last. Columns are padded with zeros to whole cache lines, so that a pack that begins before the last row can be
  /// loaded whole. \tparam IsWhole all columns and rows are there: no predicates then
  template <bool IsWhole>
  __device__ __forceinline__ void load(const Basis& basis, int first_column, int live, std::int64_t row) {
    const auto* codes = code_at<C>(basis, first_column, row);
    const bool has_rows = IsWhole || row < basis.rows;
#pragma unroll
    for (int c = 0; c < Columns; ++c) {
      if constexpr (IsWhole) {
        packs[c] = load_once<sizeof(packs[c])>(codes);
      } else {
        packs[c] = load_once_if<sizeof(packs[c])>(c < live && has_rows, codes);
      }
      codes += basis.stride;
    }
    if constexpr (is_block_float<C>) {
#pragma unroll
      for (int c = 0; c < Columns; ++c) {
        exponents[c] = load_exponent<C>(basis, first_column + c, row, IsWhole || (c < live && has_rows));
      }
    }
  }
};

/// body(a constant that says whether rows have exponents)
template <class Body>
void for_scaled(const Basis& basis, const Body& body) {
  if (basis.row_exponents != nullptr) return body(std::true_type());
  body(std::false_type());
}

/// Rows [row, row + Count) of a vector, an even number; behind the last, zeros.
template <int Count>
__device__ __forceinline__ void load_rows(const double* w, std::int64_t row, std::int64_t num_rows,
                                          double (&values)[Count]) {
  if (row + Count <= num_rows && is_aligned<2>(w)) {
#pragma unroll
    for (int r = 0; r < Count; r += 2) {
      const double2 pair = *reinterpret_cast<const double2*>(w + row + r);
      values[r] = pair.x;
      values[r + 1] = pair.y;
    }
  } else {
#pragma unroll
    for (int r = 0; r < Count; ++r) values[r] = row + r < num_rows ? w[row + r] : 0.0;
  }
}

template <int Count>
__device__ __forceinline__ void store_rows(double* w, std::int64_t row, std::int64_t num_rows,
                                           const double (&values)[Count]) {
  if (row + Count <= num_rows && is_aligned<2>(w)) {
#pragma unroll
    for (int r = 0; r < Count; r += 2) {
      *reinterpret_cast<double2*>(w + row + r) = make_double2(values[r], values[r + 1]);
    }
  } else {
#pragma unroll
    for (int r = 0; r < Count; ++r) {
      if (row + r < num_rows) w[row + r] = values[r];
    }
  }
}

/// The powers of two that belong to the rows.
template <int Count>
__device__ __forceinline__ void load_row_scales(const std::int8_t* exponents, std::int64_t row, std::int64_t num_rows,
                                                double (&scales)[Count]) {
#pragma unroll
  for (int r = 0; r < Count; ++r) scales[r] = row + r < num_rows ? power_of_two(exponents[row + r]) : 1.0;
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
