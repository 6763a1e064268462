#ifndef KRYLITE_BASIS_ROW_SCALING_HPP
#define KRYLITE_BASIS_ROW_SCALING_HPP

/// \file
/// Row exponents of a compressed basis. Where equations have very different units or scales, every Krylov vector is
/// large in the same rows and small in the same others, and fixed point loses the small ones whole. Rows that share
/// a power of two 2^e_i over all vectors are stored relative to it:
///
///     v_ij = factors(j) * decode(codes(i, j)) * 2^e_i,   e_i = the exponent of max_j |v_ij| over that of the largest
///
/// The maxima are those of earlier cycles. It costs a byte a row, read once a sweep, and changes no kernel: the vector
/// that the basis is multiplied with is scaled instead.

#include <krylite/basis/storage.hpp>
#include <krylite/core/traits.hpp>
#include <krylite/distributed/communicator.hpp>

#include <cstdint>

namespace krylite {

/// Smallest row exponent.
inline constexpr int smallest_row_exponent = -60;

/// Whether a storage loses what is small beside the largest entry of its vector or of its block.
inline bool profits_from_row_scaling(BasisStorage storage) {
  return storage == BasisStorage::float16 || storage == BasisStorage::int16 || storage == BasisStorage::int32 ||
         storage == BasisStorage::bfp16 || storage == BasisStorage::bfp32;
}

/// exponents(i) = e_i for rows whose largest entries so far are magnitudes(i); 0 where that is 0.
/// \returns whether rows differ so much that scaling is worth it: the mean of 4^e_i is below 1/16. Waits for `exec`
template <class ExecutionSpace, class MemorySpace>
bool choose_row_exponents(const ExecutionSpace& exec, const Kokkos::View<double*, MemorySpace>& magnitudes,
                          const Kokkos::View<std::int8_t*, MemorySpace>& exponents, Communicator& communicator) {
  constexpr double worthwhile = 1.0 / 16;
  const auto n = static_cast<std::int64_t>(magnitudes.extent(0));
  double largest = 0;
  Kokkos::parallel_reduce(
      "krylite::row_scaling::largest", detail::range(exec, n),
      KOKKOS_LAMBDA(const std::int64_t i, double& maximum) {
        maximum = magnitudes(i) > maximum ? magnitudes(i) : maximum;
      },
      Kokkos::Max<double>(largest));
  communicator.largest(&largest, 1);
  if (!(largest > 0)) return false;
  // Powers of two and their squares add up exactly, in any order, but for the smallest.
  double sums[2] = {0, static_cast<double>(n)};
  Kokkos::parallel_reduce(
      "krylite::row_scaling::exponents", detail::range(exec, n),
      KOKKOS_LAMBDA(const std::int64_t i, double& sum) {
        const double ratio = magnitudes(i) / largest;
        int exponent = ratio > 0 ? smallest_row_exponent : 0;
        if (ratio >= power_of_two(smallest_row_exponent)) exponent = exponent_of(ratio);
        exponents(i) = static_cast<std::int8_t>(exponent);
        sum += power_of_two(2 * exponent);
      },
      sums[0]);
  communicator.sum(sums, 2);
  return sums[0] < worthwhile * sums[1];
}

}  // namespace krylite

#endif
