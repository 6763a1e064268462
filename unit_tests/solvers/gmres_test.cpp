#include "support/solver_test.hpp"

#include <krylite/preconditioners/block_jacobi.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace {

using krylite::BasisStorage;
using krylite::GmresParameters;
using krylite::GmresResult;
using krylite::GmresStatus;
using krylite::Index;
using krylite::Orthogonalization;
using namespace krylite_test;

template <class Space>
class GmresTest : public SolverTest<Space> {};
TYPED_TEST_SUITE(GmresTest, Spaces);

TYPED_TEST(GmresTest, ZeroRightHandSideGivesZeroAtOnce) {
  for (const BasisStorage storage : krylite::all_basis_choices()) {
    const auto solution = this->solve(diagonal({1, 2, 3}), {0, 0, 0}, {1, 1, 1}, this->with(storage));
    EXPECT_EQ(solution.result.status, GmresStatus::converged);
    EXPECT_EQ(solution.result.iterations, 0);
    EXPECT_EQ(solution.result.relative_residual, 0);
    EXPECT_EQ(solution.x, std::vector<double>(3, 0.0));
    ASSERT_EQ(solution.result.history.size(), 1u);
    EXPECT_EQ(solution.result.history[0].true_residual, 0);
  }
}

TYPED_TEST(GmresTest, ExactGuessTakesNoIteration) {
  for (const BasisStorage storage : krylite::all_basis_choices()) {
    const auto solution = this->solve(diagonal({1, 1}), {-1, -1}, {-1, -1}, this->with(storage));
    EXPECT_EQ(solution.result.status, GmresStatus::converged);
    EXPECT_EQ(solution.result.iterations, 0);
    EXPECT_EQ(solution.x, std::vector<double>(2, -1.0));
  }
}

TYPED_TEST(GmresTest, IdentityIsAHappyBreakdown) {
  for (const BasisStorage storage : krylite::all_basis_choices()) {
    const auto solution = this->solve(diagonal({1, 1, 1}), {1, 2, 3}, {0, 0, 0}, this->with(storage));
    EXPECT_EQ(solution.result.status, GmresStatus::converged) << name(storage);
    EXPECT_TRUE(storage != BasisStorage::float64 || solution.result.iterations == 1);
  }
}

TYPED_TEST(GmresTest, IdentityTakesOneStepInEveryStorageWhereEntriesAreEqual) {
  for (const BasisStorage storage : krylite::all_basis_choices()) {
    const auto solution =
        this->solve(diagonal({1, 1, 1, 1, 1, 1, 1}), std::vector<double>(7, 3.3), std::vector<double>(7, 0.0),
                    this->with(storage, 100, 1e-14));
    EXPECT_EQ(solution.result.status, GmresStatus::converged) << name(storage);
    EXPECT_EQ(solution.result.iterations, 1) << name(storage);
  }
}

TYPED_TEST(GmresTest, CyclicShiftWithFullRestartTakesNSteps) {
  std::vector<double> b(12, 0.0), zero(12, 0.0), expected(12, 0.0);
  b[0] = 1;
  expected[11] = 1;
  for (const BasisStorage storage : krylite::all_basis_choices()) {
    const auto solution = this->solve(cyclic_shift(12), b, zero, this->with(storage, 20));
    EXPECT_EQ(solution.result.status, GmresStatus::converged) << name(storage);
    EXPECT_EQ(solution.result.iterations, 12) << name(storage);
    for (int i = 0; i < 12; ++i) EXPECT_NEAR(solution.x[i], expected[i], 1e-14);
  }
}

TYPED_TEST(GmresTest, CyclicShiftWithShortRestartStagnates) {
  std::vector<double> b(12, 0.0), zero(12, 0.0);
  b[0] = 1;
  for (const BasisStorage storage : krylite::all_basis_choices()) {
    const auto solution = this->solve(cyclic_shift(12), b, zero, this->with(storage, 5));
    EXPECT_EQ(solution.result.status, GmresStatus::stagnated) << name(storage);
    EXPECT_EQ(solution.x, zero);
  }
}

