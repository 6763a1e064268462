#include "support/expect.hpp"
#include "support/types.hpp"

#include <krylite/basis/row_scaling.hpp>
#include <krylite/basis/sweeps.hpp>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace {

using krylite::BFloat16;
using krylite::BlockFloat16;
using krylite::BlockFloat32;
using krylite::Float16;
using krylite::Index;
using krylite::ColumnRange;
using krylite::Kernel;
using krylite::Sweep;
using namespace krylite_test;

template <class CodeType, class Space>
struct Case {
  using Code = CodeType;
  using ExecutionSpace = Space;
};
template <class Space>
using CasesOn = ::testing::Types<Case<double, Space>, Case<float, Space>, Case<Float16, Space>, Case<BFloat16, Space>,
                                 Case<std::int32_t, Space>, Case<std::int16_t, Space>, Case<BlockFloat32, Space>,
                                 Case<BlockFloat16, Space>>;
using Cases = typename Join<
#ifdef KOKKOS_ENABLE_SERIAL
    CasesOn<Kokkos::Serial>,
#endif
#ifdef KOKKOS_ENABLE_OPENMP
    CasesOn<Kokkos::OpenMP>,
#endif
#ifdef KOKKOS_ENABLE_CUDA
    CasesOn<Kokkos::Cuda>,
#endif
    ::testing::Types<>>::type;

/// Largest error that storing an entry may cause, given the largest magnitudes of its vector and of its block of 32.
template <class Code>
double storage_error(double value, double largest, double block_largest) {
  if constexpr (krylite::is_block_float<Code>) {
    // Half a step of a block whose mantissas pass half of their range.
    const double half_step = krylite::code_unit<Code>() * (1 + 1e-4) * std::max(block_largest, 0x1p-100 * largest);
    return half_step + std::fabs(value) * 4 * std::numeric_limits<double>::epsilon();
  } else if constexpr (krylite::is_fixed_point<Code>) {
    // Half a step, and the roundings of the two divisions (by reciprocals) and the product.
    const double step = largest / static_cast<double>(std::numeric_limits<Code>::max());
    return step * (0.5 + 1e-6) + std::fabs(value) * 4 * std::numeric_limits<double>::epsilon();
  } else if constexpr (std::is_same_v<Code, double>) {
    return std::fabs(value) * 2 * std::numeric_limits<double>::epsilon();  // a product with the reciprocal
  } else {
    // Relative to the code, or half a subnormal; and the roundings of the two divisions and the product.
    const double u = std::is_same_v<Code, float> ? 0x1p-24 : std::is_same_v<Code, Float16> ? 0x1p-11 : 0x1p-8;
    const double half_subnormal = std::is_same_v<Code, Float16> ? 0x1p-40 * largest : 0x1p-134 * largest;
    const double divisions = std::fabs(value) * 4 * std::numeric_limits<double>::epsilon();
    return std::max(u * std::fabs(value), half_subnormal) + divisions;
  }
}

template <class CaseType>
class SweepsTest : public ::testing::Test {
 public:
  using Code = typename CaseType::Code;
  using Space = typename CaseType::ExecutionSpace::memory_space;
  using Vector = Kokkos::View<double*, Space>;
  using In = krylite::detail::VectorRef<const double, Space>;
  using Out = krylite::detail::VectorRef<double, Space>;

  static Vector filled(std::int64_t n, std::uint64_t seed, double scale = 1) {
    const Vector view("vector", n);
    const auto host = Kokkos::create_mirror_view(view);
    for (std::int64_t i = 0; i < n; ++i) host(i) = scale * noise(i, seed);
    Kokkos::deep_copy(view, host);
    return view;
  }

  static Out out(const Vector& v) { return Out(v.data(), v.extent(0)); }
  static In in(const Vector& v) { return In(v.data(), v.extent(0)); }

  /// A basis of stored noise, and on the host what it holds (as `store` left it in w).
  struct Filled {
    krylite::CompressedBasis<Code, Space> basis;
    std::vector<Kokkos::View<double*, Kokkos::HostSpace>> vectors;
  };
  Filled make_basis(std::int64_t n, Index columns) {
    Filled result{krylite::make_compressed_basis<Code>(exec_, n, columns), {}};
    for (Index j = 0; j < columns; ++j) {
      const Vector w = filled(n, 100 + j);
      const auto norms = krylite::norms(exec_, in(w), krylite::NormsWorkspace<Space>(n));
      krylite::store(exec_, result.basis, j, 2.0, norms.largest, out(w), krylite::SweepWorkspace<Space>(n, 1));
      exec_.fence();
      result.vectors.push_back(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), w));
    }
    return result;
  }

  typename CaseType::ExecutionSpace exec_;
};
TYPED_TEST_SUITE(SweepsTest, Cases);

