#include "support/solver_test.hpp"

#include <cmath>
#include <vector>

namespace {

using krylite::BasisStorage;
using krylite::GmresStatus;
using krylite::Index;
using namespace krylite_test;

template <class Space>
class RowScalingTest : public SolverTest<Space> {};
TYPED_TEST_SUITE(RowScalingTest, Spaces);

/// Rows of very different size, as of equations in different units: fixed point cannot hold the vectors of A M^-1,
/// which are large where the rows are, unless it knows the sizes of the rows.
TYPED_TEST(RowScalingTest, RowsOfDifferentSizeAreSolvedInFewBits) {
  const Index n = 400;
  const auto line = convection_line(n, 0.3);
  Rows rows(n);
  for (Index r = 0; r < n; ++r) {
    for (std::int64_t k = line.row_pointers(r); k < line.row_pointers(r + 1); ++k) {
      rows[r].push_back({line.columns(k), std::pow(10.0, 4 * noise(r, 9)) * line.values(k)});
    }
  }
  const auto a = make_csr(n, rows);
  const auto b = times_ones(a);
  for (const BasisStorage storage : krylite::all_basis_storages) {
    if (!krylite::profits_from_row_scaling(storage)) continue;
    auto parameters = this->with(storage);
    parameters.max_iterations = 1000;
    const auto scaled = this->solve(a, b, std::vector<double>(n, 0.0), parameters, true);
    parameters.scale_rows = false;
    const auto plain = this->solve(a, b, std::vector<double>(n, 0.0), parameters, true);
    EXPECT_EQ(scaled.result.status, GmresStatus::converged) << name(storage) << " at " << scaled.residual;
    const bool is_narrow = storage != BasisStorage::int32 && storage != BasisStorage::bfp32;
    EXPECT_TRUE(!is_narrow || plain.residual > 1e-5) << name(storage) << " needs no scales any more";
  }
}

}  // namespace
