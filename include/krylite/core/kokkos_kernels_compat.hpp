#ifndef KRYLITE_CORE_KOKKOS_KERNELS_COMPAT_HPP
#define KRYLITE_CORE_KOKKOS_KERNELS_COMPAT_HPP

/// \file
/// ILU(0) and triangular solves of Kokkos Kernels 3.4.01 to 5. Beside kokkos_compat.hpp the only file that asks for a
/// version; it stands apart because what it includes takes long to compile, so that only the library's own sources
/// include it. Tested with 3.4.01 and 4.7; what differs in between is taken from the sources of 3.5 to 4.6.
///
/// The symbolic phases of Kokkos Kernels are not used, their results are handed to its handles instead:
/// - `spiluk_symbolic` searches each row linearly for each of its entries, so that a dense row of n entries costs n^2,
///   and from 3.7 on it allocates the work array of the numeric phase, widest level x n indices: 103 GB for a 7-point
///   grid of 128^3, and n^2 for a diagonal matrix;
/// - `sptrsv_symbolic` of 3.4 to 3.6.00 visits all rows once a level: n^2 for a tridiagonal matrix.
/// With fill level 0 the pattern is known, and levels take one visit of each entry. The work array stays small because
/// a level may be handed over in pieces.

#include <krylite/core/traits.hpp>

#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_spiluk.hpp>
#include <KokkosSparse_sptrsv.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace krylite {
namespace detail {

/// Rows in the order in which they can be worked on: rows[starts[l]] to rows[starts[l + 1] - 1] depend on earlier
/// levels alone.
struct RowLevels {
  std::vector<Index> rows;
  std::vector<Index> starts = {0};

