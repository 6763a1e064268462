// GMRES(100) with Jacobi to 1e-8 (or TOLERANCE), b = A * ones, from zero, at most 2000 steps (or STEPS), with every
// storage and orthogonalization, for every matrix named on the command line. Prints a line each, separated by tabs:
// matrix, storage, orthogonalization, status, iterations, true relative residual, seconds.
// unit_tests/solvers/gmres_iterations.tsv was made by it:
//
//     krylite_iterations [--tolerance T] [--steps N] FOLDER/*.mtx.gz > gmres_iterations.tsv

#include "support/load.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

namespace {

using namespace krylite_perf;
using krylite::BasisStorage;

void measure(const std::string& source, const krylite::GmresParameters& limits) {
  const Execution exec;
  const Csr csr = load(source);
  const auto matrix = krylite::to_rgcsr(exec, csr);
  const auto jacobi = krylite::make_jacobi(exec, csr);
  const Vector ones("ones", csr.num_cols), b("b", csr.num_rows), x("x", csr.num_rows);
  Kokkos::deep_copy(ones, 1.0);
  krylite::spmv(exec, 1.0, csr, ones, 0.0, b);
  for (const auto method : krylite::all_orthogonalizations) {
    for (const BasisStorage storage : krylite::all_basis_choices()) {
      krylite::GmresParameters parameters = limits;
      parameters.storage = storage;
      parameters.orthogonalization = method;
      Kokkos::deep_copy(x, 0.0);
      const auto result = krylite::gmres(exec, matrix, jacobi, b, x, parameters);
      std::printf("%s\t%s\t%s\t%s\t%lld\t%.2e\t%.4f\n", short_name(source).c_str(), name(storage), name(method),
                  name(result.status), static_cast<long long>(result.iterations), result.relative_residual,
                  result.times.total);
      std::fflush(stdout);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  krylite::initialize_kokkos();
  krylite::GmresParameters limits;
  limits.tolerance = 1e-8;
  limits.max_iterations = 2000;
  int status = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    try {
      if (argument == "--tolerance" && i + 1 < argc) {
        limits.tolerance = std::atof(argv[++i]);
      } else if (argument == "--steps" && i + 1 < argc) {
        limits.max_iterations = std::atoll(argv[++i]);
      } else {
        measure(argument, limits);
      }
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      status = 2;
    }
  }
  Kokkos::finalize();
  return status;
}
