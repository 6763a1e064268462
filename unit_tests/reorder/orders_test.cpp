// Reverse Cuthill-McKee and approximate minimum degree.
#include <algorithm>
#include <krylite/io/generate.hpp>
#include <krylite/reorder/amd.hpp>
#include <krylite/reorder/rcm.hpp>
#include <set>
#include <vector>

#include "support/expect.hpp"
#include "support/types.hpp"

namespace {

using krylite::Index;
using namespace krylite_test;
using Order = krylite::Permutation<Kokkos::HostSpace>;
using Host = Kokkos::DefaultHostExecutionSpace;

/// A way to order; those that this build has.
struct Method {
  const char* name;
  Order (*order)(const HostCsr&);
};

std::vector<Method> methods() {
  std::vector<Method> all = {{"rcm", [](const HostCsr& csr) { return krylite::rcm(Host(), csr); }}};
  if (krylite::amd_is_available()) {
    all.push_back({"amd", [](const HostCsr& csr) { return krylite::amd(Host(), csr); }});
  }
  return all;
}

std::vector<Index> to_vector(const Order& order) {
  return std::vector<Index>(order.data(), order.data() + order.extent(0));
}

HostCsr generated(const std::string& text) { return krylite::generate(krylite::parse_generator(text)); }

Index bandwidth(const HostCsr& csr) {
  Index widest = 0;
  for (Index row = 0; row < csr.num_rows; ++row) {
    for (auto k = csr.row_pointers(row); k < csr.row_pointers(row + 1); ++k) {
      widest = std::max(widest, std::abs(row - csr.columns(k)));
    }
  }
  return widest;
}

/// Entries of the Cholesky factor of A + A^T below the diagonal, by elimination of one row after the other.
std::int64_t factor_entries(const HostCsr& csr) {
  std::vector<std::set<Index>> later(static_cast<std::size_t>(csr.num_rows));
  const auto join = [&](Index a, Index b) {
    if (a != b) later[std::size_t(std::min(a, b))].insert(std::max(a, b));
  };
  for (Index row = 0; row < csr.num_rows; ++row) {
    for (auto k = csr.row_pointers(row); k < csr.row_pointers(row + 1); ++k) join(row, csr.columns(k));
  }
  std::int64_t entries = 0;
  for (const auto& neighbours : later) {
    entries += static_cast<std::int64_t>(neighbours.size());
    // The first neighbour becomes one of all others, and passes them on.
    for (const Index neighbour : neighbours) join(*neighbours.begin(), neighbour);
  }
  return entries;
}

TEST(Orders, ArePermutationsOfEverySquareMatrix) {
  for (const Method& method : methods()) {
    for (const NamedMatrix& matrix : battery()) {
      if (matrix.csr.num_rows != matrix.csr.num_cols) continue;
      const Order order = method.order(matrix.csr);
      EXPECT_EQ(order.extent(0), std::size_t(matrix.csr.num_rows)) << matrix.name;
      EXPECT_TRUE(krylite::is_permutation(Host(), order)) << method.name << ": " << matrix.name;
    }
    for (const std::string text : {"gen:circuit:2000", "gen:web:3000", "gen:rmat:9", "gen:arrow:500"}) {
      EXPECT_TRUE(krylite::is_permutation(Host(), method.order(generated(text)))) << method.name << text;
    }
  }
}

TEST(Orders, AreTheSameEachTime) {
  const auto csr = generated("gen:circuit:3000");
  for (const Method& method : methods()) {
    const auto first = to_vector(method.order(csr));
    EXPECT_EQ(first, to_vector(method.order(csr))) << method.name;
  }
}

TEST(Orders, DependOnNeitherDuplicatesNorTheOrderOfARow) {
  const Rows rows = {{{0, 1}, {3, 1}}, {{1, 1}, {2, 1}}, {{2, 1}}, {{3, 1}, {4, 1}}, {{1, 1}, {4, 1}}};
  Rows jumbled = rows;
  for (auto& row : jumbled) {
    row.push_back(row.front());
    std::reverse(row.begin(), row.end());
  }
  for (const Method& method : methods()) {
    EXPECT_EQ(to_vector(method.order(make_csr(5, rows))), to_vector(method.order(make_csr(5, jumbled))))
        << method.name;
  }
}

TEST(Orders, RefuseARectangle) {
  const auto wide = make_csr(3, {{{0, 1}}, {{2, 1}}});
  expect_error([&] { krylite::rcm(Host(), wide); }, "RCM", "2 x 3");
  if (krylite::amd_is_available()) {
    expect_error([&] { krylite::amd(Host(), wide); }, "AMD", "2 x 3");
  }
}

template <class T>
class OrdersOf : public testing::Test {};
TYPED_TEST_SUITE(OrdersOf, Combinations, );

TYPED_TEST(OrdersOf, AnyTypesAreTheSame) {
  using Memory = typename TypeParam::MemorySpace;
  const typename TypeParam::ExecutionSpace exec;
  for (const std::string text : {"gen:poisson2d:9:shuffle=4", "gen:arrow:30"}) {
    const auto csr = generated(text);
    const auto converted = convert<typename TypeParam::Scalar, typename TypeParam::Offset, Memory>(csr);
    expect_same_bits(krylite::rcm(Host(), csr), Order(to_host(krylite::rcm(exec, converted))), text);
    if (!krylite::amd_is_available()) continue;
    expect_same_bits(krylite::amd(Host(), csr), Order(to_host(krylite::amd(exec, converted))), text);
  }
}

TEST(Rcm, AHandCheckedPath) {
  // The path 2 - 0 - 3 - 1. From 0 the last level is {1}, from 1 it is {2}, and 2 gives no more levels.
  const auto csr = make_csr(4, {{{2, 1}, {3, 1}}, {{3, 1}}, {{0, 1}}, {{0, 1}, {1, 1}}});
  EXPECT_EQ(to_vector(krylite::rcm(Host(), csr)), std::vector<Index>({1, 3, 0, 2}));
}

TEST(Rcm, NumbersNeighboursByDegreeAndThenByIndex) {
  // Edges 0-1, 0-2, 0-3, 1-4, 1-5 and 3-5, degrees 3, 3, 1, 2, 1, 2. From 0 there are three levels and 4 is
  // in the last one; from 4 four, {4} {1} {0, 5} {2, 3}; from 2 no more, so that 2 is the root.
  const auto csr = make_csr(6, {{{1, 1}, {2, 1}, {3, 1}}, {{4, 1}, {5, 1}}, {}, {{5, 1}}, {}, {}});
  const auto order = to_vector(krylite::rcm(Host(), csr));
  // From 2: 0; then 3 (degree 2) before 1 (degree 3); 3 brings 5, and 1 brings 4. Then reversed.
  EXPECT_EQ(order, std::vector<Index>({4, 5, 1, 3, 0, 2}));
}

TEST(Rcm, SeesAnUnsymmetricPatternAsBothHalves) {
  const auto upper = make_csr(4, {{{3, 1}}, {{2, 1}}, {{3, 1}}, {}});
  const auto both = make_csr(4, {{{3, 1}}, {{2, 1}}, {{1, 1}, {3, 1}}, {{0, 1}, {2, 1}}});
  EXPECT_EQ(to_vector(krylite::rcm(Host(), upper)), to_vector(krylite::rcm(Host(), both)));
}

TEST(Rcm, LeavesADiagonalAsItIs) {
  std::vector<Index> expected = {0, 1, 2, 3, 4};
  EXPECT_EQ(to_vector(krylite::rcm(Host(), make_csr(5, {{{0, 1}}, {{1, 1}}, {}, {{3, 1}}, {{4, 1}}}))),
            expected);
  EXPECT_EQ(to_vector(krylite::rcm(Host(), make_csr(5, Rows(5)))), expected);
}

TEST(Rcm, GivesAShuffledGridItsBandwidthBack) {
  // Levels from a corner of an n x n grid are its diagonals, of n nodes at most: as the grid's own bandwidth.
  for (const Index n : {1, 2, 7, 30, 60}) {
    const auto csr = generated("gen:poisson2d:" + std::to_string(n) + ":shuffle=3");
    const auto ordered = krylite::permute_system(Host(), csr, krylite::rcm(Host(), csr));
    EXPECT_LE(bandwidth(ordered), n) << n;
  }
}

TEST(Rcm, OrdersEveryComponent) {
  // Two shuffled grids and some rows on their own, the rows of one between those of the other.
  const auto grid = generated("gen:poisson2d:12:shuffle=6");
  Rows rows(3 * 144);
  for (Index row = 0; row < 144; ++row) {
    for (auto k = grid.row_pointers(row); k < grid.row_pointers(row + 1); ++k) {
      const Index column = grid.columns(k);
      rows[std::size_t(3 * row)].push_back({3 * column, grid.values(k)});
      rows[std::size_t(3 * row + 2)].push_back({3 * column + 2, grid.values(k)});
    }
  }
  const auto csr = make_csr(3 * 144, rows);
  const Order order = krylite::rcm(Host(), csr);
  EXPECT_TRUE(krylite::is_permutation(Host(), order));
  EXPECT_LE(bandwidth(krylite::permute_system(Host(), csr, order)), 12);
  for (std::size_t i = 0; i < 144; ++i) EXPECT_EQ(order(i) % 3, 0) << "the component of row 0 comes first";
}

TEST(FactorEntries, AreCountedRight) {
  EXPECT_EQ(factor_entries(make_csr(3, {{{1, 1}}, {{2, 1}}, {}})), 2);
  EXPECT_EQ(factor_entries(make_csr(3, {{{1, 1}, {2, 1}}, {}, {}})), 3);
  EXPECT_EQ(factor_entries(generated("gen:arrow:9")), 36) << "first row and column: all of the triangle";
}

TEST(Amd, FillsLessThanTheNaturalOrder) {
  if (!krylite::amd_is_available()) GTEST_SKIP() << "built without SuiteSparse AMD";
  for (const std::string text : {"gen:poisson2d:30", "gen:poisson2d:30:shuffle=2"}) {
    const auto csr = generated(text);
    const auto ordered = krylite::permute_system(Host(), csr, krylite::amd(Host(), csr));
    EXPECT_LE(2 * factor_entries(ordered), factor_entries(csr)) << text;
  }
  const auto arrow = generated("gen:arrow:50");
  const auto ordered = krylite::permute_system(Host(), arrow, krylite::amd(Host(), arrow));
  EXPECT_EQ(factor_entries(ordered), 49) << "the point of the arrow last: no fill";
}

TEST(Amd, RefusesAColumnOutsideTheMatrix) {
  if (!krylite::amd_is_available()) GTEST_SKIP() << "built without SuiteSparse AMD";
  expect_error([] { krylite::amd(Host(), make_csr(2, {{{0, 1}}, {{5, 1}}})); }, "2 x 2", "not valid");
}

TEST(Amd, SaysWhereItIsNot) {
  if (krylite::amd_is_available()) GTEST_SKIP() << "built with SuiteSparse AMD";
  expect_error([] { krylite::amd(Host(), make_csr(1, {{{0, 1}}})); }, "no SuiteSparse AMD");
}

}  // namespace