  Index num_levels() const { return static_cast<Index>(starts.size()) - 1; }
};

/// Handle for 32-bit offsets; it belongs to one factor.
template <class ExecutionSpace>
using KernelsHandle =
    KokkosKernels::Experimental::KokkosKernelsHandle<Index, Index, double, ExecutionSpace,
                                                     typename ExecutionSpace::memory_space,
                                                     typename ExecutionSpace::memory_space>;

/// Copies `values` to the front of a View.
template <class ViewType>
void copy_to_front(const std::vector<Index>& values, const ViewType& view) {
  const Kokkos::View<const Index*, typename ViewType::array_layout, Kokkos::HostSpace,
                     Kokkos::MemoryTraits<Kokkos::Unmanaged>>
      host(values.data(), values.size());
  Kokkos::deep_copy(Kokkos::subview(view, std::make_pair(std::size_t(0), values.size())), host);
}

// What handles gained later is filled where it is there: the second overload is for older ones. Host copy of the level
// pointers: 4.0. Pieces of levels: 3.6.01. The work array in the handle: 3.7; before, the numeric phase makes it.
template <class Handle>
auto fill_host_pointers(Handle& handle, const RowLevels& levels, int)
    -> decltype(static_cast<void>(handle.get_host_level_ptr())) {
  copy_to_front(levels.starts, handle.get_host_level_ptr());
}
template <class Handle>
void fill_host_pointers(Handle&, const RowLevels&, long) {}

template <class Handle>
auto fill_pieces(Handle& handle, const RowLevels& levels, Index widest, int)
    -> decltype(handle.alloc_level_nchunks(0)) {
  handle.alloc_level_nchunks(levels.num_levels());
  handle.alloc_level_nrowsperchunk(levels.num_levels());
  Kokkos::deep_copy(handle.get_level_nchunks(), 1);
  for (Index level = 0; level < levels.num_levels(); ++level) {
    handle.get_level_nrowsperchunk()(level) = levels.starts[level + 1] - levels.starts[level];
  }
  handle.set_level_maxrowsperchunk(widest);
}
template <class Handle>
void fill_pieces(Handle&, const RowLevels&, Index, long) {}

template <class Handle>
auto make_work_array(Handle& handle, Index widest, Index num_rows, int) -> decltype(handle.alloc_iw(0, 0)) {
  handle.alloc_iw(widest, num_rows);
}
template <class Handle>
void make_work_array(Handle&, Index, Index, long) {}

/// Readies `handle` for `spiluk_numeric` of n rows. The work array has (widest level) x n indices.
template <class ExecutionSpace>
void set_spiluk_levels(KernelsHandle<ExecutionSpace>& handle, const RowLevels& levels, Index entries_of_l,
                       Index entries_of_u) {
#if KOKKOS_VERSION >= 40300
  constexpr auto algorithm = KokkosSparse::Experimental::SPILUKAlgorithm::SEQLVLSCHD_TP1;
#else
  // A team a row divides an entry twice in 3.4 where the team has several threads: one thread a row.
  constexpr auto algorithm = KokkosSparse::Experimental::SPILUKAlgorithm::SEQLVLSCHD_RP;
#endif
  const Index num_rows = static_cast<Index>(levels.rows.size());
  handle.create_spiluk_handle(algorithm, num_rows, entries_of_l, entries_of_u);
  auto& spiluk = *handle.get_spiluk_handle();
  Index widest = 0;
  for (Index level = 0; level < levels.num_levels(); ++level) {
    widest = std::max(widest, levels.starts[level + 1] - levels.starts[level]);
  }
  copy_to_front(levels.rows, spiluk.get_level_idx());
  copy_to_front(levels.starts, spiluk.get_level_ptr());
  fill_host_pointers(spiluk, levels, 0);
  fill_pieces(spiluk, levels, widest, 0);
  make_work_array(spiluk, widest, num_rows, 0);
  spiluk.set_num_levels(levels.num_levels());
  spiluk.set_level_maxrows(widest);
  spiluk.set_symbolic_complete();
}

/// Readies `handle` for `sptrsv_solve`.
template <class ExecutionSpace>
void set_sptrsv_levels(KernelsHandle<ExecutionSpace>& handle, const RowLevels& levels, bool is_lower) {
  // One thread a row: rows of L and U are short, and the order of the sum is that of the entries each time.
  handle.create_sptrsv_handle(KokkosSparse::Experimental::SPTRSVAlgorithm::SEQLVLSCHD_RP,
                              static_cast<Index>(levels.rows.size()), is_lower);
  auto& sptrsv = *handle.get_sptrsv_handle();
  sptrsv.new_init_handle(static_cast<Index>(levels.rows.size()));
  std::vector<Index> widths(levels.num_levels());
  for (Index level = 0; level < levels.num_levels(); ++level) {
    widths[level] = levels.starts[level + 1] - levels.starts[level];
  }
  copy_to_front(widths, sptrsv.get_host_nodes_per_level());
  copy_to_front(widths, sptrsv.get_nodes_per_level());
  copy_to_front(levels.rows, sptrsv.get_host_nodes_grouped_by_level());
  copy_to_front(levels.rows, sptrsv.get_nodes_grouped_by_level());
  sptrsv.set_num_levels(levels.num_levels());
  sptrsv.set_symbolic_complete();
}

/// Values of L and U on the patterns given: L with its unit diagonal last, U with its diagonal first in each row. A
/// pivot of exactly 0 becomes 1e6 in every version. No version takes an execution instance: this waits for all.
template <class ExecutionSpace, class Matrix>
void spiluk_numeric(const ExecutionSpace& exec, KernelsHandle<ExecutionSpace>& handle, Matrix& a, Matrix& l,
                    Matrix& u) {
  exec.fence();
#if KOKKOS_VERSION >= 40600
  using KokkosSparse::spiluk_numeric;
#else
  using KokkosSparse::Experimental::spiluk_numeric;
#endif
  spiluk_numeric(&handle, 0, a.row_pointers, a.columns, a.values, l.row_pointers, l.columns, l.values, u.row_pointers,
                 u.columns, u.values);
  Kokkos::fence();
}

/// x = T^-1 b for the triangular matrix whose levels `handle` knows; on `exec` from 4.3 on, waiting for all before.
template <class ExecutionSpace, class Matrix, class B, class X>
void sptrsv_solve(const ExecutionSpace& exec, KernelsHandle<ExecutionSpace>& handle, const Matrix& t, const B& b,
                  const X& x) {
#if KOKKOS_VERSION >= 40300
#if KOKKOS_VERSION >= 40600
  using KokkosSparse::sptrsv_solve;
#else
  using KokkosSparse::Experimental::sptrsv_solve;
#endif
  // From 4.4 on, a solve with a thread a row adds up in x what it finds there.
  Kokkos::deep_copy(exec, x, 0.0);
  ExecutionSpace space = exec;
  sptrsv_solve(space, &handle, t.row_pointers, t.columns, t.values, b, x);
#else
  exec.fence();
  KokkosSparse::Experimental::sptrsv_solve(&handle, t.row_pointers, t.columns, t.values, b, x);
  Kokkos::fence();
#endif
}

}  // namespace detail
}  // namespace krylite

#endif
