// Everything of ILU(0) that needs Kokkos Kernels, which takes long to compile.

#include <krylite/core/algorithms.hpp>
#include <krylite/core/kokkos_kernels_compat.hpp>
#include <krylite/formats/convert/common.hpp>
#include <krylite/preconditioners/ilu0.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

namespace krylite {
namespace detail {
namespace ilu0 {

/// CSR as Kokkos Kernels wants it: on the device of its handle.
template <class ExecutionSpace>
struct Factor {
  using Device = Kokkos::Device<ExecutionSpace, typename ExecutionSpace::memory_space>;
  Kokkos::View<Index*, Device> row_pointers;
  Kokkos::View<Index*, Device> columns;
  Kokkos::View<double*, Device> values;
};

/// Position of the diagonal entry of a sorted row that has one.
template <class Matrix>
KOKKOS_INLINE_FUNCTION Index diagonal_position(const Matrix& a, Index row) {
  Index low = a.row_pointers(row);
  Index high = a.row_pointers(row + 1) - 1;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (a.columns(middle) < row) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// The pattern of the lower or upper triangle of `a`, diagonal included; the values are not set.
template <class ExecutionSpace, class Matrix>
Factor<ExecutionSpace> triangle(const ExecutionSpace& exec, const Matrix& a, bool lower) {
  using Result = Factor<ExecutionSpace>;
  Result result;
  const Index n = a.num_rows;
  const auto length = KOKKOS_LAMBDA(const std::int64_t row)->Index {
    const Index diagonal = diagonal_position(a, static_cast<Index>(row));
    return lower ? diagonal + 1 - a.row_pointers(row) : a.row_pointers(row + 1) - diagonal;
  };
  allocate_array(exec, "krylite::ilu0::row_pointers", std::int64_t(n) + 1, result.row_pointers);
  prefix_sums(exec, "krylite::ilu0::scan", n, result.row_pointers, length);
  const Index entries = element(exec, result.row_pointers, n);
  allocate_array(exec, "krylite::ilu0::columns", entries, result.columns);
  allocate_array(exec, "krylite::ilu0::values", entries, result.values);
  const auto row_pointers = result.row_pointers;
  const auto columns = result.columns;
  Kokkos::parallel_for(
      "krylite::ilu0::pattern", range(exec, n), KOKKOS_LAMBDA(const std::int64_t row) {
        Index source = lower ? a.row_pointers(row) : diagonal_position(a, static_cast<Index>(row));
        for (Index k = row_pointers(row); k < row_pointers(row + 1); ++k) columns(k) = a.columns(source++);
      });
  return result;
}

/// Rows in natural order (last row first for an upper triangle), cut into levels of `width`. For one thread, which
/// takes the rows of a level one after the other.
inline RowLevels natural_levels(Index n, Index width, bool lower) {
  RowLevels levels;
  for (Index i = 0; i < n; ++i) levels.rows.push_back(lower ? i : n - 1 - i);
  for (std::int64_t end = width; end < n; end += width) levels.starts.push_back(static_cast<Index>(end));
  levels.starts.push_back(n);
  return levels;
}

/// Level of a row: one more than the highest of the rows that it needs; sorted by level, rows in natural order.
template <class ExecutionSpace>
RowLevels dependency_levels(const Factor<ExecutionSpace>& factor, Index n, bool lower) {
  const auto row_pointers = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), factor.row_pointers);
  const auto columns = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), factor.columns);
  RowLevels levels;
  std::vector<Index> level_of_row(n);
  for (Index i = 0; i < n; ++i) {
    const Index row = lower ? i : n - 1 - i;
    Index level = 0;
    for (Index k = row_pointers(row); k < row_pointers(row + 1); ++k) {
      if (columns(k) != row) level = std::max(level, level_of_row[columns(k)] + 1);
    }
    level_of_row[row] = level;
    if (level + 1 == static_cast<Index>(levels.starts.size())) levels.starts.push_back(0);
    ++levels.starts[level + 1];
  }
  for (Index level = 0; level < levels.num_levels(); ++level) levels.starts[level + 1] += levels.starts[level];
  levels.rows.resize(n);
  std::vector<Index> place(levels.starts.begin(), levels.starts.end() - 1);
  for (Index i = 0; i < n; ++i) {
    const Index row = lower ? i : n - 1 - i;
    levels.rows[place[level_of_row[row]]++] = row;
  }
  return levels;
}

