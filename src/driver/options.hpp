#ifndef KRYLITE_SRC_DRIVER_OPTIONS_HPP
#define KRYLITE_SRC_DRIVER_OPTIONS_HPP

/// \file
/// Options of the command line as CLI11 reads them, with messages of one line for what does not fit. The
/// checks run while the line is parsed, before anything else is done.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <krylite/basis/storage.hpp>
#include <string>
#include <vector>

#include "formats.hpp"

namespace krylite::driver {

/// What every subcommand takes.
struct CommonOptions {
  std::string matrix;  ///< a file, or gen:KIND:N[:key=value...]
  std::string json;    ///< where the JSON goes; empty: nowhere
  bool quiet = false;
};

/// Refuses an empty file name, which an unset variable of a shell would give: it must not mean "not given".
CLI::Validator named_file();

/// Adds --json and --quiet.
void add_common(CLI::App& app, CommonOptions& options);

/// Adds the positional argument `matrix`.
void add_matrix(CLI::App& app, CommonOptions& options);

/// Adds an option that is a whole number in [smallest, largest]. `value` keeps its default without the
/// option.
void add_whole_number(CLI::App& app, const std::string& name, std::int64_t& value, std::int64_t smallest,
                      std::int64_t largest, const std::string& description);

/// Adds an option that is a finite number in [smallest, largest].
void add_number(CLI::App& app, const std::string& name, double& value, double smallest, double largest,
                const std::string& description);

/// Adds an option that is one of `words`.
void add_choice(CLI::App& app, const std::string& name, std::string& value,
                const std::vector<std::string>& words, const std::string& description);

/// Adds --format with one format, "auto" among them.
void add_format(CLI::App& app, AskedFormat& format, const std::string& description);

/// Adds --format with a list, "all" and "auto" among them.
void add_format_list(CLI::App& app, std::vector<AskedFormat>& formats, const std::string& description);

/// Adds --basis with one storage.
void add_basis(CLI::App& app, BasisStorage& storage);

/// Adds --basis with "all" or a list.
void add_basis_list(CLI::App& app, std::vector<BasisStorage>& storages);

}  // namespace krylite::driver

#endif
