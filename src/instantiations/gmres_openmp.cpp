#include <krylite/solvers/gmres.hpp>

#ifdef KOKKOS_ENABLE_OPENMP
namespace krylite {
namespace detail {

template class GmresSolver<Kokkos::OpenMP>;

}  // namespace detail
}  // namespace krylite
#endif
