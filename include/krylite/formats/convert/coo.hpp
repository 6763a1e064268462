#ifndef KRYLITE_FORMATS_CONVERT_COO_HPP
#define KRYLITE_FORMATS_CONVERT_COO_HPP

#include <krylite/formats/convert/common.hpp>
#include <krylite/formats/coo.hpp>

namespace krylite {
namespace detail {

/// Entries of a row from position `width` on.
template <class RowPointers>
struct RowRest {
  RowLength<RowPointers> length;
  std::int64_t width;
  KOKKOS_INLINE_FUNCTION typename RowPointers::non_const_value_type operator()(std::int64_t row) const {
    const std::int64_t rest = length(row) - width;
    return static_cast<typename RowPointers::non_const_value_type>(rest > 0 ? rest : 0);
  }
};

/// Where the entries of each row from position `width` on begin among those of all rows, and how many there are;
/// the row pointers themselves where `width` is 0.
template <class ExecutionSpace, class Csr>
auto rest_pointers(const ExecutionSpace& exec, const Csr& csr, Index width) {
  auto pointers = csr.row_pointers;
  if (width == 0) return pointers;
  allocate_array(exec, "krylite::coo::row_pointers", std::int64_t(csr.num_rows) + 1, pointers);
  prefix_sums(exec, "krylite::to_coo::scan", csr.num_rows, pointers,
              RowRest<decltype(pointers)>{{csr.row_pointers}, width});
  return pointers;
}

template <class ExecutionSpace, class Csr, class Values>
void fill_coo_values_by_rows(const ExecutionSpace& exec, const Csr& csr, Index width,
                             const typename Csr::row_pointers_type& begins, const Values& values) {
  Kokkos::parallel_for(
      "krylite::to_coo::values", range(exec, csr.num_rows), KOKKOS_LAMBDA(const std::int64_t row) {
        std::int64_t source = static_cast<std::int64_t>(csr.row_pointers(row)) + width;
        for (std::int64_t k = begins(row); k < begins(row + 1); ++k) values(k) = csr.values(source++);
      });
}

template <class ExecutionSpace, class Csr, class Coo>
void fill_coo_pattern_by_rows(const ExecutionSpace& exec, const Csr& csr, Index width,
                              const typename Csr::row_pointers_type& begins, const Coo& result) {
  const auto rows = result.rows;
  const auto columns = result.columns;
  Kokkos::parallel_for(
      "krylite::to_coo::columns", range(exec, csr.num_rows), KOKKOS_LAMBDA(const std::int64_t row) {
        std::int64_t source = static_cast<std::int64_t>(csr.row_pointers(row)) + width;
        for (std::int64_t k = begins(row); k < begins(row + 1); ++k) {
          rows(k) = static_cast<Index>(row);
          columns(k) = csr.columns(source++);
        }
      });
}

/// The row of every entry, by search among the few rows that the entries of a team are of.
template <class ExecutionSpace, class Begins, class Rows>
void find_rows(const ExecutionSpace& exec, Index num_rows, const Begins& begins, const Rows& rows) {
  constexpr int most = 1024;  // entries of a team
  const auto entries = static_cast<std::int64_t>(rows.extent(0));
  if (entries == 0) return;
  Kokkos::parallel_for(
      "krylite::to_coo::rows", teams(exec, (entries + most - 1) / most, 32, 0),
      KOKKOS_LAMBDA(const TeamMember<ExecutionSpace>& team) {
        const std::int64_t first = std::int64_t(team.league_rank()) * most;
        const int count = entries - first < most ? static_cast<int>(entries - first) : most;
        const Index low = last_not_behind(begins, 0, num_rows, first);
        const Index high = last_not_behind(begins, low, num_rows, first + count - 1);
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), [&](const int k) {
          rows(first + k) = last_not_behind(begins, low, high, first + k);
        });
      });
}

/// An array of CSR, columns or values, of the entries from position `width` on, an entry a thread.
template <class ExecutionSpace, class Csr, class Array>
void copy_rest(const ExecutionSpace& exec, const Csr& csr, Index width,
               const typename Csr::row_pointers_type& begins, const typename Csr::columns_type& rows,
               const Array& from, const Array& to) {
  if (width == 0) return Kokkos::deep_copy(exec, to, from);
  Kokkos::parallel_for(
      "krylite::to_coo::rest", range(exec, to.extent(0)), KOKKOS_LAMBDA(const std::int64_t k) {
        const Index row = rows(k);
        to(k) = from(static_cast<std::int64_t>(csr.row_pointers(row)) + width + (k - begins(row)));
      });
}

