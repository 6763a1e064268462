#include "support/formats.hpp"

#include <krylite/core/simd.hpp>

#include <algorithm>

namespace {

using krylite::Index;
using namespace krylite_test;

const auto make = [](const auto& exec, const auto& csr) { return krylite::to_ell(exec, csr, {1e9}); };

template <class Combination>
class EllTest : public ::testing::Test {};
TYPED_TEST_SUITE(EllTest, FormatCombinations);

TYPED_TEST(EllTest, RoundTripsAreExact) { expect_exact_round_trips<TypeParam>(make); }

TYPED_TEST(EllTest, ProductsAreWithinTheBound) { expect_right_products<TypeParam>(make); }

TYPED_TEST(EllTest, FillIsNotMultiplied) { expect_fill_is_not_multiplied<TypeParam>(make); }

TYPED_TEST(EllTest, FillIsWhatPaddingToTheLongestRowCosts) {
  const typename TypeParam::ExecutionSpace exec;
  for_battery<TypeParam>([&](const std::string& name, const auto& csr, const HostCsr& host_csr) {
    const auto matrix = make(exec, csr);
    Index longest = 0;
    for (Index r = 0; r < csr.num_rows; ++r) {
      longest = std::max<Index>(longest, host_csr.row_pointers(r + 1) - host_csr.row_pointers(r));
    }
    const std::int64_t multiple = krylite::ell_stride_multiple<typename TypeParam::ExecutionSpace>();
    std::int64_t stride = 0;
    while (stride < csr.num_rows) stride += multiple;
    EXPECT_EQ(matrix.stored_entries(), longest * stride) << name;
    EXPECT_EQ(matrix.bytes(), longest * stride * (4 + sizeof(typename TypeParam::Scalar))) << name;
    const auto columns = content(matrix.columns);
    EXPECT_EQ(std::count(columns.begin(), columns.end(), -1), matrix.artificial_zeros()) << name;
  });
}

TEST(Ell, ProductsOfEveryInstructionSetAreWithinTheBound) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  for (const std::string& target : krylite::simd_targets()) {
    krylite::set_simd_target(target);
    expect_right_products<Combination<double, double, std::int64_t, Host>>(make);
    expect_right_products<Combination<float, float, std::int64_t, Host>>(make);
    expect_right_products<Combination<float, double, std::int64_t, Host>>(make);
  }
  krylite::set_simd_target("best");
}

TEST(Ell, LayoutByHand) {
  const auto csr = make_csr(3, {{{0, 1.0}, {2, 2.0}}, {{1, 3.0}}, {{2, 4.0}}});
  const auto ell = krylite::to_ell(Kokkos::DefaultHostExecutionSpace(), csr);
  EXPECT_EQ(ell.width, 2);
  EXPECT_EQ(ell.stride, 8);
  EXPECT_EQ(content(ell.columns), (std::vector<Index>{0, 1, 2, -1, -1, -1, -1, -1, 2, -1, -1, -1, -1, -1, -1, -1}));
  EXPECT_EQ(content(ell.values), (std::vector<double>{1, 3, 4, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(ell.artificial_zeros(), 12);
}

/// 70,000 rows of which one has 70,000 entries: 4.9e9 stored entries wrap in 32 bits.
template <class Offset>
auto one_full_row() {
  const Index n = 70000;
  return pointers_only<Offset>(n, n, [=](Index row) { return row == 33333 ? n : 0; });
}

TEST(Ell, RefusesSizesBeyondTheOffsetTypeBeforeItAllocates) {
  expect_error([] { krylite::to_ell(Kokkos::DefaultHostExecutionSpace(), one_full_row<std::int32_t>(), {1e9}); },
               "ELL", "70000 x 70000", "4900000000", "32-bit offsets");
}

TEST(Ell, RefusesFillBeyondTheLimitBeforeItAllocates) {
  expect_error([] { krylite::to_ell(Kokkos::DefaultHostExecutionSpace(), one_full_row<std::int64_t>()); }, "ELL",
               "4900000000", "fill limit of 100");
}

TEST(Ell, RefusesRowsLongerThanAnIndexCounts) {
  const auto csr = pointers_only<std::int64_t>(2, 5, [](Index) { return std::int64_t(1) << 31; });
  expect_error([&] { krylite::to_ell(Kokkos::DefaultHostExecutionSpace(), csr, {1e9}); }, "ELL", "2147483648");
}

TEST(Ell, WidthIsTheExactMaximumOfMoreThanAMillionRows) {
  const Index n = (1 << 20) + 77;
  Rows rows(n);
  for (Index r = 0; r < n; ++r) rows[r] = {{r, 1.0}};
  rows[n - 1] = {{0, 1.0}, {1, 2.0}, {2, 3.0}, {3, 4.0}, {n - 1, 5.0}};
  const auto csr = make_csr(n, rows);
  const Kokkos::DefaultHostExecutionSpace exec;
  const auto ell = krylite::to_ell(exec, csr);
  EXPECT_EQ(ell.width, 5);
  expect_same_matrix(csr, krylite::to_csr(exec, ell), "a million rows");
}

TEST(Ell, NewValuesMustComeFromAMatrixOfTheSameSizes) {
  const Kokkos::DefaultHostExecutionSpace exec;
  const auto ell = krylite::to_ell(exec, make_csr(3, {{{0, 1.0}}, {{1, 2.0}}}));
  expect_error([&] { krylite::update_values(exec, make_csr(3, {{{0, 1.0}}, {}}), ell); }, "2 entries", "with 1");
}

}  // namespace
