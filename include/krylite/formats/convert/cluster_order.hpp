#ifndef KRYLITE_FORMATS_CONVERT_CLUSTER_ORDER_HPP
#define KRYLITE_FORMATS_CONVERT_CLUSTER_ORDER_HPP

/// \file
/// Rows in clusters that share columns, for matrices whose numbering tells nothing of nearness. A cluster begins with a
/// row near those before it, and takes the row that shares most columns with it, again and again: the greedy heuristic
/// of "Speedup graph processing by graph ordering" (Wei et al. 2016) with the cluster for its window. A column that a
/// row stores twice is shared twice. On a host, by one thread; about 0.2 us an entry.

#include <krylite/core/memory.hpp>
#include <krylite/core/traits.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace krylite {
namespace detail {

/// Rows of a cluster. One H200, a 7-point stencil that was shuffled, 64 | 256 | 512 | 1024 | 4096 rows: 88 | 83 | 82 |
/// 83 | 86 us a product, and 104 without clusters.
inline constexpr Index cluster_rows = 512;

/// Columns of more rows say little of nearness, and would cost much: 27 is the most of a stencil.
inline constexpr std::int64_t most_rows_of_near_column = 32;

/// The pattern of a matrix by rows or by columns.
struct ClusterPattern {
  std::vector<std::int64_t> pointers;
  std::vector<Index> indices;

  std::int64_t count(Index i) const {
    return pointers[static_cast<std::size_t>(i) + 1] - pointers[static_cast<std::size_t>(i)];
  }
};

inline ClusterPattern transposed(const ClusterPattern& rows, Index num_cols) {
  ClusterPattern columns;
  columns.pointers.assign(static_cast<std::size_t>(num_cols) + 1, 0);
  columns.indices.resize(rows.indices.size());
  for (const Index column : rows.indices) ++columns.pointers[static_cast<std::size_t>(column) + 1];
  for (std::size_t c = 1; c < columns.pointers.size(); ++c) columns.pointers[c] += columns.pointers[c - 1];
  std::vector<std::int64_t> next(columns.pointers.begin(), columns.pointers.end() - 1);
  for (std::size_t row = 0; row + 1 < rows.pointers.size(); ++row) {
    for (std::int64_t k = rows.pointers[row]; k < rows.pointers[row + 1]; ++k) {
      const auto column = static_cast<std::size_t>(rows.indices[static_cast<std::size_t>(k)]);
      columns.indices[static_cast<std::size_t>(next[column]++)] = static_cast<Index>(row);
    }
  }
  return columns;
}

class RowClusters {
 public:
  RowClusters(ClusterPattern rows, Index num_cols)
      : rows_(std::move(rows)), columns_(transposed(rows_, num_cols)), is_placed_(rows_.pointers.size() - 1),
        is_waiting_(is_placed_.size()), shared_(is_placed_.size(), 0), row_cluster_(is_placed_.size(), -1),
        column_cluster_(static_cast<std::size_t>(num_cols), -1) {}

  /// The rows, cluster by cluster.
  std::vector<Index> order() {
    order_.reserve(is_placed_.size());
    while (order_.size() < is_placed_.size()) make_cluster();
    return std::move(order_);
  }

 private:
  void make_cluster() {
    ++cluster_;
    top_ = 0;
    near_.clear();
    for (std::vector<Index>& rows : by_shared_) rows.clear();
    Index row = first_row();
    for (Index i = 0; i < cluster_rows && row >= 0; ++i) {
      place(row);
      row = most_shared();
    }
    for (const Index left : near_) {
      if (is_placed_[static_cast<std::size_t>(left)] || is_waiting_[static_cast<std::size_t>(left)]) continue;
      is_waiting_[static_cast<std::size_t>(left)] = true;
      waiting_.push_back(left);
    }
  }

  /// One that an earlier cluster left, else the first that is in none.
  Index first_row() {
    while (!waiting_.empty()) {
      const Index row = waiting_.front();
      waiting_.pop_front();
      is_waiting_[static_cast<std::size_t>(row)] = false;
      if (!is_placed_[static_cast<std::size_t>(row)]) return row;
    }
    while (is_placed_[next_]) ++next_;
    return static_cast<Index>(next_);
  }

