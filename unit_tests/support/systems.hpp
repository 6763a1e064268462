#ifndef KRYLITE_UNIT_TESTS_SUPPORT_SYSTEMS_HPP
#define KRYLITE_UNIT_TESTS_SUPPORT_SYSTEMS_HPP

/// \file
/// Small systems to solve, and what is true of a solution.

#include "support/battery.hpp"

#include <vector>

namespace krylite_test {

HostCsr diagonal(const std::vector<double>& d);

/// Row r holds a 1 in column r - 1, the first in the last.
HostCsr cyclic_shift(krylite::Index n);

/// Upwind convection-diffusion on a line of n points.
HostCsr convection_line(krylite::Index n, double convection);

/// D A D^-1 for D that goes geometrically from `smallest` to `largest`.
HostCsr graded(const HostCsr& a, double smallest, double largest);

/// A dense random matrix with a shifted diagonal.
HostCsr random_matrix(krylite::Index n, double shift, std::uint64_t seed);

/// A times a vector of ones.
std::vector<double> times_ones(const HostCsr& a);

/// ||b - A x|| / ||b|| in long double (0 for b = 0): what no result may hide.
double residual_on_host(const HostCsr& a, const std::vector<double>& b, const std::vector<double>& x);

/// What rounding may change in that number where it is computed in double: 2 (n_i + 2) u (sum |a_ij x_j| + |b_i|) a row.
double residual_rounding(const HostCsr& a, const std::vector<double>& b, const std::vector<double>& x);

}  // namespace krylite_test

#endif