/// The same rows in levels of at most `width`.
inline RowLevels cut(const RowLevels& levels, Index width) {
  RowLevels pieces;
  pieces.rows = levels.rows;
  for (Index level = 0; level < levels.num_levels(); ++level) {
    const Index end = levels.starts[level + 1];
    for (std::int64_t start = std::int64_t(levels.starts[level]) + width; start < end; start += width) {
      pieces.starts.push_back(static_cast<Index>(start));
    }
    pieces.starts.push_back(end);
  }
  return pieces;
}

/// Rows that are factored at the same time, at most `wanted`: each needs n indices. A device needs more to be busy.
/// \throws Error where the memory for them is not there
template <class ExecutionSpace>
Index rows_at_once(Index n, Index wanted) {
  constexpr std::size_t budget = std::size_t(is_host_space<ExecutionSpace> ? 256 : 1024) << 20;
  const std::size_t bytes = sizeof(Index) * static_cast<std::size_t>(n);
  const std::size_t rows = std::min<std::size_t>(std::max<std::size_t>(budget / bytes, 1), wanted);
  require_memory<typename ExecutionSpace::memory_space>(bytes * rows, "the work array of ILU(0)");
  return static_cast<Index>(rows);
}

/// The space of one thread that works where `ExecutionSpace` does; itself where there is none.
template <class ExecutionSpace>
struct OneThreadOf {
#ifdef KOKKOS_ENABLE_SERIAL
  using type = std::conditional_t<is_host_space<ExecutionSpace>, Kokkos::Serial, ExecutionSpace>;
#else
  using type = ExecutionSpace;
#endif
};
template <class ExecutionSpace>
using OneThread = typename OneThreadOf<ExecutionSpace>::type;

/// Whether all rows should be left to one thread. On 2 threads of one host a level takes 3.4 us to start for each
/// factor, and an entry 2.4 ns in natural order but three times that where levels jump through memory: a tridiagonal
/// matrix of 300,000 rows takes 5 ms on one thread and 2 s by levels, poisson2d of 300^2 1.5 and 2.9 ms, of 1000^2 17
/// and 25 ms, poisson3d of 100^3 17 and 25 ms. So t threads win where t > 3 and an average level has more than
/// 2800 t / (t - 3) entries.
template <class ExecutionSpace, class Matrix>
bool wants_one_thread(const ExecutionSpace& exec, const Matrix& a, const RowLevels& levels, Ilu0Schedule schedule) {
  const std::int64_t threads = exec.concurrency();
  constexpr bool has_one_thread = !std::is_same_v<OneThread<ExecutionSpace>, ExecutionSpace>;
  if (schedule == Ilu0Schedule::levels || (threads > 1 && !has_one_thread)) return false;
  if (schedule == Ilu0Schedule::sequential || threads == 1) return true;
  return a.num_entries() / levels.num_levels() * (threads - 3) <= 2800 * threads;
}

/// A + shift D, D = diag(sign(a_ii) max_j |a_ij|), on the pattern of A; A itself where the shift is 0.
template <class ExecutionSpace, class Matrix>
Factor<ExecutionSpace> shifted(const ExecutionSpace& exec, const Matrix& a, double shift) {
  Factor<ExecutionSpace> result;
  result.row_pointers = a.row_pointers;
  result.columns = a.columns;
  result.values = a.values;
  if (shift == 0) return result;
  allocate_array(exec, "krylite::ilu0::shifted", a.num_entries(), result.values);
  const auto values = result.values;
  Kokkos::parallel_for(
      "krylite::ilu0::shift", range(exec, a.num_rows), KOKKOS_LAMBDA(const std::int64_t row) {
        double largest = 0;
        for (Index k = a.row_pointers(row); k < a.row_pointers(row + 1); ++k) {
          const double value = a.values(k);
          values(k) = value;
          largest = fabs(value) > largest ? fabs(value) : largest;
        }
        const Index diagonal = diagonal_position(a, static_cast<Index>(row));
        values(diagonal) += a.values(diagonal) < 0 ? -shift * largest : shift * largest;
      });
  return result;
}

