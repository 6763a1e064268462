#include "support/product_test.hpp"

#include <cmath>
#include <limits>
#include <string>

namespace {

using krylite::Index;
using namespace krylite_test;

template <class Combination>
class SpmvTest : public ProductTest<Combination> {};
TYPED_TEST_SUITE(SpmvTest, Combinations);

TYPED_TEST(SpmvTest, CsrIsWithinTheBound) {
  for (const NamedMatrix& named : TypeParam::matrices()) {
    const auto csr = this->device_csr(named);
    this->check(named.name, csr, csr);
  }
}

TYPED_TEST(SpmvTest, RgCsrIsWithinTheBoundForEveryGroupSize) {
  for (const NamedMatrix& named : TypeParam::matrices()) {
    const auto csr = this->device_csr(named);
    for (const Index group : {1, 2, 4, 8, 16, 32, 64, 128, 256}) {
      this->check(named.name, csr, krylite::to_rgcsr(this->exec_, csr, {group}));
    }
  }
}

TYPED_TEST(SpmvTest, FormatsAgreeToTheBit) {
  for (const NamedMatrix& named : TypeParam::matrices()) {
    const auto csr = this->device_csr(named);
    const auto x = this->filled(csr.num_cols, 5);
    const typename TestFixture::Device by_csr("y", csr.num_rows), by_rgcsr("y", csr.num_rows);
    const krylite::SpmvOptions by_rows{krylite::Transpose::no, krylite::Kernel::portable, krylite::CsrKernel::scalar};
    krylite::spmv(this->exec_, 1.0, csr, x, 0.0, by_csr, by_rows);
    krylite::spmv(this->exec_, 1.0, krylite::to_rgcsr(this->exec_, csr), x, 0.0, by_rgcsr, by_rows);
    this->exec_.fence();
    // Both sum a row in the order of its entries.
    expect_same_bits(by_csr, by_rgcsr, named.name);
  }
}

TYPED_TEST(SpmvTest, StridedVectorsAreRightAndTheirGapsUntouched) {
  using Block = Kokkos::View<typename TypeParam::Vector**, Kokkos::LayoutRight, typename TypeParam::MemorySpace>;
  constexpr double sentinel = 77;
  for (const NamedMatrix& named : TypeParam::matrices()) {
    const auto csr = this->device_csr(named);
    const auto x = this->filled(csr.num_cols, 5);
    const Block x_block("x", csr.num_cols, 3), y_block("y", csr.num_rows, 3);
    Kokkos::deep_copy(x_block, sentinel);
    Kokkos::deep_copy(y_block, sentinel);
    const auto x_column = Kokkos::subview(x_block, Kokkos::ALL(), 1);
    const auto y_column = Kokkos::subview(y_block, Kokkos::ALL(), 1);
    Kokkos::deep_copy(x_column, x);
    const auto rgcsr = krylite::to_rgcsr(this->exec_, csr);
    krylite::spmv(this->exec_, 1.0, rgcsr, x_column, 0.0, y_column);
    this->exec_.fence();
    const typename TestFixture::Device expected("y", csr.num_rows), found("y", csr.num_rows);
    krylite::spmv(this->exec_, 1.0, rgcsr, x, 0.0, expected,
                  {krylite::Transpose::no, krylite::Kernel::portable, krylite::CsrKernel::automatic});
    Kokkos::deep_copy(found, y_column);
    expect_same_bits(expected, found, named.name);
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y_block);
    for (Index r = 0; r < csr.num_rows; ++r) {
      EXPECT_EQ(host(r, 0), sentinel);
      EXPECT_EQ(host(r, 2), sentinel);
    }
  }
}

TYPED_TEST(SpmvTest, InfiniteXReachesOnlyRowsWhosePatternHoldsIt) {
  for (const NamedMatrix& named : TypeParam::matrices()) {
    const auto csr = this->device_csr(named);
    if (csr.num_cols == 0 || csr.num_rows == 0) continue;
    for (const Index group : {4, 8, 32}) this->check_infinite_x(named, krylite::to_rgcsr(this->exec_, csr, {group}));
  }
}

