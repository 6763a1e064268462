#include "support/expect.hpp"
#include "support/types.hpp"

#include <krylite/basis/sweeps.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace {

using krylite::BFloat16;
using krylite::Float16;
using krylite::Index;
using krylite::NextVector;
using namespace krylite_test;

template <class CodeType, class Space>
struct Case {
  using Code = CodeType;
  using ExecutionSpace = Space;
};
template <class Space>
using CasesOn = ::testing::Types<Case<double, Space>, Case<float, Space>, Case<Float16, Space>, Case<BFloat16, Space>,
                                 Case<std::int32_t, Space>, Case<std::int16_t, Space>>;
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

/// Largest error that storing an entry may cause, given the vector's largest magnitude.
template <class Code>
double storage_error(double value, double largest) {
  if constexpr (krylite::is_fixed_point<Code>) {
    // Half a step, and the roundings of the two divisions and the product.
    const double step = largest / static_cast<double>(std::numeric_limits<Code>::max());
    return step * (0.5 + 1e-6) + std::fabs(value) * 4 * std::numeric_limits<double>::epsilon();
  } else if constexpr (std::is_same_v<Code, double>) {
    return 0;
  } else {
    // Relative to the code, or half a subnormal; and the roundings of the two divisions and the product.
    const double u = std::is_same_v<Code, float> ? 0x1p-24 : std::is_same_v<Code, Float16> ? 0x1p-11 : 0x1p-8;
    const double half_subnormal = std::is_same_v<Code, Float16> ? 0x1p-40 * largest : 0x1p-134 * largest;
    return std::max(u * std::fabs(value), half_subnormal) + std::fabs(value) * 4 * std::numeric_limits<double>::epsilon();
  }
}

template <class CaseType>
class SweepsTest : public ::testing::Test {
 protected:
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
      krylite::store(exec_, result.basis, j, 2.0, norms.largest, NextVector::stored, out(w));
      exec_.fence();
      result.vectors.push_back(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), w));
    }
    return result;
  }

  typename CaseType::ExecutionSpace exec_;
};
TYPED_TEST_SUITE(SweepsTest, Cases);

constexpr std::int64_t lengths[] = {1, 3, 7, 8, 9, 511, 512, 513, 2047, 2048, 2049, 10007};

TYPED_TEST(SweepsTest, StoreIsWithinTheBoundOfTheStorage) {
  for (const std::int64_t n : lengths) {
    for (const double scale : {1.0, 1e-3, 1e5}) {
      const auto w = this->filled(n, 7, scale);
      const auto before = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), this->filled(n, 7, scale));
      const auto norms = krylite::norms(this->exec_, this->in(w), krylite::NormsWorkspace<typename TestFixture::Space>(n));
      const double divisor = std::sqrt(norms.squares);
      const auto basis = krylite::make_compressed_basis<typename TypeParam::Code>(this->exec_, n, 1);
      krylite::store(this->exec_, basis, 0, divisor, norms.largest, NextVector::stored, this->out(w));
      this->exec_.fence();
      const auto stored = to_host(w);
      for (std::int64_t i = 0; i < n; ++i) {
        const double exact = before(i) / divisor;
        EXPECT_LE(std::fabs(stored(i) - exact),
                  storage_error<typename TypeParam::Code>(exact, norms.largest / divisor))
            << "entry " << i << " of " << n;
      }
    }
  }
}

TYPED_TEST(SweepsTest, StoreCanKeepTheExactVector) {
  const auto w = this->filled(100, 9);
  const auto before = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), this->filled(100, 9));
  const auto basis = krylite::make_compressed_basis<typename TypeParam::Code>(this->exec_, 100, 1);
  krylite::store(this->exec_, basis, 0, 3.0, 1.0, NextVector::exact, this->out(w));
  this->exec_.fence();
  const auto after = to_host(w);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(after(i), before(i) / 3.0);
}

TYPED_TEST(SweepsTest, ZeroVectorAndLargestEntriesSurvive) {
  const auto basis = krylite::make_compressed_basis<typename TypeParam::Code>(this->exec_, 4, 2);
  const typename TestFixture::Vector w("w", 4);
  krylite::store(this->exec_, basis, 0, 1.0, 0.0, NextVector::stored, this->out(w));
  this->exec_.fence();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(to_host(w)(i), 0.0);
  const auto host = Kokkos::create_mirror_view(w);
  host(0) = 0.75;
  host(1) = -0.75;
  host(2) = 0;
  host(3) = 0.375;
  Kokkos::deep_copy(w, host);
  krylite::store(this->exec_, basis, 1, 1.0, 0.75, NextVector::stored, this->out(w));
  this->exec_.fence();
  const auto stored = to_host(w);
  EXPECT_NEAR(stored(0), 0.75, 1e-15) << "the largest entry is a code of its own";
  EXPECT_EQ(stored(1), -stored(0));
  EXPECT_EQ(stored(2), 0.0);
}

