#ifndef KRYLITE_FORMATS_CONVERT_HYB_HPP
#define KRYLITE_FORMATS_CONVERT_HYB_HPP

#include <krylite/formats/convert/common.hpp>
#include <krylite/formats/convert/coo.hpp>
#include <krylite/formats/convert/ell.hpp>
#include <krylite/formats/hyb.hpp>

#include <algorithm>

namespace krylite {
namespace detail {

/// Rows of `width` entries or more. Waits, since the host gets a number.
template <class ExecutionSpace, class Csr>
std::int64_t count_rows_of(const ExecutionSpace& exec, const Csr& csr, std::int64_t width) {
  const RowLength<typename Csr::row_pointers_type> length{csr.row_pointers};
  return sum_of(
      exec, csr.num_rows,
      KOKKOS_LAMBDA(const std::int64_t row) { return static_cast<std::int64_t>(length(row) >= width); });
}

/// Largest K such that at least a third of the rows have K entries or more. Three times the mean row length bounds
/// it, so that bisection of the histogram, summed from its end, takes a few passes over the row pointers.
template <class ExecutionSpace, class Csr>
Index choose_ell_width(const ExecutionSpace& exec, const Csr& csr) {
  if (csr.num_rows == 0) return 0;
  std::int64_t low = 0;  // all rows have 0 entries or more
  std::int64_t high = std::min<std::int64_t>(std::numeric_limits<Index>::max(), 3 * csr.num_entries() / csr.num_rows);
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (3 * count_rows_of(exec, csr, middle) >= csr.num_rows) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return static_cast<Index>(low);
}

/// Entries of all rows from position `width` on. Waits, since the host gets a number.
template <class ExecutionSpace, class Csr>
std::int64_t count_rest(const ExecutionSpace& exec, const Csr& csr, Index width) {
  return sum_of(exec, csr.num_rows, RowRest<typename Csr::row_pointers_type>{{csr.row_pointers}, width});
}

/// Row pointers of CSR from the two parts.
template <class ExecutionSpace, class Hyb, class Begins>
void fill_row_pointers(const ExecutionSpace& exec, const Hyb& matrix, const Begins& row_pointers) {
  using Offset = typename Begins::non_const_value_type;
  const auto ell = matrix.ell;
  const auto coo = matrix.coo;
  prefix_sums(exec, "krylite::to_csr::scan", ell.num_rows, row_pointers, CountedRow<decltype(matrix.ell)>{ell});
  Kokkos::parallel_for(
      "krylite::to_csr::row_pointers", range(exec, std::int64_t(ell.num_rows) + 1),
      KOKKOS_LAMBDA(const std::int64_t row) { row_pointers(row) += static_cast<Offset>(coo.row_begin(row)); });
}

template <Traversal Way, class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
HybMatrix<Scalar, Offset, MemorySpace> make_hyb(const ExecutionSpace& exec,
                                                const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                                                const HybOptions& options) {
  const Index width = options.ell_width ? *options.ell_width : choose_ell_width(exec, csr);
  require(width >= 0, "hybrid: the width of the ELL part must be at least 0, not ", width);
  const std::int64_t padded = width * ell_stride<ExecutionSpace>(csr.num_rows);
  const std::int64_t rest = count_rest(exec, csr, width);
  const std::size_t bytes = static_cast<std::size_t>(padded) * (sizeof(Index) + sizeof(Scalar)) +
                            static_cast<std::size_t>(rest) * (2 * sizeof(Index) + sizeof(Scalar));
  require_storable("hybrid", csr, padded + rest, bytes, options.fill_limit);

  HybMatrix<Scalar, Offset, MemorySpace> result;
  result.num_rows = csr.num_rows;
  result.num_cols = csr.num_cols;
  result.ell = make_ell<Way>(exec, csr, width, csr.num_entries() - rest);
  result.coo = make_coo<Way>(exec, csr, width, rest_pointers(exec, csr, width), rest);
  return result;
}

/// Columns and values, a thread a row, to a CSR that has its row pointers.
template <class ExecutionSpace, class Matrix, class Csr>
void return_parts_by_rows(const ExecutionSpace& exec, const Matrix& matrix, const Csr& csr) {
  using Scalar = typename Matrix::scalar_type;
  const auto ell = matrix.ell;
  const auto coo = matrix.coo;
  Kokkos::parallel_for(
      "krylite::to_csr::fill", range(exec, matrix.num_rows), KOKKOS_LAMBDA(const std::int64_t row) {
        std::int64_t target = csr.row_pointers(row);
        const auto append = [&](Index, Index column, const Scalar& value) {
          csr.columns(target) = column;
          csr.values(target++) = value;
        };
        ell.visit(row, row + 1, append);
        // What of the row's entries the ELL part does not hold is the COO part's.
        const std::int64_t rest = csr.row_pointers(row + 1) - target;
        if (rest == 0) return;
        const std::int64_t begin = coo.row_begin(row);
        coo.visit(begin, begin + rest, append);
      });
}

/// The same by teams: the ELL part in tiles, the COO part an entry a thread.
template <class ExecutionSpace, class Matrix, class Csr>
void return_parts_by_teams(const ExecutionSpace& exec, const Matrix& matrix, const Csr& csr) {
  const auto ell = matrix.ell;
  const auto coo = matrix.coo;
  const Index width = ell.width;
  return_tiles(exec, ell, ell_layout<ExecutionSpace>(ell), width, csr);
  const auto begins = rest_pointers(exec, csr, width);
  Kokkos::parallel_for(
      "krylite::to_csr::rest", range(exec, coo.num_entries()), KOKKOS_LAMBDA(const std::int64_t k) {
        const Index row = coo.rows(k);
        const std::int64_t target = static_cast<std::int64_t>(csr.row_pointers(row)) + width + (k - begins(row));
        csr.columns(target) = coo.columns(k);
        csr.values(target) = coo.values(k);
      });
}

template <Traversal Way, class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
CsrMatrix<Scalar, Offset, MemorySpace> hyb_to_csr(const ExecutionSpace& exec,
                                                  const HybMatrix<Scalar, Offset, MemorySpace>& matrix) {
  using Csr = CsrMatrix<Scalar, Offset, MemorySpace>;
  const Csr csr = allocate_csr<Csr>(exec, matrix.num_rows, matrix.num_cols, matrix.num_entries());
  fill_row_pointers(exec, matrix, csr.row_pointers);
  if constexpr (Way == Traversal::teams) {
    return_parts_by_teams(exec, matrix, csr);
  } else {
    return_parts_by_rows(exec, matrix, csr);
  }
  return csr;
}

}  // namespace detail

/// Hybrid of `csr`, on `exec`. The CSR is only read.
/// \throws Error where the width asked for is negative, or the arrays would exceed the offset type, the fill limit or
///         the memory, before anything is allocated
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
HybMatrix<Scalar, Offset, MemorySpace> to_hyb(const ExecutionSpace& exec,
                                              const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                                              const HybOptions& options = {}) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "to_hyb: the execution space cannot reach the matrix");
  return detail::make_hyb<detail::traversal_of<ExecutionSpace>>(exec, csr, options);
}

/// The CSR that `matrix` was made from: the same entries in the same order.
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
CsrMatrix<Scalar, Offset, MemorySpace> to_csr(const ExecutionSpace& exec,
                                              const HybMatrix<Scalar, Offset, MemorySpace>& matrix) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "to_csr: the execution space cannot reach the matrix");
  return detail::hyb_to_csr<detail::traversal_of<ExecutionSpace>>(exec, matrix);
}

/// Takes new values from a CSR of the same pattern; the pattern is not looked at again.
/// \throws Error where the sizes differ
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
void update_values(const ExecutionSpace& exec, const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                   const HybMatrix<Scalar, Offset, MemorySpace>& matrix) {
  detail::require_same_pattern_size(csr, matrix);
  const Index width = matrix.ell.width;
  constexpr auto way = detail::traversal_of<ExecutionSpace>;
  detail::fill_ell<way>(exec, csr, matrix.ell, csr.values, matrix.ell.values, Scalar(0));
  detail::fill_coo_values<way>(exec, csr, width, detail::rest_pointers(exec, csr, width), matrix.coo);
}

}  // namespace krylite

#endif
