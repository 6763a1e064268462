#ifndef KRYLITE_FORMATS_SELECTION_COSTS_HPP
#define KRYLITE_FORMATS_SELECTION_COSTS_HPP

#include <krylite/formats/any_matrix.hpp>

#include <array>

namespace krylite {
namespace detail {

/// What a product costs besides the bytes that it moves, in bytes.
struct FormatCosts {
  double per_product = 0;
  double per_row = 0;     ///< a row, or a piece of one
  double per_entry = 0;   ///< a stored entry
  double per_gather = 0;  ///< a stored entry whose columns are no neighbours
};

inline constexpr std::array<FormatKind, 4> selection_candidates = {FormatKind::csr, FormatKind::rgcsr,
                                                                   FormatKind::adaptive_rgcsr, FormatKind::csr5};

inline FormatCosts costs_of(FormatKind kind) {
  switch (kind) {
    case FormatKind::rgcsr: return {0, 4, 0, 4};
    case FormatKind::adaptive_rgcsr: return {20000, 8, 0, 4};
    case FormatKind::csr5: return {20000, 8, 3, 4};
    default: return {0, 24, 3, 0};
  }
}

}  // namespace detail
}  // namespace krylite

#endif
