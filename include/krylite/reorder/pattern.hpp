#ifndef KRYLITE_REORDER_PATTERN_HPP
#define KRYLITE_REORDER_PATTERN_HPP

/// \file
/// What the orderings, which are computed on the host, see of a matrix: its pattern alone.
/// Storage: as CSR without values. Cost: nothing that is on the host with 64-bit offsets already is copied.

#include <cstdint>
#include <krylite/core/error.hpp>
#include <krylite/core/memory.hpp>
#include <krylite/formats/convert.hpp>
#include <krylite/formats/csr.hpp>
#include <krylite/reorder/permutation.hpp>
#include <string>
#include <type_traits>

namespace krylite {
namespace detail {

/// Pattern of an n x n matrix in CSR, columns in any order and duplicates allowed.
struct HostPattern {
  Index num_rows = 0;
  Kokkos::View<const std::int64_t*, Kokkos::HostSpace>
      row_pointers;  ///< num_rows + 1; may be none where num_rows is 0
  Kokkos::View<const Index*, Kokkos::HostSpace> columns;

  std::int64_t num_entries() const { return static_cast<std::int64_t>(columns.extent(0)); }
};

/// The pattern of a square matrix, complete: this waits for `exec`.
/// \param name of the ordering, for messages
/// \throws Error with the extents where the matrix is not square, and where memory does not suffice
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
HostPattern host_pattern(const ExecutionSpace& exec, const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                         const std::string& name) {
  require(csr.num_rows == csr.num_cols, name, ": the matrix is ", csr.num_rows, " x ", csr.num_cols,
          ", but must be square to be reordered");
  constexpr bool shares_columns = std::is_same_v<MemorySpace, Kokkos::HostSpace>;
  constexpr bool shares_pointers = shares_columns && std::is_same_v<Offset, std::int64_t>;
  require_memory<Kokkos::HostSpace>(
      (shares_pointers ? 0 : csr.row_pointers.extent(0) * (sizeof(std::int64_t) + sizeof(Offset))) +
          (shares_columns ? 0 : csr.columns.extent(0) * sizeof(Index)),
      name + ": a copy of the pattern");
  exec.fence();
  HostPattern pattern;
  pattern.num_rows = csr.num_rows;
  pattern.columns = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), csr.columns);
  const auto pointers = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), csr.row_pointers);
  if constexpr (std::is_same_v<Offset, std::int64_t>) {
    pattern.row_pointers = pointers;
  } else {
    using Wide = Kokkos::View<std::int64_t*, Kokkos::HostSpace>;
    const Kokkos::DefaultHostExecutionSpace host;
    pattern.row_pointers = converted_offsets<Wide>(host, pointers);
    host.fence();
  }
  return pattern;
}

}  // namespace detail
}  // namespace krylite

#endif
