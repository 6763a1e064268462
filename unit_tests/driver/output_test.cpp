// Files and streams that cannot be written, and files that must survive.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.hpp"

namespace krylite::test {
namespace {

void expect_one_line(const CommandResult& result, int status) {
  EXPECT_EQ(result.status, status) << result.err;
  EXPECT_EQ(count_lines(result.err), 1) << result.err;
  EXPECT_EQ(result.err.rfind("krylite: ", 0), 0u) << result.err;
  EXPECT_EQ(result.out, "");
}

TEST(DriverOutput, FullDevice) {
  const Workplace here;
  expect_one_line(here.run("info gen:arrow:4 >/dev/full"), 3);
  expect_one_line(here.run("info gen:arrow:4 --json /dev/full"), 3);
  expect_one_line(here.run("solve gen:arrow:4 --solution /dev/full"), 3);
  expect_one_line(here.run("solve gen:arrow:4 --history /dev/full"), 3);
  expect_one_line(here.run("generate arrow --n 4 /dev/full"), 3);
  expect_one_line(here.run("--help >/dev/full"), 3);
}

TEST(DriverOutput, ClosedStandardOutput) {
  const Workplace here;
  expect_one_line(here.run("info gen:arrow:4 >&-"), 3);
  expect_one_line(here.run("info gen:arrow:4 --json out.json >&-"), 3);
  const auto json = nlohmann::json::parse(here.read("out.json"), nullptr, false);
  EXPECT_FALSE(json.is_discarded());
}

TEST(DriverOutput, NothingIsLostToAClosedStandardOutput) {
  const Workplace here;
  expect_one_line(here.run("generate arrow --n 4 - >&-"), 3);
  expect_one_line(here.run("solve gen:arrow:4 --solution - >&-"), 3);
}

TEST(DriverOutput, AnInputIsNeverReplaced) {
  const Workplace here;
  const std::string text = identity_text(3);
  here.write("a.mtx", text);
  ASSERT_EQ(::symlink("a.mtx", here.path("link").c_str()), 0);
  expect_one_line(here.run("info a.mtx --json a.mtx"), 2);
  expect_one_line(here.run("spmv a.mtx --json ./a.mtx"), 2);
  expect_one_line(here.run("solve a.mtx --solution link"), 2);
  expect_one_line(here.run("solve link --history a.mtx"), 2);
  expect_one_line(here.run("compare a.mtx --plot a.mtx"), 2);
  EXPECT_EQ(here.read("a.mtx"), text);
  EXPECT_EQ(here.run("convert a.mtx a.mtx").status, 0) << "a conversion in place keeps the matrix";
}

TEST(DriverOutput, TwoOutputsByTwoNamesOfOneFile) {
  const Workplace here;
  ASSERT_EQ(::symlink("x", here.path("link").c_str()), 0);
  expect_one_line(here.run("solve gen:arrow:4 --solution x --history link"), 2);
  expect_one_line(here.run("solve gen:arrow:4 --solution x --history ./x"), 2);
}

TEST(DriverOutput, EmptyNamesAreNotTakenForNoName) {
  const Workplace here;
  for (const std::string option : {"--json", "--solution", "--history", "--x0", "--rhs"}) {
    expect_one_line(here.run("solve gen:arrow:4 " + option + " ''"), 2);
  }
  expect_one_line(here.run("generate arrow --n 4 ''"), 2);
  expect_one_line(here.run("convert gen:arrow:4 ''"), 2);
}

TEST(DriverOutput, ReaderThatHasGone) {
  const Workplace here;
  // The pipe is closed before the command starts to write.
  const CommandResult result = here.run("generate poisson2d --n 300 /dev/stdout | true; sleep 0");
  EXPECT_EQ(result.err.rfind("krylite: ", 0), 0u) << result.err;
  EXPECT_EQ(count_lines(result.err), 1) << result.err;
}

TEST(DriverOutput, FoldersThatAreNotThere) {
  const Workplace here;
  for (const std::string option : {"--json", "--solution", "--history"}) {
    expect_one_line(here.run("solve gen:arrow:4 " + option + " none/out"), 2);
    expect_one_line(here.run("solve gen:arrow:4 " + option + " ."), 2);
  }
  expect_one_line(here.run("compare gen:arrow:4 --plot none/out.svg"), 2);
  expect_one_line(here.run("generate arrow --n 4 none/a.mtx"), 2);
  EXPECT_TRUE(here.files().empty());
}

TEST(DriverOutput, IsCheckedBeforeTheMatrixIsRead) {
  const CommandResult result = Workplace().run("solve missing.mtx --json none/out.json");
  expect_one_line(result, 2);
  EXPECT_NE(result.err.find("none/out.json"), std::string::npos) << result.err;
}

TEST(DriverOutput, FolderThatTakesNoFiles) {
  const Workplace here;
  expect_one_line(here.run("generate arrow --n 4 /proc/krylite.mtx"), 2);
  expect_one_line(here.run("solve gen:arrow:4 --json /proc/version"), 2);
}

TEST(DriverOutput, UnwritableFolder) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const Workplace here;
  ASSERT_EQ(::mkdir(here.path("locked").c_str(), 0500), 0);
  expect_one_line(here.run("generate arrow --n 4 locked/a.mtx"), 2);
}

TEST(DriverOutput, ExistingFilesSurviveAFailure) {
  const Workplace here;
  here.write("bad.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 nan\n");
  for (const std::string name : {"out.json", "x.mtx", "h.csv"}) here.write(name, "precious\n");
  expect_one_line(here.run("solve bad.mtx --json out.json --solution x.mtx --history h.csv"), 2);
  expect_one_line(here.run("convert bad.mtx x.mtx"), 2);
  for (const std::string name : {"out.json", "x.mtx", "h.csv"})
    EXPECT_EQ(here.read(name), "precious\n") << name;
  EXPECT_EQ(here.files(), (std::vector<std::string>{"bad.mtx", "h.csv", "out.json", "x.mtx"}));
}

TEST(DriverOutput, AMatrixMayReplaceItself) {
  const Workplace here;
  here.write("a.mtx", identity_text(4));
  EXPECT_EQ(here.run("convert a.mtx a.mtx").status, 0);
  EXPECT_EQ(here.read("a.mtx"), identity_text(4));
}

TEST(DriverOutput, StandardOutputHoldsOneThing) {
  const Workplace here;
  const CommandResult matrix = here.run("generate arrow --n 3 -");
  EXPECT_EQ(matrix.status, 0) << matrix.err;
  EXPECT_EQ(matrix.out.rfind("%%MatrixMarket", 0), 0u) << matrix.out;
  EXPECT_EQ(matrix.out.find("written to"), std::string::npos);
  const CommandResult history = here.run("solve gen:arrow:3 --history -");
  EXPECT_EQ(history.out.rfind("iteration,", 0), 0u) << history.out;
  expect_one_line(here.run("solve gen:arrow:3 --history - --json -"), 2);
}

/// Whether tags are closed in the order in which they were opened, and special characters are escaped.
bool is_well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t begin = xml.find('<'); begin != std::string::npos; begin = xml.find('<', begin + 1)) {
    const std::size_t end = xml.find('>', begin);
    if (end == std::string::npos) return false;
    const std::string tag = xml.substr(begin + 1, end - begin - 1);
    if (tag.find('<') != std::string::npos) return false;
    const std::string name = tag.substr(0, tag.find_first_of(" \n"));
    if (tag.front() == '?' || tag.back() == '/') continue;
    if (tag.front() != '/') {
      open.push_back(name);
    } else if (open.empty() || "/" + open.back() != name) {
      return false;
    } else {
      open.pop_back();
    }
  }
  for (std::size_t amp = xml.find('&'); amp != std::string::npos; amp = xml.find('&', amp + 1)) {
    if (xml.find(';', amp) > amp + 5) return false;
  }
  return open.empty();
}

TEST(DriverOutput, PlotIsWellFormed) {
  const Workplace here;
  here.write("a<b>&\"c.mtx", identity_text(5));
  EXPECT_EQ(here.run("compare 'a<b>&\"c.mtx' --basis float32,int32 --plot plot.svg").status, 0);
  const std::string svg = here.read("plot.svg");
  EXPECT_TRUE(is_well_formed(svg)) << svg;
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
  EXPECT_NE(svg.find(">float32<"), std::string::npos);
  EXPECT_NE(svg.find(">float64<"), std::string::npos);
  EXPECT_FALSE(is_well_formed("<a><b></a></b>"));
  EXPECT_FALSE(is_well_formed("<a> & </a>"));
}

TEST(DriverOutput, PlotOfNothing) {
  const Workplace here;
  here.write("none.mtx", "%%MatrixMarket matrix coordinate real general\n0 0 0\n");
  EXPECT_EQ(here.run("compare none.mtx --plot plot.svg").status, 0);
  const std::string svg = here.read("plot.svg");
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace krylite::test
