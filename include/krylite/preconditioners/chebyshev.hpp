#ifndef KRYLITE_PRECONDITIONERS_CHEBYSHEV_HPP
#define KRYLITE_PRECONDITIONERS_CHEBYSHEV_HPP

/// \file
/// Chebyshev polynomial in D^-1 A, D = diag(A): y = p(D^-1 A) D^-1 x, the m + 1 steps of Chebyshev's iteration for
/// A y = x that begin with y = 0. On eigenvalues z of D^-1 A, with T_k the Chebyshev polynomials,
///
///     1 - z p(z) = T_{m+1}((theta - z) / delta) / T_{m+1}(theta / delta),     p of degree m,
///
/// the smallest there is on [theta - delta, theta + delta] = [lambda_max / ratio, 1.1 lambda_max].
///
///     y_0 = d_0 = D^-1 x / theta,     rho_0 = delta / theta,     then m times:
///     rho' = 1 / (2 theta / delta - rho),   d = rho' rho d + (2 rho' / delta) D^-1 (x - A y),   y = y + d
///
/// Cost: m products with A, and 32 n + 56 n m bytes for the rest, each step in one sweep. No inner product: nothing
/// waits. Kokkos Kernels 3.4 has no Chebyshev iteration, so that the products are Krylite's own, in any format.
/// Sources: Saad, Iterative Methods for Sparse Linear Systems, algorithm 12.1; Adams, Brezina, Hu and Tuminaro,
/// Parallel multigrid smoothing: polynomial versus Gauss-Seidel, 2003, for the interval.

#include <krylite/basis/norms.hpp>
#include <krylite/core/algorithms.hpp>
#include <krylite/core/error.hpp>
#include <krylite/core/memory.hpp>
#include <krylite/core/traits.hpp>
#include <krylite/formats/convert/common.hpp>
#include <krylite/formats/csr.hpp>
#include <krylite/preconditioners/jacobi.hpp>
#include <krylite/spmv/spmv.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace krylite {

struct ChebyshevOptions {
  int degree = 4;             ///< of p: products with A in one application; at least 1
  double ratio = 30;          ///< lambda_max over the lower end of the interval; more than 1
  int power_iterations = 20;  ///< products with A that lambda_max is estimated with; at least 1
};

/// Made by `make_chebyshev`; cheap to copy. Copies share scratch: apply none of them from two threads, or on two
/// instances, at the same time.
template <class Matrix>
struct ChebyshevPreconditioner {
  using MemorySpace = typename Matrix::memory_space;
  using Vector = Kokkos::View<double*, MemorySpace>;

  Matrix matrix;
  JacobiPreconditioner<MemorySpace> jacobi;  ///< D^-1
  std::int64_t replaced = 0;                 ///< rows whose diagonal entry was zero or missing, as in Jacobi
  double lambda_max = 0;                     ///< estimate of the largest eigenvalue of D^-1 A
  int degree = 0;                            ///< of p; 0 where no interval was found: y = D^-1 x
  double theta = 1;                          ///< middle of the interval
  double delta = 0;                          ///< half its width
  Vector direction;                          ///< d
  Vector product;                            ///< A y

  /// y = M^-1 x on `exec`, asynchronously where `exec` is; the same bits each time.
  /// \param x, y n doubles, contiguous, not the same vector; y is written first and then read
  /// \throws Error where x or y is not as long as the diagonal, not contiguous, or both are the same
  template <class ExecutionSpace, class X, class Y>
  void apply(const ExecutionSpace& exec, const X& x, const Y& y) const {
    static_assert(X::rank == 1 && Y::rank == 1 && std::is_same_v<typename X::non_const_value_type, double> &&
                      std::is_same_v<typename Y::value_type, double>,
                  "Chebyshev: x and y must be Views of doubles of rank 1");
    const std::size_t n = jacobi.inverse_diagonal.extent(0);
    detail::require(x.extent(0) == n && y.extent(0) == n, "Chebyshev of ", n, " rows, but x has ", x.extent(0),
                    " entries and y ", y.extent(0));
    detail::require(x.span_is_contiguous() && y.span_is_contiguous(), "Chebyshev: x and y must be contiguous");
    detail::require(n == 0 || static_cast<const void*>(x.data()) != static_cast<const void*>(y.data()),
                    "Chebyshev: x and y are the same vector of ", n, " entries");
    start(exec, x, y);
    double rho = delta / theta;
    for (int step = 0; step < degree; ++step) {
      const double next = 1 / (2 * theta / delta - rho);
      spmv(exec, 1.0, matrix, y, 0.0, product);
      advance(exec, next * rho, 2 * next / delta, x, y);
      rho = next;
    }
  }

  // The two sweeps of `apply`; public because nvcc takes no lambdas from private functions.

  /// y = d = D^-1 x / theta; 32 n bytes.
  template <class ExecutionSpace, class X, class Y>
  void start(const ExecutionSpace& exec, const X& x, const Y& y) const {
    const auto inverse = jacobi.inverse_diagonal;
    const auto d = direction;
    const double factor = 1 / theta;
    Kokkos::parallel_for(
        "krylite::chebyshev::start", detail::range(exec, inverse.extent(0)), KOKKOS_LAMBDA(const std::int64_t i) {
          const double value = factor * inverse(i) * x(i);
          d(i) = value;
          y(i) = value;
        });
  }