constexpr std::int64_t lengths[] = {1, 3, 7, 8, 9, 511, 512, 513, 2047, 2048, 2049, 10007, 40000};

TYPED_TEST(SweepsTest, StoreIsWithinTheBoundOfTheStorage) {
  using Storage = typename TypeParam::Code;
  for (const std::int64_t n : lengths) {
    for (const auto& [scale, kernel] : std::vector<std::pair<double, Kernel>>{
             {1.0, Kernel::automatic}, {1.0, Kernel::portable}, {1e-3, Kernel::automatic}, {1e5, Kernel::portable},
             {1e-300, Kernel::automatic}, {1e-300, Kernel::portable}, {1e300, Kernel::automatic}}) {
      const auto w = this->filled(n, 7, scale);
      const auto before = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), this->filled(n, 7, scale));
      const krylite::SweepWorkspace<typename TestFixture::Space> workspace(n, 1);
      const auto found = krylite::norms(this->exec_, this->in(w), workspace.norms);
      krylite::Communicator alone;
      const double divisor = krylite::safe_norm(this->exec_, this->in(w), found, workspace.norms, alone);
      const auto basis = krylite::make_compressed_basis<Storage>(this->exec_, n, 1);
      krylite::store(this->exec_, basis, 0, divisor, found.largest, this->out(w), workspace,
                     typename TestFixture::Vector(), kernel);
      const auto sums = krylite::run_sweep(this->exec_, basis, Sweep{}, nullptr, this->out(w), workspace);
      const auto stored = to_host(w);
      long double squares = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        const double exact = before(i) / divisor;
        double block_largest = 0;
        for (std::int64_t k = i / 32 * 32; k < std::min(n, i / 32 * 32 + 32); ++k) {
          block_largest = std::max(block_largest, std::fabs(before(k) / divisor));
        }
        EXPECT_LE(std::fabs(stored(i) - exact), storage_error<Storage>(exact, found.largest / divisor, block_largest))
            << "entry " << i << " of " << n;
        squares += static_cast<long double>(stored(i) - exact) * (stored(i) - exact);
      }
      // What it should have been is itself off by two roundings of the quotient, whose squares add up to 1.
      const long double quotients = 2 * std::numeric_limits<double>::epsilon();
      const long double rounding = 2 * std::sqrt(squares) * quotients + quotients * quotients;
      EXPECT_NEAR(sums.stored_error, static_cast<double>(squares),
                  static_cast<double>(2 * n * 0x1p-53L * squares + rounding));
    }
  }
}

/// The graded vector has parts that only a shared exponent a block, or one an entry, can keep.
TYPED_TEST(SweepsTest, BlocksKeepTheSmallPartsOfAGradedVector) {
  using Storage = typename TypeParam::Code;
  const std::int64_t n = 320;
  const typename TestFixture::Vector w("w", n);
  const auto host = Kokkos::create_mirror_view(w);
  for (std::int64_t i = 0; i < n; ++i) host(i) = noise(i) * std::pow(10.0, -2.0 * static_cast<double>(i / 32));
  Kokkos::deep_copy(w, host);
  const auto before = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), w);
  const krylite::SweepWorkspace<typename TestFixture::Space> workspace(n, 1);
  const auto basis = krylite::make_compressed_basis<Storage>(this->exec_, n, 1);
  krylite::store(this->exec_, basis, 0, 1.0, 1.0, this->out(w), workspace);
  this->exec_.fence();
  const auto stored = to_host(w);
  for (std::int64_t block = 0; block < 10; ++block) {
    double largest = 0;
    for (std::int64_t i = 0; i < 32; ++i) largest = std::max(largest, std::fabs(before(block * 32 + i)));
    for (std::int64_t i = block * 32; i < block * 32 + 32; ++i) {
      if (!krylite::is_block_float<Storage>) continue;
      EXPECT_NEAR(stored(i), before(i), 0x1p-15 * (1 + 1e-4) * largest);
    }
  }
}

