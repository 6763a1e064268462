#ifndef KRYLITE_UNIT_TESTS_SUPPORT_SOLVER_TEST_HPP
#define KRYLITE_UNIT_TESTS_SUPPORT_SOLVER_TEST_HPP

#include "support/expect.hpp"
#include "support/systems.hpp"
#include "support/types.hpp"

#include <krylite/formats/convert.hpp>
#include <krylite/preconditioners/identity.hpp>
#include <krylite/preconditioners/jacobi.hpp>
#include <krylite/solvers/gmres.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace krylite_test {

struct Solution {
  krylite::GmresResult result;
  std::vector<double> x;
  double residual = 0;  ///< in long double
};

/// Tests of solvers on one execution space.
template <class Space>
class SolverTest : public ::testing::Test {
 protected:
  using Memory = typename Space::memory_space;
  using Vector = Kokkos::View<double*, Memory>;
  using In = krylite::detail::VectorRef<const double, Memory>;
  using Out = krylite::detail::VectorRef<double, Memory>;
  using Csr = krylite::CsrMatrix<double, std::int32_t, Memory>;

  static Vector to_device(const std::vector<double>& values) {
    const Vector view("vector", values.size());
    const auto host = Kokkos::create_mirror_view(view);
    for (std::size_t i = 0; i < values.size(); ++i) host(i) = values[i];
    Kokkos::deep_copy(view, host);
    return view;
  }

  static std::vector<double> to_vector(const Vector& view) {
    const auto host = to_host(view);
    return {host.data(), host.data() + host.extent(0)};
  }

  static Csr device_csr(const HostCsr& a) { return convert<double, std::int32_t, Memory>(a); }

  /// Holds a result against what the host finds: the residual is the true one, `converged` means that it meets the
  /// tolerance, and x is no worse than the guess.
  static void expect_honest(const HostCsr& a, const std::vector<double>& b, const std::vector<double>& x0,
                            const Solution& solution, double tolerance) {
    const krylite::GmresResult& result = solution.result;
    const double before = residual_on_host(a, b, x0);
    // The sums of n squares round too, but relatively.
    const double rounding = residual_rounding(a, b, solution.x) + 1e-13 * solution.residual;
    if (result.status != krylite::GmresStatus::not_finite) {
      EXPECT_NEAR(solution.residual, result.relative_residual, rounding);
      EXPECT_LE(solution.residual, before * (1 + 1e-13) + rounding + residual_rounding(a, b, x0));
      for (const double entry : solution.x) EXPECT_TRUE(std::isfinite(entry));
    }
    if (result.status == krylite::GmresStatus::converged) {
      EXPECT_LE(result.relative_residual, tolerance);
      EXPECT_LE(solution.residual, tolerance + rounding);
    }
    ASSERT_FALSE(result.history.empty());
    EXPECT_EQ(result.history.back().iteration, result.iterations);
  }

  /// Solves with any preconditioner, and expects an honest result.
  template <class Preconditioner>
  Solution solve(const HostCsr& a, const std::vector<double>& b, const std::vector<double>& x0,
                 const krylite::GmresParameters& parameters, const Preconditioner& preconditioner) {
    const auto matrix = krylite::to_rgcsr(exec_, device_csr(a));
    const Vector rhs = to_device(b), x = to_device(x0);
    Solution solution;
    solution.result = krylite::gmres(exec_, matrix, preconditioner, rhs, x, parameters);
    solution.x = to_vector(x);
    solution.residual = residual_on_host(a, b, solution.x);
    expect_honest(a, b, x0, solution, parameters.tolerance);
    return solution;
  }

  Solution solve(const HostCsr& a, const std::vector<double>& b, const std::vector<double>& x0,
                 const krylite::GmresParameters& parameters, bool jacobi = false) {
    if (jacobi) return solve(a, b, x0, parameters, krylite::make_jacobi(exec_, device_csr(a)));
    return solve(a, b, x0, parameters, krylite::IdentityPreconditioner());
  }

  static krylite::GmresParameters with(krylite::BasisStorage storage, krylite::Index restart = 100,
                                       double tolerance = 1e-10) {
    krylite::GmresParameters parameters;
    parameters.storage = storage;
    parameters.restart = restart;
    parameters.tolerance = tolerance;
    return parameters;
  }

  Space exec_;
};

}  // namespace krylite_test

#endif
