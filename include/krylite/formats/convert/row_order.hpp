#ifndef KRYLITE_FORMATS_CONVERT_ROW_ORDER_HPP
#define KRYLITE_FORMATS_CONVERT_ROW_ORDER_HPP

/// \file
/// Rows by descending length within windows, equal lengths in their own order. On hosts a counting sort of each
/// window. On devices runs of up to 1024 rows are sorted in the scratch of a team, and merged where windows are larger:
/// one pass over the lengths, and two over 8 bytes a row for each doubling of the runs.

#include <krylite/core/memory.hpp>
#include <krylite/formats/convert/traversal.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace krylite {
namespace detail {

/// order[i] for first <= i < last: the rows of one window, sorted.
template <class Lengths, class Order>
void sort_window(const Lengths& lengths, std::int64_t first, std::int64_t last, const Order& order) {
  constexpr Index most_buckets = 4096;
  Index longest = 0;
  for (std::int64_t i = first; i < last; ++i) longest = std::max(longest, lengths(i));
  if (longest >= most_buckets) {
    for (std::int64_t i = first; i < last; ++i) order(i) = static_cast<Index>(i);
    std::stable_sort(order.data() + first, order.data() + last,
                     [&](Index a, Index b) { return lengths(a) > lengths(b); });
    return;
  }
  std::vector<std::int64_t> position(static_cast<std::size_t>(longest) + 2, 0);
  // Bucket b holds the rows of length longest - b; position[b + 1] counts it, and sums tell where it begins.
  for (std::int64_t i = first; i < last; ++i) ++position[static_cast<std::size_t>(longest - lengths(i)) + 1];
  for (std::size_t b = 1; b < position.size(); ++b) position[b] += position[b - 1];
  for (std::int64_t i = first; i < last; ++i) {
    order(first + position[static_cast<std::size_t>(longest - lengths(i))]++) = static_cast<Index>(i);
  }
}

template <class ExecutionSpace, class Lengths, class Order>
void order_by_windows(const ExecutionSpace& exec, const Lengths& lengths, std::int64_t window, const Order& order) {
  const auto count = static_cast<std::int64_t>(lengths.extent(0));
  Kokkos::parallel_for("krylite::order_by_length", range(exec, (count + window - 1) / window),
                       [=](const std::int64_t w) {
                         sort_window(lengths, w * window, std::min(count, (w + 1) * window), order);
                       });
}

/// Rows of a run that a team sorts.
inline constexpr int run_length = 1024;

/// What ascends where lengths descend and rows ascend, different for each row.
KOKKOS_INLINE_FUNCTION std::uint64_t order_key(Index length, std::int64_t row) {
  return std::uint64_t(0xffffffffu - static_cast<std::uint32_t>(length)) << 32 | static_cast<std::uint64_t>(row);
}

/// Sorts `size` keys, a power of two, in the scratch of a team: Batcher's bitonic sort.
template <class Member, class Keys>
KOKKOS_FUNCTION void bitonic_sort(const Member& team, const Keys& keys, int size) {
  for (int block = 2; block <= size; block *= 2) {
    for (int distance = block / 2; distance > 0; distance /= 2) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, size / 2), [&](const int i) {
        const int low = 2 * i - (i & (distance - 1));
        const int high = low + distance;
        const std::uint64_t a = keys(low);
        const std::uint64_t b = keys(high);
        if ((a > b) == ((low & block) == 0)) {
          keys(low) = b;
          keys(high) = a;
        }
      });
      team.team_barrier();
    }
  }
}

/// Where run number `run` begins, of windows that are cut into `runs` of `run_length` each.
struct WindowRuns {
  std::int64_t window;
  std::int64_t runs;
  std::int64_t count;  ///< of all rows

  KOKKOS_INLINE_FUNCTION std::int64_t first(std::int64_t run) const {
    return run / runs * window + run % runs * run_length;
  }
  KOKKOS_INLINE_FUNCTION std::int64_t last(std::int64_t run) const {
    const std::int64_t of_window = (run / runs + 1) * window;
    const std::int64_t of_run = first(run) + run_length;
    const std::int64_t end = of_run < of_window ? of_run : of_window;
    return end < count ? end : count;
  }
};

