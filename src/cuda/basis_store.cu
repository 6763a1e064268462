#include "basis_rows.cuh"

#include <cuda_bf16.h>

namespace krylite {
namespace cuda {
namespace {

constexpr int store_warps = StoreTuning::threads / warp_size;

/// Divides by one number many times: by a product with its reciprocal, where that is in range.
struct Divisor {
  double value;
  double reciprocal;
  bool is_tame;

  __device__ explicit Divisor(double number)
      : value(number), reciprocal(1 / number), is_tame(number > 1e-300 && number < 1e300) {}
  __device__ __forceinline__ double operator()(double x) const { return is_tame ? x * reciprocal : x / value; }
};

/// The code of a number of units.
template <Code C>
__device__ __forceinline__ typename CodeTraits<C>::Word encode(double units) {
  if constexpr (C == Code::float64) {
    return units;
  } else if constexpr (C == Code::float32) {
    return __double2float_rn(units);
  } else if constexpr (C == Code::float16) {
    return __half_as_ushort(__double2half(units));
  } else if constexpr (C == Code::bfloat16) {
    return __bfloat16_as_ushort(__double2bfloat16(units));
  } else {
    // What has no code is not finite, and shows elsewhere.
    constexpr double limit = 1 / CodeTraits<C>::unit;
    const double code = rint(units);
    return static_cast<typename CodeTraits<C>::Word>(fabs(code) < limit ? code : 0.0);
  }
}

/// The largest of what the blocks of the last sweep found, for all threads of this block.
__device__ double largest_of_sweep(const double* maxima, int count) {
  __shared__ double largest_of[store_warps];
  double largest = 0;
  for (int i = threadIdx.x; i < count; i += StoreTuning::threads) largest = maxima[i] > largest ? maxima[i] : largest;
  largest = largest_of_warp(largest);
  if (threadIdx.x % warp_size == 0) largest_of[threadIdx.x / warp_size] = largest;
  __syncthreads();
  for (const double other : largest_of) largest = other > largest ? other : largest;
  return largest;
}

/// The factor of a vector whose largest magnitude is `largest` (krylite::storage_factor).
template <Code C>
__device__ double factor_for(double largest) {
  if (C == Code::float64) return 1;
  const double factor = largest / (1.0 - CodeTraits<C>::largest_code_less * CodeTraits<C>::unit);
  return factor >= 0x1p-1022 ? factor : 1.0;
}

/// The exponent that the lanes of 32 neighbouring entries share (krylite::block_exponent).
template <Code C>
__device__ __forceinline__ int shared_exponent(double largest) {
  constexpr int smallest = -100;
  constexpr int lanes = entries_per_exponent / StoreTuning::rows;
#pragma unroll
  for (int step = lanes / 2; step > 0; step /= 2) {
    const double other = __shfl_xor_sync(all_lanes, largest, step);
    largest = other > largest ? other : largest;
  }
  const double bound = largest * (1.0 + CodeTraits<C>::unit);
  if (!(bound >= power_of_two(smallest))) return smallest;
  return ((__double2hiint(bound) >> 20) & 0x7ff) - 1023 + 1;
}

template <Code C>
__global__ void __launch_bounds__(StoreTuning::threads)
    store_kernel(const Basis basis, const Store what, const double* maxima, const int num_slots) {
  wait_for_kernels_before();
  constexpr int rows = StoreTuning::rows;
  constexpr double unit = CodeTraits<C>::unit;
  using Word = typename CodeTraits<C>::Word;
  const double own_factor =
      what.factor > 0 ? what.factor : factor_for<C>(largest_of_sweep(maxima, num_slots) / what.divisor);
  const Divisor divisor(what.divisor);
  const Divisor factor(own_factor);
  if (blockIdx.x == 0 && threadIdx.x == 0) basis.factors[what.column] = own_factor;
  Word* const codes = static_cast<Word*>(basis.codes) + what.column * basis.stride;
  double errors = 0;
  // Whole warps go round together, for what they exchange.
  const std::int64_t warp_rows = warp_size * rows;
  const std::int64_t warp = (static_cast<std::int64_t>(blockIdx.x) * StoreTuning::threads + threadIdx.x) / warp_size;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * store_warps * warp_rows;
  for (std::int64_t begin = warp * warp_rows; begin < basis.rows; begin += step) {
    const std::int64_t row = begin + threadIdx.x % warp_size * rows;
    double w[rows];
    load_rows(what.w, row, basis.rows, w);
    double exact[rows], scales[rows];
    double largest = 0;
    Pack<Word, rows> pack;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      exact[r] = divisor(w[r]);
      const int exponent =
          basis.row_exponents != nullptr && row + r < basis.rows ? basis.row_exponents[row + r] : 0;
      scales[r] = power_of_two(exponent);
      w[r] = factor(exact[r]) * power_of_two(-exponent);
      largest = fabs(w[r]) > largest ? fabs(w[r]) : largest;
    }
    double scale = 1;
    double inverse_scale = 1;
    if constexpr (is_block_float<C>) {
      const int exponent = shared_exponent<C>(largest);
      scale = power_of_two(exponent);
      inverse_scale = power_of_two(-exponent);
      if (row % entries_per_exponent == 0 && row < basis.rows) {
        basis.exponents[row / entries_per_exponent + what.column * basis.exponent_stride] =
            static_cast<std::int8_t>(exponent);
      }
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) pack[r] = encode<C>(w[r] * (inverse_scale / unit));
    double values[rows];
    RawPack<C, rows> raw;
    memcpy(&raw, &pack, sizeof(raw));
    decode<C>(raw, values);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      w[r] = factor.value * (values[r] * unit * (scales[r] * scale));
      if (!isfinite(exact[r])) w[r] = exact[r];
      errors += (exact[r] - w[r]) * (exact[r] - w[r]);
    }
    if (row + rows <= basis.rows && is_aligned<2>(what.w)) {
      store_pack<rows>(codes + row, pack);
#pragma unroll
      for (int r = 0; r < rows; r += 2) *reinterpret_cast<double2*>(what.w + row + r) = make_double2(w[r], w[r + 1]);
    } else {
      for (int r = 0; r < rows && row + r < basis.rows; ++r) {
        codes[row + r] = pack[r];
        what.w[row + r] = w[r];
      }
    }
    if (what.magnitudes != nullptr) {
      for (int r = 0; r < rows && row + r < basis.rows; ++r) {
        if (fabs(exact[r]) > what.magnitudes[row + r]) what.magnitudes[row + r] = fabs(exact[r]);
      }
    }
  }
  __shared__ double errors_of[store_warps];
  errors = warp_sum(errors);
  if (threadIdx.x % warp_size == 0) errors_of[threadIdx.x / warp_size] = errors;
  __syncthreads();
  if (threadIdx.x != 0) return;
  double sum = 0;
  for (const double other : errors_of) sum += other;
  what.errors[blockIdx.x] = sum;
}

template <Code C>
void launch_store(Stream stream, const Basis& basis, const Store& what, const SweepMemory& memory) {
  if (basis.rows == 0) return;
  launch_early<store_kernel<C>>({stream, store_blocks(basis.rows), StoreTuning::threads}, basis, what, memory.maxima,
                                memory.num_slots);
  check_launch("storing a vector of the basis");
}

}  // namespace

int store_blocks(std::int64_t rows) {
  const std::int64_t blocks = divide_up<std::int64_t>(rows, StoreTuning::threads * StoreTuning::rows);
  return static_cast<int>(blocks < 1 ? 1 : blocks < StoreTuning::blocks ? blocks : StoreTuning::blocks);
}

void store(Stream stream, const Basis& basis, const Store& what, const SweepMemory& memory) {
  for_code(basis.code, [&](auto code) { launch_store<decltype(code)::value>(stream, basis, what, memory); });
}

}  // namespace cuda
}  // namespace krylite
