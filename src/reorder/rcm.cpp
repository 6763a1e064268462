#include <algorithm>
#include <krylite/core/memory.hpp>
#include <krylite/reorder/rcm.hpp>
#include <vector>

#include "graph.hpp"

namespace krylite::detail {
namespace {

/// Numbers one component after the other, level by level from a root.
class CuthillMcKee {
 public:
  /// \param order takes the numbering; as many entries as the graph has nodes
  CuthillMcKee(const Graph& graph, Index* order)
      : graph_(graph), order_(order), is_reached_(static_cast<std::size_t>(graph.size()), false) {}

  /// Reverse Cuthill-McKee of the whole graph.
  void run() {
    for (std::int64_t node = 0; node < graph_.size(); ++node) {
      if (is_reached_[std::size_t(node)]) continue;
      const Levels levels = visit(find_root(static_cast<Index>(node)), true);
      std::reverse(order_ + numbered_, order_ + levels.end);
      numbered_ = levels.end;
    }
  }

 private:
  /// What a visit leaves in `order_` from `numbered_` on: a component, level by level.
  struct Levels {
    std::int64_t count = 0;
    std::int64_t last = 0;  ///< where the last level begins
    std::int64_t end = 0;   ///< where the component ends
  };

  bool comes_before(Index a, Index b) const {
    const std::int64_t difference = graph_.degree(a) - graph_.degree(b);
    return difference < 0 || (difference == 0 && a < b);
  }

  /// Lists the component of `root`; with `by_degree` in the order of Cuthill and McKee.
  Levels visit(Index root, bool by_degree) {
    Levels levels;
    std::int64_t end = numbered_;
    const auto reach = [&](Index node) {
      is_reached_[std::size_t(node)] = true;
      order_[end++] = node;
    };
    reach(root);
    for (std::int64_t next = numbered_; next < end; ++levels.count) {
      levels.last = next;
      for (const std::int64_t level_end = end; next < level_end; ++next) {
        Index* const children = order_ + end;
        for (const Index neighbour : graph_.neighbours(order_[next])) {
          if (!is_reached_[std::size_t(neighbour)]) reach(neighbour);
        }
        if (by_degree)
          std::sort(children, order_ + end, [&](Index a, Index b) { return comes_before(a, b); });
      }
    }
    levels.end = end;
    return levels;
  }

  /// As `visit`, but the component counts as not reached afterwards.
  Levels measure(Index root) {
    const Levels levels = visit(root, false);
    for (std::int64_t i = numbered_; i < levels.end; ++i) is_reached_[std::size_t(order_[i])] = false;
    return levels;
  }

  /// The pseudo-peripheral node that George and Liu's search comes to. Each step but the last has found more
  /// levels than there were; the limit keeps the cost linear for every graph.
  Index find_root(Index start) {
    constexpr int most_steps = 16;
    Index root = start;
    Levels levels = measure(root);
    for (int step = 0; step < most_steps && levels.count > 1; ++step) {
      const Index* const candidate = std::min_element(order_ + levels.last, order_ + levels.end,
                                                      [&](Index a, Index b) { return comes_before(a, b); });
      const std::int64_t count = levels.count;
      root = *candidate;
      levels = measure(root);
      if (levels.count <= count) break;
    }
    return root;
  }

  const Graph& graph_;
  Index* order_;
  std::vector<bool> is_reached_;
  std::int64_t numbered_ = 0;
};

}  // namespace

Permutation<Kokkos::HostSpace> rcm_of_pattern(const HostPattern& pattern) {
  const Graph graph(pattern);
  const auto rows = static_cast<std::size_t>(graph.size());
  require_memory<Kokkos::HostSpace>(rows * (sizeof(Index) + 1), "the RCM ordering");
  const Permutation<Kokkos::HostSpace> order("krylite::reorder::rcm", rows);
  CuthillMcKee(graph, order.data()).run();
  return order;
}

}  // namespace krylite::detail
