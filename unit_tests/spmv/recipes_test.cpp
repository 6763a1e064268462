// What has broken other libraries' products, one by one, in every format.

#include "support/product_reference.hpp"
#include "support/product_test.hpp"

#include <krylite/formats/any_matrix.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

namespace {

using krylite::FormatSpec;
using krylite::Index;
using krylite::Kernel;
using krylite::SpmvOptions;
using krylite::Transpose;
using namespace krylite_test;

using Execution = Kokkos::DefaultExecutionSpace;
using Memory = Execution::memory_space;
using Csr = krylite::CsrMatrix<double, std::int32_t, Memory>;
using Vector = Kokkos::View<double*, Memory>;

std::vector<FormatSpec> every_format() {
  std::vector<FormatSpec> formats;
  for (const auto& entry : krylite::format_names) {
    FormatSpec format;
    format.kind = entry.first;
    formats.push_back(format);
  }
  return formats;
}

/// 101 rows with entries all over.
HostCsr hundred_and_one() {
  Rows rows(101);
  for (Index r = 0; r < 101; ++r) {
    for (Index k = 0; k < 1 + r % 17; ++k) rows[r].push_back({(7 * r + 13 * k) % 101, noise(r * 31 + k)});
  }
  return make_csr(101, rows);
}

/// So many rows of few pieces that blocks of threads add those of several, and some of about as many pieces as a block
/// adds by itself, or many more.
HostCsr rows_of_many_pieces() {
  Rows rows(2000);
  for (Index r = 0; r < 2000; ++r) {
    const Index length = r % 97 == 5 ? 1023 + r % 4 : r % 211 == 7 ? 5000 : r % 5;
    for (Index k = 0; k < length; ++k) rows[r].push_back({(r + k) % 5000, noise(r * 5003 + k)});
  }
  return make_csr(5000, rows);
}

TEST(SpmvRecipes, SumsOfManyPiecesAreRightAndRepeat) {
  using Block = Kokkos::View<double**, Kokkos::LayoutLeft, Memory>;
  const Execution exec;
  const HostCsr host = rows_of_many_pieces();
  const Csr csr = convert<double, std::int32_t, Memory>(host);
  FormatSpec format;
  format.kind = krylite::FormatKind::adaptive_rgcsr;
  format.adaptive_rgcsr.piece_length = 1;
  const auto matrix = krylite::to_format(exec, csr, format);
  const Vector x0 = noise_vector<Vector>(5000, 1), x1 = noise_vector<Vector>(5000, 2);
  const Block x("x", 5000, 2), y("y", 2000, 2), again("again", 2000, 2);
  Kokkos::deep_copy(Kokkos::subview(x, Kokkos::ALL(), 0), x0);
  Kokkos::deep_copy(Kokkos::subview(x, Kokkos::ALL(), 1), x1);
  const Vector before = noise_vector<Vector>(2000, 3), found("found", 2000);
  for (const double beta : {0.0, 2.0}) {
    for (const Block& block : {y, again}) {
      for (int v = 0; v < 2; ++v) Kokkos::deep_copy(Kokkos::subview(block, Kokkos::ALL(), v), before);
      krylite::spmv(exec, -1.5, matrix, x, beta, block);
    }
    for (int v = 0; v < 2; ++v) {
      const ProductReference reference(host, false, to_host(v == 0 ? x0 : x1));
      Kokkos::deep_copy(found, Kokkos::subview(y, Kokkos::ALL(), v));
      EXPECT_LE(reference.error<double>(-1.5, beta, to_host(before), to_host(found)), 1.0) << v;
      const Vector single("single", 2000);
      Kokkos::deep_copy(single, before);
      krylite::spmv(exec, -1.5, matrix, v == 0 ? x0 : x1, beta, single);
      EXPECT_LE(reference.error<double>(-1.5, beta, to_host(before), to_host(single)), 1.0) << v;
      const auto a = to_host(y), b = to_host(again);
      for (std::size_t row = 0; row < 2000; ++row) ASSERT_EQ(a(row, v), b(row, v)) << row;
    }
  }
}

TEST(SpmvRecipes, YMayBeginAtAnyMultipleOfItsEntries) {
  const Execution exec;
  const HostCsr host = hundred_and_one();
  const Csr csr = convert<double, std::int32_t, Memory>(host);
  const Vector x = noise_vector<Vector>(101, 1);
  const ProductReference reference(host, false, to_host(x));
  for (const FormatSpec& format : every_format()) {
    const auto matrix = krylite::to_format(exec, csr, format);
    for (std::size_t shift = 0; shift < 9; ++shift) {
      const Vector block("block", 120), none("none", 101), found("found", 101);
      const auto y = Kokkos::subview(block, std::make_pair(shift, shift + 101));
      krylite::spmv(exec, 1.0, matrix, x, 0.0, y);
      Kokkos::deep_copy(found, y);
      EXPECT_LE(reference.error<double>(1, 0, to_host(none), to_host(found)), 1.0) << name(format.kind);
      const auto all = to_host(block);
      for (std::size_t i = 0; i < 120; ++i) EXPECT_TRUE((i >= shift && i < shift + 101) || all(i) == 0);
    }
  }
}

TEST(SpmvRecipes, ManyRowsAndFewColumnsTransposed) {
  const Execution exec;
  constexpr Index num_rows = 4337, num_cols = 181;
  Rows rows(num_rows);
  for (Index r = 0; r < num_rows; ++r) {
    for (Index c = r % 3; c < num_cols; c += 1 + r % 2) rows[r].push_back({c, noise(r * 181 + c)});
  }
  const HostCsr host = make_csr(num_cols, rows);
  const Csr csr = convert<double, std::int32_t, Memory>(host);
  const Vector x = noise_vector<Vector>(num_rows, 2), none("none", num_cols), y("y", num_cols);
  const ProductReference reference(host, true, to_host(x));
  for (const FormatSpec& format : every_format()) {
    krylite::spmv(exec, 1.0, krylite::to_format(exec, csr, format), x, 0.0, y, {Transpose::yes});
    exec.fence();
    EXPECT_LE(reference.error<double>(1, 0, to_host(none), to_host(y)), 1.0) << name(format.kind);
  }
}

TEST(SpmvRecipes, CsrSeesNewValuesAtOnceAndTheOthersAfterAnUpdate) {
  const Execution exec;
  const HostCsr host = hundred_and_one();
  const Csr csr = convert<double, std::int32_t, Memory>(host);
  const Vector x = noise_vector<Vector>(101, 3), expected("expected", 101), y("y", 101);
  for (const FormatSpec& format : every_format()) {
    Kokkos::deep_copy(csr.values, convert<double, std::int32_t, Memory>(host).values);
    auto any = krylite::to_format(exec, csr, format);
    Kokkos::deep_copy(csr.values, noise_vector<Vector>(csr.values.extent(0), 4));
    std::visit(
        [&](const auto& matrix) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(matrix)>, Csr>) krylite::update_values(exec, csr, matrix);
        },
        any);
    expect_same_matrix(csr, krylite::to_csr(exec, any), name(format.kind));
    krylite::spmv(exec, 1.0, any, x, 0.0, y);
    krylite::spmv(exec, 1.0, krylite::to_format(exec, csr, format), x, 0.0, expected);
    exec.fence();
    expect_same_bits(expected, y, name(format.kind));
  }
}

