#include <krylite/spmv/held_products.hpp>

namespace krylite {
namespace detail {

#ifdef KOKKOS_ENABLE_SERIAL
template struct HeldProducts<Kokkos::Serial, SlicedEllMatrix>;
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template struct HeldProducts<Kokkos::OpenMP, SlicedEllMatrix>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
template struct HeldProducts<Kokkos::Cuda, SlicedEllMatrix>;
#endif

}  // namespace detail
}  // namespace krylite