/// store(i, key) for the sorted keys of every run; a team has a run.
template <class ExecutionSpace, class Lengths, class Store>
void sort_runs(const ExecutionSpace& exec, const Lengths& lengths, std::int64_t window, const Store& store) {
  using Scratch = TeamScratch<std::uint64_t, ExecutionSpace>;
  const auto count = static_cast<std::int64_t>(lengths.extent(0));
  const WindowRuns runs{window, (window + run_length - 1) / run_length, count};
  int size = 1;
  while (size < run_length && size < window) size *= 2;
  Kokkos::parallel_for(
      "krylite::order_by_length::runs",
      teams(exec, (count + window - 1) / window * runs.runs, 1, Scratch::shmem_size(size)),
      KOKKOS_LAMBDA(const TeamMember<ExecutionSpace>& team) {
        const std::int64_t first = runs.first(team.league_rank());
        const std::int64_t last = runs.last(team.league_rank());
        if (first >= last) return;
        const Scratch keys(team.team_scratch(0), size);
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, size), [&](const int i) {
          keys(i) = first + i < last ? order_key(lengths(first + i), first + i) : ~std::uint64_t(0);
        });
        team.team_barrier();
        bitonic_sort(team, keys, size);
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, static_cast<int>(last - first)),
                             [&](const int i) { store(first + i, keys(i)); });
      });
}

template <class Keys>
struct StoreKey {
  Keys keys;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, std::uint64_t key) const { keys(i) = key; }
};

template <class Order>
struct StoreRow {
  Order order;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, std::uint64_t key) const {
    order(i) = static_cast<Index>(key & 0xffffffffu);
  }
};

/// Merges sorted runs of `length` keys within windows two by two: each key goes behind those of its own run before it
/// and those of the other that are less, for there are no equal ones.
template <class ExecutionSpace, class Keys, class Store>
void merge_runs(const ExecutionSpace& exec, const Keys& from, std::int64_t window, std::int64_t length,
                const Store& store) {
  const auto count = static_cast<std::int64_t>(from.extent(0));
  Kokkos::parallel_for(
      "krylite::order_by_length::merge", range(exec, count), KOKKOS_LAMBDA(const std::int64_t i) {
        const std::int64_t begin = i / window * window;
        const std::int64_t end = begin + window < count ? begin + window : count;
        const std::int64_t run = (i - begin) / length;
        const std::int64_t own = begin + run * length;
        const std::int64_t other = run % 2 == 0 ? own + length : own - length;
        const std::uint64_t key = from(i);
        std::int64_t low = other < end ? other : end;
        std::int64_t high = other + length < end ? other + length : end;
        const std::int64_t first = low;
        while (low < high) {
          const std::int64_t middle = low + (high - low) / 2;
          if (from(middle) < key) {
            low = middle + 1;
          } else {
            high = middle;
          }
        }
        store((own < other ? own : other) + (i - own) + (low - first), key);
      });
}

template <class ExecutionSpace, class Lengths, class Order>
void order_by_runs(const ExecutionSpace& exec, const Lengths& lengths, std::int64_t window, const Order& order) {
  using Keys = Kokkos::View<std::uint64_t*, typename Lengths::memory_space>;
  if (window <= run_length) return sort_runs(exec, lengths, window, StoreRow<Order>{order});
  auto from = allocate<Keys>(exec, "krylite::row_order::keys", lengths.extent(0));
  auto to = allocate<Keys>(exec, "krylite::row_order::keys", lengths.extent(0));
  sort_runs(exec, lengths, window, StoreKey<Keys>{from});
  std::int64_t length = run_length;
  for (; 2 * length < window; length *= 2) {
    merge_runs(exec, from, window, length, StoreKey<Keys>{to});
    std::swap(from, to);
  }
  merge_runs(exec, from, window, length, StoreRow<Order>{order});
}

/// The row in each slot. \param lengths entries of each row \param window rows in a window, at least 1
template <Traversal Way, class ExecutionSpace, class Lengths>
Kokkos::View<Index*, typename Lengths::memory_space> order_by_length(const ExecutionSpace& exec,
                                                                     const Lengths& lengths, std::int64_t window) {
  using Order = Kokkos::View<Index*, typename Lengths::memory_space>;
  const auto order = allocate<Order>(exec, "krylite::row_order", lengths.extent(0));
  if (lengths.extent(0) == 0) return order;
  // A window that is longer than all rows is one of them all.
  const std::int64_t rows = std::min(window, static_cast<std::int64_t>(lengths.extent(0)));
  if constexpr (Way == Traversal::teams) {
    order_by_runs(exec, lengths, rows, order);
  } else {
    order_by_windows(exec, lengths, rows, order);
  }
  return order;
}

}  // namespace detail
}  // namespace krylite

#endif