/// u(row, column), 0 where there is no such entry.
template <class FactorType>
KOKKOS_INLINE_FUNCTION double entry(const FactorType& u, Index row, Index column) {
  Index low = u.row_pointers(row);
  const Index end = u.row_pointers(row + 1);
  Index high = end;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (u.columns(middle) < column) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < end && u.columns(low) == column ? u.values(low) : 0.0;
}

/// Whether row i of the factors can be used: all finite, and the pivot u_ii = a_ii - sum_k l_ik u_ki more than the
/// rounding errors of its c products and sums, (c + 1) eps (|a_ii| + sum_k |l_ik u_ki|). The sum is formed anew, since
/// Kokkos Kernels puts 1e6 where a pivot is zero.
template <class FactorType>
KOKKOS_INLINE_FUNCTION bool is_usable_row(const FactorType& l, const FactorType& u, double diagonal, Index row) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  double pivot = diagonal;
  double magnitude = fabs(diagonal);
  bool finite = true;
  const Index end = l.row_pointers(row + 1) - 1;  // the last is the diagonal's 1
  for (Index k = l.row_pointers(row); k < end; ++k) {
    const double product = l.values(k) * entry(u, l.columns(k), row);
    pivot -= product;
    magnitude += fabs(product);
    finite = finite && isfinite(l.values(k));
  }
  for (Index k = u.row_pointers(row); k < u.row_pointers(row + 1); ++k) finite = finite && isfinite(u.values(k));
  const Index products = end - l.row_pointers(row);
  return finite && (products == 0 || fabs(pivot) > (products + 1) * epsilon * magnitude);
}

/// Rows of the factors of `a` that cannot be used. Waits.
template <class ExecutionSpace>
std::int64_t count_useless_rows(const ExecutionSpace& exec, const Factor<ExecutionSpace>& a,
                                const Factor<ExecutionSpace>& l, const Factor<ExecutionSpace>& u) {
  return sum_of(
      exec, static_cast<std::int64_t>(a.row_pointers.extent(0)) - 1,
      KOKKOS_LAMBDA(const std::int64_t i)->std::int64_t {
        const Index row = static_cast<Index>(i);
        return is_usable_row(l, u, entry(a, row, row), row) ? 0 : 1;
      });
}

}  // namespace ilu0

template <class ExecutionSpace>
struct Ilu0Factors<ExecutionSpace>::Data {
  using Factor = ilu0::Factor<ExecutionSpace>;
  using OneThread = ilu0::OneThread<ExecutionSpace>;

  Factor l;
  Factor u;
  Kokkos::View<double*, typename Factor::Device> between;  ///< L^-1 x
  mutable KernelsHandle<ExecutionSpace> solve_l;
  mutable KernelsHandle<ExecutionSpace> solve_u;
  double shift = 0;
  bool not_finite = false;
  std::unique_ptr<Ilu0Factors<OneThread>> sequential;  ///< does all where it is there

  /// Factors of A, or of the A + shift D with the least shift tried that has some.
  void factorize(const ExecutionSpace& exec, const Matrix& a, const RowLevels& levels, double first_shift) {
    KernelsHandle<ExecutionSpace> handle;
    set_spiluk_levels(handle, levels, static_cast<Index>(l.columns.extent(0)),
                      static_cast<Index>(u.columns.extent(0)));
    std::int64_t useless = 0;
    for (shift = 0; shift <= 1; shift = shift == 0 ? first_shift : 10 * shift) {
      Factor source = ilu0::shifted(exec, a, shift);
      spiluk_numeric(exec, handle, source, l, u);
      useless = ilu0::count_useless_rows(exec, source, l, u);
      if (useless == 0) return;
    }
    fail("ILU(0) of ", a.num_rows, " rows breaks down in ", useless, " of them for every shift from ", first_shift,
         " to 1");
  }

