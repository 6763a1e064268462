#ifndef KRYLITE_FORMATS_SELECTION_COSTS_HPP
#define KRYLITE_FORMATS_SELECTION_COSTS_HPP

/// \file
/// Constants of the cost model of formats/select.hpp: microseconds on two threads of an AVX-512 machine with 2 MiB of
/// second-level cache a core. Fitted to unit_tests/formats/selection_times.tsv (37 real and 23 generated matrices),
/// first by least squares of relative errors, then so that the format of least cost is seldom more than a tenth slower
/// than the fastest: on 2 of the 60. What counts is how the formats compare; more threads share all costs alike.

#include <krylite/formats/any_matrix.hpp>

#include <array>

namespace krylite {
namespace detail {

struct FormatCosts {
  double per_product;   ///< whatever the matrix
  double per_row;       ///< a row, or a piece of one
  double per_entry;     ///< a stored entry
  double per_gather;    ///< a stored entry whose column is not next to its neighbour's
  double per_byte;      ///< of all that is moved
  double per_far_byte;  ///< of what does not fit the caches, besides
};

/// Bytes that stay in caches.
inline constexpr double near_bytes = 8e6;

/// Formats that are the fastest somewhere; the others never were by a tenth.
inline constexpr std::array<FormatKind, 6> selection_candidates = {
    FormatKind::csr,   FormatKind::ell,           FormatKind::sliced_ell,
    FormatKind::rgcsr, FormatKind::adaptive_rgcsr, FormatKind::csr5};

inline FormatCosts costs_of(FormatKind kind) {
  switch (kind) {
    case FormatKind::ell: return {0.131, 9.03e-05, 8.51e-05, 2.15e-04, 1.29e-05, 8.35e-06};
    case FormatKind::sliced_ell: return {0.366, 6.22e-04, 5.51e-05, 4.6e-05, 9.4e-06, 1.58e-05};
    case FormatKind::rgcsr: return {1.45, 1.49e-03, 1.27e-05, 1.49e-04, 4.94e-06, 8.85e-06};
    case FormatKind::adaptive_rgcsr: return {5.48, 6.57e-04, 5.5e-06, 9.71e-05, 1.82e-05, 7.1e-06};
    case FormatKind::csr5: return {4.47, 1.85e-03, 6.71e-04, 2.69e-05, 5e-07, 4.13e-05};
    default: return {1.12, 2.87e-03, 1.62e-04, 1.72e-05, 2.22e-06, 3.14e-05};
  }
}

}  // namespace detail
}  // namespace krylite

#endif
