#ifndef KRYLITE_CORE_CUDA_HPP
#define KRYLITE_CORE_CUDA_HPP

/// \file
/// What the declarations of the CUDA kernels (src/cuda/*.cu) share. They take raw pointers, sizes and a stream, and
/// know nothing of Kokkos, so that nvcc compiles them anywhere; the overloads on `Kokkos::Cuda` call them. No launch
/// waits for the device; one that it refuses throws an Error.

#include <cstdint>

struct CUstream_st;

namespace krylite {
namespace cuda {

/// cudaStream_t
using Stream = CUstream_st*;

/// The bits of an IEEE binary16, as krylite::Float16 holds them.
struct Half {
  std::uint16_t bits;
};

/// Vectors with their strides: entry i of vector v lies at data[i * row_stride + v * vector_stride].
template <class T>
struct Vectors {
  T* data = nullptr;
  std::int64_t count = 1;  ///< how many vectors
  std::int64_t row_stride = 1;
  std::int64_t vector_stride = 0;
};

}  // namespace cuda
}  // namespace krylite

#endif
