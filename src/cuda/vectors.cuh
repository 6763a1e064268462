#ifndef KRYLITE_SRC_CUDA_VECTORS_CUH
#define KRYLITE_SRC_CUDA_VECTORS_CUH

#include <cstdint>
#include <krylite/core/cuda.hpp>

namespace krylite {
namespace cuda {

/// Where entry `i` of vector `v` is; a single vector of neighbouring entries needs no products with strides.
template <bool Contiguous, class T>
__device__ __forceinline__ T* entry(const Vectors<T>& vectors, std::int64_t i, int v) {
  if constexpr (Contiguous) {
    return vectors.data + i;
  } else {
    return vectors.data + i * vectors.row_stride + v * vectors.vector_stride;
  }
}

template <class T>
bool is_contiguous(const Vectors<T>& vectors) {
  return vectors.count == 1 && vectors.row_stride == 1;
}

/// The `count` vectors from `first` on.
template <class T>
Vectors<T> vectors_from(const Vectors<T>& vectors, std::int64_t first, std::int64_t count) {
  return {vectors.data + first * vectors.vector_stride, count, vectors.row_stride, vectors.vector_stride};
}

/// The same for x and y of a product.
template <class Product>
Product product_from(Product product, std::int64_t first, std::int64_t count) {
  product.x = vectors_from(product.x, first, count);
  product.y = vectors_from(product.y, first, count);
  return product;
}

}  // namespace cuda
}  // namespace krylite

#endif
