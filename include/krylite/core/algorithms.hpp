#ifndef KRYLITE_CORE_ALGORITHMS_HPP
#define KRYLITE_CORE_ALGORITHMS_HPP

/// \file
/// Reductions, single elements, search and sorting that several components need, on any execution space.

#include <krylite/core/traits.hpp>

#include <cstdint>

namespace krylite {
namespace detail {

/// Sum over [0, count) of `term(i)`. Fences.
template <class ExecutionSpace, class Term>
std::int64_t sum_of(const ExecutionSpace& exec, std::int64_t count, const Term& term) {
  std::int64_t sum = 0;
  Kokkos::parallel_reduce(
      "krylite::sum", range(exec, count),
      KOKKOS_LAMBDA(const std::int64_t i, std::int64_t& part) { part += term(i); }, sum);
  return sum;
}

/// Largest of 0 and `term(i)` over [0, count). Fences.
template <class ExecutionSpace, class Term>
std::int64_t largest_of(const ExecutionSpace& exec, std::int64_t count, const Term& term) {
  std::int64_t largest = 0;
  Kokkos::parallel_reduce(
      "krylite::max", range(exec, count),
      KOKKOS_LAMBDA(const std::int64_t i, std::int64_t& part) {
        const std::int64_t value = term(i);
        part = value > part ? value : part;
      },
      Kokkos::Max<std::int64_t>(largest));
  // Over nothing, a Max is the lowest number there is.
  return largest > 0 ? largest : 0;
}

/// True where `values` hold a NaN or an Inf. Fences.
template <class ExecutionSpace, class Values>
bool has_not_finite(const ExecutionSpace& exec, const Values& values) {
  const auto not_finite = KOKKOS_LAMBDA(const std::int64_t i)->std::int64_t {
    return isfinite(static_cast<double>(values(i))) ? 0 : 1;
  };
  return sum_of(exec, static_cast<std::int64_t>(values.extent(0)), not_finite) > 0;
}

/// Waits for `exec`, and returns view(position) on the host.
template <class ExecutionSpace, class ViewType>
typename ViewType::non_const_value_type element(const ExecutionSpace& exec, const ViewType& view,
                                                std::int64_t position) {
  typename ViewType::non_const_value_type value;
  exec.fence();
  Kokkos::deep_copy(value, Kokkos::subview(view, position));
  return value;
}

/// First position of a row in `rows`, which are sorted.
template <class Rows>
KOKKOS_INLINE_FUNCTION std::int64_t lower_bound_row(const Rows& rows, std::int64_t row) {
  std::int64_t low = 0;
  std::int64_t high = static_cast<std::int64_t>(rows.extent(0));
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (rows(middle) < row) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Puts `item` where it belongs in the heap below `root`, whose own place is free.
template <class Item, class Less>
KOKKOS_INLINE_FUNCTION void sift_down(Item* items, std::int64_t root, std::int64_t count, const Item item,
                                      const Less& less) {
  std::int64_t child = 2 * root + 1;
  while (child < count) {
    if (child + 1 < count && less(items[child], items[child + 1])) ++child;
    if (!less(item, items[child])) break;
    items[root] = items[child];
    root = child;
    child = 2 * root + 1;
  }
  items[root] = item;
}

/// Sorts in place and without recursion, in O(n log n) for every input: what a long row on a device needs.
template <class Item, class Less>
KOKKOS_INLINE_FUNCTION void heap_sort(Item* items, std::int64_t count, const Less& less) {
  for (std::int64_t root = count / 2; root-- > 0;) sift_down(items, root, count, Item(items[root]), less);
  for (std::int64_t last = count - 1; last > 0; --last) {
    const Item item = items[last];
    items[last] = items[0];
    sift_down(items, 0, last, item, less);
  }
}

}  // namespace detail
}  // namespace krylite

#endif
