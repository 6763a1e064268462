#include "support/formats.hpp"

#include <krylite/formats/convert.hpp>
#include <krylite/io/generate.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

namespace {

using krylite::AdaptiveRgCsrOptions;
using krylite::HostCsr;
using krylite::Index;
using krylite::RgCsrOptions;
using krylite::RowOrder;
using namespace krylite_test;

template <class Combination>
class AdaptiveRgCsrTest : public ::testing::Test {};
TYPED_TEST_SUITE(AdaptiveRgCsrTest, FormatCombinations);

TYPED_TEST(AdaptiveRgCsrTest, RoundTripsAreExactHoweverRowsAreCut) {
  for (const Index piece : {0, 1, 3, 17}) {
    AdaptiveRgCsrOptions options;
    options.piece_length = piece;
    expect_exact_round_trips<TypeParam>(
        [&](const auto& exec, const auto& csr) { return krylite::to_adaptive_rgcsr(exec, csr, options); });
  }
}

TYPED_TEST(AdaptiveRgCsrTest, RoundTripsAreExactWhereRowsAreCutByColumns) {
  for (const Index columns : {1, 7, 64, 100000}) {
    for (const Index piece : {0, 2, 17}) {
      AdaptiveRgCsrOptions options;
      options.block_columns = columns;
      options.piece_length = piece;
      expect_exact_round_trips<TypeParam>(
          [&](const auto& exec, const auto& csr) { return krylite::to_adaptive_rgcsr(exec, csr, options); });
    }
  }
}

TYPED_TEST(AdaptiveRgCsrTest, RoundTripsAreExactByClusters) {
  AdaptiveRgCsrOptions options;
  options.groups.order = RowOrder::clusters;
  options.piece_length = 3;
  expect_exact_round_trips<TypeParam>(
      [&](const auto& exec, const auto& csr) { return krylite::to_adaptive_rgcsr(exec, csr, options); });
}

TYPED_TEST(AdaptiveRgCsrTest, RoundTripsOfRgCsrAreExactInEveryRowOrder) {
  for (const RowOrder order : {RowOrder::windowed, RowOrder::descending, RowOrder::clusters}) {
    for (const bool packed : {true, false}) {
      RgCsrOptions options;
      options.order = order;
      options.order_window = 20;
      options.packed = packed;
      expect_exact_round_trips<TypeParam>(
          [&](const auto& exec, const auto& csr) { return krylite::to_rgcsr(exec, csr, options); });
    }
  }
}

/// Rows of 1, 5 and 2 entries in pieces of at most 3: the picture in the header.
TEST(AdaptiveRgCsr, LayoutByHand) {
  const Kokkos::DefaultHostExecutionSpace exec;
  const auto csr =
      make_csr(5, {{{4, 1.0}}, {{0, 2.0}, {1, 3.0}, {2, 4.0}, {3, 5.0}, {4, 6.0}}, {{1, 7.0}, {3, 8.0}}});
  AdaptiveRgCsrOptions options;
  options.piece_length = 3;
  options.groups.group_size = 2;
  options.groups.packed = false;
  const auto matrix = krylite::to_adaptive_rgcsr(exec, csr, options);
  const std::vector<Index> lengths = {3, 2, 2, 1};
  const std::vector<Index> targets = {-1, -2, 2, 0};
  ASSERT_EQ(matrix.num_units(), 4);
  for (std::size_t slot = 0; slot < 4; ++slot) {
    EXPECT_EQ(matrix.pieces.row_lengths(slot), lengths[slot]);
    EXPECT_EQ(matrix.targets(slot), targets[slot]);
  }
  // Lane 0 of the long row has the entries 0, 2, 4, lane 1 the entries 1, 3 and one artificial zero.
  const std::vector<double> values = {2, 3, 4, 5, 6, 0, 7, 1, 8, 0};
  ASSERT_EQ(matrix.pieces.values.extent(0), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(matrix.pieces.values(i), values[i]) << i;
  EXPECT_EQ(matrix.long_rows(0), 1);
  EXPECT_EQ(matrix.artificial_zeros(), 2);
}

/// Two rows over three blocks of 2 columns, the first with its columns out of order, and an empty one.
TEST(AdaptiveRgCsr, PiecesOfABlockOfColumnsLieTogether) {
  const Kokkos::DefaultHostExecutionSpace exec;
  const auto csr = make_csr(6, {{{4, 1.0}, {0, 2.0}, {1, 3.0}, {5, 4.0}}, {}, {{1, 5.0}, {4, 6.0}, {5, 7.0}}});
  AdaptiveRgCsrOptions options;
  options.piece_length = 10;
  options.block_columns = 2;
  options.groups.group_size = 1;
  options.groups.packed = false;
  const auto matrix = krylite::to_adaptive_rgcsr(exec, csr, options);
  // By blocks, in them by length, and then by rows. Row 0 has the partials 0 to 2, row 2 the partials 3 and 4.
  const std::vector<Index> targets = {-2, -4, -5, -1, -3, 1};
  const std::vector<double> values = {2, 3, 5, 6, 7, 1, 4};
  ASSERT_EQ(matrix.targets.extent(0), targets.size());
  for (std::size_t slot = 0; slot < targets.size(); ++slot) EXPECT_EQ(matrix.targets(slot), targets[slot]) << slot;
  ASSERT_EQ(matrix.pieces.values.extent(0), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(matrix.pieces.values(i), values[i]) << i;
}

/// How many different columns the rows of each stretch of 64 slots have, summed.
std::int64_t columns_of_stretches(const HostCsr& csr, const std::vector<Index>& order) {
  std::int64_t all = 0;
  for (std::size_t begin = 0; begin < order.size(); begin += 64) {
    std::set<Index> columns;
    for (std::size_t s = begin; s < std::min(begin + 64, order.size()); ++s) {
      const Index* const all_columns = csr.columns.data();
      columns.insert(all_columns + csr.row_pointers(order[s]), all_columns + csr.row_pointers(order[s] + 1));
    }
    all += static_cast<std::int64_t>(columns.size());
  }
  return all;
}

/// A stencil whose rows and columns were shuffled: in clusters, neighbours share columns again.
TEST(AdaptiveRgCsr, ClustersBringRowsThatShareColumnsTogether) {
  const Kokkos::DefaultHostExecutionSpace exec;
  const HostCsr csr = krylite::generate(krylite::parse_generator("gen:poisson3d:20:shuffle=3"));
  RgCsrOptions options;
  options.order = RowOrder::clusters;
  const auto order = krylite::to_rgcsr(exec, csr, options).row_order;
  const std::vector<Index> clusters(order.data(), order.data() + order.extent(0));
  std::vector<Index> rows(clusters.size());
  std::iota(rows.begin(), rows.end(), 0);
  EXPECT_TRUE(std::is_permutation(rows.begin(), rows.end(), clusters.begin()));
  EXPECT_LT(columns_of_stretches(csr, clusters), columns_of_stretches(csr, rows) / 2);
}

/// Every entry of a row is in one piece, and none is longer than the longest of its block.
void expect_whole_cut(std::int64_t length, const krylite::detail::PieceRule& rule) {
  const krylite::detail::RowCut cut(length, rule);
  std::vector<int> found(static_cast<std::size_t>(length));
  ASSERT_GE(cut.pieces(), 1);
  for (std::int64_t piece = 0; piece < cut.pieces(); ++piece) {
    ASSERT_LE(cut.length(piece), cut.longest(piece));
    ASSERT_LE(cut.longest(piece), std::max(rule.limit, rule.whole));
    for (std::int64_t k = 0; k < cut.length(piece); ++k) {
      ++found.at(static_cast<std::size_t>(cut.begin(piece) + k * cut.stride(piece)));
    }
  }
  EXPECT_EQ(std::count(found.begin(), found.end(), 1), length);
}

/// The rules of hosts and of devices, where whole blocks are longer or as long as the others.
TEST(AdaptiveRgCsr, EveryEntryIsInOnePiece) {
  for (const std::int64_t whole : {3, 8}) {
    for (const std::int64_t group : {1, 2, 4, 32}) {
      for (std::int64_t length = 0; length <= 300; ++length) expect_whole_cut(length, {3, whole, group});
    }
  }
  EXPECT_EQ(krylite::detail::RowCut(24, {3, 3, 4}).pieces(), 8);
  EXPECT_EQ(krylite::detail::RowCut(25, {3, 3, 4}).pieces(), 9);
}

TEST(AdaptiveRgCsr, ADenseRowDoesNotPadItsNeighbours) {
  const Kokkos::DefaultHostExecutionSpace exec;
  Rows rows(1000);
  for (Index r = 0; r < 1000; ++r) rows[r] = {{r, 1.0}};
  for (Index c = 0; c < 1000; ++c) rows[500].push_back({c, 2.0});
  const auto csr = make_csr(1000, rows);
  EXPECT_GT(krylite::to_rgcsr(exec, csr, {8}).artificial_zeros(), 6000);
  EXPECT_LT(krylite::to_adaptive_rgcsr(exec, csr).artificial_zeros(), 100);
}

TEST(AdaptiveRgCsr, RefusesOptionsThatAreNone) {
  const auto csr = make_csr(1, {{{0, 1.0}}});
  AdaptiveRgCsrOptions options;
  options.piece_length = -1;
  expect_error([&] { krylite::to_adaptive_rgcsr(Kokkos::DefaultHostExecutionSpace(), csr, options); }, "-1");
  options = {};
  options.block_columns = -7;
  expect_error([&] { krylite::to_adaptive_rgcsr(Kokkos::DefaultHostExecutionSpace(), csr, options); }, "-7");
  const krylite::CsrMatrix<double, std::int64_t, Kokkos::HostSpace> wide(
      1, std::numeric_limits<Index>::max(), Kokkos::View<std::int64_t*, Kokkos::HostSpace>("pointers", 2), {}, {});
  options.block_columns = 1;
  expect_error([&] { krylite::to_adaptive_rgcsr(Kokkos::DefaultHostExecutionSpace(), wide, options); }, "keys");
  options = {};
  options.groups.order_window = 0;
  expect_error([&] { krylite::to_adaptive_rgcsr(Kokkos::DefaultHostExecutionSpace(), csr, options); }, "window");
}

}  // namespace
