#include "support/solver_test.hpp"

#include <krylite/solvers/detail/orthogonalizer.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace {

using krylite::all_basis_storages;
using krylite::all_orthogonalizations;
using krylite::BasisStorage;
using krylite::GmresStatus;
using krylite::Index;
using krylite::Orthogonalization;
using namespace krylite_test;

/// Relative error that storing a vector may cause, about.
double storage_roundoff(BasisStorage storage) {
  switch (storage) {
    case BasisStorage::float64: return 0x1p-53;
    case BasisStorage::float32: return 0x1p-24;
    case BasisStorage::float16: return 0x1p-11;
    case BasisStorage::bfloat16: return 0x1p-8;
    case BasisStorage::int32:
    case BasisStorage::bfp32: return 0x1p-28;
    case BasisStorage::int16:
    case BasisStorage::bfp16:
    case BasisStorage::automatic: break;
  }
  return 0x1p-12;
}

template <class Space>
class OrthogonalizationTest : public SolverTest<Space> {
 protected:
  using Memory = typename Space::memory_space;
  using Vector = typename SolverTest<Space>::Vector;
  using Out = typename SolverTest<Space>::Out;
  using In = typename SolverTest<Space>::In;

  /// What an Arnoldi process of some steps left: its vectors as they are stored, and its reductions.
  struct Basis {
    std::vector<std::vector<double>> vectors;
    std::int64_t reductions = 0;
  };

  Basis arnoldi(const HostCsr& a, Index steps, BasisStorage storage, Orthogonalization method) {
    const std::int64_t n = a.num_rows;
    const auto matrix = krylite::to_rgcsr(this->exec_, this->device_csr(a));
    krylite::Communicator communicator;
    const krylite::SweepWorkspace<Memory> workspace(n, steps + 1);
    krylite::detail::AnyBasis<Space> basis(this->exec_, communicator, workspace, krylite::Kernel::automatic);
    basis.reserve(storage, n, steps + 1);
    krylite::detail::Orthogonalizer<Space> orthogonalizer(basis, method, std::sqrt(0.5));
    std::vector<double> start(n);
    for (std::int64_t i = 0; i < n; ++i) start[i] = noise(i, 3);
    const Vector v = this->to_device(start), w("w", n);
    const auto norms = basis.norms(In(v.data(), n));
    double divisor = basis.norm(In(v.data(), n), norms);
    double largest = norms.largest;
    const std::int64_t before = communicator.reductions();
    Out operand(v.data(), n), product(w.data(), n);
    for (Index j = 0; j < steps; ++j) {
      basis.store(j, divisor, largest, operand);
      krylite::spmv(this->exec_, 1.0, matrix, In(operand), 0.0, product);
      const auto step = orthogonalizer.run(j + 1, product);
      divisor = step.below;
      largest = step.largest;
      std::swap(operand, product);
    }
    basis.store(steps, divisor, largest, operand);
    Basis found;
    found.reductions = communicator.reductions() - before;
    for (Index j = 0; j <= steps; ++j) {
      basis.load(j, Out(v.data(), n));
      this->exec_.fence();
      found.vectors.push_back(this->to_vector(v));
    }
    return found;
  }

  /// max_ij |(V^T V - I)_ij|, in long double.
  static double loss(const Basis& basis) {
    double loss = 0;
    for (std::size_t i = 0; i < basis.vectors.size(); ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        long double sum = 0;
        for (std::size_t k = 0; k < basis.vectors[i].size(); ++k) {
          sum += static_cast<long double>(basis.vectors[i][k]) * basis.vectors[j][k];
        }
        loss = std::max(loss, static_cast<double>(std::fabs(sum - (i == j ? 1 : 0))));
      }
    }
    return loss;
  }
};
TYPED_TEST_SUITE(OrthogonalizationTest, Spaces);

/// On a tame matrix every method keeps the vectors orthogonal as far as their storage allows, modified Gram-Schmidt up
/// to the condition of what it orthogonalizes.
TYPED_TEST(OrthogonalizationTest, TheLossIsThatOfTheStorage) {
  const auto a = convection_line(3000, 0.3);
  for (const BasisStorage storage : all_basis_storages) {
    for (const Orthogonalization method : all_orthogonalizations) {
      const double loss = this->loss(this->arnoldi(a, 60, storage, method));
      const double own = method == Orthogonalization::mgs ? 1e-11 : 1e-13;
      const double amplification = method == Orthogonalization::mgs ? 400 : 8;
      EXPECT_LE(loss, own + amplification * storage_roundoff(storage)) << name(storage) << ", " << name(method);
    }
  }
}

