#ifndef KRYLITE_SRC_REORDER_GRAPH_HPP
#define KRYLITE_SRC_REORDER_GRAPH_HPP

/// \file
/// The graph of A + A^T: nodes are rows, and two rows are neighbours where the matrix has an entry in one of
/// the two places that join them. No node is its own neighbour, and none is listed twice.
/// Storage: 8 bytes an entry, 8 bytes a row. Cost: O(nnz), on one thread.

#include <cstdint>
#include <krylite/reorder/pattern.hpp>
#include <vector>

namespace krylite::detail {

class Graph {
 public:
  /// \throws Error where the memory for it is not there
  explicit Graph(const HostPattern& pattern);

  /// A stretch of nodes, for a range-based for.
  struct Nodes {
    const Index* first;
    const Index* last;
    const Index* begin() const { return first; }
    const Index* end() const { return last; }
  };

  std::int64_t size() const { return static_cast<std::int64_t>(starts_.size()) - 1; }
  std::int64_t degree(Index node) const {
    return starts_[std::size_t(node) + 1] - starts_[std::size_t(node)];
  }

  /// In no particular order, but always the same.
  Nodes neighbours(Index node) const {
    const Index* const all = neighbours_.data();
    return {all + starts_[std::size_t(node)], all + starts_[std::size_t(node) + 1]};
  }

 private:
  void list_neighbours(const HostPattern& pattern);
  void remove_duplicates();

  std::vector<std::int64_t> starts_;
  std::vector<Index> neighbours_;
};

}  // namespace krylite::detail

#endif