TYPED_TEST(SweepsTest, ZeroVectorAndLargestEntriesSurvive) {
  const auto basis = krylite::make_compressed_basis<typename TypeParam::Code>(this->exec_, 4, 2);
  const krylite::SweepWorkspace<typename TestFixture::Space> workspace(4, 2);
  const typename TestFixture::Vector w("w", 4);
  krylite::store(this->exec_, basis, 0, 1.0, 0.0, this->out(w), workspace);
  this->exec_.fence();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(to_host(w)(i), 0.0);
  const auto host = Kokkos::create_mirror_view(w);
  host(0) = 0.75;
  host(1) = -0.75;
  host(2) = 0;
  host(3) = 0.375;
  Kokkos::deep_copy(w, host);
  krylite::store(this->exec_, basis, 1, 1.0, 0.75, this->out(w), workspace);
  this->exec_.fence();
  const auto stored = to_host(w);
  EXPECT_NEAR(stored(0), 0.75, 1e-15) << "the largest entry is a code of its own";
  EXPECT_EQ(stored(1), -stored(0));
  EXPECT_EQ(stored(2), 0.0);
}

/// Sum of products of two vectors, and the bound of its rounding in double.
struct Product {
  double value = 0;
  double bound = 0;
};
template <class A, class B>
Product product(std::int64_t n, const A& a, const B& b) {
  long double value = 0, magnitudes = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const long double term = static_cast<long double>(a(i)) * b(i);
    value += term;
    magnitudes += std::fabs(term);
  }
  return {static_cast<double>(value), static_cast<double>(2 * (n + 3) * 0x1p-53L * magnitudes)};
}

/// Runs a sweep with a noisy w, and compares all that it leaves with sums in long double.
template <class Test, class Filled>
void expect_sweep_is_right(const Test& test, const Filled& filled, const Sweep& sweep, Kernel kernel) {
  const auto& vectors = filled.vectors;
  const auto n = static_cast<std::int64_t>(vectors.front().extent(0));
  const auto w = Test::filled(n, 5);
  const auto before = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Test::filled(n, 5));
  const krylite::SweepWorkspace<typename Test::Space> workspace(n, static_cast<Index>(vectors.size()));
  std::vector<double> y;
  for (Index j = 0; j < sweep.add.count(); ++j) y.push_back(noise(j, 55));
  const auto sums = krylite::run_sweep(test.exec_, filled.basis, sweep, y.data(), Test::out(w), workspace, kernel);
  const auto found = to_host(w);
  double largest = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    long double expected = before(i), magnitudes = std::fabs(before(i));
    for (Index j = 0; j < sweep.add.count(); ++j) {
      const long double term = static_cast<long double>(y[j]) * vectors[sweep.add.begin + j](i);
      expected += term;
      magnitudes += std::fabs(term);
    }
    ASSERT_NEAR(found(i), static_cast<double>(expected),
                static_cast<double>(2 * (sweep.add.count() + 4) * 0x1p-53L * magnitudes));
    largest = std::max(largest, std::fabs(found(i)));
  }
  EXPECT_EQ(sums.norms.largest, largest);
  const Product squares = product(n, found, found);
  EXPECT_NEAR(sums.norms.squares, squares.value, squares.bound);
  for (Index j = 0; j < sweep.project.count(); ++j) {
    const auto& column = vectors[sweep.project.begin + j];
    const Product expected = product(n, column, found);
    EXPECT_NEAR(sums.products[j], expected.value, expected.bound) << n << ", column " << j;
    if (!sweep.gram) continue;
    const Product gram = product(n, column, vectors[sweep.project.end - 1]);
    EXPECT_NEAR(sums.gram[j], gram.value, gram.bound) << n << ", column " << j;
  }
}

/// Every kind of sweep on columns in the middle of a basis, in both implementations.
TYPED_TEST(SweepsTest, EverySweepMatchesTheReference) {
  const Sweep sweeps[] = {{{}, {0, 1}},          {{}, {0, 9}},        {{}, {1, 6}, true},  {{0, 9}, {}},
                          {{2, 7}, {2, 7}},      {{0, 11}, {0, 11}},  {{3, 4}, {4, 5}},    {{0, 4}, {0, 8}, true},
                          {{}, {}}};
  for (const std::int64_t n : lengths) {
    const auto filled = this->make_basis(n, 11);
    for (const Sweep& sweep : sweeps) {
      for (const Kernel kernel : {Kernel::automatic, Kernel::portable}) {
        expect_sweep_is_right(*this, filled, sweep, kernel);
      }
    }
  }
}