TEST(SpmvRecipes, NarrowValuesAreSummedInTheVectorsPrecision) {
  const Execution exec;
  const auto csr = convert<float, std::int32_t, Memory>(make_csr(2, {{{0, 1.0}, {1, 0x1p-25}}}));
  const Vector x("x", 2), y("y", 1);
  Kokkos::deep_copy(x, 1.0);
  for (const FormatSpec& format : every_format()) {
    for (const Kernel kernel : {Kernel::portable, Kernel::automatic}) {
      SpmvOptions options;
      options.kernel = kernel;
      krylite::spmv(exec, 1.0, krylite::to_format(exec, csr, format), x, 0.0, y, options);
      exec.fence();
      EXPECT_EQ(to_host(y)(0), 1.0 + 0x1p-25) << name(format.kind);
    }
  }
}

/// So many short rows that each thread of a device has several, one in a thousand longer than the others, and a last
/// group that is not full.
template <class V, class T>
void expect_many_short_rows_are_right(Index longest) {
  constexpr Index size = 700003;
  Rows rows(size);
  for (Index r = 0; r < size; ++r) {
    const Index length = r % 1009 == 17 ? longest + 9 : r % 13 == 5 ? r % (longest + 1) : longest;
    for (Index k = 0; k < length; ++k) rows[r].push_back({std::min(r, size - 20) + k, float(noise(31 * r + k))});
  }
  const HostCsr host = make_csr(size, rows);
  const Execution exec;
  const auto csr = convert<V, std::int32_t, Memory>(host);
  using Entries = Kokkos::View<T*, Memory>;
  const auto x = noise_vector<Entries>(size, 1), before = noise_vector<Entries>(size, 2);
  const ProductReference reference(host, false, to_host(x));
  for (const bool packed : {true, false}) {
    krylite::RgCsrOptions options;
    options.packed = packed;
    const auto matrix = krylite::to_rgcsr(exec, csr, options);
    EXPECT_EQ(matrix.is_packed(), packed);
    const Entries y("y", size);
    Kokkos::deep_copy(y, before);
    krylite::spmv(exec, T(2), matrix, x, T(-1), y);
    exec.fence();
    EXPECT_LE(reference.error<T>(2, -1, to_host(before), to_host(y)), 1.0) << longest << ", packed " << packed;
  }
}

