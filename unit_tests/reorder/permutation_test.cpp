#include <algorithm>
#include <krylite/reorder/permutation.hpp>
#include <numeric>
#include <vector>

#include "support/expect.hpp"
#include "support/types.hpp"

namespace {

using krylite::Index;
using namespace krylite_test;

template <class MemorySpace>
krylite::Permutation<MemorySpace> make_order(const std::vector<Index>& entries) {
  const krylite::Permutation<MemorySpace> order("order", entries.size());
  const auto host = Kokkos::create_mirror_view(order);
  for (std::size_t i = 0; i < entries.size(); ++i) host(i) = entries[i];
  Kokkos::deep_copy(order, host);
  return order;
}

/// The rows sorted by reproducible noise.
std::vector<Index> shuffled(Index n, std::uint64_t seed = 5) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [=](Index a, Index b) { return noise(a, seed) < noise(b, seed); });
  return order;
}

template <class T>
class Reorder : public testing::Test {};
TYPED_TEST_SUITE(Reorder, Combinations, );

template <class T>
class ReorderVectors : public testing::Test {};
TYPED_TEST_SUITE(ReorderVectors, Spaces, );

TYPED_TEST(Reorder, AHandCheckedSystem) {
  using Memory = typename TypeParam::MemorySpace;
  const typename TypeParam::ExecutionSpace exec;
  // New row i is old row order(i): rows 2, 0, 1; old columns 0, 1, 2 become 1, 2, 0.
  const auto csr = convert<typename TypeParam::Scalar, typename TypeParam::Offset, Memory>(
      make_csr(3, {{{0, 1}, {2, 2}}, {{1, 3}}, {{1, 4}, {0, 5}, {1, 6}}}));
  const auto expected = convert<typename TypeParam::Scalar, typename TypeParam::Offset, Memory>(
      make_csr(3, {{{2, 4}, {1, 5}, {2, 6}}, {{1, 1}, {0, 2}}, {{2, 3}}}));
  const auto order = make_order<Memory>({2, 0, 1});
  expect_same_matrix(expected, krylite::permute_system(exec, csr, order), "rows keep their order");
  expect_same_bits(make_order<Memory>({1, 2, 0}), krylite::inverse(exec, order), "inverse");
}

/// Whether entry k of new row i is entry k of old row order(i), its column renamed, which is P A P^T.
template <class Csr>
void expect_permuted(const Csr& csr, const std::vector<Index>& order, const Csr& found,
                     const std::string& what) {
  const auto pointers = to_host(csr.row_pointers);
  const auto columns = to_host(csr.columns);
  const auto values = to_host(csr.values);
  Rows rows(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (auto k = pointers(order[i]); k < pointers(order[i] + 1); ++k) {
      const auto place = std::find(order.begin(), order.end(), columns(k)) - order.begin();
      rows[i].push_back({static_cast<Index>(place), static_cast<double>(values(k))});
    }
  }
  const auto expected =
      convert<typename Csr::scalar_type, typename Csr::offset_type, typename Csr::memory_space>(
          make_csr(csr.num_cols, rows));
  expect_same_matrix(expected, found, what);
}

/// Sums of the entries at each place, row by row.
std::vector<double> dense(const HostCsr& csr) {
  const auto n = static_cast<std::size_t>(csr.num_cols);
  std::vector<double> entries(static_cast<std::size_t>(csr.num_rows) * n);
  for (Index row = 0; row < csr.num_rows; ++row) {
    for (auto k = csr.row_pointers(row); k < csr.row_pointers(row + 1); ++k) {
      entries[std::size_t(row) * n + std::size_t(csr.columns(k))] += csr.values(k);
    }
  }
  return entries;
}

TYPED_TEST(Reorder, EverySquareMatrixIsPermutedAndComesBack) {
  using Memory = typename TypeParam::MemorySpace;
  const typename TypeParam::ExecutionSpace exec;
  for (const NamedMatrix& matrix : TypeParam::matrices()) {
    if (matrix.csr.num_rows != matrix.csr.num_cols) continue;
    const auto csr = convert<typename TypeParam::Scalar, typename TypeParam::Offset, Memory>(matrix.csr);
    const auto entries = shuffled(csr.num_rows);
    const auto order = make_order<Memory>(entries);
    const auto permuted = krylite::permute_system(exec, csr, order);
    expect_permuted(csr, entries, permuted, matrix.name);
    const auto back = krylite::permute_system(exec, permuted, krylite::inverse(exec, order));
    expect_same_matrix(csr, back, matrix.name);
  }
}

