#include "support/formats.hpp"

namespace {

using krylite::Index;
using namespace krylite_test;

/// How a width of the ELL part makes the format; none is the chosen one.
auto with_width(std::optional<Index> width) {
  return [=](const auto& exec, const auto& csr) { return krylite::to_hyb(exec, csr, {width, 1e9}); };
}

template <class Combination>
class HybTest : public ::testing::Test {};
TYPED_TEST_SUITE(HybTest, FormatCombinations);

TYPED_TEST(HybTest, RoundTripsAreExact) {
  expect_exact_round_trips<TypeParam>(with_width({}));
  for (const Index width : {0, 1, 3, 20}) expect_exact_round_trips<TypeParam>(with_width(width));
}

TYPED_TEST(HybTest, ProductsAreWithinTheBound) {
  expect_right_products<TypeParam>(with_width({}));
  expect_right_products<TypeParam>(with_width(0));
}

TYPED_TEST(HybTest, FillIsNotMultiplied) { expect_fill_is_not_multiplied<TypeParam>(with_width({})); }

TYPED_TEST(HybTest, WidthIsTheLargestThatAThirdOfTheRowsReach) {
  const typename TypeParam::ExecutionSpace exec;
  for_battery<TypeParam>([&](const std::string& name, const auto& csr, const HostCsr& host_csr) {
    const auto rows_of = [&](Index width) {
      Index count = 0;
      for (Index r = 0; r < csr.num_rows; ++r) {
        count += host_csr.row_pointers(r + 1) - host_csr.row_pointers(r) >= width ? 1 : 0;
      }
      return count;
    };
    const auto hyb = krylite::to_hyb(exec, csr);
    if (csr.num_rows == 0) return;
    EXPECT_GE(3 * rows_of(hyb.ell.width), csr.num_rows) << name;
    EXPECT_LT(3 * rows_of(hyb.ell.width + 1), csr.num_rows) << name;
    EXPECT_EQ(hyb.stored_entries(), hyb.ell.stride * hyb.ell.width + hyb.coo.num_entries()) << name;
    EXPECT_EQ(hyb.bytes(), hyb.ell.bytes() + hyb.coo.bytes()) << name;
  });
}

TEST(Hyb, LayoutByHand) {
  const auto csr = make_csr(3, {{{0, 1.0}, {2, 2.0}}, {{1, 3.0}}, {{2, 4.0}}});
  const auto hyb = krylite::to_hyb(Kokkos::DefaultHostExecutionSpace(), csr, {1});
  EXPECT_EQ(content(hyb.ell.columns), (std::vector<Index>{0, 1, 2, -1, -1, -1, -1, -1}));
  EXPECT_EQ(content(hyb.ell.values), (std::vector<double>{1, 3, 4, 0, 0, 0, 0, 0}));
  EXPECT_EQ(content(hyb.coo.rows), (std::vector<Index>{0}));
  EXPECT_EQ(content(hyb.coo.columns), (std::vector<Index>{2}));
  EXPECT_EQ(content(hyb.coo.values), (std::vector<double>{2}));
  EXPECT_EQ(hyb.artificial_zeros(), 5);
}

TEST(Hyb, OneFullRowOf70000IsNoTrouble) {
  Rows rows(70000);
  for (Index r = 0; r < 70000; ++r) rows[r] = {{r, 1.0}};
  for (Index c = 0; c < 70000; ++c) rows[9].push_back({c, 2.0});
  const auto csr = convert<double, std::int32_t, Kokkos::HostSpace>(make_csr(70000, rows));
  const Kokkos::DefaultHostExecutionSpace exec;
  const auto hyb = krylite::to_hyb(exec, csr);
  EXPECT_EQ(hyb.ell.width, 1);
  EXPECT_EQ(hyb.stored_entries(), 140000);
  expect_same_matrix(csr, krylite::to_csr(exec, hyb), "one full row");
}

TEST(Hyb, RefusesWidthsThatMakeNoSense) {
  const Kokkos::DefaultHostExecutionSpace exec;
  expect_error([&] { krylite::to_hyb(exec, make_csr(1, {{{0, 1.0}}}), {-1}); }, "hybrid", "-1");
  const auto csr = pointers_only<std::int32_t>(70000, 70000, [](Index) { return 1; });
  expect_error([&] { krylite::to_hyb(exec, csr, {70000, 1e9}); }, "hybrid", "4900000000", "32-bit offsets");
  expect_error([&] { krylite::to_hyb(exec, csr, {1000}); }, "hybrid", "70000000", "fill limit of 100");
}

}  // namespace
