#include <krylite/spmv/held_products.hpp>

namespace krylite {
namespace detail {

#ifdef KOKKOS_ENABLE_SERIAL
template struct HeldProducts<Kokkos::Serial, CooMatrix>;
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template struct HeldProducts<Kokkos::OpenMP, CooMatrix>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
template struct HeldProducts<Kokkos::Cuda, CooMatrix>;
#endif

}  // namespace detail
}  // namespace krylite
