#include "support/expect.hpp"
#include "support/types.hpp"

#include <krylite/formats/convert.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using krylite::Csr5Options;
using krylite::Index;
using namespace krylite_test;

const std::vector<Csr5Options> shapes = {{0, 0}, {2, 1}, {2, 3}, {4, 16}, {8, 12}, {32, 4}, {5, 7}, {64, 64}, {3, 31}};

std::string shape_name(const Csr5Options& shape) {
  return ", " + std::to_string(shape.omega) + " x " + std::to_string(shape.sigma);
}

template <class Combination>
class Csr5Test : public ::testing::Test {};
TYPED_TEST_SUITE(Csr5Test, Combinations);

TYPED_TEST(Csr5Test, RoundTripIsExactAndTheCsrStaysAsItWas) {
  const typename TypeParam::ExecutionSpace exec;
  for (const NamedMatrix& matrix : TypeParam::matrices()) {
    const auto make = [&] {
      return convert<typename TypeParam::Scalar, typename TypeParam::Offset, typename TypeParam::MemorySpace>(
          matrix.csr);
    };
    const auto csr = make();
    for (const Csr5Options& shape : shapes) {
      const auto csr5 = krylite::to_csr5(exec, csr, shape);
      EXPECT_EQ(csr.num_entries(), csr5.num_entries());
      EXPECT_EQ(csr.num_entries(), csr5.stored_entries());
      EXPECT_EQ(0, csr5.artificial_zeros());
      EXPECT_GE(csr5.bytes(), csr.bytes());
      expect_same_matrix(csr, krylite::to_csr(exec, csr5), matrix.name + shape_name(shape));
    }
    expect_same_matrix(make(), csr, matrix.name + ", which was only read");
  }
}

TYPED_TEST(Csr5Test, NewValuesOfTheSamePatternAreTaken) {
  const typename TypeParam::ExecutionSpace exec;
  for (const NamedMatrix& matrix : TypeParam::matrices()) {
    auto csr =
        convert<typename TypeParam::Scalar, typename TypeParam::Offset, typename TypeParam::MemorySpace>(matrix.csr);
    const auto csr5 = krylite::to_csr5(exec, csr, {2, 3});
    const auto values = Kokkos::create_mirror_view(csr.values);
    for (std::size_t k = 0; k < values.extent(0); ++k) values(k) = static_cast<typename TypeParam::Scalar>(k) / 8;
    Kokkos::deep_copy(csr.values, values);
    krylite::update_values(exec, csr, csr5);
    expect_same_matrix(csr, krylite::to_csr(exec, csr5), matrix.name);
  }
}

/// What the format says of one tile, derived again entry by entry from the definitions.
struct SlowTile {
  std::vector<Index> row_of_entry;
  std::vector<std::vector<bool>> flags;  ///< of each lane
  std::vector<Index> y_offset;
  std::vector<Index> seg_offset;  ///< of lanes with a flag
  std::vector<Index> empty_offsets;
  bool is_marked = false;
};

SlowTile derive_tile(const HostCsr& csr, std::int64_t tile, Index omega, Index sigma) {
  SlowTile result;
  Index starts = 0;
  for (Index lane = 0; lane < omega; ++lane) {
    result.flags.emplace_back();
    result.y_offset.push_back(starts);
    for (Index i = 0; i < sigma; ++i) {
      const std::int64_t entry = (tile * omega + lane) * sigma + i;
      Index row = 0;
      while (csr.row_pointers(row + 1) <= entry) ++row;
      result.row_of_entry.push_back(row);
      const bool starts_here = csr.row_pointers(row) == entry || (lane == 0 && i == 0);
      result.flags.back().push_back(starts_here);
      if (!starts_here) continue;
      const Index offset = row - result.row_of_entry[0];
      result.is_marked = result.is_marked || offset != starts;
      result.empty_offsets.push_back(offset);
      ++starts;
    }
  }
  const auto has_flag = [&](Index lane) {
    return std::find(result.flags[lane].begin(), result.flags[lane].end(), true) != result.flags[lane].end();
  };
  for (Index lane = 0; lane < omega; ++lane) {
    Index without = 0;
    while (lane + 1 + without < omega && !has_flag(lane + 1 + without)) ++without;
    result.seg_offset.push_back(has_flag(lane) ? without : 0);
  }
  return result;
}