TEST(SpmvRecipes, ManyShortRowsAndFewLongerOnes) {
  for (const Index longest : {3, 5, 7}) {
    expect_many_short_rows_are_right<double, double>(longest);
    expect_many_short_rows_are_right<float, float>(longest);
    expect_many_short_rows_are_right<float, double>(longest);
  }
}

/// Offsets from the base that would pass for neighbours if they were compared in 16 bits.
TEST(SpmvRecipes, PackedColumnsAtTheEndOf16Bits) {
  const Execution exec;
  for (Index last = 65528; last <= 65535; ++last) {
    Rows rows(8);
    for (Index k = 0; k < 6; ++k) rows[0].push_back({last + k, noise(k)});
    for (Index r = 1; r < 8; ++r) {
      for (Index k = 0; k < 6; ++k) rows[r].push_back({(last + r) % 65536 + k, noise(10 * r + k)});
    }
    const HostCsr host = make_csr(65541, rows);
    const auto rgcsr = krylite::to_rgcsr(exec, convert<double, std::int32_t, Memory>(host), {8});
    EXPECT_EQ(rgcsr.is_packed(), true) << last;
    const Vector x = noise_vector<Vector>(65541, 1), none("none", 8), y("y", 8);
    krylite::spmv(exec, 1.0, rgcsr, x, 0.0, y);
    exec.fence();
    EXPECT_LE(ProductReference(host, false, to_host(x)).error<double>(1, 0, to_host(none), to_host(y)), 1.0) << last;
  }
}

TEST(SpmvRecipes, LettersOfTheModeInEitherCase) {
  for (const char letter : {'N', 'n'}) EXPECT_EQ(krylite::parse_transpose(letter), Transpose::no);
  for (const char letter : {'T', 't', 'C', 'c'}) EXPECT_EQ(krylite::parse_transpose(letter), Transpose::yes);
  expect_error([] { krylite::parse_transpose('x'); }, "'x'");
}