TYPED_TEST(SweepsTest, ProjectMatchesTheReference) {
  for (const std::int64_t n : lengths) {
    for (const Index columns : {1, 2, 4, 5, 9}) {
      const auto filled = this->make_basis(n, columns);
      const auto w = this->filled(n, 5);
      const auto host_w = to_host(w);
      const krylite::SweepWorkspace<typename TestFixture::Space> workspace(n, columns);
      krylite::project(this->exec_, filled.basis, columns, this->in(w), workspace);
      for (Index j = 0; j <= columns; ++j) {
        long double expected = 0, magnitudes = 0;
        for (std::int64_t i = 0; i < n; ++i) {
          const long double product = (j < columns ? filled.vectors[j](i) : host_w(i)) * (long double)(host_w(i));
          expected += product;
          magnitudes += std::fabs(product);
        }
        const double bound = static_cast<double>(2 * (n + 2) * 0x1p-53L * magnitudes);
        EXPECT_NEAR(workspace.host_coefficients(j), static_cast<double>(expected), bound) << n << ", column " << j;
      }
    }
  }
}

TYPED_TEST(SweepsTest, CombinationAndItsNormsMatchTheReference) {
  for (const std::int64_t n : lengths) {
    for (const Index columns : {1, 3, 4, 9}) {
      const auto filled = this->make_basis(n, columns);
      const auto w = this->filled(n, 5);
      const auto before = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), this->filled(n, 5));
      const krylite::SweepWorkspace<typename TestFixture::Space> workspace(n, columns);
      for (Index j = 0; j < columns; ++j) workspace.host_coefficients(j) = noise(j, 55);
      Kokkos::deep_copy(workspace.coefficients, workspace.host_coefficients);
      const auto norms = krylite::add_combination(this->exec_, filled.basis, columns, -1.0, this->out(w), workspace);
      const auto found = to_host(w);
      long double squares = 0;
      double largest = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        long double expected = before(i), magnitudes = std::fabs(before(i));
        for (Index j = 0; j < columns; ++j) {
          const long double term = (long double)(noise(j, 55)) * filled.vectors[j](i);
          expected -= term;
          magnitudes += std::fabs(term);
        }
        EXPECT_NEAR(found(i), static_cast<double>(expected),
                    static_cast<double>(2 * (columns + 4) * 0x1p-53L * magnitudes));
        squares += (long double)(found(i)) * found(i);
        largest = std::max(largest, std::fabs(found(i)));
      }
      EXPECT_NEAR(norms.squares, static_cast<double>(squares), static_cast<double>(2 * n * 0x1p-53L * squares));
      EXPECT_EQ(norms.largest, largest);
    }
  }
}

TYPED_TEST(SweepsTest, SweepsRepeatBitForBit) {
  const std::int64_t n = 50000;
  const auto filled = this->make_basis(n, 7);
  const krylite::SweepWorkspace<typename TestFixture::Space> workspace(n, 7);
  std::vector<std::vector<double>> runs;
  for (int run = 0; run < 2; ++run) {
    const auto w = this->filled(n, 5);
    krylite::project(this->exec_, filled.basis, 7, this->in(w), workspace);
    std::vector<double> bits(workspace.host_coefficients.data(), workspace.host_coefficients.data() + 8);
    const auto norms = krylite::add_combination(this->exec_, filled.basis, 7, -1.0, this->out(w), workspace);
    bits.push_back(norms.squares);
    runs.push_back(bits);
  }
  EXPECT_EQ(runs[0], runs[1]);
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
  for (Index j = 0; j < 5; ++j) {
    krylite::store(serial, basis, j, 1.0 + j, 1.0, NextVector::exact, out);
  }
  const krylite::SweepWorkspace<Space> a(n, 5), b(n, 5);
  krylite::project(serial, basis, 5, in, a);
  krylite::project(openmp, basis, 5, in, b);
  for (Index j = 0; j <= 5; ++j) EXPECT_EQ(a.host_coefficients(j), b.host_coefficients(j));
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
  for (const double scale : {1.0, 1e200, 1e-200, 1e-300, 1e304}) {
    Kokkos::deep_copy(v, scale);
    const double norm = krylite::safe_norm(exec, in, krylite::norms(exec, in, workspace), workspace);
    EXPECT_NEAR(norm / scale, std::sqrt(double(n)), 1e-11) << scale;
  }
  Kokkos::deep_copy(v, 0.0);
  EXPECT_EQ(krylite::safe_norm(exec, in, krylite::norms(exec, in, workspace), workspace), 0.0);
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
      EXPECT_FALSE(std::isfinite(krylite::safe_norm(exec, in, krylite::norms(exec, in, workspace), workspace)));
    }
  }
}

}  // namespace
