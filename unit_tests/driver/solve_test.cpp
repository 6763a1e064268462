// What solve says and writes.
#include <gtest/gtest.h>

#include <sstream>

#include "command.hpp"

namespace krylite::test {
namespace {

const char* const banner = "%%MatrixMarket matrix coordinate real general\n";
const char* const array_banner = "%%MatrixMarket matrix array real general\n";

TEST(DriverSolve, ZeroRightHandSide) {
  const Workplace here;
  here.write("eye.mtx", identity_text(3));
  here.write("b.mtx", std::string(array_banner) + "3 1\n0\n0\n0\n");
  here.write("x0.mtx", std::string(array_banner) + "3 1\n1\n1\n1\n");
  const auto json = here.json("solve eye.mtx --rhs b.mtx --x0 x0.mtx --solution x.mtx");
  EXPECT_EQ(json["result"]["status"], "converged");
  EXPECT_EQ(json["result"]["iterations"], 0);
  EXPECT_EQ(json["result"]["relative_residual"], 0.0);
  EXPECT_EQ(here.read("x.mtx"), here.read("b.mtx"));
}

TEST(DriverSolve, IdentityTakesOneIteration) {
  const Workplace here;
  here.write("eye.mtx", identity_text(50));
  // float32 cannot hold the one basis vector to 1e-10; int32 holds this one exactly.
  for (const std::string options : {"--basis float64", "--basis int32", "--basis float32 --tol 1e-6"}) {
    const auto json = here.json("solve eye.mtx --precond none " + options);
    EXPECT_EQ(json["result"]["status"], "converged") << options;
    EXPECT_EQ(json["result"]["iterations"], 1) << options;
  }
}

TEST(DriverSolve, SolutionComesBackAsInitialGuess) {
  const Workplace here;
  const std::string solve = "solve gen:convection-diffusion:6 --rhs sin --tol 1e-9";
  EXPECT_EQ(here.run(solve + " --solution x.mtx.gz").status, 0);
  const auto json = here.json(solve + " --x0 x.mtx.gz --solution again.mtx.gz");
  EXPECT_EQ(json["result"]["iterations"], 0);
  EXPECT_EQ(here.read("x.mtx.gz"), here.read("again.mtx.gz"));
}

TEST(DriverSolve, InconsistentZeroRow) {
  const Workplace here;
  here.write("a.mtx", std::string(banner) + "3 3 2\n1 1 1\n2 2 2\n");
  here.write("b.mtx", std::string(array_banner) + "3 1\n1\n2\n3\n");
  const auto json = here.json("solve a.mtx --rhs b.mtx --solution x.mtx --history h.csv", 1);
  const std::string status = json["result"]["status"];
  EXPECT_TRUE(status == "breakdown" || status == "stagnated") << status;
  EXPECT_LE(json["result"]["relative_residual"], 1.0);
  EXPECT_EQ(json["result"]["replaced_diagonals"], 1);
  EXPECT_EQ(json["warnings"].size(), 1u);
  EXPECT_EQ(here.read("x.mtx").find("nan"), std::string::npos);
  EXPECT_NE(here.read("h.csv"), "");
}

TEST(DriverSolve, WarnsInOneLine) {
  const Workplace here;
  here.write("a.mtx", std::string(banner) + "2 2 2\n1 2 1\n2 1 1\n");
  const CommandResult result = here.run("solve a.mtx --json out.json");
  EXPECT_EQ(count_lines(result.err), 1) << result.err;
  EXPECT_EQ(result.err.rfind("krylite: warning: a.mtx: 2 of 2 diagonal entries", 0), 0u) << result.err;
}

TEST(DriverSolve, HistoryIsCsv) {
  const Workplace here;
  EXPECT_EQ(here.run("solve gen:convection-diffusion:6 --restart 7 --history h.csv").status, 0);
  std::istringstream csv(here.read("h.csv"));
  std::string line;
  ASSERT_TRUE(std::getline(csv, line));
  EXPECT_EQ(line, "iteration,cycle,estimated,true");
  int expected = 0;
  std::string last;
  while (std::getline(csv, line)) {
    EXPECT_EQ(std::stoi(line), expected++) << line;
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 3) << line;
    last = line;
  }
  EXPECT_GT(expected, 7);
  EXPECT_NE(last.back(), ',') << "the last record must hold the true residual";
}

TEST(DriverSolve, StopsAfterTheStepsAllowed) {
  const Workplace here;
  const CommandResult result =
      here.run("solve gen:poisson2d:30 --max-iters 5 --solution x.mtx --json out.json");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "");
  const auto json = nlohmann::json::parse(here.read("out.json"));
  EXPECT_EQ(json["result"]["status"], "max_iterations");
  EXPECT_EQ(json["result"]["iterations"], 5);
  EXPECT_LT(json["result"]["relative_residual"], 1.0);
  EXPECT_NE(here.read("x.mtx"), "");
}

