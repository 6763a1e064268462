#include "support/expect.hpp"
#include "support/types.hpp"

#include <krylite/preconditioners/jacobi.hpp>

#include <cmath>
#include <limits>

namespace {

using namespace krylite_test;

template <class Space>
class JacobiTest : public ::testing::Test {};
TYPED_TEST_SUITE(JacobiTest, Spaces);

TYPED_TEST(JacobiTest, InvertsTheDiagonalAndReplacesWhatHasNoInverse) {
  const TypeParam exec;
  using Space = typename TypeParam::memory_space;
  const auto csr = convert<double, std::int32_t, Space>(make_csr(
      6, {{{0, 4.0}, {1, 9.0}}, {{0, 1.0}}, {{2, 0.0}}, {{3, 1.0}, {3, 3.0}, {0, 5.0}}, {{4, 1e-320}}, {{5, -0.5}}}));
  const auto jacobi = krylite::make_jacobi(exec, csr);
  EXPECT_EQ(jacobi.replaced, 3) << "missing, zero, and too small to have a finite inverse";
  const Kokkos::View<double*, Space> x("x", 6), y("y", 6);
  Kokkos::deep_copy(x, 2.0);
  jacobi.apply(exec, x, y);
  exec.fence();
  const std::vector<double> expected = {0.5, 2, 2, 0.5, 2, -4};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(to_host(y)(i), expected[i]) << i;
}

TYPED_TEST(JacobiTest, NaNOnTheDiagonalIsNotHidden) {
  const TypeParam exec;
  const auto csr =
      convert<double, std::int32_t, typename TypeParam::memory_space>(make_csr(1, {{{0, std::nan("")}}}));
  const auto jacobi = krylite::make_jacobi(exec, csr);
  EXPECT_EQ(jacobi.replaced, 0);
  EXPECT_TRUE(std::isnan(to_host(jacobi.inverse_diagonal)(0)));
}

TYPED_TEST(JacobiTest, RefusesVectorsOfAnotherLength) {
  using Space = typename TypeParam::memory_space;
  const auto csr = convert<double, std::int32_t, Space>(make_csr(2, {{{0, 1}}, {{1, 1}}}));
  const auto jacobi = krylite::make_jacobi(TypeParam(), csr);
  const Kokkos::View<double*, Space> two("two", 2), three("three", 3);
  expect_error([&] { jacobi.apply(TypeParam(), three, two); }, "2 rows", "x has 3");
  expect_error([&] { jacobi.apply(TypeParam(), two, three); }, "y 3");
}

TYPED_TEST(JacobiTest, RefusesRectangularMatrices) {
  const auto csr = convert<double, std::int32_t, typename TypeParam::memory_space>(make_csr(3, {{{0, 1}}, {{1, 1}}}));
  expect_error([&] { krylite::make_jacobi(TypeParam(), csr); }, "square", "2 x 3");
}

}  // namespace
