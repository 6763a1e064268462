/// \file
/// `krylite compare A`: one system with every storage of the basis.

#include <algorithm>
#include <memory>

#include "output.hpp"
#include "plot.hpp"
#include "solve_progress.hpp"
#include "subcommands.hpp"
#include "system.hpp"
#include "table.hpp"
#include "text.hpp"

namespace krylite::driver {
namespace {

struct CompareOptions {
  SystemOptions system;
  std::vector<BasisStorage> bases = all_basis_choices();
  std::string plot;
};

/// One storage: what its first solve found, with the times as `run_basis` takes them.
struct BasisRun {
  BasisStorage basis = BasisStorage::float64;
  GmresResult result;
  double speedup = 0;  ///< over float64; 0 where one of the two did not converge

  bool converged() const { return result.status == GmresStatus::converged; }
};

/// float64, which speed-ups refer to, is always among them.
std::vector<BasisStorage> bases_to_run(std::vector<BasisStorage> bases) {
  if (std::find(bases.begin(), bases.end(), BasisStorage::float64) == bases.end()) {
    bases.insert(bases.begin(), BasisStorage::float64);
  }
  return bases;
}

/// The one whose total is the median.
GmresTimes median_times(std::vector<GmresTimes> times) {
  std::sort(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.total < b.total; });
  return times[times.size() / 2];
}

/// Solves once for the result, and again for the time where that is not long. Waiting around each phase costs
/// nothing on a host; elsewhere the time is that of solves whose phases are not measured.
BasisRun run_basis(const CompareOptions& options, const System& system, BasisStorage basis,
                   Progress& progress) {
  constexpr double long_seconds = 5;
  GmresParameters parameters = gmres_parameters(options.system);
  parameters.storage = basis;
  parameters.monitor = solve_monitor(progress, parameters.tolerance, name(basis));
  parameters.time_phases = true;
  BasisRun run{basis, system.solve(parameters, copy_of_initial(system))};
  std::vector<GmresTimes> times = {run.result.times};
  if (times.front().total > long_seconds) return run;
  parameters.time_phases = is_host_space<Execution>;
  if (!parameters.time_phases) times.clear();
  while (times.size() < 3) times.push_back(system.solve(parameters, copy_of_initial(system)).times);
  if (parameters.time_phases) {
    run.result.times = median_times(times);
  } else {
    run.result.times.total = median_times(times).total;
  }
  return run;
}

std::vector<BasisRun> run_all(const CompareOptions& options, const System& system) {
  Progress progress(options.system.common.quiet);
  std::vector<BasisRun> runs;
  for (const BasisStorage basis : bases_to_run(options.bases)) {
    runs.push_back(run_basis(options, system, basis, progress));
  }
  const auto reference = std::find_if(runs.begin(), runs.end(),
                                      [](const BasisRun& run) { return run.basis == BasisStorage::float64; });
  for (BasisRun& run : runs) {
    const bool comparable = run.converged() && reference->converged() && run.result.times.total > 0;
    if (comparable) run.speedup = reference->result.times.total / run.result.times.total;
  }
  return runs;
}

Json run_json(const BasisRun& run, const System& system) {
  Json row = {{"basis", name(run.basis)}};
  row.update(result_json(run.result, system.replaced_diagonals));
  row["time_s"] = times_json(system.setup_seconds, run.result.times);
  row["bytes"] = {{"matrix", system.matrix_bytes}, {"basis", run.result.basis_bytes}};
  row["speedup"] = run.speedup;
  return row;
}

std::string runs_text(const std::vector<BasisRun>& runs) {
  double longest = 0;
  for (const BasisRun& run : runs) longest = std::max(longest, run.result.times.total);
  const bool in_seconds = longest >= 10;
  const std::string unit = in_seconds ? " [s]" : " [ms]";
  const double scale = in_seconds ? 1 : 1e3;
  // As many digits for all, so that the points stand under each other.
  const int digits = longest * scale >= 1000 ? 0 : longest * scale >= 100 ? 1 : longest * scale >= 10 ? 2 : 3;
  const auto time = [&](double seconds) { return fixed(scale * seconds, digits); };
  Table table({"basis", "status", "iterations", "restarts", "true residual", "time" + unit, "speed-up",
               "SpMV", "orthog.", "precond.", "other", "basis memory"});
  table.align_left(1);
  for (const BasisRun& run : runs) {
    const GmresTimes& times = run.result.times;
    table.add({name(run.basis), name(run.result.status), grouped(run.result.iterations),
               grouped(run.result.restarts), scientific(finite(run.result.relative_residual), 2),
               time(times.total), run.speedup > 0 ? fixed(run.speedup, 2) : "-", time(times.spmv),
               time(times.orthogonalization), time(times.preconditioner), time(times.other),
               bytes_text(run.result.basis_bytes)});
  }
  return table.text();
}

void write_plot(const CompareOptions& options, const System& system, const std::vector<BasisRun>& runs) {
  if (options.plot.empty()) return;
  std::vector<ResidualCurve> curves;
  for (const BasisRun& run : runs) curves.push_back({name(run.basis), run.result.history});
  const std::string subtitle = "GMRES(" + std::to_string(options.system.restart) + "), " +
                               preconditioner_text(options.system) + ", b: " + options.system.rhs;
  write_output(options.plot,
               residual_plot(matrix_text(system.matrix), subtitle, options.system.tolerance, curves));
}

int run_compare(const CompareOptions& options) {
  check_outputs({options.system.common.json, options.plot}, input_files(options.system));
  Warnings warnings;
  const System system = make_system(options.system, warnings);
  const std::vector<BasisRun> runs = run_all(options, system);
  write_plot(options, system, runs);

  std::vector<std::string> names;
  Json rows = Json::array();
  for (const BasisRun& run : runs) {
    names.push_back(name(run.basis));
    rows.push_back(run_json(run, system));
  }
  Json used = system_options_json(options.system, system);
  used["basis"] = join(names, ",");
  Json json = common_json(system.matrix, used, warnings);
  json["rows"] = rows;
  deliver(options.system.common, json, system_text(options.system, system) + "\n" + runs_text(runs),
          {options.plot});
  const bool all_converged =
      std::all_of(runs.begin(), runs.end(), [](const BasisRun& run) { return run.converged(); });
  return all_converged ? exit_done : exit_not_converged;
}

}  // namespace

Subcommand add_compare(CLI::App& command) {
  CLI::App* app = command.add_subcommand("compare", "Solve one system with every storage of the basis");
  const auto options = std::make_shared<CompareOptions>();
  add_system(*app, options->system);
  add_basis_list(*app, options->bases);
  app->add_option("--plot", options->plot, "Write the residual curves as an SVG file")
      ->check(named_file())
      ->type_name("FILE");
  add_common(*app, options->system.common);
  app->footer(
      "Each basis solves the system three times, once where that takes more than 5 s; the time is the\n"
      "median, with its phases. On a device, where measuring the phases costs time, they are those of a\n"
      "solve of their own. The speed-up is over float64, which is always run; '-' (0 in JSON) where one\n"
      "of the two did not converge. The exit status is 1 where any basis did not converge.");
  return {app, [options] { return run_compare(*options); }};
}

}  // namespace krylite::driver
