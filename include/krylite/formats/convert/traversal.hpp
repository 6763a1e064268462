#ifndef KRYLITE_FORMATS_CONVERT_TRAVERSAL_HPP
#define KRYLITE_FORMATS_CONVERT_TRAVERSAL_HPP

/// \file
/// The two ways in which conversions go through a matrix. Both give the same bits on every execution space, so that
/// a host can test the way of devices.

#include <krylite/core/traits.hpp>

#include <cstdint>
#include <type_traits>

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
/// count(i), of a type that `+=` adds up from its default. Both may read array(i), which is written last.
/// \return the sum of all. Waits, since it goes to the host
template <class ExecutionSpace, class Array, class Count, class Store,
          class Sum = std::decay_t<std::invoke_result_t<const Count&, std::int64_t>>>
Sum scan_in_place(const ExecutionSpace& exec, const char* label, std::int64_t size, const Array& array,
                  const Count& count, const Store& store) {
  Sum total{};
  Kokkos::parallel_scan(
      label, range(exec, size),
      KOKKOS_LAMBDA(const std::int64_t i, Sum& sum, const bool final) {
        const Sum own = count(i);
        if (final) array(i) = store(i, sum);
        sum += own;
      },
      total);
  return total;
}

/// counts(i) * factor of the first `size` counts, and nothing behind them.
template <class Counts>
struct FirstCounts {
  Counts counts;
  std::int64_t size;
  std::int64_t factor;
  KOKKOS_INLINE_FUNCTION std::int64_t operator()(std::int64_t i) const {
    return i < size ? static_cast<std::int64_t>(counts(i)) * factor : 0;
  }
};

template <class Offset>
struct StoreSum {
  KOKKOS_INLINE_FUNCTION Offset operator()(std::int64_t, std::int64_t sum) const { return static_cast<Offset>(sum); }
};

/// Replaces the `size` counts in an array of one more by the sums of those before them, times `factor`.
/// \return the sum of all. Waits
template <class ExecutionSpace, class Array>
std::int64_t counts_to_sums(const ExecutionSpace& exec, const char* label, std::int64_t size, std::int64_t factor,
                            const Array& array) {
  return scan_in_place(exec, label, size + 1, array, FirstCounts<Array>{array, size, factor},
                       StoreSum<typename Array::non_const_value_type>{});
}

/// Calls groups.store(group, the largest groups.measure(slot) of the slots in it) for all groups. A slot is measured
/// once, so that `measure` may store what it finds; a thread's vector lanes have a group.
template <class ExecutionSpace, class Groups>
void measure_groups(const ExecutionSpace& exec, std::int64_t num_slots, std::int64_t group_size,
                    const Groups& groups) {
  constexpr int vector = 32;
  constexpr int team_groups = team_width / vector;
  const std::int64_t num_groups = (num_slots + group_size - 1) / group_size;
  if (num_groups == 0) return;
  Kokkos::parallel_for(
      "krylite::measure_groups", teams(exec, (num_groups + team_groups - 1) / team_groups, vector, 0),
      KOKKOS_LAMBDA(const TeamMember<ExecutionSpace>& team) {
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, team_groups), [&](const int g) {
          const std::int64_t group = std::int64_t(team.league_rank()) * team_groups + g;
          if (group >= num_groups) return;
          const std::int64_t first = group * group_size;
          const std::int64_t count = first + group_size < num_slots ? group_size : num_slots - first;
          Index most = 0;
          Kokkos::parallel_reduce(
              Kokkos::ThreadVectorRange(team, static_cast<int>(count)),
              [&](const int lane, Index& part) {
                const Index own = groups.measure(first + lane);
                part = own > part ? own : part;
              },
              Kokkos::Max<Index>(most));
          Kokkos::single(Kokkos::PerThread(team), [&]() { groups.store(group, most); });
        });
      });
}

/// Lengths that are known, and where the longest of each group goes.
template <class Length, class Longest>
struct LongestOfGroups {
  Length length;
  Longest longest;

  KOKKOS_INLINE_FUNCTION Index measure(std::int64_t slot) const { return static_cast<Index>(length(slot)); }
  KOKKOS_INLINE_FUNCTION void store(std::int64_t group, Index most) const {
    longest(group) = static_cast<typename Longest::non_const_value_type>(most);
  }
};

}  // namespace detail
}  // namespace krylite

#endif
