#include "support/expect.hpp"
#include "support/types.hpp"

#include <krylite/formats/convert.hpp>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace {

using krylite::Index;
using krylite::RowOrder;
using namespace krylite_test;

/// What a matrix of several components has besides.
struct Extras {
  bool hub_columns = false;
  bool duplicates = false;
  bool empty_rows = false;
};

struct ComponentMatrix {
  std::string name;
  HostCsr csr;
  std::vector<Index> component;  ///< of each row; an empty row is one of its own
};

/// Chains, each longer than a cluster, whose rows are dealt out in turn and out of order: row i of a chain has the
/// columns i and i + 1 of its chain. Hub columns, at both ends, are in almost every row, and join nothing.
ComponentMatrix chains(const std::string& name, const Extras& extras) {
  constexpr Index count = 3;
  constexpr Index length = krylite::detail::cluster_rows + 150;
  constexpr Index last_column = count * (length + 1) + 1;
  Rows rows;
  ComponentMatrix matrix{name, {}, {}};
  for (Index place = 0; place < length; ++place) {
    for (Index chain = 0; chain < count; ++chain) {
      const Index i = place * 257 % length;
      const Index column = 1 + chain * (length + 1) + i;
      rows.push_back({{column + 1, 1.0}, {column, 2.0}});
      if (extras.hub_columns && place % 50 != 7) {
        rows.back().insert(rows.back().begin(), {last_column, 3.0});
        rows.back().push_back({0, 4.0});
      }
      if (extras.duplicates && place % 3 == 0) rows.back().push_back({column + 1, 5.0});
      matrix.component.push_back(chain);
    }
    if (extras.empty_rows && place % 10 == 0) {
      rows.emplace_back();
      matrix.component.push_back(count + place);
    }
  }
  matrix.csr = make_csr(last_column + 1, rows);
  return matrix;
}

std::vector<ComponentMatrix> component_matrices() {
  return {chains("chains", {}), chains("hub columns", {true, false, false}), chains("duplicates", {false, true, false}),
          chains("empty rows", {false, false, true}), chains("all of it", {true, true, true})};
}

krylite::RgCsrOptions by_clusters() {
  krylite::RgCsrOptions options;
  options.group_size = 8;
  options.order = RowOrder::clusters;
  return options;
}

/// No two stretches of `rows` are of the same component.
void expect_each_in_one_stretch(const std::vector<Index>& rows, const ComponentMatrix& matrix) {
  std::set<Index> begun;
  Index current = -1;
  for (const Index row : rows) {
    const Index component = matrix.component[static_cast<std::size_t>(row)];
    if (component == current) continue;
    EXPECT_TRUE(begun.insert(component).second) << matrix.name << ", row " << row << " of component " << component;
    current = component;
  }
}

template <class Combination>
class ClusterOrderTest : public ::testing::Test {
 public:
  /// check(exec, csr, matrix)
  template <class Check>
  void for_each_matrix(const Check& check) const {
    const typename Combination::ExecutionSpace exec;
    for (const ComponentMatrix& matrix : component_matrices()) {
      using Scalar = typename Combination::Scalar;
      check(exec, convert<Scalar, typename Combination::Offset, typename Combination::MemorySpace>(matrix.csr), matrix);
    }
  }
};
TYPED_TEST_SUITE(ClusterOrderTest, Combinations);

TYPED_TEST(ClusterOrderTest, EveryRowComesOnceAndThoseOfAComponentTogether) {
  this->for_each_matrix([](const auto& exec, const auto& csr, const ComponentMatrix& matrix) {
    const auto order = to_host(krylite::to_rgcsr(exec, csr, by_clusters()).row_order);
    const std::vector<Index> rows(order.data(), order.data() + order.extent(0));
    std::vector<Index> all(matrix.component.size());
    std::iota(all.begin(), all.end(), 0);
    ASSERT_TRUE(rows.size() == all.size() && std::is_permutation(all.begin(), all.end(), rows.begin())) << matrix.name;
    expect_each_in_one_stretch(rows, matrix);
  });
}

TYPED_TEST(ClusterOrderTest, RoundTripsAreExact) {
  this->for_each_matrix([](const auto& exec, const auto& csr, const ComponentMatrix& matrix) {
    expect_same_matrix(csr, krylite::to_csr(exec, krylite::to_rgcsr(exec, csr, by_clusters())), matrix.name);
    krylite::AdaptiveRgCsrOptions options;
    options.groups = by_clusters();
    options.piece_length = 2;
    expect_same_matrix(csr, krylite::to_csr(exec, krylite::to_adaptive_rgcsr(exec, csr, options)),
                       matrix.name + ", adaptive");
  });
}

/// The pieces of a row come one after the other, where the order has the row.
TEST(ClusterOrder, PiecesFollowTheirRows) {
  const Kokkos::DefaultHostExecutionSpace exec;
  for (const ComponentMatrix& matrix : component_matrices()) {
    const auto order = krylite::to_rgcsr(exec, matrix.csr, by_clusters()).row_order;
    const auto adaptive = krylite::to_adaptive_rgcsr(exec, matrix.csr, {by_clusters(), 2, 0});
    std::vector<Index> rows;
    for (std::int64_t slot = 0; slot < adaptive.num_units(); ++slot) {
      if (rows.empty() || rows.back() != adaptive.row_of(slot)) rows.push_back(adaptive.row_of(slot));
    }
    EXPECT_EQ(rows, std::vector<Index>(order.data(), order.data() + order.extent(0))) << matrix.name;
  }
}

/// Columns of too many rows tell nothing of nearness: the rows stay as they are.
TEST(ClusterOrder, HubColumnsAloneMakeNoClusters) {
  const Kokkos::DefaultHostExecutionSpace exec;
  Rows rows(4 * krylite::detail::most_rows_of_near_column);
  for (std::size_t r = 0; r < rows.size(); ++r) rows[r] = {{0, 1.0}, {static_cast<Index>(1 + r % 2), 2.0}, {0, 3.0}};
  rows[9].clear();
  const auto order = krylite::to_rgcsr(exec, make_csr(3, rows), by_clusters()).row_order;
  ASSERT_EQ(order.extent(0), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(order(i), static_cast<Index>(i));
}

}  // namespace
