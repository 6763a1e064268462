#ifndef KRYLITE_SPMV_EXTERN_TEMPLATES_HPP
#define KRYLITE_SPMV_EXTERN_TEMPLATES_HPP

/// \file
/// Products that the library holds compiled (src/instantiations/spmv_*.cpp): double matrices and vectors, float
/// matrices with float or double vectors, both offset types, the enabled execution spaces. Every other
/// combination is instantiated where it is used.

#include <krylite/spmv/spmv.hpp>

namespace krylite {
namespace detail {

#ifdef KOKKOS_ENABLE_SERIAL
extern template struct Spmv<Kokkos::Serial, CsrMatrix<double, std::int32_t, Kokkos::Serial::memory_space>, double, double>;
extern template struct Spmv<Kokkos::Serial, CsrMatrix<float, std::int32_t, Kokkos::Serial::memory_space>, float, float>;
extern template struct Spmv<Kokkos::Serial, CsrMatrix<float, std::int32_t, Kokkos::Serial::memory_space>, double, double>;
extern template struct Spmv<Kokkos::Serial, CsrMatrix<double, std::int64_t, Kokkos::Serial::memory_space>, double, double>;
extern template struct Spmv<Kokkos::Serial, CsrMatrix<float, std::int64_t, Kokkos::Serial::memory_space>, float, float>;
extern template struct Spmv<Kokkos::Serial, CsrMatrix<float, std::int64_t, Kokkos::Serial::memory_space>, double, double>;
extern template struct Spmv<Kokkos::Serial, RgCsrMatrix<double, std::int32_t, Kokkos::Serial::memory_space>, double, double>;
extern template struct Spmv<Kokkos::Serial, RgCsrMatrix<float, std::int32_t, Kokkos::Serial::memory_space>, float, float>;
extern template struct Spmv<Kokkos::Serial, RgCsrMatrix<float, std::int32_t, Kokkos::Serial::memory_space>, double, double>;
extern template struct Spmv<Kokkos::Serial, RgCsrMatrix<double, std::int64_t, Kokkos::Serial::memory_space>, double, double>;
extern template struct Spmv<Kokkos::Serial, RgCsrMatrix<float, std::int64_t, Kokkos::Serial::memory_space>, float, float>;
extern template struct Spmv<Kokkos::Serial, RgCsrMatrix<float, std::int64_t, Kokkos::Serial::memory_space>, double, double>;
#endif

#ifdef KOKKOS_ENABLE_OPENMP
extern template struct Spmv<Kokkos::OpenMP, CsrMatrix<double, std::int32_t, Kokkos::OpenMP::memory_space>, double, double>;
extern template struct Spmv<Kokkos::OpenMP, CsrMatrix<float, std::int32_t, Kokkos::OpenMP::memory_space>, float, float>;
extern template struct Spmv<Kokkos::OpenMP, CsrMatrix<float, std::int32_t, Kokkos::OpenMP::memory_space>, double, double>;
extern template struct Spmv<Kokkos::OpenMP, CsrMatrix<double, std::int64_t, Kokkos::OpenMP::memory_space>, double, double>;
extern template struct Spmv<Kokkos::OpenMP, CsrMatrix<float, std::int64_t, Kokkos::OpenMP::memory_space>, float, float>;
extern template struct Spmv<Kokkos::OpenMP, CsrMatrix<float, std::int64_t, Kokkos::OpenMP::memory_space>, double, double>;
extern template struct Spmv<Kokkos::OpenMP, RgCsrMatrix<double, std::int32_t, Kokkos::OpenMP::memory_space>, double, double>;
extern template struct Spmv<Kokkos::OpenMP, RgCsrMatrix<float, std::int32_t, Kokkos::OpenMP::memory_space>, float, float>;
extern template struct Spmv<Kokkos::OpenMP, RgCsrMatrix<float, std::int32_t, Kokkos::OpenMP::memory_space>, double, double>;
extern template struct Spmv<Kokkos::OpenMP, RgCsrMatrix<double, std::int64_t, Kokkos::OpenMP::memory_space>, double, double>;
extern template struct Spmv<Kokkos::OpenMP, RgCsrMatrix<float, std::int64_t, Kokkos::OpenMP::memory_space>, float, float>;
extern template struct Spmv<Kokkos::OpenMP, RgCsrMatrix<float, std::int64_t, Kokkos::OpenMP::memory_space>, double, double>;
#endif

#ifdef KOKKOS_ENABLE_CUDA
extern template struct Spmv<Kokkos::Cuda, CsrMatrix<double, std::int32_t, Kokkos::Cuda::memory_space>, double, double>;
extern template struct Spmv<Kokkos::Cuda, CsrMatrix<float, std::int32_t, Kokkos::Cuda::memory_space>, float, float>;
extern template struct Spmv<Kokkos::Cuda, CsrMatrix<float, std::int32_t, Kokkos::Cuda::memory_space>, double, double>;
extern template struct Spmv<Kokkos::Cuda, CsrMatrix<double, std::int64_t, Kokkos::Cuda::memory_space>, double, double>;
extern template struct Spmv<Kokkos::Cuda, CsrMatrix<float, std::int64_t, Kokkos::Cuda::memory_space>, float, float>;
extern template struct Spmv<Kokkos::Cuda, CsrMatrix<float, std::int64_t, Kokkos::Cuda::memory_space>, double, double>;
extern template struct Spmv<Kokkos::Cuda, RgCsrMatrix<double, std::int32_t, Kokkos::Cuda::memory_space>, double, double>;
extern template struct Spmv<Kokkos::Cuda, RgCsrMatrix<float, std::int32_t, Kokkos::Cuda::memory_space>, float, float>;
extern template struct Spmv<Kokkos::Cuda, RgCsrMatrix<float, std::int32_t, Kokkos::Cuda::memory_space>, double, double>;
extern template struct Spmv<Kokkos::Cuda, RgCsrMatrix<double, std::int64_t, Kokkos::Cuda::memory_space>, double, double>;
extern template struct Spmv<Kokkos::Cuda, RgCsrMatrix<float, std::int64_t, Kokkos::Cuda::memory_space>, float, float>;
extern template struct Spmv<Kokkos::Cuda, RgCsrMatrix<float, std::int64_t, Kokkos::Cuda::memory_space>, double, double>;
#endif

}  // namespace detail
}  // namespace krylite

#endif
