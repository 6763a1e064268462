#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <krylite/io/matrix_market.hpp>
#include <limits>
#include <string>
#include <vector>

#include "temporary_file.hpp"

namespace {

using krylite::Index;
using krylite::test::error_of;
using krylite::test::read_text;
using krylite::test::TemporaryFile;
using krylite::test::write_text;
using Host = Kokkos::DefaultHostExecutionSpace;
using Vector = Kokkos::View<double*, Kokkos::HostSpace>;

template <class Scalar, class Offset>
krylite::CsrMatrix<Scalar, Offset, Kokkos::HostSpace> make_csr(Index rows, Index cols,
                                                               const std::vector<Offset>& pointers,
                                                               const std::vector<Index>& columns,
                                                               const std::vector<Scalar>& values) {
  using Matrix = krylite::CsrMatrix<Scalar, Offset, Kokkos::HostSpace>;
  const typename Matrix::row_pointers_type p("pointers", pointers.size());
  const typename Matrix::columns_type c("columns", columns.size());
  const typename Matrix::values_type v("values", values.size());
  std::copy(pointers.begin(), pointers.end(), p.data());
  std::copy(columns.begin(), columns.end(), c.data());
  std::copy(values.begin(), values.end(), v.data());
  return Matrix(rows, cols, p, c, v);
}

Vector make_vector(const std::vector<double>& values) {
  const Vector vector("vector", values.size());
  std::copy(values.begin(), values.end(), vector.data());
  return vector;
}

const std::vector<double> awkward = {0.1,      -0.0, 1e300, 4.9e-324, 1.0 / 3, -2.2250738585072014e-308,
                                     1e22,     1e-7, 3,     -123456,  5e-5,    1.7976931348623157e308,
                                     0.1 + 0.2};

TEST(WriteMatrixMarket, WritesTextThatOthersRead) {
  const TemporaryFile file;
  krylite::write_matrix_market(
      file.path(), make_csr<double, std::int32_t>(3, 4, {0, 2, 2, 3}, {3, 0, 1}, {0.5, -3, 1e-300}));
  EXPECT_EQ(read_text(file.path()),
            "%%MatrixMarket matrix coordinate real general\n3 4 3\n1 4 0.5\n1 1 -3\n3 2 1e-300\n");
}

TEST(WriteMatrixMarket, ValuesComeBackExactly) {
  for (const char* extension : {".mtx", ".mtx.gz"}) {
    const TemporaryFile file(extension);
    std::vector<Index> columns(awkward.size());
    for (std::size_t k = 0; k < columns.size(); ++k) columns[k] = static_cast<Index>(k);
    const auto count = static_cast<std::int64_t>(awkward.size());
    const auto csr =
        make_csr<double, std::int64_t>(1, static_cast<Index>(count), {0, count}, columns, awkward);
    krylite::write_matrix_market(file.path(), csr);
    const auto back = krylite::read_matrix_market<double, std::int64_t>(Host(), file.path());
    ASSERT_EQ(back.num_entries(), count);
    EXPECT_EQ(std::memcmp(back.values.data(), awkward.data(), awkward.size() * sizeof(double)), 0);
  }
}

TEST(WriteMatrixMarket, FloatsComeBackExactly) {
  const TemporaryFile file;
  const std::vector<float> values = {0.1f, 3.4028235e38f, 1e-45f, -0.0f};
  krylite::write_matrix_market(file.path(),
                               make_csr<float, std::int32_t>(1, 4, {0, 4}, {0, 1, 2, 3}, values));
  EXPECT_NE(read_text(file.path()).find("1 1 0.1\n"), std::string::npos);
  const auto back = krylite::read_matrix_market<float, std::int32_t>(Host(), file.path());
  EXPECT_EQ(std::memcmp(back.values.data(), values.data(), values.size() * sizeof(float)), 0);
}

TEST(WriteMatrixMarket, EmptyExtents) {
  const TemporaryFile file;
  krylite::write_matrix_market(file.path(), krylite::CsrMatrix<double, std::int64_t, Kokkos::HostSpace>());
  EXPECT_EQ(krylite::read_matrix_market_coordinates(file.path()).num_rows, 0);
  krylite::write_matrix_market(file.path(), make_csr<double, std::int64_t>(2, 0, {0, 0, 0}, {}, {}));
  EXPECT_EQ(read_text(file.path()), "%%MatrixMarket matrix coordinate real general\n2 0 0\n");
}

TEST(WriteMatrixMarket, GzipByName) {
  const TemporaryFile file(".mtx.gz");
  krylite::write_matrix_market_vector(file.path(), make_vector({1, 2}));
  EXPECT_EQ(read_text(file.path()).substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(krylite::read_matrix_market_vector(file.path())(1), 2);
}

TEST(WriteMatrixMarket, ManyEntries) {
  // More than the buffer, in both forms.
  std::vector<double> values(100000);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = 1.0 / static_cast<double>(k + 3);
  for (const char* extension : {".mtx", ".mtx.gz"}) {
    const TemporaryFile file(extension);
    krylite::write_matrix_market_vector(file.path(), make_vector(values));
    const Vector back = krylite::read_matrix_market_vector(file.path());
    ASSERT_EQ(back.extent(0), values.size());
    EXPECT_EQ(std::memcmp(back.data(), values.data(), values.size() * sizeof(double)), 0);
  }
}

TEST(WriteMatrixMarketVector, RoundTrip) {
  for (const std::vector<double>& values : {awkward, std::vector<double>{}, std::vector<double>{7}}) {
    const TemporaryFile file;
    krylite::write_matrix_market_vector(file.path(), make_vector(values));
    const Vector back = krylite::read_matrix_market_vector(file.path());
    ASSERT_EQ(back.extent(0), values.size());
    if (!values.empty()) {
      EXPECT_EQ(std::memcmp(back.data(), values.data(), values.size() * sizeof(double)), 0);
    }
  }
}

TEST(WriteMatrixMarketIntegers, AreWrittenAsTheyAre) {
  const Kokkos::View<std::int64_t*, Kokkos::HostSpace> integers("integers", 3);
  integers(0) = 1;
  integers(1) = -2;
  integers(2) = std::int64_t{1} << 53;
  const TemporaryFile file;
  krylite::write_matrix_market_integers(file.path(), integers);
  EXPECT_EQ(read_text(file.path()),
            "%%MatrixMarket matrix array integer general\n3 1\n1\n-2\n9007199254740992\n");
  EXPECT_EQ(krylite::read_matrix_market_vector(file.path())(2), 0x1p53);
}

/// The error of writing a vector of `count` ones.
std::string write_error(const std::string& path, std::size_t count = 3) {
  return error_of(
      [&] { krylite::write_matrix_market_vector(path, make_vector(std::vector<double>(count, 1))); });
}

TEST(WriteMatrixMarket, RefusesWhatTheFormatLacks) {
  const TemporaryFile file;
  write_text(file.path(), "old");
  const double inf = std::numeric_limits<double>::infinity();
  const std::string error = error_of([&] {
    krylite::write_matrix_market(file.path(), make_csr<double, int>(1, 2, {0, 2}, {0, 1}, {1, inf}));
  });
  EXPECT_EQ(error, file.path() + ": cannot write: entry 2 is inf, which the format lacks");
  EXPECT_NE(error_of([&] { krylite::write_matrix_market_vector(file.path(), make_vector({std::nan("")})); }),
            "");
  EXPECT_EQ(read_text(file.path()), "old");
}

TEST(WriteMatrixMarket, RefusesPlacesThatCannotBeWritten) {
  EXPECT_EQ(write_error("/nonexistent/a.mtx"), "/nonexistent/a.mtx: cannot write: No such file or directory");
  const std::string folder = ::testing::TempDir();
  EXPECT_EQ(write_error(folder), folder + ": cannot write: is a folder");
  EXPECT_NE(write_error(""), "");
  const TemporaryFile file;
  write_text(file.path(), "old");
  ::chmod(file.path().c_str(), 0444);
  if (::access(file.path().c_str(), W_OK) != 0) {  // root may write everything
    EXPECT_EQ(write_error(file.path()), file.path() + ": cannot write: Permission denied");
    EXPECT_EQ(read_text(file.path()), "old");
  }
}

TEST(WriteMatrixMarket, TellsOfAFullDisk) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full here";
  const std::string expected = "/dev/full: cannot write: No space left on device";
  EXPECT_EQ(write_error("/dev/full"), expected);
  EXPECT_EQ(write_error("/dev/full", 1000000), expected);
  const TemporaryFile link(".mtx.gz");  // compressed, which fails in another place
  ASSERT_EQ(::symlink("/dev/full", link.path().c_str()), 0);
  EXPECT_EQ(write_error(link.path()), link.path() + ": cannot write: No space left on device");
  EXPECT_EQ(write_error(link.path(), 1000000), link.path() + ": cannot write: No space left on device");
}

TEST(WriteMatrixMarket, ReplacesAFileAndKeepsItsModeAndLinks) {
  const TemporaryFile file;
  const TemporaryFile link;
  write_text(file.path(), "old");
  ::chmod(file.path().c_str(), 0640);
  ASSERT_EQ(::symlink(file.path().c_str(), link.path().c_str()), 0);
  krylite::write_matrix_market_vector(link.path(), make_vector({5}));
  EXPECT_EQ(read_text(file.path()), "%%MatrixMarket matrix array real general\n1 1\n5\n");
  struct stat status;
  ASSERT_EQ(::lstat(link.path().c_str(), &status), 0);
  EXPECT_TRUE(S_ISLNK(status.st_mode));
  ASSERT_EQ(::stat(file.path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0640u);
}

}  // namespace
