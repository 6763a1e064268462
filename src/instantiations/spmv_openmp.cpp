#include <krylite/spmv/spmv.hpp>

#ifdef KOKKOS_ENABLE_OPENMP
namespace krylite {
namespace detail {

template struct Spmv<Kokkos::OpenMP, CsrMatrix<double, std::int32_t, Kokkos::OpenMP::memory_space>, double, double>;
template struct Spmv<Kokkos::OpenMP, CsrMatrix<float, std::int32_t, Kokkos::OpenMP::memory_space>, float, float>;
template struct Spmv<Kokkos::OpenMP, CsrMatrix<float, std::int32_t, Kokkos::OpenMP::memory_space>, double, double>;
template struct Spmv<Kokkos::OpenMP, CsrMatrix<double, std::int64_t, Kokkos::OpenMP::memory_space>, double, double>;
template struct Spmv<Kokkos::OpenMP, CsrMatrix<float, std::int64_t, Kokkos::OpenMP::memory_space>, float, float>;
template struct Spmv<Kokkos::OpenMP, CsrMatrix<float, std::int64_t, Kokkos::OpenMP::memory_space>, double, double>;
template struct Spmv<Kokkos::OpenMP, RgCsrMatrix<double, std::int32_t, Kokkos::OpenMP::memory_space>, double, double>;
template struct Spmv<Kokkos::OpenMP, RgCsrMatrix<float, std::int32_t, Kokkos::OpenMP::memory_space>, float, float>;
template struct Spmv<Kokkos::OpenMP, RgCsrMatrix<float, std::int32_t, Kokkos::OpenMP::memory_space>, double, double>;
template struct Spmv<Kokkos::OpenMP, RgCsrMatrix<double, std::int64_t, Kokkos::OpenMP::memory_space>, double, double>;
template struct Spmv<Kokkos::OpenMP, RgCsrMatrix<float, std::int64_t, Kokkos::OpenMP::memory_space>, float, float>;
template struct Spmv<Kokkos::OpenMP, RgCsrMatrix<float, std::int64_t, Kokkos::OpenMP::memory_space>, double, double>;

}  // namespace detail
}  // namespace krylite
#endif
