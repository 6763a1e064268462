#include <gtest/gtest.h>

#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <krylite/io/matrix_market.hpp>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "temporary_file.hpp"

namespace {

namespace fs = std::filesystem;
using krylite::test::error_of;
using Host = Kokkos::DefaultHostExecutionSpace;

/// The folder of real matrices: from the environment, else from the build; it may not exist.
fs::path matrices_folder() {
  const char* const folder = std::getenv("KRYLITE_MATRICES_DIR");
  if (folder != nullptr) return folder;
#ifdef KRYLITE_MATRICES_DIR
  return KRYLITE_MATRICES_DIR;
#else
  return {};
#endif
}

/// True for "PATH:LINE: text" and, for an empty file, "PATH: text", in one line.
bool names_file_and_line(const std::string& error, const fs::path& file) {
  std::size_t place = file.string().size();
  if (error.compare(0, place, file.string()) != 0 || error.find('\n') != std::string::npos) return false;
  if (fs::file_size(file) > 0) {
    if (error[place++] != ':' || std::isdigit(static_cast<unsigned char>(error[place])) == 0) return false;
    while (std::isdigit(static_cast<unsigned char>(error[place])) != 0) ++place;
  }
  return error.compare(place, 2, ": ") == 0 && error.size() > place + 2;
}

TEST(RealFiles, OddOnesAreReadOrRefusedByLine) {
  const fs::path folder = matrices_folder() / "odd";
  if (matrices_folder().empty() || !fs::is_directory(folder)) GTEST_SKIP() << "no odd files here";
  int read = 0;
  int refused = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string path = entry.path().string();
    const std::string error =
        error_of([&] { krylite::read_matrix_market<double, std::int64_t>(Host(), path); });
    error.empty() ? ++read : ++refused;
    EXPECT_TRUE(error.empty() || names_file_and_line(error, entry.path())) << error;
  }
  EXPECT_GT(read, 0);
  EXPECT_GT(refused, 0);
}

/// Line of the error, 0 for none, for files whose fault is known.
TEST(RealFiles, KnownFaultsAreFound) {
  const fs::path folder = matrices_folder() / "odd";
  if (matrices_folder().empty() || !fs::is_directory(folder)) GTEST_SKIP() << "no odd files here";
  const std::map<std::string, std::string> expected = {
      {"misc/e05r0000_5929_header_5930_entries.mtx.gz", ":5932: "},
      {"misc/ash958_transpose.mtx", ":1: "},
      {"russell/ok_rectangular.mtx", ":4: "},
      {"russell/bad_many_lines.mtx", ":5: "},
      {"sprs/too_many_elems_in_entry.mm", ":5: "},
      {"lis/testmat.mtx", ":5: "},
      {"taco/2tensor.mtx", ""},
      {"cusp/000_nonzeros.mtx", ""},
  };
  for (const auto& [name, place] : expected) {
    const std::string path = (folder / name).string();
    if (!fs::exists(path)) continue;
    const std::string error = error_of([&] { krylite::read_matrix_market_coordinates(path); });
    EXPECT_EQ(error.empty(), place.empty()) << error;
    const std::string begin = place.empty() ? "" : path + place;
    EXPECT_EQ(error.find(begin), 0u) << error;
  }
}

TEST(RealFiles, CountsAreThoseOfTheIndex) {
  std::ifstream index(matrices_folder() / "INDEX.tsv");
  if (!index) GTEST_SKIP() << "no index of matrices here";
  std::string line;
  std::getline(index, line);
  while (std::getline(index, line)) {
    std::istringstream words(line);
    std::string name;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t entries = 0;
    if (!(words >> name >> rows >> columns >> entries)) continue;  // a right-hand side
    const fs::path path = matrices_folder() / (name + ".mtx.gz");
    if (!fs::exists(path)) continue;
    const auto csr = krylite::read_matrix_market<double, std::int32_t>(Host(), path.string());
    EXPECT_EQ(csr.num_rows, rows) << name;
    EXPECT_EQ(csr.num_cols, columns) << name;
    EXPECT_EQ(csr.num_entries(), entries) << name;
  }
}

}  // namespace
