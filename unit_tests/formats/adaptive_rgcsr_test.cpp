#include "support/formats.hpp"

#include <krylite/formats/convert.hpp>

#include <vector>

namespace {

using krylite::AdaptiveRgCsrOptions;
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

TYPED_TEST(AdaptiveRgCsrTest, RoundTripsOfRgCsrAreExactInEveryRowOrder) {
  for (const RowOrder order : {RowOrder::windowed, RowOrder::descending}) {
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
  options.groups.order_window = 0;
  expect_error([&] { krylite::to_adaptive_rgcsr(Kokkos::DefaultHostExecutionSpace(), csr, options); }, "window");
}

}  // namespace
