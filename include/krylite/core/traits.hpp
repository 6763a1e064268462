#ifndef KRYLITE_CORE_TRAITS_HPP
#define KRYLITE_CORE_TRAITS_HPP

#include <krylite/core/kokkos_compat.hpp>

#include <cstdint>
#include <string>

#ifdef __linux__
#include <sys/mman.h>
#endif

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

/// Asks the system to back a large array on a host by huge pages, where it leaves that to the program: an array of
/// 100 MB is then written for the first time in a fraction of the time, and scattered reads miss fewer translations.
inline void prefer_huge_pages(void* data, std::size_t bytes) {
#ifdef __linux__
  constexpr std::uintptr_t page = std::uintptr_t(1) << 21;
  const auto begin = (reinterpret_cast<std::uintptr_t>(data) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(data) + bytes) / page * page;
  // Only advice: what comes of it does not matter.
  if (end > begin) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#else
  (void)data;
  (void)bytes;
#endif
}

/// An allocation on `exec` whose entries the caller writes before they are read.
template <class ViewType, class ExecutionSpace>
ViewType allocate(const ExecutionSpace& exec, const char* label, std::size_t count) {
  const ViewType view(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label)), count);
  if constexpr (std::is_same_v<typename ViewType::memory_space, Kokkos::HostSpace>) {
    prefer_huge_pages(const_cast<void*>(static_cast<const void*>(view.data())), count * sizeof(*view.data()));
  }
  return view;
}

}  // namespace detail
}  // namespace krylite

#endif
