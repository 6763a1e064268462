#ifndef KRYLITE_SRC_DRIVER_REORDERING_HPP
#define KRYLITE_SRC_DRIVER_REORDERING_HPP

/// \file
/// Orderings as the command line names them, and the permutations that they mean. A new one is a word in
/// `reordering_names` and a branch in `ordering_of`.

#include <krylite/core/error.hpp>
#include <krylite/reorder/amd.hpp>
#include <krylite/reorder/permutation.hpp>
#include <krylite/reorder/rcm.hpp>
#include <string>
#include <vector>

#include "load.hpp"

namespace krylite::driver {

/// Those that do something; "none" is not among them.
inline const std::vector<std::string>& reordering_names() {
  static const std::vector<std::string> names = {"rcm", "amd"};
  return names;
}

/// \throws Error where only a square matrix would do
inline void require_square(const LoadedMatrix& matrix, const std::string& purpose) {
  krylite::detail::require(matrix.csr.num_rows == matrix.csr.num_cols, matrix.source, ": is ",
                           matrix.csr.num_rows, " x ", matrix.csr.num_cols,
                           ", but a matrix must be square to be ", purpose);
}

/// The permutation that a name of `reordering_names` means for the matrix.
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
Permutation<MemorySpace> ordering_of(const std::string& name, const ExecutionSpace& exec,
                                     const CsrMatrix<Scalar, Offset, MemorySpace>& csr) {
  return name == "rcm" ? rcm(exec, csr) : amd(exec, csr);
}

}  // namespace krylite::driver

#endif