#ifdef KOKKOS_ENABLE_CUDA
/// Lengths at which blocks and warps of the kernels have several stretches of rows, and all the numbers of columns at
/// which the fused sweep has another shape. Hosts have no kernels that depend on either.
template <class CaseType>
class LongSweepsTest : public SweepsTest<CaseType> {};
TYPED_TEST_SUITE(LongSweepsTest, CasesOn<Kokkos::Cuda>);

TYPED_TEST(LongSweepsTest, EveryNumberOfColumnsMatchesTheReference) {
  const auto filled = this->make_basis(280001, 129);
  for (const Index columns : {28, 29, 56, 57, 80, 81, 104, 105, 128, 129}) {
    const Index begin = 129 - columns;
    expect_sweep_is_right(*this, filled, {{begin, 129}, {begin, 129}}, Kernel::automatic);
  }
  for (const Index columns : {3, 50, 100}) {
    expect_sweep_is_right(*this, filled, {{}, {7, 7 + columns}, true}, Kernel::automatic);
    expect_sweep_is_right(*this, filled, {{7, 7 + columns}, {}}, Kernel::automatic);
  }
}
#endif

/// Rows that differ by twelve decades: with exponents each keeps as many digits as the largest, and every sweep takes
/// them into account.
TYPED_TEST(SweepsTest, RowExponentsKeepSmallRows) {
  using Storage = typename TypeParam::Code;
  for (const std::int64_t n : {std::int64_t(77), std::int64_t(2049)}) {
    const auto graded = [n](std::int64_t i, int seed) { return noise(i, seed) * std::pow(10.0, -12.0 * (i % 7) / 6); };
    const typename TestFixture::Vector w("w", n), magnitudes("magnitudes", n);
    const Kokkos::View<double*, Kokkos::HostSpace> exact("exact", n);
    for (std::int64_t i = 0; i < n; ++i) exact(i) = graded(i, 3) + (i % 7 == 0 ? 0.5 : 0);
    Kokkos::deep_copy(w, exact);
    const krylite::SweepWorkspace<typename TestFixture::Space> workspace(n, 4);
    auto basis = krylite::make_compressed_basis<Storage>(this->exec_, n, 4);
    for (const Kernel kernel : {Kernel::automatic, Kernel::portable}) {
      Kokkos::deep_copy(w, exact);
      krylite::store(this->exec_, basis, 0, 1.0, 1.5, this->out(w), workspace, magnitudes, kernel);
      this->exec_.fence();
      const auto found = to_host(magnitudes);
      for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(found(i), std::fabs(exact(i)));
      if (kernel == Kernel::automatic) Kokkos::deep_copy(magnitudes, 0.0);
    }

    const Kokkos::View<std::int8_t*, typename TestFixture::Space> exponents("exponents", n);
    krylite::Communicator alone;
    krylite::choose_row_exponents(this->exec_, magnitudes, exponents, alone);
    basis.row_exponents = exponents;
    std::vector<Kokkos::View<double*, Kokkos::HostSpace>> vectors;
    for (Index j = 0; j < 4; ++j) {
      Kokkos::deep_copy(w, exact);
      krylite::store(this->exec_, basis, j, 1.0 + j, 1.5, this->out(w), workspace, typename TestFixture::Vector(),
                     j % 2 == 0 ? Kernel::automatic : Kernel::portable);
      this->exec_.fence();
      vectors.push_back(Kokkos::View<double*, Kokkos::HostSpace>("vector", n));
      Kokkos::deep_copy(vectors.back(), w);
      // Entries of one row lie within [1, 2) times its power of two, and the factor is below 2: 6 bits to spare.
      for (std::int64_t i = 0; i < n; ++i) {
        ASSERT_NEAR(vectors[j](i) * (1 + j), exact(i), 0x1p-8 * std::fabs(exact(i))) << i;
      }
    }
    for (const Kernel kernel : {Kernel::automatic, Kernel::portable}) {
      Kokkos::deep_copy(w, exact);
      const std::vector<double> y = {0.1, -0.2, 0.3, 0.4};
      const auto sums = krylite::run_sweep(this->exec_, basis, {{0, 4}, {0, 4}, true}, y.data(), this->out(w),
                                           workspace, kernel);
      const auto after = to_host(w);
      for (std::int64_t i = 0; i < n; ++i) {
        long double expected = exact(i), magnitude = std::fabs(exact(i));
        for (int j = 0; j < 4; ++j) {
          expected += static_cast<long double>(y[j]) * vectors[j](i);
          magnitude += std::fabs(static_cast<long double>(y[j]) * vectors[j](i));
        }
        ASSERT_NEAR(after(i), static_cast<double>(expected), static_cast<double>(20 * 0x1p-53L * magnitude));
      }
      for (Index j = 0; j < 4; ++j) {
        const Product expected = product(n, vectors[j], after);
        EXPECT_NEAR(sums.products[j], expected.value, 2 * expected.bound);
        const Product gram = product(n, vectors[j], vectors[3]);
        EXPECT_NEAR(sums.gram[j], gram.value, 2 * gram.bound);
      }
    }
    krylite::load(this->exec_, basis, 2, this->out(w));
    this->exec_.fence();
    const auto loaded = to_host(w);
    for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(loaded(i), vectors[2](i));
  }
}

