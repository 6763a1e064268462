// The JSON of each subcommand: tools outside rely on its fields.
#include <gtest/gtest.h>

#include <cmath>

#include "command.hpp"

namespace krylite::test {
namespace {

const std::vector<std::pair<std::string, std::string>> result_fields = {
    {"status", "text"},           {"iterations", "number"},
    {"restarts", "number"},       {"relative_residual", "number"},
    {"reductions", "number"},     {"estimated_relative_residual", "number"},
    {"residual_history", "list"}, {"replaced_diagonals", "number"}};

void expect_history(const nlohmann::json& history) {
  ASSERT_FALSE(history.empty());
  for (const auto& record : history) {
    std::vector<std::pair<std::string, std::string>> fields = {{"iteration", "number"},
                                                               {"estimated", "number"}};
    if (record.contains("true")) fields.push_back({"true", "number"});
    expect_fields(record, fields);
  }
  EXPECT_TRUE(history.back().contains("true"));
}

TEST(DriverContract, Info) {
  const auto json = Workplace().json("info gen:poisson2d:10");
  expect_common(json,
                {{"statistics", "object"}, {"formats", "list"}, {"selected", "text"}, {"reason", "text"}});
  EXPECT_EQ(json["matrix"]["name"], "gen:poisson2d:10");
  EXPECT_EQ(json["matrix"]["rows"], 100);
  EXPECT_EQ(json["matrix"]["nonzeros"], 460);
  expect_fields(json["statistics"], {{"row_min", "number"},
                                     {"row_mean", "number"},
                                     {"row_max", "number"},
                                     {"row_stddev", "number"},
                                     {"empty_rows", "number"},
                                     {"bandwidth", "number"},
                                     {"pattern_symmetric", "truth"},
                                     {"value_symmetric", "truth"},
                                     {"zero_diagonal", "number"},
                                     {"missing_diagonal", "number"},
                                     {"explicit_zeros", "number"}});
  ASSERT_EQ(json["formats"].size(), 9u);
  for (const auto& format : json["formats"]) {
    expect_fields(
        format, {{"format", "text"}, {"stored_entries", "number"}, {"fill", "number"}, {"bytes", "number"}});
  }
  EXPECT_EQ(json["formats"][0]["format"], "csr");
  EXPECT_NE(json["reason"].get<std::string>().find("a product in " + json["selected"].get<std::string>()),
            std::string::npos);
}

TEST(DriverContract, AFormatThatRefuses) {
  // The dense row makes RgCSR store as many entries for each of its 255 neighbours.
  const Workplace here;
  const auto json = here.json("spmv gen:diagonal-plus-dense-row:20000 --format rgcsr:group=256,csr");
  ASSERT_EQ(json["formats"].size(), 3u);
  expect_fields(json["formats"][0], {{"format", "text"}, {"refused", "text"}});
  EXPECT_EQ(json["formats"][1]["format"], "csr");
  const CommandResult result = here.run("solve gen:diagonal-plus-dense-row:20000 --format rgcsr:group=256");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(count_lines(result.err), 1) << result.err;
}

TEST(DriverContract, NameOfAFile) {
  const Workplace here;
  here.write("eye.mtx", identity_text(3));
  EXPECT_EQ(here.json("info eye.mtx")["matrix"]["name"], "eye");
  EXPECT_EQ(here.run("convert eye.mtx again.mtx.gz").status, 0);
  EXPECT_EQ(here.read("again.mtx.gz").substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(here.json("info ./again.mtx.gz")["matrix"]["name"], "again");
}

TEST(DriverContract, Spmv) {
  const auto json = Workplace().json("spmv gen:poisson2d:20 --format csr,rgcsr:group=4");
  expect_common(json, {{"copy_gbs", "number"}, {"read_gbs", "number"}, {"formats", "list"}});
  EXPECT_GT(json["copy_gbs"], 0);
  EXPECT_GT(json["read_gbs"], 0);
  ASSERT_EQ(json["formats"].size(), 3u);
  const double model = 1920 * 12 + 401 * 4 + 800 * 8;
  for (const auto& row : json["formats"]) {
    expect_fields(row, {{"format", "text"},
                        {"options", "text"},
                        {"kernel", "text"},
                        {"seconds", "number"},
                        {"gflops", "number"},
                        {"gbs", "number"},
                        {"fraction_of_copy", "number"},
                        {"fraction_of_read", "number"},
                        {"bytes_moved", "number"},
                        {"conversion_spmvs", "number"},
                        {"stored_entries", "number"},
                        {"fill", "number"},
                        {"bytes", "number"},
                        {"max_scaled_error", "number"}});
    const double seconds = row["seconds"];
    EXPECT_NEAR(row["gbs"].get<double>() * seconds * 1e9 / model, 1, 1e-12);
    EXPECT_NEAR(row["gflops"].get<double>() * seconds * 1e9 / (2 * 1920), 1, 1e-12);
    EXPECT_LE(row["max_scaled_error"], 1.0);
  }
  EXPECT_EQ(json["formats"][1]["format"], "rgcsr");
  EXPECT_EQ(json["formats"][1]["options"], "group=4,packed=off");
  EXPECT_EQ(json["formats"][2]["format"], "kokkos_kernels");
}

TEST(DriverContract, SpmvOfEveryFormatAndKernel) {
  const Workplace here;
  const std::vector<std::string> names = {"csr",  "ell",   "sliced_ell",     "coo",  "hyb",
                                          "bcsr", "rgcsr", "adaptive_rgcsr", "csr5", "kokkos_kernels"};
  for (const std::string kernel : {"automatic", "portable"}) {
    const auto json = here.json("spmv gen:elasticity:4 --kernel " + kernel);
    ASSERT_EQ(json["formats"].size(), names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      EXPECT_EQ(json["formats"][i]["format"], names[i]);
      EXPECT_LE(json["formats"][i]["max_scaled_error"], 1.0) << names[i];
      if (kernel == "portable" && names[i] != "kokkos_kernels") {
        EXPECT_EQ(json["formats"][i]["kernel"], "portable") << names[i];
      }
    }
  }
  // What has no native kernel says so in its row.
  const auto json = here.json("spmv gen:elasticity:4 --kernel native --format coo");
  EXPECT_NE(json["formats"][0]["refused"].get<std::string>().find("native"), std::string::npos);
}

TEST(DriverContract, SpmvWithEveryInstructionSet) {
  const Workplace here;
  const std::string version = here.run("--version").out;
  for (const std::string set : {"AVX3", "AVX2", "SCALAR"}) {
    if (version.find(set) == std::string::npos) continue;
    const auto json = here.json("spmv gen:stencil27:5 --format csr,rgcsr,csr5 --simd " + set);
    EXPECT_EQ(json["options"]["simd"], set);
    for (const auto& row : json["formats"]) EXPECT_LE(row["max_scaled_error"], 1.0) << row["format"];
  }
}

TEST(DriverContract, SpmvInSinglePrecision) {
  const auto json = Workplace().json("spmv gen:circuit:300 --precision single --format all,auto");
  EXPECT_EQ(json["options"]["precision"], "single");
  for (const auto& row : json["formats"]) EXPECT_LE(row["max_scaled_error"], 1.0) << row["format"];
}

TEST(DriverContract, Solve) {
  const auto json = Workplace().json("solve gen:convection-diffusion:8 --time-phases");
  expect_common(json, {{"result", "object"}, {"time_s", "object"}, {"bytes", "object"}, {"format", "text"}});
  expect_fields(json["result"], result_fields);
  expect_history(json["result"]["residual_history"]);
  EXPECT_EQ(json["result"]["status"], "converged");
  EXPECT_LE(json["result"]["relative_residual"], 1e-10);
  expect_fields(json["time_s"], {{"setup", "number"},
                                 {"total", "number"},
                                 {"spmv", "number"},
                                 {"orthogonalization", "number"},
                                 {"preconditioner", "number"},
                                 {"other", "number"}});
  expect_fields(json["bytes"], {{"matrix", "number"}, {"basis", "number"}});
  EXPECT_EQ(json["options"]["format"].get<std::string>().find(json["format"].get<std::string>()), 0u);
  EXPECT_EQ(json["options"]["basis"], "float32");
  EXPECT_EQ(json["options"]["orthog"], "low-sync");
  EXPECT_EQ(json["options"]["side"], "right");
  EXPECT_EQ(json["options"]["restart"], 100);
  EXPECT_EQ(json["options"]["tol"], 1e-10);
  EXPECT_EQ(json["options"]["max_iters"], 10000);
}

TEST(DriverContract, PhasesAreZeroWhereTheyAreNotMeasured) {
  const auto json = Workplace().json("solve gen:poisson2d:8");
  EXPECT_GT(json["time_s"]["total"], 0);
  for (const char* phase : {"spmv", "orthogonalization", "preconditioner", "other"}) {
    EXPECT_EQ(json["time_s"][phase], 0) << phase;
  }
}

TEST(DriverContract, Compare) {
  const Workplace here;
  const CommandResult result = here.run("compare gen:convection-diffusion:6 --basis all --json out.json");
  EXPECT_LE(result.status, 1) << result.err;
  EXPECT_NE(result.out.find("bfloat16"), std::string::npos);
  const auto json = nlohmann::json::parse(here.read("out.json"));
  expect_common(json, {{"rows", "list"}});
  ASSERT_EQ(json["rows"].size(), 9u);
  auto fields = result_fields;
  fields.insert(fields.end(),
                {{"basis", "text"}, {"time_s", "object"}, {"bytes", "object"}, {"speedup", "number"}});
  for (const auto& row : json["rows"]) {
    expect_fields(row, fields);
    expect_history(row["residual_history"]);
  }
  EXPECT_EQ(json["rows"][0]["basis"], "float64");
  EXPECT_EQ(json["rows"][0]["speedup"], 1.0);
}

TEST(DriverContract, CompareAlwaysRunsTheReference) {
  const auto json = Workplace().json("compare gen:poisson2d:5 --basis float32");
  ASSERT_EQ(json["rows"].size(), 2u);
  EXPECT_EQ(json["rows"][0]["basis"], "float64");
}

TEST(DriverContract, GenerateAndConvert) {
  const Workplace here;
  const auto generated = here.json("generate anisotropic --n 9 --eps 0.5 a.mtx");
  expect_common(generated);
  EXPECT_EQ(generated["matrix"]["rows"], 81);
  EXPECT_EQ(generated["options"]["eps"], 0.5);
  const auto converted = here.json("convert a.mtx b.mtx --format rgcsr:group=16");
  expect_common(converted);
  EXPECT_EQ(here.read("a.mtx"), here.read("b.mtx"));
}

TEST(DriverContract, StandardOutputHoldsOnlyTheJson) {
  const Workplace here;
  const auto bound = here.json("solve gen:poisson2d:6", 0, "env OMP_PROC_BIND=true OMP_NUM_THREADS=2");
  const auto unbound = here.json("solve gen:poisson2d:6", 0, "env -u OMP_PROC_BIND OMP_NUM_THREADS=2");
  EXPECT_EQ(bound["result"]["status"], "converged");
  EXPECT_EQ(unbound["result"]["status"], "converged");
  const CommandResult result = here.run("solve gen:poisson2d:6 --json -", "env -u OMP_PROC_BIND");
  EXPECT_EQ(result.err, "");
}

}  // namespace
}  // namespace krylite::test
