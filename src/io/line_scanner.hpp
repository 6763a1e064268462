#ifndef KRYLITE_SRC_IO_LINE_SCANNER_HPP
#define KRYLITE_SRC_IO_LINE_SCANNER_HPP

/// \file
/// A text file, plain or gzip, line by line. The text is read in blocks, and lines are scanned where they lie
/// in the block: a block always ends with a whole line, so that a scanner stops at its line end at the
/// latest.

#include <cstdint>
#include <krylite/core/error.hpp>
#include <string>
#include <vector>

#include "numbers.hpp"

namespace krylite::detail::text {

/// A file opened for reading: bytes of the uncompressed text.
class TextFile {
 public:
  /// \throws Error `PATH: what is wrong` where it cannot be opened or is a folder
  explicit TextFile(const std::string& path);
  ~TextFile();
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  /// Reads up to `count` bytes; fewer only at the end or at a fault, which `fault` then describes.
  std::size_t read(char* to, std::size_t count);

  /// What went wrong in reading; empty while nothing did.
  const std::string& fault() const { return fault_; }

  /// At most how many bytes the text can have, by the file's size.
  std::uint64_t most_bytes() const;

 private:
  void* file_ = nullptr;  // a gzFile, whose header stays out of this one
  std::uint64_t stored_bytes_;
  std::string fault_;
};

class LineScanner {
 public:
  /// \throws Error `PATH: what is wrong` where the file cannot be opened
  explicit LineScanner(const std::string& path);

  /// Goes to the next line, whatever it holds; false at the end of the file.
  bool next_line() {
    if (started_) finish_line();
    if (cursor_ == end_ && !refill()) return false;
    started_ = true;
    ++line_;
    return true;
  }

  /// Goes to the first word of the next line that is neither blank nor a comment; false at the end.
  bool next_content_line() {
    while (next_line()) {
      skip_blanks();
      if (*cursor_ != '%' && !is_line_end(*cursor_)) return true;
    }
    return false;
  }

  void skip_blanks() {
    while (is_blank(*cursor_)) ++cursor_;
  }

  bool at_line_end() {
    skip_blanks();
    return is_line_end(*cursor_);
  }

  const char* cursor() const { return cursor_; }
  void set_cursor(const char* cursor) { cursor_ = cursor; }

  /// The word at the cursor, which then stands behind it; empty at the line end.
  std::string take_word();

  /// The word at the cursor as a message shows it: in quotes, shortened, strange characters replaced.
  std::string quoted_word() const;

  /// Number of the current line, counted from 1; 0 before the first.
  std::int64_t line() const { return line_; }

  const std::string& path() const { return path_; }
  std::uint64_t most_bytes() const { return file_.most_bytes(); }

  /// Throws an Error about the current line, or about the file before the first.
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    if (line_ == 0) detail::fail(path_, ": ", parts...);
    detail::fail(path_, ":", line_, ": ", parts...);
  }

 private:
  void finish_line();
  bool refill();
  void read_block();
  void set_end();
  void cut_long_line();

  std::string path_;
  TextFile file_;
  std::vector<char> buffer_;
  const char* cursor_;
  const char* end_;         // behind the last whole line
  std::size_t filled_ = 0;  // bytes in the buffer
  std::int64_t line_ = 0;
  bool started_ = false;
  bool at_end_of_file_ = false;
  bool at_start_of_file_ = true;
};

}  // namespace krylite::detail::text

#endif
