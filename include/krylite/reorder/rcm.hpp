#ifndef KRYLITE_REORDER_RCM_HPP
#define KRYLITE_REORDER_RCM_HPP

/// \file
/// Reverse Cuthill-McKee: a symmetric permutation that brings the entries of a sparse matrix close to its
/// diagonal. The bandwidth max |i - j| over all a_ij != 0 falls to about twice the width of the widest level
///
///     L_0 = { root },   L_k+1 = neighbours of L_k that are in none of L_0 ... L_k
///
/// of the graph of A + A^T. The rows are numbered level by level, the neighbours of each row by ascending
/// degree and those of one degree by their old index, and each connected component is then reversed, which
/// leaves the bandwidth and can only lower the envelope. The root is a pseudo-peripheral node: from the least
/// row of the component, go to the node of least degree in the last level as long as that gives more levels,
/// 16 times at most. Components come in the order of their least old rows, so that a diagonal matrix stays as
/// it is. The result depends on the pattern alone.
///
/// Storage: on the host, 8 bytes an entry and 13 bytes a row meanwhile (the graph, both directions), and a
/// copy of the pattern where it is not there with 64-bit offsets. Cost: O(nnz) and sorts of the neighbours of
/// each row that are new, on one thread; each try for a root visits the component once.
/// Source: Cuthill, McKee, Reducing the bandwidth of sparse symmetric matrices, 1969; George, Liu, Computer
/// Solution of Large Sparse Positive Definite Systems, 1981, chapter 4 (the reversal and the root).

#include <krylite/formats/csr.hpp>
#include <krylite/reorder/pattern.hpp>
#include <krylite/reorder/permutation.hpp>

namespace krylite {
namespace detail {

/// On the host.
Permutation<Kokkos::HostSpace> rcm_of_pattern(const HostPattern& pattern);

}  // namespace detail

/// The reverse Cuthill-McKee order of a square matrix. Waits for `exec`.
/// \param exec the work that makes `csr` has been given to it
/// \param csr n x n; its values do not matter, and explicit zeros are entries
/// \return n entries, new row i is old row order(i): what `permute_system` takes
/// \throws Error with the extents where the matrix is not square, and where memory does not suffice
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
Permutation<MemorySpace> rcm(const ExecutionSpace& exec, const CsrMatrix<Scalar, Offset, MemorySpace>& csr) {
  const auto order = detail::rcm_of_pattern(detail::host_pattern(exec, csr, "RCM"));
  return Kokkos::create_mirror_view_and_copy(MemorySpace(), order);
}

}  // namespace krylite

#endif
