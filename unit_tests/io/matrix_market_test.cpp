#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstdint>
#include <krylite/io/matrix_market.hpp>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "temporary_file.hpp"

namespace {

using krylite::Coordinates;
using krylite::Index;
using krylite::test::compress;
using krylite::test::error_of;
using krylite::test::TemporaryFile;
using krylite::test::write_text;
using Host = Kokkos::DefaultHostExecutionSpace;

const std::string general = "%%MatrixMarket matrix coordinate real general\n";
const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n";
const std::string integer = "%%MatrixMarket matrix coordinate integer general\n";
const std::string pattern = "%%MatrixMarket matrix coordinate pattern general\n";
const std::string array = "%%MatrixMarket matrix array real general\n";

/// Coordinates as text: "3x4: (1,1)=10 (3,2)=-0.5", counted from 1.
std::string describe(const Coordinates& matrix) {
  std::ostringstream text;
  text.precision(17);
  text << matrix.num_rows << "x" << matrix.num_cols << ":";
  for (std::size_t k = 0; k < matrix.values.size(); ++k)
    text << " (" << matrix.rows[k] + 1 << "," << matrix.columns[k] + 1 << ")=" << matrix.values[k];
  return text.str();
}

std::string read_description(const std::string& content) {
  const TemporaryFile file;
  write_text(file.path(), content);
  return describe(krylite::read_matrix_market_coordinates(file.path()));
}

/// The message without the path; the rest begins with ":LINE: " or ": ".
std::string read_error(const std::string& content) {
  const TemporaryFile file;
  write_text(file.path(), content);
  const std::string error = error_of([&] { krylite::read_matrix_market_coordinates(file.path()); });
  if (error.compare(0, file.path().size(), file.path()) != 0) return "no path in: " + error;
  return error.substr(file.path().size());
}

struct LegalCase {
  const char* what;
  std::string content;
  std::string expected;
};

const LegalCase legal_cases[] = {
    {"plain", general + "2 3 2\n1 1 10\n2 3 -0.5\n", "2x3: (1,1)=10 (2,3)=-0.5"},
    {"no newline at the end", general + "1 1 1\n1 1 2", "1x1: (1,1)=2"},
    {"no newline after the size line", general + "5 4 0", "5x4:"},
    {"CRLF", "%%MatrixMarket matrix coordinate real general\r\n% c\r\n1 1 1\r\n\r\n1 1 2\r\n",
     "1x1: (1,1)=2"},
    {"lone CR", "%%MatrixMarket matrix coordinate real general\r% c\r1 1 1\r\r1 1 2\r", "1x1: (1,1)=2"},
    {"lone CR, none at the end", "%%MatrixMarket matrix coordinate real general\r1 1 1\r1 1 2",
     "1x1: (1,1)=2"},
    {"tabs and many blanks", general + " \t2\t 2  1 \n\t 2 \t1\t\t 7 \t \n", "2x2: (2,1)=7"},
    {"upper case", "%%MATRIXMARKET MATRIX COORDINATE REAL GENERAL\n1 1 1\n1 1 2\n", "1x1: (1,1)=2"},
    {"mixed case", "%%matrixmarket Matrix Coordinate Integer Skew-Symmetric\n2 2 1\n2 1 2\n",
     "2x2: (2,1)=2 (1,2)=-2"},
    {"blanks in the banner", " %%MatrixMarket \t matrix  coordinate\treal   general  \n1 1 1\n1 1 2\n",
     "1x1: (1,1)=2"},
    {"byte-order mark", "\xEF\xBB\xBF" + general + "1 1 1\n1 1 2\n", "1x1: (1,1)=2"},
    {"comments and blank lines everywhere",
     general + "\n% a\n  % b\n\n\t\n2 2 2\n\n% c\n1 1 1\n \t% d\n\n2 2 2\n% e\n\n", "2x2: (1,1)=1 (2,2)=2"},
    {"signs of indices", general + "+2 +2 +1\n+2 +1 +7\n", "2x2: (2,1)=7"},
    {"leading zeros", general + "02 02 01\n002 0001 007\n", "2x2: (2,1)=7"},
    {"integers", integer + "1 2 2\n1 1 -3\n1 2 +4\n", "1x2: (1,1)=-3 (1,2)=4"},
    {"integer of many digits", integer + "1 2 2\n1 1 123456789012345678901234567890\n1 2 9007199254740993\n",
     "1x2: (1,1)=1.2345678901234568e+29 (1,2)=9007199254740992"},
    {"pattern", pattern + "2 2 2\n2 1\n1 2\n", "2x2: (2,1)=1 (1,2)=1"},
    {"pattern symmetric", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n",
     "2x2: (1,1)=1 (2,1)=1 (1,2)=1"},
    {"symmetric", symmetric + "3 3 3\n1 1 1\n3 1 2\n3 3 3\n", "3x3: (1,1)=1 (3,1)=2 (1,3)=2 (3,3)=3"},
    {"skew-symmetric", skew + "3 3 2\n2 1 5\n3 2 -6\n", "3x3: (2,1)=5 (1,2)=-5 (3,2)=-6 (2,3)=6"},
    {"explicit zeros are entries", general + "1 2 2\n1 1 0\n1 2 -0.0\n", "1x2: (1,1)=0 (1,2)=-0"},
    {"duplicates are kept by the reader", general + "1 1 3\n1 1 1\n1 1 2\n1 1 3\n",
     "1x1: (1,1)=1 (1,1)=2 (1,1)=3"},
    {"array", array + "2 3\n1\n2\n3\n4\n5\n6\n", "2x3: (1,1)=1 (2,1)=2 (1,2)=3 (2,2)=4 (1,3)=5 (2,3)=6"},
    {"zeros of an array are not entries", array + "2 2\n0\n2\n-0.0\n4\n", "2x2: (2,1)=2 (2,2)=4"},
    {"array integer", "%%MatrixMarket matrix array integer general\n1 2\n1\n2\n", "1x2: (1,1)=1 (1,2)=2"},
    {"array symmetric", "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n",
     "2x2: (1,1)=1 (2,1)=2 (1,2)=2 (2,2)=3"},
    {"array skew-symmetric", "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n",
     "3x3: (2,1)=1 (1,2)=-1 (3,1)=2 (1,3)=-2 (3,2)=3 (2,3)=-3"},
    {"array skew-symmetric 1 x 1", "%%MatrixMarket matrix array real skew-symmetric\n1 1\n", "1x1:"},
    {"array of no rows", array + "0 2147483647\n", "0x2147483647:"},
    {"0 x 0", general + "0 0 0\n", "0x0:"},
    {"m x 0", general + "3 0 0\n", "3x0:"},
    {"0 x n", general + "0 4 0\n", "0x4:"},
    {"largest extents", general + "2147483647 2147483647 1\n2147483647 2147483647 1\n",
     "2147483647x2147483647: (2147483647,2147483647)=1"},
};

TEST(MatrixMarketReader, ReadsWhatIsLegal) {
  for (const LegalCase& test : legal_cases) {
    SCOPED_TRACE(test.what);
    EXPECT_EQ(error_of([&] { EXPECT_EQ(read_description(test.content), test.expected); }), "");
    EXPECT_EQ(error_of([&] { EXPECT_EQ(read_description(compress(test.content)), test.expected); }), "");
  }
}

struct NumberCase {
  const char* word;
  double expected;
};

const NumberCase numbers[] = {
    {"1d-5", 1e-5},
    {"1.D+05", 1e5},
    {"1.25d0", 1.25},
    {"0.12345678901234567D+02", 12.345678901234567},
    {"1E+300", 1e300},
    {"+3", 3},
    {".5", 0.5},
    {"-.5", -0.5},
    {"5.", 5},
    {"-0.0", -0.0},
    {"0", 0.0},
    {"-0e999999999999", -0.0},
    {"1e-400", 0.0},
    {"-1e-400", -0.0},
    {"1d-99999999999999999999", 0.0},
    {"4.9e-324", 4.9e-324},
    {"2.2250738585072011e-308", 2.2250738585072011e-308},
    {"1.7976931348623157e308", 1.7976931348623157e308},
    {"9007199254740993", 9007199254740992.0},
    {"9007199254740993.0000000000000000000000000001", 9007199254740994.0},
    {"0.1000000000000000055511151231257827021181583404541015625", 0.1},
    {"0.000000000000000000000000000000000000000000000000001", 1e-51},
    {"00000000000000000000000000000000000012", 12},
    {"123456789012345678901234567890e-29", 1.2345678901234567890},
    {"8.5e-10", 8.5e-10},
    {"3e22", 3e22},
    {"3e23", 3e23},
    {"1234567890123456789D-18", 1.234567890123456789},
};

TEST(MatrixMarketReader, ReadsNumbersAsCAndFortranWriteThem) {
  for (const NumberCase& test : numbers) {
    SCOPED_TRACE(test.word);
    const TemporaryFile file;
    write_text(file.path(), general + "1 1 1\n1 1 " + test.word + "\n");
    const Coordinates matrix = krylite::read_matrix_market_coordinates(file.path());
    EXPECT_EQ(matrix.values[0], test.expected);
    EXPECT_EQ(std::signbit(matrix.values[0]), std::signbit(test.expected));
  }
}

struct IllegalCase {
  std::string content;
  int line;  // 0: none
  const char* fragment;
};

const IllegalCase illegal_banners[] = {
    {"", 0, "empty"},
    {"\xEF\xBB\xBF", 0, "empty"},
    {"\n" + general + "1 1 0\n", 1, "not a Matrix Market file"},
    {"1 1 1\n0 0 5\n", 1, "not a Matrix Market file"},
    {"%MatrixMarket matrix coordinate real general\n1 1 0\n", 1, "not a Matrix Market file"},
    {"%%MatrixMarketX matrix coordinate real general\n1 1 0\n", 1, "not a Matrix Market file"},
    {"%%MatrixMarket\n", 1, "before its object"},
    {"%%MatrixMarket vector coordinate real general\n3\n", 1, "'vector' is not supported"},
    {"%%MatrixMarket tensor array real general\n3\n", 1, "'tensor' is not supported"},
    {"%%MatrixMarket mtx array real general\n3 1\n", 1, "'mtx' is not supported"},
    {"%%MatrixMarket matrix\n", 1, "before its format"},
    {"%%MatrixMarket matrix coord real general\n", 1, "unknown format 'coord'"},
    {"%%MatrixMarket matrix coordinate\n", 1, "before its field"},
    {"%%MatrixMarket matrix coordinate double general\n", 1, "unknown field 'double'"},
    {"%%MatrixMarket matrix coordinate complex general\n", 1, "complex matrices are not supported"},
    {"%%MatrixMarket matrix coordinate complex hermitian\n", 1, "complex matrices are not supported"},
    {"%%MatrixMarket matrix coordinate real hermitian\n", 1, "hermitian matrix must be complex"},
    {"%%MatrixMarket matrix coordinate integer Hermitian\n", 1, "hermitian matrix must be complex"},
    {"%%MatrixMarket matrix coordinate real\n2 2 0\n", 1, "before its symmetry"},
    {"%%MatrixMarket matrix coordinate real skew\n", 1, "unknown symmetry 'skew'"},
    {"%%MatrixMarket matrix coordinate real general extra\n", 1, "unexpected 'extra'"},
    {"%%MatrixMarket matrix coordinate pattern skew-symmetric\n", 1, "pattern has no signs"},
    {"%%MatrixMarket matrix array pattern general\n", 1, "array has no pattern"},
    {std::string("\x7f"
                 "ELF\0\1\2\3\n\xff\xfe\0",
                 12),
     1, "not a Matrix Market file"},
};

const IllegalCase illegal_sizes[] = {
    {general, 1, "ends before the size line"},
    {general + "% a\n\n", 3, "ends before the size line"},
    {general + "3\n", 2, "before the number of columns"},
    {general + "3 3\n", 2, "before the number of entries"},
    {general + "3 3 1 1 0\n1 1 1\n", 2, "unexpected '1'"},
    {array + "3 3 9\n", 2, "unexpected '9'"},
    {array + "3\n", 2, "before the number of columns"},
    {general + "-3 3 1\n", 2, "rows is negative: '-3'"},
    {general + "3 3 -1\n", 2, "entries is negative"},
    {general + "3.0 3 1\n", 2, "not a whole number: '3.0'"},
    {general + "3 x 1\n", 2, "not a whole number: 'x'"},
    {general + "3 + 1\n", 2, "not a whole number: '+'"},
    {general + "2147483648 1 0\n", 2, "rows, '2147483648', does not fit 32-bit"},
    {general + "1 99999999999999999999 0\n", 2, "columns, '99999999999999999999', does not fit 32-bit"},
    {general + "1 1 9223372036854775808\n", 2, "does not fit 64-bit"},
    {general + "9999999999999 99999999999999999999999999 99999999999999999999\n", 2, "does not fit 32-bit"},
    {array + "4294967296 4294967296\n", 2, "does not fit 32-bit"},
    {array + "2147483647 2147483647\n1\n", 3, "after 1 of 4611686014132420609 entries"},
    {general + "3 0 2\n1 1 1\n", 2, "has no entries, but 2"},
    {symmetric + "4 3 0\n", 2, "4 x 3 cannot be symmetric"},
    {general + "10 10 1000000000000\n1 1 1\n", 3, "after 1 of 1000000000000 entries"},
    {general + "10 10 9223372036854775807\n1 1 1", 3, "after 1 of 9223372036854775807 entries"},
};

const IllegalCase illegal_entries[] = {
    {general + "2 2 2\n1 1 1\n", 3, "the file ends after 1 of 2 entries"},
    {general + "2 2 2\n1 1 1\n\n% end\n", 5, "the file ends after 1 of 2 entries"},
    {general + "2 2 1\n1 1 1\n\n2 2 2\n2 1 3\n", 5, "more than the 1 of the size line (line 2)"},
    {array + "2 1\n1\n2\n3\n", 5, "more than the 2"},
    {array + "2 2\n1\n2\n3\n", 5, "after 3 of 4 entries"},
    {array + "2 1\n1 2\n", 3, "unexpected '2' after the entry"},
    {"%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n4\n", 6, "more than the 3"},
    {"%%MatrixMarket matrix array real skew-symmetric\n2 2\n1\n2\n", 4, "more than the 1"},
    {general + "2 2 1\n0 1 1\n", 3, "row index '0' is below 1"},
    {general + "2 2 1\n1 0 1\n", 3, "column index '0' is below 1"},
    {general + "2 2 1\n1 -1 1\n", 3, "column index '-1' is below 1"},
    {general + "2 3 1\n3 1 1\n", 3, "row index '3' is beyond the 2 rows"},
    {general + "2 3 1\n1 4 1\n", 3, "column index '4' is beyond the 3 columns"},
    {general + "2 3 1\n1 18446744073709551617 1\n", 3, "is beyond the 3 columns"},
    {general + "2 2 1\n1.0 1 1\n", 3, "row index is not a whole number: '1.0'"},
    {general + "2 2 1\n1 1d0 1\n", 3, "column index is not a whole number: '1d0'"},
    {general + "2 2 1\nabc\n", 3, "row index is not a whole number: 'abc'"},
    {general + "2 2 1\n1\n", 3, "column index is missing"},
    {general + "2 2 1\n1 1\n", 3, "value is missing"},
    {general + "2 2 1\n1 1 1 4\n", 3, "unexpected '4' after the entry"},
    {general + "2 2 1\n1 1 1 % c\n", 3, "unexpected '%' after the entry"},
    {pattern + "2 2 1\n1 1 1\n", 3, "unexpected '1' after the entry"},
    {symmetric + "2 2 1\n1 2 1\n", 3, "(1, 2) is above the diagonal"},
    {skew + "2 2 1\n1 2 1\n", 3, "(1, 2) is above the diagonal"},
    {skew + "2 2 1\n2 2 0\n", 3, "(2, 2) is on the diagonal"},
    {"%%MatrixMarket matrix coordinate real general\r2 2 1\r\r1 5 1\r", 4, "beyond"},
    {"%%MatrixMarket matrix coordinate real general\r\n2 2 1\r\n\r\n1 5 1\r\n", 4, "beyond"},
    {general + "2 2 1\n1 1 " + std::string(100000, '7') + "x\n", 3, "is not a number"},
    {general + "2 2 1\n1 1 \x01\x80z\n", 3, "'\?\?z' is not a number"},
    {general + "2 2 1\n1 1 1" + std::string(1, '\0') + "\n", 3, "is not a number"},
};

void expect_errors(const IllegalCase* begin, const IllegalCase* end) {
  for (const IllegalCase* test = begin; test != end; ++test) {
    SCOPED_TRACE(test->content.substr(0, 200));
    const std::string error = read_error(test->content);
    const std::string place = test->line == 0 ? ": " : ":" + std::to_string(test->line) + ": ";
    EXPECT_EQ(error.substr(0, place.size()), place) << error;
    EXPECT_NE(error.find(test->fragment), std::string::npos) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    EXPECT_LT(error.size(), 200u);
    EXPECT_EQ(read_error(compress(test->content)), error);
  }
}

TEST(MatrixMarketReader, RefusesIllegalBanners) {
  expect_errors(std::begin(illegal_banners), std::end(illegal_banners));
}

TEST(MatrixMarketReader, RefusesIllegalSizes) {
  expect_errors(std::begin(illegal_sizes), std::end(illegal_sizes));
}

TEST(MatrixMarketReader, RefusesIllegalEntries) {
  expect_errors(std::begin(illegal_entries), std::end(illegal_entries));
}

TEST(MatrixMarketReader, RefusesIllegalNumbers) {
  const auto error_for = [](const std::string& banner, const std::string& word) {
    return read_error(banner + "1 1 1\n1 1 " + word + "\n");
  };
  for (const char* word : {"inf", "-Infinity", "+INF", "nan", "NaN", "-nan(0x1)"})
    EXPECT_NE(error_for(general, word).find(":3: the value '" + std::string(word) + "' is not finite"),
              std::string::npos)
        << error_for(general, word);
  for (const char* word : {"0x10", "1_000", "text", "1e", "1e+", ".", "-", "+-3", "1,5", "1.2.3", "e5", "--1",
                           "1.5+300", "3i", "'1'"})
    EXPECT_EQ(error_for(general, word).find(":3: the value '" + std::string(word) + "' is not a number"), 0u)
        << error_for(general, word);
  for (const char* word : {"1e400", "-1d400", "1.7976931348623159e308", "1e99999999999999999999"})
    EXPECT_NE(error_for(general, word).find("is too large"), std::string::npos) << error_for(general, word);
  for (const char* word : {"1.5", "5.", "1e3", "2d0"})
    EXPECT_NE(error_for(integer, word).find("is not an integer"), std::string::npos);
  EXPECT_NE(error_for(integer, std::string(400, '9')).find("is too large"), std::string::npos);
}

TEST(MatrixMarketReader, RefusesWhatCannotBeOpened) {
  const auto error_for = [](const std::string& path) {
    return error_of([&] { krylite::read_matrix_market_coordinates(path); });
  };
  EXPECT_EQ(error_for("/nonexistent/a.mtx"), "/nonexistent/a.mtx: cannot open: No such file or directory");
  const std::string folder = ::testing::TempDir();
  EXPECT_EQ(error_for(folder), folder + ": is a folder, not a file");
  const TemporaryFile file;
  write_text(file.path(), general + "1 1 0\n");
  ::chmod(file.path().c_str(), 0);
  if (::access(file.path().c_str(), R_OK) != 0) {  // root may read everything
    EXPECT_EQ(error_for(file.path()), file.path() + ": cannot open: Permission denied");
  }
}

TEST(MatrixMarketReader, RecognisesGzipByContent) {
  const std::string content = general + "1 1 1\n1 1 2\n";
  const TemporaryFile plain(".mtx.gz");
  write_text(plain.path(), content);
  EXPECT_EQ(describe(krylite::read_matrix_market_coordinates(plain.path())), "1x1: (1,1)=2");
  EXPECT_EQ(read_description(compress(general + "2 2 2\n1 1 ") + compress("1\n2 2 2\n")),
            "2x2: (1,1)=1 (2,2)=2");
}

/// A legal file of many lines, whose gzip is of some size.
std::string long_file(int entries) {
  std::string text = general + std::to_string(entries) + " 1 " + std::to_string(entries) + "\n";
  for (int k = 1; k <= entries; ++k) text += std::to_string(k) + " 1 " + std::to_string(1.0 / k) + "\n";
  return text;
}

TEST(MatrixMarketReader, RefusesDamagedGzip) {
  const std::string whole = compress(long_file(20000));
  for (const std::size_t length : {std::size_t{3}, std::size_t{20}, whole.size() / 2, whole.size() - 1}) {
    EXPECT_EQ(read_error(whole.substr(0, length)), ": the gzip data ends too early: the file is truncated");
  }
  std::string damaged = whole;
  damaged[damaged.size() - 6] ^= 1;  // in the checksum, which is found wrong after every entry was read
  EXPECT_EQ(read_error(damaged), ": the gzip data is damaged: incorrect data check");
}

TEST(MatrixMarketReader, LinesMayStraddleBlocks) {
  // Every way of ending a line falls on the edge of a block of 2^20 bytes for some length of the comment.
  for (const std::string ending : {"\n", "\r\n", "\r"}) {
    for (int shift = -12; shift <= 4; ++shift) {
      const std::string banner = "%%MatrixMarket matrix coordinate real general" + ending;
      const std::string comment(static_cast<std::size_t>((1 << 20) + shift) - banner.size(), '%');
      const std::string rest = ending + "2 2 2" + ending + ending + "1 1 1" + ending + "2 2 2" + ending;
      SCOPED_TRACE(shift);
      EXPECT_EQ(read_description(banner + comment + rest), "2x2: (1,1)=1 (2,2)=2");
      EXPECT_EQ(read_error(banner + comment + rest + "7" + ending).substr(0, 4), ":7: ");
    }
  }
  EXPECT_EQ(error_of([] {
              const TemporaryFile file;
              write_text(file.path(), long_file(200000));
              EXPECT_EQ(krylite::read_matrix_market_coordinates(file.path()).values.size(), 200000u);
            }),
            "");
}

TEST(MatrixMarketReader, SurvivesLongLines) {
  const std::size_t length = std::size_t{100} << 20;
  EXPECT_EQ(read_description(general + "%" + std::string(length, 'c') + "\n1 1 1\n1 1 2\n"), "1x1: (1,1)=2");
  EXPECT_EQ(read_error(general + "%" + std::string(length, 'c')), ":2: the file ends before the size line");
  EXPECT_EQ(read_error(std::string(length, 'x')).substr(0, 27), ":1: the line is longer than");
  EXPECT_EQ(read_error(general + "1 1 1\n1 1 " + std::string(length, '1')).substr(0, 27),
            ":3: the line is longer than");
  EXPECT_EQ(read_error(std::string(length, '%')).substr(0, 28), ":1: not a Matrix Market file");
}

TEST(MatrixMarketReader, MakesCsrWithDuplicatesAddedUp) {
  const TemporaryFile file;
  write_text(file.path(), general + "3 3 6\n3 3 1\n1 2 1\n1 1 5\n1 2 2\n3 1 0\n1 2 4\n");
  const auto csr = krylite::read_matrix_market<double, std::int32_t>(Host(), file.path());
  ASSERT_EQ(csr.num_entries(), 4);
  const int pointers[] = {0, 2, 2, 4};
  const int columns[] = {0, 1, 0, 2};
  const double values[] = {5, 7, 0, 1};
  for (int row = 0; row <= 3; ++row) EXPECT_EQ(csr.row_pointers(row), pointers[row]);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(csr.columns(k), columns[k]);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(csr.values(k), values[k]);
}

TEST(MatrixMarketReader, FillsTheMemorySpaceOfTheExecutionSpace) {
  using Device = Kokkos::DefaultExecutionSpace;
  const TemporaryFile file;
  write_text(file.path(), general + "2 2 2\n1 1 1\n2 1 2\n");
  const auto csr = krylite::read_matrix_market<float, std::int64_t>(Device(), file.path());
  const auto values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), csr.values);
  EXPECT_EQ(values(0), 1);
  EXPECT_EQ(values(1), 2);
}

