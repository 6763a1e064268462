#include "support/expect.hpp"
#include "support/types.hpp"

#include <krylite/formats/convert.hpp>

#include <algorithm>

namespace {

using krylite::Index;
using krylite::RgCsrOptions;
using namespace krylite_test;

template <class Combination>
class RgCsrTest : public ::testing::Test {};
TYPED_TEST_SUITE(RgCsrTest, Combinations);

TYPED_TEST(RgCsrTest, RoundTripIsExactForEveryBatteryMatrixAndGroupSize) {
  const typename TypeParam::ExecutionSpace exec;
  for (const NamedMatrix& matrix : TypeParam::matrices()) {
    const auto csr =
        convert<typename TypeParam::Scalar, typename TypeParam::Offset, typename TypeParam::MemorySpace>(matrix.csr);
    for (const Index group : {0, 1, 2, 4, 8, 16, 32, 64, 128, 256}) {
      const auto rgcsr = krylite::to_rgcsr(exec, csr, {group});
      expect_same_matrix(csr, krylite::to_csr(exec, rgcsr), matrix.name + ", group " + std::to_string(group));
      EXPECT_EQ(csr.num_entries(), rgcsr.num_entries());
    }
  }
}

TYPED_TEST(RgCsrTest, FillIsWhatPaddingEachGroupToItsLongestRowCosts) {
  const typename TypeParam::ExecutionSpace exec;
  for (const NamedMatrix& matrix : TypeParam::matrices()) {
    const auto csr =
        convert<typename TypeParam::Scalar, typename TypeParam::Offset, typename TypeParam::MemorySpace>(matrix.csr);
    for (const Index group : {1, 4, 32, 256}) {
      RgCsrOptions options{group};
      options.packed = false;
      std::int64_t stored = 0;
      for (Index begin = 0; begin < csr.num_rows; begin += group) {
        std::int64_t longest = 0;
        for (Index r = begin; r < std::min(csr.num_rows, begin + group); ++r) {
          longest = std::max(longest, matrix.csr.row_pointers(r + 1) - matrix.csr.row_pointers(r));
        }
        stored += longest * group;
      }
      const auto rgcsr = krylite::to_rgcsr(exec, csr, options);
      EXPECT_EQ(stored, rgcsr.stored_entries()) << matrix.name;
      EXPECT_EQ(stored - csr.num_entries(), rgcsr.artificial_zeros()) << matrix.name;
      EXPECT_EQ(rgcsr.bytes(), rgcsr.group_pointers.extent(0) * sizeof(typename TypeParam::Offset) +
                                   rgcsr.row_lengths.extent(0) * 4 + rgcsr.short_row_lengths.extent(0) +
                                   stored * (4 + sizeof(typename TypeParam::Scalar)));
    }
  }
}

TYPED_TEST(RgCsrTest, ArtificialZerosAreZeroAndInsideTheMatrix) {
  const typename TypeParam::ExecutionSpace exec;
  for (const NamedMatrix& matrix : TypeParam::matrices()) {
    const auto csr =
        convert<typename TypeParam::Scalar, typename TypeParam::Offset, typename TypeParam::MemorySpace>(matrix.csr);
    RgCsrOptions options{32};
    options.packed = false;
    const auto rgcsr = krylite::to_rgcsr(exec, csr, options);
    const auto columns = to_host(rgcsr.columns);
    const auto values = to_host(rgcsr.values);
    const auto lengths = to_host(rgcsr.row_lengths);
    const auto pointers = to_host(rgcsr.group_pointers);
    for (Index group = 0; group < rgcsr.num_groups(); ++group) {
      for (std::int64_t p = pointers(group); p < pointers(group + 1); ++p) {
        EXPECT_GE(columns(p), 0);
        EXPECT_LT(columns(p), rgcsr.num_cols);
        const std::int64_t row = group * 32 + (p - pointers(group)) % 32;
        const std::int64_t position = (p - pointers(group)) / 32;
        const bool is_fill = row >= rgcsr.num_rows || position >= lengths(row);
        EXPECT_TRUE(!is_fill || values(p) == 0) << matrix.name;
      }
    }
  }
}

TEST(RgCsr, ArticleLayoutByHand) {
  const Kokkos::DefaultHostExecutionSpace exec;
  const auto csr = make_csr(3, {{{0, 1.0}, {2, 2.0}}, {{1, 3.0}}, {{2, 4.0}}});
  RgCsrOptions options{2};
  options.packed = false;
  const auto rgcsr = krylite::to_rgcsr(exec, csr, options);
  const std::vector<std::int64_t> group_pointers = {0, 4, 6};
  const std::vector<Index> row_lengths = {2, 1, 1};
  const std::vector<Index> columns = {0, 1, 2, 1, 2, 0};
  const std::vector<double> values = {1, 3, 2, 0, 4, 0};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(rgcsr.group_pointers(i), group_pointers[i]);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(rgcsr.row_lengths(i), row_lengths[i]);
  ASSERT_EQ(rgcsr.values.extent(0), values.size());
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(rgcsr.columns(i), columns[i]);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(rgcsr.values(i), values[i]);
  EXPECT_EQ(rgcsr.artificial_zeros(), 2);
}

TEST(RgCsr, RefusesGroupSizesThatAreNotPowersOfTwoUpTo256) {
  const auto csr = make_csr(1, {{{0, 1.0}}});
  for (const Index group : {-1, 3, 6, 255, 257, 512}) {
    expect_error([&] { krylite::to_rgcsr(Kokkos::DefaultHostExecutionSpace(), csr, {group}); },
                 "power of two", std::to_string(group));
  }
}

/// One row with `long_row` entries and `n` short ones.
HostCsr one_long_row(Index n, Index long_row) {
  Rows rows(n);
  for (Index r = 0; r < n; ++r) rows[r] = {{r, 1.0}};
  for (Index c = 0; c < long_row; ++c) rows[0].push_back({c, 1.0});
  return make_csr(std::max(n, long_row), rows);
}

TEST(RgCsr, RefusesFillBeyondTheLimitBeforeItAllocates) {
  const auto csr = one_long_row(256, 100000);
  const Kokkos::DefaultHostExecutionSpace exec;
  expect_error([&] { krylite::to_rgcsr(exec, csr, {256}); }, "RgCSR", "100256 entries", "25600256", "fill limit");
  EXPECT_EQ(krylite::to_rgcsr(exec, csr, {256, 1000.0}).stored_entries(), 25600256);
  EXPECT_EQ(krylite::to_rgcsr(exec, csr, {4}).stored_entries(), 4 * 100001 + 252);
}

/// A byte a row is for devices alone; what makes it runs anywhere.
TEST(RgCsr, ShortRowLengthsAreThoseOfRowsOfUpTo255Entries) {
  const Kokkos::DefaultHostExecutionSpace exec;
  EXPECT_EQ(krylite::to_rgcsr(exec, one_long_row(8, 5)).short_row_lengths.extent(0), 0u);
  const auto by_teams = [&](const HostCsr& csr) {
    return krylite::detail::make_rgcsr<krylite::detail::Traversal::teams>(exec, csr, {});
  };
  const auto matrix = by_teams(one_long_row(300, 254));
  ASSERT_EQ(matrix.row_lengths(0), 255);
  ASSERT_EQ(matrix.short_row_lengths.extent(0), 300u);
  for (std::size_t slot = 0; slot < 300; ++slot) {
    EXPECT_EQ(matrix.short_row_lengths(slot), matrix.row_lengths(slot));
  }
  EXPECT_EQ(by_teams(one_long_row(300, 255)).short_row_lengths.extent(0), 0u);
  EXPECT_EQ(by_teams(make_csr(3, {})).short_row_lengths.extent(0), 0u);
}

/// A CSR of which only the row pointers exist: what decides about sizes may read nothing else.
TEST(RgCsr, RefusesSizesBeyondTheOffsetTypeBeforeItAllocates) {
  const Index n = 70000;
  krylite::CsrMatrix<double, std::int32_t, Kokkos::HostSpace> csr;
  csr.num_rows = n;
  csr.num_cols = n;
  csr.row_pointers = decltype(csr.row_pointers)("row_pointers", n + 1);
  // A row of 70,000 in every group of 256, and no others: 70,000 times the padded group size is beyond 2^31.
  for (Index r = 0; r < n; ++r) csr.row_pointers(r + 1) = csr.row_pointers(r) + (r % 256 == 0 && r < 130 * 256 ? n : 0);
  std::int64_t stored = 130ll * 256 * n;
  ASSERT_GT(stored, 1ll << 31);
  const Kokkos::DefaultHostExecutionSpace exec;
  expect_error([&] { krylite::to_rgcsr(exec, csr, {256, 1e9}); }, "RgCSR", std::to_string(stored), "32-bit offsets");
  const auto by_teams = [&] {
    krylite::detail::make_rgcsr<krylite::detail::Traversal::teams>(exec, csr, {256, 1e9});
  };
  expect_error(by_teams, "RgCSR", std::to_string(stored), "32-bit offsets");
}

}  // namespace
