// GMRES(100) with Jacobi to a true 1e-10, b_i = sin(i), x0 = 0, in RgCSR: seconds (the median of 3 solves behind one
// that is not timed), iterations and residual of every basis storage. Runs wherever Kokkos' default execution space
// is; the systems are those whose times on a GPU are known from others. JSON goes to standard output, tables to
// standard error:
//
//     krylite_cuda_solves [--time-phases] [--storages float32,int16] [--orthog low-sync] [SYSTEM ...] > solves.json
//
// A step's time grows with the vectors before it, so that storages whose cycles end early would look fast. Two figures
// compare: `full_cycle_step_seconds`, the mean over cycles of `restart` steps (from the last step of the cycle before),
// where there is one; and `fitted_step_seconds`, from a straight line through the times of all steps against their
// place in the cycle, at the middle of a full one. `time_s` has the phases of one more solve, which waits for the
// device around each.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "driver/table.hpp"
#include "driver/text.hpp"
#include "support/load.hpp"

namespace {

using namespace krylite_perf;
using Json = nlohmann::ordered_json;

const std::vector<std::pair<std::string, std::string>> known_systems = {
    {"cd128", "gen:convection-diffusion:128:peclet=40"},
    {"cd160", "gen:convection-diffusion:160:peclet=200"},
    {"aniso1000", "gen:anisotropic:1000:eps=0.01"},
    {"cd40", "gen:convection-diffusion:40:peclet=40"},
};

struct Options {
  std::vector<std::string> systems;
  std::string storages;
  std::string orthogonalizations = "cgs,low-sync";
  int solves = 3;
  bool time_phases = false;
  krylite::GmresParameters parameters;
};

struct System {
  std::string name;
  std::string source;
  double setup_seconds = 0;  ///< conversion and preconditioner
  krylite::RgCsrMatrix<double, std::int32_t, Memory> matrix;
  krylite::JacobiPreconditioner<Memory> jacobi;
  Vector b;
  Vector x;
};

/// A solve with one storage and orthogonalization.
struct Solve {
  std::string storage;
  std::string orthogonalization;
  krylite::GmresResult result = {};
  std::vector<double> seconds = {};  ///< of each timed solve
  std::int64_t full_cycles = 0;
  double full_cycle_step = 0;  ///< seconds; 0 where no cycle was full
  double fitted_step = 0;      ///< seconds
  krylite::GmresTimes phases = {};
  std::int64_t phase_iterations = 0;  ///< 0: phases were not measured
};

System make_system(const Execution& exec, const std::string& asked) {
  System system;
  const auto known = std::find_if(known_systems.begin(), known_systems.end(),
                                  [&](const auto& each) { return each.first == asked; });
  system.source = known != known_systems.end() ? known->second : asked;
  system.name = known != known_systems.end() ? asked : short_name(asked);
  const Csr csr = load(system.source);
  const Kokkos::Timer timer;
  system.matrix = krylite::to_rgcsr(exec, csr);
  system.jacobi = krylite::make_jacobi(exec, csr);
  exec.fence();
  system.setup_seconds = timer.seconds();
  system.b = Vector("krylite_perf::b", csr.num_rows);
  system.x = Vector("krylite_perf::x", csr.num_rows);
  const auto host = Kokkos::create_mirror_view(system.b);
  for (std::size_t i = 0; i < host.extent(0); ++i) host(i) = std::sin(static_cast<double>(i));
  Kokkos::deep_copy(system.b, host);
  return system;
}

krylite::GmresResult solve_once(const Execution& exec, const System& system,
                                const krylite::GmresParameters& parameters) {
  Kokkos::deep_copy(system.x, 0.0);
  return krylite::gmres(exec, system.matrix, system.jacobi, system.b, system.x, parameters);
}

/// Steps of each cycle, in order.
std::vector<std::int64_t> cycle_lengths(const krylite::GmresResult& result) {
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(result.restarts) + 1, 0);
  for (const auto& record : result.history) {
    if (record.iteration > 0) ++lengths[static_cast<std::size_t>(record.cycle)];
  }
  return lengths;
}

/// The mean time of a step in full cycles. \param ends when each step ended, from the start of the solve
void average_full_cycles(const std::vector<double>& ends, krylite::Index restart, Solve& solve) {
  double seconds = 0;
  std::size_t first = 0;
  for (const std::int64_t length : cycle_lengths(solve.result)) {
    const std::size_t last = first + static_cast<std::size_t>(length);
    if (length == restart && last <= ends.size()) {
      seconds += ends[last - 1] - (first > 0 ? ends[first - 1] : 0.0);
      ++solve.full_cycles;
    }
    first = last;
  }
  const auto steps = static_cast<double>(solve.full_cycles * restart);
  if (steps > 0) solve.full_cycle_step = seconds / steps;
}

