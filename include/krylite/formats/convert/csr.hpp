#ifndef KRYLITE_FORMATS_CONVERT_CSR_HPP
#define KRYLITE_FORMATS_CONVERT_CSR_HPP

/// \file
/// CSR in other types, in other memory, and as Kokkos Kernels has it.

#include <krylite/core/half.hpp>
#include <krylite/formats/convert/common.hpp>

#include <KokkosSparse_CrsMatrix.hpp>

#include <type_traits>

namespace krylite {
namespace detail {

/// A copy with the values of another integer type.
template <class To, class ExecutionSpace, class From>
To converted_offsets(const ExecutionSpace& exec, const From& from) {
  using Offset = typename To::non_const_value_type;
  const auto to = allocate<To>(exec, "krylite::csr::row_pointers", from.extent(0));
  Kokkos::parallel_for(
      "krylite::convert_types::offsets", range(exec, from.extent(0)),
      KOKKOS_LAMBDA(const std::int64_t i) { to(i) = static_cast<Offset>(from(i)); });
  return to;
}

/// A copy with the values of another floating point type. \throws Error where a finite value becomes infinite
template <class To, class ExecutionSpace, class From>
To converted_values(const ExecutionSpace& exec, const From& from) {
  using Scalar = typename To::non_const_value_type;
  const auto to = allocate<To>(exec, "krylite::csr::values", from.extent(0));
  std::int64_t lost = 0;
  Kokkos::parallel_reduce(
      "krylite::convert_types::values", range(exec, from.extent(0)),
      KOKKOS_LAMBDA(const std::int64_t i, std::int64_t& sum) {
        to(i) = static_cast<Scalar>(from(i));
        sum += isfinite(static_cast<double>(from(i))) && !isfinite(static_cast<double>(to(i))) ? 1 : 0;
      },
      lost);
  require(lost == 0, "CSR: ", lost, " values are too large for ", 8 * sizeof(Scalar), "-bit floating point");
  return to;
}

}  // namespace detail

/// A copy of `csr` with its values and offsets in other types; the columns are shared, and so is whatever keeps
/// its type.
/// \throws Error where the entries do not fit `ToOffset`, or a finite value does not fit `ToScalar`
template <class ToScalar, class ToOffset, class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
CsrMatrix<ToScalar, ToOffset, MemorySpace> convert_types(const ExecutionSpace& exec,
                                                         const CsrMatrix<Scalar, Offset, MemorySpace>& csr) {
  using Csr = CsrMatrix<ToScalar, ToOffset, MemorySpace>;
  detail::require(csr.num_entries() <= static_cast<std::int64_t>(std::numeric_limits<ToOffset>::max()), "CSR: ",
                  csr.num_entries(), " entries do not fit ", 8 * sizeof(ToOffset), "-bit offsets");
  typename Csr::row_pointers_type row_pointers;
  if constexpr (std::is_same_v<ToOffset, Offset>) {
    row_pointers = csr.row_pointers;
  } else {
    row_pointers = detail::converted_offsets<typename Csr::row_pointers_type>(exec, csr.row_pointers);
  }
  typename Csr::values_type values;
  if constexpr (std::is_same_v<ToScalar, Scalar>) {
    values = csr.values;
  } else {
    values = detail::converted_values<typename Csr::values_type>(exec, csr.values);
  }
  return Csr(csr.num_rows, csr.num_cols, row_pointers, csr.columns, values);
}

/// A copy of `csr` in the memory of another space; shared where that is the same space.
template <class ToMemorySpace, class Scalar, class Offset, class MemorySpace>
CsrMatrix<Scalar, Offset, ToMemorySpace> copy_to(const CsrMatrix<Scalar, Offset, MemorySpace>& csr) {
  const ToMemorySpace space{};
  using Csr = CsrMatrix<Scalar, Offset, ToMemorySpace>;
  return Csr(csr.num_rows, csr.num_cols,
             typename Csr::row_pointers_type(Kokkos::create_mirror_view_and_copy(space, csr.row_pointers)),
             typename Csr::columns_type(Kokkos::create_mirror_view_and_copy(space, csr.columns)),
             typename Csr::values_type(Kokkos::create_mirror_view_and_copy(space, csr.values)));
}

/// The same matrix as Kokkos Kernels sees it, without a copy.
template <class Scalar, class Offset, class MemorySpace>
auto to_crs_matrix(const CsrMatrix<Scalar, Offset, MemorySpace>& csr) {
  using Device = typename CsrMatrix<Scalar, Offset, MemorySpace>::values_type::device_type;
  using Crs = KokkosSparse::CrsMatrix<Scalar, Index, Device, void, Offset>;
  return Crs("krylite::csr", csr.num_rows, csr.num_cols, static_cast<Offset>(csr.num_entries()), csr.values,
             csr.row_pointers, csr.columns);
}

/// A Kokkos Kernels matrix with 32-bit columns as a CsrMatrix. Columns and values are shared, and the row
/// pointers, which Kokkos Kernels keeps const, are copied.
template <class Scalar, class Device, class MemoryTraits, class Offset>
CsrMatrix<Scalar, Offset, typename Device::memory_space> from_crs_matrix(
    const KokkosSparse::CrsMatrix<Scalar, Index, Device, MemoryTraits, Offset>& crs) {
  using Csr = CsrMatrix<Scalar, Offset, typename Device::memory_space>;
  const auto pointers = crs.graph.row_map;
  typename Csr::row_pointers_type row_pointers(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "krylite::csr::row_pointers"), pointers.extent(0));
  Kokkos::deep_copy(row_pointers, pointers);
  return Csr(crs.numRows(), crs.numCols(), row_pointers, crs.graph.entries, crs.values);
}

}  // namespace krylite

#endif
