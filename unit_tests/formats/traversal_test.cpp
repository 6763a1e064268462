#include "support/expect.hpp"
#include "support/formats.hpp"

#include <krylite/formats/convert.hpp>

namespace {

using krylite::Index;
using krylite::RowOrder;
using krylite::detail::Traversal;
using namespace krylite_test;

/// The way in which devices convert, run on every space: the bits are those of the way of hosts.
template <class Combination>
class TraversalTest : public ::testing::Test {
 public:
  using Csr = typename Combination::Csr;

  /// check(exec, csr, name) for the battery, and for systems with wide groups, many groups and long rows.
  template <class Check>
  void for_each_matrix(const Check& check) const {
    const typename Combination::ExecutionSpace exec;
    const auto run = [&](const HostCsr& host, const std::string& name) {
      using Scalar = typename Combination::Scalar;
      using Offset = typename Combination::Offset;
      check(exec, convert<Scalar, Offset, typename Combination::MemorySpace>(host), name);
    };
    for (const NamedMatrix& matrix : Combination::matrices()) run(matrix.csr, matrix.name);
    run(noisy(1500, 70000, 5, 0), "far apart columns");
    run(noisy(2600, 3000, 12, 700), "some long rows");
    run(noisy(5, 90000, 40000, 0), "long rows only");
    // RgCSR is filled a thread a row or by teams, as the rows of its groups are short or not.
    run(noisy(900, 70000, 40, 0), "rows of some tiles");
    run(noisy(1200, 3000, 3, 61), "rows as long as a thread takes");
    run(noisy(1200, 3000, 3, 62), "a row longer than a thread takes");
    run(band(3000, 5), "narrow band with some far columns");
    run(band(3000, 30), "wide band with some far columns");
  }

 private:
  /// Rows of up to `most` entries, some empty, every 97th of `more` in addition; columns at random.
  static HostCsr noisy(Index num_rows, Index num_cols, Index most, Index more) {
    Rows rows(static_cast<std::size_t>(num_rows));
    std::uint64_t counter = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const auto length = static_cast<Index>((noise(counter++) + 1) / 2 * (most + 1)) + (r % 97 == 5 ? more : 0);
      for (Index k = 0; k < length; ++k) {
        const auto column = static_cast<Index>((noise(counter++) + 1) / 2 * num_cols);
        rows[r].push_back({column, static_cast<double>(static_cast<float>(noise(counter++)))});
      }
    }
    return make_csr(num_cols, rows);
  }

  /// Rows of `width` neighbouring columns; one row of every 1000 has a column beyond 16 bits from the others, so that
  /// its group alone is not packed.
  static HostCsr band(Index num_rows, Index width) {
    Rows rows(static_cast<std::size_t>(num_rows));
    std::uint64_t counter = 0;
    for (Index r = 0; r < num_rows; ++r) {
      for (Index k = 0; k < width; ++k) {
        const Index column = r % 1000 == 600 && k == width / 2 ? 150000 : r + k;
        rows[static_cast<std::size_t>(r)].push_back({column, static_cast<double>(static_cast<float>(noise(counter++)))});
      }
    }
    return make_csr(200000, rows);
  }
};
// Both ways on hosts: a device can run but one of them.
using HostCombinations = std::conditional_t<krylite::is_host_space<Kokkos::DefaultExecutionSpace>, FormatCombinations,
                                            FewCombinationsOn<Kokkos::DefaultHostExecutionSpace>>;
TYPED_TEST_SUITE(TraversalTest, HostCombinations);

template <class RgCsr>
void expect_same_groups(const RgCsr& a, const RgCsr& b, const std::string& name) {
  expect_same_bits(a.group_pointers, b.group_pointers, name);
  expect_same_bits(a.row_lengths, b.row_lengths, name);
  expect_same_bits(a.row_order, b.row_order, name);
  expect_same_bits(a.column_pointers, b.column_pointers, name);
  expect_same_bits(a.column_bases, b.column_bases, name);
  expect_same_bits(a.column_offsets, b.column_offsets, name);
  expect_same_bits(a.columns, b.columns, name);
  expect_same_bits(a.values, b.values, name);
}