TEST(SpmvRecipes, RefusesBlocksAndKernelsThatDoNotFit) {
  const Execution exec;
  const Csr csr = convert<double, std::int32_t, Memory>(hundred_and_one());
  const Kokkos::View<double**, Memory> two("x", 101, 2), three("y", 101, 3);
  expect_error([&] { krylite::spmv(exec, 1.0, csr, two, 0.0, three); }, "2 vectors", "y 3");
  const Csr wide = convert<double, std::int32_t, Memory>(make_csr(5, Rows(4)));
  const Vector four("x", 4), five("y", 5);
  expect_error([&] { krylite::spmv(exec, 1.0, wide, four, 0.0, five); }, "4 x 5", "x has 4", "y 5");
  EXPECT_NO_THROW(krylite::spmv(exec, 1.0, wide, four, 0.0, five, {Transpose::yes}));
}

TEST(SpmvRecipes, RefusesAKernelThatTheHostDoesNotHave) {
  const Kokkos::DefaultHostExecutionSpace host;
  using HostVector = Kokkos::View<double*, Kokkos::HostSpace>;
  const auto coo = krylite::to_coo(host, convert<double, std::int32_t, Kokkos::HostSpace>(hundred_and_one()));
  SpmvOptions native;
  native.kernel = Kernel::native;
  expect_error([&] { krylite::spmv(host, 1.0, coo, HostVector("x", 101), 0.0, HostVector("y", 101), native); },
               "no native kernel");
}

TEST(SpmvRecipes, AWorkspaceOfOnesOwnGrowsAndIsUsedAgain) {
  const Execution exec;
  const Csr csr = convert<double, std::int32_t, Memory>(hundred_and_one());
  const Vector x = noise_vector<Vector>(101, 1), y("y", 101), again("y", 101);
  krylite::SpmvWorkspace<Memory> workspace;
  EXPECT_EQ(workspace.bytes(), 0u);
  const auto coo = krylite::to_coo(exec, csr);
  krylite::spmv(exec, 1.0, coo, x, 0.0, y, workspace);
  const std::size_t bytes = workspace.bytes();
  EXPECT_GT(bytes, 0u);
  krylite::spmv(exec, 1.0, coo, x, 0.0, again, workspace);
  exec.fence();
  EXPECT_EQ(workspace.bytes(), bytes);
  expect_same_bits(y, again, "twice");
}

// A Kokkos that has the Serial backend alone may count the owners of Views without atomic operations (before Kokkos 4 it
// always does): host threads must not share Views there.
#if defined(KOKKOS_ENABLE_SERIAL) && !defined(KOKKOS_INTERNAL_NOT_PARALLEL) && !defined(KOKKOS_ENABLE_ATOMICS_BYPASS)
TEST(SpmvRecipes, OneMatrixInTwoHostThreadsAtOnce) {
  const HostCsr host = hundred_and_one();
  const auto csr = convert<double, std::int32_t, Kokkos::HostSpace>(host);
  for (const FormatSpec& format : every_format()) {
    const auto matrix = krylite::to_format(Kokkos::Serial(), csr, format);
    // Made here, since older OpenMP backends initialize Views in the first thread alone.
    const Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> x("x", 101, 2), y("y", 101, 2);
    const Kokkos::View<double*, Kokkos::HostSpace> none("none", 101);
    double worst[2] = {0, 0};
    const auto multiply_often = [&](int v) {
      const auto x_v = Kokkos::subview(x, Kokkos::ALL(), v);
      const auto y_v = Kokkos::subview(y, Kokkos::ALL(), v);
      for (Index i = 0; i < 101; ++i) x_v(i) = noise(i, 5 + v);
      const ProductReference reference(host, false, x_v);
      for (int repeat = 0; repeat < 200; ++repeat) {
        krylite::spmv(Kokkos::Serial(), 1.0, matrix, x_v, 0.0, y_v);
        worst[v] = std::fmax(worst[v], reference.error<double>(1, 0, none, y_v));
      }
    };
    std::thread other(multiply_often, 0);
    multiply_often(1);
    other.join();
    EXPECT_LE(worst[0], 1.0) << name(format.kind);
    EXPECT_LE(worst[1], 1.0) << name(format.kind);
  }
}
#endif

}  // namespace
