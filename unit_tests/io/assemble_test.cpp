#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <krylite/core/memory.hpp>
#include <krylite/formats/assemble.hpp>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "temporary_file.hpp"

namespace {

using krylite::Index;
using krylite::test::error_of;

struct Entries {
  Index num_rows = 0;
  Index num_cols = 0;
  std::vector<Index> rows;
  std::vector<Index> columns;
  std::vector<double> values;

  void add(Index row, Index column, double value) {
    rows.push_back(row);
    columns.push_back(column);
    values.push_back(value);
  }
};

/// The sums in the order of the input, by row and column.
std::map<std::pair<Index, Index>, double> reference(const Entries& in) {
  std::map<std::pair<Index, Index>, double> sums;
  for (std::size_t k = 0; k < in.values.size(); ++k) {
    const auto place = std::make_pair(in.rows[k], in.columns[k]);
    const auto found = sums.find(place);
    if (found == sums.end()) {
      sums[place] = in.values[k];
    } else {
      found->second += in.values[k];
    }
  }
  return sums;
}

template <class Space, class T>
Kokkos::View<T*, typename Space::memory_space> to_space(const std::vector<T>& data) {
  const Kokkos::View<const T*, Kokkos::HostSpace> host(data.data(), data.size());
  const Kokkos::View<T*, typename Space::memory_space> view("data", data.size());
  Kokkos::deep_copy(view, host);
  return view;
}

template <class Types>
class AssembleCsr : public ::testing::Test {
 public:
  using Scalar = typename std::tuple_element<0, Types>::type;
  using Offset = typename std::tuple_element<1, Types>::type;
  using Space = typename std::tuple_element<2, Types>::type;

  static auto assemble(const Entries& in) {
    return krylite::assemble_csr<Scalar, Offset>(Space(), in.num_rows, in.num_cols, to_space<Space>(in.rows),
                                                 to_space<Space>(in.columns), to_space<Space>(in.values));
  }

  static void expect_right(const Entries& in) {
    const auto csr = assemble(in);
    const auto pointers = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), csr.row_pointers);
    const auto columns = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), csr.columns);
    const auto values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), csr.values);
    const auto sums = reference(in);
    ASSERT_EQ(csr.num_rows, in.num_rows);
    ASSERT_EQ(csr.num_cols, in.num_cols);
    ASSERT_EQ(csr.num_entries(), static_cast<std::int64_t>(sums.size()));
    ASSERT_EQ(pointers.extent(0), static_cast<std::size_t>(in.num_rows) + 1);
    ASSERT_EQ(pointers(0), 0);
    ASSERT_EQ(pointers(in.num_rows), static_cast<Offset>(sums.size()));
    Offset k = 0;
    for (const auto& [place, sum] : sums) {
      ASSERT_LE(pointers(place.first), k);
      ASSERT_LT(k, pointers(place.first + 1));
      ASSERT_EQ(columns(k), place.second);
      const Scalar expected = static_cast<Scalar>(sum);
      ASSERT_EQ(std::memcmp(&values(k), &expected, sizeof(Scalar)), 0) << values(k) << " " << expected;
      ++k;
    }
  }

  static std::string error(const Entries& in) {
    return error_of([&] { assemble(in); });
  }
};

using Host = Kokkos::DefaultHostExecutionSpace;
using Default = Kokkos::DefaultExecutionSpace;
using Combinations =
    ::testing::Types<std::tuple<double, std::int32_t, Host>, std::tuple<double, std::int64_t, Kokkos::Serial>,
                     std::tuple<float, std::int32_t, Default>, std::tuple<float, std::int64_t, Host>>;
TYPED_TEST_SUITE(AssembleCsr, Combinations);

TYPED_TEST(AssembleCsr, TinyByHand) {
  Entries in = {2, 3, {1, 0, 1, 0, 1}, {2, 1, 0, 0, 2}, {5, 2, 3, 1, 4}};
  TestFixture::expect_right(in);
  in = {1, 2, {0, 0, 0, 0, 0}, {1, 1, 1, 1, 1}, {0, 1, 2, 3, 4}};
  TestFixture::expect_right(in);
}

