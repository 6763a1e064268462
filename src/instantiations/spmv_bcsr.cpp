#include <krylite/spmv/held_products.hpp>

namespace krylite {
namespace detail {

#ifdef KOKKOS_ENABLE_SERIAL
template struct HeldProducts<Kokkos::Serial, BcsrMatrix>;
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template struct HeldProducts<Kokkos::OpenMP, BcsrMatrix>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
template struct HeldProducts<Kokkos::Cuda, BcsrMatrix>;
#endif

}  // namespace detail
}  // namespace krylite
