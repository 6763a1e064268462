#ifndef KRYLITE_FORMATS_CONVERT_ROW_ORDER_HPP
#define KRYLITE_FORMATS_CONVERT_ROW_ORDER_HPP

/// \file
/// Rows by descending length within windows, equal lengths in their own order: a counting sort of each window, on
/// the host.

#include <krylite/core/memory.hpp>
#include <krylite/core/traits.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace krylite {
namespace detail {

/// `exec` itself where it is a host space, else the default one.
template <class ExecutionSpace>
auto host_instance(const ExecutionSpace& exec) {
  if constexpr (is_host_space<ExecutionSpace>) {
    return exec;
  } else {
    return Kokkos::DefaultHostExecutionSpace();
  }
}

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

/// The row in each slot. \param lengths entries of each row \param window rows in a window, at least 1
template <class ExecutionSpace, class Lengths>
Kokkos::View<Index*, typename Lengths::memory_space> order_by_length(const ExecutionSpace& exec,
                                                                     const Lengths& lengths, std::int64_t window) {
  using Order = Kokkos::View<Index*, typename Lengths::memory_space>;
  const auto order = allocate<Order>(exec, "krylite::row_order", lengths.extent(0));
  exec.fence();
  const auto host_lengths = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), lengths);
  const auto host_order = Kokkos::create_mirror_view(order);
  const auto count = static_cast<std::int64_t>(lengths.extent(0));
  const auto host = host_instance(exec);
  Kokkos::parallel_for("krylite::order_by_length", range(host, (count + window - 1) / window),
                       [=](const std::int64_t w) {
                         sort_window(host_lengths, w * window, std::min(count, (w + 1) * window), host_order);
                       });
  host.fence();
  Kokkos::deep_copy(exec, order, host_order);
  return order;
}

}  // namespace detail
}  // namespace krylite

#endif
