#ifndef KRYLITE_FORMATS_CONVERT_HPP
#define KRYLITE_FORMATS_CONVERT_HPP

/// \file
/// Conversions between CSR and the other formats, all on the execution space given (counts, a scan, a fill).
/// Every format goes back to CSR exactly: each stored entry, explicit zeros included, in its order.

#include <krylite/core/error.hpp>
#include <krylite/core/memory.hpp>
#include <krylite/formats/csr.hpp>
#include <krylite/formats/rgcsr.hpp>

#include <KokkosSparse_CrsMatrix.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace krylite {
namespace detail {

/// Entries of the longest row of each group.
template <class ExecutionSpace, class Csr>
Kokkos::View<Index*, typename Csr::memory_space> longest_rows(const ExecutionSpace& exec, const Csr& csr,
                                                              Index group_size, Index num_groups) {
  using Longest = Kokkos::View<Index*, typename Csr::memory_space>;
  auto longest = allocate<Longest>(exec, "krylite::rgcsr::longest_rows", num_groups);
  const auto row_pointers = csr.row_pointers;
  const std::int64_t num_rows = csr.num_rows;
  Kokkos::parallel_for(
      "krylite::to_rgcsr::longest_rows", range(exec, num_groups), KOKKOS_LAMBDA(const std::int64_t group) {
        const std::int64_t begin = group * group_size;
        const std::int64_t end = begin + group_size < num_rows ? begin + group_size : num_rows;
        Index maximum = 0;
        for (std::int64_t row = begin; row < end; ++row) {
          const auto length = static_cast<Index>(row_pointers(row + 1) - row_pointers(row));
          maximum = length > maximum ? length : maximum;
        }
        longest(group) = maximum;
      });
  return longest;
}

/// Length of the longest row and the padded size of all groups, both in 64 bits.
template <class ExecutionSpace, class Csr>
void measure_groups(const ExecutionSpace& exec, const Csr& csr,
                    const Kokkos::View<Index*, typename Csr::memory_space>& longest, Index group_size,
                    std::int64_t& longest_row, std::int64_t& stored) {
  const auto row_pointers = csr.row_pointers;
  // The reductions give a host scalar, so they wait.
  Kokkos::parallel_reduce(
      "krylite::to_rgcsr::longest_row", range(exec, csr.num_rows),
      KOKKOS_LAMBDA(const std::int64_t row, std::int64_t& maximum) {
        const auto length = static_cast<std::int64_t>(row_pointers(row + 1) - row_pointers(row));
        maximum = length > maximum ? length : maximum;
      },
      Kokkos::Max<std::int64_t>(longest_row));
  Kokkos::parallel_reduce(
      "krylite::to_rgcsr::stored_entries", range(exec, longest.extent(0)),
      KOKKOS_LAMBDA(const std::int64_t group, std::int64_t& sum) {
        sum += static_cast<std::int64_t>(longest(group)) * group_size;
      },
      stored);
}

/// Refuses a padded size that does not fit the offset type, the stated fill limit or the machine's memory.
template <class Csr>
void require_reasonable_fill(const Csr& csr, std::int64_t longest_row, std::int64_t stored, double fill_limit) {
  using Offset = typename Csr::offset_type;
  const std::int64_t entries = csr.num_entries();
  const auto shape = [&] {
    return std::to_string(csr.num_rows) + " x " + std::to_string(csr.num_cols) + " with " +
           std::to_string(entries) + " entries would store " + std::to_string(stored);
  };
  require(longest_row <= std::numeric_limits<Index>::max(), "RgCSR: a row of ", longest_row,
          " entries does not fit 32-bit row lengths");
  require(stored <= static_cast<std::int64_t>(std::numeric_limits<Offset>::max()), "RgCSR: ", shape(),
          ", which does not fit ", 8 * sizeof(Offset), "-bit offsets");
  const bool small = stored <= (std::int64_t(1) << 20);
  require(small || static_cast<double>(stored - entries) <= fill_limit * static_cast<double>(entries), "RgCSR: ",
          shape(), ", beyond the fill limit of ", fill_limit, " artificial zeros an entry");
  require_memory<typename Csr::memory_space>(
      static_cast<std::size_t>(stored) * (sizeof(Index) + sizeof(typename Csr::scalar_type)), "RgCSR arrays");
}

/// Copies the rows of `csr` into the groups of `result` and fills what shorter rows lack.
template <class ExecutionSpace, class Csr, class RgCsr>
void fill_groups(const ExecutionSpace& exec, const Csr& csr, const RgCsr& result) {
  const std::int64_t group_size = result.group_size;
  const std::int64_t num_rows = csr.num_rows;
  Kokkos::parallel_for(
      "krylite::to_rgcsr::fill", range(exec, result.num_groups() * group_size),
      KOKKOS_LAMBDA(const std::int64_t row) {
        const auto begin = result.group_pointers(row / group_size);
        const std::int64_t width = (result.group_pointers(row / group_size + 1) - begin) / group_size;
        const std::int64_t first = row < num_rows ? csr.row_pointers(row) : 0;
        const std::int64_t length = row < num_rows ? csr.row_pointers(row + 1) - first : 0;
        if (row < num_rows) result.row_lengths(row) = static_cast<Index>(length);
        const Index filler = length > 0 ? csr.columns(first + length - 1) : 0;
        for (std::int64_t k = 0; k < width; ++k) {
          const std::int64_t target = begin + k * group_size + row % group_size;
          result.columns(target) = k < length ? csr.columns(first + k) : filler;
          result.values(target) = k < length ? csr.values(first + k) : typename RgCsr::scalar_type(0);
        }
      });
}

/// out[0] = 0, out[i + 1] = out[i] + count(i) for 0 <= i < size. `out` has size + 1 entries.
template <class ExecutionSpace, class Out, class Count>
void prefix_sums(const ExecutionSpace& exec, const char* label, std::int64_t size, const Out& out,
                 const Count& count) {
  using Offset = typename Out::non_const_value_type;
  Kokkos::parallel_scan(
      label, range(exec, size + 1), KOKKOS_LAMBDA(const std::int64_t i, Offset& sum, const bool final) {
        if (final) out(i) = sum;
        if (i < size) sum += count(i);
      });
}

/// Counts as the scan sums them: counts(i) * factor in the type of the offsets.
template <class Counts, class Offset>
struct ScaledCount {
  Counts counts;
  Offset factor;
  KOKKOS_INLINE_FUNCTION Offset operator()(std::int64_t i) const { return static_cast<Offset>(counts(i)) * factor; }
};

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
        sum += isfinite(from(i)) && !isfinite(to(i)) ? 1 : 0;
      },
      lost);
  require(lost == 0, "CSR: ", lost, " values are too large for ", 8 * sizeof(Scalar), "-bit floating point");
  return to;
}

}  // namespace detail