TYPED_TEST(SpmvTest, AlphaZeroReadsNeitherAnorX) {
  using Value = typename TypeParam::Vector;
  auto csr = this->device_csr({"", make_csr(2, {{{0, 1}, {1, 2}}, {{1, 3}}})});
  Kokkos::deep_copy(csr.values, std::numeric_limits<typename TypeParam::Scalar>::quiet_NaN());
  const typename TestFixture::Device x("x", 2), y("y", 2);
  Kokkos::deep_copy(x, std::numeric_limits<Value>::quiet_NaN());
  Kokkos::deep_copy(y, Value(3));
  krylite::spmv(this->exec_, 0.0, csr, x, 2.0, y);
  this->exec_.fence();
  EXPECT_EQ(to_host(y)(0), Value(6));
  EXPECT_EQ(to_host(y)(1), Value(6));
}

TYPED_TEST(SpmvTest, NarrowValuesAreSummedInTheVectorsPrecision) {
  if (std::is_same_v<typename TypeParam::Vector, float>) GTEST_SKIP() << "single precision throughout";
  const auto csr = this->device_csr({"", make_csr(2, {{{0, 1.0}, {1, 0x1p-25}}})});
  const typename TestFixture::Device x("x", 2), y("y", 1);
  Kokkos::deep_copy(x, 1.0);
  krylite::spmv(this->exec_, 1.0, csr, x, 0.0, y);
  this->exec_.fence();
  EXPECT_EQ(to_host(y)(0), 1.0 + 0x1p-25);
}

TYPED_TEST(SpmvTest, RefusesVectorsThatDoNotFit) {
  const auto csr = this->device_csr({"", make_csr(3, {{{0, 1}}, {{1, 2}}})});
  const typename TestFixture::Device two("v", 2), three("v", 3);
  expect_error([&] { krylite::spmv(this->exec_, 1.0, csr, two, 0.0, two); }, "2 x 3", "x has 2");
  expect_error([&] { krylite::spmv(this->exec_, 1.0, csr, three, 0.0, three); }, "y 3");
  const auto square = this->device_csr({"", make_csr(2, {{{0, 1}}, {{1, 2}}})});
  expect_error([&] { krylite::spmv(this->exec_, 1.0, square, two, 0.0, two); }, "same vector");
}

TEST(Spmv, DefaultExecutionSpaceOverload) {
  const auto csr = convert<double, std::int32_t, Kokkos::DefaultExecutionSpace::memory_space>(
      make_csr(2, {{{0, 2}}, {{1, 3}}}));
  const Kokkos::View<double*> x("x", 2), y("y", 2);
  Kokkos::deep_copy(x, 1.0);
  krylite::spmv(1.0, csr, x, 0.0, y);
  Kokkos::fence();
  EXPECT_EQ(to_host(y)(0), 2);
  EXPECT_EQ(to_host(y)(1), 3);
}

/// The checker must see what it is there for: one wrong bit of size, one entry in the wrong row, a NaN.
TEST(Checker, SeesCorruptedResults) {
  const auto csr = make_csr(3, {{{0, 1.0}, {1, 2.0}, {2, 3.0}}, {{1, 0.5}}, {}});
  const Kokkos::View<double*, Kokkos::HostSpace> x("x", 3), none("y", 3), y("y", 3);
  for (int i = 0; i < 3; ++i) x(i) = noise(i);
  const Kokkos::DefaultHostExecutionSpace exec;
  const auto error = [&] { return krylite::max_scaled_error(csr, 1.0, x, 0.0, none, y); };
  const auto compute = [&] {
    krylite::spmv(exec, 1.0, csr, x, 0.0, y);
    exec.fence();
  };
  compute();
  EXPECT_LE(error(), 1.0);
  y(0) *= 1 + 1e-14;
  EXPECT_GT(error(), 1.0);
  compute();
  std::swap(y(0), y(1));
  EXPECT_GT(error(), 1e3);
  compute();
  y(2) = 1e-300;  // an empty row is exactly 0
  EXPECT_GT(error(), 1e3);
  compute();
  y(1) = std::nan("");
  EXPECT_EQ(error(), 1e300);
}

}  // namespace