TEST(MatrixMarketReader, RefusesValuesThatDoNotFitTheScalar) {
  const TemporaryFile file;
  const auto error = [&](const std::string& value) {
    write_text(file.path(), general + "1 1 1\n1 1 " + value + "\n");
    return error_of([&] { krylite::read_matrix_market<float, std::int64_t>(Host(), file.path()); });
  };
  EXPECT_EQ(error("1e39"), file.path() + ":3: the value '1e39' is too large for the floating-point type");
  EXPECT_EQ(error("3.4028235e38"), "");
  EXPECT_EQ(error("1e-60"), "");
  write_text(file.path(), general + "1 1 2\n1 1 3e38\n1 1 3e38\n");
  const std::string sum =
      error_of([&] { krylite::read_matrix_market<float, std::int64_t>(Host(), file.path()); });
  EXPECT_EQ(sum.find(file.path() + ": "), 0u) << sum;
  EXPECT_NE(sum.find("overflows"), std::string::npos) << sum;
}

std::vector<double> read_vector(const std::string& content) {
  const TemporaryFile file;
  write_text(file.path(), content);
  const auto vector = krylite::read_matrix_market_vector(file.path());
  return std::vector<double>(vector.data(), vector.data() + vector.extent(0));
}

TEST(MatrixMarketVector, ReadsColumnsAndRowsInBothFormats) {
  using V = std::vector<double>;
  EXPECT_EQ(read_vector(array + "3 1\n1\n0\n3\n"), V({1, 0, 3}));
  EXPECT_EQ(read_vector(array + "1 3\n1\n2\n3\n"), V({1, 2, 3}));
  EXPECT_EQ(read_vector(array + "1 1\n7\n"), V({7}));
  EXPECT_EQ(read_vector(general + "4 1 3\n3 1 5\n1 1 2\n3 1 1\n"), V({2, 0, 6, 0}));
  EXPECT_EQ(read_vector(general + "1 4 1\n1 4 5\n"), V({0, 0, 0, 5}));
  EXPECT_EQ(read_vector(general + "2 1 0\n"), V({0, 0}));
  EXPECT_EQ(read_vector(pattern + "2 1 1\n2 1\n"), V({0, 1}));
  EXPECT_EQ(read_vector(symmetric + "1 1 1\n1 1 3\n"), V({3}));
  EXPECT_EQ(read_vector("%%MatrixMarket matrix array real skew-symmetric\n1 1\n"), V({0}));
  for (const char* sizes : {"0 1\n", "1 0\n"}) EXPECT_EQ(read_vector(array + sizes), V());
  for (const char* sizes : {"0 1 0\n", "1 0 0\n"}) EXPECT_EQ(read_vector(general + sizes), V());
  EXPECT_TRUE(std::signbit(read_vector(array + "2 1\n-0.0\n1\n")[0]));
  EXPECT_TRUE(std::signbit(read_vector(general + "2 1 1\n1 1 -0.0\n")[0]));
}

TEST(MatrixMarketVector, RefusesMatricesAndOverflow) {
  const TemporaryFile file;
  const auto error = [&](const std::string& content) {
    write_text(file.path(), content);
    return error_of([&] { krylite::read_matrix_market_vector(file.path()); });
  };
  EXPECT_EQ(error(array + "3 2\n"), file.path() + ":2: a vector is n x 1 or 1 x n, not 3 x 2");
  EXPECT_EQ(error(array + "2000000000 1\n1\n"),
            file.path() + ":3: the file ends after 1 of 2000000000 entries");
  EXPECT_EQ(error(general + "2 1 2\n2 1 1e308\n2 1 1e308\n"),
            file.path() + ": the sum of the duplicates of entry 2 is too large for a double");
}

}  // namespace
