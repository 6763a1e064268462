#ifndef KRYLITE_SRC_DRIVER_SUBCOMMANDS_HPP
#define KRYLITE_SRC_DRIVER_SUBCOMMANDS_HPP

/// \file
/// The subcommands, one file each. A new one is a function here, its file and a line in main.cpp.

#include <functional>

namespace CLI {
class App;
}

namespace krylite::driver {

/// What the process ends with.
enum ExitStatus {
  exit_done = 0,           ///< done, or converged
  exit_not_converged = 1,  ///< solved but not converged; everything is written
  exit_bad_input = 2,      ///< wrong usage or bad input
  exit_internal = 3        ///< an error inside, or output that could not be written
};

/// A subcommand as the command line offers it. `run` works with the options that were parsed, while Kokkos is
/// running, and gives the exit status.
struct Subcommand {
  CLI::App* app;
  std::function<int()> run;
};

Subcommand add_info(CLI::App& command);
Subcommand add_generate(CLI::App& command);
Subcommand add_convert(CLI::App& command);
Subcommand add_spmv(CLI::App& command);
Subcommand add_solve(CLI::App& command);
Subcommand add_compare(CLI::App& command);

}  // namespace krylite::driver

#endif
