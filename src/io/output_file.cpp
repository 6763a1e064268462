#include "output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

namespace krylite::detail::text {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18;

gzFile as_gz(void* file) { return static_cast<gzFile>(file); }

bool ends_with_gz(const std::string& path) {
  return path.size() >= 3 && path.compare(path.size() - 3, 3, ".gz") == 0;
}

/// The path of an existing file without links in it; any other path as it is.
std::string follow_links(const std::string& path) {
  char* const resolved = ::realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return path;
  const std::string result = resolved;
  std::free(resolved);
  return result;
}

/// Whether the path names something that is open already or a device, such as /dev/stdout: even where a regular
/// file is behind it, it must be written to and not replaced.
bool is_stream(const std::string& path) {
  const bool is_descriptor = path.rfind("/proc/", 0) == 0 && path.find("/fd/") != std::string::npos;
  return is_descriptor || path.rfind("/dev/", 0) == 0;
}

/// A name beside `target` that no other writer of this machine uses. It does not grow with the target's.
std::string temporary_name(const std::string& target) {
  static std::atomic<unsigned> count{0};
  const std::size_t slash = target.find_last_of('/');
  const std::string folder = slash == std::string::npos ? "" : target.substr(0, slash + 1);
  return folder + ".krylite-" + std::to_string(::getpid()) + "-" + std::to_string(count++) + ".tmp";
}

/// Writes everything, in as many pieces as it takes; 0 or the error's number.
int write_all(int descriptor, const char* data, std::size_t count) {
  while (count > 0) {
    const ssize_t written = ::write(descriptor, data, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    data += written;
    count -= static_cast<std::size_t>(written);
  }
  return 0;
}

}  // namespace

OutputFile::OutputFile(const std::string& path)
    : path_(path), target_(follow_links(path)), buffer_(buffer_bytes) {
  struct stat status;
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail(path_, ": cannot write: is a folder");
  // A rename would replace a file that its owner has protected.
  if (exists && ::access(target_.c_str(), W_OK) != 0) fail_write(errno);
  if (exists && (!S_ISREG(status.st_mode) || is_stream(path_))) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (descriptor_ < 0) fail_write(errno);
  } else {
    open_temporary();
    if (exists) static_cast<void>(::fchmod(descriptor_, status.st_mode & 07777) == 0);
  }
  if (ends_with_gz(path_)) open_compressor();
}

void OutputFile::open_temporary() {
  constexpr mode_t everyone_may_read_and_write = 0666;  // less the process' umask
  do {
    temporary_ = temporary_name(target_);
    descriptor_ =
        ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, everyone_may_read_and_write);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ >= 0) return;
  const int error = errno;
  temporary_.clear();
  fail_write(error);
}

void OutputFile::open_compressor() {
  compressor_ = ::gzdopen(descriptor_, "wb");
  if (compressor_ != nullptr) return;
  ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  fail_write(ENOMEM);
}

OutputFile::~OutputFile() {
  if (compressor_ != nullptr) {
    ::gzclose(as_gz(compressor_));
  } else if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::append(const std::string& text) {
  for (const char c : text) append(c);
}

void OutputFile::flush() {
  const std::size_t count = used_;
  used_ = 0;
  if (count == 0) return;
  if (compressor_ == nullptr) {
    const int error = write_all(descriptor_, buffer_.data(), count);
    if (error != 0) fail_write(error);
  } else if (::gzwrite(as_gz(compressor_), buffer_.data(), static_cast<unsigned>(count)) <= 0) {
    fail_write(errno);
  }
}

/// Some file systems tell of a full disk only here.
void OutputFile::close() {
  int result = 0;
  if (compressor_ != nullptr) {
    result = ::gzclose(as_gz(compressor_));
  } else {
    result = ::close(descriptor_);
  }
  compressor_ = nullptr;
  descriptor_ = -1;
  if (result != 0) fail_write(errno);
}

void OutputFile::commit() {
  flush();
  close();
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail_write(errno);
  temporary_.clear();
}

void OutputFile::fail_write(int error) const { fail(path_, ": cannot write: ", std::strerror(error)); }

}  // namespace krylite::detail::text
