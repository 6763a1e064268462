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

/// Loads what is read once, so that it is the first to leave the caches: x is to stay there.
template <int Count, class T>
__device__ __forceinline__ Pack<T, Count> load_once(const T* data) {
  using W = typename Word<sizeof(T) * Count>::type;
  const W word = __ldcs(reinterpret_cast<const W*>(data));
  Pack<T, Count> pack;
  memcpy(&pack, &word, sizeof(pack));
  return pack;
}

/// Loads what nothing writes meanwhile, to be kept in the caches.
template <int Count, class T>
__device__ __forceinline__ Pack<T, Count> load_again(const T* data) {
  using W = typename Word<sizeof(T) * Count>::type;
  const W word = __ldg(reinterpret_cast<const W*>(data));
  Pack<T, Count> pack;
  memcpy(&pack, &word, sizeof(pack));
  return pack;
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
