// --reorder of solve, compare and convert: files keep the user's order, but for a matrix that is written
// reordered.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <vector>

#include "command.hpp"

namespace krylite::test {
namespace {

const char* const banner = "%%MatrixMarket matrix coordinate real general\n";

/// The numbers of a Matrix Market file after its banner, sizes first.
std::vector<double> numbers(const std::string& text) {
  std::istringstream stream(text.substr(text.find('\n') + 1));
  std::vector<double> all;
  for (double number; stream >> number;) all.push_back(number);
  return all;
}

/// The entries of a coordinate file by (row, column).
std::map<std::pair<int, int>, double> entries(const std::string& text) {
  const auto all = numbers(text);
  std::map<std::pair<int, int>, double> found;
  for (std::size_t k = 3; k + 2 < all.size(); k += 3) found[{int(all[k]), int(all[k + 1])}] = all[k + 2];
  return found;
}

/// Whether this command has approximate minimum degree.
bool has_amd() { return Workplace().run("solve gen:arrow:3 --reorder amd").status == 0; }

std::vector<std::string> orderings() {
  return has_amd() ? std::vector<std::string>{"rcm", "amd"} : std::vector<std::string>{"rcm"};
}

void expect_near(const std::string& expected, const std::string& found, double tolerance,
                 const std::string& what) {
  const auto a = numbers(expected);
  const auto b = numbers(found);
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << what << ", " << i;
}

TEST(DriverReorder, TheSolutionIsInTheOrderOfTheUser) {
  const Workplace here;
  // sin(i) tells the rows apart, and the matrix is shuffled, so that the permutation is far from trivial.
  const std::string solve = "solve gen:convection-diffusion:6:shuffle=3 --rhs sin --basis float64 ";
  EXPECT_EQ(here.run(solve + "--tol 1e-12 --solution plain.mtx").status, 0);
  for (const std::string& ordering : orderings()) {
    const auto json = here.json(solve + "--tol 1e-12 --solution x.mtx --reorder " + ordering);
    EXPECT_EQ(json["options"]["reorder"], ordering);
    EXPECT_EQ(json["result"]["status"], "converged");
    expect_near(here.read("plain.mtx"), here.read("x.mtx"), 1e-9, ordering);
    // The residual is that of the user's own system: x solves it without the ordering too.
    EXPECT_EQ(here.json(solve + "--tol 1e-11 --x0 x.mtx")["result"]["iterations"], 0) << ordering;
  }
  EXPECT_EQ(here.json(solve)["options"]["reorder"], "none");
}

TEST(DriverReorder, FilesOfVectorsAreInTheOrderOfTheUser) {
  const Workplace here;
  const std::string matrix = "gen:poisson2d:7:shuffle=5";
  EXPECT_EQ(here.run("solve " + matrix + " --rhs sin --tol 1e-9 --solution x.mtx").status, 0);
  for (const std::string& ordering : orderings()) {
    const std::string solve = "solve " + matrix + " --rhs x.mtx --tol 1e-12 --basis float64 ";
    EXPECT_EQ(here.run(solve + "--solution plain.mtx").status, 0);
    EXPECT_EQ(here.run(solve + "--solution reordered.mtx --reorder " + ordering).status, 0);
    expect_near(here.read("plain.mtx"), here.read("reordered.mtx"), 1e-9, ordering);
    const auto again = here.json(
        "solve " + matrix + " --rhs sin --tol 1.1e-9 --x0 x.mtx --solution again.mtx --reorder " + ordering);
    EXPECT_EQ(again["result"]["iterations"], 0) << "a guess that solves the system already";
    EXPECT_EQ(here.read("x.mtx"), here.read("again.mtx")) << "through the ordering and back, to the last bit";
  }
}

TEST(DriverReorder, CompareTakesItToo) {
  for (const std::string& ordering : orderings()) {
    const auto json = Workplace().json(
        "compare gen:convection-diffusion:5:shuffle=1 --basis float32 --reorder " + ordering);
    EXPECT_EQ(json["options"]["reorder"], ordering);
    for (const auto& row : json["rows"]) EXPECT_EQ(row["status"], "converged");
  }
}

TEST(DriverReorder, TheTableSaysSo) {
  EXPECT_NE(Workplace().run("solve gen:poisson2d:5 --reorder rcm").out.find("reordered by rcm"),
            std::string::npos);
  EXPECT_EQ(Workplace().run("solve gen:poisson2d:5").out.find("reordered"), std::string::npos);
}

TEST(DriverReorder, ConvertWritesTheMatrixAndThePermutation) {
  const Workplace here;
  EXPECT_EQ(here.run("convert gen:circuit:60:shuffle=2 a.mtx").status, 0);
  const auto before = entries(here.read("a.mtx"));
  for (const std::string& ordering : orderings()) {
    const auto json =
        here.json("convert a.mtx b.mtx --permutation p.mtx --format rgcsr:group=4 --reorder " + ordering);
    EXPECT_EQ(json["options"]["reorder"], ordering);
    EXPECT_EQ(json["options"]["permutation"], "p.mtx");
    EXPECT_EQ(here.read("p.mtx").rfind("%%MatrixMarket matrix array integer general\n60 1\n", 0), 0u);
    auto order = numbers(here.read("p.mtx"));
    order.erase(order.begin(), order.begin() + 2);
    const auto after = entries(here.read("b.mtx"));
    ASSERT_EQ(after.size(), before.size());
    for (const auto& [place, value] : after) {
      const auto old_row = static_cast<int>(order.at(std::size_t(place.first - 1)));
      const auto old_column = static_cast<int>(order.at(std::size_t(place.second - 1)));
      EXPECT_EQ(before.at({old_row, old_column}), value) << ordering;
    }
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], double(i + 1)) << ordering;
  }
}

