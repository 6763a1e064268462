#ifndef KRYLITE_FORMATS_CONVERT_TRAVERSAL_HPP
#define KRYLITE_FORMATS_CONVERT_TRAVERSAL_HPP

/// \file
/// The two ways in which conversions go through a matrix. Both give the same bits on every execution space, so that
/// a host can test the way of devices.

#include <krylite/core/traits.hpp>

#include <cstdint>

namespace krylite {
namespace detail {

enum class Traversal {
  rows,  ///< a thread has whole rows, groups or tiles: for the cores of a host
  teams  ///< a team shares them, so that neighbouring threads read and write neighbouring memory: for devices
};

template <class ExecutionSpace>
inline constexpr Traversal traversal_of = is_host_space<ExecutionSpace> ? Traversal::rows : Traversal::teams;

/// Vector lanes times threads of a team on devices.
inline constexpr int team_width = 256;

/// A policy of `league` teams, each with `vector` lanes a thread on devices and `bytes` of scratch.
template <class ExecutionSpace>
auto teams(const ExecutionSpace& exec, std::int64_t league, int vector, std::size_t bytes) {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  const auto count = static_cast<int>(league);
  auto policy = is_host_space<ExecutionSpace> ? Policy(exec, count, Kokkos::AUTO, 1)
                                              : Policy(exec, count, team_width / vector, vector);
  policy.set_scratch_size(0, Kokkos::PerTeam(bytes));
  return policy;
}

template <class ExecutionSpace>
using TeamMember = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;

/// Scratch of a team.
template <class Item, class ExecutionSpace>
using TeamScratch = Kokkos::View<Item*, typename ExecutionSpace::scratch_memory_space,
                                 Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Replaces each array(i), 0 <= i < size, by store(i, sum of the counts before it), where its own count is
/// count(i). Both may read array(i), which is written last. \return the sum of all. Waits, since it goes to the host
template <class ExecutionSpace, class Array, class Count, class Store>
std::int64_t scan_in_place(const ExecutionSpace& exec, const char* label, std::int64_t size, const Array& array,
                           const Count& count, const Store& store) {
  std::int64_t total = 0;
  Kokkos::parallel_scan(
      label, range(exec, size),
      KOKKOS_LAMBDA(const std::int64_t i, std::int64_t& sum, const bool final) {
        const std::int64_t own = count(i);
        if (final) array(i) = store(i, sum);
        sum += own;
      },
      total);
  exec.fence();
  return total;
}

}  // namespace detail
}  // namespace krylite

#endif
