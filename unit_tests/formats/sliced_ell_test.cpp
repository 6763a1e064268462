#include "support/formats.hpp"

#include <krylite/core/simd.hpp>

#include <algorithm>

namespace {

using krylite::Index;
using namespace krylite_test;

/// How a slice size makes the format; 0 is the default.
auto with_slices(Index size) {
  return [=](const auto& exec, const auto& csr) { return krylite::to_sliced_ell(exec, csr, {size}); };
}

template <class Combination>
class SlicedEllTest : public ::testing::Test {};
TYPED_TEST_SUITE(SlicedEllTest, FormatCombinations);

TYPED_TEST(SlicedEllTest, RoundTripsAreExactForEverySliceSize) {
  for (const Index size : {0, 1, 2, 4, 8, 16, 32, 64, 128, 256}) expect_exact_round_trips<TypeParam>(with_slices(size));
}

TYPED_TEST(SlicedEllTest, ProductsAreWithinTheBound) {
  for (const Index size : {0, 1, 32}) expect_right_products<TypeParam>(with_slices(size));
}

TYPED_TEST(SlicedEllTest, FillIsNotMultiplied) {
  for (const Index size : {0, 4, 256}) expect_fill_is_not_multiplied<TypeParam>(with_slices(size));
}

TYPED_TEST(SlicedEllTest, FillIsWhatPaddingEachSliceToItsLongestRowCosts) {
  const typename TypeParam::ExecutionSpace exec;
  for_battery<TypeParam>([&](const std::string& name, const auto& csr, const HostCsr& host_csr) {
    for (const Index size : {1, 8, 256}) {
      std::int64_t stored = 0;
      for (Index begin = 0; begin < csr.num_rows; begin += size) {
        std::int64_t longest = 0;
        for (Index r = begin; r < std::min(csr.num_rows, begin + size); ++r) {
          longest = std::max<std::int64_t>(longest, host_csr.row_pointers(r + 1) - host_csr.row_pointers(r));
        }
        stored += longest * size;
      }
      const auto matrix = krylite::to_sliced_ell(exec, csr, {size});
      EXPECT_EQ(matrix.stored_entries(), stored) << name;
      const auto columns = content(matrix.columns);
      EXPECT_EQ(std::count(columns.begin(), columns.end(), -1), matrix.artificial_zeros()) << name;
    }
  });
}

TEST(SlicedEll, ProductsOfEveryInstructionSetAreWithinTheBound) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  for (const std::string& target : krylite::simd_targets()) {
    krylite::set_simd_target(target);
    expect_right_products<Combination<double, double, std::int64_t, Host>>(with_slices(16));
    expect_right_products<Combination<float, float, std::int64_t, Host>>(with_slices(16));
    expect_right_products<Combination<float, double, std::int64_t, Host>>(with_slices(16));
  }
  krylite::set_simd_target("best");
}

/// Of the formats that are read position by position.
TEST(SlicedEll, NativeKernelsExistWhereSlicesAreMultiplesOfEight) {
  if (krylite::simd_targets().empty()) GTEST_SKIP() << "built without SIMD kernels";
  using Host = Combination<double, double, std::int64_t, Kokkos::DefaultHostExecutionSpace>;
  const Kokkos::DefaultHostExecutionSpace exec;
  const auto csr = make_csr(3, {{{0, 1.0}, {2, 2.0}}, {{1, 3.0}}, {{2, 4.0}}});
  krylite::SpmvOptions native;
  native.kernel = krylite::Kernel::native;
  expect_right_product<Host>("ell", krylite::to_ell(exec, csr), csr, 2.0, 1.0, native);
  expect_right_product<Host>("hyb", krylite::to_hyb(exec, csr), csr, 2.0, 1.0, native);
  expect_right_product<Host>("sliced_ell", krylite::to_sliced_ell(exec, csr, {8}), csr, 2.0, 1.0, native);
  const auto narrow = krylite::to_sliced_ell(exec, csr, {4});
  expect_error([&] { expect_right_product<Host>("sliced_ell", narrow, csr, 2.0, 1.0, native); }, "no native kernel");
}

TEST(SlicedEll, LayoutByHand) {
  const auto csr = make_csr(3, {{{0, 1.0}, {2, 2.0}}, {{1, 3.0}}, {{2, 4.0}}});
  const auto matrix = krylite::to_sliced_ell(Kokkos::DefaultHostExecutionSpace(), csr, {2});
  EXPECT_EQ(content(matrix.slice_pointers), (std::vector<std::int64_t>{0, 4, 6}));
  EXPECT_EQ(content(matrix.columns), (std::vector<Index>{0, 1, 2, -1, 2, -1}));
  EXPECT_EQ(content(matrix.values), (std::vector<double>{1, 3, 2, 0, 4, 0}));
  EXPECT_EQ(matrix.artificial_zeros(), 2);
}

TEST(SlicedEll, RefusesSliceSizesThatAreNotPowersOfTwoUpTo256) {
  const auto csr = make_csr(1, {{{0, 1.0}}});
  for (const Index size : {-1, 3, 6, 255, 257, 512}) {
    expect_error([&] { krylite::to_sliced_ell(Kokkos::DefaultHostExecutionSpace(), csr, {size}); }, "sliced ELL",
                 "power of two", std::to_string(size));
  }
}

TEST(SlicedEll, RefusesSizesBeyondTheOffsetTypeBeforeItAllocates) {
  const Index n = 70000;
  const auto csr = pointers_only<std::int32_t>(
      n, n, [=](Index row) { return row % 256 == 0 && row < 130 * 256 ? n : 0; });
  expect_error([&] { krylite::to_sliced_ell(Kokkos::DefaultHostExecutionSpace(), csr, {256, 1e9}); }, "sliced ELL",
               std::to_string(130ll * 256 * n), "32-bit offsets");
}

TEST(SlicedEll, RefusesFillBeyondTheLimitBeforeItAllocates) {
  const auto csr = pointers_only<std::int64_t>(70000, 70000, [](Index row) { return row == 9 ? 70000 : 0; });
  expect_error([&] { krylite::to_sliced_ell(Kokkos::DefaultHostExecutionSpace(), csr, {256}); }, "sliced ELL",
               std::to_string(70000 * 256), "fill limit of 100");
}

}  // namespace