void expect_tile(const SlowTile& slow, const krylite::Csr5Matrix<double, std::int64_t, Kokkos::HostSpace>& csr5,
                 std::int64_t tile, const std::string& what) {
  EXPECT_EQ(slow.row_of_entry[0], csr5.tile_row(tile)) << what;
  ASSERT_EQ(slow.is_marked, csr5.is_marked(tile)) << what;
  for (Index lane = 0; lane < csr5.omega; ++lane) {
    for (Index i = 0; i < csr5.sigma; ++i) {
      EXPECT_EQ(slow.flags[lane][i], (csr5.bit_flag(tile, lane) >> i & 1) != 0) << what << ", lane " << lane;
    }
    EXPECT_EQ(slow.y_offset[lane], csr5.y_offset(tile, lane)) << what << ", lane " << lane;
    EXPECT_EQ(slow.seg_offset[lane], csr5.seg_offset(tile, lane)) << what << ", lane " << lane;
  }
  if (!slow.is_marked) return;
  const std::int64_t begin = csr5.empty_offset_pointers(tile);
  ASSERT_EQ(slow.empty_offsets.size(), static_cast<std::size_t>(csr5.empty_offset_pointers(tile + 1) - begin)) << what;
  for (std::size_t f = 0; f < slow.empty_offsets.size(); ++f) {
    EXPECT_EQ(slow.empty_offsets[f], csr5.empty_offsets(begin + f)) << what << ", flag " << f;
  }
}

TEST(Csr5, DescriptorsAreWhatTheDefinitionsSay) {
  const Kokkos::DefaultHostExecutionSpace exec;
  for (const NamedMatrix& matrix : battery()) {
    if (matrix.csr.num_entries() > 20000) continue;
    for (const Csr5Options& shape : shapes) {
      const auto csr5 = krylite::to_csr5(exec, matrix.csr, shape);
      const std::int64_t size = csr5.tile_size();
      ASSERT_EQ(csr5.tile_pointers.extent(0), (csr5.num_entries() + size - 1) / size + 1);
      EXPECT_EQ(csr5.tile_row(csr5.tile_pointers.extent(0) - 1), csr5.num_rows) << matrix.name;
      for (std::int64_t tile = 0; tile < csr5.num_tiles(); ++tile) {
        const std::string what = matrix.name + shape_name(shape) + ", tile " + std::to_string(tile);
        expect_tile(derive_tile(matrix.csr, tile, csr5.omega, csr5.sigma), csr5, tile, what);
      }
    }
  }
}

/// The picture of formats/csr5.hpp with a tile more; rows of 2, 3, 0, 1, 5, 0 and 2 entries.
TEST(Csr5, LayoutByHand) {
  const Kokkos::DefaultHostExecutionSpace exec;
  const auto csr = make_csr(5, {{{0, 1}, {2, 2}},
                                {{0, 3}, {1, 4}, {3, 5}},
                                {},
                                {{1, 6}},
                                {{0, 7}, {1, 8}, {2, 9}, {3, 10}, {4, 11}},
                                {},
                                {{2, 12}, {3, 13}}});
  const auto csr5 = krylite::to_csr5(exec, csr, {2, 3});
  const std::vector<double> values = {1, 4, 2, 5, 3, 6, 7, 10, 8, 11, 9, 12, 13};
  const std::vector<Index> columns = {0, 1, 2, 3, 0, 1, 0, 3, 1, 4, 2, 2, 3};
  const std::uint32_t mark = 0x80000000u;
  const std::vector<std::uint32_t> tile_pointers = {0 | mark, 4 | mark, 6, 7};
  ASSERT_EQ(csr5.num_tiles(), 2);
  ASSERT_EQ(csr5.tile_pointers.extent(0), tile_pointers.size());
  ASSERT_EQ(csr5.descriptor_words(), 1);
  for (std::size_t k = 0; k < values.size(); ++k) EXPECT_EQ(csr5.values(k), values[k]);
  for (std::size_t k = 0; k < columns.size(); ++k) EXPECT_EQ(csr5.columns(k), columns[k]);
  for (std::size_t t = 0; t < tile_pointers.size(); ++t) EXPECT_EQ(csr5.tile_pointers(t), tile_pointers[t]);
  // 3 bits of flags, 3 of y_offset, 1 of seg_offset, which is 0 since every lane has a flag.
  const std::vector<std::uint32_t> descriptors = {0b101, 0b100 | 2 << 3, 0b001, 0b100 | 1 << 3};
  ASSERT_EQ(csr5.tile_descriptors.extent(0), descriptors.size());
  for (std::size_t d = 0; d < descriptors.size(); ++d) EXPECT_EQ(csr5.tile_descriptors(d), descriptors[d]) << d;
  const std::vector<Index> empty_offsets = {0, 1, 3, 0, 2};
  const std::vector<std::int64_t> empty_pointers = {0, 3, 5};
  ASSERT_EQ(csr5.empty_offsets.extent(0), empty_offsets.size());
  ASSERT_EQ(csr5.empty_offset_pointers.extent(0), empty_pointers.size());
  for (std::size_t k = 0; k < empty_offsets.size(); ++k) EXPECT_EQ(csr5.empty_offsets(k), empty_offsets[k]);
  for (std::size_t k = 0; k < empty_pointers.size(); ++k) EXPECT_EQ(csr5.empty_offset_pointers(k), empty_pointers[k]);
  EXPECT_EQ(csr5.tail_row, 7);
  EXPECT_EQ(csr5.bytes(), 8 * 8 + 13 * 12 + 4 * 4 + 4 * 4 + 5 * 4 + 3 * 8);
}