/// RgCSR of `csr`, on `exec`. The CSR is only read.
/// \throws Error where the group size is not a power of two from 1 to 256, or the padded arrays would exceed the
///         offset type, the fill limit or the memory; neither columns nor values are allocated then.
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
RgCsrMatrix<Scalar, Offset, MemorySpace> to_rgcsr(const ExecutionSpace& exec,
                                                  const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                                                  const RgCsrOptions& options = {}) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "to_rgcsr: the execution space cannot reach the matrix");
  const Index group_size =
      options.group_size == 0 ? default_rgcsr_group_size<ExecutionSpace>() : options.group_size;
  detail::require(group_size >= 1 && group_size <= 256 && (group_size & (group_size - 1)) == 0,
                  "RgCSR: the group size must be a power of two from 1 to 256, not ", group_size);

  RgCsrMatrix<Scalar, Offset, MemorySpace> result;
  result.num_rows = csr.num_rows;
  result.num_cols = csr.num_cols;
  result.group_size = group_size;
  result.entries = csr.num_entries();
  const Index num_groups = result.num_groups();

  const auto longest = detail::longest_rows(exec, csr, group_size, num_groups);
  std::int64_t longest_row = 0;
  std::int64_t stored = 0;
  detail::measure_groups(exec, csr, longest, group_size, longest_row, stored);
  detail::require_reasonable_fill(csr, longest_row, stored, options.fill_limit);

  using RgCsr = decltype(result);
  result.group_pointers = detail::allocate<decltype(RgCsr::group_pointers)>(
      exec, "krylite::rgcsr::group_pointers", static_cast<std::size_t>(num_groups) + 1);
  result.row_lengths =
      detail::allocate<decltype(RgCsr::row_lengths)>(exec, "krylite::rgcsr::row_lengths", csr.num_rows);
  result.columns = detail::allocate<decltype(RgCsr::columns)>(exec, "krylite::rgcsr::columns", stored);
  result.values = detail::allocate<decltype(RgCsr::values)>(exec, "krylite::rgcsr::values", stored);
  detail::prefix_sums(exec, "krylite::to_rgcsr::scan", num_groups, result.group_pointers,
                      detail::ScaledCount<decltype(longest), Offset>{longest, static_cast<Offset>(group_size)});
  detail::fill_groups(exec, csr, result);
  return result;
}

/// The CSR that `matrix` was made from: the same entries in the same order.
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
CsrMatrix<Scalar, Offset, MemorySpace> to_csr(const ExecutionSpace& exec,
                                              const RgCsrMatrix<Scalar, Offset, MemorySpace>& matrix) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "to_csr: the execution space cannot reach the matrix");
  using Csr = CsrMatrix<Scalar, Offset, MemorySpace>;
  auto row_pointers = detail::allocate<typename Csr::row_pointers_type>(
      exec, "krylite::csr::row_pointers", static_cast<std::size_t>(matrix.num_rows) + 1);
  auto columns = detail::allocate<typename Csr::columns_type>(exec, "krylite::csr::columns", matrix.entries);
  auto values = detail::allocate<typename Csr::values_type>(exec, "krylite::csr::values", matrix.entries);
  detail::prefix_sums(exec, "krylite::to_csr::scan", matrix.num_rows, row_pointers,
                      detail::ScaledCount<decltype(matrix.row_lengths), Offset>{matrix.row_lengths, Offset(1)});
  const std::int64_t group_size = matrix.group_size;
  Kokkos::parallel_for(
      "krylite::to_csr::fill", detail::range(exec, matrix.num_rows), KOKKOS_LAMBDA(const std::int64_t row) {
        const std::int64_t source = matrix.group_pointers(row / group_size) + row % group_size;
        const std::int64_t target = row_pointers(row);
        for (std::int64_t k = 0; k < matrix.row_lengths(row); ++k) {
          columns(target + k) = matrix.columns(source + k * group_size);
          values(target + k) = matrix.values(source + k * group_size);
        }
      });
  return Csr(matrix.num_rows, matrix.num_cols, row_pointers, columns, values);
}

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
