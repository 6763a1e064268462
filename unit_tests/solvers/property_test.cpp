#include "support/solver_test.hpp"

#include <krylite/preconditioners/block_jacobi.hpp>

#include <cmath>
#include <iostream>
#include <string>
#include <vector>

namespace {

using krylite::GmresStatus;
using krylite::Index;
using namespace krylite_test;

/// Reproducible whole numbers in [0, below).
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : seed_(seed) {}
  int roll(int below) { return static_cast<int>((number() + 1) / 2 * below); }
  double number() { return noise(count_++, seed_); }

 private:
  std::uint64_t seed_;
  std::uint64_t count_ = 0;
};

/// Systems from well to badly conditioned, non-normal and singular ones.
HostCsr random_system(Dice& dice, std::uint64_t seed, std::string& kind) {
  const auto n = static_cast<Index>(1 + dice.roll(40));
  switch (dice.roll(8)) {
    case 0: kind = "dominant"; return random_matrix(n, 2.0 * n, seed);
    case 1: kind = "random"; return random_matrix(n, 0, seed);
    case 2: kind = "graded"; return graded(random_matrix(n + 1, n, seed), 1e-4, 1e4);
    case 3: kind = "convection"; return convection_line(n + 1, std::pow(10.0, 2 * dice.number()));
    case 4: {
      kind = "shift";
      return cyclic_shift(n);
    }
    case 5: {
      kind = "triangular with a large upper part";  // far from normal
      Rows rows(n);
      for (Index r = 0; r < n; ++r) {
        rows[r].push_back({r, 1 + 0.1 * dice.number()});
        for (Index c = r + 1; c < n; ++c) rows[r].push_back({c, 10 * dice.number()});
      }
      return make_csr(n, rows);
    }
    case 6: {
      kind = "diagonal over many decades";
      std::vector<double> d(n);
      for (double& value : d) value = std::pow(10.0, 12 * dice.number());
      return diagonal(d);
    }
    default: {
      kind = "singular";
      auto a = random_matrix(n, dice.roll(2) * n, seed);
      for (Index c = 0; c < n; ++c) a.values(a.row_pointers(n - 1) + c) = n > 1 ? a.values(c) : 0;
      return a;
    }
  }
}

template <class Space>
class PropertyTest : public SolverTest<Space> {};
TYPED_TEST_SUITE(PropertyTest, Spaces);

/// Whatever is said of 1,000 random systems is true, in every storage, by every orthogonalization, from every side.
/// `solve` holds each result against the host; a failure names the seed.
TYPED_TEST(PropertyTest, ConvergedIsNeverSaidAboveTheTolerance) {
  int converged = 0, dominant = 0, dominant_converged = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Dice dice(seed);
    std::string kind;
    const auto a = random_system(dice, seed, kind);
    const auto n = static_cast<std::size_t>(a.num_rows);
    std::vector<double> b(n), x0(n, 0.0);
    for (double& value : b) value = dice.number();
    if (dice.roll(3) == 0) {
      for (double& value : x0) value = dice.number();
    }
    if (dice.roll(4) == 0) b = times_ones(a);
    const auto storages = krylite::all_basis_choices();
    auto parameters = this->with(storages[seed % storages.size()], 1 + dice.roll(30),
                                 std::pow(10.0, -9 + 5 * dice.number()));
    parameters.orthogonalization = krylite::all_orthogonalizations[dice.roll(4)];
    parameters.side = krylite::all_sides[dice.roll(3)];
    parameters.max_iterations = 400;
    const int preconditioner = dice.roll(3);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + kind + ", n = " + std::to_string(n) + ", " +
                 name(parameters.storage) + ", " + name(parameters.orthogonalization) + ", " + name(parameters.side) +
                 ", preconditioner " + std::to_string(preconditioner));
    const auto csr = this->device_csr(a);
    const auto solution =
        preconditioner == 2
            ? this->solve(a, b, x0, parameters, krylite::make_block_jacobi(this->exec_, csr))
            : this->solve(a, b, x0, parameters, preconditioner == 1);
    EXPECT_NE(solution.result.status, GmresStatus::not_finite);
    const bool done = solution.result.status == GmresStatus::converged;
    converged += done ? 1 : 0;
    // What 16 bits can do in 400 steps where nothing is hard.
    const bool is_easy = kind == "dominant" && parameters.restart >= 8 && parameters.tolerance >= 1e-13;
    dominant += is_easy ? 1 : 0;
    dominant_converged += is_easy && done ? 1 : 0;
    EXPECT_TRUE(done || !is_easy) << name(solution.result.status) << " at " << solution.residual;
    if (this->HasFailure()) break;
  }
  std::cout << converged << " of 1000 converged, " << dominant_converged << " of " << dominant << " easy ones\n";
  EXPECT_GT(converged, 400);
  EXPECT_GT(dominant, 30);
}

}  // namespace
