#include "support/solver_test.hpp"

#include <krylite/solvers/refinement.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace {

using krylite::BasisStorage;
using krylite::GmresStatus;
using krylite::Index;
using krylite::RefinementParameters;
using krylite::RefinementResult;
using namespace krylite_test;

template <class Space>
class RefinementTest : public SolverTest<Space> {
 protected:
  /// Refinement with float32 values inside, held against what the host finds.
  RefinementResult refine(const HostCsr& a, const std::vector<double>& b, std::vector<double>& x,
                          const RefinementParameters& parameters) {
    const auto csr = this->device_csr(a);
    const auto outer = krylite::to_rgcsr(this->exec_, csr);
    const auto inner = krylite::to_rgcsr(this->exec_, krylite::single_precision(this->exec_, csr));
    const auto jacobi = krylite::make_jacobi(this->exec_, csr);
    const auto before = residual_on_host(a, b, x);
    const auto rhs = this->to_device(b), solution = this->to_device(x);
    const auto result = krylite::refine(this->exec_, outer, inner, jacobi, rhs, solution, parameters);
    x = this->to_vector(solution);
    const double residual = residual_on_host(a, b, x);
    const double rounding = residual_rounding(a, b, x);
    if (result.status != GmresStatus::not_finite) {
      EXPECT_NEAR(residual, result.relative_residual, rounding + 1e-13 * residual);
      EXPECT_LE(residual, before * (1 + 1e-13) + 2 * rounding + 1e-15);
    }
    EXPECT_TRUE(result.status != GmresStatus::converged || result.relative_residual <= parameters.tolerance);
    EXPECT_EQ(result.residual_history.size(), static_cast<std::size_t>(result.refinements) + 1);
    EXPECT_EQ(result.residual_history.back(), result.relative_residual);
    return result;
  }

  static RefinementParameters with(BasisStorage storage, double tolerance = 1e-12) {
    RefinementParameters parameters;
    parameters.tolerance = tolerance;
    parameters.inner.storage = storage;
    parameters.inner.restart = 50;
    return parameters;
  }
};
TYPED_TEST_SUITE(RefinementTest, Spaces);

/// The inner matrix has 7 digits; the solution gets 12.
TYPED_TEST(RefinementTest, Float32InsideGivesFloat64Outside) {
  const auto a = convection_line(400, 0.317);
  const auto b = times_ones(a);
  for (const BasisStorage storage : krylite::all_basis_choices()) {
    std::vector<double> x(400, 0.0);
    const auto result = this->refine(a, b, x, this->with(storage));
    EXPECT_EQ(result.status, GmresStatus::converged) << name(storage);
    EXPECT_GE(result.refinements, 2) << "one correction of 1e-4 cannot be enough";
    EXPECT_LE(result.refinements, 8);
    EXPECT_GT(result.iterations, result.refinements);
    EXPECT_GT(result.reductions, result.iterations);
    EXPECT_GT(result.memory_bytes, 50 * 400 * 2u);
  }
}

TYPED_TEST(RefinementTest, ItEndsHonestly) {
  const auto a = convection_line(100, 0.3);
  std::vector<double> x(100, 1.0);
  const auto zero = this->refine(a, std::vector<double>(100, 0.0), x, this->with(BasisStorage::float32));
  EXPECT_EQ(zero.status, GmresStatus::converged);
  EXPECT_EQ(x, std::vector<double>(100, 0.0));

  x.assign(100, 1.0);
  const auto exact = this->refine(a, times_ones(a), x, this->with(BasisStorage::float32));
  EXPECT_EQ(exact.status, GmresStatus::converged);
  EXPECT_EQ(exact.refinements, 0);

  x.assign(100, 0.0);
  const auto unreachable = this->refine(a, times_ones(a), x, this->with(BasisStorage::float32, 1e-18));
  EXPECT_EQ(unreachable.status, GmresStatus::stagnated);
  EXPECT_LT(unreachable.relative_residual, 1e-15);

  x.assign(100, 0.0);
  auto parameters = this->with(BasisStorage::float32);
  parameters.max_refinements = 1;
  EXPECT_EQ(this->refine(a, times_ones(a), x, parameters).status, GmresStatus::max_iterations);
  parameters = this->with(BasisStorage::float32);
  parameters.inner.max_iterations = 7;
  x.assign(100, 0.0);
  const auto few = this->refine(a, times_ones(a), x, parameters);
  EXPECT_EQ(few.status, GmresStatus::max_iterations);
  EXPECT_EQ(few.iterations, 7);

  auto nan = times_ones(a);
  nan[3] = std::nan("");
  x.assign(100, 2.0);
  EXPECT_EQ(this->refine(a, nan, x, this->with(BasisStorage::float32)).status, GmresStatus::not_finite);
  EXPECT_EQ(x, std::vector<double>(100, 2.0));
  EXPECT_EQ(this->refine(diagonal({1, nan[3]}), {1, 1}, x = {0, 0}, this->with(BasisStorage::int16)).status,
            GmresStatus::not_finite);
  EXPECT_EQ(x, std::vector<double>(2, 0.0));
}

/// 1 + 2^-30 is 1 in float32: the inner matrix is singular where the outer is not.
TYPED_TEST(RefinementTest, AnInnerMatrixThatIsTooFarOffIsNotHidden) {
  const auto a = make_csr(2, {{{0, 1.0}, {1, 1.0}}, {{0, 1.0}, {1, 1.0 + 0x1p-30}}});
  std::vector<double> x(2, 0.0);
  const auto result = this->refine(a, {1, 2}, x, this->with(BasisStorage::float64));
  EXPECT_NE(result.status, GmresStatus::converged);
  EXPECT_GT(result.relative_residual, 1e-3);
}

TYPED_TEST(RefinementTest, RefusesWhatDoesNotFit) {
  const auto csr = this->device_csr(diagonal({1, 1e39}));
  expect_error([&] { krylite::single_precision(this->exec_, csr); }, "1 of 2", "float32");
  const auto small = this->device_csr(diagonal({1}));
  const auto b = this->to_device({1, 1}), x = this->to_device({0, 0});
  const krylite::IdentityPreconditioner none;
  expect_error([&] { krylite::refine(this->exec_, csr, small, none, b, x); }, "1 x 1", "2 entries");
  RefinementParameters parameters;
  parameters.inner.tolerance = 1;
  expect_error([&] { krylite::refine(this->exec_, csr, csr, none, b, x, parameters); }, "inner tolerance");
}

}  // namespace
