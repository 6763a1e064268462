#ifndef KRYLITE_SRC_IO_GENERATE_KINDS_HPP
#define KRYLITE_SRC_IO_GENERATE_KINDS_HPP

/// \file
/// The table of kinds. A new kind is one entry here and one function that makes it.

#include "generate_rows.hpp"

namespace krylite::detail {

inline constexpr std::int64_t max_rows = std::numeric_limits<Index>::max();

/// Rows of the matrix of size n >= 1; more than max_rows where they are too many, never wrapped.
using RowCount = std::int64_t (*)(std::int64_t n);
using Maker = HostCsr (*)(const GeneratorRequest& request);

struct KindEntry {
  GeneratorKind info;
  RowCount rows;
  Maker make;
};

const std::vector<KindEntry>& kind_table();

}  // namespace krylite::detail

#endif