/// A byte a row where every length fits.
template <class RgCsr>
void expect_short_lengths(const RgCsr& matrix, const std::string& name) {
  const auto lengths = to_host(matrix.row_lengths);
  const auto in_bytes = to_host(matrix.short_row_lengths);
  bool fit = lengths.extent(0) > 0;
  for (std::size_t s = 0; s < lengths.extent(0); ++s) fit = fit && lengths(s) <= 255;
  ASSERT_EQ(in_bytes.extent(0), fit ? lengths.extent(0) : 0) << name;
  for (std::size_t s = 0; s < in_bytes.extent(0); ++s) ASSERT_EQ(in_bytes(s), lengths(s)) << name;
}

std::vector<krylite::RgCsrOptions> group_options() {
  std::vector<krylite::RgCsrOptions> result;
  for (const Index group : {1, 8, 32, 128, 256}) result.push_back({group, 1e9});
  result.push_back({32, 1e9, false});
  result.push_back({128, 1e9, true, RowOrder::windowed, 1024});
  result.push_back({8, 1e9, false, RowOrder::windowed, 7});
  result.push_back({32, 1e9, true, RowOrder::windowed, 2500});
  result.push_back({64, 1e9, true, RowOrder::descending});
  result.push_back({16, 1e9, false, RowOrder::clusters});
  return result;
}

TYPED_TEST(TraversalTest, RgCsrByTeamsIsThatByRows) {
  this->for_each_matrix([](const auto& exec, const auto& csr, const std::string& matrix) {
    for (const krylite::RgCsrOptions& options : group_options()) {
      const std::string name = matrix + ", group " + std::to_string(options.group_size) + ", window " +
                               std::to_string(options.order_window);
      const auto by_rows = krylite::detail::make_rgcsr<Traversal::rows>(exec, csr, options);
      const auto by_teams = krylite::detail::make_rgcsr<Traversal::teams>(exec, csr, options);
      expect_same_groups(by_rows, by_teams, name);
      expect_short_lengths(by_teams, name);
      expect_same_matrix(csr, krylite::detail::rgcsr_to_csr<Traversal::teams>(exec, by_teams), name);
    }
  });
}

TYPED_TEST(TraversalTest, AdaptiveRgCsrByTeamsIsThatByRows) {
  this->for_each_matrix([](const auto& exec, const auto& csr, const std::string& matrix) {
    for (const krylite::RgCsrOptions& groups : group_options()) {
      const std::pair<Index, Index> cuts[] = {{0, 0}, {groups.group_size > 32 ? 300 : 3, 0}, {3, 5}};
      for (const auto& [piece, columns] : cuts) {
        const std::string name = matrix + ", pieces of " + std::to_string(piece) + ", group " +
                                 std::to_string(groups.group_size);
        const krylite::AdaptiveRgCsrOptions options = {groups, piece, columns};
        const auto by_rows = krylite::detail::make_adaptive_rgcsr<Traversal::rows>(exec, csr, options);
        const auto by_teams = krylite::detail::make_adaptive_rgcsr<Traversal::teams>(exec, csr, options);
        expect_same_groups(by_rows.pieces, by_teams.pieces, name);
        expect_short_lengths(by_teams.pieces, name);
        expect_same_bits(by_rows.targets, by_teams.targets, name);
        expect_same_bits(by_rows.begins, by_teams.begins, name);
        expect_same_bits(by_rows.strides, by_teams.strides, name);
        expect_same_bits(by_rows.long_rows, by_teams.long_rows, name);
        expect_same_bits(by_rows.long_pointers, by_teams.long_pointers, name);
        expect_same_bits(by_rows.partial_owners, by_teams.partial_owners, name);
        expect_same_matrix(csr, krylite::detail::adaptive_rgcsr_to_csr<Traversal::teams>(exec, by_teams), name);
      }
    }
  });
}

