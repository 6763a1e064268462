#ifndef KRYLITE_FORMATS_ASSEMBLE_HPP
#define KRYLITE_FORMATS_ASSEMBLE_HPP

/// \file
/// Coordinates in any order to CSR: a(i, j) = sum of values[k] over all k with rows[k] = i, columns[k] = j.
///
///     rows     1 0 1 0 1          row_pointers  0 2 4
///     columns  2 1 0 0 2    ->    columns       0 1 0 2
///     values   5 2 3 1 4          values        1 2 3 9
///
/// Steps: count the entries of each row, scan, scatter (column, input position) into the rows, sort each row,
/// add up duplicates. Duplicates are added in double and in the order of the input, which makes the result
/// the same bit for bit for any number of threads, although the scatter itself is not deterministic. Input
/// that is sorted by row and column and has no duplicates is recognised and only copied.
/// Cost: O(nnz + sum over rows of nnz_i log nnz_i) operations; sorted input reads and writes each entry
/// twice. Memory beside the result: 8 bytes an entry (16 from 2^32 entries), none for sorted input. Source:
/// the counting sort by rows of any textbook; nothing beyond it.

#include <cstdint>
#include <krylite/core/algorithms.hpp>
#include <krylite/core/error.hpp>
#include <krylite/core/memory.hpp>
#include <krylite/formats/csr.hpp>
#include <limits>
#include <type_traits>

namespace krylite {
namespace detail {

/// The arguments of `assemble_csr` but for the execution space.
template <class MemorySpace>
struct Triplets {
  Index num_rows;
  Index num_cols;
  Kokkos::View<const Index*, MemorySpace> rows;
  Kokkos::View<const Index*, MemorySpace> columns;
  Kokkos::View<const double*, MemorySpace> values;

  std::int64_t size() const { return static_cast<std::int64_t>(rows.extent(0)); }
};

/// An entry in its row: the sort key, unique by the position.
template <class Position>
struct RowSlot {
  Index column;
  Position position;  ///< in the input

