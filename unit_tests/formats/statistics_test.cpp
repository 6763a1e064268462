#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <krylite/formats/statistics.hpp>
#include <limits>
#include <vector>

namespace {

using krylite::Index;
using krylite::MatrixStatistics;

struct Triplet {
  Index row;
  Index column;
  double value;
};

/// A matrix with its entries as they are listed, which must be by row.
template <class Scalar, class Offset>
krylite::CsrMatrix<Scalar, Offset, Kokkos::HostSpace> make_csr(Index rows, Index cols,
                                                               const std::vector<Triplet>& entries) {
  using Matrix = krylite::CsrMatrix<Scalar, Offset, Kokkos::HostSpace>;
  typename Matrix::row_pointers_type pointers("pointers", static_cast<std::size_t>(rows) + 1);
  typename Matrix::columns_type columns("columns", entries.size());
  typename Matrix::values_type values("values", entries.size());
  for (std::size_t k = 0; k < entries.size(); ++k) {
    columns(k) = entries[k].column;
    values(k) = static_cast<Scalar>(entries[k].value);
    for (Index row = entries[k].row + 1; row <= rows; ++row) ++pointers(row);
  }
  return {rows, cols, pointers, columns, values};
}

template <class View, class Source>
View copy_of(const Source& source) {
  return Kokkos::create_mirror_view_and_copy(typename View::memory_space{}, source);
}

template <class Types>
class StatisticsTest : public testing::Test {
 protected:
  MatrixStatistics of(Index rows, Index cols, const std::vector<Triplet>& entries) const {
    using Execution = typename Types::execution;
    using Matrix =
        krylite::CsrMatrix<typename Types::scalar, typename Types::offset, typename Execution::memory_space>;
    const auto host = make_csr<typename Types::scalar, typename Types::offset>(rows, cols, entries);
    const Matrix matrix(rows, cols, copy_of<typename Matrix::row_pointers_type>(host.row_pointers),
                        copy_of<typename Matrix::columns_type>(host.columns),
                        copy_of<typename Matrix::values_type>(host.values));
    return krylite::statistics(Execution{}, matrix);
  }
};

template <class Scalar, class Offset, class Execution>
struct Types {
  using scalar = Scalar;
  using offset = Offset;
  using execution = Execution;
};

using AllTypes = testing::Types<Types<double, std::int64_t, Kokkos::DefaultExecutionSpace>,
                                Types<double, std::int32_t, Kokkos::DefaultHostExecutionSpace>,
                                Types<float, std::int64_t, Kokkos::DefaultExecutionSpace>,
                                Types<float, std::int32_t, Kokkos::Serial>>;
TYPED_TEST_SUITE(StatisticsTest, AllTypes);

TYPED_TEST(StatisticsTest, HandChecked) {
  // [ 1 0 2 0 ]
  // [ 0 0 0 0 ]
  // [ 3 0 0 4 ]   with (2, 2) stored as 0
  // [ 0 5 0 6 ]
  const auto found =
      this->of(4, 4, {{0, 0, 1}, {0, 2, 2}, {2, 0, 3}, {2, 2, 0}, {2, 3, 4}, {3, 1, 5}, {3, 3, 6}});
  EXPECT_EQ(found.row_min, 0);
  EXPECT_EQ(found.row_max, 3);
  EXPECT_EQ(found.row_mean, 1.75);
  EXPECT_DOUBLE_EQ(found.row_stddev, std::sqrt((0.0625 + 3.0625 + 1.5625 + 0.0625) / 4));
  EXPECT_EQ(found.empty_rows, 1);
  EXPECT_EQ(found.bandwidth, 2);
  EXPECT_FALSE(found.pattern_symmetric);
  EXPECT_FALSE(found.value_symmetric);
  EXPECT_EQ(found.zero_diagonal, 1);
  EXPECT_EQ(found.missing_diagonal, 1);
  EXPECT_EQ(found.explicit_zeros, 1);
}

TYPED_TEST(StatisticsTest, PatternSymmetricOnly) {
  const auto found = this->of(2, 2, {{0, 1, 3}, {1, 0, 4}});
  EXPECT_TRUE(found.pattern_symmetric);
  EXPECT_FALSE(found.value_symmetric);
  EXPECT_EQ(found.missing_diagonal, 2);
  EXPECT_EQ(found.zero_diagonal, 0);
}

TYPED_TEST(StatisticsTest, ExplicitZerosBelongToThePattern) {
  const auto lonely = this->of(2, 2, {{0, 0, 1}, {0, 1, 0}, {1, 1, 1}});
  EXPECT_FALSE(lonely.pattern_symmetric);
  EXPECT_EQ(lonely.explicit_zeros, 1);
  const auto signed_zeros = this->of(2, 2, {{0, 1, 0.0}, {1, 0, -0.0}});
  EXPECT_TRUE(signed_zeros.value_symmetric);
  EXPECT_EQ(signed_zeros.explicit_zeros, 2);
}

TYPED_TEST(StatisticsTest, UnsortedRowsWithDuplicates) {
  // (0, 2) is 0.1 + 0.2 + 0.3 in three entries, (2, 0) the same three in another order.
  const auto found = this->of(3, 3,
                              {{0, 2, 0.1},
                               {0, 1, 7},
                               {0, 2, 0.2},
                               {0, 2, 0.3},
                               {1, 0, 7},
                               {2, 0, 0.3},
                               {2, 2, 1},
                               {2, 0, 0.1},
                               {2, 0, 0.2}});
  EXPECT_TRUE(found.pattern_symmetric);
  EXPECT_TRUE(found.value_symmetric);
  EXPECT_EQ(found.row_max, 4);
  EXPECT_EQ(found.missing_diagonal, 2);
}

TYPED_TEST(StatisticsTest, DuplicatesCountAsTheirSum) {
  const auto equal = this->of(2, 2, {{0, 1, 1}, {0, 1, 2}, {1, 0, 3}});
  EXPECT_TRUE(equal.pattern_symmetric);
  EXPECT_TRUE(equal.value_symmetric);
  const auto unequal = this->of(2, 2, {{0, 1, 1}, {0, 1, 2}, {1, 0, 1}});
  EXPECT_TRUE(unequal.pattern_symmetric);
  EXPECT_FALSE(unequal.value_symmetric);
  // Three entries towards the same place do not stand in for the two that are not there.
  EXPECT_FALSE(this->of(3, 3, {{0, 1, 1}, {0, 2, 1}, {1, 0, 1}, {1, 0, 0}}).pattern_symmetric);
}

TYPED_TEST(StatisticsTest, DiagonalThatSumsToZero) {
  const auto found = this->of(3, 3, {{0, 0, 2}, {0, 0, -2}, {1, 1, 0}, {2, 2, 5}});
  EXPECT_EQ(found.zero_diagonal, 2);
  EXPECT_EQ(found.missing_diagonal, 0);
  EXPECT_EQ(found.explicit_zeros, 1);
}

TYPED_TEST(StatisticsTest, LongUnsortedRowsAreSorted) {
  // Symmetric in values, with each row in another scrambled order: 37 and 101 are coprime.
  const Index n = 101;
  std::vector<Triplet> entries;
  for (Index row = 0; row < n; ++row) {
    for (Index step = 0; step < n; ++step) {
      const Index column = (37 * step + row) % n;
      entries.push_back({row, column, static_cast<double>(row * column % 13 + row + column)});
    }
  }
  EXPECT_TRUE(this->of(n, n, entries).value_symmetric);
  entries[5].value += 1;
  EXPECT_TRUE(this->of(n, n, entries).pattern_symmetric);
  EXPECT_FALSE(this->of(n, n, entries).value_symmetric);
}

TYPED_TEST(StatisticsTest, NotFiniteValues) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(this->of(2, 2, {{0, 0, nan}, {0, 1, infinity}, {1, 0, infinity}}).value_symmetric);
  EXPECT_FALSE(this->of(2, 2, {{0, 1, nan}, {1, 0, nan}}).value_symmetric);
  const auto unsorted = this->of(2, 2, {{0, 1, nan}, {0, 0, nan}, {0, 1, 2}, {0, 0, 1}, {1, 0, nan}});
  EXPECT_TRUE(unsorted.pattern_symmetric);
  EXPECT_FALSE(unsorted.value_symmetric);
}

