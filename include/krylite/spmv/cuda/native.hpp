#ifndef KRYLITE_SPMV_CUDA_NATIVE_HPP
#define KRYLITE_SPMV_CUDA_NATIVE_HPP

/// \file
/// Native products on CUDA devices: overloads on `Kokkos::Cuda` that hand the arrays of a matrix to the kernels of
/// src/cuda/. Every overload of `multiply_cuda` says whether it did the product; the general one never does.

#include <krylite/core/cuda.hpp>
#include <krylite/core/half.hpp>
#include <krylite/core/traits.hpp>
#include <krylite/spmv/options.hpp>
#include <krylite/spmv/vectors.hpp>
#include <krylite/spmv/workspace.hpp>

#include <type_traits>

namespace krylite {
namespace detail {

/// Whether the library holds CUDA kernels for values V and vectors X and Y.
template <class V, class X, class Y>
inline constexpr bool has_cuda_kernel =
    std::is_same_v<X, Y> &&
    ((std::is_same_v<X, double> &&
      (std::is_same_v<V, double> || std::is_same_v<V, float> || std::is_same_v<V, Float16>)) ||
     (std::is_same_v<X, float> && std::is_same_v<V, float>));

/// The type of a matrix's values as the kernels name it.
template <class V>
struct CudaValue {
  using type = V;
};
template <>
struct CudaValue<Float16> {
  using type = cuda::Half;
};

template <class V>
const typename CudaValue<V>::type* cuda_values(const V* values) {
  return reinterpret_cast<const typename CudaValue<V>::type*>(values);
}

template <class T>
cuda::Vectors<T> cuda_vectors(const VectorBlock<T>& block) {
  return {block.data, block.count, block.row_stride, block.vector_stride};
}

template <class ExecutionSpace, class T, class Matrix, class X, class Y, class Workspace>
bool multiply_cuda(const ExecutionSpace&, T, const Matrix&, const VectorBlock<const X>&, T, const VectorBlock<Y>&,
                   Workspace&, const SpmvOptions&) {
  return false;
}

}  // namespace detail
}  // namespace krylite

#endif