/// Values of the entries from position `width` on. \param begins as `rest_pointers` gives them
template <Traversal Way, class ExecutionSpace, class Csr, class Coo>
void fill_coo_values(const ExecutionSpace& exec, const Csr& csr, Index width,
                     const typename Csr::row_pointers_type& begins, const Coo& result) {
  const auto values = result.values;
  if constexpr (Way == Traversal::teams) {
    copy_rest(exec, csr, width, begins, result.rows, csr.values, values);
  } else {
    fill_coo_values_by_rows(exec, csr, width, begins, values);
  }
}

/// The entries of every row from position `width` on, `entries` together.
template <Traversal Way, class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
CooMatrix<Scalar, Offset, MemorySpace> make_coo(const ExecutionSpace& exec,
                                                const CsrMatrix<Scalar, Offset, MemorySpace>& csr, Index width,
                                                const Kokkos::View<Offset*, MemorySpace>& begins,
                                                std::int64_t entries) {
  CooMatrix<Scalar, Offset, MemorySpace> result;
  result.num_rows = csr.num_rows;
  result.num_cols = csr.num_cols;
  allocate_array(exec, "krylite::coo::rows", entries, result.rows);
  allocate_array(exec, "krylite::coo::columns", entries, result.columns);
  allocate_array(exec, "krylite::coo::values", entries, result.values);
  if constexpr (Way == Traversal::teams) {
    find_rows(exec, csr.num_rows, begins, result.rows);
    copy_rest(exec, csr, width, begins, result.rows, csr.columns, result.columns);
  } else {
    fill_coo_pattern_by_rows(exec, csr, width, begins, result);
  }
  fill_coo_values<Way>(exec, csr, width, begins, result);
  return result;
}

}  // namespace detail

/// COO of `csr`, on `exec`. The CSR is only read, and nothing is shared with it.
/// \throws Error where the arrays would exceed the memory, before anything is allocated
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
CooMatrix<Scalar, Offset, MemorySpace> to_coo(const ExecutionSpace& exec,
                                              const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                                              const CooOptions& = {}) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "to_coo: the execution space cannot reach the matrix");
  const std::int64_t entries = csr.num_entries();
  detail::require_storable("COO", csr, entries,
                           static_cast<std::size_t>(entries) * (2 * sizeof(Index) + sizeof(Scalar)), 0.0);
  return detail::make_coo<detail::traversal_of<ExecutionSpace>>(exec, csr, 0, csr.row_pointers, entries);
}

/// The CSR that `matrix` was made from: the same entries in the same order, in arrays of its own.
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
CsrMatrix<Scalar, Offset, MemorySpace> to_csr(const ExecutionSpace& exec,
                                              const CooMatrix<Scalar, Offset, MemorySpace>& matrix) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "to_csr: the execution space cannot reach the matrix");
  using Csr = CsrMatrix<Scalar, Offset, MemorySpace>;
  const Csr csr = detail::allocate_csr<Csr>(exec, matrix.num_rows, matrix.num_cols, matrix.num_entries());
  const auto row_pointers = csr.row_pointers;
  Kokkos::parallel_for(
      "krylite::to_csr::row_pointers", detail::range(exec, std::int64_t(matrix.num_rows) + 1),
      KOKKOS_LAMBDA(const std::int64_t row) { row_pointers(row) = static_cast<Offset>(matrix.row_begin(row)); });
  Kokkos::deep_copy(exec, csr.columns, matrix.columns);
  Kokkos::deep_copy(exec, csr.values, matrix.values);
  return csr;
}

/// Takes new values from a CSR of the same pattern; the pattern is not looked at again.
/// \throws Error where the sizes differ
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
void update_values(const ExecutionSpace& exec, const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                   const CooMatrix<Scalar, Offset, MemorySpace>& matrix) {
  detail::require_same_pattern_size(csr, matrix);
  Kokkos::deep_copy(exec, matrix.values, csr.values);
}

}  // namespace krylite

#endif