TYPED_TEST(GmresTest, SingularConsistentSystemIsSolved) {
  for (const BasisStorage storage : krylite::all_basis_choices()) {
    const auto solution = this->solve(diagonal({1, 2, 0}), {1, 2, 0}, {0, 0, 0}, this->with(storage));
    EXPECT_EQ(solution.result.status, GmresStatus::converged) << name(storage);
    EXPECT_NEAR(solution.x[0], 1, 1e-9);
    EXPECT_NEAR(solution.x[1], 1, 1e-9);
    EXPECT_EQ(solution.x[2], 0);
  }
}

TYPED_TEST(GmresTest, SingularInconsistentSystemsEndHonestly) {
  for (const BasisStorage storage : krylite::all_basis_choices()) {
    for (const bool jacobi : {false, true}) {
      const auto solution = this->solve(diagonal({1, 2, 0}), {1, 2, 3}, {0, 0, 0}, this->with(storage), jacobi);
      const bool honest = solution.result.status == GmresStatus::breakdown ||
                          solution.result.status == GmresStatus::stagnated;
      EXPECT_TRUE(honest) << name(storage) << ": " << name(solution.result.status);
    }
    const auto nothing = this->solve(make_csr(3, Rows(3)), {1, 2, 3}, {0, 0, 0}, this->with(storage));
    EXPECT_EQ(nothing.result.status, GmresStatus::breakdown) << name(storage);
  }
}

TYPED_TEST(GmresTest, NonFiniteInputEndsAtOnceWithXUntouched) {
  for (const BasisStorage storage : krylite::all_basis_choices()) {
    for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()}) {
      const auto a = diagonal({1, 2, 3});
      EXPECT_EQ(this->solve(a, {1, value, 1}, {4, 5, 6}, this->with(storage)).result.status, GmresStatus::not_finite);
      const auto guess = this->solve(a, {1, 1, 1}, {4, value, 6}, this->with(storage));
      EXPECT_EQ(guess.result.status, GmresStatus::not_finite);
      EXPECT_EQ(guess.x[0], 4);
      // No row reads the second entry of x, and the first solves the system.
      const auto unread = this->solve(make_csr(2, {{{0, 1.0}}, {}}), {1, 0}, {0, value}, this->with(storage));
      EXPECT_EQ(unread.result.status, GmresStatus::not_finite);
      for (const krylite::Side side : krylite::all_sides) {
        auto parameters = this->with(storage);
        parameters.side = side;
        const auto matrix = this->solve(diagonal({1, value, 3}), {1, 1, 1}, {0, 0, 0}, parameters, true);
        EXPECT_EQ(matrix.result.status, GmresStatus::not_finite) << name(storage) << " " << name(side);
        EXPECT_LE(matrix.result.iterations, 1);
        EXPECT_EQ(matrix.x, std::vector<double>(3, 0.0));
      }
    }
  }
}

TYPED_TEST(GmresTest, EveryStorageSolvesAConvectionProblem) {
  const auto a = convection_line(400, 0.3);
  const std::vector<double> zero(400, 0.0);
  for (const BasisStorage storage : krylite::all_basis_choices()) {
    for (const bool jacobi : {false, true}) {
      const auto solution = this->solve(a, times_ones(a), zero, this->with(storage, 50), jacobi);
      EXPECT_EQ(solution.result.status, GmresStatus::converged) << name(storage);
      EXPECT_EQ(solution.result.history.front().iteration, 0);
      EXPECT_EQ(solution.result.history.back().iteration, solution.result.iterations);
      EXPECT_TRUE(solution.result.history.back().has_true);
      EXPECT_EQ(solution.result.history.back().true_residual, solution.result.relative_residual);
    }
  }
}

TYPED_TEST(GmresTest, UnreachableToleranceStagnatesNearRounding) {
  const auto a = convection_line(300, 0.3);
  for (const BasisStorage storage : krylite::all_basis_choices()) {
    const auto solution =
        this->solve(a, times_ones(a), std::vector<double>(300, 0.0), this->with(storage, 60, 1e-18));
    EXPECT_EQ(solution.result.status, GmresStatus::stagnated) << name(storage);
    EXPECT_LT(solution.residual, 5e-15) << name(storage);
    EXPECT_LT(solution.result.iterations, 5000);
  }
}

