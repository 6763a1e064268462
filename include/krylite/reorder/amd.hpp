#ifndef KRYLITE_REORDER_AMD_HPP
#define KRYLITE_REORDER_AMD_HPP

/// \file
/// Approximate minimum degree: a symmetric permutation that keeps the factors of a sparse matrix sparse. Of
/// all rows that are left, the next one is one with the fewest neighbours, by a bound d_i that is cheap to
/// keep, in the graph of A + A^T from which the rows before it have been eliminated:
///
///     eliminate i:  every two neighbours of i become neighbours;   nnz(L) = n + sum of the degrees
///
/// Done by SuiteSparse AMD with its default settings. It is optional: `amd_is_available()` says whether this
/// build of the library has it. The result depends on the pattern alone.
///
/// Storage: on the host, with 64-bit integers, up to 35 bytes an entry and 104 bytes a row meanwhile. Cost:
/// between O(nnz) and O(n nnz) in theory, in practice near the former, on one thread.
/// Source: Amestoy, Davis, Duff, An approximate minimum degree ordering algorithm, SIAM J. Matrix Anal. Appl.
/// 17 (1996), 886-905.

#include <krylite/formats/csr.hpp>
#include <krylite/reorder/pattern.hpp>
#include <krylite/reorder/permutation.hpp>

namespace krylite {
namespace detail {

/// On the host.
Permutation<Kokkos::HostSpace> amd_of_pattern(const HostPattern& pattern);

/// \throws Error where the library was built without SuiteSparse AMD
void require_amd();

}  // namespace detail

/// Whether this build of the library has SuiteSparse AMD.
bool amd_is_available();

/// The approximate minimum degree order of a square matrix. Waits for `exec`.
/// \param exec the work that makes `csr` has been given to it
/// \param csr n x n; its values do not matter, and explicit zeros are entries
/// \return n entries, new row i is old row order(i): what `permute_system` takes
/// \throws Error with the extents where the matrix is not square, where a column is outside of it, where
///         memory does not suffice, and where the library was built without SuiteSparse AMD
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
Permutation<MemorySpace> amd(const ExecutionSpace& exec, const CsrMatrix<Scalar, Offset, MemorySpace>& csr) {
  detail::require_amd();
  const auto order = detail::amd_of_pattern(detail::host_pattern(exec, csr, "AMD"));
  return Kokkos::create_mirror_view_and_copy(MemorySpace(), order);
}

}  // namespace krylite

#endif