  /// Puts a row into the cluster; rows that share a column with it that was not yet the cluster's share one more.
  void place(Index row) {
    const auto r = static_cast<std::size_t>(row);
    is_placed_[r] = true;
    order_.push_back(row);
    for (std::int64_t k = rows_.pointers[r]; k < rows_.pointers[r + 1]; ++k) {
      const Index column = rows_.indices[static_cast<std::size_t>(k)];
      const auto c = static_cast<std::size_t>(column);
      if (column_cluster_[c] == cluster_) continue;
      column_cluster_[c] = cluster_;
      if (columns_.count(column) > most_rows_of_near_column) continue;
      for (std::int64_t i = columns_.pointers[c]; i < columns_.pointers[c + 1]; ++i) {
        share_one_more(columns_.indices[static_cast<std::size_t>(i)]);
      }
    }
  }

  void share_one_more(Index row) {
    const auto r = static_cast<std::size_t>(row);
    if (is_placed_[r]) return;
    if (row_cluster_[r] != cluster_) {
      row_cluster_[r] = cluster_;
      shared_[r] = 0;
      near_.push_back(row);
    }
    shared_[r] = std::min(shared_[r] + 1, most_counted);
    by_shared_[static_cast<std::size_t>(shared_[r])].push_back(row);
    top_ = std::max(top_, shared_[r]);
  }

  /// The row that shares most with the cluster, of several the one that came last; -1 where none is left.
  Index most_shared() {
    for (; top_ > 0; --top_) {
      std::vector<Index>& rows = by_shared_[static_cast<std::size_t>(top_)];
      while (!rows.empty()) {
        const Index row = rows.back();
        rows.pop_back();
        // Rows stay where they were counted before.
        if (!is_placed_[static_cast<std::size_t>(row)] && shared_[static_cast<std::size_t>(row)] == top_) return row;
      }
    }
    return -1;
  }

  static constexpr int most_counted = 63;
  ClusterPattern rows_;
  ClusterPattern columns_;
  std::vector<char> is_placed_;
  std::vector<char> is_waiting_;
  std::vector<int> shared_;             ///< of each row, columns that are its cluster's too, counted to `most_counted`
  std::vector<Index> row_cluster_;      ///< for which cluster they were counted
  std::vector<Index> column_cluster_;   ///< the last cluster that has the column
  std::array<std::vector<Index>, most_counted + 1> by_shared_;  ///< rows with so many, and some that have more now
  std::vector<Index> near_;             ///< rows that share something with the cluster
  std::deque<Index> waiting_;           ///< those that earlier clusters left
  std::vector<Index> order_;
  std::size_t next_ = 0;
  Index cluster_ = -1;
  int top_ = 0;
};

template <class Csr>
ClusterPattern pattern_on_host(const Csr& csr) {
  const auto pointers = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), csr.row_pointers);
  const auto columns = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), csr.columns);
  ClusterPattern pattern;
  pattern.pointers.assign(pointers.data(), pointers.data() + pointers.extent(0));
  pattern.indices.assign(columns.data(), columns.data() + columns.extent(0));
  return pattern;
}

/// Rows of `csr` by clusters. Waits for what is under way on any device.
/// \throws Error where the memory of the host does not suffice
template <class ExecutionSpace, class Csr>
Kokkos::View<Index*, typename Csr::memory_space> order_by_clusters(const ExecutionSpace& exec, const Csr& csr) {
  const auto rows = static_cast<std::size_t>(csr.num_rows);
  const auto entries = static_cast<std::size_t>(csr.num_entries());
  // The pattern, transposed too, and a copy from a device.
  require_memory<Kokkos::HostSpace>(3 * sizeof(Index) * entries + 48 * (rows + static_cast<std::size_t>(csr.num_cols)),
                                    "clusters of rows");
  const std::vector<Index> found = RowClusters(pattern_on_host(csr), csr.num_cols).order();
  using Order = Kokkos::View<Index*, typename Csr::memory_space>;
  const auto order = allocate<Order>(exec, "krylite::row_order", rows);
  const Kokkos::View<const Index*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> on_host(found.data(),
                                                                                                      rows);
  Kokkos::deep_copy(order, on_host);
  return order;
}

}  // namespace detail
}  // namespace krylite

#endif
