#ifndef KRYLITE_UNIT_TESTS_IO_TEMPORARY_FILE_HPP
#define KRYLITE_UNIT_TESTS_IO_TEMPORARY_FILE_HPP

/// \file
/// Files of the tests of reading and writing.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <krylite/core/error.hpp>
#include <sstream>
#include <string>

namespace krylite::test {

/// A path in the folder for temporary files that no other test uses; what is there is removed in the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& extension = ".mtx") {
    static int count = 0;
    path_ = ::testing::TempDir() + "krylite-test-" + std::to_string(::getpid()) + "-" +
            std::to_string(count++) + extension;
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline std::string read_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// The checksum of gzip (RFC 1952, section 8).
inline std::uint32_t checksum(const std::string& text) {
  std::uint32_t remainder = 0xffffffffu;
  for (const char c : text) {
    remainder ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit)
      remainder = (remainder >> 1) ^ ((remainder & 1u) != 0 ? 0xedb88320u : 0u);
  }
  return ~remainder;
}

/// The lowest `count` bytes of a number, the lowest first.
inline std::string bytes_of(std::size_t number, int count) {
  std::string bytes;
  for (int k = 0; k < count; ++k) bytes += static_cast<char>((number >> (8 * k)) & 255u);
  return bytes;
}

/// `text` as one gzip member of uncompressed blocks (RFC 1951, section 3.2.4), which needs no library.
inline std::string compress(const std::string& text) {
  constexpr std::size_t longest_block = 65535;
  std::string member = std::string("\x1f\x8b\x08", 3) + std::string(7, '\0');
  std::size_t done = 0;
  do {
    const std::size_t length = std::min(longest_block, text.size() - done);
    const bool is_last = done + length == text.size();
    member += bytes_of(is_last ? 1 : 0, 1) + bytes_of(length, 2) + bytes_of(~length, 2);
    member += text.substr(done, length);
    done += length;
  } while (done < text.size());
  return member + bytes_of(checksum(text), 4) + bytes_of(text.size(), 4);
}

/// What `call` throws as an Error; empty where it throws nothing.
template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace krylite::test

#endif
