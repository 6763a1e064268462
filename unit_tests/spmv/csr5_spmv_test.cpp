#include "support/product_test.hpp"

#include <krylite/core/simd.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace {

using krylite::Csr5Options;
using krylite::Index;
using krylite::Kernel;
using krylite::SpmvOptions;
using krylite::Transpose;
using namespace krylite_test;

const std::vector<Csr5Options> shapes = {{0, 0}, {2, 1}, {4, 16}, {8, 12}, {8, 5}, {16, 3}, {5, 7}, {64, 64}};

SpmvOptions options(Transpose transpose, Kernel kernel) {
  SpmvOptions result;
  result.transpose = transpose;
  result.kernel = kernel;
  return result;
}

/// Rows of the lengths given, one after the other, in `num_cols` columns.
NamedMatrix rows_of(const std::string& name, Index num_cols, const std::vector<Index>& lengths) {
  Rows rows(lengths.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (Index k = 0; k < lengths[r]; ++k) {
      rows[r].push_back({static_cast<Index>((k * 7 + 3 * r) % num_cols), noise(r * 997 + k, 41)});
    }
  }
  return {name, make_csr(num_cols, rows)};
}

/// What breaks CSR5: counts around one tile of 8 x 12, rows that start on edges or hold whole tiles, empty rows at
/// every place, and more tiles than one chunk.
std::vector<NamedMatrix> edge_matrices() {
  constexpr Index tile = 96;
  std::vector<NamedMatrix> all;
  for (const Index entries : {0, 1, tile - 1, tile, tile + 1, 2 * tile}) {
    const std::string name = std::to_string(entries) + " entries";
    all.push_back(rows_of(name + " in one row", 50, {entries}));
    all.push_back(rows_of(name + " and empty rows around", 50, {0, 0, entries / 2, 0, entries - entries / 2, 0, 0, 0}));
    all.push_back(rows_of(name + ", one a row", 50, std::vector<Index>(entries, 1)));
  }
  all.push_back(rows_of("row starts on an edge", 30, {tile, 5, tile - 5, 2 * tile, 3}));
  all.push_back(rows_of("empty rows on an edge", 30, {tile, 0, 0, 40, 56, 0, 0, 0, 7, 0, 0}));
  all.push_back(rows_of("tiles inside of one row", 30, {3, 5 * tile, 4, 700, 0, 0, 900}));
  all.push_back(rows_of("row longer than chunks of tiles", 500, {5, 30000, 0, 2, 15000, 0, 4000, 1}));
  std::vector<Index> many(6000);
  for (std::size_t r = 0; r < many.size(); ++r) many[r] = static_cast<Index>((noise(r, 5) + 1) * 7) - 3;
  for (Index& length : many) length = length < 0 ? 0 : length;
  all.push_back(rows_of("many short rows, some empty", 200, many));
  for (Index& length : many) length += 1;
  all.push_back(rows_of("many short rows", 200, many));
  return all;
}

template <class Combination>
class Csr5SpmvTest : public ProductTest<Combination> {
 protected:
  static std::vector<NamedMatrix> matrices() {
    auto all = Combination::matrices();
    for (NamedMatrix& edge : edge_matrices()) all.push_back(std::move(edge));
    return all;
  }

  template <class Matrix>
  void check_kernel(const NamedMatrix& named, const typename Combination::Csr& csr, const Matrix& matrix,
                    Kernel kernel) {
    const std::string shape = std::to_string(matrix.omega) + " x " + std::to_string(matrix.sigma);
    this->check(named.name + ", " + shape + ", " + krylite::simd_target(), csr, matrix,
                options(Transpose::no, kernel));
  }
};
TYPED_TEST_SUITE(Csr5SpmvTest, Combinations);

TYPED_TEST(Csr5SpmvTest, PortableAndAutomaticAreWithinTheBound) {
  for (const NamedMatrix& named : this->matrices()) {
    const auto csr = this->device_csr(named);
    for (const Csr5Options& shape : shapes) {
      const auto csr5 = krylite::to_csr5(this->exec_, csr, shape);
      this->check_kernel(named, csr, csr5, Kernel::automatic);
      this->check_kernel(named, csr, csr5, Kernel::portable);
    }
  }
}

TYPED_TEST(Csr5SpmvTest, EveryInstructionSetIsWithinTheBound) {
  if (!krylite::is_host_space<typename TypeParam::ExecutionSpace>) GTEST_SKIP() << "not a host";
  for (const std::string& target : krylite::simd_targets()) {
    krylite::set_simd_target(target);
    for (const NamedMatrix& named : this->matrices()) {
      const auto csr = this->device_csr(named);
      for (const Csr5Options& shape : {Csr5Options{0, 0}, Csr5Options{8, 12}, Csr5Options{8, 21}, Csr5Options{16, 7}}) {
        this->check_kernel(named, csr, krylite::to_csr5(this->exec_, csr, shape), Kernel::native);
      }
    }
  }
  krylite::set_simd_target("best");
}

