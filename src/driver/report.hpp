#ifndef KRYLITE_SRC_DRIVER_REPORT_HPP
#define KRYLITE_SRC_DRIVER_REPORT_HPP

/// \file
/// What a subcommand found: the JSON whose fields tools outside rely on, and the table for people.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "load.hpp"
#include "options.hpp"

namespace krylite::driver {

using Json = nlohmann::ordered_json;

/// Warnings of a run. Each is told on standard error when it arises and is kept for the JSON.
class Warnings {
 public:
  void add(const std::string& text);
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_;
};

/// The number, or 1e300 where it is not finite, which JSON does not know, or as large.
double finite(double value);

/// The fields that every subcommand has: schema, version, kokkos, matrix, options, warnings.
Json common_json(const LoadedMatrix& matrix, const Json& options, const Warnings& warnings);

/// "krylite 0.1.0 (Kokkos 3.4.01, OpenMP, concurrency 2; SIMD AVX3 of AVX3, AVX2, SCALAR)".
std::string version_text();

/// "wang3: 26,064 x 26,064, 177,168 nonzeros".
std::string matrix_text(const LoadedMatrix& matrix);

/// "OpenMP, 2 threads".
std::string execution_text();

/// Writes the JSON where it was asked for, and the table to standard output unless that is taken.
/// \param other_outputs paths of other results, which may take standard output too
/// \throws OutputError
void deliver(const CommonOptions& options, const Json& json, const std::string& table,
             const std::vector<std::string>& other_outputs = {});

}  // namespace krylite::driver

#endif