TYPED_TEST(StatisticsTest, Rectangular) {
  const auto wide = this->of(2, 5, {{0, 0, 1}, {0, 4, 1}, {1, 0, 1}});
  EXPECT_EQ(wide.bandwidth, 4);
  EXPECT_EQ(wide.missing_diagonal, 1);
  EXPECT_FALSE(wide.pattern_symmetric);
  const auto tall = this->of(5, 2, {{0, 0, 1}, {1, 1, 1}, {4, 0, 1}});
  EXPECT_EQ(tall.bandwidth, 4);
  EXPECT_EQ(tall.missing_diagonal, 0);
  EXPECT_EQ(tall.empty_rows, 2);
  EXPECT_FALSE(tall.value_symmetric);
}

TYPED_TEST(StatisticsTest, WithoutRowsColumnsOrEntries) {
  const auto nothing = this->of(0, 0, {});
  EXPECT_EQ(nothing.row_mean, 0);
  EXPECT_EQ(nothing.row_stddev, 0);
  EXPECT_EQ(nothing.row_min, 0);
  EXPECT_TRUE(nothing.value_symmetric);
  const auto no_columns = this->of(3, 0, {});
  EXPECT_EQ(no_columns.empty_rows, 3);
  EXPECT_EQ(no_columns.row_max, 0);
  EXPECT_EQ(no_columns.row_mean, 0);
  EXPECT_EQ(no_columns.missing_diagonal, 0);
  EXPECT_FALSE(no_columns.pattern_symmetric);
  const auto no_rows = this->of(0, 3, {});
  EXPECT_EQ(no_rows.row_mean, 0);
  EXPECT_EQ(no_rows.row_max, 0);
  EXPECT_EQ(no_rows.bandwidth, 0);
  EXPECT_FALSE(no_rows.pattern_symmetric);
  const auto no_entries = this->of(3, 3, {});
  EXPECT_EQ(no_entries.missing_diagonal, 3);
  EXPECT_TRUE(no_entries.value_symmetric);
}

TEST(StatisticsForwarding, WithoutRowPointers) {
  const krylite::CsrMatrix<double, std::int64_t, Kokkos::HostSpace> nothing;
  const auto found = krylite::statistics(nothing);
  EXPECT_EQ(found.row_mean, 0);
  EXPECT_TRUE(found.pattern_symmetric);
}

TEST(StatisticsForwarding, UsesTheMatrixsOwnSpace) {
  const auto found = krylite::statistics(make_csr<double, std::int64_t>(1, 1, {{0, 0, 2}}));
  EXPECT_EQ(found.row_min, 1);
  EXPECT_TRUE(found.value_symmetric);
}

}  // namespace