/// Products are written, not added, and are the same bits twice, whatever was in y.
TYPED_TEST(Csr5SpmvTest, TwiceIntoGarbageGivesTheSameBits) {
  for (const NamedMatrix& named : this->matrices()) {
    const auto csr = this->device_csr(named);
    const auto x = this->filled(csr.num_cols, 6);
    for (const Kernel kernel : {Kernel::portable, Kernel::automatic}) {
      const auto csr5 = krylite::to_csr5(this->exec_, csr);
      const typename TestFixture::Device once("y", csr.num_rows), twice("y", csr.num_rows);
      for (const auto& y : {once, twice, twice}) {
        Kokkos::deep_copy(y, 1e30);
        krylite::spmv(this->exec_, 1.0, csr5, x, 0.0, y, options(Transpose::no, kernel));
        this->exec_.fence();
      }
      krylite::spmv(this->exec_, 1.0, csr5, x, 0.0, twice, options(Transpose::no, kernel));
      this->exec_.fence();
      expect_same_bits(once, twice, named.name);
    }
  }
}

TYPED_TEST(Csr5SpmvTest, InfiniteXReachesOnlyRowsWhosePatternHoldsIt) {
  for (const NamedMatrix& named : this->matrices()) {
    const auto csr = this->device_csr(named);
    if (csr.num_cols == 0 || csr.num_rows == 0) continue;
    this->check_infinite_x(named, krylite::to_csr5(this->exec_, csr, {8, 12}));
  }
}

/// Seven vectors side by side in memory, so that each is strided, N and T.
TYPED_TEST(Csr5SpmvTest, SevenStridedVectorsAreWithinTheBound) {
  using Value = typename TypeParam::Vector;
  using Block = Kokkos::View<Value**, Kokkos::LayoutRight, typename TypeParam::MemorySpace>;
  constexpr int count = 7;
  for (const NamedMatrix& named : this->matrices()) {
    for (const Transpose transpose : {Transpose::no, Transpose::yes}) {
      const auto csr = this->device_csr(named);
      const bool is_transposed = transpose == Transpose::yes;
      const Index x_size = is_transposed ? csr.num_rows : csr.num_cols;
      const Index y_size = is_transposed ? csr.num_cols : csr.num_rows;
      const Block x("x", x_size, count), y("y", y_size, count);
      for (int v = 0; v < count; ++v) {
        Kokkos::deep_copy(Kokkos::subview(x, Kokkos::ALL(), v), this->filled(x_size, 10 + v));
        Kokkos::deep_copy(Kokkos::subview(y, Kokkos::ALL(), v), this->filled(y_size, 20 + v));
      }
      krylite::spmv(this->exec_, 2.5, krylite::to_csr5(this->exec_, csr, {4, 5}), x, -1.0, y,
                    options(transpose, Kernel::automatic));
      this->exec_.fence();
      const auto reference = convert<typename TypeParam::Scalar, typename TypeParam::Offset, Kokkos::HostSpace>(
          is_transposed ? transposed(named.csr) : named.csr);
      for (int v = 0; v < count; ++v) {
        const typename TestFixture::Device column("y", y_size);
        Kokkos::deep_copy(column, Kokkos::subview(y, Kokkos::ALL(), v));
        const double error = krylite::max_scaled_error(reference, Value(2.5), to_host(this->filled(x_size, 10 + v)),
                                                       Value(-1), to_host(this->filled(y_size, 20 + v)),
                                                       to_host(column));
        EXPECT_LE(error, 1.0) << named.name << ", vector " << v << (is_transposed ? ", transposed" : "");
      }
    }
  }
}

#if defined(KOKKOS_ENABLE_OPENMP) && defined(KOKKOS_ENABLE_SERIAL)
/// Serial is one thread, OpenMP as many as there are.
TEST(Csr5Spmv, ThreadsDoNotChangeTheBits) {
  for (const NamedMatrix& named : edge_matrices()) {
    const Kokkos::View<double*, Kokkos::HostSpace> x("x", named.csr.num_cols), one("y", named.csr.num_rows),
        many("y", named.csr.num_rows);
    for (Index i = 0; i < named.csr.num_cols; ++i) x(i) = noise(i, 8);
    const auto csr5 = krylite::to_csr5(Kokkos::Serial(), named.csr);
    for (const Kernel kernel : {Kernel::portable, Kernel::automatic}) {
      krylite::spmv(Kokkos::Serial(), 1.5, csr5, x, 0.0, one, options(Transpose::no, kernel));
      krylite::spmv(Kokkos::OpenMP(), 1.5, csr5, x, 0.0, many, options(Transpose::no, kernel));
      Kokkos::fence();
      expect_same_bits(one, many, named.name);
    }
  }
}
#endif

}  // namespace
