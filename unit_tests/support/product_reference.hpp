#ifndef KRYLITE_UNIT_TESTS_SUPPORT_PRODUCT_REFERENCE_HPP
#define KRYLITE_UNIT_TESTS_SUPPORT_PRODUCT_REFERENCE_HPP

#include "support/battery.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace krylite_test {

/// sum_j op(A)_ij x_j and its magnitude in long double, once for all alpha and beta; then the allowed error of
/// y = alpha op(A) x + beta y row by row, by the bound of krylite/spmv/reference.hpp. Written apart from it.
class ProductReference {
 public:
  /// \param x the vector with index j as x(j)
  template <class X>
  ProductReference(const HostCsr& csr, bool transposed, const X& x) {
    const std::size_t rows = static_cast<std::size_t>(transposed ? csr.num_cols : csr.num_rows);
    sums_.assign(rows, 0);
    magnitudes_.assign(rows, 0);
    counts_.assign(rows, 0);
    for (krylite::Index r = 0; r < csr.num_rows; ++r) {
      for (std::int64_t k = csr.row_pointers(r); k < csr.row_pointers(r + 1); ++k) {
        const auto i = static_cast<std::size_t>(transposed ? csr.columns(k) : r);
        const auto product = static_cast<long double>(csr.values(k)) *
                             static_cast<long double>(x(transposed ? r : csr.columns(k)));
        sums_[i] += product;
        magnitudes_[i] += std::fabs(product);
        counts_[i] += 1;
      }
    }
  }

  /// Largest error of `found` over its bound; infinite where a value that should be finite is not.
  /// \tparam T precision of the result \param before what was in y
  template <class T, class Before, class Found>
  double error(double alpha, double beta, const Before& before, const Found& found) const {
    const long double u = std::numeric_limits<T>::epsilon() / 2;
    long double worst = 0;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const long double old = beta == 0 ? 0.0L : static_cast<long double>(beta) * static_cast<long double>(before(i));
      const long double expected = (alpha == 0 ? 0.0L : alpha * sums_[i]) + old;
      const long double magnitude = (alpha == 0 ? 0.0L : std::fabs(alpha) * magnitudes_[i]) + std::fabs(old);
      if (magnitude > std::numeric_limits<T>::max()) continue;
      if (!std::isfinite(found(i))) return std::numeric_limits<double>::infinity();
      const long double bound =
          2 * (counts_[i] + 2) * u * magnitude + (counts_[i] + 1) * std::numeric_limits<T>::denorm_min();
      worst = std::fmax(worst, std::fabs(static_cast<long double>(found(i)) - expected) / bound);
    }
    return static_cast<double>(worst);
  }

 private:
  std::vector<long double> sums_;
  std::vector<long double> magnitudes_;
  std::vector<long double> counts_;
};

}  // namespace krylite_test

#endif