template <class Csr5>
void expect_same_tiles(const Csr5& a, const Csr5& b, const std::string& name) {
  EXPECT_EQ(a.tail_row, b.tail_row) << name;
  expect_same_bits(a.tile_pointers, b.tile_pointers, name);
  expect_same_bits(a.tile_descriptors, b.tile_descriptors, name);
  expect_same_bits(a.empty_offset_pointers, b.empty_offset_pointers, name);
  expect_same_bits(a.empty_offsets, b.empty_offsets, name);
  expect_same_bits(a.columns, b.columns, name);
  expect_same_bits(a.values, b.values, name);
}

TYPED_TEST(TraversalTest, Csr5ByTeamsIsThatByTiles) {
  this->for_each_matrix([](const auto& exec, const auto& csr, const std::string& matrix) {
    for (const krylite::Csr5Options& tiles :
         {krylite::Csr5Options{2, 1}, {3, 4}, {8, 12}, {32, 7}, {32, 32}, {4, 33}, {64, 64}}) {
      const std::string name =
          matrix + ", tiles of " + std::to_string(tiles.omega) + " x " + std::to_string(tiles.sigma);
      const auto by_tiles = krylite::detail::make_csr5<Traversal::rows>(exec, csr, tiles);
      const auto by_teams = krylite::detail::make_csr5<Traversal::teams>(exec, csr, tiles);
      expect_same_tiles(by_tiles, by_teams, name);
      expect_same_matrix(csr, krylite::detail::csr5_to_csr<Traversal::teams>(exec, by_teams), name);
    }
  });
}

template <class Ell>
void expect_same_positions(const Ell& a, const Ell& b, const std::string& name) {
  expect_same_bits(a.columns, b.columns, name);
  expect_same_bits(a.values, b.values, name);
}

TYPED_TEST(TraversalTest, EllByTeamsIsThatByRows) {
  this->for_each_matrix([](const auto& exec, const auto& csr, const std::string& name) {
    for (const Index width : {0, 1, 19, 200}) {
      const auto by_rows = krylite::detail::make_ell<Traversal::rows>(exec, csr, width, 0);
      const auto by_teams = krylite::detail::make_ell<Traversal::teams>(exec, csr, width, 0);
      expect_same_positions(by_rows, by_teams, name);
    }
    if (csr.num_rows > 100) return;
    const auto ell = krylite::to_ell(exec, csr);
    const auto layout = krylite::detail::ell_layout<std::decay_t<decltype(exec)>>(ell);
    expect_same_matrix(csr, krylite::detail::rows_to_csr<Traversal::teams>(exec, ell, layout), name);
  });
}

TYPED_TEST(TraversalTest, SlicedEllByTeamsIsThatByRows) {
  this->for_each_matrix([](const auto& exec, const auto& csr, const std::string& name) {
    for (const Index size : {1, 8, 32, 256}) {
      const auto by_rows = krylite::detail::make_sliced_ell<Traversal::rows>(exec, csr, {size, 1e9});
      const auto by_teams = krylite::detail::make_sliced_ell<Traversal::teams>(exec, csr, {size, 1e9});
      expect_same_bits(by_rows.slice_pointers, by_teams.slice_pointers, name);
      expect_same_positions(by_rows, by_teams, name);
      const auto layout = krylite::detail::slice_layout(by_teams);
      expect_same_matrix(csr, krylite::detail::rows_to_csr<Traversal::teams>(exec, by_teams, layout), name);
    }
  });
}

TYPED_TEST(TraversalTest, HybridAndCooByTeamsAreThoseByRows) {
  this->for_each_matrix([](const auto& exec, const auto& csr, const std::string& name) {
    for (const Index width : {-1, 0, 1, 6}) {
      krylite::HybOptions options;
      if (width >= 0) options.ell_width = width;
      const auto by_rows = krylite::detail::make_hyb<Traversal::rows>(exec, csr, options);
      const auto by_teams = krylite::detail::make_hyb<Traversal::teams>(exec, csr, options);
      expect_same_positions(by_rows.ell, by_teams.ell, name);
      expect_same_bits(by_rows.coo.rows, by_teams.coo.rows, name);
      expect_same_positions(by_rows.coo, by_teams.coo, name);
      expect_same_matrix(csr, krylite::detail::hyb_to_csr<Traversal::teams>(exec, by_teams), name);
    }
  });
}

}  // namespace
