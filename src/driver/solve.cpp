/// \file
/// `krylite solve A`: one system with one storage of the basis.

#include <krylite/io/matrix_market.hpp>
#include <memory>

#include "output.hpp"
#include "solve_progress.hpp"
#include "subcommands.hpp"
#include "system.hpp"
#include "table.hpp"
#include "text.hpp"

namespace krylite::driver {
namespace {

struct SolveOptions {
  SystemOptions system;
  BasisStorage basis = BasisStorage::float32;
  std::string solution;
  std::string history;
  bool time_phases = false;
};

GmresResult solve(const SolveOptions& options, const System& system, const Vector& x) {
  Progress progress(options.system.common.quiet);
  GmresParameters parameters = gmres_parameters(options.system);
  parameters.storage = options.basis;
  parameters.time_phases = options.time_phases;
  parameters.monitor = solve_monitor(progress, parameters.tolerance, name(options.basis));
  return system.solve(parameters, x);
}

std::string history_csv(const GmresResult& result) {
  std::string csv = "iteration,cycle,estimated,true\n";
  for (const ResidualRecord& record : result.history) {
    csv += std::to_string(record.iteration) + "," + std::to_string(record.cycle) + "," +
           shortest(record.estimated) + "," + (record.has_true ? shortest(record.true_residual) : "") + "\n";
  }
  return csv;
}

void write_files(const SolveOptions& options, const GmresResult& result, const Vector& x) {
  if (!options.solution.empty()) {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
    writing([&] { write_matrix_market_vector(library_path(options.solution), host); });
  }
  if (!options.history.empty()) write_output(options.history, history_csv(result));
}

Json solve_json(const SolveOptions& options, const System& system, const GmresResult& result,
                const Warnings& warnings) {
  Json used = system_options_json(options.system, system);
  used["basis"] = name(options.basis);
  used["time_phases"] = options.time_phases;
  Json json = common_json(system.matrix, used, warnings);
  json["result"] = result_json(result, system.replaced_diagonals);
  json["time_s"] = times_json(system.setup_seconds, result.times);
  json["bytes"] = {{"matrix", system.matrix_bytes}, {"basis", result.basis_bytes}};
  json["format"] = name(system.format.kind);
  return json;
}

std::string seconds_text(double seconds) {
  return seconds < 1 ? three_digits(1e3 * seconds) + " ms" : three_digits(seconds) + " s";
}

std::string phases_text(const GmresTimes& times) {
  const auto part = [&](double seconds) {
    return seconds_text(seconds) + " (" + percent(times.total > 0 ? seconds / times.total : 0) + ")";
  };
  return "SpMV " + part(times.spmv) + ", orthogonalization " + part(times.orthogonalization) +
         ", preconditioner " + part(times.preconditioner) + ", other " + part(times.other);
}

std::string solve_text(const SolveOptions& options, const System& system, const GmresResult& result,
                       const Vector& x) {
  std::vector<std::pair<std::string, std::string>> lines = {
      {"status", name(result.status)},
      {"iterations", grouped(result.iterations) + ", " + grouped(result.restarts) +
                         (result.restarts == 1 ? " restart" : " restarts")},
      {"relative residual", scientific(finite(result.relative_residual), 2) + " (estimated " +
                                scientific(finite(result.estimated_relative_residual), 2) + ")"}};
  if (system.solution_is_ones) {
    const OnesError error = error_against_ones(x);
    lines.push_back({"error against ones", scientific(finite(error.relative_norm), 2) + " in the 2-norm, " +
                                               scientific(finite(error.largest), 2) + " at most"});
  }
  lines.push_back(
      {"time", seconds_text(result.times.total) + ", set-up " + seconds_text(system.setup_seconds)});
  if (options.time_phases) lines.push_back({"phases", phases_text(result.times)});
  const bool is_chosen = options.basis == BasisStorage::automatic;
  lines.push_back({"basis", std::string(name(options.basis)) +
                                (is_chosen ? std::string(", at last ") + name(result.storage) : "") + ", " +
                                bytes_text(result.basis_bytes)});
  if (system.preconditioner_bytes > 0) {
    lines.push_back({"preconditioner", bytes_text(system.preconditioner_bytes)});
  }
  return system_text(options.system, system) + "\n" + key_value_text(lines);
}

int run_solve(const SolveOptions& options) {
  check_outputs({options.system.common.json, options.solution, options.history}, input_files(options.system));
  Warnings warnings;
  const System system = make_system(options.system, warnings);
  const Vector x = copy_of_initial(system);
  const GmresResult result = solve(options, system, x);
  write_files(options, result, x);
  deliver(options.system.common, solve_json(options, system, result, warnings),
          solve_text(options, system, result, x), {options.solution, options.history});
  return result.status == GmresStatus::converged ? exit_done : exit_not_converged;
}

}  // namespace

Subcommand add_solve(CLI::App& command) {
  CLI::App* app = command.add_subcommand("solve", "Solve A x = b by GMRES with a compressed basis");
  const auto options = std::make_shared<SolveOptions>();
  add_system(*app, options->system);
  add_basis(*app, options->basis);
  app->add_option("--solution", options->solution, "Write x as a Matrix Market file")
      ->check(named_file())
      ->type_name("FILE");
  app->add_option("--history", options->history,
                  "Write the residuals as CSV, iteration,cycle,estimated,true; 'true' where it was computed")
      ->check(named_file())
      ->type_name("FILE");
  app->add_flag(
      "--time-phases", options->time_phases,
      "Measure the phases; this waits for the device around each. Without it they are 0 in the JSON");
  add_common(*app, options->system.common);
  app->footer(
      "'converged' (status 0) always means that ||b - A x|| / ||b||, computed from x, meets the tolerance.\n"
      "Otherwise the best x known is written and the status is 1.");
  return {app, [options] { return run_solve(*options); }};
}

}  // namespace krylite::driver
