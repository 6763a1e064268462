// Help, versions, and what the command refuses.
#include <gtest/gtest.h>

#include "command.hpp"

namespace krylite::test {
namespace {

const char* const banner = "%%MatrixMarket matrix coordinate real general\n";

TEST(DriverUsage, Help) {
  const Workplace here;
  const CommandResult help = here.run("--help");
  EXPECT_EQ(help.status, 0);
  EXPECT_EQ(help.err, "");
  for (const std::string name : {"info", "generate", "convert", "spmv", "solve", "compare"}) {
    EXPECT_NE(help.out.find(name), std::string::npos) << name;
    const CommandResult own = here.run(name + " --help");
    EXPECT_EQ(own.status, 0) << name;
    EXPECT_NE(own.out.find("krylite " + name), std::string::npos) << own.out;
    EXPECT_NE(own.out.find("--json"), std::string::npos) << name;
  }
}

TEST(DriverUsage, Version) {
  const CommandResult result = Workplace().run("--version");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out.rfind("krylite ", 0), 0u) << result.out;
  EXPECT_NE(result.out.find("Kokkos "), std::string::npos) << result.out;
  EXPECT_EQ(count_lines(result.out), 1);
}

TEST(DriverUsage, NothingGivesTheHelpAsAnError) {
  const CommandResult result = Workplace().run("");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("solve"), std::string::npos);
}

class DriverUsageError : public testing::TestWithParam<const char*> {};

TEST_P(DriverUsageError, IsOneLine) {
  const Workplace here;
  here.write("eye.mtx", identity_text(4));
  here.write("three.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n");
  here.write("nan.mtx", std::string(banner) + "1 1 1\n1 1 nan\n");
  here.write("wide.mtx", std::string(banner) + "2 3 1\n1 1 1\n");
  here.write("short.mtx", std::string(banner) + "2 2 2\n1 1 1\n");
  here.write("empty.mtx", "");
  const CommandResult result = here.run(GetParam());
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(count_lines(result.err), 1) << result.err;
  EXPECT_EQ(result.err.rfind("krylite: ", 0), 0u) << result.err;
}

INSTANTIATE_TEST_SUITE_P(
    Options, DriverUsageError,
    testing::Values(
        "frobnicate", "solve", "--nonsense", "info eye.mtx extra", "solve eye.mtx --restart 0",
        "solve eye.mtx --restart -5", "solve eye.mtx --restart 1e99", "solve eye.mtx --restart many",
        "solve eye.mtx --restart ''", "solve eye.mtx --restart 99999999999999999999",
        "solve eye.mtx --restart 5 --restart 6", "solve eye.mtx --restart", "solve eye.mtx --tol nan",
        "solve eye.mtx --tol -1", "solve eye.mtx --tol inf", "solve eye.mtx --tol 1e-5x",
        "solve eye.mtx --max-iters -1", "solve eye.mtx --max-iters 1.5", "spmv eye.mtx --repeat 0",
        "spmv eye.mtx --precision half", "solve eye.mtx --basis float128", "solve eye.mtx --basis all",
        "compare eye.mtx --basis float32,,int16", "solve eye.mtx --format csr6", "solve eye.mtx --format all",
        "spmv eye.mtx --format ''", "solve eye.mtx --format rgcsr:group=3",
        "solve eye.mtx --format rgcsr:group=512", "solve eye.mtx --format rgcsr:group",
        "solve eye.mtx --format rgcsr:", "solve eye.mtx --format csr:group=4",
        "solve eye.mtx --format csr:kernel=fast", "solve eye.mtx --format bcsr:block=9",
        "solve eye.mtx --format csr5:sigma=0", "solve eye.mtx --format rgcsr:packed=1",
        "solve eye.mtx --format rgcsr:window=0", "solve eye.mtx --format rgcsr:group=4,group=8",
        "solve eye.mtx --format hyb:width=-1", "solve eye.mtx --format coo:x=1", "spmv eye.mtx --kernel fast",
        "spmv eye.mtx --simd sse", "solve eye.mtx --precond ilu", "solve eye.mtx --side both",
        "solve eye.mtx --orthog dcgs2", "solve eye.mtx --block-size 0", "solve eye.mtx --block-size 33", "solve eye.mtx --basis bfp8",
        "solve eye.mtx --kernel native",
        "solve eye.mtx --reorder metis", "convert eye.mtx", "convert eye.mtx out.mtx --format auto",
        "generate poisson2d out.mtx", "generate nothing --n 4 out.mtx", "generate poisson2d --n 0 out.mtx",
        "generate poisson2d --n 4 --peclet 3 out.mtx", "generate rmat --n 99 out.mtx"));

INSTANTIATE_TEST_SUITE_P(Input, DriverUsageError,
                         testing::Values("info missing.mtx", "info .", "info empty.mtx", "info nan.mtx",
                                         "info short.mtx", "info gen:poisson2d", "info gen:poisson2d:-4",
                                         "info gen:nothing:4", "info ''", "solve wide.mtx",
                                         "compare wide.mtx", "solve eye.mtx --rhs three.mtx",
                                         "solve eye.mtx --x0 three.mtx", "solve eye.mtx --rhs missing.mtx",
                                         "solve eye.mtx --rhs eye.mtx", "solve eye.mtx --x0 nan.mtx",
                                         "info \"$(printf 'new\\nline')\""));

TEST(DriverUsageMessage, NamesFileAndLine) {
  const Workplace here;
  here.write("bad.mtx", std::string(banner) + "2 2 2\n1 1 1\n3 1 1\n");
  const CommandResult result = here.run("info bad.mtx");
  EXPECT_EQ(result.err.rfind("krylite: bad.mtx:4: ", 0), 0u) << result.err;
}

TEST(DriverUsageMessage, NamesTheHelp) {
  const CommandResult result = Workplace().run("solve eye.mtx --restart 0");
  EXPECT_NE(result.err.find("(see krylite solve --help)"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("--restart"), std::string::npos) << result.err;
}

TEST(DriverUsageMessage, NamesBothSizes) {
  const Workplace here;
  here.write("eye.mtx", identity_text(4));
  here.write("b.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n");
  const CommandResult result = here.run("solve eye.mtx --rhs b.mtx");
  EXPECT_EQ(result.err, "krylite: b.mtx: has 3 entries, but eye.mtx has 4 rows\n");
}

}  // namespace
}  // namespace krylite::test