TYPED_TEST(SweepsTest, LoadGivesWhatStoreLeft) {
  for (const std::int64_t n : lengths) {
    const auto filled = this->make_basis(n, 3);
    for (Index j = 0; j < 3; ++j) {
      const typename TestFixture::Vector v("v", n);
      krylite::load(this->exec_, filled.basis, j, this->out(v));
      this->exec_.fence();
      const auto loaded = to_host(v);
      for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(loaded(i), filled.vectors[j](i)) << n << ", row " << i;
    }
  }
}

TYPED_TEST(SweepsTest, SweepsRepeatBitForBit) {
  const std::int64_t n = 50000;
  const auto filled = this->make_basis(n, 7);
  const krylite::SweepWorkspace<typename TestFixture::Space> workspace(n, 7);
  const std::vector<double> y(7, 0.1);
  std::vector<std::vector<double>> runs;
  for (int run = 0; run < 2; ++run) {
    const auto w = this->filled(n, 5);
    const auto sums =
        krylite::run_sweep(this->exec_, filled.basis, {{0, 7}, {0, 7}, true}, y.data(), this->out(w), workspace);
    runs.push_back({sums.products, sums.products + sums.count});
  }
  EXPECT_EQ(runs[0].size(), 16u);
  EXPECT_EQ(runs[0], runs[1]);
}

/// Long columns are padded, and what lies between is never read.
TYPED_TEST(SweepsTest, LongColumnsAreApart) {
  using Storage = typename TypeParam::Code;
  const std::int64_t n = 1 << 17;
  const auto basis = krylite::make_compressed_basis<Storage>(this->exec_, n, 2);
  EXPECT_GT(basis.stride, n);
  EXPECT_EQ(basis.stride * static_cast<std::int64_t>(sizeof(Storage)) / 64 % 64, 37);
  EXPECT_EQ(basis.bytes(), (krylite::compressed_basis_bytes<Storage, typename TestFixture::Space>(n, 2)));
  const auto short_columns = krylite::make_compressed_basis<Storage>(this->exec_, 3, 2);
  const bool is_host = krylite::is_host_space<typename TypeParam::ExecutionSpace>;
  EXPECT_EQ(short_columns.stride, is_host ? 3 : 64 / static_cast<std::int64_t>(sizeof(Storage)));
}

