#ifndef KRYLITE_SRC_IO_HEADER_HPP
#define KRYLITE_SRC_IO_HEADER_HPP

/// \file
/// The banner and the size line of a Matrix Market file.

#include <cstdint>
#include <krylite/core/traits.hpp>

#include "line_scanner.hpp"

namespace krylite::detail {

enum class FileFormat { coordinate, array };
enum class FileField { real, integer, pattern };
enum class FileSymmetry { general, symmetric, skew_symmetric };

struct MatrixMarketHeader {
  FileFormat format = FileFormat::coordinate;
  FileField field = FileField::real;
  FileSymmetry symmetry = FileSymmetry::general;
  Index num_rows = 0;
  Index num_cols = 0;
  std::int64_t num_entries = 0;  ///< lines that must follow: for an array of symmetry those of the triangle
  std::int64_t size_line = 0;    ///< where the sizes stand
};

/// Reads up to and with the size line; the next line is the first entry's.
/// \throws Error `PATH:LINE: what is wrong` where it is not legal or of a kind that is not supported
MatrixMarketHeader read_header(text::LineScanner& in);

}  // namespace krylite::detail

#endif