TYPED_TEST(AssembleCsr, EmptyExtents) {
  for (const Index rows : {0, 1, 5})
    for (const Index cols : {0, 1, 5}) TestFixture::expect_right({rows, cols, {}, {}, {}});
}

TYPED_TEST(AssembleCsr, KeepsZerosAndTheirSigns) {
  TestFixture::expect_right({3, 3, {2, 0, 0}, {0, 1, 0}, {-0.0, 0.0, -0.0}});
  TestFixture::expect_right({3, 3, {2, 2, 0}, {0, 0, 0}, {-0.0, -0.0, 1}});
  TestFixture::expect_right({1, 1, {0, 0}, {0, 0}, {1, -1}});
}

TYPED_TEST(AssembleCsr, SortedInputAndEmptyRows) {
  Entries in = {100, 7, {}, {}, {}};
  for (const Index row : {3, 4, 50, 98})
    for (Index column = 0; column < 7; column += 2) in.add(row, column, row + 0.5 * column);
  TestFixture::expect_right(in);
  std::swap(in.rows[0], in.rows.back());
  TestFixture::expect_right(in);
}

TYPED_TEST(AssembleCsr, RandomAgainstMap) {
  constexpr unsigned seed = 20240607;
  std::cout << "seed " << seed << "\n";
  std::mt19937 random(seed);
  for (int round = 0; round < 60; ++round) {
    const auto below = [&](int limit) { return static_cast<Index>(random() % static_cast<unsigned>(limit)); };
    Entries in = {1 + below(40), 1 + below(200), {}, {}, {}};
    const int count = below(3000);
    for (int k = 0; k < count; ++k)
      in.add(below(in.num_rows), below(in.num_cols), std::ldexp(1.0 + below(1000), below(60) - 30));
    TestFixture::expect_right(in);
  }
}

TYPED_TEST(AssembleCsr, LongRows) {
  constexpr unsigned seed = 4711;
  std::cout << "seed " << seed << "\n";
  std::mt19937 random(seed);
  Entries in = {3, 200000, {}, {}, {}};
  for (int k = 0; k < 100000; ++k) in.add(1, 5, 1.0 / (k + 1));  // one entry, 100,000 times
  for (int k = 0; k < 100000; ++k) in.add(2, static_cast<Index>(random() % 200000), k);
  for (int k = 0; k < 100000; ++k) in.add(0, 199999 - 2 * k, k);  // descending
  TestFixture::expect_right(in);
}

TYPED_TEST(AssembleCsr, ColumnByColumn) {
  Entries in = {50, 300, {}, {}, {}};
  for (Index column = 0; column < 300; ++column)
    for (Index row = column % 7; row < 50; row += 3) in.add(row, column, row - 2.0 * column);
  TestFixture::expect_right(in);
}

TYPED_TEST(AssembleCsr, RefusesBadArguments) {
  EXPECT_NE(TestFixture::error({-1, 3, {}, {}, {}}).find("-1 x 3"), std::string::npos);
  EXPECT_NE(TestFixture::error({1, 1, {0}, {}, {1}}).find("1 rows, 0 columns and 1 values"),
            std::string::npos);
  const std::string outside = "entry 1 at row 0, column 2 (counted from 0) is outside the 2 x 2 matrix";
  EXPECT_EQ(TestFixture::error({2, 2, {0, 0, 3}, {0, 2, 0}, {1, 1, 1}}), outside);
  EXPECT_NE(TestFixture::error({2, 2, {-1}, {0}, {1}}).find("outside"), std::string::npos);
  EXPECT_NE(TestFixture::error({2, 2, {2}, {0}, {1}}).find("outside"), std::string::npos);
}

TYPED_TEST(AssembleCsr, RefusesValuesThatOverflow) {
  constexpr bool is_float = sizeof(typename TestFixture::Scalar) == 4;
  const std::string error = TestFixture::error({3, 3, {0, 2}, {1, 1}, {1, -1e39}});
  EXPECT_EQ(error.find("entry 1 at row 2, column 1") == 0, is_float) << error;
  const double half = is_float ? 3e38 : 1.5e308;
  const std::string sum = TestFixture::error({3, 3, {2, 0, 0}, {2, 1, 1}, {1, half, half}});
  EXPECT_EQ(sum.find("entry 1 at row 0, column 1"), 0u) << sum;
  EXPECT_EQ(TestFixture::error({3, 3, {2, 0, 0}, {2, 1, 1}, {1, half, -half}}), "");
}