TEST(RowScaling, ExponentsFollowTheMagnitudes) {
  const Kokkos::DefaultExecutionSpace exec;
  using Space = typename Kokkos::DefaultExecutionSpace::memory_space;
  const std::vector<double> values = {4, 1, 0.99, 0, 4e-30, 3};
  const Kokkos::View<double*, Space> magnitudes("magnitudes", values.size());
  const Kokkos::View<std::int8_t*, Space> exponents("exponents", values.size());
  const auto host = Kokkos::create_mirror_view(magnitudes);
  for (std::size_t i = 0; i < values.size(); ++i) host(i) = values[i];
  Kokkos::deep_copy(magnitudes, host);
  krylite::Communicator alone;
  EXPECT_FALSE(krylite::choose_row_exponents(exec, magnitudes, exponents, alone)) << "half of the rows are large";
  const auto found = to_host(exponents);
  EXPECT_EQ(std::vector<int>(found.data(), found.data() + 6), (std::vector<int>{0, -2, -3, 0, -60, -1}));
  host(1) = host(5) = host(2) = 0.01;
  host(3) = 0.001;
  host(0) = 100;
  Kokkos::deep_copy(magnitudes, host);
  EXPECT_FALSE(krylite::choose_row_exponents(exec, magnitudes, exponents, alone)) << "a sixth of them is";
  const auto many = Kokkos::View<double*, Space>("many", 100);
  Kokkos::deep_copy(many, 0.001);
  Kokkos::deep_copy(Kokkos::subview(many, 7), 1.0);
  const Kokkos::View<std::int8_t*, Space> their("their", 100);
  EXPECT_TRUE(krylite::choose_row_exponents(exec, many, their, alone));
  Kokkos::deep_copy(magnitudes, 0.0);
  EXPECT_FALSE(krylite::choose_row_exponents(exec, magnitudes, exponents, alone));
}

#if defined(KOKKOS_ENABLE_OPENMP) && defined(KOKKOS_ENABLE_SERIAL)
/// One thread and several give the same bits: the cut into blocks depends on the length alone.
TEST(Sweeps, SerialAndOpenMPAgreeToTheBit) {
  const std::int64_t n = 123457;
  const Kokkos::Serial serial;
  const Kokkos::OpenMP openmp;
  using Space = Kokkos::HostSpace;
  const Kokkos::View<double*, Space> w("w", n);
  for (std::int64_t i = 0; i < n; ++i) w(i) = noise(i);
  const krylite::detail::VectorRef<double, Space> out(w.data(), n);
  const krylite::detail::VectorRef<const double, Space> in(w.data(), n);
  const auto basis = krylite::make_compressed_basis<float>(serial, n, 5);
  const krylite::SweepWorkspace<Space> a(n, 5), b(n, 5);
  for (Index j = 0; j < 5; ++j) krylite::store(serial, basis, j, 1.0 + j, 1.0, out, a);
  const auto one = krylite::run_sweep(serial, basis, {{}, {0, 5}, true}, nullptr, out, a);
  const auto other = krylite::run_sweep(openmp, basis, {{}, {0, 5}, true}, nullptr, out, b);
  // All but the error of storing, which happened once.
  for (int k = 0; k + 1 < one.count; ++k) EXPECT_EQ(one.products[k], other.products[k]) << k;
  EXPECT_EQ(krylite::norms(serial, in, a.norms).squares, krylite::norms(openmp, in, b.norms).squares);
}
#endif

template <class Space>
class NormsTest : public ::testing::Test {};
TYPED_TEST_SUITE(NormsTest, Spaces);

TYPED_TEST(NormsTest, SafeNormNeitherOverflowsNorVanishes) {
  const TypeParam exec;
  using Space = typename TypeParam::memory_space;
  const std::int64_t n = 5000;
  const Kokkos::View<double*, Space> v("v", n);
  const krylite::detail::VectorRef<const double, Space> in(v.data(), n);
  const krylite::NormsWorkspace<Space> workspace(n);
  krylite::Communicator alone;
  for (const double scale : {1.0, 1e200, 1e-200, 1e-300, 1e304}) {
    Kokkos::deep_copy(v, scale);
    const double norm = krylite::norm(exec, in, workspace, alone);
    EXPECT_NEAR(norm / scale, std::sqrt(double(n)), 1e-11) << scale;
  }
  Kokkos::deep_copy(v, 0.0);
  EXPECT_EQ(krylite::norm(exec, in, workspace, alone), 0.0);
}

TYPED_TEST(NormsTest, NonFiniteEntriesShow) {
  const TypeParam exec;
  using Space = typename TypeParam::memory_space;
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    for (const std::int64_t where : {0, 4000, 9999}) {
      const Kokkos::View<double*, Space> v("v", 10000);
      Kokkos::deep_copy(Kokkos::subview(v, where), bad);
      const krylite::detail::VectorRef<const double, Space> in(v.data(), 10000);
      const krylite::NormsWorkspace<Space> workspace(10000);
      krylite::Communicator alone;
      EXPECT_FALSE(std::isfinite(krylite::norm(exec, in, workspace, alone)));
    }
  }
}

}  // namespace
