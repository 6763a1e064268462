#ifndef KRYLITE_FORMATS_CONVERT_ELL_HPP
#define KRYLITE_FORMATS_CONVERT_ELL_HPP

#include <krylite/formats/convert/common.hpp>
#include <krylite/formats/ell.hpp>

namespace krylite {
namespace detail {

/// Distance between positions for `num_rows` rows.
template <class ExecutionSpace>
std::int64_t ell_stride(Index num_rows) {
  constexpr std::int64_t multiple = ell_stride_multiple<ExecutionSpace>();
  return (num_rows + multiple - 1) / multiple * multiple;
}

/// Copies an array of the CSR, columns or values, to the first `width` positions of every row; `fill` where there is
/// none.
template <class ExecutionSpace, class Csr, class Ell, class Array>
void fill_ell_by_rows(const ExecutionSpace& exec, const Csr& csr, const Ell& matrix, const Array& from,
                      const Array& to, typename Array::non_const_value_type fill) {
  const std::int64_t stride = matrix.stride;
  const std::int64_t width = matrix.width;
  const std::int64_t num_rows = matrix.num_rows;
  Kokkos::parallel_for(
      "krylite::to_ell::fill", range(exec, stride), KOKKOS_LAMBDA(const std::int64_t row) {
        const std::int64_t begin = row < num_rows ? csr.row_pointers(row) : 0;
        const std::int64_t length = row < num_rows ? csr.row_pointers(row + 1) - begin : 0;
        for (std::int64_t k = 0; k < width; ++k) to(k * stride + row) = k < length ? from(begin + k) : fill;
      });
}

template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
StridedLayout ell_layout(const EllMatrix<Scalar, Offset, MemorySpace>& matrix) {
  constexpr int group_size = ell_stride_multiple<ExecutionSpace>();
  const std::int64_t num_groups = matrix.stride / group_size;
  return {num_groups, group_size, num_groups * matrix.width, matrix.width};
}

template <Traversal Way, class ExecutionSpace, class Csr, class Ell, class Array>
void fill_ell(const ExecutionSpace& exec, const Csr& csr, const Ell& matrix, const Array& from, const Array& to,
              typename Array::non_const_value_type fill) {
  if constexpr (Way == Traversal::teams) {
    const auto layout = ell_layout<ExecutionSpace>(matrix);
    fill_tiles(exec, "krylite::to_ell::fill", csr, layout, matrix.width, from, to, fill);
  } else {
    fill_ell_by_rows(exec, csr, matrix, from, to, fill);
  }
}

/// The first `width` entries of every row, `entries` together; sizes have been checked.
template <Traversal Way, class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
EllMatrix<Scalar, Offset, MemorySpace> make_ell(const ExecutionSpace& exec,
                                                const CsrMatrix<Scalar, Offset, MemorySpace>& csr, Index width,
                                                std::int64_t entries) {
  EllMatrix<Scalar, Offset, MemorySpace> result;
  result.num_rows = csr.num_rows;
  result.num_cols = csr.num_cols;
  result.width = width;
  result.stride = ell_stride<ExecutionSpace>(csr.num_rows);
  result.entries = entries;
  allocate_array(exec, "krylite::ell::columns", width * result.stride, result.columns);
  allocate_array(exec, "krylite::ell::values", width * result.stride, result.values);
  fill_ell<Way>(exec, csr, result, csr.columns, result.columns, -1);
  fill_ell<Way>(exec, csr, result, csr.values, result.values, Scalar(0));
  return result;
}

}  // namespace detail

/// ELLPACK of `csr`, on `exec`. The CSR is only read.
/// \throws Error where the padded arrays would exceed the offset type, the fill limit or the memory, before anything
///         is allocated
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
EllMatrix<Scalar, Offset, MemorySpace> to_ell(const ExecutionSpace& exec,
                                              const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                                              const EllOptions& options = {}) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "to_ell: the execution space cannot reach the matrix");
  const std::int64_t width = detail::longest_row(exec, "ELL", csr);
  const std::int64_t stored = width * detail::ell_stride<ExecutionSpace>(csr.num_rows);
  detail::require_storable("ELL", csr, stored, static_cast<std::size_t>(stored) * (sizeof(Index) + sizeof(Scalar)),
                           options.fill_limit);
  constexpr auto way = detail::traversal_of<ExecutionSpace>;
  return detail::make_ell<way>(exec, csr, static_cast<Index>(width), csr.num_entries());
}

/// The CSR that `matrix` was made from: the same entries in the same order.
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
CsrMatrix<Scalar, Offset, MemorySpace> to_csr(const ExecutionSpace& exec,
                                              const EllMatrix<Scalar, Offset, MemorySpace>& matrix) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "to_csr: the execution space cannot reach the matrix");
  constexpr auto way = detail::traversal_of<ExecutionSpace>;
  return detail::rows_to_csr<way>(exec, matrix, detail::ell_layout<ExecutionSpace>(matrix));
}

/// Takes new values from a CSR of the same pattern; the pattern is not looked at again.
/// \throws Error where the sizes differ
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
void update_values(const ExecutionSpace& exec, const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                   const EllMatrix<Scalar, Offset, MemorySpace>& matrix) {
  detail::require_same_pattern_size(csr, matrix);
  detail::fill_ell<detail::traversal_of<ExecutionSpace>>(exec, csr, matrix, csr.values, matrix.values, Scalar(0));
}

}  // namespace krylite

#endif
