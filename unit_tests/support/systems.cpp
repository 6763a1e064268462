#include "support/systems.hpp"

#include <algorithm>
#include <cmath>

namespace krylite_test {

using krylite::Index;

HostCsr diagonal(const std::vector<double>& d) {
  Rows rows(d.size());
  for (std::size_t i = 0; i < d.size(); ++i) rows[i] = {{static_cast<Index>(i), d[i]}};
  return make_csr(static_cast<Index>(d.size()), rows);
}

HostCsr cyclic_shift(Index n) {
  Rows rows(n);
  for (Index r = 0; r < n; ++r) rows[r] = {{(r + n - 1) % n, 1.0}};
  return make_csr(n, rows);
}

HostCsr convection_line(Index n, double convection) {
  Rows rows(n);
  for (Index r = 0; r < n; ++r) {
    if (r > 0) rows[r].push_back({r - 1, -1 - convection});
    rows[r].push_back({r, 2.05 + convection});
    if (r + 1 < n) rows[r].push_back({r + 1, -1});
  }
  return make_csr(n, rows);
}

HostCsr graded(const HostCsr& a, double smallest, double largest) {
  const double decades = std::log10(largest / smallest);
  Rows rows(a.num_rows);
  for (Index r = 0; r < a.num_rows; ++r) {
    for (std::int64_t k = a.row_pointers(r); k < a.row_pointers(r + 1); ++k) {
      const double ratio = std::pow(10.0, decades * (r - a.columns(k)) / (a.num_rows - 1));
      rows[r].push_back({a.columns(k), a.values(k) * ratio});
    }
  }
  return make_csr(a.num_cols, rows);
}

HostCsr random_matrix(Index n, double shift, std::uint64_t seed) {
  Rows rows(n);
  for (Index r = 0; r < n; ++r) {
    for (Index c = 0; c < n; ++c) rows[r].push_back({c, noise(r * 1000ull + c, seed) + (r == c ? shift : 0)});
  }
  return make_csr(n, rows);
}

std::vector<double> times_ones(const HostCsr& a) {
  std::vector<double> b(a.num_rows, 0.0);
  for (Index r = 0; r < a.num_rows; ++r) {
    for (std::int64_t k = a.row_pointers(r); k < a.row_pointers(r + 1); ++k) b[r] += a.values(k);
  }
  return b;
}

double residual_on_host(const HostCsr& a, const std::vector<double>& b, const std::vector<double>& x) {
  long double residual = 0, norm = 0;
  for (Index r = 0; r < a.num_rows; ++r) {
    long double sum = b[r];
    for (std::int64_t k = a.row_pointers(r); k < a.row_pointers(r + 1); ++k) {
      sum -= static_cast<long double>(a.values(k)) * x[a.columns(k)];
    }
    residual += sum * sum;
    norm += static_cast<long double>(b[r]) * b[r];
  }
  return norm > 0 ? static_cast<double>(std::sqrt(residual / norm)) : 0;
}

double residual_rounding(const HostCsr& a, const std::vector<double>& b, const std::vector<double>& x) {
  long double squares = 0, norm = 0;
  for (Index r = 0; r < a.num_rows; ++r) {
    long double sum = std::fabs(b[r]);
    for (std::int64_t k = a.row_pointers(r); k < a.row_pointers(r + 1); ++k) {
      sum += std::fabs(static_cast<long double>(a.values(k)) * x[a.columns(k)]);
    }
    sum *= 2 * (a.row_pointers(r + 1) - a.row_pointers(r) + 2) * 0x1p-53L;
    squares += sum * sum;
    norm += static_cast<long double>(b[r]) * b[r];
  }
  return norm > 0 ? static_cast<double>(std::sqrt(squares / norm)) : 0;
}

}  // namespace krylite_test
