// SpMV y = A x on one CUDA device in one run: Krylite's formats beside cuSPARSE and Kokkos Kernels, and the copy and
// read bandwidth. Each time is the median of at least 7 batches, between events of one stream, in which all products
// of a matrix take turns. JSON goes to standard output, tables to standard error:
//
//     krylite_cuda_peers [--check] [--conversions] [poisson3d rmat gen:poisson2d:500 ...] > cuda_peers.json
//
// Without names, all matrices of the list below. `gbs` and the fractions use the bytes that CSR must move, whatever
// the format: nnz (value + 4) + 4 (rows + 1) + (rows + columns) value. `difference` compares each y with that of
// cuSPARSE's CSR in units of the error that a row may have (spmv/reference.hpp): more than 2 is wrong, and cannot be a
// best.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "peers/report.hpp"

namespace {

using namespace krylite_perf;

struct MatrixCase {
  std::string name;
  std::string source;
  std::string group;
  bool in_single;      ///< measured in float32 too
  std::string formats = {};  ///< that are meant for such a matrix, besides those for all
};

const std::vector<MatrixCase> known_cases = {
    {"poisson2d", "gen:poisson2d:2200", "regular", true},
    {"poisson3d", "gen:poisson3d:160", "regular", true},
    {"stencil27", "gen:stencil27:128", "regular", true},
    {"elasticity", "gen:elasticity:64", "regular", true},
    {"shuffled", "gen:poisson3d:128:shuffle=1", "irregular", false, "rgcsr:order=clusters,packed=off"},
    {"rmat", "gen:rmat:20", "irregular", false,
     "adaptive_rgcsr:order=descending,piece=64,adaptive_rgcsr:order=descending,piece=96"},
    {"circuit", "gen:circuit:3000000", "irregular", false, "adaptive_rgcsr:group=64,window=512"},
    {"web", "gen:web:3000000", "irregular", false, "adaptive_rgcsr:group=64,window=512"},
    {"lp", "gen:lp:4284:columns=1090000", "irregular", false,
     "adaptive_rgcsr:columns=8192,piece=64,adaptive_rgcsr:columns=8192,piece=32,adaptive_rgcsr:columns=16384,piece=64"},
    {"small", "gen:poisson3d:40", "small", false},
};

/// What is measured unless --formats says otherwise. Two whose options come to the same are measured once.
const char* const usual_formats =
    "csr,csr:kernel=vector,csr:kernel=balanced,"
    "rgcsr,rgcsr:group=32,rgcsr:group=64,rgcsr:group=128,rgcsr:group=256,"
    "rgcsr:packed=off,rgcsr:group=32,packed=off,rgcsr:group=64,packed=off,rgcsr:group=128,packed=off,"
    "rgcsr:group=256,packed=off,"
    "adaptive_rgcsr,adaptive_rgcsr:piece=32,adaptive_rgcsr:piece=64,adaptive_rgcsr:piece=128,"
    "adaptive_rgcsr:piece=256,adaptive_rgcsr:window=256,adaptive_rgcsr:window=8192,adaptive_rgcsr:order=natural,"
    "csr5,csr5:sigma=8,csr5:sigma=16,csr5:sigma=32,sliced_ell,hyb";

struct Options {
  std::vector<std::string> matrices;
  std::string formats = usual_formats;
  std::string precision = "all";
  BenchOptions bench;
};

/// The cases that were named; a name that is not in the list is a gen: text or a file.
std::vector<MatrixCase> asked_cases(const Options& options) {
  if (options.matrices.empty()) return known_cases;
  std::vector<MatrixCase> cases;
  for (const std::string& name : options.matrices) {
    const auto known = std::find_if(known_cases.begin(), known_cases.end(),
                                    [&](const MatrixCase& each) { return each.name == name; });
    cases.push_back(known != known_cases.end() ? *known : MatrixCase{short_name(name), name, "other", true});
  }
  return cases;
}

krylite::HostCsr make_matrix(const std::string& source) {
  return krylite::is_generator(source) ? krylite::generate(krylite::parse_generator(source))
                                       : krylite::read_matrix_market<double, std::int64_t>(
                                             Kokkos::DefaultHostExecutionSpace(), source);
}

/// Whether a format has its usual options, with which the conversion to it is timed.
bool is_usual(const krylite::FormatSpec& spec) {
  krylite::FormatSpec usual;
  usual.kind = spec.kind;
  return spec.kind != krylite::FormatKind::csr &&
         krylite::driver::format_options(spec) == krylite::driver::format_options(usual);
}

template <class Scalar>
Finding measure(const Execution& exec, const StreamTimer& timer, const MatrixCase& which,
                const krylite::HostCsr& host, const Options& options) {
  const Kokkos::Timer clock;
  Bench<Scalar> bench(exec, host, options.bench);
  bench.add_peers();
  const std::string more = options.formats == usual_formats ? which.formats : "";
  for (const auto& asked : krylite::driver::parse_format_list(options.formats + (more.empty() ? "" : "," + more))) {
    const krylite::FormatSpec spec = asked ? *asked : krylite::select_format(exec, bench.problem().csr).format;
    bench.add_format(spec, krylite::Kernel::automatic, is_usual(spec));
  }
  krylite::FormatSpec portable;
  portable.kind = krylite::FormatKind::rgcsr;
  bench.add_format(portable, krylite::Kernel::portable, false);
  Finding finding{which.name, which.source, which.group, sizeof(Scalar) == 8 ? "float64" : "float32"};
  finding.products = bench.run(timer);
  finding.rows = host.num_rows;
  finding.columns = host.num_cols;
  finding.nonzeros = host.num_entries();
  finding.model_bytes = bench.problem().model_bytes();
  finding.measuring_seconds = clock.seconds();
  return finding;
}

/// All precisions of one matrix, which is made once.
void measure_case(const Execution& exec, const StreamTimer& timer, const MatrixCase& which, const Options& options,
                  const Bandwidth& bandwidth, std::vector<Finding>& findings) {
  const Kokkos::Timer clock;
  const krylite::HostCsr host = make_matrix(which.source);
  const double generation_seconds = clock.seconds();
  const std::size_t before = findings.size();
  if (options.precision != "single") findings.push_back(measure<double>(exec, timer, which, host, options));
  const bool in_single = options.precision == "single" || (options.precision == "all" && which.in_single);
  if (in_single) findings.push_back(measure<float>(exec, timer, which, host, options));
  for (std::size_t k = before; k < findings.size(); ++k) {
    findings[k].generation_seconds = generation_seconds;
    std::fputs(finding_text(findings[k], bandwidth).c_str(), stderr);
  }
}

Json device_json() {
  cudaDeviceProp properties;
  int device = 0, driver = 0, runtime = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  check_cuda(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  check_cuda(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check_cuda(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  return {{"name", std::string(properties.name)},
          {"l2_bytes", properties.l2CacheSize},
          {"cuda_driver", driver},
          {"cuda_runtime", runtime}};
}

Json results_json(const Execution& exec, const std::vector<Finding>& findings, const Bandwidth& bandwidth) {
  Json matrices = Json::array();
  for (const Finding& finding : findings) matrices.push_back(finding_json(finding, bandwidth));
  return {{"schema", 1},
          {"version", KRYLITE_VERSION},
          {"kokkos_version", KOKKOS_VERSION},
          {"kokkos_kernels_calls_cusparse", kokkos_kernels_calls_cusparse},
          {"cusparse_version", cusparse_version(make_cusparse(exec))},
          {"copy_gbs", bandwidth.copy_gbs},
          {"copy_by", bandwidth.copy_way},
          {"read_gbs", bandwidth.read_gbs},
          {"read_by", bandwidth.read_way},
          {"matrices", matrices},
          {"summary", summaries_json(findings, bandwidth)}};
}

/// Measures what was asked for; a matrix that fails is told, and the others go on.
int run(const Options& options) {
  const Kokkos::Timer clock;
  const Execution exec;
  const StreamTimer timer(exec);
  krylite::driver::parse_format_list(options.formats);  // what is wrong there shows before the work
  const Bandwidth bandwidth = measure_bandwidth(exec, timer);
  const Json device = device_json();
  std::fprintf(stderr, "%s: copy %.0f GB/s (%s), read %.0f GB/s (%s)\n",
               device["name"].get<std::string>().c_str(), bandwidth.copy_gbs, bandwidth.copy_way.c_str(),
               bandwidth.read_gbs, bandwidth.read_way.c_str());
  std::vector<Finding> findings;
  Json failures = Json::array();
  for (const MatrixCase& which : asked_cases(options)) {
    try {
      measure_case(exec, timer, which, options, bandwidth, findings);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", which.name.c_str(), error.what());
      failures.push_back({{"name", which.name}, {"error", error.what()}});
    }
  }
  std::fputs(summaries_text(findings, bandwidth).c_str(), stderr);
  Json json = results_json(exec, findings, bandwidth);
  json["device"] = device;
  json["batches"] = options.bench.batches;
  json["failures"] = failures;
  json["seconds"] = clock.seconds();
  std::cout << json.dump(2) << std::endl;
  std::fprintf(stderr, "%.1f s in all\n", clock.seconds());
  return failures.empty() ? 0 : 3;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Products of Krylite beside those of cuSPARSE and Kokkos Kernels");
  app.add_option("matrices", options.matrices, "Names of the list, gen: texts or files; none: the whole list");
  app.add_option("--formats", options.formats, "Formats of Krylite, as krylite spmv --format has them");
  app.add_option("--precision", options.precision, "double, single, or all: single too where the matrix is regular")
      ->check(CLI::IsMember({"double", "single", "all"}));
  app.add_option("--batches", options.bench.batches, "Batches that a time is the median of")
      ->check(CLI::Range(7, 1000));
  app.add_flag("--check", options.bench.check, "Compare each product with one on the host (slow)");
  app.add_flag("--conversions", options.bench.conversions, "Time the conversions to formats with usual options");
  CLI11_PARSE(app, argc, argv);
  krylite::initialize_kokkos();
  int status = 0;
  try {
    status = run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    status = 3;
  }
  Kokkos::finalize();
  return status;
}