/// The time of the middle step of a full cycle, by least squares over all steps but the first of each cycle, whose
/// times hold the restart. 0 where there are too few.
double fitted_step(const std::vector<double>& ends, const krylite::GmresResult& result, krylite::Index restart) {
  double count = 0, sum_k = 0, sum_kk = 0, sum_t = 0, sum_kt = 0;
  std::size_t step = 0;
  for (const std::int64_t length : cycle_lengths(result)) {
    for (std::int64_t k = 1; k <= length && step < ends.size(); ++k, ++step) {
      if (k == 1) continue;
      const auto place = static_cast<double>(k);
      const double time = ends[step] - ends[step - 1];
      count += 1;
      sum_k += place;
      sum_kk += place * place;
      sum_t += time;
      sum_kt += place * time;
    }
  }
  const double spread = count * sum_kk - sum_k * sum_k;
  if (!(spread > 0)) return 0;
  const double slope = (count * sum_kt - sum_k * sum_t) / spread;
  const double middle = (1.0 + restart) / 2;
  return sum_t / count + slope * (middle - sum_k / count);
}

/// The values whose names stand in `text` with commas between them, or all; "low_sync" is "low-sync" too.
template <class Values>
auto all_named(const Values& values, std::string text) {
  std::vector<typename Values::value_type> chosen;
  if (text.empty()) return std::vector<typename Values::value_type>(values.begin(), values.end());
  std::replace(text.begin(), text.end(), '_', '-');
  for (const std::string& word : krylite::driver::split(text, ',')) {
    const auto found =
        std::find_if(values.begin(), values.end(), [&](const auto value) { return word == name(value); });
    krylite::detail::require(found != values.end(), "there is no '", word, "'");
    chosen.push_back(*found);
  }
  return chosen;
}

Solve measure(const Execution& exec, const System& system, krylite::BasisStorage storage,
              krylite::Orthogonalization method, const Options& options) {
  krylite::GmresParameters parameters = options.parameters;
  parameters.storage = storage;
  parameters.orthogonalization = method;
  Solve solve{name(storage), name(method)};
  solve_once(exec, system, parameters);
  std::vector<double> ends;
  for (int k = 0; k < options.solves; ++k) {
    // When steps end is taken from the last solve; the host waits in each step, so that its clock will do.
    ends.clear();
    const Kokkos::Timer timer;
    parameters.monitor = [&](std::int64_t, double) {
      ends.push_back(timer.seconds());
      return true;
    };
    solve.result = solve_once(exec, system, parameters);
    solve.seconds.push_back(solve.result.times.total);
  }
  average_full_cycles(ends, parameters.restart, solve);
  solve.fitted_step = fitted_step(ends, solve.result, parameters.restart);
  if (options.time_phases) {
    parameters.monitor = {};
    parameters.time_phases = true;
    const auto timed = solve_once(exec, system, parameters);
    solve.phases = timed.times;
    solve.phase_iterations = timed.iterations;
  }
  return solve;
}

Json solve_json(const Solve& solve) {
  const auto& result = solve.result;
  Json json = {{"storage", solve.storage},
               {"orthog", solve.orthogonalization},
               {"seconds", median(solve.seconds)},
               {"all_seconds", solve.seconds},
               {"status", name(result.status)},
               {"iterations", result.iterations},
               {"restarts", result.restarts},
               {"reductions", result.reductions},
               {"relative_residual", std::min(result.relative_residual, 1e300)},
               {"last_storage", name(result.storage)},
               {"basis_bytes", result.basis_bytes},
               {"full_cycles", solve.full_cycles},
               {"fitted_step_seconds", solve.fitted_step}};
  if (solve.full_cycles > 0) json["full_cycle_step_seconds"] = solve.full_cycle_step;
  if (solve.phase_iterations > 0) {
    json["time_s"] = {{"iterations", solve.phase_iterations},
                      {"total", solve.phases.total},
                      {"spmv", solve.phases.spmv},
                      {"orthogonalization", solve.phases.orthogonalization},
                      {"preconditioner", solve.phases.preconditioner},
                      {"other", solve.phases.other}};
  }
  return json;
}

