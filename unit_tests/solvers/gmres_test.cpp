#include "support/expect.hpp"
#include "support/types.hpp"

#include <krylite/formats/convert.hpp>
#include <krylite/preconditioners/jacobi.hpp>
#include <krylite/solvers/gmres.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace {

using krylite::BasisStorage;
using krylite::GmresParameters;
using krylite::GmresResult;
using krylite::GmresStatus;
using krylite::Index;
using namespace krylite_test;

/// b - A x relative to b, on the host in long double: what no result may hide.
double residual_on_host(const HostCsr& a, const std::vector<double>& b, const std::vector<double>& x) {
  long double residual = 0, norm = 0;
  for (Index r = 0; r < a.num_rows; ++r) {
    long double sum = b[r];
    for (std::int64_t k = a.row_pointers(r); k < a.row_pointers(r + 1); ++k) {
      sum -= static_cast<long double>(a.values(k)) * x[a.columns(k)];
    }
    residual += sum * sum;
    norm += static_cast<long double>(b[r]) * b[r];
  }
  return norm > 0 ? static_cast<double>(std::sqrt(residual / norm)) : 0;
}

struct Solution {
  GmresResult result;
  std::vector<double> x;
  double residual = 0;
};

template <class Space>
class GmresTest : public ::testing::Test {
 protected:
  using Memory = typename Space::memory_space;
  using Vector = Kokkos::View<double*, Memory>;

  static Vector to_device(const std::vector<double>& values) {
    const Vector view("vector", values.size());
    const auto host = Kokkos::create_mirror_view(view);
    for (std::size_t i = 0; i < values.size(); ++i) host(i) = values[i];
    Kokkos::deep_copy(view, host);
    return view;
  }

  /// Solves, and holds the result against what the host finds: the residual is the true one, `converged` means
  /// that it meets the tolerance, and x is no worse than the guess.
  Solution solve(const HostCsr& a, const std::vector<double>& b, const std::vector<double>& x0,
                 const GmresParameters& parameters, bool jacobi = false) {
    const auto csr = convert<double, std::int32_t, Memory>(a);
    const auto matrix = krylite::to_rgcsr(exec_, csr);
    const Vector rhs = to_device(b), x = to_device(x0);
    Solution solution;
    solution.result = jacobi ? krylite::gmres(exec_, matrix, krylite::make_jacobi(exec_, csr), rhs, x, parameters)
                             : krylite::gmres(exec_, matrix, rhs, x, parameters);
    const auto host = to_host(x);
    solution.x.assign(host.data(), host.data() + host.extent(0));
    solution.residual = residual_on_host(a, b, solution.x);
    const double before = residual_on_host(a, b, x0);
    if (solution.result.status != GmresStatus::not_finite) {
      const double slack = 1e-13 * (1 + before);
      EXPECT_NEAR(solution.residual, solution.result.relative_residual, 1e-6 * solution.residual + slack);
      EXPECT_LE(solution.residual, before + slack);
    }
    if (solution.result.status == GmresStatus::converged) {
      EXPECT_LE(solution.residual, parameters.tolerance * (1 + 1e-6) + 1e-15);
    }
    for (const double entry : solution.x) {
      EXPECT_TRUE(std::isfinite(entry) || solution.result.status == GmresStatus::not_finite);
    }
    return solution;
  }

  static GmresParameters with(BasisStorage storage, Index restart = 100, double tolerance = 1e-10) {
    GmresParameters parameters;
    parameters.storage = storage;
    parameters.restart = restart;
    parameters.tolerance = tolerance;
    return parameters;
  }

  Space exec_;
};
TYPED_TEST_SUITE(GmresTest, Spaces);

HostCsr diagonal(const std::vector<double>& d) {
  Rows rows(d.size());
  for (std::size_t i = 0; i < d.size(); ++i) rows[i] = {{static_cast<Index>(i), d[i]}};
  return make_csr(static_cast<Index>(d.size()), rows);
}

HostCsr cyclic_shift(Index n) {
  Rows rows(n);
  for (Index r = 0; r < n; ++r) rows[r] = {{(r + n - 1) % n, 1.0}};
  return make_csr(n, rows);
}

/// Upwind convection-diffusion on a line of n points.
HostCsr convection_line(Index n, double convection) {
  Rows rows(n);
  for (Index r = 0; r < n; ++r) {
    if (r > 0) rows[r].push_back({r - 1, -1 - convection});
    rows[r].push_back({r, 2.05 + convection});
    if (r + 1 < n) rows[r].push_back({r + 1, -1});
  }
  return make_csr(n, rows);
}

