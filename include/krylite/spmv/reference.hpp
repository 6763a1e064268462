#ifndef KRYLITE_SPMV_REFERENCE_HPP
#define KRYLITE_SPMV_REFERENCE_HPP

/// \file
/// The yardstick for every SpMV: y = alpha A x + beta y on the host in long double, and the error that a product
/// in working precision may have row by row,
///
///     bound_i = 2 (nnz_i + 2) u (|alpha| sum_j |a_ij x_j| + |beta y_i|) + (nnz_i + 1) * smallest denormal
///
/// with u = 2^-53 (double) or 2^-24 (float): the Wilkinson bound of a sum in any order.

#include <krylite/core/error.hpp>
#include <krylite/formats/csr.hpp>

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

namespace krylite {

/// Reference of one row and the error that is allowed for it.
struct ReferenceRow {
  long double value = 0;
  long double magnitude = 0;  ///< |alpha| sum_j |a_ij x_j| + |beta y_i|
  long double bound = 0;
};

/// Row `row` of alpha A x + beta y in long double. beta = 0 does not read y, alpha = 0 neither A nor x.
/// \tparam T the precision whose rounding the bound allows: double or float
template <class T, class Scalar, class Offset, class X, class Y>
ReferenceRow reference_row(const CsrMatrix<Scalar, Offset, Kokkos::HostSpace>& A, Index row, T alpha, const X& x,
                           T beta, const Y& y) {
  ReferenceRow result;
  const Offset begin = A.row_pointers(row);
  const Offset end = A.row_pointers(row + 1);
  if (alpha != T(0)) {
    for (Offset k = begin; k < end; ++k) {
      const long double product = static_cast<long double>(A.values(k)) * static_cast<long double>(x(A.columns(k)));
      result.value += product;
      result.magnitude += std::fabs(product);
    }
  }
  result.value *= alpha;
  result.magnitude *= std::fabs(alpha);
  if (beta != T(0)) {
    const long double scaled = static_cast<long double>(beta) * static_cast<long double>(y(row));
    result.value += scaled;
    result.magnitude += std::fabs(scaled);
  }
  const auto count = static_cast<long double>(end - begin);
  const long double u = std::numeric_limits<T>::epsilon() / 2;
  result.bound = 2 * (count + 2) * u * result.magnitude + (count + 1) * std::numeric_limits<T>::denorm_min();
  return result;
}

/// Largest |result_i - reference_i| / bound_i over the rows, where 0 / 0 counts as 0; at most 1 is right. Where one
/// of the two is NaN or infinite and the other is not the same, 1e300; but where the terms leave the range of T,
/// a result that is not finite is right whatever the exact sum.
/// \param result what a product gave, m entries; x: n entries; y: what was in y before it, m entries (host Views)
template <class Scalar, class Offset, class T, class X, class Y, class Result>
double max_scaled_error(const CsrMatrix<Scalar, Offset, Kokkos::HostSpace>& A, T alpha, const X& x, T beta,
                        const Y& y, const Result& result) {
  detail::require(x.extent(0) == static_cast<std::size_t>(A.num_cols) &&
                      result.extent(0) == static_cast<std::size_t>(A.num_rows) && y.extent(0) == result.extent(0),
                  "max_scaled_error: A is ", A.num_rows, " x ", A.num_cols, ", but x has ", x.extent(0),
                  " entries, y ", y.extent(0), " and the result ", result.extent(0));
  constexpr double wrong = 1e300;
  double worst = 0;
  for (Index row = 0; row < A.num_rows; ++row) {
    const ReferenceRow reference = reference_row(A, row, alpha, x, beta, y);
    const auto expected = static_cast<T>(reference.value);
    const auto found = static_cast<T>(result(row));
    if (!std::isfinite(expected) || !std::isfinite(found)) {
      const bool overflows =
          std::isfinite(reference.magnitude) && reference.magnitude > std::numeric_limits<T>::max();
      const bool same = overflows || (std::isnan(expected) && std::isnan(found)) || expected == found;
      worst = same ? worst : wrong;
      continue;
    }
    const long double error = std::fabs(static_cast<long double>(found) - reference.value);
    if (error > 0) worst = std::fmax(worst, static_cast<double>(error / reference.bound));
  }
  return worst;
}

}  // namespace krylite

#endif
