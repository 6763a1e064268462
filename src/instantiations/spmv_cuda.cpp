#include <krylite/spmv/spmv.hpp>

#ifdef KOKKOS_ENABLE_CUDA
namespace krylite {
namespace detail {

template struct Spmv<Kokkos::Cuda, CsrMatrix<double, std::int32_t, Kokkos::Cuda::memory_space>, double, double>;
template struct Spmv<Kokkos::Cuda, CsrMatrix<float, std::int32_t, Kokkos::Cuda::memory_space>, float, float>;
template struct Spmv<Kokkos::Cuda, CsrMatrix<float, std::int32_t, Kokkos::Cuda::memory_space>, double, double>;
template struct Spmv<Kokkos::Cuda, CsrMatrix<double, std::int64_t, Kokkos::Cuda::memory_space>, double, double>;
template struct Spmv<Kokkos::Cuda, CsrMatrix<float, std::int64_t, Kokkos::Cuda::memory_space>, float, float>;
template struct Spmv<Kokkos::Cuda, CsrMatrix<float, std::int64_t, Kokkos::Cuda::memory_space>, double, double>;
template struct Spmv<Kokkos::Cuda, RgCsrMatrix<double, std::int32_t, Kokkos::Cuda::memory_space>, double, double>;
template struct Spmv<Kokkos::Cuda, RgCsrMatrix<float, std::int32_t, Kokkos::Cuda::memory_space>, float, float>;
template struct Spmv<Kokkos::Cuda, RgCsrMatrix<float, std::int32_t, Kokkos::Cuda::memory_space>, double, double>;
template struct Spmv<Kokkos::Cuda, RgCsrMatrix<double, std::int64_t, Kokkos::Cuda::memory_space>, double, double>;
template struct Spmv<Kokkos::Cuda, RgCsrMatrix<float, std::int64_t, Kokkos::Cuda::memory_space>, float, float>;
template struct Spmv<Kokkos::Cuda, RgCsrMatrix<float, std::int64_t, Kokkos::Cuda::memory_space>, double, double>;

}  // namespace detail
}  // namespace krylite
#endif
