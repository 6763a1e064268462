#include "support/formats.hpp"

namespace {

using krylite::Index;
using namespace krylite_test;

const auto make = [](const auto& exec, const auto& csr) { return krylite::to_coo(exec, csr); };

template <class Combination>
class CooTest : public ::testing::Test {};
TYPED_TEST_SUITE(CooTest, FormatCombinations);

TYPED_TEST(CooTest, RoundTripsAreExact) { expect_exact_round_trips<TypeParam>(make); }

TYPED_TEST(CooTest, ProductsAreWithinTheBound) { expect_right_products<TypeParam>(make); }

TYPED_TEST(CooTest, XReachesOnlyRowsWithItsColumn) { expect_fill_is_not_multiplied<TypeParam>(make); }

TEST(Coo, LayoutByHand) {
  const auto csr = make_csr(3, {{{0, 1.0}, {2, 2.0}}, {}, {{2, 4.0}}});
  const auto coo = krylite::to_coo(Kokkos::DefaultHostExecutionSpace(), csr);
  EXPECT_EQ(content(coo.rows), (std::vector<Index>{0, 0, 2}));
  EXPECT_EQ(content(coo.columns), (std::vector<Index>{0, 2, 2}));
  EXPECT_EQ(content(coo.values), (std::vector<double>{1, 2, 4}));
  EXPECT_EQ(coo.artificial_zeros(), 0);
  EXPECT_EQ(coo.bytes(), 3u * 16u);
}

TEST(Coo, NewValuesLeaveTheCsrThatItWasMadeFromAlone) {
  const Kokkos::DefaultHostExecutionSpace exec;
  const auto csr = make_csr(2, {{{0, 1.0}}, {{1, 2.0}}});
  const auto coo = krylite::to_coo(exec, csr);
  krylite::update_values(exec, make_csr(2, {{{0, 3.0}}, {{1, 4.0}}}), coo);
  EXPECT_EQ(content(csr.values), (std::vector<double>{1, 2}));
  EXPECT_EQ(content(coo.values), (std::vector<double>{3, 4}));
}

/// Rows of these lengths around the chunks into which products cut the entries.
HostCsr rows_around_chunks(const std::vector<std::int64_t>& lengths) {
  Rows rows(lengths.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::int64_t k = 0; k < lengths[r]; ++k) rows[r].push_back({static_cast<Index>(k % 1000), noise(k, r)});
  }
  return make_csr(1000, rows);
}

TEST(Coo, RowsOverSeveralChunksAreWithinTheBound) {
  using Host = Combination<double, double, std::int64_t, Kokkos::DefaultHostExecutionSpace>;
  constexpr std::int64_t chunk = krylite::detail::coo_chunk<Kokkos::DefaultHostExecutionSpace>;
  const std::vector<std::int64_t> all[] = {
      {chunk, chunk, 1},             // rows that start on the edges of chunks
      {0, 3, 5 * chunk, 0, 7},       // chunks wholly inside of a row
      {chunk - 1, 2, chunk - 1, 0},  // a row over an edge
      {chunk / 2, 2 * chunk, 2 * chunk, chunk / 2}};
  for (const auto& lengths : all) {
    const auto csr = rows_around_chunks(lengths);
    const auto coo = krylite::to_coo(Kokkos::DefaultHostExecutionSpace(), csr);
    for (const double beta : {0.0, 1.0, 2.5}) {
      expect_right_product<Host>("chunks", coo, csr, -1.0, beta, {});
      expect_right_block_product<Host>("chunks", coo, csr, 7, 2.5, beta, {});
    }
  }
}

}  // namespace
