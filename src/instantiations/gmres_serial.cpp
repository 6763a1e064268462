#include <krylite/solvers/gmres.hpp>

#ifdef KOKKOS_ENABLE_SERIAL
namespace krylite {
namespace detail {

template class GmresSolver<Kokkos::Serial>;

}  // namespace detail
}  // namespace krylite
#endif
