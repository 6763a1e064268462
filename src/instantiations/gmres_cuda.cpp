#include <krylite/solvers/gmres.hpp>

#ifdef KOKKOS_ENABLE_CUDA
namespace krylite {
namespace detail {

template class GmresSolver<Kokkos::Cuda>;

}  // namespace detail
}  // namespace krylite
#endif
