#ifndef KRYLITE_FORMATS_CONVERT_SLICED_ELL_HPP
#define KRYLITE_FORMATS_CONVERT_SLICED_ELL_HPP

#include <krylite/formats/convert/common.hpp>
#include <krylite/formats/sliced_ell.hpp>

namespace krylite {
namespace detail {

/// Entries that a slice stores. \tparam Sum the type in which they are summed
template <class RowPointers, class Sum>
struct SliceSize {
  RowLength<RowPointers> length;
  std::int64_t num_rows;
  std::int64_t slice_size;

  KOKKOS_INLINE_FUNCTION Sum operator()(std::int64_t slice) const {
    const std::int64_t first = slice * slice_size;
    const std::int64_t last = first + slice_size < num_rows ? first + slice_size : num_rows;
    std::int64_t longest = 0;
    for (std::int64_t row = first; row < last; ++row) longest = length(row) > longest ? length(row) : longest;
    return static_cast<Sum>(longest * slice_size);
  }
};

/// Entries that all slices store, in 64 bits whatever the offsets, since they have not been checked yet.
template <class ExecutionSpace, class Csr>
std::int64_t sliced_ell_size(const ExecutionSpace& exec, const Csr& csr, Index slice_size, Index num_slices) {
  using Size = SliceSize<typename Csr::row_pointers_type, std::int64_t>;
  return sum_of(exec, num_slices, Size{{csr.row_pointers}, csr.num_rows, slice_size});
}

/// Copies an array of the CSR, columns or values, to the slices; `fill` for what fills the rows up.
template <class ExecutionSpace, class Csr, class SlicedEll, class Array>
void fill_slices_by_rows(const ExecutionSpace& exec, const Csr& csr, const SlicedEll& matrix, const Array& from,
                         const Array& to, typename Array::non_const_value_type fill) {
  const std::int64_t slice_size = matrix.slice_size;
  const std::int64_t num_rows = matrix.num_rows;
  Kokkos::parallel_for(
      "krylite::to_sliced_ell::fill", range(exec, matrix.num_slices() * slice_size),
      KOKKOS_LAMBDA(const std::int64_t row) {
        const std::int64_t begin = row < num_rows ? csr.row_pointers(row) : 0;
        const std::int64_t length = row < num_rows ? csr.row_pointers(row + 1) - begin : 0;
        const std::int64_t slice = row / slice_size;
        const std::int64_t end = matrix.slice_pointers(slice + 1);
        std::int64_t target = matrix.slice_pointers(slice) + row % slice_size;
        for (std::int64_t k = 0; target < end; ++k, target += slice_size) {
          to(target) = k < length ? from(begin + k) : fill;
        }
      });
}

template <class Scalar, class Offset, class MemorySpace>
auto slice_layout(const SlicedEllMatrix<Scalar, Offset, MemorySpace>& matrix) {
  return GroupLayout<Kokkos::View<Offset*, MemorySpace>>(matrix.slice_pointers, matrix.num_slices(), matrix.slice_size,
                                                         matrix.stored_entries());
}

template <Traversal Way, class ExecutionSpace, class Csr, class SlicedEll, class Array>
void fill_slices(const ExecutionSpace& exec, const Csr& csr, const SlicedEll& matrix, const Array& from,
                 const Array& to, typename Array::non_const_value_type fill) {
  if constexpr (Way == Traversal::teams) {
    const auto layout = slice_layout(matrix);
    fill_tiles(exec, "krylite::to_sliced_ell::fill", csr, layout, std::numeric_limits<Index>::max(), from, to, fill);
  } else {
    fill_slices_by_rows(exec, csr, matrix, from, to, fill);
  }
}

/// Sets the slice pointers. \return what is to be stored. Waits. \throws Error where that is too much
template <Traversal Way, class ExecutionSpace, class Csr, class SlicedEll>
std::int64_t set_slice_pointers(const ExecutionSpace& exec, const Csr& csr, double fill_limit, SlicedEll& result) {
  using RowPointers = typename Csr::row_pointers_type;
  using Offset = typename Csr::offset_type;
  const Index slice_size = result.slice_size;
  const Index num_slices = result.num_slices();
  const RowLength<RowPointers> length{csr.row_pointers};
  const auto require_room = [&](std::int64_t stored) {
    const std::size_t bytes = (static_cast<std::size_t>(num_slices) + 1) * sizeof(Offset) +
                              static_cast<std::size_t>(stored) * (sizeof(Index) + sizeof(typename Csr::scalar_type));
    require_storable("sliced ELL", csr, stored, bytes, fill_limit);
    return stored;
  };
  require_short_rows(exec, "sliced ELL", csr);
  if constexpr (Way == Traversal::teams) {
    allocate_array(exec, "krylite::sliced_ell::slice_pointers", std::int64_t(num_slices) + 1, result.slice_pointers);
    using Groups = LongestOfGroups<RowLength<RowPointers>, decltype(result.slice_pointers)>;
    measure_groups(exec, csr.num_rows, slice_size, Groups{length, result.slice_pointers});
    return require_room(
        counts_to_sums(exec, "krylite::to_sliced_ell::scan", num_slices, slice_size, result.slice_pointers));
  } else {
    const std::int64_t stored = require_room(sliced_ell_size(exec, csr, slice_size, num_slices));
    allocate_array(exec, "krylite::sliced_ell::slice_pointers", std::int64_t(num_slices) + 1, result.slice_pointers);
    prefix_sums(exec, "krylite::to_sliced_ell::scan", num_slices, result.slice_pointers,
                SliceSize<RowPointers, Offset>{length, csr.num_rows, slice_size});
    return stored;
  }
}

template <Traversal Way, class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
SlicedEllMatrix<Scalar, Offset, MemorySpace> make_sliced_ell(const ExecutionSpace& exec,
                                                             const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                                                             const SlicedEllOptions& options) {
  const Index slice_size = options.slice_size == 0 ? default_slice_size<ExecutionSpace>() : options.slice_size;
  require(slice_size >= 1 && slice_size <= 256 && (slice_size & (slice_size - 1)) == 0,
          "sliced ELL: the slice size must be a power of two from 1 to 256, not ", slice_size);
  SlicedEllMatrix<Scalar, Offset, MemorySpace> result;
  result.num_rows = csr.num_rows;
  result.num_cols = csr.num_cols;
  result.slice_size = slice_size;
  result.entries = csr.num_entries();
  const std::int64_t stored = set_slice_pointers<Way>(exec, csr, options.fill_limit, result);
  allocate_array(exec, "krylite::sliced_ell::columns", stored, result.columns);
  allocate_array(exec, "krylite::sliced_ell::values", stored, result.values);
  fill_slices<Way>(exec, csr, result, csr.columns, result.columns, -1);
  fill_slices<Way>(exec, csr, result, csr.values, result.values, Scalar(0));
  return result;
}

}  // namespace detail

/// Sliced ELLPACK of `csr`, on `exec`. The CSR is only read.
/// \throws Error where the slice size is not a power of two from 1 to 256, or the padded arrays would exceed the
///         offset type, the fill limit or the memory; neither columns nor values are allocated then
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
SlicedEllMatrix<Scalar, Offset, MemorySpace> to_sliced_ell(const ExecutionSpace& exec,
                                                           const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                                                           const SlicedEllOptions& options = {}) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "to_sliced_ell: the execution space cannot reach the matrix");
  return detail::make_sliced_ell<detail::traversal_of<ExecutionSpace>>(exec, csr, options);
}

/// The CSR that `matrix` was made from: the same entries in the same order.
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
CsrMatrix<Scalar, Offset, MemorySpace> to_csr(const ExecutionSpace& exec,
                                              const SlicedEllMatrix<Scalar, Offset, MemorySpace>& matrix) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "to_csr: the execution space cannot reach the matrix");
  return detail::rows_to_csr<detail::traversal_of<ExecutionSpace>>(exec, matrix, detail::slice_layout(matrix));
}

/// Takes new values from a CSR of the same pattern; the pattern is not looked at again.
/// \throws Error where the sizes differ
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
void update_values(const ExecutionSpace& exec, const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                   const SlicedEllMatrix<Scalar, Offset, MemorySpace>& matrix) {
  detail::require_same_pattern_size(csr, matrix);
  detail::fill_slices<detail::traversal_of<ExecutionSpace>>(exec, csr, matrix, csr.values, matrix.values, Scalar(0));
}

}  // namespace krylite

#endif
