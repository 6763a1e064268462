#ifndef KRYLITE_SRC_CUDA_CODES_CUH
#define KRYLITE_SRC_CUDA_CODES_CUH

#include "launch.cuh"
#include "vector_loads.cuh"

#include <krylite/basis/cuda/kernels.hpp>

namespace krylite {
namespace cuda {

/// What the kernels know of a storage: the type that holds a code, the unit that codes are multiples of, and how many
/// units the largest code is below 1 (basis/storage.hpp).
///
/// A device converts 16 numbers to double in a clock where it adds 64. Integers are therefore put into the mantissa of
/// 2^52, from which that and their offset are subtracted; narrow floats keep their bits as the exponent and mantissa of
/// a tiny double, which a power of two makes what it is. Both are exact, subnormals included.
template <Code C>
struct CodeTraits;

template <>
struct CodeTraits<Code::float64> {
  using Word = double;
  static constexpr double unit = 1;
  static constexpr int largest_code_less = 0;
};
template <>
struct CodeTraits<Code::float32> {
  using Word = float;
  static constexpr double unit = 1;
  static constexpr int largest_code_less = 0;
};
template <>
struct CodeTraits<Code::float16> {
  using Word = std::uint16_t;
  static constexpr double unit = 0x1p-15;
  static constexpr int largest_code_less = 0;
};
template <>
struct CodeTraits<Code::bfloat16> {
  using Word = std::uint16_t;
  static constexpr double unit = 1;
  static constexpr int largest_code_less = 0;
};
template <>
struct CodeTraits<Code::int32> {
  using Word = std::int32_t;
  static constexpr double unit = 0x1p-31;
  static constexpr int largest_code_less = 1;
};
template <>
struct CodeTraits<Code::int16> {
  using Word = std::int16_t;
  static constexpr double unit = 0x1p-15;
  static constexpr int largest_code_less = 1;
};
template <>
struct CodeTraits<Code::bfp32> {
  using Word = std::int32_t;
  static constexpr double unit = 0x1p-31;
  static constexpr int largest_code_less = 2;
};
template <>
struct CodeTraits<Code::bfp16> {
  using Word = std::int16_t;
  static constexpr double unit = 0x1p-15;
  static constexpr int largest_code_less = 2;
};

template <Code C>
inline constexpr bool is_block_float = C == Code::bfp32 || C == Code::bfp16;

/// Neighbouring rows that a thread takes by one load: 16 bytes, or 8 where their numbers would take too many registers.
template <Code C>
inline constexpr int codes_of_pack = sizeof(typename CodeTraits<C>::Word) == 8 ? 2 : 4;

/// Their codes.
template <Code C>
using RawPack = Raw<codes_of_pack<C> * static_cast<int>(sizeof(typename CodeTraits<C>::Word))>;

inline constexpr int entries_per_exponent = 32;

/// 2^exponent
__device__ __forceinline__ double power_of_two(int exponent) { return __hiloint2double((exponent + 1023) << 20, 0); }

__device__ __forceinline__ double integer_in_mantissa(unsigned bits, double offset) {
  return __hiloint2double(0x43300000, static_cast<int>(bits)) - (0x1p52 + offset);
}

/// The numbers of a pack, as multiples of the storage's unit.
template <Code C>
__device__ __forceinline__ void decode(const RawPack<C>& pack, double (&values)[codes_of_pack<C>]) {
#pragma unroll
  for (int i = 0; i < static_cast<int>(sizeof(pack.words) / sizeof(unsigned)); ++i) {
    const unsigned word = pack.words[i];
    if constexpr (C == Code::float64) {
      if (i % 2 == 0) values[i / 2] = entry<double>(pack, i / 2);
    } else if constexpr (C == Code::float32) {
      values[i] = static_cast<double>(__uint_as_float(word));
    } else if constexpr (C == Code::int32 || C == Code::bfp32) {
      values[i] = integer_in_mantissa(word ^ 0x80000000u, 0x1p31);
    } else if constexpr (C == Code::int16 || C == Code::bfp16) {
      const unsigned shifted = word ^ 0x80008000u;
      values[2 * i] = integer_in_mantissa(shifted & 0xffffu, 0x1p15);
      values[2 * i + 1] = integer_in_mantissa(shifted >> 16, 0x1p15);
    } else {
      // Sign, exponent and mantissa move to where a double has them; the missing bias is a factor.
      constexpr int shift = C == Code::float16 ? 6 : 3;
      constexpr int mask = C == Code::float16 ? int(0x81fffc00u) : int(0x8fffe000u);
      constexpr double bias = C == Code::float16 ? 0x1p1008 : 0x1p896;
      values[2 * i] = __hiloint2double((static_cast<int>(word << 16) >> shift) & mask, 0) * bias;
      values[2 * i + 1] = __hiloint2double((static_cast<int>(word) >> shift) & mask, 0) * bias;
    }
  }
}

}  // namespace cuda
}  // namespace krylite

#endif