TEST(Reorder, AgreesWithADenseProduct) {
  const Kokkos::DefaultHostExecutionSpace exec;
  for (const NamedMatrix& matrix : battery()) {
    const Index n = matrix.csr.num_rows;
    if (n != matrix.csr.num_cols || n == 0 || n > 70) continue;
    const auto entries = shuffled(n, 9);
    const auto before = dense(matrix.csr);
    const auto after =
        dense(krylite::permute_system(exec, matrix.csr, make_order<Kokkos::HostSpace>(entries)));
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        const std::size_t old_place = std::size_t(entries[i]) * std::size_t(n) + std::size_t(entries[j]);
        ASSERT_EQ(after[std::size_t(i) * std::size_t(n) + std::size_t(j)], before[old_place]) << matrix.name;
      }
    }
  }
}

TYPED_TEST(ReorderVectors, RoundTrip) {
  using Memory = typename TypeParam::memory_space;
  using Vector = Kokkos::View<double*, Memory>;
  const TypeParam exec;
  for (const Index n : {0, 1, 2, 257, 5000}) {
    const auto entries = shuffled(n);
    const auto order = make_order<Memory>(entries);
    const Vector in("in", n), out("out", n), back("back", n);
    const auto host = Kokkos::create_mirror_view(in);
    for (Index i = 0; i < n; ++i) host(i) = noise(i);
    Kokkos::deep_copy(in, host);
    krylite::permute(exec, order, in, out);
    krylite::permute_back(exec, order, out, back);
    exec.fence();
    const auto permuted = to_host(out);
    for (Index i = 0; i < n; ++i) ASSERT_EQ(permuted(i), host(entries[std::size_t(i)])) << n;
    expect_same_bits(in, back, "P^T P");
    if (n == 0) continue;
    krylite::permute(exec, krylite::inverse(exec, order), out, back);
    exec.fence();
    expect_same_bits(in, back, "the inverse");
  }
}

TYPED_TEST(ReorderVectors, StridedVectors) {
  using Memory = typename TypeParam::memory_space;
  const TypeParam exec;
  const Kokkos::View<double**, Kokkos::LayoutRight, Memory> table("table", 3, 2);
  Kokkos::deep_copy(Kokkos::subview(table, 0, Kokkos::ALL), 1.0);
  Kokkos::deep_copy(Kokkos::subview(table, 1, Kokkos::ALL), 2.0);
  const auto in = Kokkos::subview(table, Kokkos::ALL, 0);
  const auto out = Kokkos::subview(table, Kokkos::ALL, 1);
  krylite::permute(exec, make_order<Memory>({1, 2, 0}), in, out);
  exec.fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), table);
  EXPECT_EQ(host(0, 1), 2.0);
  EXPECT_EQ(host(1, 1), 0.0);
  EXPECT_EQ(host(2, 1), 1.0);
}

TYPED_TEST(ReorderVectors, TellsWhatIsNoPermutation) {
  using Memory = typename TypeParam::memory_space;
  const TypeParam exec;
  for (const std::vector<Index>& good : {std::vector<Index>{}, {0}, {2, 0, 1}}) {
    EXPECT_TRUE(krylite::is_permutation(exec, make_order<Memory>(good)));
  }
  for (const std::vector<Index>& bad : {std::vector<Index>{1}, {-1}, {0, 0}, {1, 2, 3}, {2, 0, 2}}) {
    EXPECT_FALSE(krylite::is_permutation(exec, make_order<Memory>(bad)));
    expect_error([&] { krylite::inverse(exec, make_order<Memory>(bad)); }, "not a permutation");
  }
  expect_error(
      [&] {
        krylite::require_permutation(exec, make_order<Memory>({0, 5, 0, -1}), 4);
      },
      "4 rows", "3 of its entries");
  expect_error(
      [&] {
        krylite::require_permutation(exec, make_order<Memory>({1, 0}), 3);
      },
      "2 entries", "3 rows");
}

TEST(Reorder, RefusesWhatDoesNotFit) {
  const Kokkos::DefaultHostExecutionSpace exec;
  const auto two = make_order<Kokkos::HostSpace>({1, 0});
  const auto wide = make_csr(3, {{{0, 1}}, {{2, 1}}});
  expect_error([&] { krylite::permute_system(exec, wide, two); }, "2 x 3", "square");
  const auto three = make_csr(3, {{{0, 1}}, {{2, 1}}, {}});
  expect_error([&] { krylite::permute_system(exec, three, two); }, "2 entries", "3 rows");
  expect_error(
      [&] {
        krylite::permute_system(exec, three, make_order<Kokkos::HostSpace>({0, 1, 1}));
      },
      "1 of its entries");
  const Kokkos::View<double*, Kokkos::HostSpace> a("a", 2), b("b", 3);
  expect_error([&] { krylite::permute(exec, two, a, b); }, "2 rows", "3 entries");
  expect_error([&] { krylite::permute_back(exec, two, b, a); }, "2 rows", "3 and 2");
  expect_error([&] { krylite::permute(exec, two, a, a); }, "same vector");
}

}  // namespace
