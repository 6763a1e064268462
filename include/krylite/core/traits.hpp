#ifndef KRYLITE_CORE_TRAITS_HPP
#define KRYLITE_CORE_TRAITS_HPP

#include <krylite/core/kokkos_compat.hpp>

#include <cstdint>

namespace krylite {

/// Type of row and column indices. Offsets into the stored entries have a type of their own (32 or 64 bits).
using Index = std::int32_t;

namespace detail {

/// A dense vector as the kernels see it: contiguous, not owned.
template <class T, class MemorySpace>
using VectorRef = Kokkos::View<T*, Kokkos::LayoutRight, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Policy over [0, count) with 64-bit indices.
template <class ExecutionSpace>
auto range(const ExecutionSpace& exec, std::int64_t count) {
  return Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, count);
}

/// body(i) for the few 0 <= i < count behind earlier work on `exec`: on a host at once by the calling thread,
/// since to start all threads would take longer than the loop.
template <class ExecutionSpace, class Body>
void short_loop(const ExecutionSpace& exec, const char* label, std::int64_t count, const Body& body) {
  if constexpr (is_host_space<ExecutionSpace>) {
    exec.fence();
    for (std::int64_t i = 0; i < count; ++i) body(i);
  } else {
    Kokkos::parallel_for(label, range(exec, count), body);
  }
}

}  // namespace detail
}  // namespace krylite

#endif
