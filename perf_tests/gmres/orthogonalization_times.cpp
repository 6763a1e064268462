// Time of a step of GMRES(100) on gen:anisotropic:1000 (or the matrix named first) with Jacobi, in every storage and
// with every orthogonalization: the median of 3 rounds (or the number behind it) in which all take turns, each of one
// whole cycle (mgs, which takes long, in the first round only). Prints a line a storage: for each method milliseconds
// a step, in brackets the part of it that the products with A take, and the loss of orthogonality of one cycle's
// vectors, max |V^T V - I|; last, the speed of low-sync over cgs2 and over the same method with float64.

#include "support/load.hpp"

#include <krylite/solvers/detail/orthogonalizer.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace krylite_perf;
using krylite::BasisStorage;
using krylite::Index;
using krylite::Orthogonalization;
using In = krylite::detail::VectorRef<const double, Memory>;
using Out = krylite::detail::VectorRef<double, Memory>;
using Matrix = krylite::RgCsrMatrix<double, std::int32_t, Memory>;

constexpr Index restart = 100;

struct Case {
  BasisStorage storage;
  Orthogonalization method;
  double loss = 0;
  std::vector<double> step_seconds;
  std::vector<double> spmv_part;
};

/// max |V^T V - I| of the vectors that an Arnoldi process from b leaves, as they are stored.
double orthogonality_loss(const Execution& exec, const Matrix& matrix,
                          const krylite::JacobiPreconditioner<Memory>& jacobi, const Vector& b, const Case& what) {
  const auto n = static_cast<std::int64_t>(b.extent(0));
  krylite::Communicator communicator;
  const krylite::SweepWorkspace<Memory> workspace(n, restart);
  krylite::detail::AnyBasis<Execution> basis(exec, communicator, workspace, krylite::Kernel::automatic);
  basis.reserve(what.storage, n, restart);
  krylite::detail::Orthogonalizer<Execution> orthogonalizer(basis, what.method, std::sqrt(0.5));
  const Vector storage_v("v", n), storage_w("w", n), z("z", n);
  Kokkos::deep_copy(storage_v, b);
  Out v(storage_v.data(), n), w(storage_w.data(), n);
  const auto norms = basis.norms(In(v));
  double divisor = basis.norm(In(v), norms);
  double largest = norms.largest;
  double loss = 0;
  for (Index j = 0; j < restart; ++j) {
    basis.store(j, divisor, largest, v);
    const auto gram = basis.sweep({{}, {0, j + 1}, true}, nullptr, v);
    for (Index i = 0; i <= j; ++i) loss = std::fmax(loss, std::fabs(gram.gram[i] - (i == j ? 1 : 0)));
    jacobi.apply(exec, v, z);
    krylite::spmv(exec, 1.0, matrix, z, 0.0, w);
    const auto step = orthogonalizer.run(j + 1, w);
    divisor = step.below;
    largest = step.largest;
    std::swap(v, w);
  }
  return loss;
}

void measure(const Execution& exec, const Matrix& matrix, const krylite::JacobiPreconditioner<Memory>& jacobi,
             const Vector& b, const Vector& x, Case& what) {
  krylite::GmresParameters parameters;
  parameters.storage = what.storage;
  parameters.orthogonalization = what.method;
  parameters.restart = restart;
  parameters.restart_delta = 0;
  parameters.tolerance = 0;
  parameters.max_iterations = restart;
  parameters.time_phases = krylite::is_host_space<Execution>;
  Kokkos::deep_copy(x, 0.0);
  const auto result = krylite::gmres(exec, matrix, jacobi, b, x, parameters);
  what.step_seconds.push_back(result.times.total / static_cast<double>(result.iterations));
  what.spmv_part.push_back(result.times.spmv / result.times.total);
}

void print(const std::vector<Case>& cases) {
  std::printf("%-9s", "");
  for (const auto method : krylite::all_orthogonalizations) std::printf("  %-24s", name(method));
  std::printf("low-sync over cgs2, over float64\n");
  const std::size_t methods = krylite::all_orthogonalizations.size();
  for (std::size_t k = 0; k < cases.size(); k += methods) {
    std::printf("%-9s", name(cases[k].storage));
    for (std::size_t m = 0; m < methods; ++m) {
      const Case& one = cases[k + m];
      std::printf("  %7.2f (%4.1f %%) %8.1e", 1e3 * median(one.step_seconds), 100 * median(one.spmv_part), one.loss);
    }
    const double low_sync = median(cases[k + 3].step_seconds);
    std::printf("  %.2f  %.2f\n", median(cases[k + 1].step_seconds) / low_sync,
                median(cases[3].step_seconds) / low_sync);
  }
}

}  // namespace

int main(int argc, char** argv) {
  krylite::initialize_kokkos();
  {
    const Execution exec;
    const Csr csr = load(argc > 1 ? argv[1] : "gen:anisotropic:1000:eps=0.01");
    const int rounds = argc > 2 ? std::atoi(argv[2]) : 3;
    const auto matrix = krylite::to_rgcsr(exec, csr);
    const auto jacobi = krylite::make_jacobi(exec, csr);
    const Vector b("b", csr.num_rows), x("x", csr.num_rows);
    const auto host = Kokkos::create_mirror_view(b);
    for (std::size_t i = 0; i < host.extent(0); ++i) host(i) = std::sin(static_cast<double>(i));
    Kokkos::deep_copy(b, host);
    std::vector<Case> cases;
    for (const auto storage : krylite::all_basis_storages) {
      for (const auto method : krylite::all_orthogonalizations) cases.push_back({storage, method, 0, {}, {}});
    }
    for (Case& one : cases) one.loss = orthogonality_loss(exec, matrix, jacobi, b, one);
    for (int round = 0; round < rounds; ++round) {
      for (Case& one : cases) {
        if (round == 0 || one.method != Orthogonalization::mgs) measure(exec, matrix, jacobi, b, x, one);
      }
    }
    print(cases);
  }
  Kokkos::finalize();
}
