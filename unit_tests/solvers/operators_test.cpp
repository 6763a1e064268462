#include "support/solver_test.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

namespace {

using krylite::BasisStorage;
using krylite::GmresStatus;
using krylite::Index;
using krylite::Side;
using namespace krylite_test;

template <class Space>
class OperatorsTest : public SolverTest<Space> {};
TYPED_TEST_SUITE(OperatorsTest, Spaces);

/// The convection line without a matrix.
template <class Space>
struct LineOperator {
  double convection = 0;

  template <class In, class Out>
  void apply(const Space& exec, const In& in, const Out& out) const {
    const auto n = static_cast<std::int64_t>(in.extent(0));
    const double c = convection;
    Kokkos::parallel_for(
        "line", krylite::detail::range(exec, n), KOKKOS_LAMBDA(const std::int64_t i) {
          const double before = i > 0 ? in(i - 1) : 0;
          const double after = i + 1 < n ? in(i + 1) : 0;
          out(i) = (-1 - c) * before + (2.05 + c) * in(i) - after;
        });
  }
};

/// out = in / scale(i), where `calls` counts and may change it.
template <class Space>
struct Scaling {
  Kokkos::View<double*, typename Space::memory_space> scale;
  std::shared_ptr<int> calls = std::make_shared<int>(0);
  double change = 0;

  template <class In, class Out>
  void apply(const Space& exec, const In& in, const Out& out) const {
    const double factor = 1 + change * noise(static_cast<std::uint64_t>(++*calls));
    const auto divisor = scale;
    Kokkos::parallel_for(
        "scaling", krylite::detail::range(exec, static_cast<std::int64_t>(in.extent(0))),
        KOKKOS_LAMBDA(const std::int64_t i) { out(i) = in(i) * (1 + factor * (i % 2)) / divisor(i); });
  }
};

TYPED_TEST(OperatorsTest, AnythingThatCanBeAppliedIsSolvedLikeItsMatrix) {
  const Index n = 300;
  const auto a = convection_line(n, 0.3);
  const auto b = times_ones(a);
  const LineOperator<TypeParam> line{0.3};
  const std::function<void(const TypeParam&, const typename TestFixture::In&, const typename TestFixture::Out&)>
      function = [&](const auto& exec, const auto& in, const auto& out) { line.apply(exec, in, out); };
  for (const BasisStorage storage : krylite::all_basis_choices()) {
    const auto parameters = this->with(storage, 40);
    const auto matrix = this->solve(a, b, std::vector<double>(n, 0.0), parameters);
    const auto rhs = this->to_device(b);
    for (const bool as_function : {false, true}) {
      const auto x = this->to_device(std::vector<double>(n, 0.0));
      const auto result = as_function ? krylite::gmres(this->exec_, function, rhs, x, parameters)
                                      : krylite::gmres(this->exec_, line, rhs, x, parameters);
      EXPECT_EQ(result.status, GmresStatus::converged) << name(storage);
      // `auto` counts the bytes of a matrix.
      EXPECT_NEAR(result.iterations, matrix.result.iterations, storage == BasisStorage::automatic ? 40 : 3);
      EXPECT_LE(residual_on_host(a, b, this->to_vector(x)), 1.001e-10);
    }
  }
}

TYPED_TEST(OperatorsTest, NonFiniteOperatorsEndAtOnce) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    const auto broken = [&](const TypeParam& exec, const auto&, const auto& out) { Kokkos::deep_copy(exec, out, bad); };
    const auto fine = [&](const TypeParam& exec, const auto& in, const auto& out) { Kokkos::deep_copy(exec, out, in); };
    for (const Side side : krylite::all_sides) {
      for (const BasisStorage storage : krylite::all_basis_choices()) {
        auto parameters = this->with(storage);
        parameters.side = side;
        const auto b = this->to_device({1, 2, 3});
        for (const bool in_operator : {true, false}) {
          const auto x = this->to_device({0, 0, 0});
          const auto result = in_operator ? krylite::gmres(this->exec_, broken, fine, b, x, parameters)
                                          : krylite::gmres(this->exec_, fine, broken, b, x, parameters);
          EXPECT_EQ(result.status, GmresStatus::not_finite) << name(side) << ", " << name(storage);
          EXPECT_LE(result.iterations, 1);
          EXPECT_EQ(this->to_vector(x), std::vector<double>(3, 0.0));
        }
      }
    }
  }
}

