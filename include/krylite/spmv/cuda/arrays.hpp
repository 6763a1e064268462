#ifndef KRYLITE_SPMV_CUDA_ARRAYS_HPP
#define KRYLITE_SPMV_CUDA_ARRAYS_HPP

#include <cstdint>
#include <krylite/core/cuda.hpp>

namespace krylite {
namespace cuda {

/// y = alpha A x + beta y, with `Matrix` the arrays of A; beta = 0 does not read y.
template <class Matrix, class T>
struct Product {
  T alpha;
  Matrix matrix;
  Vectors<const T> x;
  T beta;
  Vectors<T> y;
};

/// Sums of rows that began in an earlier chunk of the matrix (spmv/carries.hpp): values[chunk * vectors + v].
template <class T>
struct CarryArrays {
  T* values;
  std::int32_t* rows;  ///< -1 where a chunk has none
  std::int64_t count;
};

}  // namespace cuda
}  // namespace krylite

#endif
