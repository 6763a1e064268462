#ifndef KRYLITE_PERF_TESTS_SPMV_PEERS_PROBLEM_HPP
#define KRYLITE_PERF_TESTS_SPMV_PEERS_PROBLEM_HPP

/// \file
/// A matrix on the device, its vectors, and how far two products may differ.

#include <algorithm>
#include <krylite/spmv/reference.hpp>
#include <limits>

#include "support/load.hpp"

namespace krylite_perf {

template <class Scalar>
struct Problem {
  using Csr = krylite::CsrMatrix<Scalar, std::int32_t, Memory>;
  using View = Kokkos::View<Scalar*, Memory>;

  Csr csr;
  View x;
  View y;

  /// Bytes that CSR must move for the product, whatever the format, so that rates compare.
  double model_bytes() const {
    const double value = sizeof(Scalar);
    const double rows = csr.num_rows;
    return static_cast<double>(csr.num_entries()) * (value + 4) + (rows + 1) * 4 + (rows + csr.num_cols) * value;
  }
};

/// x_i is positive, and not the same for neighbours.
template <class Scalar>
Problem<Scalar> make_problem(const Execution& exec, const krylite::HostCsr& host) {
  Problem<Scalar> problem;
  problem.csr = krylite::convert_types<Scalar, std::int32_t>(exec, krylite::copy_to<Memory>(host));
  problem.x = typename Problem<Scalar>::View("krylite_perf::x", host.num_cols);
  problem.y = typename Problem<Scalar>::View("krylite_perf::y", host.num_rows);
  const auto x = problem.x;
  Kokkos::parallel_for(
      "krylite_perf::fill_x", krylite::detail::range(exec, host.num_cols), KOKKOS_LAMBDA(const std::int64_t i) {
        x(i) = Scalar(0.5) + static_cast<Scalar>(i * 7919 % 1024) / Scalar(1024);
      });
  exec.fence();
  return problem;
}

/// A product that others are compared with, and for each row the error that it may have itself
/// (spmv/reference.hpp, with |A| |x| from a product in working precision).
template <class Scalar>
struct Reference {
  Kokkos::View<Scalar*, Memory> y;
  Kokkos::View<double*, Memory> bound;
};

/// \param problem its y holds the product
template <class Scalar>
Reference<Scalar> make_reference(const Execution& exec, const Problem<Scalar>& problem) {
  using Matrix = typename Problem<Scalar>::Csr;
  const auto csr = problem.csr;
  Reference<Scalar> reference;
  reference.y = Kokkos::View<Scalar*, Memory>("krylite_perf::reference", problem.y.extent(0));
  reference.bound = Kokkos::View<double*, Memory>("krylite_perf::bound", problem.y.extent(0));
  Kokkos::deep_copy(exec, reference.y, problem.y);
  const typename Matrix::values_type values("krylite_perf::magnitudes", csr.values.extent(0));
  Kokkos::parallel_for(
      "krylite_perf::magnitudes", krylite::detail::range(exec, csr.num_entries()),
      KOKKOS_LAMBDA(const std::int64_t k) { values(k) = krylite::fabs(csr.values(k)); });
  const Matrix magnitudes(csr.num_rows, csr.num_cols, csr.row_pointers, csr.columns, values);
  krylite::SpmvOptions options;
  options.csr_kernel = krylite::CsrKernel::balanced;
  krylite::spmv(exec, Scalar(1), magnitudes, problem.x, Scalar(0), problem.y, options);
  const auto magnitude = problem.y;
  const auto bound = reference.bound;
  constexpr double u = std::numeric_limits<Scalar>::epsilon() / 2;
  constexpr double least = std::numeric_limits<Scalar>::denorm_min();
  Kokkos::parallel_for(
      "krylite_perf::bound", krylite::detail::range(exec, csr.num_rows), KOKKOS_LAMBDA(const std::int64_t row) {
        const double count = csr.row_pointers(row + 1) - csr.row_pointers(row);
        bound(row) = 2 * (count + 2) * u * static_cast<double>(magnitude(row)) + (count + 1) * least;
      });
  exec.fence();
  return reference;
}

/// Two products that each keep their bound differ by at most this many bounds.
inline constexpr double largest_difference = 2;

/// The largest |y_i - reference_i| / bound_i; 1e300 where y holds what is no number.
template <class Scalar>
double difference(const Execution& exec, const Reference<Scalar>& reference, const Kokkos::View<Scalar*, Memory>& y) {
  double largest = 0;
  Kokkos::parallel_reduce(
      "krylite_perf::difference", krylite::detail::range(exec, static_cast<std::int64_t>(y.extent(0))),
      KOKKOS_LAMBDA(const std::int64_t i, double& most) {
        const double error = krylite::fabs(static_cast<double>(y(i)) - static_cast<double>(reference.y(i)));
        const double scaled = error <= 1e300 ? error / reference.bound(i) : 1e300;
        if (error > 0 || !(error <= 1e300)) most = scaled > most ? scaled : most;
      },
      Kokkos::Max<double>(largest));
  // Where all are equal, what was found is the reduction's own start, below 0.
  return std::min(std::max(largest, 0.0), 1e300);
}

}  // namespace krylite_perf

#endif