/// With eigenvalues over ten decades w lies nearly in the space of the vectors so far. Classical Gram-Schmidt once
/// would lose all; twice, or once with the delayed correction, keeps the vectors orthogonal; modified Gram-Schmidt
/// loses as the condition grows.
TYPED_TEST(OrthogonalizationTest, BadlyConditionedSpacesStayOrthogonal) {
  std::vector<double> d;
  for (int i = 0; i < 400; ++i) d.push_back(std::pow(10.0, -10.0 * i / 400));
  const auto a = diagonal(d);
  for (const Orthogonalization method : all_orthogonalizations) {
    const double loss = this->loss(this->arnoldi(a, 40, BasisStorage::float64, method));
    EXPECT_LE(loss, method == Orthogonalization::mgs ? 1e-6 : 1e-12) << name(method);
  }
}

/// How often all processes would wait for each other in a step.
TYPED_TEST(OrthogonalizationTest, ReductionsAreAsMany) {
  const auto a = convection_line(3000, 0.3);
  constexpr Index steps = 40;
  const auto reductions = [&](Orthogonalization method) {
    return this->arnoldi(a, steps, BasisStorage::float32, method).reductions;
  };
  EXPECT_EQ(reductions(Orthogonalization::low_sync), steps);
  // In float64 a step that leaves little of w takes three.
  EXPECT_LE(this->arnoldi(a, steps, BasisStorage::float64, Orthogonalization::low_sync).reductions, steps + 8);
  EXPECT_EQ(reductions(Orthogonalization::cgs2), 3 * steps);
  EXPECT_GE(reductions(Orthogonalization::cgs), 2 * steps);
  EXPECT_LE(reductions(Orthogonalization::cgs), 4 * steps);
  EXPECT_EQ(reductions(Orthogonalization::mgs), steps * (steps + 1) / 2 + steps);
}

/// GMRES with every method and storage: about as many steps as with each other method.
TYPED_TEST(OrthogonalizationTest, EveryMethodSolvesWithEveryStorage) {
  const auto a = convection_line(600, 0.1);
  const auto b = times_ones(a);
  for (const BasisStorage storage : krylite::all_basis_choices()) {
    std::vector<double> iterations;
    for (const Orthogonalization method : all_orthogonalizations) {
      auto parameters = this->with(storage, 60);
      parameters.orthogonalization = method;
      const auto solution = this->solve(a, b, std::vector<double>(600, 0.0), parameters, true);
      EXPECT_EQ(solution.result.status, GmresStatus::converged) << name(storage) << ", " << name(method);
      iterations.push_back(static_cast<double>(solution.result.iterations));
    }
    const auto [least, most] = std::minmax_element(iterations.begin(), iterations.end());
    EXPECT_LE(*most, 1.4 * *least + 5) << name(storage);
  }
}

/// The guards of the norm that is a difference: operators that end the space at once, or leave almost nothing.
TYPED_TEST(OrthogonalizationTest, SmallRemaindersAreFound) {
  for (const Orthogonalization method : all_orthogonalizations) {
    for (const double epsilon : {0.0, 1e-15, 1e-12, 1e-9, 1e-7, 1e-5}) {
      // A v = v + epsilon (something else): what is left of A v is epsilon of it.
      const auto a = convection_line(50, 0.3);
      for (Index r = 0; r < 50; ++r) {
        for (std::int64_t k = a.row_pointers(r); k < a.row_pointers(r + 1); ++k) {
          a.values(k) = epsilon * a.values(k) + (a.columns(k) == r ? 1 : 0);
        }
      }
      std::vector<double> b(50);
      for (int i = 0; i < 50; ++i) b[i] = noise(i);
      auto parameters = this->with(BasisStorage::float64, 30, 1e-14);
      parameters.orthogonalization = method;
      const auto solution = this->solve(a, b, std::vector<double>(50, 0.0), parameters);
      EXPECT_EQ(solution.result.status, GmresStatus::converged) << name(method) << " " << epsilon;
      EXPECT_LE(solution.result.iterations, 8) << name(method) << " " << epsilon;
    }
  }
}

TYPED_TEST(OrthogonalizationTest, ScaledOperatorsTakeTheSameSteps) {
  const auto a = convection_line(200, 0.3);
  const auto b = times_ones(a);
  for (const Orthogonalization method : all_orthogonalizations) {
    for (const BasisStorage storage : krylite::all_basis_choices()) {
      auto parameters = this->with(storage, 40);
      parameters.orthogonalization = method;
      const auto plain = this->solve(a, b, std::vector<double>(200, 0.0), parameters);
      for (const int exponent : {-700, 700}) {  // about 1e-211 and 1e211
        Rows rows(200);
        for (Index r = 0; r < 200; ++r) {
          for (std::int64_t k = a.row_pointers(r); k < a.row_pointers(r + 1); ++k) {
            rows[r].push_back({a.columns(k), std::ldexp(a.values(k), exponent)});
          }
        }
        const auto found = this->solve(make_csr(200, rows), b, std::vector<double>(200, 0.0), parameters);
        EXPECT_EQ(found.result.status, GmresStatus::converged) << name(method) << ", " << name(storage);
        EXPECT_NEAR(found.result.iterations, plain.result.iterations, 3) << name(method) << ", " << name(storage);
      }
    }
  }
}

}  // namespace