  /// d = a d + b D^-1 (x - A y) and y = y + d; 56 n bytes.
  template <class ExecutionSpace, class X, class Y>
  void advance(const ExecutionSpace& exec, double a, double b, const X& x, const Y& y) const {
    const auto inverse = jacobi.inverse_diagonal;
    const auto d = direction;
    const auto w = product;
    Kokkos::parallel_for(
        "krylite::chebyshev::advance", detail::range(exec, inverse.extent(0)), KOKKOS_LAMBDA(const std::int64_t i) {
          const double value = a * d(i) + b * (inverse(i) * (x(i) - w(i)));
          d(i) = value;
          y(i) += value;
        });
  }
};

namespace detail {

/// Reproducible numbers in [-1, 1) from a counter (SplitMix64).
KOKKOS_INLINE_FUNCTION double start_value(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-52 - 1.0;
}

/// Largest eigenvalue of D^-1 A by power iterations: the Rayleigh quotient of the last vector but one, which for
/// symmetric D^-1 A is never too large. Each costs a product and 32 n bytes, and waits. May be negative, or not finite
/// where numbers overflow; 0 where a product is the zero vector.
template <class ExecutionSpace, class Matrix, class Vector>
double estimate_lambda_max(const ExecutionSpace& exec, const Matrix& A, const Vector& inverse, const Vector& v,
                           const Vector& w, int iterations) {
  const std::int64_t n = A.num_rows;
  Kokkos::parallel_for(
      "krylite::chebyshev::random", range(exec, n),
      KOKKOS_LAMBDA(const std::int64_t i) { v(i) = start_value(static_cast<std::uint64_t>(i)); });
  double quotient = 0;
  for (int step = 0; step < iterations; ++step) {
    const double square = repeatable_sum(exec, n, KOKKOS_LAMBDA(const std::int64_t i) { return v(i) * v(i); });
    if (!(square > 0)) return 0;
    const double scale = 1 / std::sqrt(square);
    spmv(exec, 1.0, A, v, 0.0, w);
    // v is not normalized where it is made, but here, where it is read anyhow.
    Kokkos::parallel_for(
        "krylite::chebyshev::power", range(exec, n), KOKKOS_LAMBDA(const std::int64_t i) {
          w(i) *= scale * inverse(i);
          v(i) *= scale;
        });
    quotient = repeatable_sum(exec, n, KOKKOS_LAMBDA(const std::int64_t i) { return v(i) * w(i); });
    Kokkos::deep_copy(exec, v, w);
  }
  return quotient;
}

inline void check_chebyshev_options(const ChebyshevOptions& options) {
  require(options.degree >= 1, "Chebyshev: the degree must be at least 1, not ", options.degree);
  require(options.ratio > 1 && std::isfinite(options.ratio),
          "Chebyshev: the ratio must be finite and more than 1, not ", options.ratio);
  require(options.power_iterations >= 1, "Chebyshev: at least 1 power iteration is needed, not ",
          options.power_iterations);
}

}  // namespace detail

/// Chebyshev preconditioner of a square matrix. The interval suits matrices whose D^-1 A has positive eigenvalues;
/// elsewhere p may amplify what it should damp. Where the estimate of lambda_max is not positive (a zero or skew
/// matrix) or its computation overflows, the degree is 0, which is plain Jacobi. A matrix with NaN or Inf gives NaN in
/// `apply`. The same matrix gives the same bits on any number of threads. Waits for `exec`.
/// \param A the matrix in any of Krylite's formats, kept for the products
/// \param csr the same matrix, for its diagonal: zero, missing or without a finite inverse, an entry counts as 1, and
///        `replaced` says how many do
/// \throws Error where the matrix is not square, A and csr differ in size, or an option is out of its range
template <class ExecutionSpace, class Matrix, class Scalar, class Offset, class MemorySpace>
ChebyshevPreconditioner<Matrix> make_chebyshev(const ExecutionSpace& exec, const Matrix& A,
                                               const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                                               const ChebyshevOptions& options = {}) {
  static_assert(std::is_same_v<MemorySpace, typename Matrix::memory_space>,
                "Chebyshev: A and csr must live in the same memory");
  detail::check_chebyshev_options(options);
  detail::require(csr.num_rows == csr.num_cols && A.num_rows == csr.num_rows && A.num_cols == csr.num_cols,
                  "Chebyshev needs a square matrix twice, not A of ", A.num_rows, " x ", A.num_cols, " and csr of ",
                  csr.num_rows, " x ", csr.num_cols);
  ChebyshevPreconditioner<Matrix> result;
  result.matrix = A;
  result.jacobi = make_jacobi(exec, csr);
  result.replaced = result.jacobi.replaced;
  detail::allocate_array(exec, "krylite::chebyshev::direction", csr.num_rows, result.direction);
  detail::allocate_array(exec, "krylite::chebyshev::product", csr.num_rows, result.product);
  if (detail::has_not_finite(exec, csr.values)) {
    result.lambda_max = std::numeric_limits<double>::quiet_NaN();
    result.theta = result.lambda_max;
    return result;
  }
  result.lambda_max = detail::estimate_lambda_max(exec, A, result.jacobi.inverse_diagonal, result.direction,
                                                  result.product, options.power_iterations);
  const double upper = 1.1 * result.lambda_max;
  const double lower = result.lambda_max / options.ratio;
  if (!(lower > 0 && std::isfinite(upper))) return result;
  result.degree = options.degree;
  result.theta = (upper + lower) / 2;
  result.delta = (upper - lower) / 2;
  return result;
}

}  // namespace krylite

#endif
