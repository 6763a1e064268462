#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <krylite/core/kokkos_compat.hpp>
#include <krylite/core/simd.hpp>

#include "output.hpp"
#include "text.hpp"

namespace krylite::driver {
namespace {

/// As Kokkos writes it: two digits for the patch level.
std::string kokkos_version() {
  constexpr int version = KOKKOS_VERSION;
  char text[32];
  std::snprintf(text, sizeof text, "%d.%d.%02d", version / 10000, version / 100 % 100, version % 100);
  return text;
}

/// "SIMD AVX3 of AVX3, AVX2, SCALAR".
std::string simd_text() {
  const auto targets = simd_targets();
  return "SIMD " + simd_target() + (targets.empty() ? "" : " of " + join(targets));
}

Json kokkos_json() {
  return {{"version", kokkos_version()},
          {"execution_space", Execution::name()},
          {"concurrency", Execution().concurrency()}};
}

}  // namespace

void Warnings::add(const std::string& text) {
  all_.push_back(text);
  print_error("warning: " + text);
}

double finite(double value) { return std::fabs(value) < 1e300 ? value : 1e300; }

Json common_json(const LoadedMatrix& matrix, const Json& options, const Warnings& warnings) {
  return {{"schema", 1},
          {"version", KRYLITE_VERSION},
          {"kokkos", kokkos_json()},
          {"matrix",
           {{"name", matrix.name},
            {"rows", matrix.csr.num_rows},
            {"columns", matrix.csr.num_cols},
            {"nonzeros", matrix.csr.num_entries()}}},
          {"options", options},
          {"warnings", warnings.all()}};
}

std::string version_text() {
  return std::string("krylite ") + KRYLITE_VERSION + " (Kokkos " + kokkos_version() + ", " +
         Execution::name() + ", concurrency " + std::to_string(Execution().concurrency()) + "; " + simd_text() + ")\n";
}

std::string matrix_text(const LoadedMatrix& matrix) {
  return matrix.name + ": " + grouped(matrix.csr.num_rows) + " x " + grouped(matrix.csr.num_cols) + ", " +
         grouped(matrix.csr.num_entries()) + " nonzeros";
}

std::string execution_text() {
  const int concurrency = static_cast<int>(Execution().concurrency());
  const std::string threads = concurrency == 1 ? " thread" : " threads";
  return std::string(Execution::name()) + ", " + grouped(concurrency) + threads;
}

void deliver(const CommonOptions& options, const Json& json, const std::string& table,
             const std::vector<std::string>& other_outputs) {
  if (!options.json.empty()) {
    // File names may hold bytes that are no UTF-8, which JSON cannot.
    write_output(options.json, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  }
  const bool is_taken =
      is_stdout(options.json) || std::any_of(other_outputs.begin(), other_outputs.end(), is_stdout);
  if (!is_taken) print(table);
}

}  // namespace krylite::driver