  KOKKOS_INLINE_FUNCTION bool operator<(const RowSlot& other) const {
    return column < other.column || (column == other.column && position < other.position);
  }
};

template <class Slot>
KOKKOS_INLINE_FUNCTION void insertion_sort(Slot* slots, std::int64_t count) {
  for (std::int64_t i = 1; i < count; ++i) {
    const Slot slot = slots[i];
    std::int64_t hole = i;
    for (; hole > 0 && slot < slots[hole - 1]; --hole) slots[hole] = slots[hole - 1];
    slots[hole] = slot;
  }
}

/// Sorts the slots of one row, fast where they are sorted already, as from files written column by column.
template <class Slot>
KOKKOS_INLINE_FUNCTION void sort_row(Slot* slots, std::int64_t count) {
  std::int64_t sorted = 1;
  while (sorted < count && slots[sorted - 1] < slots[sorted]) ++sorted;
  if (sorted >= count) return;
  constexpr std::int64_t insertion_is_faster = 32;
  if (count <= insertion_is_faster) {
    insertion_sort(slots, count);
  } else {
    heap_sort(slots, count, [](const Slot& a, const Slot& b) { return a < b; });
  }
}

/// The least magnitude of a double that becomes infinite in `Scalar`: halfway between the largest float and
/// the next power of two, where rounding to even goes up.
template <class Scalar>
constexpr double overflow_magnitude() {
  static_assert(std::is_same_v<Scalar, double> || std::is_same_v<Scalar, float>, "float or double");
  return std::is_same_v<Scalar, float> ? 0x1.ffffffp127 : std::numeric_limits<double>::infinity();
}

template <class ExecutionSpace, class MemorySpace>
[[noreturn]] void fail_entry(const ExecutionSpace& exec, const Triplets<MemorySpace>& in, std::int64_t position) {
  const Index row = element(exec, in.rows, position);
  const Index column = element(exec, in.columns, position);
  require(row >= 0 && row < in.num_rows && column >= 0 && column < in.num_cols, "entry ", position,
          " at row ", row, ", column ", column, " (counted from 0) is outside the ", in.num_rows, " x ",
          in.num_cols, " matrix");
  fail("entry ", position, " at row ", row, ", column ", column, " (counted from 0) or the sum of its",
       " duplicates overflows: its value ", element(exec, in.values, position));
}

/// Refuses indices outside the matrix and finite values that are infinite as `Scalar`. Waits for the result.
template <class Scalar, class ExecutionSpace, class MemorySpace>
void check_triplets(const ExecutionSpace& exec, const Triplets<MemorySpace>& in) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  constexpr double limit = overflow_magnitude<Scalar>();
  std::int64_t first = none;
  Kokkos::parallel_reduce(
      "krylite::assemble::check", range(exec, in.size()),
      KOKKOS_LAMBDA(const std::int64_t k, std::int64_t& worst) {
        const bool inside =
            in.rows(k) >= 0 && in.rows(k) < in.num_rows && in.columns(k) >= 0 && in.columns(k) < in.num_cols;
        const double value = in.values(k);
        const bool fits = fabs(value) < limit || !isfinite(value);
        if (!(inside && fits) && k < worst) worst = k;
      },
      Kokkos::Min<std::int64_t>(first));
  if (first != none) fail_entry(exec, in, first);
}

/// True where each entry comes after the one before it by (row, column). Waits for the result.
template <class ExecutionSpace, class MemorySpace>
bool strictly_sorted(const ExecutionSpace& exec, const Triplets<MemorySpace>& in) {
  std::int64_t descents = 0;
  Kokkos::parallel_reduce(
      "krylite::assemble::strictly_sorted", range(exec, in.size()),
      KOKKOS_LAMBDA(const std::int64_t k, std::int64_t& sum) {
        if (k == 0) return;
        const Index row = in.rows(k);
        const Index previous = in.rows(k - 1);
        if (row < previous || (row == previous && in.columns(k) <= in.columns(k - 1))) ++sum;
      },
      descents);
  return descents == 0;
}

/// CSR of strictly sorted entries: they are in their places already.
template <class Scalar, class Offset, class ExecutionSpace, class MemorySpace>
CsrMatrix<Scalar, Offset, MemorySpace> assemble_sorted(const ExecutionSpace& exec,
                                                       const Triplets<MemorySpace>& in) {
  using Matrix = CsrMatrix<Scalar, Offset, MemorySpace>;
  const auto pointers = allocate<typename Matrix::row_pointers_type>(
      exec, "krylite::csr::row_pointers", static_cast<std::size_t>(in.num_rows) + 1);
  const auto columns =
      allocate<typename Matrix::columns_type>(exec, "krylite::csr::columns", in.rows.extent(0));
  const auto values = allocate<typename Matrix::values_type>(exec, "krylite::csr::values", in.rows.extent(0));
  Kokkos::parallel_for(
      "krylite::assemble::find_rows", range(exec, std::int64_t{in.num_rows} + 1),
      KOKKOS_LAMBDA(const std::int64_t row) {
        pointers(row) = static_cast<Offset>(lower_bound_row(in.rows, row));
      });
  Kokkos::parallel_for(
      "krylite::assemble::copy", range(exec, in.size()), KOKKOS_LAMBDA(const std::int64_t k) {
        columns(k) = in.columns(k);
        values(k) = static_cast<Scalar>(in.values(k));
      });
  return Matrix(in.num_rows, in.num_cols, pointers, columns, values);
}

/// Start of each row, duplicates counted, in `starts`, and the entries of the rows in `slots`, unsorted.
template <class ExecutionSpace, class MemorySpace, class Starts, class Slots>
void scatter_to_rows(const ExecutionSpace& exec, const Triplets<MemorySpace>& in, const Starts& starts,
                     const Slots& slots) {
  using Offset = typename Starts::non_const_value_type;
  using Slot = typename Slots::non_const_value_type;
  Kokkos::parallel_for(
      "krylite::assemble::count", range(exec, in.size()),
      KOKKOS_LAMBDA(const std::int64_t k) { Kokkos::atomic_fetch_add(&starts(in.rows(k) + 1), Offset(1)); });
  Kokkos::parallel_scan(
      "krylite::assemble::scan", range(exec, in.num_rows),
      KOKKOS_LAMBDA(const std::int64_t row, Offset& sum, const bool last_pass) {
        const Offset length = starts(row + 1);
        if (last_pass) starts(row + 1) = sum;
        sum += length;
      });
  // starts(row + 1) is where the next entry of the row goes, and in the end where the next row starts.
  Kokkos::parallel_for(
      "krylite::assemble::scatter", range(exec, in.size()), KOKKOS_LAMBDA(const std::int64_t k) {
        const Offset place = Kokkos::atomic_fetch_add(&starts(in.rows(k) + 1), Offset(1));
        slots(place) = Slot{in.columns(k), static_cast<decltype(Slot::position)>(k)};
      });
}

/// Sorts the slots of every row; returns how many entries repeat the place of another. Waits for the result.
template <class ExecutionSpace, class Starts, class Slots>
std::int64_t sort_rows(const ExecutionSpace& exec, Index num_rows, const Starts& starts, const Slots& slots) {
  using Policy =
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>, Kokkos::Schedule<Kokkos::Dynamic>>;
  std::int64_t duplicates = 0;
  Kokkos::parallel_reduce(
      "krylite::assemble::sort", Policy(exec, 0, num_rows),
      KOKKOS_LAMBDA(const std::int64_t row, std::int64_t& sum) {
        const std::int64_t begin = starts(row);
        const std::int64_t end = starts(row + 1);
        if (end - begin < 2) return;
        sort_row(&slots(begin), end - begin);
        for (std::int64_t k = begin + 1; k < end; ++k) sum += slots(k).column == slots(k - 1).column;
      },
      duplicates);
  return duplicates;
}

/// Start of each row without duplicates.
template <class ExecutionSpace, class Starts, class Slots>
Starts starts_without_duplicates(const ExecutionSpace& exec, Index num_rows, const Starts& starts,
                                 const Slots& slots) {
  using Offset = typename Starts::non_const_value_type;
  require_memory<typename Starts::memory_space>(starts.extent(0) * sizeof(Offset), "the CSR row pointers");
  const Starts pointers(Kokkos::view_alloc(exec, std::string("krylite::csr::row_pointers")),
                        starts.extent(0));
  Kokkos::parallel_scan(
      "krylite::assemble::count_distinct", range(exec, num_rows),
      KOKKOS_LAMBDA(const std::int64_t row, Offset& sum, const bool last_pass) {
        for (Offset k = starts(row); k < starts(row + 1); ++k)
          sum += (k == starts(row) || slots(k).column != slots(k - 1).column) ? 1 : 0;
        if (last_pass) pointers(row + 1) = sum;
      });
  return pointers;
}

/// Adds up the duplicates of each row into the result, in the order of the input. Waits for the check.
template <class ExecutionSpace, class MemorySpace, class Starts, class Slots, class Matrix>
void add_duplicates(const ExecutionSpace& exec, const Triplets<MemorySpace>& in, const Starts& starts,
                    const Slots& slots, const Matrix& csr) {
  using Scalar = typename Matrix::scalar_type;
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  constexpr double limit = overflow_magnitude<Scalar>();
  std::int64_t first = none;
  Kokkos::parallel_reduce(
      "krylite::assemble::add_duplicates", range(exec, in.num_rows),
      KOKKOS_LAMBDA(const std::int64_t row, std::int64_t& worst) {
        std::int64_t place = csr.row_pointers(row);
        const std::int64_t end = starts(row + 1);
        for (std::int64_t k = starts(row); k < end; ++place) {
          const std::int64_t head = k;
          double sum = in.values(slots(k).position);
          bool finite = isfinite(sum);
          for (++k; k < end && slots(k).column == slots(head).column; ++k) {
            sum += in.values(slots(k).position);
            finite = finite && isfinite(in.values(slots(k).position));
          }
          const std::int64_t position = static_cast<std::int64_t>(slots(head).position);
          if (finite && !(fabs(sum) < limit) && position < worst) worst = position;
          csr.columns(place) = slots(head).column;
          csr.values(place) = static_cast<Scalar>(sum);
        }
      },
      Kokkos::Min<std::int64_t>(first));
  if (first != none) fail_entry(exec, in, first);
}

/// CSR of entries in any order. `Position` is an unsigned or wide enough type for their number.
template <class Scalar, class Offset, class Position, class ExecutionSpace, class MemorySpace>
CsrMatrix<Scalar, Offset, MemorySpace> assemble_unsorted(const ExecutionSpace& exec,
                                                         const Triplets<MemorySpace>& in) {
  using Matrix = CsrMatrix<Scalar, Offset, MemorySpace>;
  using Starts = typename Matrix::row_pointers_type;
  using Slots = Kokkos::View<RowSlot<Position>*, MemorySpace>;
  const Starts starts(Kokkos::view_alloc(exec, std::string("krylite::csr::row_pointers")),
                      static_cast<std::size_t>(in.num_rows) + 1);
  const auto slots = allocate<Slots>(exec, "krylite::assemble::slots", in.rows.extent(0));
  scatter_to_rows(exec, in, starts, slots);
  const std::int64_t duplicates = sort_rows(exec, in.num_rows, starts, slots);
  const Starts pointers =
      duplicates == 0 ? starts : starts_without_duplicates(exec, in.num_rows, starts, slots);
  const std::size_t count = static_cast<std::size_t>(in.size() - duplicates);
  const Matrix csr(in.num_rows, in.num_cols, pointers,
                   allocate<typename Matrix::columns_type>(exec, "krylite::csr::columns", count),
                   allocate<typename Matrix::values_type>(exec, "krylite::csr::values", count));
  add_duplicates(exec, in, starts, slots, csr);
  return csr;
}

/// Refuses arguments that cannot become a matrix.
template <class Offset, class MemorySpace>
void check_sizes(const Triplets<MemorySpace>& in) {
  require(in.num_rows >= 0 && in.num_cols >= 0, "a matrix cannot be ", in.num_rows, " x ", in.num_cols);
  require(in.rows.extent(0) == in.columns.extent(0) && in.rows.extent(0) == in.values.extent(0),
          "coordinates of different lengths: ", in.rows.extent(0), " rows, ", in.columns.extent(0),
          " columns and ", in.values.extent(0), " values");
  require(in.size() <= static_cast<std::int64_t>(std::numeric_limits<Offset>::max()), in.size(),
          " entries do not fit ", 8 * sizeof(Offset), "-bit offsets");
}

}  // namespace detail

