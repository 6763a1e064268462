#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <krylite/core/error.hpp>
#include <krylite/core/kokkos_compat.hpp>
#include <new>
#include <string>
#include <vector>

#include "output.hpp"
#include "report.hpp"
#include "subcommands.hpp"
#include "text.hpp"

namespace krylite::driver {
namespace {

/// Kokkos runs as long as this lives.
class KokkosSession {
 public:
  KokkosSession() { initialize_kokkos(); }
  ~KokkosSession() { Kokkos::finalize(); }
  KokkosSession(const KokkosSession&) = delete;
  KokkosSession& operator=(const KokkosSession&) = delete;
};

/// Makes sure that no file which is opened later becomes standard output or error: where one of them is
/// closed, its place is taken by what cannot be written, so that writing fails and is told.
void guard_standard_streams() {
  // A reader that has gone away gives an error then instead of a silent end.
  std::signal(SIGPIPE, SIG_IGN);
  // So does a file beyond the limit that the user's shell sets.
  std::signal(SIGXFSZ, SIG_IGN);
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    if (::open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

/// Runs what may fail, tells a failure in one line and gives its exit status.
template <class Work>
int guarded(const Work& work) {
  try {
    return work();
  } catch (const OutputError& error) {
    print_error(error.what());
    return exit_internal;
  } catch (const Error& error) {
    print_error(error.what());
    return exit_bad_input;
  } catch (const std::bad_alloc&) {
    print_error("not enough memory");
    return exit_internal;
  } catch (const std::exception& error) {
    print_error(std::string("internal error: ") + error.what());
    return exit_internal;
  } catch (...) {
    print_error("internal error: unknown exception");
    return exit_internal;
  }
}

/// What is wrong with a command line. CLI11 lists all that it did not expect, the last first, and tells of a
/// missing subcommand where there is a wrong one.
std::string usage_problem(const CLI::App& command, const CLI::ParseError& error) {
  const auto unexpected = command.remaining(true);
  const bool no_subcommand = command.get_subcommands().empty();
  if (no_subcommand && !unexpected.empty() && unexpected.front().substr(0, 1) != "-") {
    return "unknown subcommand '" + unexpected.front() + "'";
  }
  const bool is_extra = no_subcommand || dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  return is_extra && !unexpected.empty() ? "unexpected argument '" + unexpected.front() + "'" : error.what();
}

void print_usage_error(const CLI::App& command, const CLI::ParseError& error) {
  std::string name = "krylite";
  for (const CLI::App* subcommand : command.get_subcommands()) name += " " + subcommand->get_name();
  print_error(usage_problem(command, error) + " (see " + name + " --help)");
}

int run_command(int argc, const char* const* argv) {
  CLI::App command("Sparse matrix formats and GMRES with a compressed basis.", "krylite");
  command.set_version_flag("--version", std::string(), "Versions of Krylite and Kokkos, and where it runs");
  command.require_subcommand(1);
  command.footer(
      "Exit status: 0 done or converged, 1 solved but not converged, 2 wrong usage or bad input,\n"
      "3 an error inside. 'krylite SUBCOMMAND --help' tells more.");
  const std::vector<Subcommand> subcommands = {add_info(command),    add_generate(command),
                                               add_convert(command), add_spmv(command),
                                               add_solve(command),   add_compare(command)};
  if (argc < 2) {
    std::fputs(command.help().c_str(), stderr);
    return exit_bad_input;
  }
  try {
    command.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print(command.help());
    return exit_done;
  } catch (const CLI::CallForVersion&) {
    const KokkosSession kokkos;
    print(version_text());
    return exit_done;
  } catch (const CLI::ParseError& error) {
    print_usage_error(command, error);
    return exit_bad_input;
  }
  const KokkosSession kokkos;
  for (const Subcommand& subcommand : subcommands) {
    // Caught in here, so that no View outlives Kokkos.
    if (subcommand.app->parsed()) return guarded(subcommand.run);
  }
  return exit_internal;
}

}  // namespace
}  // namespace krylite::driver

int main(int argc, char** argv) {
  krylite::driver::guard_standard_streams();
  return krylite::driver::guarded([=] { return krylite::driver::run_command(argc, argv); });
}