TYPED_TEST(AssembleCsr, PassesInfinityOn) {
  const double inf = std::numeric_limits<double>::infinity();
  TestFixture::expect_right({2, 2, {0, 1, 1}, {0, 0, 0}, {inf, -inf, 1}});
  const auto csr = TestFixture::assemble({1, 1, {0, 0}, {0, 0}, {inf, -inf}});
  const auto values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), csr.values);
  EXPECT_TRUE(std::isnan(values(0)));
}

TEST(AssembleSizes, RefusesMoreEntriesThanTheOffsetHolds) {
  // Never read: the size is checked first.
  const std::size_t count = (std::size_t{1} << 31) + 7;
  const Kokkos::View<const Index*, Kokkos::HostSpace> indices(static_cast<const Index*>(nullptr), count);
  const Kokkos::View<const double*, Kokkos::HostSpace> values(static_cast<const double*>(nullptr), count);
  const std::string error =
      error_of([&] { krylite::assemble_csr<double, std::int32_t>(Host(), 5, 5, indices, indices, values); });
  EXPECT_EQ(error, "2147483655 entries do not fit 32-bit offsets");
}

TEST(AssembleSizes, PositionsBeyond32BitsGiveTheSame) {
  using Space = Kokkos::HostSpace;
  const std::vector<Index> rows = {1, 0, 1, 0, 1};
  const std::vector<Index> columns = {2, 1, 0, 0, 2};
  const std::vector<double> values = {5, 2, 3, 1, 4};
  const krylite::detail::Triplets<Space> in = {2, 3, to_space<Host>(rows), to_space<Host>(columns),
                                               to_space<Host>(values)};
  const auto csr = krylite::detail::assemble_unsorted<double, std::int64_t, std::int64_t>(Host(), in);
  ASSERT_EQ(csr.num_entries(), 4);
  EXPECT_EQ(csr.values(3), 9);
}

TEST(Memory, RequirementsAreCheckedAndShownInHumanUnits) {
  using Space = Kokkos::HostSpace;
  EXPECT_GT(krylite::available_bytes<Space>(), std::size_t{1} << 20);
  krylite::require_memory<Space>(1000, "a little");
  const std::string error =
      error_of([] { krylite::require_memory<Space>(std::size_t{1} << 60, "the test"); });
  EXPECT_EQ(error.find("not enough memory for the test: 1.0 EiB needed, "), 0u) << error;
  EXPECT_EQ(krylite::detail::human_bytes(17179869184), "16.0 GiB");
  EXPECT_EQ(krylite::detail::human_bytes(1023), "1023 bytes");
  EXPECT_EQ(krylite::detail::human_bytes(krylite::unlimited_bytes), "unlimited");
}

TEST(Memory, NumbersOfTheKernelsFilesAreFound) {
  using krylite::test::write_text;
  const krylite::test::TemporaryFile limit;
  write_text(limit.path(), "max\n");
  EXPECT_EQ(krylite::detail::number_in_file(limit.path(), 42), 42u);
  write_text(limit.path(), "anon 7\ninactive_file 4096\n");
  EXPECT_EQ(krylite::detail::number_after(limit.path(), "inactive_file", 0), 4096u);
  EXPECT_EQ(krylite::detail::number_after(limit.path(), "active_file", 3), 3u);
  EXPECT_EQ(krylite::detail::number_after("/nonexistent", "x", 3), 3u);
}

TEST(Memory, ALowAddressSpaceLimitIsSeen) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer itself needs terabytes of addresses";
#endif
  struct rlimit old;
  ASSERT_EQ(getrlimit(RLIMIT_AS, &old), 0);
  constexpr rlim_t limit = rlim_t{1} << 30;
  struct rlimit low = old;
  low.rlim_cur = limit;
  ASSERT_EQ(setrlimit(RLIMIT_AS, &low), 0);
  const std::size_t available = krylite::available_bytes<Kokkos::HostSpace>();
  setrlimit(RLIMIT_AS, &old);
  EXPECT_LT(available, limit);
}

}  // namespace
