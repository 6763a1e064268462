#include "graph.hpp"

#include <krylite/core/memory.hpp>
#include <string>

namespace krylite::detail {
namespace {

/// work(row, column) for every entry off the diagonal.
template <class Work>
void for_each_edge(const HostPattern& pattern, const Work& work) {
  for (Index row = 0; row < pattern.num_rows; ++row) {
    const std::int64_t end = pattern.row_pointers(std::int64_t{row} + 1);
    for (std::int64_t k = pattern.row_pointers(row); k < end; ++k) {
      if (pattern.columns(k) != row) work(row, pattern.columns(k));
    }
  }
}

}  // namespace

Graph::Graph(const HostPattern& pattern) {
  const auto rows = static_cast<std::size_t>(pattern.num_rows);
  require_memory<Kokkos::HostSpace>(
      2 * pattern.columns.extent(0) * sizeof(Index) + rows * (sizeof(std::int64_t) + sizeof(Index)),
      "the graph of a matrix of " + std::to_string(rows) + " rows");
  list_neighbours(pattern);
  remove_duplicates();
}

/// Counts, scans and fills; what stands on both sides of the diagonal is listed twice.
void Graph::list_neighbours(const HostPattern& pattern) {
  starts_.assign(static_cast<std::size_t>(pattern.num_rows) + 1, 0);
  std::int64_t* const next = starts_.data() + 1;  // in the end, where the node after this one starts
  for_each_edge(pattern, [=](Index row, Index column) {
    ++next[row];
    ++next[column];
  });
  std::int64_t sum = 0;
  for (Index node = 0; node < pattern.num_rows; ++node) {
    const std::int64_t count = next[node];
    next[node] = sum;
    sum += count;
  }
  neighbours_.resize(static_cast<std::size_t>(sum));
  Index* const all = neighbours_.data();
  for_each_edge(pattern, [=](Index row, Index column) {
    all[next[row]++] = column;
    all[next[column]++] = row;
  });
}

void Graph::remove_duplicates() {
  std::vector<Index> seen_by(starts_.size(), -1);
  std::int64_t kept = 0;
  std::int64_t begin = 0;
  for (Index node = 0; node < size(); ++node) {
    const std::int64_t end = starts_[std::size_t(node) + 1];
    for (std::int64_t k = begin; k < end; ++k) {
      const Index neighbour = neighbours_[std::size_t(k)];
      Index& seen = seen_by[std::size_t(neighbour)];
      if (seen == node) continue;
      seen = node;
      neighbours_[std::size_t(kept++)] = neighbour;
    }
    begin = end;
    starts_[std::size_t(node) + 1] = kept;
  }
  neighbours_.resize(static_cast<std::size_t>(kept));
}

}  // namespace krylite::detail
