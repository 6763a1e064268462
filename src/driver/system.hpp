#ifndef KRYLITE_SRC_DRIVER_SYSTEM_HPP
#define KRYLITE_SRC_DRIVER_SYSTEM_HPP

/// \file
/// The linear system that `solve` and `compare` share: options, matrix in its format, preconditioner,
/// vectors.

#include <functional>
#include <krylite/solvers/parameters.hpp>
#include <krylite/solvers/result.hpp>
#include <string>

#include "load.hpp"
#include "options.hpp"
#include "report.hpp"

namespace krylite::driver {

/// What the command line says about a system and its solution.
struct SystemOptions {
  CommonOptions common;
  std::string rhs = "from-ones";
  std::string x0;  ///< file of the initial guess; empty: zeros
  AskedFormat format;
  std::string precond = "jacobi";
  std::int64_t block_size = 4;
  std::string side = "right";
  std::string orthog = name(GmresParameters().orthogonalization);
  std::string reorder = "none";
  std::int64_t restart = 100;
  double tolerance = 1e-10;
  std::int64_t max_iterations = 10000;
};

/// Adds everything in SystemOptions but --json and --quiet.
void add_system(CLI::App& app, SystemOptions& options);

/// What names or may name a file that is read.
std::vector<std::string> input_files(const SystemOptions& options);

/// As the command line has them, for gmres.
GmresParameters gmres_parameters(const SystemOptions& options);

/// A system that is ready to be solved, any number of times.
struct System {
  LoadedMatrix matrix;
  FormatSpec format;  ///< that was used
  std::size_t matrix_bytes = 0;
  double fill = 0;
  std::int64_t replaced_diagonals = 0;    ///< or blocks
  std::size_t preconditioner_bytes = 0;
  double setup_seconds = 0;  ///< reordering, conversion and preconditioner
  Vector initial;            ///< the initial guess
  bool solution_is_ones = false;
  /// Solves it; x holds the initial guess before and the solution after, in the user's order of the rows.
  std::function<GmresResult(const GmresParameters& parameters, const Vector& x)> solve;
};

/// Loads and converts everything.
/// \param warnings takes replaced diagonal entries and a format that "auto" could not take
/// \throws Error where anything cannot be read or does not fit
System make_system(const SystemOptions& options, Warnings& warnings);

/// A fresh copy of the initial guess.
Vector copy_of_initial(const System& system);

/// How far x is from all ones.
struct OnesError {
  double relative_norm = 0;  ///< ||x - 1|| / ||1||
  double largest = 0;        ///< max |x_i - 1|
};

OnesError error_against_ones(const Vector& x);

/// What the options of the system were, with the values that were used.
Json system_options_json(const SystemOptions& options, const System& system);

/// Fields of `result` in the JSON.
Json result_json(const GmresResult& result, std::int64_t replaced_diagonals);

/// Fields of `time_s`; phases that were not measured are 0.
Json times_json(double setup, const GmresTimes& times);

/// "block-jacobi(4), left".
std::string preconditioner_text(const SystemOptions& options);

/// Two lines that say what is solved and how.
std::string system_text(const SystemOptions& options, const System& system);

}  // namespace krylite::driver

#endif
