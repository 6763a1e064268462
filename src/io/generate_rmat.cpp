#include <algorithm>

#include "generate_random.hpp"
#include "generate_rows.hpp"

namespace krylite::detail {
namespace {

struct Edge {
  Index row;
  Index column;
};

/// All edges of the graph, in the order of the edges' numbers; computed, not stored.
struct EdgeList {
  std::uint64_t seed;
  int levels;
  std::int64_t count;

  /// Halves the range of rows and of columns once a level: upper left, upper right, lower left, lower right
  /// with probability 0.57, 0.19, 0.19, 0.05. A random word serves two levels.
  Edge operator()(std::int64_t number) const {
    constexpr auto upper_left = static_cast<std::uint32_t>(0.57 * 0x1p32);
    constexpr auto upper = static_cast<std::uint32_t>(0.76 * 0x1p32);
    constexpr auto upper_and_lower_left = static_cast<std::uint32_t>(0.95 * 0x1p32);
    RandomStream random(seed, static_cast<std::uint64_t>(number));
    Edge edge{0, 0};
    std::uint64_t word = 0;
    for (int level = 0; level < levels; ++level) {
      word = level % 2 == 0 ? random.next() : word >> 32;
      const auto draw = static_cast<std::uint32_t>(word);
      // Sums of comparisons, since no processor foretells a branch on a random number.
      const int quadrant = (draw >= upper_left) + (draw >= upper) + (draw >= upper_and_lower_left);
      edge.row = 2 * edge.row + quadrant / 2;
      edge.column = 2 * edge.column + quadrant % 2;
    }
    return edge;
  }
};

/// Columns of all edges, sorted by row alone: in which order the edges of a row come is left to the threads.
HostCsr::columns_type gather_by_row(const HostExecution& exec, const EdgeList& edges,
                                    const HostCsr::row_pointers_type& pointers) {
  Kokkos::deep_copy(exec, pointers, std::int64_t(0));
  Kokkos::parallel_for("krylite::generate::rmat_degrees", range(exec, edges.count),
                       [=](const std::int64_t number) {
                         Kokkos::atomic_add(&pointers(edges(number).row + 1), std::int64_t(1));
                       });
  exec.fence();
  scan_lengths(exec, pointers);
  const auto cursors =
      allocate<HostCsr::row_pointers_type>(exec, "krylite::generate::rmat_cursors", pointers.extent(0));
  Kokkos::deep_copy(exec, cursors, pointers);
  const auto columns =
      allocate<HostCsr::columns_type>(exec, "krylite::generate::rmat_columns", std::size_t(edges.count));
  Kokkos::parallel_for("krylite::generate::rmat_gather", range(exec, edges.count),
                       [=](const std::int64_t number) {
                         const Edge edge = edges(number);
                         columns(Kokkos::atomic_fetch_add(&cursors(edge.row), std::int64_t(1))) = edge.column;
                       });
  exec.fence();
  return columns;
}

/// Sorts each row of `columns` and moves its different columns to its front; gives how many they are.
HostCsr::row_pointers_type merge_duplicates(const HostExecution& exec,
                                            const HostCsr::row_pointers_type& pointers,
                                            const HostCsr::columns_type& columns) {
  const std::int64_t rows = static_cast<std::int64_t>(pointers.extent(0)) - 1;
  const auto lengths =
      allocate<HostCsr::row_pointers_type>(exec, "krylite::generate::rmat_lengths", std::size_t(rows));
  // The first rows hold most of the edges: threads take them as they come free.
  using Policy =
      Kokkos::RangePolicy<HostExecution, Kokkos::IndexType<std::int64_t>, Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for("krylite::generate::rmat_merge", Policy(exec, 0, rows), [=](const std::int64_t row) {
    Index* const begin = columns.data() + pointers(row);
    Index* const end = columns.data() + pointers(row + 1);
    std::sort(begin, end);
    lengths(row) = std::unique(begin, end) - begin;
  });
  exec.fence();
  return lengths;
}

}  // namespace

HostCsr make_rmat(const GeneratorRequest& request) {
  const HostExecution exec{};
  const Index rows = request.rows;
  const std::uint64_t seed = request.seed();
  const EdgeList edges{seed, static_cast<int>(request.n), static_cast<std::int64_t>(request["edges"]) * rows};
  // Offsets, cursors and lengths, which come before the matrix itself.
  require_words(request, edges.count + 6 * (std::int64_t(rows) + 1));
  const auto pointers =
      allocate<HostCsr::row_pointers_type>(exec, "krylite::generate::rmat_pointers", std::size_t(rows) + 1);
  const auto sorted = gather_by_row(exec, edges, pointers);
  const auto lengths = merge_duplicates(exec, pointers, sorted);

  const auto count = [=](Index row) { return lengths(row); };
  const auto fill = [=](Index row, std::int64_t length, Index* columns, double* values) {
    const Index* const source = sorted.data() + pointers(row);
    for (std::int64_t entry = 0; entry < length; ++entry) {
      const auto position = static_cast<std::uint64_t>(row) << 32 | static_cast<std::uint64_t>(source[entry]);
      columns[entry] = source[entry];
      values[entry] = RandomStream(~seed, position).unit();
    }
  };
  return build_rows(request, rows, 0, count, fill);
}

}  // namespace krylite::detail
