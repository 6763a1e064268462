#include "output.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <krylite/core/error.hpp>

#include "io/output_file.hpp"

namespace krylite::driver {
namespace {

using krylite::detail::fail;
using krylite::detail::text::OutputFile;

void check_output(const std::string& path) {
  if (is_stdout(path)) return;
  struct stat status;
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    // Opening a pipe only to close it would end it for its reader.
    if (::access(path.c_str(), W_OK) != 0) fail(path, ": cannot write: ", std::strerror(errno));
  } else {
    OutputFile probe(path);
  }
}

}  // namespace

bool is_stdout(const std::string& path) { return path == "-" || path == "/dev/stdout"; }

std::string library_path(const std::string& path) { return is_stdout(path) ? "/dev/stdout" : path; }

void check_outputs(const std::vector<std::string>& paths) {
  std::vector<std::string> seen;
  for (const auto& path : paths) {
    if (path.empty()) continue;
    const std::string name = is_stdout(path) ? "-" : path;
    const bool again = std::find(seen.begin(), seen.end(), name) != seen.end();
    krylite::detail::require(!again, path, ": two outputs cannot be the same file");
    seen.push_back(name);
    check_output(path);
  }
}

void write_output(const std::string& path, const std::string& text) {
  if (is_stdout(path)) return print(text);
  writing([&] {
    OutputFile file(path);
    file.append(text);
    file.commit();
  });
}

void print(const std::string& text) {
  const char* data = text.data();
  std::size_t left = text.size();
  while (left > 0) {
    const ssize_t written = ::write(STDOUT_FILENO, data, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw OutputError(std::string("standard output: cannot write: ") + std::strerror(errno));
    data += written;
    left -= static_cast<std::size_t>(written);
  }
}

}  // namespace krylite::driver
