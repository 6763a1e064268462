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

/// Entries of the longest row in 64 bits. \throws Error where an Index cannot count them
template <class ExecutionSpace, class Csr>
std::int64_t ell_row_width(const ExecutionSpace& exec, const char* format, const Csr& csr) {
  const std::int64_t longest =
      longest_of(exec, csr.num_rows, RowLength<typename Csr::row_pointers_type>{csr.row_pointers});
  require(longest <= std::numeric_limits<Index>::max(), format, ": a row of ", longest,
          " entries does not fit 32-bit row lengths");
  return longest;
}

/// Columns of the first `width` entries of every row, and -1 where there is none.
template <class ExecutionSpace, class Csr, class Ell>
void fill_ell_columns(const ExecutionSpace& exec, const Csr& csr, const Ell& result) {
  const std::int64_t stride = result.stride;
  const std::int64_t width = result.width;
  const std::int64_t num_rows = result.num_rows;
  const auto columns = result.columns;
  Kokkos::parallel_for(
      "krylite::to_ell::columns", range(exec, stride), KOKKOS_LAMBDA(const std::int64_t row) {
        const std::int64_t begin = row < num_rows ? csr.row_pointers(row) : 0;
        const std::int64_t length = row < num_rows ? csr.row_pointers(row + 1) - begin : 0;
        for (std::int64_t k = 0; k < width; ++k) {
          columns(k * stride + row) = k < length ? csr.columns(begin + k) : -1;
        }
      });
}

/// Values of the first `width` entries of every row, and zeros where there is none.
template <class ExecutionSpace, class Csr, class Ell>
void fill_ell_values(const ExecutionSpace& exec, const Csr& csr, const Ell& result) {
  using Scalar = typename Ell::scalar_type;
  const std::int64_t stride = result.stride;
  const std::int64_t width = result.width;
  const std::int64_t num_rows = result.num_rows;
  const auto values = result.values;
  Kokkos::parallel_for(
      "krylite::to_ell::values", range(exec, stride), KOKKOS_LAMBDA(const std::int64_t row) {
        const std::int64_t begin = row < num_rows ? csr.row_pointers(row) : 0;
        const std::int64_t length = row < num_rows ? csr.row_pointers(row + 1) - begin : 0;
        for (std::int64_t k = 0; k < width; ++k) {
          values(k * stride + row) = k < length ? csr.values(begin + k) : Scalar(0);
        }
      });
}

/// The first `width` entries of every row, `entries` together; sizes have been checked.
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
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
  fill_ell_columns(exec, csr, result);
  fill_ell_values(exec, csr, result);
  return result;
}

/// Entries of a row of a format, as the scan of row pointers sums them.
template <class Matrix>
struct CountedRow {
  Matrix matrix;
  KOKKOS_INLINE_FUNCTION typename Matrix::offset_type operator()(std::int64_t row) const {
    return static_cast<typename Matrix::offset_type>(matrix.row_length(row));
  }
};

/// The CSR of a format that stores rows whole, in the order of CSR, and counts them with `row_length`.
template <class ExecutionSpace, class Matrix>
CsrMatrix<typename Matrix::scalar_type, typename Matrix::offset_type, typename Matrix::memory_space> rows_to_csr(
    const ExecutionSpace& exec, const Matrix& matrix) {
  using Scalar = typename Matrix::scalar_type;
  CsrMatrix<Scalar, typename Matrix::offset_type, typename Matrix::memory_space> csr;
  csr.num_rows = matrix.num_rows;
  csr.num_cols = matrix.num_cols;
  allocate_array(exec, "krylite::csr::row_pointers", std::int64_t(matrix.num_rows) + 1, csr.row_pointers);
  allocate_array(exec, "krylite::csr::columns", matrix.num_entries(), csr.columns);
  allocate_array(exec, "krylite::csr::values", matrix.num_entries(), csr.values);
  prefix_sums(exec, "krylite::to_csr::scan", matrix.num_rows, csr.row_pointers, CountedRow<Matrix>{matrix});
  Kokkos::parallel_for(
      "krylite::to_csr::fill", range(exec, matrix.num_rows), KOKKOS_LAMBDA(const std::int64_t row) {
        std::int64_t target = csr.row_pointers(row);
        matrix.visit(row, row + 1, [&](Index, Index column, const Scalar& value) {
          csr.columns(target) = column;
          csr.values(target++) = value;
        });
      });
  return csr;
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
  const std::int64_t width = detail::ell_row_width(exec, "ELL", csr);
  const std::int64_t stored = width * detail::ell_stride<ExecutionSpace>(csr.num_rows);
  detail::require_storable("ELL", csr, stored, static_cast<std::size_t>(stored) * (sizeof(Index) + sizeof(Scalar)),
                           options.fill_limit);
  return detail::make_ell(exec, csr, static_cast<Index>(width), csr.num_entries());
}

/// The CSR that `matrix` was made from: the same entries in the same order.
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
CsrMatrix<Scalar, Offset, MemorySpace> to_csr(const ExecutionSpace& exec,
                                              const EllMatrix<Scalar, Offset, MemorySpace>& matrix) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "to_csr: the execution space cannot reach the matrix");
  return detail::rows_to_csr(exec, matrix);
}

/// Takes new values from a CSR of the same pattern; the pattern is not looked at again.
/// \throws Error where the sizes differ
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
void update_values(const ExecutionSpace& exec, const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                   const EllMatrix<Scalar, Offset, MemorySpace>& matrix) {
  detail::require_same_pattern_size(csr, matrix);
  detail::fill_ell_values(exec, csr, matrix);
}

}  // namespace krylite

#endif