TEST(DriverSolve, OverflowIsNotFinite) {
  const Workplace here;
  here.write("a.mtx", std::string(banner) + "2 2 4\n1 1 1e308\n1 2 1e308\n2 1 1e308\n2 2 1e308\n");
  const auto json = here.json("solve a.mtx --precond none", 1);
  EXPECT_EQ(json["result"]["status"], "not_finite");
  EXPECT_EQ(json["result"]["relative_residual"], 1e300);
}

TEST(DriverSolve, EmptyAndSmallestMatrix) {
  const Workplace here;
  here.write("none.mtx", std::string(banner) + "0 0 0\n");
  here.write("one.mtx", std::string(banner) + "1 1 1\n1 1 4\n");
  EXPECT_EQ(here.json("solve none.mtx")["result"]["iterations"], 0);
  EXPECT_EQ(here.json("solve one.mtx")["result"]["status"], "converged");
  EXPECT_EQ(here.run("info none.mtx").status, 0);
  EXPECT_EQ(here.run("convert none.mtx out.mtx --format rgcsr").status, 0);
}

TEST(DriverSolve, TableTellsTheErrorAgainstOnes) {
  const CommandResult result = Workplace().run("solve gen:poisson2d:10");
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.out.find("error against ones"), std::string::npos) << result.out;
  EXPECT_EQ(Workplace().run("solve gen:poisson2d:10 --rhs ones").out.find("error against"),
            std::string::npos);
}

TEST(DriverSolve, EveryFormatBasisAndRightHandSide) {
  const Workplace here;
  for (const std::string options :
       {"--format csr", "--format csr:kernel=vector", "--format ell", "--format sliced_ell:slice=4", "--format coo",
        "--format hyb", "--format bcsr:block=3", "--format rgcsr:group=1", "--format rgcsr:group=256",
        "--format rgcsr:order=descending,packed=off", "--format rgcsr:order=clusters", "--format adaptive_rgcsr:piece=3",
        "--format adaptive_rgcsr:columns=64,piece=9", "--format csr5:omega=4,sigma=5", "--rhs random",
        "--basis float16", "--basis bfloat16", "--basis int16", "--basis bfp16", "--basis bfp32", "--basis auto",
        "--precond none", "--precond block-jacobi", "--precond block-jacobi --block-size 32", "--precond ilu0",
        "--side left", "--side flexible --precond ilu0", "--orthog cgs", "--orthog cgs2",
        "--orthog mgs", "--orthog low-sync"}) {
    EXPECT_EQ(here.run("solve gen:convection-diffusion:5 " + options).status, 0) << options;
  }
}

TEST(DriverSolve, BetterPreconditionersTakeFewerSteps) {
  const Workplace here;
  const auto iterations = [&](const std::string& precond) {
    const auto json = here.json("solve gen:poisson2d:30 --rhs sin --basis float64 --precond " + precond);
    EXPECT_EQ(json["result"]["status"], "converged") << precond;
    EXPECT_EQ(json["options"]["precond"].get<std::string>(), precond.substr(0, precond.find(' ')));
    return json["result"]["iterations"].get<int>();
  };
  const int jacobi = iterations("jacobi");
  EXPECT_LT(iterations("block-jacobi --block-size 30"), jacobi);
  EXPECT_LT(iterations("ilu0"), jacobi);
  EXPECT_LT(iterations("chebyshev"), jacobi);
  EXPECT_EQ(iterations("block-jacobi --block-size 1"), jacobi);
}