/// The matrix whose entries are given as coordinates, duplicates added up, rows sorted by column. Explicit
/// zeros are entries.
/// \tparam Scalar type of the result's values: double or float
/// \tparam Offset type of the result's row pointers: std::int32_t or std::int64_t
/// \param exec where it is done; host scalars are needed on the way, so this waits for `exec`
/// \param num_rows, num_cols extents of the matrix
/// \param rows row of each entry, counted from 0; length nnz
/// \param columns column of each entry, counted from 0; length nnz
/// \param values value of each entry; length nnz; Inf and NaN are passed on
/// \return num_rows x num_cols, at most nnz entries
/// \throws Error where the lengths differ, an index is outside the matrix, nnz does not fit `Offset`, a
/// finite
///         value (or a sum of finite duplicates) is infinite as `Scalar`, or memory does not suffice; all but
///         the sums are checked before anything is allocated
template <class Scalar, class Offset, class ExecutionSpace>
CsrMatrix<Scalar, Offset, typename ExecutionSpace::memory_space> assemble_csr(
    const ExecutionSpace& exec, Index num_rows, Index num_cols,
    const Kokkos::View<const Index*, typename ExecutionSpace::memory_space>& rows,
    const Kokkos::View<const Index*, typename ExecutionSpace::memory_space>& columns,
    const Kokkos::View<const double*, typename ExecutionSpace::memory_space>& values) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const detail::Triplets<MemorySpace> in = {num_rows, num_cols, rows, columns, values};
  detail::check_sizes<Offset>(in);
  detail::check_triplets<Scalar>(exec, in);
  const bool sorted = detail::strictly_sorted(exec, in);
  const bool narrow = in.size() <= std::int64_t{std::numeric_limits<std::uint32_t>::max()};
  const std::size_t workspace = sorted ? 0 : (narrow ? 8 : 16);
  require_memory<MemorySpace>(
      (static_cast<std::size_t>(num_rows) + 1) * sizeof(Offset) +
          rows.extent(0) * (sizeof(Index) + sizeof(Scalar) + workspace),
      "a CSR matrix of " + std::to_string(num_rows) + " rows and " + std::to_string(in.size()) + " entries");
  if (sorted) return detail::assemble_sorted<Scalar, Offset>(exec, in);
  if (narrow) return detail::assemble_unsorted<Scalar, Offset, std::uint32_t>(exec, in);
  return detail::assemble_unsorted<Scalar, Offset, std::int64_t>(exec, in);
}

}  // namespace krylite

#endif
