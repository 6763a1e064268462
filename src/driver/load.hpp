#ifndef KRYLITE_SRC_DRIVER_LOAD_HPP
#define KRYLITE_SRC_DRIVER_LOAD_HPP

/// \file
/// Matrices and vectors that the command line names.

#include <cstdint>
#include <krylite/formats/convert.hpp>
#include <krylite/io/generate.hpp>
#include <limits>
#include <string>

#include "formats.hpp"

namespace krylite::driver {

using Vector = Kokkos::View<double*, Memory>;

/// A matrix on the host and what to call it.
struct LoadedMatrix {
  std::string source;  ///< as the user gave it, for messages
  std::string name;    ///< file name without folder and ending, or the whole gen: text
  HostCsr csr;
};

/// Reads the file or generates the matrix.
/// \throws Error `SOURCE:LINE: what is wrong`
LoadedMatrix load_matrix(const std::string& source);

/// Reads a vector that goes with the rows of the matrix.
/// \throws Error where it cannot be read or has another length
Vector load_vector(const std::string& path, const LoadedMatrix& matrix);

/// n numbers, uniform in [-1, 1), the same on every machine.
Kokkos::View<double*, Kokkos::HostSpace> random_vector(std::size_t n, std::uint64_t seed);

/// Calls `work` with the matrix in the memory of the default execution space, its values as `Scalar`, and
/// 32-bit offsets where the entries fit them. \throws Error where a value does not fit `Scalar`
template <class Scalar, class Work>
auto with_device_csr(const LoadedMatrix& matrix, const Work& work) {
  const Host host;
  if (matrix.csr.num_entries() <= std::numeric_limits<std::int32_t>::max()) {
    return work(copy_to<Memory>(convert_types<Scalar, std::int32_t>(host, matrix.csr)));
  }
  return work(copy_to<Memory>(convert_types<Scalar, std::int64_t>(host, matrix.csr)));
}

}  // namespace krylite::driver

#endif