TYPED_TEST(OperatorsTest, EverySideSolvesToTheTrueTolerance) {
  const Index n = 400;
  // Rows of very different size: what is small for M^-1 (b - A x) need not be for b - A x.
  Rows rows(n);
  const auto line = convection_line(n, 0.3);
  for (Index r = 0; r < n; ++r) {
    const double scale = std::pow(10.0, 3 * noise(r, 9));
    for (std::int64_t k = line.row_pointers(r); k < line.row_pointers(r + 1); ++k) {
      rows[r].push_back({line.columns(k), scale * line.values(k)});
    }
  }
  const auto a = make_csr(n, rows);
  for (const Side side : krylite::all_sides) {
    for (const BasisStorage storage : krylite::all_basis_choices()) {
      for (const auto method : krylite::all_orthogonalizations) {
        auto parameters = this->with(storage, 80);
        parameters.side = side;
        parameters.orthogonalization = method;
        parameters.max_iterations = 600;
        const auto solution = this->solve(a, times_ones(a), std::vector<double>(n, 0.0), parameters, true);
        // Right-preconditioned vectors are graded like the rows, which int16 does not hold.
        const bool wide = storage == BasisStorage::float64 || storage == BasisStorage::float32 ||
                          storage == BasisStorage::automatic || side == Side::left;
        EXPECT_TRUE(!wide || solution.result.status == GmresStatus::converged)
            << name(side) << ", " << name(storage) << ", " << name(method) << ": " << solution.residual;
      }
    }
  }
}

/// A preconditioner that changes from call to call: `flexible` knows what it made of each vector, `right` only hopes.
TYPED_TEST(OperatorsTest, FlexibleHandlesAPreconditionerThatChanges) {
  const Index n = 400;
  const auto a = convection_line(n, 0.3);
  const auto b = times_ones(a);
  for (const auto method : krylite::all_orthogonalizations) {
    for (const BasisStorage storage : krylite::all_basis_choices()) {
      Scaling<TypeParam> changing{this->to_device(std::vector<double>(n, 2.35))};
      changing.change = 0.5;
      auto parameters = this->with(storage, 60);
      parameters.orthogonalization = method;
      parameters.side = Side::flexible;
      const auto flexible = this->solve(a, b, std::vector<double>(n, 0.0), parameters, changing);
      EXPECT_EQ(flexible.result.status, GmresStatus::converged) << name(method) << ", " << name(storage);
      EXPECT_GE(flexible.result.basis_bytes, 2 * 60 * n * std::size_t(storage == BasisStorage::float64 ? 8 : 2));
      parameters.side = Side::right;  // nothing is promised but honesty, which `solve` checks
      parameters.max_iterations = 500;
      *changing.calls = 0;
      this->solve(a, b, std::vector<double>(n, 0.0), parameters, changing);
    }
  }
}

TYPED_TEST(OperatorsTest, SeveralRightHandSidesAreSolvedOneByOne) {
  const Index n = 150;
  const auto a = convection_line(n, 0.3);
  const auto matrix = krylite::to_csr5(this->exec_, this->device_csr(a));
  const Kokkos::View<double**, Kokkos::LayoutRight, typename TestFixture::Memory> b("b", n, 3), x("x", n, 3);
  const auto host = Kokkos::create_mirror_view(b);
  for (Index i = 0; i < n; ++i) {
    for (int k = 0; k < 2; ++k) host(i, k) = noise(i, 40 + k);
    host(i, 2) = 0;
  }
  Kokkos::deep_copy(b, host);
  for (const BasisStorage storage : krylite::all_basis_choices()) {
    Kokkos::deep_copy(x, 0.0);
    const auto parameters = this->with(storage, 30);
    const auto results = krylite::gmres(this->exec_, matrix, b, x, parameters);
    ASSERT_EQ(results.size(), 3u);
    const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(results[k].status, GmresStatus::converged) << name(storage);
      std::vector<double> column(n), right(n);
      for (Index i = 0; i < n; ++i) {
        column[i] = found(i, k);
        right[i] = host(i, k);
      }
      EXPECT_LE(residual_on_host(a, right, column), 1.001e-10);
      // As if it were alone.
      const auto alone = this->to_device(std::vector<double>(n, 0.0));
      const auto result = krylite::gmres(this->exec_, matrix, this->to_device(right), alone, parameters);
      EXPECT_EQ(this->to_vector(alone), column);
      EXPECT_EQ(result.iterations, results[k].iterations);
    }
    EXPECT_EQ(results[2].iterations, 0);
  }
  const Kokkos::View<double**, typename TestFixture::Memory> narrow("narrow", n, 2);
  expect_error([&] { krylite::gmres(this->exec_, matrix, b, narrow); }, "3 columns", "2");
}

