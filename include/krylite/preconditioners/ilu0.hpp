#ifndef KRYLITE_PRECONDITIONERS_ILU0_HPP
#define KRYLITE_PRECONDITIONERS_ILU0_HPP

/// \file
/// Incomplete factors without fill, M = L U: L unit lower and U upper triangular with the pattern of A, such that
/// (L U)_ij = a_ij wherever A stores an entry. y = U^-1 (L^-1 x).
///
///     [ 4 1 0 ]     [ 1     .    . ]   [ 4  1    0 ]
///     [ 2 5 1 ]  =  [ 1/2   1    . ] * [ .  9/2  1 ]        exact here: elimination fills nothing
///     [ 0 3 6 ]     [ 0   2/3    1 ]   [ .  .  16/3 ]
///
/// Cost of making it: sum over the entries l_ik of the length of row k of U; of applying it: 12 (nnz + 2 n) bytes of
/// factors, 32 n of vectors, and a kernel launch for each level of each factor (as many as n where A is tridiagonal).
/// Where levels are narrow for the number of threads of a host, one thread takes all rows in one go (`Ilu0Schedule`).
/// Factors and solves are those of Kokkos Kernels (`spiluk_numeric`, `sptrsv_solve`), compiled into the library.
/// Sources: Saad, Iterative Methods for Sparse Linear Systems, algorithm 10.4; the shift: Manteuffel, An incomplete
/// factorization technique for positive definite linear systems, 1980.

#include <krylite/core/error.hpp>
#include <krylite/core/traits.hpp>
#include <krylite/formats/assemble.hpp>
#include <krylite/formats/csr.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>

namespace krylite {

/// Which rows are worked on at the same time.
enum class Ilu0Schedule {
  automatic,  ///< by the width of the levels and the number of threads
  levels,     ///< those of a level: rows that depend on each other only through earlier levels
  sequential  ///< none, in natural order by one thread; only on hosts, elsewhere as `levels`
};

struct Ilu0Options {
  /// Where elimination breaks down, A + shift D is factored instead, D = diag(sign(a_ii) max_j |a_ij|): with this
  /// shift, then with ten times as much, up to 1.
  double first_shift = 1e-3;
  Ilu0Schedule schedule = Ilu0Schedule::automatic;
};

namespace detail {

/// Both factors and all that is needed to solve with them. Defined in the library for the enabled execution spaces.
template <class ExecutionSpace>
class Ilu0Factors {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  /// Sorted rows without duplicates, each with its diagonal entry.
  using Matrix = CsrMatrix<double, Index, MemorySpace>;
  using In = VectorRef<const double, MemorySpace>;
  using Out = VectorRef<double, MemorySpace>;

  /// \throws Error where no shift gives factors, and where the memory is not there
  Ilu0Factors(const ExecutionSpace& exec, const Matrix& a, const Ilu0Options& options);
  ~Ilu0Factors();
  Ilu0Factors(const Ilu0Factors&) = delete;
  Ilu0Factors& operator=(const Ilu0Factors&) = delete;

  void solve(const ExecutionSpace& exec, const In& x, const Out& y) const;
  double shift() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

/// `csr` with sorted rows, duplicates added up, and an entry on every place of the diagonal, 0 where there was none.
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
CsrMatrix<double, Index, MemorySpace> with_whole_diagonal(const ExecutionSpace& exec,
                                                          const CsrMatrix<Scalar, Offset, MemorySpace>& csr) {
  const std::int64_t entries = csr.num_entries();
  const auto count = static_cast<std::size_t>(entries + csr.num_rows);
  const auto rows = allocate<Kokkos::View<Index*, MemorySpace>>(exec, "krylite::ilu0::rows", count);
  const auto columns = allocate<Kokkos::View<Index*, MemorySpace>>(exec, "krylite::ilu0::columns", count);
  const auto values = allocate<Kokkos::View<double*, MemorySpace>>(exec, "krylite::ilu0::values", count);
  Kokkos::parallel_for(
      "krylite::ilu0::expand", range(exec, csr.num_rows), KOKKOS_LAMBDA(const std::int64_t row) {
        for (Offset k = csr.row_pointers(row); k < csr.row_pointers(row + 1); ++k) {
          rows(k) = static_cast<Index>(row);
          columns(k) = csr.columns(k);
          values(k) = static_cast<double>(csr.values(k));
        }
        rows(entries + row) = static_cast<Index>(row);
        columns(entries + row) = static_cast<Index>(row);
        values(entries + row) = 0;
      });
  return assemble_csr<double, Index, ExecutionSpace>(exec, csr.num_rows, csr.num_cols, rows, columns, values);
}

/// Sets diagonal entries that are zero or have no finite inverse to 1 and says how many. Waits for the count.
template <class ExecutionSpace, class Matrix>
std::int64_t replace_useless_diagonal(const ExecutionSpace& exec, const Matrix& a) {
  std::int64_t replaced = 0;
  Kokkos::parallel_reduce(
      "krylite::ilu0::replace", range(exec, a.num_rows),
      KOKKOS_LAMBDA(const std::int64_t row, std::int64_t& sum) {
        for (auto k = a.row_pointers(row); k < a.row_pointers(row + 1); ++k) {
          const double value = a.values(k);
          // A NaN is not replaced: it must surface as `not_finite`.
          if (a.columns(k) != row || value != value || isfinite(1.0 / value)) continue;
          a.values(k) = 1.0;
          ++sum;
        }
      },
      replaced);
  return replaced;
}

}  // namespace detail

/// Made by `make_ilu0`; cheap to copy. Copies share scratch: apply none of them from two threads, or on two instances,
/// at the same time.
template <class ExecutionSpace>
struct Ilu0Preconditioner {
  Index num_rows = 0;
  std::int64_t replaced = 0;  ///< rows whose diagonal entry was zero or missing (or had no finite inverse)
  double shift = 0;           ///< of the matrix that was factored; 0: A itself
  std::shared_ptr<const detail::Ilu0Factors<ExecutionSpace>> factors;