TEST(Csr5, LanesWithoutFlagsAreCountedBySegOffset) {
  const Kokkos::DefaultHostExecutionSpace exec;
  // Rows of 5, 1, 9 and 1 entries in one tile of 8 lanes of 2: they start at 0, 5, 6 and 15.
  Rows rows(4);
  const Index lengths[] = {5, 1, 9, 1};
  for (Index r = 0; r < 4; ++r) {
    for (Index k = 0; k < lengths[r]; ++k) rows[r].push_back({k, 1.0});
  }
  const auto csr5 = krylite::to_csr5(exec, make_csr(9, rows), {8, 2});
  const std::uint64_t flags[] = {1, 0, 2, 1, 0, 0, 0, 2};
  const Index y_offset[] = {0, 1, 1, 2, 3, 3, 3, 3};
  const Index seg_offset[] = {1, 0, 0, 3, 0, 0, 0, 0};
  for (Index lane = 0; lane < 8; ++lane) {
    EXPECT_EQ(csr5.bit_flag(0, lane), flags[lane]) << lane;
    EXPECT_EQ(csr5.y_offset(0, lane), y_offset[lane]) << lane;
    EXPECT_EQ(csr5.seg_offset(0, lane), seg_offset[lane]) << lane;
  }
  EXPECT_FALSE(csr5.is_marked(0));
  EXPECT_EQ(csr5.empty_offset_pointers.extent(0), 0u);
}

TEST(Csr5, RefusesShapesOutOfRangeWithTheNumbers) {
  const auto csr = make_csr(1, {{{0, 1.0}}});
  for (const Csr5Options& shape : {Csr5Options{1, 12}, Csr5Options{65, 12}, Csr5Options{8, 65}, Csr5Options{-4, 16},
                                   Csr5Options{8, -1}}) {
    expect_error([&] { krylite::to_csr5(Kokkos::DefaultHostExecutionSpace(), csr, shape); }, "CSR5",
                 std::to_string(shape.omega), std::to_string(shape.sigma));
  }
}

TEST(Csr5, ChoosesItsShapeByThePlace) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  const Index omega = krylite::default_csr5_omega<Host, double>();
  EXPECT_EQ(omega, krylite::simd_target() == "AVX3" ? 8 : 4);
  EXPECT_EQ((krylite::default_csr5_omega<Host, float>()), 8);
  EXPECT_EQ(krylite::default_csr5_sigma<Host>(4), 16);
  EXPECT_EQ(krylite::default_csr5_sigma<Host>(8), 12);
  const auto csr5 = krylite::to_csr5(Host(), make_csr(1, {{{0, 1.0}}}));
  EXPECT_EQ(csr5.omega, omega);
  EXPECT_EQ(csr5.sigma, omega == 8 ? 12 : 16);
}

}  // namespace
