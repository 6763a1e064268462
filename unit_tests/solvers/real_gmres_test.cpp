#include <krylite/formats/convert.hpp>
#include <krylite/io/matrix_market.hpp>
#include <krylite/preconditioners/jacobi.hpp>
#include <krylite/solvers/gmres.hpp>
#include <krylite/spmv/spmv.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

namespace {

using krylite::BasisStorage;
using krylite::GmresResult;
using krylite::GmresStatus;

std::string matrices_folder() {
  const char* const folder = std::getenv("KRYLITE_MATRICES_DIR");
  return folder != nullptr ? folder : KRYLITE_MATRICES_DIR;
}

/// GMRES(100) with Jacobi to 1e-8, b = A * ones, from zero.
std::map<BasisStorage, GmresResult> solve(const std::string& path) {
  const Kokkos::DefaultExecutionSpace exec;
  const auto csr = krylite::read_matrix_market<double, std::int32_t>(exec, path);
  const auto matrix = krylite::to_rgcsr(exec, csr);
  const auto jacobi = krylite::make_jacobi(exec, csr);
  const Kokkos::View<double*> ones("ones", csr.num_rows), b("b", csr.num_rows), x("x", csr.num_rows);
  Kokkos::deep_copy(ones, 1.0);
  krylite::spmv(exec, 1.0, csr, ones, 0.0, b);
  std::map<BasisStorage, GmresResult> results;
  for (const BasisStorage storage : {BasisStorage::float64, BasisStorage::float32, BasisStorage::int32}) {
    Kokkos::deep_copy(x, 0.0);
    krylite::GmresParameters parameters;
    parameters.tolerance = 1e-8;
    parameters.max_iterations = 5000;
    parameters.storage = storage;
    results[storage] = krylite::gmres(exec, matrix, jacobi, b, x, parameters);
  }
  return results;
}

/// What a basis of 32 bits may cost: at most a tenth more steps in the geometric mean, and on no matrix more than
/// half as many again and ten.
TEST(RealGmres, ThirtyTwoBitsConvergeLikeSixtyFour) {
  std::ifstream list(matrices_folder() + "/gmres_easy.txt");
  if (!list) GTEST_SKIP() << "no real matrices here";
  double log_sum = 0;
  int count = 0;
  for (std::string name; std::getline(list, name); ++count) {
    SCOPED_TRACE(name);
    auto results = solve(matrices_folder() + "/" + name + ".mtx.gz");
    for (const auto& [storage, result] : results) {
      EXPECT_EQ(result.status, GmresStatus::converged) << krylite::name(storage);
      EXPECT_LE(result.relative_residual, 1e-8) << krylite::name(storage);
    }
    const auto wide = static_cast<double>(results[BasisStorage::float64].iterations);
    const auto narrow = static_cast<double>(results[BasisStorage::float32].iterations);
    EXPECT_LE(narrow, 1.5 * wide + 10);
    log_sum += std::log(narrow / wide);
  }
  ASSERT_GT(count, 0);
  EXPECT_LE(std::exp(log_sum / count), 1.1);
}

}  // namespace
