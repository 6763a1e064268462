#ifndef KRYLITE_SRC_CUDA_CODES_CUH
#define KRYLITE_SRC_CUDA_CODES_CUH

#include "launch.cuh"
#include "vector_loads.cuh"

#include <krylite/basis/cuda/kernels.hpp>

#include <type_traits>

namespace krylite {
namespace cuda {

/// A storage: the type that holds a code, codes are multiples of the unit 2^-`UnitBits`, and the largest code is
/// `CodeLess` units below 1 (basis/storage.hpp).
template <class WordOfCode, int UnitBits, int CodeLess>
struct StoredAs {
  using Word = WordOfCode;
  static constexpr double unit = 1.0 / (1u << UnitBits);
  static constexpr int largest_code_less = CodeLess;
};

/// What the kernels know of each.
template <Code C>
struct CodeTraits;
template <>
struct CodeTraits<Code::float64> : StoredAs<double, 0, 0> {};
template <>
struct CodeTraits<Code::float32> : StoredAs<float, 0, 0> {};
template <>
struct CodeTraits<Code::float16> : StoredAs<std::uint16_t, 15, 0> {};
template <>
struct CodeTraits<Code::bfloat16> : StoredAs<std::uint16_t, 0, 0> {};
template <>
struct CodeTraits<Code::int32> : StoredAs<std::int32_t, 31, 1> {};
template <>
struct CodeTraits<Code::int16> : StoredAs<std::int16_t, 15, 1> {};
template <>
struct CodeTraits<Code::bfp32> : StoredAs<std::int32_t, 31, 2> {};
template <>
struct CodeTraits<Code::bfp16> : StoredAs<std::int16_t, 15, 2> {};

/// Neighbouring rows that a thread takes by one load of 16 bytes.
template <Code C>
inline constexpr int codes_of_pack = 16 / static_cast<int>(sizeof(typename CodeTraits<C>::Word));

/// `Count` codes as they are loaded.
template <Code C, int Count = codes_of_pack<C>>
using RawPack = Raw<Count * static_cast<int>(sizeof(typename CodeTraits<C>::Word))>;

template <Code C>
inline constexpr bool is_block_float = C == Code::bfp32 || C == Code::bfp16;

inline constexpr int entries_per_exponent = 32;

/// 2^exponent
__device__ __forceinline__ double power_of_two(int exponent) { return __hiloint2double((exponent + 1023) << 20, 0); }

/// 2^exponent (code - bias): both are put into the mantissa of 2^(52 + exponent), and their difference is exact.
__device__ __forceinline__ double in_mantissa(unsigned code, unsigned bias, int exponent) {
  const int high = (exponent + 1023 + 52) << 20;
  return __hiloint2double(high, static_cast<int>(code)) - __hiloint2double(high, static_cast<int>(bias));
}

/// The number of the code in the lower (`Half` = 0) or upper half of a word, by one instruction of the conversion unit.
template <Code C, int Half>
__device__ __forceinline__ double convert_half(unsigned word) {
  const auto bits = static_cast<unsigned short>(word >> (16 * Half));
  double value;
  if constexpr (C == Code::float16) {
    asm("cvt.f64.f16 %0, %1;" : "=d"(value) : "h"(bits));
  } else if constexpr (C == Code::bfloat16) {
#if __CUDA_ARCH__ >= 900
    asm("cvt.f64.bf16 %0, %1;" : "=d"(value) : "h"(bits));
#else
    value = static_cast<double>(__uint_as_float(Half == 1 ? word & 0xffff0000u : word << 16));
#endif
  } else {
    value = static_cast<double>(static_cast<short>(bits));
  }
  return value;
}

/// The number of the 16-bit code in the upper half of a word, by integer operations and an addition or product: a
/// narrow float keeps its bits as the exponent and mantissa of a tiny double, which a power of two makes what it is.
/// Exact, subnormals included. Codes that are not finite become finite: the vector that was stored shows what it was.
template <Code C>
__device__ __forceinline__ double assemble_upper_half(unsigned word) {
  if constexpr (C == Code::int16 || C == Code::bfp16) {
    return in_mantissa((word ^ 0x80000000u) >> 16, 0x8000u, 0);
  }
  // Sign, exponent and mantissa move to where a double has them; the missing bias is a factor.
  constexpr int shift = C == Code::float16 ? 6 : 3;
  constexpr int mask = C == Code::float16 ? int(0x81fffc00u) : int(0x8fffe000u);
  constexpr double bias = C == Code::float16 ? 0x1p1008 : 0x1p896;
  return __hiloint2double((static_cast<int>(word) >> shift) & mask, 0) * bias;
}

/// The numbers of some codes, as multiples of the storage's unit. A device converts 16 numbers to double in a clock
/// where it adds 64. \tparam SparesUnit of each word with two codes, one does not go through the conversion unit, where
/// that alone would be what limits a sweep
template <Code C, bool SparesUnit = false, int Count>
__device__ __forceinline__ void decode(const Raw<Count * static_cast<int>(sizeof(typename CodeTraits<C>::Word))>& pack,
                                       double (&values)[Count]) {
  if constexpr (sizeof(typename CodeTraits<C>::Word) == 2) {
#pragma unroll
    for (int i = 0; i < Count / 2; ++i) {
      values[2 * i] = convert_half<C, 0>(pack.words[i]);
      values[2 * i + 1] = SparesUnit ? assemble_upper_half<C>(pack.words[i]) : convert_half<C, 1>(pack.words[i]);
    }
  } else {
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      values[i] = static_cast<double>(entry<typename CodeTraits<C>::Word>(pack, i));
    }
  }
}

/// The numbers of some integer codes times 2^exponent, as multiples of the storage's unit.
template <Code C, int Count>
__device__ __forceinline__ void decode_scaled(const RawPack<C, Count>& pack, int exponent, double (&values)[Count]) {
  using Word = typename CodeTraits<C>::Word;
  static_assert(std::is_integral<Word>::value && is_block_float<C>, "only integers fit the mantissa");
  constexpr unsigned sign = 1u << (8 * sizeof(Word) - 1);
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    values[i] = in_mantissa(entry<std::make_unsigned_t<Word>>(pack, i) ^ sign, sign, exponent);
  }
}

/// body(a constant that holds the code)
template <class Body>
void for_code(Code code, const Body& body) {
  switch (code) {
    case Code::float64: return body(std::integral_constant<Code, Code::float64>());
    case Code::float32: return body(std::integral_constant<Code, Code::float32>());
    case Code::float16: return body(std::integral_constant<Code, Code::float16>());
    case Code::bfloat16: return body(std::integral_constant<Code, Code::bfloat16>());
    case Code::int32: return body(std::integral_constant<Code, Code::int32>());
    case Code::int16: return body(std::integral_constant<Code, Code::int16>());
    case Code::bfp32: return body(std::integral_constant<Code, Code::bfp32>());
    case Code::bfp16: return body(std::integral_constant<Code, Code::bfp16>());
  }
}

}  // namespace cuda
}  // namespace krylite

#endif
