#include <krylite/formats/convert.hpp>
#include <krylite/io/matrix_market.hpp>
#include <krylite/preconditioners/jacobi.hpp>
#include <krylite/solvers/gmres.hpp>
#include <krylite/spmv/spmv.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using krylite::BasisStorage;
using krylite::GmresStatus;
using krylite::Orthogonalization;

/// A line of gmres_iterations.tsv, which perf_tests/gmres/iterations.cpp made.
struct Expected {
  std::string storage, method, status;
  std::int64_t iterations = 0;
};

std::map<std::string, std::vector<Expected>> expected_by_matrix() {
  std::map<std::string, std::vector<Expected>> expected;
  std::ifstream table(KRYLITE_GMRES_ITERATIONS);
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string matrix;
    Expected row;
    words >> matrix >> row.storage >> row.method >> row.status >> row.iterations;
    if (!words.fail()) expected[matrix].push_back(row);
  }
  return expected;
}

/// The value of that name; the last one where there is none.
template <class Values>
auto named(const Values& values, const std::string& text) {
  const auto found = std::find_if(values.begin(), values.end(), [&](const auto value) { return text == name(value); });
  EXPECT_NE(found, values.end()) << text;
  return found == values.end() ? values.back() : *found;
}

std::string matrices_folder() {
  const char* const folder = std::getenv("KRYLITE_MATRICES_DIR");
  return folder != nullptr ? folder : KRYLITE_MATRICES_DIR;
}

/// GMRES(100) with Jacobi to 1e-8, b = A * ones, from zero.
class RealSystem {
 public:
  explicit RealSystem(const std::string& path)
      : csr_(krylite::read_matrix_market<double, std::int32_t>(exec_, path)),
        matrix_(krylite::to_rgcsr(exec_, csr_)),
        jacobi_(krylite::make_jacobi(exec_, csr_)),
        b_("b", csr_.num_rows),
        x_("x", csr_.num_rows) {
    Kokkos::deep_copy(x_, 1.0);
    krylite::spmv(exec_, 1.0, csr_, x_, 0.0, b_);
  }

  krylite::GmresResult solve(BasisStorage storage, Orthogonalization method) {
    krylite::GmresParameters parameters;
    parameters.tolerance = 1e-8;
    parameters.max_iterations = 2000;
    parameters.storage = storage;
    parameters.orthogonalization = method;
    Kokkos::deep_copy(x_, 0.0);
    return krylite::gmres(exec_, matrix_, jacobi_, b_, x_, parameters);
  }

 private:
  Kokkos::DefaultExecutionSpace exec_;
  krylite::CsrMatrix<double, std::int32_t> csr_;
  krylite::RgCsrMatrix<double, std::int32_t> matrix_;
  krylite::JacobiPreconditioner<> jacobi_;
  Kokkos::View<double*> b_, x_;
};

/// What a storage needs over float64, by matrix.
struct Ratios {
  double log_sum = 0;
  int count = 0;

  void add(double narrow, double wide) {
    EXPECT_LE(narrow, 1.5 * wide + 10);
    log_sum += std::log(narrow / wide);
    ++count;
  }
  double mean() const { return std::exp(log_sum / count); }
};

/// Every storage with the default orthogonalization, and every orthogonalization with float32, take about as many
/// steps as the table says, and what converges there converges. 32 bits need at most 1.15 times the steps of float64
/// in the geometric mean, and nowhere more than half as many again and ten.
TEST(RealGmres, StepsAreThoseOfTheTable) {
  const auto storages = krylite::all_basis_choices();
  std::map<std::string, Ratios> ratios;
  for (const auto& [matrix, rows] : expected_by_matrix()) {
    const std::string path = matrices_folder() + "/" + matrix + ".mtx.gz";
    if (!std::ifstream(path)) continue;
    RealSystem system(path);
    std::map<std::string, double> steps;
    for (const Expected& row : rows) {
      if (row.status != "converged" || (row.method != "low-sync" && row.storage != "float32")) continue;
      SCOPED_TRACE(matrix + ", " + row.storage + ", " + row.method);
      const auto result =
          system.solve(named(storages, row.storage), named(krylite::all_orthogonalizations, row.method));
      EXPECT_EQ(result.status, GmresStatus::converged) << name(result.status);
      EXPECT_LE(result.relative_residual, 1e-8);
      EXPECT_LE(static_cast<double>(result.iterations), 1.25 * static_cast<double>(row.iterations) + 10);
      if (row.method == "low-sync") steps[row.storage] = static_cast<double>(result.iterations);
    }
    if (steps.count("float64") == 0) continue;
    for (const std::string storage : {"float32", "int32"}) {
      SCOPED_TRACE(matrix + ", " + storage);
      EXPECT_EQ(steps.count(storage), 1u);
      ratios[storage].add(steps[storage], steps["float64"]);
    }
  }
  if (ratios.empty()) GTEST_SKIP() << "no real matrices here";
  for (const auto& [storage, ratio] : ratios) {
    EXPECT_GT(ratio.count, 15);
    EXPECT_LE(ratio.mean(), 1.15) << storage;
  }
}

}  // namespace