/// Every cycle ends in a happy breakdown, and rounding alone is in the way: that is no breakdown.
TYPED_TEST(GmresTest, SmallSystemAtAnUnreachableToleranceStagnates) {
  const auto solution = this->solve(diagonal({1.3, 2.7, 7.7, 0.3}), {1, 2.2, 3.1, 0.7}, {0, 0, 0, 0},
                                    this->with(BasisStorage::float64, 100, 1e-18));
  const bool honest = solution.result.status == GmresStatus::stagnated || solution.residual == 0;
  EXPECT_TRUE(honest) << name(solution.result.status);
}

TYPED_TEST(GmresTest, RestartOne) {
  const auto converged = this->solve(diagonal({1, 2, 3}), {1, 1, 1}, {0, 0, 0}, this->with(BasisStorage::float32, 1));
  EXPECT_EQ(converged.result.status, GmresStatus::converged);
  const auto rotation = make_csr(2, {{{1, 1.0}}, {{0, -1.0}}});
  const auto stagnated = this->solve(rotation, {1, 0}, {0, 0}, this->with(BasisStorage::float32, 1));
  EXPECT_EQ(stagnated.result.status, GmresStatus::stagnated);
  EXPECT_EQ(stagnated.x, std::vector<double>(2, 0.0));
}

TYPED_TEST(GmresTest, MemoryFollowsTheSystemWhereTheRestartIsLonger) {
  const auto solution = this->solve(diagonal({1, 2, 3}), {1, 1, 1}, {0, 0, 0}, this->with(BasisStorage::float64, 100));
  EXPECT_EQ(solution.result.status, GmresStatus::converged);
  // On devices a column takes a whole cache line.
  EXPECT_EQ(solution.result.basis_bytes, 3 * (krylite::is_host_space<TypeParam> ? 3 : 8) * 8 + 3 * 8u);
  EXPECT_GE(solution.result.memory_bytes, solution.result.basis_bytes + 3 * 3 * 8u);
  const auto one = this->solve(diagonal({4}), {2}, {0}, this->with(BasisStorage::float64));
  EXPECT_EQ(one.result.status, GmresStatus::converged);
  EXPECT_EQ(one.x[0], 0.5);
  const auto none = this->solve(make_csr(0, {}), {}, {}, this->with(BasisStorage::float64));
  EXPECT_EQ(none.result.status, GmresStatus::converged);
  EXPECT_EQ(none.result.iterations, 0);
}

TYPED_TEST(GmresTest, ScaledSystemsTakeTheSameSteps) {
  const auto a = convection_line(200, 0.3);
  const std::vector<double> zero(200, 0.0);
  for (const BasisStorage storage : krylite::all_basis_choices()) {
    auto b = times_ones(a);
    const auto plain = this->solve(a, b, zero, this->with(storage, 40));
    for (const int exponent : {664, -664}) {  // about 1e200 and 1e-200
      auto scaled_b = b;
      for (double& entry : scaled_b) entry = std::ldexp(entry, exponent);
      const auto scaled = this->solve(a, scaled_b, zero, this->with(storage, 40));
      EXPECT_EQ(scaled.result.status, GmresStatus::converged) << name(storage);
      EXPECT_NEAR(scaled.result.iterations, plain.result.iterations, 1) << name(storage);
      EXPECT_NEAR(std::ldexp(scaled.x[77], -exponent), plain.x[77], 1e-8);
    }
  }
}

TYPED_TEST(GmresTest, ZeroDiagonalWithJacobiIsReplaced) {
  const auto swap = make_csr(2, {{{1, 1.0}}, {{0, 1.0}}});
  const auto solution = this->solve(swap, {1, 2}, {0, 0}, this->with(BasisStorage::float64), true);
  EXPECT_EQ(solution.result.status, GmresStatus::converged);
  EXPECT_NEAR(solution.x[0], 2, 1e-12);
}

TYPED_TEST(GmresTest, BlockJacobiSolvesASwapAtOnce) {
  const auto swap = make_csr(2, {{{1, 1.0}}, {{0, 1.0}}});
  krylite::BlockJacobiOptions options;
  options.block_size = 2;
  const auto blocks = krylite::make_block_jacobi(this->exec_, this->device_csr(swap), options);
  for (const BasisStorage storage : krylite::all_basis_choices()) {
    const auto solution = this->solve(swap, {3, 3}, {0, 0}, this->with(storage), blocks);
    EXPECT_EQ(solution.result.status, GmresStatus::converged) << name(storage);
    EXPECT_EQ(solution.result.iterations, 1) << name(storage);
    EXPECT_EQ(blocks.replaced, 0);
  }
}

