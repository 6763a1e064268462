#include "line_scanner.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

namespace krylite::detail::text {
namespace {

// A block is large enough that reading it costs little, and is the longest line that is not a comment.
constexpr std::size_t block_bytes = std::size_t{1} << 20;

gzFile as_gz(void* file) { return static_cast<gzFile>(file); }

/// Opens the file itself rather than let zlib do it, which would not say why it fails.
int open_for_reading(const std::string& path, std::uint64_t& bytes) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  require(descriptor >= 0, path, ": cannot open: ", std::strerror(errno));
  struct stat status;
  if (::fstat(descriptor, &status) != 0) status.st_mode = 0;
  if (S_ISDIR(status.st_mode)) {
    ::close(descriptor);
    fail(path, ": is a folder, not a file");
  }
  constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();
  bytes = S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : unknown;
  return descriptor;
}

}  // namespace

TextFile::TextFile(const std::string& path) {
  const int descriptor = open_for_reading(path, stored_bytes_);
  file_ = ::gzdopen(descriptor, "rb");
  if (file_ == nullptr) {
    ::close(descriptor);
    fail(path, ": cannot open: not enough memory");
  }
  ::gzbuffer(as_gz(file_), 1u << 18);
}

TextFile::~TextFile() { ::gzclose(as_gz(file_)); }

std::size_t TextFile::read(char* to, std::size_t count) {
  std::size_t done = 0;
  while (done < count) {
    const int got = ::gzread(as_gz(file_), to + done, static_cast<unsigned>(count - done));
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  int code = Z_OK;
  const char* const message = ::gzerror(as_gz(file_), &code);
  if (code == Z_ERRNO) {
    fault_ = std::string("cannot read: ") + std::strerror(errno);
  } else if (code == Z_BUF_ERROR) {
    fault_ = "the gzip data ends too early: the file is truncated";
  } else if (code != Z_OK && code != Z_STREAM_END) {
    // zlib writes its name of the file first.
    const char* const reason = std::strstr(message, ": ");
    fault_ = std::string("the gzip data is damaged") + (reason == nullptr ? "" : reason);
  }
  return done;
}

std::uint64_t TextFile::most_bytes() const {
  constexpr std::uint64_t deflate_at_best = 1032;
  const std::uint64_t factor = ::gzdirect(as_gz(file_)) ? 1 : deflate_at_best;
  constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();
  return stored_bytes_ > unknown / factor ? unknown : stored_bytes_ * factor;
}

LineScanner::LineScanner(const std::string& path)
    : path_(path), file_(path), buffer_(block_bytes + 2), cursor_(buffer_.data()), end_(buffer_.data()) {}

void LineScanner::finish_line() {
  while (!is_line_end(*cursor_)) ++cursor_;
  if (*cursor_ == '\r' && cursor_[1] == '\n') ++cursor_;
  ++cursor_;
}

/// Moves the begun line to the front and reads on; false where nothing is left.
bool LineScanner::refill() {
  const std::size_t rest = filled_ - static_cast<std::size_t>(end_ - buffer_.data());
  std::memmove(buffer_.data(), end_, rest);
  filled_ = rest;
  cursor_ = buffer_.data();
  read_block();
  set_end();
  if (end_ == cursor_ && !at_end_of_file_) cut_long_line();
  if (end_ != cursor_) return true;
  started_ = false;
  // A fault of the file is in no line of the text.
  require(file_.fault().empty(), path_, ": ", file_.fault());
  return false;
}

void LineScanner::read_block() {
  const std::size_t wanted = block_bytes - filled_;
  const std::size_t got = at_end_of_file_ ? 0 : file_.read(buffer_.data() + filled_, wanted);
  filled_ += got;
  at_end_of_file_ = at_end_of_file_ || got < wanted || !file_.fault().empty();
  const bool has_mark = at_start_of_file_ && filled_ >= 3 && std::memcmp(cursor_, "\xEF\xBB\xBF", 3) == 0;
  if (has_mark) cursor_ += 3;
  at_start_of_file_ = false;
}

/// Finds the end of the last whole line. A CR at the very end may be half of a CRLF, unless the file ends.
void LineScanner::set_end() {
  char* const first = buffer_.data();
  const char* const last = first + filled_;
  // After a fault the last line may be cut off, so that it must not be used.
  const bool complete = at_end_of_file_ && file_.fault().empty();
  if (complete && last != cursor_ && !is_line_end(last[-1])) first[filled_++] = '\n';
  end_ = first + filled_;
  *(first + filled_) = '\0';  // finish_line looks at the character behind a CR
  if (complete) return;
  if (end_ != cursor_ && end_[-1] == '\r') --end_;
  while (end_ != cursor_ && !is_line_end(end_[-1])) --end_;
}

/// The block holds no line end: a comment is cut, anything else refused.
void LineScanner::cut_long_line() {
  const char* first = cursor_;
  const char* const last = buffer_.data() + filled_;
  while (first != last && is_blank(*first)) ++first;
  if (first == last || *first != '%') {
    ++line_;
    fail("the line is longer than ", block_bytes, " characters");
  }
  // Drops blocks until one holds the line end, and leaves the comment's last piece, with a '%' before it.
  do {
    const bool may_be_half = buffer_[filled_ - 1] == '\r';
    buffer_[0] = '%';
    buffer_[1] = '\r';
    filled_ = may_be_half ? 2 : 1;
    cursor_ = buffer_.data();
    end_ = cursor_;
    read_block();
    set_end();
  } while (end_ == cursor_ && !at_end_of_file_);
}

std::string LineScanner::take_word() {
  skip_blanks();
  const char* const first = cursor_;
  while (!is_word_end(*cursor_)) ++cursor_;
  return std::string(first, cursor_);
}

std::string LineScanner::quoted_word() const {
  constexpr std::size_t longest = 40;
  std::string word = "'";
  for (const char* p = cursor_; !is_word_end(*p); ++p) {
    if (word.size() > longest) {
      word += "...";
      break;
    }
    word += *p > ' ' && *p <= '~' ? *p : '?';
  }
  return word + "'";
}

}  // namespace krylite::detail::text
