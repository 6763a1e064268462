#include <krylite/spmv/held_products.hpp>

namespace krylite {
namespace detail {

#ifdef KOKKOS_ENABLE_SERIAL
template struct HeldProducts<Kokkos::Serial, Csr5Matrix>;
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template struct HeldProducts<Kokkos::OpenMP, Csr5Matrix>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
template struct HeldProducts<Kokkos::Cuda, Csr5Matrix>;
#endif

}  // namespace detail
}  // namespace krylite
