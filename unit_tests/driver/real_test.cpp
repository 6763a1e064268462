// Files of other projects' tests that break readers.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "command.hpp"

namespace krylite::test {
namespace {

std::filesystem::path odd_folder() {
  const char* const named = std::getenv("KRYLITE_MATRICES_DIR");
#ifdef KRYLITE_MATRICES_DIR
  const std::string usual = KRYLITE_MATRICES_DIR;
#else
  const std::string usual;
#endif
  return std::filesystem::path(named != nullptr ? named : usual) / "odd";
}

TEST(RealOddFiles, AreReadOrRefused) {
  if (!std::filesystem::is_directory(odd_folder())) GTEST_SKIP() << "no folder of real matrices";
  const Workplace here;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(odd_folder())) {
    if (!entry.is_regular_file()) continue;
    const CommandResult result = here.run("info '" + entry.path().string() + "' --json -");
    if (result.status == 0) {
      EXPECT_EQ(result.err, "") << entry.path();
      EXPECT_FALSE(nlohmann::json::parse(result.out, nullptr, false).is_discarded()) << entry.path();
    } else {
      EXPECT_EQ(result.status, 2) << entry.path();
      EXPECT_EQ(count_lines(result.err), 1) << result.err;
      EXPECT_EQ(result.out, "") << entry.path();
    }
  }
}

}  // namespace
}  // namespace krylite::test