Json system_json(const System& system, const std::vector<Solve>& solves) {
  Json json = {{"name", system.name},
               {"source", system.source},
               {"rows", system.matrix.num_rows},
               {"nonzeros", system.matrix.num_entries()},
               {"matrix_bytes", system.matrix.bytes()},
               {"setup_seconds", system.setup_seconds},
               {"solves", Json::array()}};
  for (const Solve& solve : solves) json["solves"].push_back(solve_json(solve));
  return json;
}

/// How many times faster a step is than with float64 and the same orthogonalization; "-" where that was not measured.
std::string over_float64(const Solve& solve, const std::vector<Solve>& solves) {
  for (const Solve& other : solves) {
    if (other.storage == "float64" && other.orthogonalization == solve.orthogonalization && solve.fitted_step > 0) {
      return krylite::driver::fixed(other.fitted_step / solve.fitted_step, 2);
    }
  }
  return "-";
}

std::string system_text(const System& system, const std::vector<Solve>& solves) {
  using namespace krylite::driver;
  Table table({system.name, "orthog", "status", "steps", "restarts", "seconds", "us/step", "full cycle", "fitted",
               "over float64", "residual", "spmv", "orthogonal.", "precond.", "other"});
  for (const Solve& solve : solves) {
    const auto& result = solve.result;
    const double seconds = median(solve.seconds);
    const auto steps = static_cast<double>(std::max<std::int64_t>(1, result.iterations));
    std::vector<std::string> row = {solve.storage,
                                    solve.orthogonalization,
                                    name(result.status),
                                    std::to_string(result.iterations),
                                    std::to_string(result.restarts),
                                    fixed(seconds, 4),
                                    fixed(1e6 * seconds / steps, 1),
                                    solve.full_cycles > 0 ? fixed(1e6 * solve.full_cycle_step, 1) : "-",
                                    fixed(1e6 * solve.fitted_step, 1),
                                    over_float64(solve, solves),
                                    scientific(result.relative_residual, 1)};
    for (const double phase : {solve.phases.spmv, solve.phases.orthogonalization, solve.phases.preconditioner,
                               solve.phases.other}) {
      const auto timed_steps = static_cast<double>(solve.phase_iterations);
      row.push_back(timed_steps > 0 ? fixed(1e6 * phase / timed_steps, 1) : "-");
    }
    table.add(row);
  }
  return "\n" + system.source + ", " + grouped(system.matrix.num_rows) + " rows; phases in us a step\n" +
         table.text();
}

/// A system that fails is told, and the others go on.
int run(Options options) {
  const Kokkos::Timer clock;
  const Execution exec;
  if (options.systems.empty()) {
    for (const auto& known : known_systems) options.systems.push_back(known.first);
  }
  Json systems = Json::array();
  int status = 0;
  const auto storages = all_named(krylite::all_basis_choices(), options.storages);
  const auto methods = all_named(krylite::all_orthogonalizations, options.orthogonalizations);
  for (const std::string& asked : options.systems) {
    try {
      const System system = make_system(exec, asked);
      std::vector<Solve> solves;
      for (const auto method : methods) {
        for (const auto storage : storages) solves.push_back(measure(exec, system, storage, method, options));
      }
      systems.push_back(system_json(system, solves));
      std::fputs(system_text(system, solves).c_str(), stderr);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", asked.c_str(), error.what());
      status = 3;
    }
  }
  const Json json = {{"schema", 1},
                     {"version", KRYLITE_VERSION},
                     {"kokkos_version", KOKKOS_VERSION},
                     {"execution_space", Execution::name()},
                     {"concurrency", exec.concurrency()},
                     {"restart", options.parameters.restart},
                     {"tol", options.parameters.tolerance},
                     {"systems", systems},
                     {"seconds", clock.seconds()}};
  std::cout << json.dump(2) << std::endl;
  std::fprintf(stderr, "%.1f s in all\n", clock.seconds());
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Times of GMRES with every basis storage");
  app.add_option("systems", options.systems, "cd128, cd160, aniso1000, cd40, gen: texts or files; none: these four");
  app.add_option("--storages", options.storages, "Basis storages, with commas between them; none: all");
  app.add_option("--orthog", options.orthogonalizations, "Orthogonalizations, with commas between them")
      ->capture_default_str();
  app.add_option("--solves", options.solves, "Solves that a time is the median of")->check(CLI::Range(1, 1000));
  app.add_option("--restart", options.parameters.restart, "Steps in a cycle")->check(CLI::Range(1, 1000000));
  app.add_option("--tol", options.parameters.tolerance, "Tolerance for ||b - A x|| / ||b||");
  app.add_option("--max-iters", options.parameters.max_iterations, "Steps in all cycles together");
  app.add_flag("--time-phases", options.time_phases, "One more solve, in which the phases are timed");
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
