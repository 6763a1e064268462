#ifndef KRYLITE_SRC_CUDA_VECTOR_LOADS_CUH
#define KRYLITE_SRC_CUDA_VECTOR_LOADS_CUH

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

namespace krylite {
namespace cuda {

/// `Count` neighbours that one instruction loads or stores.
template <class T, int Count>
struct alignas(sizeof(T) * Count) Pack {
  T data[Count];

  __device__ __forceinline__ const T& operator[](int i) const { return data[i]; }
  __device__ __forceinline__ T& operator[](int i) { return data[i]; }
};

template <int Bytes>
struct Word;
template <>
struct Word<1> {
  using type = unsigned char;
};
template <>
struct Word<2> {
  using type = unsigned short;
};
template <>
struct Word<4> {
  using type = unsigned;
};
template <>
struct Word<8> {
  using type = uint2;
};
template <>
struct Word<16> {
  using type = uint4;
};

/// `Bytes` of neighbours as they come from memory, in words of 4 bytes: they are taken apart where they are used, since
/// to do so at once would wait for the load.
template <int Bytes>
struct alignas(Bytes < 4 ? 4 : Bytes) Raw {
  unsigned words[Bytes < 4 ? 1 : Bytes / 4];
};

/// Entry `i` of what was loaded.
template <class T, int Bytes>
__device__ __forceinline__ T entry(const Raw<Bytes>& raw, int i) {
  T value;
  if constexpr (sizeof(T) == 8) {
    const unsigned long long both =
        static_cast<unsigned long long>(raw.words[2 * i + 1]) << 32 | raw.words[2 * i];
    memcpy(&value, &both, sizeof(T));
  } else if constexpr (sizeof(T) == 4) {
    memcpy(&value, &raw.words[i], sizeof(T));
  } else if constexpr (sizeof(T) == 2) {
    const auto part = static_cast<unsigned short>(raw.words[i / 2] >> (16 * (i % 2)));
    memcpy(&value, &part, sizeof(T));
  } else {
    const auto part = static_cast<unsigned char>(raw.words[i / 4] >> (8 * (i % 4)));
    memcpy(&value, &part, sizeof(T));
  }
  return value;
}

/// Loads what is read once where `condition` holds, else zeros. It is the first to leave the caches: x is to stay
/// there. By predicates of its own, since the compiler makes branches of them, behind which loads wait for each other.
template <int Bytes>
__device__ __forceinline__ Raw<Bytes> load_once_if(bool condition, const void* data) {
  Raw<Bytes> raw = {};
  const int p = condition;
  if constexpr (Bytes == 16) {
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %4, 0; @p ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%5]; }"
        : "+r"(raw.words[0]), "+r"(raw.words[1]), "+r"(raw.words[2]), "+r"(raw.words[3])
        : "r"(p), "l"(data));
  } else if constexpr (Bytes == 8) {
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.cs.v2.u32 {%0, %1}, [%3]; }"
        : "+r"(raw.words[0]), "+r"(raw.words[1])
        : "r"(p), "l"(data));
  } else if constexpr (Bytes == 4) {
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; @p ld.global.cs.u32 %0, [%2]; }"
        : "+r"(raw.words[0])
        : "r"(p), "l"(data));
  } else if constexpr (Bytes == 2) {
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; @p ld.global.cs.u16 %0, [%2]; }"
        : "+r"(raw.words[0])
        : "r"(p), "l"(data));
  } else {
    static_assert(Bytes == 1, "16 bytes or a power of two below");
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; @p ld.global.cs.u8 %0, [%2]; }"
        : "+r"(raw.words[0])
        : "r"(p), "l"(data));
  }
  return raw;
}

/// Loads what is read once.
template <int Bytes>
__device__ __forceinline__ Raw<Bytes> load_once(const void* data) {
  Raw<Bytes> raw;
  if constexpr (Bytes == 16) {
    asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(raw.words[0]), "=r"(raw.words[1]), "=r"(raw.words[2]), "=r"(raw.words[3])
                 : "l"(data));
  } else {
    static_assert(Bytes == 8, "8 or 16 bytes");
    asm volatile("ld.global.cs.v2.u32 {%0, %1}, [%2];" : "=r"(raw.words[0]), "=r"(raw.words[1]) : "l"(data));
  }
  return raw;
}

/// Loads what is to stay in the caches where `condition` holds, else 0. What the kernel before wrote may be loaded: it
/// is not taken for constant.
__device__ __forceinline__ double load_again_if(bool condition, const double* data) {
  double value = 0;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; @p ld.global.f64 %0, [%2]; }"
      : "+d"(value)
      : "r"(static_cast<int>(condition)), "l"(data));
  return value;
}
__device__ __forceinline__ int load_again_if(bool condition, const signed char* data) {
  int value = 0;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; @p ld.global.s8 %0, [%2]; }"
      : "+r"(value)
      : "r"(static_cast<int>(condition)), "l"(data));
  return value;
}
__device__ __forceinline__ float load_again_if(bool condition, const float* data) {
  float value = 0;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; @p ld.global.f32 %0, [%2]; }"
      : "+f"(value)
      : "r"(static_cast<int>(condition)), "l"(data));
  return value;
}

template <int Count, class T>
__device__ __forceinline__ void store_pack(T* data, const Pack<T, Count>& pack) {
  using W = typename Word<sizeof(T) * Count>::type;
  W word;
  memcpy(&word, &pack, sizeof(pack));
  *reinterpret_cast<W*>(data) = word;
}

/// Whether packs of `Count` can be loaded from multiples of `Count` behind `data`.
template <int Count, class T>
__host__ __device__ bool is_aligned(const T* data) {
  return reinterpret_cast<std::uintptr_t>(data) % (sizeof(T) * Count) == 0;
}

}  // namespace cuda
}  // namespace krylite

#endif
