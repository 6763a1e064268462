#include <krylite/spmv/spmv.hpp>

#ifdef KOKKOS_ENABLE_SERIAL
namespace krylite {
namespace detail {

template struct Spmv<Kokkos::Serial, CsrMatrix<double, std::int32_t, Kokkos::Serial::memory_space>, double, double>;
template struct Spmv<Kokkos::Serial, CsrMatrix<float, std::int32_t, Kokkos::Serial::memory_space>, float, float>;
template struct Spmv<Kokkos::Serial, CsrMatrix<float, std::int32_t, Kokkos::Serial::memory_space>, double, double>;
template struct Spmv<Kokkos::Serial, CsrMatrix<double, std::int64_t, Kokkos::Serial::memory_space>, double, double>;
template struct Spmv<Kokkos::Serial, CsrMatrix<float, std::int64_t, Kokkos::Serial::memory_space>, float, float>;
template struct Spmv<Kokkos::Serial, CsrMatrix<float, std::int64_t, Kokkos::Serial::memory_space>, double, double>;
template struct Spmv<Kokkos::Serial, RgCsrMatrix<double, std::int32_t, Kokkos::Serial::memory_space>, double, double>;
template struct Spmv<Kokkos::Serial, RgCsrMatrix<float, std::int32_t, Kokkos::Serial::memory_space>, float, float>;
template struct Spmv<Kokkos::Serial, RgCsrMatrix<float, std::int32_t, Kokkos::Serial::memory_space>, double, double>;
template struct Spmv<Kokkos::Serial, RgCsrMatrix<double, std::int64_t, Kokkos::Serial::memory_space>, double, double>;
template struct Spmv<Kokkos::Serial, RgCsrMatrix<float, std::int64_t, Kokkos::Serial::memory_space>, float, float>;
template struct Spmv<Kokkos::Serial, RgCsrMatrix<float, std::int64_t, Kokkos::Serial::memory_space>, double, double>;

}  // namespace detail
}  // namespace krylite
#endif