/// A dense random matrix with a shifted diagonal.
HostCsr random_matrix(Index n, double shift, std::uint64_t seed) {
  Rows rows(n);
  for (Index r = 0; r < n; ++r) {
    for (Index c = 0; c < n; ++c) rows[r].push_back({c, noise(r * 1000ull + c, seed) + (r == c ? shift : 0)});
  }
  return make_csr(n, rows);
}

std::vector<double> times_ones(const HostCsr& a) {
  std::vector<double> b(a.num_rows, 0.0);
  for (Index r = 0; r < a.num_rows; ++r) {
    for (std::int64_t k = a.row_pointers(r); k < a.row_pointers(r + 1); ++k) b[r] += a.values(k);
  }
  return b;
}

using krylite::all_basis_storages;

TYPED_TEST(GmresTest, ZeroRightHandSideGivesZeroAtOnce) {
  for (const BasisStorage storage : all_basis_storages) {
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
  for (const BasisStorage storage : all_basis_storages) {
    const auto solution = this->solve(diagonal({1, 1}), {-1, -1}, {-1, -1}, this->with(storage));
    EXPECT_EQ(solution.result.status, GmresStatus::converged);
    EXPECT_EQ(solution.result.iterations, 0);
    EXPECT_EQ(solution.x, std::vector<double>(2, -1.0));
  }
}

TYPED_TEST(GmresTest, IdentityIsAHappyBreakdown) {
  for (const BasisStorage storage : all_basis_storages) {
    const auto solution = this->solve(diagonal({1, 1, 1}), {1, 2, 3}, {0, 0, 0}, this->with(storage));
    EXPECT_EQ(solution.result.status, GmresStatus::converged) << name(storage);
    EXPECT_TRUE(storage != BasisStorage::float64 || solution.result.iterations == 1);
  }
}

TYPED_TEST(GmresTest, IdentityTakesOneStepInEveryStorageWhereEntriesAreEqual) {
  for (const BasisStorage storage : all_basis_storages) {
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
  for (const BasisStorage storage : all_basis_storages) {
    const auto solution = this->solve(cyclic_shift(12), b, zero, this->with(storage, 20));
    EXPECT_EQ(solution.result.status, GmresStatus::converged) << name(storage);
    EXPECT_EQ(solution.result.iterations, 12) << name(storage);
    for (int i = 0; i < 12; ++i) EXPECT_NEAR(solution.x[i], expected[i], 1e-14);
  }
}

TYPED_TEST(GmresTest, CyclicShiftWithShortRestartStagnates) {
  std::vector<double> b(12, 0.0), zero(12, 0.0);
  b[0] = 1;
  for (const BasisStorage storage : all_basis_storages) {
    const auto solution = this->solve(cyclic_shift(12), b, zero, this->with(storage, 5));
    EXPECT_EQ(solution.result.status, GmresStatus::stagnated) << name(storage);
    EXPECT_EQ(solution.x, zero);
  }
}

TYPED_TEST(GmresTest, SingularConsistentSystemIsSolved) {
  for (const BasisStorage storage : all_basis_storages) {
    const auto solution = this->solve(diagonal({1, 2, 0}), {1, 2, 0}, {0, 0, 0}, this->with(storage));
    EXPECT_EQ(solution.result.status, GmresStatus::converged) << name(storage);
    EXPECT_NEAR(solution.x[0], 1, 1e-9);
    EXPECT_NEAR(solution.x[1], 1, 1e-9);
    EXPECT_EQ(solution.x[2], 0);
  }
}

TYPED_TEST(GmresTest, SingularInconsistentSystemsEndHonestly) {
  for (const BasisStorage storage : all_basis_storages) {
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
  const double bad[] = {std::nan(""), std::numeric_limits<double>::infinity()};
  for (const double value : bad) {
    auto a = diagonal({1, 2, 3});
    EXPECT_EQ(this->solve(a, {1, value, 1}, {4, 5, 6}, this->with(BasisStorage::float32)).result.status,
              GmresStatus::not_finite);
    const auto guess = this->solve(a, {1, 1, 1}, {4, value, 6}, this->with(BasisStorage::float32));
    EXPECT_EQ(guess.result.status, GmresStatus::not_finite);
    EXPECT_EQ(guess.x[0], 4);
    // No row reads the second entry of x, and the first solves the system.
    const auto unread = this->solve(make_csr(2, {{{0, 1.0}}, {}}), {1, 0}, {0, value}, this->with(BasisStorage::float64));
    EXPECT_EQ(unread.result.status, GmresStatus::not_finite);
    a.values(1) = value;
    const auto matrix = this->solve(a, {1, 1, 1}, {0, 0, 0}, this->with(BasisStorage::int16));
    EXPECT_EQ(matrix.result.status, GmresStatus::not_finite);
    EXPECT_LE(matrix.result.iterations, 1);
    EXPECT_EQ(matrix.x, std::vector<double>(3, 0.0));
  }
}

TYPED_TEST(GmresTest, EveryStorageSolvesAConvectionProblem) {
  const auto a = convection_line(400, 0.3);
  const std::vector<double> zero(400, 0.0);
  for (const BasisStorage storage : all_basis_storages) {
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
  for (const BasisStorage storage : all_basis_storages) {
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
  EXPECT_EQ(solution.result.basis_bytes, 3 * 3 * 8 + 3 * 8u);
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
  for (const BasisStorage storage : all_basis_storages) {
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

TYPED_TEST(GmresTest, MaximumIterationsBelowTheRestartGivesTheCurrentIterate) {
  const auto a = convection_line(400, 0.3);
  auto parameters = this->with(BasisStorage::float64, 100, 1e-12);
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

TYPED_TEST(GmresTest, RestartedRunEqualsAFreshSolveFromThatX) {
  const auto a = convection_line(300, 0.3);
  const auto b = times_ones(a);
  auto parameters = this->with(BasisStorage::float32, 10, 1e-30);
  parameters.max_iterations = 10;
  const auto first = this->solve(a, b, std::vector<double>(300, 0.0), parameters);
  const auto fresh = this->solve(a, b, first.x, parameters);
  parameters.max_iterations = 20;
  const auto both = this->solve(a, b, std::vector<double>(300, 0.0), parameters);
  EXPECT_EQ(both.result.restarts, 1);
  EXPECT_EQ(both.x, fresh.x);
}

/// Systems from well to badly conditioned and singular: whatever is said of them is true (checked in solve()).
TYPED_TEST(GmresTest, RandomSystemsNeverLie) {
  int converged = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto n = static_cast<Index>(2 + seed * 3 % 40);
    auto a = random_matrix(n, seed % 4 == 0 ? 2.0 * n : 0.0, seed);
    if (seed % 5 == 0) {  // singular: the last row repeats the first
      for (Index c = 0; c < n; ++c) a.values(a.row_pointers(n - 1) + c) = a.values(c);
    }
    std::vector<double> b(n);
    for (Index i = 0; i < n; ++i) b[i] = noise(i, 1000 + seed);
    for (const BasisStorage storage : all_basis_storages) {
      auto parameters = this->with(storage, 1 + static_cast<Index>(seed % 20), 1e-8);
      parameters.max_iterations = 500;
      const auto solution = this->solve(a, b, std::vector<double>(n, 0.0), parameters);
      converged += solution.result.status == GmresStatus::converged ? 1 : 0;
    }
  }
  EXPECT_GT(converged, 60) << "the well-conditioned quarter at least";
}

TYPED_TEST(GmresTest, BadGradingIsReportedAsItIs) {
  const Index n = 200;
  auto a = convection_line(n, 0.3);
  for (Index r = 0; r < n; ++r) {  // D A D^-1 with D from 1e-4 to 1e4
    for (std::int64_t k = a.row_pointers(r); k < a.row_pointers(r + 1); ++k) {
      a.values(k) *= std::pow(10.0, 8.0 * (r - a.columns(k)) / (n - 1));
    }
  }
  for (const BasisStorage storage : all_basis_storages) {
    auto parameters = this->with(storage);
    parameters.max_iterations = 2000;
    const auto solution = this->solve(a, times_ones(a), std::vector<double>(n, 0.0), parameters);
    EXPECT_TRUE(storage != BasisStorage::float64 || solution.result.status == GmresStatus::converged);
  }
}

TYPED_TEST(GmresTest, PhasesAddUpAndReductionsAreCounted) {
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
  // Two or four a step and a few a cycle: never one a basis vector.
  EXPECT_GE(solution.result.reductions, 2 * solution.result.iterations);
  EXPECT_LE(solution.result.reductions, 6 * solution.result.iterations + 10 * (solution.result.restarts + 1));
}

TYPED_TEST(GmresTest, MonitorSeesEveryStep) {
  const auto a = convection_line(100, 0.3);
  auto parameters = this->with(BasisStorage::float32, 30);
  std::vector<std::int64_t> seen;
  parameters.monitor = [&](std::int64_t iteration, double) { seen.push_back(iteration); };
  const auto solution = this->solve(a, times_ones(a), std::vector<double>(100, 0.0), parameters);
  ASSERT_EQ(static_cast<std::int64_t>(seen.size()), solution.result.iterations);
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], static_cast<std::int64_t>(i) + 1);
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