/// Inside one cycle of GMRES(100) the estimate of 16 bits would fall far below the true residual.
TYPED_TEST(GmresTest, ANarrowBasisIsNeverConvergedByItsEstimate) {
  const auto a = convection_line(900, 0.01);
  for (const BasisStorage storage : krylite::all_basis_choices()) {
    for (const double delta : {-1.0, 0.0}) {
      auto parameters = this->with(storage, 300, 1e-9);
      parameters.restart_delta = delta;
      const auto solution = this->solve(a, times_ones(a), std::vector<double>(900, 0.0), parameters, true);
      EXPECT_EQ(solution.result.status, GmresStatus::converged) << name(storage);
    }
  }
}

TYPED_TEST(GmresTest, MaximumIterationsBelowTheRestartGivesTheCurrentIterate) {
  const auto a = convection_line(400, 0.3);
  for (const BasisStorage storage : krylite::all_basis_choices()) {
    auto parameters = this->with(storage, 100, 1e-12);
    parameters.max_iterations = 7;
    const auto solution = this->solve(a, times_ones(a), std::vector<double>(400, 0.0), parameters);
    EXPECT_EQ(solution.result.status, GmresStatus::max_iterations);
    EXPECT_EQ(solution.result.iterations, 7);
    EXPECT_LT(solution.residual, 0.9);
    parameters.max_iterations = 0;
    const auto none = this->solve(a, times_ones(a), std::vector<double>(400, 0.0), parameters);
    EXPECT_EQ(none.result.status, GmresStatus::max_iterations);
    EXPECT_EQ(none.residual, 1.0);
  }
}

TYPED_TEST(GmresTest, RestartedRunEqualsAFreshSolveFromThatX) {
  const auto a = convection_line(300, 0.3);
  const auto b = times_ones(a);
  for (const BasisStorage storage : krylite::all_basis_storages) {
    auto parameters = this->with(storage, 10, 1e-30);
    parameters.restart_delta = 0;  // neither this nor the scales of the rows may come from an earlier cycle
    parameters.scale_rows = false;
    parameters.max_iterations = 10;
    const auto first = this->solve(a, b, std::vector<double>(300, 0.0), parameters);
    const auto fresh = this->solve(a, b, first.x, parameters);
    parameters.max_iterations = 20;
    const auto both = this->solve(a, b, std::vector<double>(300, 0.0), parameters);
    const bool is_narrow = storage != BasisStorage::float64 && storage != BasisStorage::float32;
    const bool ended_early = both.result.restarts != 1 || fresh.result.restarts != 0;
    EXPECT_TRUE(is_narrow || !ended_early) << name(storage);
    if (ended_early) continue;
    EXPECT_EQ(both.x, fresh.x) << name(storage);
  }
}

/// Without a second pass the vectors lose orthogonality; what is reported stays true.
TYPED_TEST(GmresTest, ALongCycleWithoutReorthogonalizationTellsTheTruth) {
  const auto a = convection_line(900, 0.02);
  for (const BasisStorage storage : krylite::all_basis_choices()) {
    auto parameters = this->with(storage, 600, 1e-12);
    parameters.orthogonalization = Orthogonalization::cgs;
    parameters.eta = 0;
    parameters.max_iterations = 1200;
    this->solve(a, times_ones(a), std::vector<double>(900, 0.0), parameters);
  }
}

TYPED_TEST(GmresTest, BadGradingIsReportedAsItIs) {
  const Index n = 200;
  const auto a = graded(convection_line(n, 0.3), 1e-4, 1e4);
  for (const BasisStorage storage : krylite::all_basis_choices()) {
    auto parameters = this->with(storage);
    parameters.max_iterations = 2000;
    const auto solution = this->solve(a, times_ones(a), std::vector<double>(n, 0.0), parameters);
    const bool must_converge = storage == BasisStorage::float64 || storage == BasisStorage::automatic;
    EXPECT_TRUE(!must_converge || solution.result.status == GmresStatus::converged) << name(storage);
    EXPECT_TRUE(storage != BasisStorage::automatic || solution.result.iterations <= 1500);
  }
}

