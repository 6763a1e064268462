#ifndef KRYLITE_SPMV_VECTORS_HPP
#define KRYLITE_SPMV_VECTORS_HPP

/// \file
/// Vectors as the kernels see them: entry i of vector v. Pointers and strides instead of Views keep the number of
/// compiled kernels small, whatever layouts users have.

#include <krylite/core/half.hpp>
#include <krylite/core/traits.hpp>

#include <cstdint>
#include <type_traits>

namespace krylite {
namespace detail {

/// One vector whose entries are neighbours.
template <class T>
struct ContiguousVector {
  T* data = nullptr;
  std::int64_t size = 0;

  KOKKOS_INLINE_FUNCTION T& operator()(std::int64_t i, int) const { return data[i]; }
};

/// `count` vectors: entry i of vector v lies at data[i * row_stride + v * vector_stride].
template <class T>
struct VectorBlock {
  T* data = nullptr;
  std::int64_t size = 0;
  std::int64_t count = 0;
  std::int64_t row_stride = 1;
  std::int64_t vector_stride = 0;

  KOKKOS_INLINE_FUNCTION T& operator()(std::int64_t i, int v) const {
    return data[i * row_stride + v * vector_stride];
  }

  /// The vectors from `first` on.
  VectorBlock from(std::int64_t first) const {
    return {data + first * vector_stride, size, count - first, row_stride, vector_stride};
  }

  bool is_contiguous_vector() const { return count == 1 && (row_stride == 1 || size <= 1); }

  ContiguousVector<T> contiguous() const { return {data, size}; }
};

/// A View of rank 1 or 2 as a block; its columns are the vectors.
template <class T, class ViewType>
VectorBlock<T> vector_block(const ViewType& view) {
  const auto stride = [&](int dimension) {
    return view.extent(dimension) > 1 ? static_cast<std::int64_t>(view.stride(dimension)) : std::int64_t(1);
  };
  const auto size = static_cast<std::int64_t>(view.extent(0));
  if constexpr (ViewType::rank == 1) {
    return {view.data(), size, 1, stride(0), 0};
  } else {
    return {view.data(), size, static_cast<std::int64_t>(view.extent(1)), stride(0), stride(1)};
  }
}

/// The type in which products are formed: the widest of the matrix's and the vectors' (16-bit types only store).
template <class Scalar, class X, class Y>
struct ProductType {
  using type = std::common_type_t<Scalar, X, Y>;
};
template <class X, class Y>
struct ProductType<Float16, X, Y> {
  using type = std::common_type_t<X, Y>;
};
template <class X, class Y>
struct ProductType<BFloat16, X, Y> {
  using type = std::common_type_t<X, Y>;
};

/// y = beta y + alpha sum, where beta = 0 does not read y.
template <class T, class Y>
KOKKOS_INLINE_FUNCTION void update(Y& y, T alpha, T sum, T beta) {
  y = static_cast<Y>(beta == T(0) ? alpha * sum : alpha * sum + beta * static_cast<T>(y));
}

}  // namespace detail
}  // namespace krylite

#endif
