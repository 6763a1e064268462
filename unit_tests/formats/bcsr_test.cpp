#include "support/formats.hpp"

#include <map>

namespace {

using krylite::Index;
using namespace krylite_test;

/// How a block size makes the format; 0 is the chosen one.
auto with_blocks(Index size) {
  return [=](const auto& exec, const auto& csr) { return krylite::to_bcsr(exec, csr, {size}); };
}

template <class Combination>
class BcsrTest : public ::testing::Test {};
TYPED_TEST_SUITE(BcsrTest, FormatCombinations);

TYPED_TEST(BcsrTest, RoundTripsAreExactForEveryBlockSize) {
  for (const Index size : {0, 2, 3, 4, 5, 6, 7, 8}) expect_exact_round_trips<TypeParam>(with_blocks(size));
}

TYPED_TEST(BcsrTest, ProductsAreWithinTheBound) {
  for (const Index size : {0, 3, 8}) expect_right_products<TypeParam>(with_blocks(size));
}

TYPED_TEST(BcsrTest, FillIsNotMultiplied) {
  for (const Index size : {2, 5, 8}) expect_fill_is_not_multiplied<TypeParam>(with_blocks(size));
}

/// Blocks that hold an entry, counted where no row has a column twice; -1 elsewhere.
std::int64_t blocks_with_entries(const HostCsr& csr, Index size) {
  std::map<std::pair<Index, Index>, int> entries;
  std::map<std::pair<Index, Index>, int> blocks;
  for (Index row = 0; row < csr.num_rows; ++row) {
    for (std::int64_t k = csr.row_pointers(row); k < csr.row_pointers(row + 1); ++k) {
      ++entries[{row, csr.columns(k)}];
      ++blocks[{row / size, csr.columns(k) / size}];
    }
  }
  const bool has_duplicates = static_cast<std::int64_t>(entries.size()) < csr.num_entries();
  return has_duplicates ? -1 : static_cast<std::int64_t>(blocks.size());
}

TYPED_TEST(BcsrTest, FillIsWhatTheBlocksWithEntriesCost) {
  const typename TypeParam::ExecutionSpace exec;
  for_battery<TypeParam>([&](const std::string& name, const auto& csr, const HostCsr& host_csr) {
    for (const Index size : {2, 3, 8}) {
      const auto matrix = krylite::to_bcsr(exec, csr, {size});
      const std::int64_t blocks = blocks_with_entries(host_csr, size);
      if (blocks >= 0) {
        EXPECT_EQ(matrix.stored_entries(), blocks * size * size) << name;
      }
      const std::size_t bytes =
          matrix.patterns.extent(0) * (12 + size * size * sizeof(typename TypeParam::Scalar)) +
          (matrix.block_row_pointers.extent(0) + matrix.csr_positions.extent(0)) * sizeof(typename TypeParam::Offset);
      EXPECT_EQ(matrix.bytes(), bytes) << name;
    }
  });
}

TEST(Bcsr, LayoutByHand) {
  const auto csr = make_csr(4, {{{0, 1.0}, {2, 2.0}}, {{1, 3.0}}, {}, {{2, 4.0}, {3, 5.0}}});
  const auto matrix = krylite::to_bcsr(Kokkos::DefaultHostExecutionSpace(), csr, {2});
  EXPECT_EQ(content(matrix.block_row_pointers), (std::vector<std::int64_t>{0, 2, 3}));
  EXPECT_EQ(content(matrix.block_columns), (std::vector<Index>{0, 1, 1}));
  EXPECT_EQ(content(matrix.patterns), (std::vector<std::uint64_t>{0b1001, 0b0001, 0b1100}));
  EXPECT_EQ(content(matrix.values), (std::vector<double>{1, 0, 0, 3, 2, 0, 0, 0, 0, 0, 4, 5}));
  EXPECT_EQ(matrix.csr_positions.extent(0), 0u);
  EXPECT_EQ(matrix.artificial_zeros(), 7);
}

TEST(Bcsr, DuplicatesGoToFurtherBlocksOfTheSameBlockColumn) {
  const auto csr = make_csr(4, {{{1, 1.0}, {1, 2.0}, {3, 3.0}}, {{0, 4.0}}});
  const auto matrix = krylite::to_bcsr(Kokkos::DefaultHostExecutionSpace(), csr, {2});
  EXPECT_EQ(content(matrix.block_columns), (std::vector<Index>{0, 0, 1}));
  EXPECT_EQ(content(matrix.values), (std::vector<double>{0, 1, 4, 0, 0, 2, 0, 0, 0, 3, 0, 0}));
  EXPECT_EQ(matrix.csr_positions.extent(0), 0u);
}

TEST(Bcsr, PositionsAreKeptOnlyWhereColumnsFall) {
  const auto csr = make_csr(4, {{{3, 1.0}, {0, 2.0}, {3, 3.0}}, {{0, 4.0}}});
  const Kokkos::DefaultHostExecutionSpace exec;
  const auto matrix = krylite::to_bcsr(exec, csr, {4});
  EXPECT_EQ(content(matrix.csr_positions), (std::vector<std::int64_t>{1, 0, 2, 3}));
  EXPECT_EQ(content(matrix.block_columns), (std::vector<Index>{0, 0}));
  expect_same_matrix(csr, krylite::to_csr(exec, matrix), "falling columns");
}

/// A long row in a shuffled order: the sort must be right beyond a few entries.
TEST(Bcsr, LongShuffledRowsRoundTrip) {
  const std::int64_t n = 10007;
  Rows rows(3);
  for (std::int64_t k = 0; k < n; ++k) {
    rows[0].push_back({static_cast<Index>(k * 4321 % n), noise(k)});
    rows[2].push_back({static_cast<Index>(k * 77 % 500), noise(k, 2)});
  }
  const auto csr = make_csr(n, rows);
  const Kokkos::DefaultHostExecutionSpace exec;
  for (const Index size : {2, 7}) {
    expect_same_matrix(csr, krylite::to_csr(exec, krylite::to_bcsr(exec, csr, {size})), "shuffled");
  }
}

/// Dense blocks of `size` along the diagonal.
HostCsr block_diagonal(Index size, Index count) {
  Rows rows(size * count);
  for (Index r = 0; r < size * count; ++r) {
    for (Index j = 0; j < size; ++j) rows[r].push_back({r / size * size + j, noise(r * size + j)});
  }
  return make_csr(size * count, rows);
}

TEST(Bcsr, ChoosesTheBlocksOfABlockMatrix) {
  const Kokkos::DefaultHostExecutionSpace exec;
  for (Index size = 2; size <= 8; ++size) {
    for (const Index count : {300, 30000}) {
      const auto matrix = krylite::to_bcsr(exec, block_diagonal(size, count));
      EXPECT_EQ(matrix.block_size, size);
      EXPECT_EQ(matrix.artificial_zeros(), 0);
    }
  }
}

TEST(Bcsr, RefusesBlockSizesOutside2To8) {
  const auto csr = make_csr(1, {{{0, 1.0}}});
  for (const Index size : {-1, 1, 9}) {
    expect_error([&] { krylite::to_bcsr(Kokkos::DefaultHostExecutionSpace(), csr, {size}); }, "BCSR",
                 "from 2 to 8, not " + std::to_string(size));
  }
}

TEST(Bcsr, RefusesFillBeyondTheLimit) {
  Rows rows(200000);
  for (Index r = 0; r < 200000; r += 8) rows[r] = {{r, 1.0}};
  const auto csr = make_csr(200000, rows);
  expect_error([&] { krylite::to_bcsr(Kokkos::DefaultHostExecutionSpace(), csr, {8, 50.0}); }, "BCSR", "25000 entries",
               std::to_string(25000 * 64), "fill limit of 50");
}

/// Columns that are all 0: memory for 36 million blocks of 64 values would not fit 32-bit offsets.
TEST(Bcsr, RefusesSizesBeyondTheOffsetType) {
  const Index n = 36000000;
  auto csr = pointers_only<std::int32_t>(8, 8, [=](Index row) { return row == 0 ? n : 0; });
  csr.columns = decltype(csr.columns)("columns", n);
  expect_error([&] { krylite::to_bcsr(Kokkos::DefaultHostExecutionSpace(), csr, {8, 1e9}); }, "BCSR",
               std::to_string(64ll * n), "32-bit offsets");
}

}  // namespace