TYPED_TEST(GmresTest, PhasesAddUp) {
  const auto a = convection_line(2000, 0.3);
  auto parameters = this->with(BasisStorage::float32, 30);
  parameters.time_phases = true;
  const auto solution = this->solve(a, times_ones(a), std::vector<double>(2000, 0.0), parameters, true);
  const auto& times = solution.result.times;
  EXPECT_GT(times.spmv, 0);
  EXPECT_GT(times.orthogonalization, 0);
  EXPECT_GT(times.preconditioner, 0);
  EXPECT_GE(times.other, 0);
  EXPECT_NEAR(times.spmv + times.orthogonalization + times.preconditioner + times.other, times.total, 1e-9);
}

TYPED_TEST(GmresTest, MonitorSeesEveryStep) {
  const auto a = convection_line(100, 0.3);
  auto parameters = this->with(BasisStorage::float32, 30);
  std::vector<std::int64_t> seen;
  parameters.monitor = [&](std::int64_t iteration, double) {
    seen.push_back(iteration);
    return true;
  };
  const auto solution = this->solve(a, times_ones(a), std::vector<double>(100, 0.0), parameters);
  ASSERT_EQ(static_cast<std::int64_t>(seen.size()), solution.result.iterations);
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], static_cast<std::int64_t>(i) + 1);
}

TYPED_TEST(GmresTest, MonitorStopsTheSolveWithTheBestX) {
  const auto a = convection_line(400, 0.3);
  for (const BasisStorage storage : krylite::all_basis_choices()) {
    auto parameters = this->with(storage, 30);
    parameters.monitor = [](std::int64_t iteration, double) { return iteration < 12; };
    const auto solution = this->solve(a, times_ones(a), std::vector<double>(400, 0.0), parameters);
    EXPECT_EQ(solution.result.status, GmresStatus::stopped) << name(storage);
    EXPECT_EQ(solution.result.iterations, 12);
    EXPECT_LT(solution.residual, 0.9);
    EXPECT_TRUE(solution.result.history.back().has_true);
  }
}

TYPED_TEST(GmresTest, BreakdownsAreToldApart) {
  for (const BasisStorage storage : krylite::all_basis_choices()) {
    const auto happy = this->solve(diagonal({2, 2, 2}), {1, 1, 1}, {0, 0, 0}, this->with(storage));
    EXPECT_EQ(happy.result.status, GmresStatus::converged);
    EXPECT_EQ(happy.result.unhappy_breakdowns, 0);
    const auto unhappy = this->solve(make_csr(3, Rows(3)), {1, 2, 3}, {0, 0, 0}, this->with(storage));
    EXPECT_EQ(unhappy.result.status, GmresStatus::breakdown);
    EXPECT_GE(unhappy.result.unhappy_breakdowns, 1);
    EXPECT_EQ(unhappy.result.happy_breakdowns, 0);
  }
}

TYPED_TEST(GmresTest, RefusesWhatDoesNotFit) {
  const auto a = convert<double, std::int32_t, typename TestFixture::Memory>(make_csr(3, {{{0, 1}}, {{1, 1}}}));
  const auto square = convert<double, std::int32_t, typename TestFixture::Memory>(diagonal({1, 2}));
  const typename TestFixture::Vector two("two", 2), other("other", 2), three("three", 3);
  expect_error([&] { krylite::gmres(this->exec_, a, two, other); }, "2 x 3", "square");
  expect_error([&] { krylite::gmres(this->exec_, square, three, two); }, "b has 3");
  expect_error([&] { krylite::gmres(this->exec_, square, two, two); }, "same vector");
  GmresParameters parameters;
  parameters.restart = 0;
  expect_error([&] { krylite::gmres(this->exec_, square, two, other, parameters); }, "restart", "0");
  parameters = {};
  parameters.tolerance = std::nan("");
  expect_error([&] { krylite::gmres(this->exec_, square, two, other, parameters); }, "tolerance");
  parameters = {};
  parameters.max_iterations = -1;
  expect_error([&] { krylite::gmres(this->exec_, square, two, other, parameters); }, "max_iterations", "-1");
}

}  // namespace