  /// All that is needed, with the rows of a level at the same time.
  void prepare_levels(const ExecutionSpace& exec, const Matrix& a, const RowLevels& levels, double first_shift) {
    const Index width = ilu0::rows_at_once<ExecutionSpace>(a.num_rows, a.num_rows);
    factorize(exec, a, ilu0::cut(levels, width), first_shift);
    set_sptrsv_levels(solve_l, levels, true);
    set_sptrsv_levels(solve_u, ilu0::dependency_levels(u, a.num_rows, false), false);
  }

  /// All that is needed, for one thread.
  void prepare_one_thread(const ExecutionSpace& exec, const Matrix& a, double first_shift) {
    constexpr Index enough = 16;  // rows, so that starting their loop does not count
    const Index n = a.num_rows;
    const Index width = ilu0::rows_at_once<ExecutionSpace>(n, std::min(n, enough));
    factorize(exec, a, ilu0::natural_levels(n, width, true), first_shift);
    set_sptrsv_levels(solve_l, ilu0::natural_levels(n, n, true), true);
    set_sptrsv_levels(solve_u, ilu0::natural_levels(n, n, false), false);
  }
};

template <class ExecutionSpace>
Ilu0Factors<ExecutionSpace>::Ilu0Factors(const ExecutionSpace& exec, const Matrix& a, const Ilu0Options& options)
    : data_(std::make_unique<Data>()) {
  Data& data = *data_;
  data.not_finite = has_not_finite(exec, a.values);
  if (data.not_finite) return;
  data.l = ilu0::triangle(exec, a, true);
  data.u = ilu0::triangle(exec, a, false);
  allocate_array(exec, "krylite::ilu0::between", a.num_rows, data.between);
  exec.fence();  // what follows reads the pattern on the host
  const RowLevels levels = ilu0::dependency_levels(data.l, a.num_rows, true);
  if (!ilu0::wants_one_thread(exec, a, levels, options.schedule)) {
    data.prepare_levels(exec, a, levels, options.first_shift);
  } else if (exec.concurrency() == 1) {
    data.prepare_one_thread(exec, a, options.first_shift);
  } else {
    using OneThread = typename Data::OneThread;
    Ilu0Options sequential = options;
    sequential.schedule = Ilu0Schedule::sequential;
    data.sequential = std::make_unique<Ilu0Factors<OneThread>>(OneThread(), a, sequential);
    data.shift = data.sequential->shift();
    data.l = data.u = typename Data::Factor();
  }
}

template <class ExecutionSpace>
Ilu0Factors<ExecutionSpace>::~Ilu0Factors() = default;

template <class ExecutionSpace>
void Ilu0Factors<ExecutionSpace>::solve(const ExecutionSpace& exec, const In& x, const Out& y) const {
  using Device = typename ilu0::Factor<ExecutionSpace>::Device;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  if (data_->not_finite) {
    Kokkos::deep_copy(exec, y, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  if (data_->sequential) {
    exec.fence();
    data_->sequential->solve(typename Data::OneThread(), x, y);
    return;
  }
  const Kokkos::View<const double*, Device, Unmanaged> right(x.data(), x.extent(0));
  const Kokkos::View<double*, Device, Unmanaged> left(y.data(), y.extent(0));
  sptrsv_solve(exec, data_->solve_l, data_->l, right, data_->between);
  sptrsv_solve(exec, data_->solve_u, data_->u, data_->between, left);
}

template <class ExecutionSpace>
double Ilu0Factors<ExecutionSpace>::shift() const {
  return data_->shift;
}

#ifdef KOKKOS_ENABLE_SERIAL
template class Ilu0Factors<Kokkos::Serial>;
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template class Ilu0Factors<Kokkos::OpenMP>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
template class Ilu0Factors<Kokkos::Cuda>;
#endif

}  // namespace detail
}  // namespace krylite