  /// y = M^-1 x, the same bits each time; where A held a NaN or Inf, NaN.
  /// \param x, y n doubles, contiguous, not the same vector; y is written, not read
  /// \throws Error where x or y is not as long as the diagonal, or not contiguous
  template <class X, class Y>
  void apply(const ExecutionSpace& exec, const X& x, const Y& y) const {
    using Factors = detail::Ilu0Factors<ExecutionSpace>;
    static_assert(X::rank == 1 && Y::rank == 1 && std::is_same_v<typename X::non_const_value_type, double> &&
                      std::is_same_v<typename Y::value_type, double>,
                  "ILU(0): x and y must be Views of doubles of rank 1");
    const auto n = static_cast<std::size_t>(num_rows);
    detail::require(x.extent(0) == n && y.extent(0) == n, "ILU(0) of ", n, " rows, but x has ", x.extent(0),
                    " entries and y ", y.extent(0));
    detail::require(x.span_is_contiguous() && y.span_is_contiguous(), "ILU(0): x and y must be contiguous");
    if (n > 0) factors->solve(exec, typename Factors::In(x.data(), n), typename Factors::Out(y.data(), n));
  }
};

/// ILU(0) of a square matrix of any CSR: duplicates count as their sum, a diagonal entry that is zero, missing or
/// without a finite inverse counts as 1 (`replaced` says how many), and explicit zeros belong to the pattern. Where a
/// pivot comes out as nothing but rounding errors, or a factor is not finite, a shifted matrix is factored (`shift`
/// says which). A matrix with NaN or Inf gives NaN in `apply`. Waits for `exec`; the levels are found on the host.
/// Memory while it is made: 32 bytes an entry beside the factors, and a work array of n indices or 256 MiB (on
/// devices 1 GiB), whichever is more.
/// \throws Error where the matrix is not square, has 2^31 entries or more with its diagonal, a sum of duplicates
///         overflows, no shift gives factors, or the memory is not there
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
Ilu0Preconditioner<ExecutionSpace> make_ilu0(const ExecutionSpace& exec,
                                             const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                                             const Ilu0Options& options = {}) {
  static_assert(std::is_same_v<MemorySpace, typename ExecutionSpace::memory_space>,
                "ILU(0): the matrix must live where the execution space works");
  detail::require(csr.num_rows == csr.num_cols, "ILU(0) needs a square matrix, not ", csr.num_rows, " x ",
                  csr.num_cols);
  detail::require(csr.num_entries() + csr.num_rows <= std::numeric_limits<Index>::max(), "ILU(0): ",
                  csr.num_entries(), " entries and a diagonal of ", csr.num_rows, " do not fit 32-bit offsets");
  detail::require(options.first_shift > 0 && options.first_shift <= 1,
                  "ILU(0): the first shift must be positive and at most 1, not ", options.first_shift);
  Ilu0Preconditioner<ExecutionSpace> result;
  result.num_rows = csr.num_rows;
  if (csr.num_rows == 0) return result;
  const auto a = detail::with_whole_diagonal(exec, csr);
  result.replaced = detail::replace_useless_diagonal(exec, a);
  result.factors = std::make_shared<const detail::Ilu0Factors<ExecutionSpace>>(exec, a, options);
  result.shift = result.factors->shift();
  return result;
}

}  // namespace krylite

#endif