TEST(DriverSolve, BlocksThatAreReplacedAreToldOf) {
  const Workplace here;
  here.write("a.mtx", std::string(banner) + "4 4 4\n1 1 1\n2 2 2\n3 3 0\n4 4 3\n");
  here.write("b.mtx", std::string(array_banner) + "4 1\n1\n2\n0\n3\n");
  const std::string solve = "solve a.mtx --rhs b.mtx --precond ";
  const auto blocks = here.json(solve + "block-jacobi --block-size 2");
  EXPECT_EQ(blocks["result"]["replaced_diagonals"], 1);
  EXPECT_NE(blocks["warnings"][0].get<std::string>().find("1 of 2 diagonal blocks are singular"), std::string::npos);
  for (const std::string precond : {"jacobi", "ilu0", "chebyshev"}) {
    EXPECT_EQ(here.json(solve + precond)["result"]["replaced_diagonals"], 1) << precond;
  }
}

/// From the left the estimate is of another residual: that it met the tolerance too soon is no stagnation.
TEST(DriverSolve, LeftPreconditioningAimsLowerUntilTheTrueResidualFollows) {
  const Workplace here;
  for (const std::string tolerance : {"0.5", "0.1", "1e-3", "1e-10"}) {
    const auto json = here.json(
        "solve gen:convection-diffusion:8:peclet=300 --rhs sin --side left --precond ilu0 --tol " + tolerance);
    EXPECT_EQ(json["result"]["status"], "converged") << tolerance;
  }
}

TEST(DriverSolve, DenormalResidualsStagnate) {
  const Workplace here;
  here.write("a.mtx", std::string(banner) + "3 3 5\n1 1 1.3\n1 2 0.7\n2 2 0.9\n3 1 0.4\n3 3 1.7\n");
  here.write("b.mtx", std::string(array_banner) + "3 1\n1e-320\n3e-320\n2e-320\n");
  for (const std::string basis : {"int16", "bfp32", "float32", "auto"}) {
    const CommandResult result = here.run("solve a.mtx --rhs b.mtx --json out.json --basis " + basis);
    EXPECT_LE(result.status, 1);
    EXPECT_LT(nlohmann::json::parse(here.read("out.json"))["result"]["iterations"], 1000) << basis;
  }
}

/// The sums of the eigenvalue estimate too.
TEST(DriverSolve, ThreadsDoNotChangeTheBits) {
  const Workplace here;
  for (const std::string precond : {"jacobi", "block-jacobi", "ilu0", "chebyshev"}) {
    const std::string solve = "solve gen:poisson3d:14 --rhs sin --precond " + precond + " --solution ";
    EXPECT_EQ(here.run(solve + "one.mtx", "OMP_NUM_THREADS=1").status, 0);
    EXPECT_EQ(here.run(solve + "two.mtx", "OMP_NUM_THREADS=2").status, 0);
    EXPECT_EQ(here.read("one.mtx"), here.read("two.mtx")) << precond;
  }
}

/// One reduction a step is what makes low-sync what it is.
TEST(DriverSolve, ReductionsAreCounted) {
  const Workplace here;
  const auto reductions = [&](const std::string& method) {
    const auto result = here.json("solve gen:convection-diffusion:8 --orthog " + method)["result"];
    return result["reductions"].get<double>() / result["iterations"].get<double>();
  };
  EXPECT_LT(reductions("low-sync"), 1.5);
  EXPECT_GT(reductions("cgs2"), 3);
  EXPECT_GT(reductions("mgs"), reductions("cgs2"));
}

}  // namespace
}  // namespace krylite::test