TEST(DriverReorder, ConvertBringsAShuffledGridTogether) {
  const Workplace here;
  EXPECT_EQ(here.run("convert gen:poisson2d:20:shuffle=1 a.mtx --reorder rcm").status, 0);
  EXPECT_LE(here.json("info a.mtx")["statistics"]["bandwidth"], 20);
}

TEST(DriverReorder, ThePermutationMayGoToStandardOutput) {
  const Workplace here;
  const CommandResult result = here.run("convert gen:arrow:5 a.mtx --reorder rcm --permutation -");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out.rfind("%%MatrixMarket matrix array integer general\n5 1\n", 0), 0u) << result.out;
  EXPECT_EQ(result.out.find("written to"), std::string::npos);
}

TEST(DriverReorder, EmptyAndSmallestMatrix) {
  const Workplace here;
  here.write("none.mtx", std::string(banner) + "0 0 0\n");
  here.write("one.mtx", std::string(banner) + "1 1 1\n1 1 4\n");
  here.write("empty.mtx", std::string(banner) + "3 3 0\n");
  for (const std::string& ordering : orderings()) {
    for (const std::string matrix : {"none.mtx", "one.mtx", "empty.mtx"}) {
      const std::string convert = "convert " + matrix + " out.mtx --permutation p.mtx --reorder " + ordering;
      EXPECT_EQ(here.run(convert).status, 0) << convert;
    }
    EXPECT_EQ(here.run("solve none.mtx --reorder " + ordering).status, 0);
    EXPECT_EQ(here.run("solve one.mtx --reorder " + ordering).status, 0);
  }
}

void expect_refused(const Workplace& here, const std::string& arguments, const std::string& fragment) {
  const CommandResult result = here.run(arguments);
  EXPECT_EQ(result.status, 2) << arguments;
  EXPECT_EQ(result.out, "") << arguments;
  EXPECT_EQ(count_lines(result.err), 1) << result.err;
  EXPECT_NE(result.err.find(fragment), std::string::npos) << result.err;
}

TEST(DriverReorder, RefusesARectangle) {
  const Workplace here;
  here.write("wide.mtx", std::string(banner) + "2 3 1\n1 1 1\n");
  expect_refused(here, "convert wide.mtx out.mtx --reorder rcm", "wide.mtx: is 2 x 3");
  expect_refused(here, "solve wide.mtx --reorder rcm", "wide.mtx: is 2 x 3");
  EXPECT_EQ(here.files(), std::vector<std::string>{"wide.mtx"});
}

TEST(DriverReorder, RefusesAPermutationOfNothing) {
  const Workplace here;
  expect_refused(here, "convert gen:arrow:4 out.mtx --permutation p.mtx", "--permutation requires --reorder");
  expect_refused(here, "convert gen:arrow:4 out.mtx --reorder none", "--reorder");
  expect_refused(here, "convert gen:arrow:4 out.mtx --reorder rcm --permutation ''",
                 "the file name is empty");
}

TEST(DriverReorder, NoFileIsTwoThings) {
  const Workplace here;
  here.write("a.mtx", identity_text(3));
  expect_refused(here, "convert a.mtx out.mtx --reorder rcm --permutation ./out.mtx", "two outputs");
  expect_refused(here, "convert a.mtx out.mtx --reorder rcm --permutation p --json p", "two outputs");
  expect_refused(here, "convert a.mtx out.mtx --reorder rcm --permutation a.mtx", "is an input");
  expect_refused(here, "convert a.mtx out.mtx --json a.mtx", "is an input");
  expect_refused(here, "convert a.mtx out.mtx --reorder rcm --permutation none/p.mtx", "none/p.mtx");
  EXPECT_EQ(here.files(), std::vector<std::string>{"a.mtx"});
  EXPECT_EQ(here.read("a.mtx"), identity_text(3));
  EXPECT_EQ(here.run("convert a.mtx a.mtx --reorder rcm --permutation p.mtx").status, 0);
}

TEST(DriverReorder, SaysWhereThereIsNoMinimumDegree) {
  if (has_amd()) GTEST_SKIP() << "built with SuiteSparse AMD";
  expect_refused(Workplace(), "solve gen:arrow:4 --reorder amd", "no SuiteSparse AMD");
}

}  // namespace
}  // namespace krylite::test
