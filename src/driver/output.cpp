#include "output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <krylite/core/error.hpp>

#include "io/output_file.hpp"

namespace krylite::driver {
namespace {

using krylite::detail::fail;
using krylite::detail::text::OutputFile;

/// Standard output must be there before the work, not only when it is written to.
void check_stdout() {
  const int flags = ::fcntl(STDOUT_FILENO, F_GETFL);
  const bool is_open = flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
  if (!is_open) throw OutputError(std::string("standard output: cannot write: ") + std::strerror(EBADF));
}

/// The file that a path leads to, by one name for all of its paths; links are followed also to what is not there.
std::string target_of(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int most_links = 40;
  std::error_code error;
  fs::path target(path);
  for (int link = 0; link < most_links && fs::is_symlink(target, error); ++link) {
    const fs::path next = fs::read_symlink(target, error);
    if (error) break;
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  const fs::path absolute = fs::absolute(target, error);
  const fs::path canonical = fs::weakly_canonical(absolute, error);
  return error ? absolute.string() : canonical.string();
}

void check_output(const std::string& path) {
  if (is_stdout(path)) return check_stdout();
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

void check_outputs(const std::vector<std::string>& paths, const std::vector<std::string>& inputs) {
  std::vector<std::string> seen;
  std::vector<std::string> read;
  for (const auto& input : inputs) {
    if (std::filesystem::is_regular_file(input)) read.push_back(target_of(input));
  }
  for (const auto& path : paths) {
    if (path.empty()) continue;
    const std::string name = is_stdout(path) ? "-" : target_of(path);
    const bool is_input = std::find(read.begin(), read.end(), name) != read.end();
    krylite::detail::require(!is_input, path, ": is an input, which an output would replace");
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
