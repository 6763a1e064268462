#ifndef KRYLITE_SRC_DRIVER_OUTPUT_HPP
#define KRYLITE_SRC_DRIVER_OUTPUT_HPP

/// \file
/// Standard output and files: checked before the work, written whole or not at all, and every failure told.

#include <stdexcept>
#include <string>
#include <vector>

namespace krylite::driver {

/// Output that broke while it was written (a full disk, a closed pipe): not the user's input that is wrong.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Whether the path means standard output, "-" or "/dev/stdout".
bool is_stdout(const std::string& path);

/// The path as the library takes it: "/dev/stdout" for "-".
std::string library_path(const std::string& path);

/// Makes sure that the files could be written now, and leaves them and what they hold as they are. Empty
/// paths are left out. \throws Error `PATH: what is wrong`, also where two of them are the same, or one is also an
/// input
void check_outputs(const std::vector<std::string>& paths, const std::vector<std::string>& inputs = {});

/// Replaces the file by `text`; an existing one stays where that fails. "-" is standard output.
/// \throws OutputError
void write_output(const std::string& path, const std::string& text);

/// Writes to standard output, through to the system.
/// \throws OutputError
void print(const std::string& text);

/// Runs `write`, which makes one file, and turns its error into an OutputError.
template <class Write>
void writing(const Write& write) try {
  write();
} catch (const std::exception& error) {
  throw OutputError(error.what());
}

}  // namespace krylite::driver

#endif