/// M^-1 = 0 leaves no space to search, from any side.
TYPED_TEST(OperatorsTest, APreconditionerThatIsZeroBreaksDown) {
  const auto a = convection_line(50, 0.3);
  const auto zero = [](const TypeParam& exec, const auto&, const auto& out) { Kokkos::deep_copy(exec, out, 0.0); };
  for (const Side side : krylite::all_sides) {
    for (const BasisStorage storage : krylite::all_basis_choices()) {
      for (const auto method : krylite::all_orthogonalizations) {
        auto parameters = this->with(storage);
        parameters.side = side;
        parameters.orthogonalization = method;
        const auto solution = this->solve(a, times_ones(a), std::vector<double>(50, 0.0), parameters, zero);
        EXPECT_EQ(solution.result.status, GmresStatus::breakdown)
            << name(side) << ", " << name(storage) << ", " << name(method);
        EXPECT_GE(solution.result.unhappy_breakdowns, 1);
        EXPECT_EQ(solution.x, std::vector<double>(50, 0.0));
      }
    }
  }
}

/// Two processes with the same rows each, which is the system of a block diagonal matrix of two equal blocks.
struct Twins : krylite::Communicator {
  void sum_all(double* values, int count) override {
    for (int i = 0; i < count; ++i) values[i] *= 2;
  }
};

TYPED_TEST(OperatorsTest, ProcessesDecideBySumsOverAll) {
  const Index n = 200;
  const auto a = convection_line(n, 0.3);
  Rows both(2 * n);
  for (Index r = 0; r < n; ++r) {
    for (std::int64_t k = a.row_pointers(r); k < a.row_pointers(r + 1); ++k) {
      both[r].push_back({a.columns(k), a.values(k)});
      both[n + r].push_back({n + a.columns(k), a.values(k)});
    }
  }
  const auto twice = make_csr(2 * n, both);
  for (const BasisStorage storage : krylite::all_basis_storages) {
    for (const auto method : krylite::all_orthogonalizations) {
      auto parameters = this->with(storage, 30);
      parameters.orthogonalization = method;
      const auto whole = this->solve(twice, times_ones(twice), std::vector<double>(2 * n, 0.0), parameters, true);
      parameters.communicator = std::make_shared<Twins>();
      const auto half = this->solve(a, times_ones(a), std::vector<double>(n, 0.0), parameters, true);
      EXPECT_EQ(half.result.status, GmresStatus::converged) << name(storage) << ", " << name(method);
      EXPECT_NEAR(half.result.iterations, whole.result.iterations, 0.1 * whole.result.iterations)
          << name(storage) << ", " << name(method);
    }
  }
}

/// All reductions pass through the one object, one call each, and are counted.
TYPED_TEST(OperatorsTest, ReductionsGoThroughTheCommunicator) {
  struct Counting : krylite::Communicator {
    int calls = 0;
    int most = 0;
    void sum_all(double*, int count) override {
      ++calls;
      most = std::max(most, count);
    }
    void largest_all(double*, int) override { ++calls; }
  };
  const auto a = convection_line(500, 0.3);
  for (const BasisStorage storage : krylite::all_basis_storages) {
    const auto communicator = std::make_shared<Counting>();
    auto parameters = this->with(storage, 50);
    parameters.communicator = communicator;
    const auto solution = this->solve(a, times_ones(a), std::vector<double>(500, 0.0), parameters, true);
    EXPECT_EQ(solution.result.reductions, communicator->calls);
    // One a step, and at each end of a cycle that of the true residual (and of shorter trials, where it failed).
    EXPECT_GE(communicator->calls, solution.result.iterations);
    EXPECT_LE(communicator->calls, solution.result.iterations + 8 * (solution.result.restarts + 1) + 3);
    EXPECT_GE(communicator->most, 2 * 20);
  }
}

}  // namespace
