#ifndef KRYLITE_SRC_IO_OUTPUT_FILE_HPP
#define KRYLITE_SRC_IO_OUTPUT_FILE_HPP

/// \file
/// A text file that is written whole or not at all.

#include <charconv>
#include <krylite/core/error.hpp>
#include <string>
#include <vector>

namespace krylite::detail::text {

/// Writes to a temporary file in the folder of the target, which takes the target's name in `commit`. What is
/// no regular file, as a pipe or a device, is written to directly. Links are followed.
class OutputFile {
 public:
  /// \throws Error `PATH: what is wrong` where it cannot be written
  explicit OutputFile(const std::string& path);

  /// Without `commit` before it, removes what was written.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void append(const std::string& text);
  void append(char c) {
    make_room(1);
    buffer_[used_++] = c;
  }

  /// Appends a number: integers as they are, others with the fewest digits that give them back.
  template <class Number>
  void append_number(Number number) {
    constexpr std::size_t longest_number = 32;
    make_room(longest_number);
    char* const first = buffer_.data() + used_;
    used_ += static_cast<std::size_t>(std::to_chars(first, first + longest_number, number).ptr - first);
  }

  /// Completes the file and puts it in its place.
  /// \throws Error `PATH: what is wrong` where that fails; the target is then as it was
  void commit();

 private:
  void open_temporary();
  void open_compressor();
  void make_room(std::size_t count) {
    if (buffer_.size() - used_ < count) flush();
  }
  void flush();
  void close();
  [[noreturn]] void fail_write(int error) const;

  std::string path_;       // as the caller gave it, for messages
  std::string target_;     // with links followed
  std::string temporary_;  // empty where the target is written directly
  std::vector<char> buffer_;
  std::size_t used_ = 0;
  int descriptor_ = -1;
  void* compressor_ = nullptr;  // a gzFile, whose header stays out of this one
};

}  // namespace krylite::detail::text

#endif
