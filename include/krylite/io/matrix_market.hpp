#ifndef KRYLITE_IO_MATRIX_MARKET_HPP
#define KRYLITE_IO_MATRIX_MARKET_HPP

/// \file
/// Reader and writer of Matrix Market files, plain or gzip.
///
///     %%MatrixMarket matrix coordinate real general      banner: object format field symmetry
///     % comments                                         anywhere, as blank lines
///     3 4 2                                              rows columns entries (array: rows columns)
///     1 1 10                                             row column value, counted from 1
///     3 2 -0.5e-3                                        (array: a value a line, column by column)
///
/// Read: object `matrix`; format coordinate or array; field real, integer or pattern (each value 1); symmetry
/// general, symmetric or skew-symmetric, expanded. Complex and hermitian files are refused.
/// - gzip is recognised by content, also of several members; a damaged one is refused.
/// - Banner words in any letter case; line ends LF, CRLF or CR; a UTF-8 byte-order mark; no newline at the
/// end.
/// - Numbers as C and Fortran write them (1d-5, +3, .5, 5.); too small ones become zero of their sign, too
///   large ones are refused, as are Inf and NaN. An integer may have any number of digits.
/// - Duplicates are added up. Explicit zeros of a coordinate file are entries; zeros of an array file are
///   not, since an array has no pattern.
/// - Symmetric files hold the lower triangle alone, skew-symmetric ones without the diagonal; arrays of them
///   hold it packed, column by column.
/// - What the file announces is not believed: memory follows what it holds.
///
/// Every error is an Error whose text is `PATH:LINE: what is wrong`, with the line in the uncompressed text,
/// or `PATH: what is wrong` where no line is at fault.
/// Cost: the file is read once, on one thread; 16 bytes of memory an entry (32 for each off-diagonal one of a
/// symmetric file) beside the result.
/// Source: Boisvert, Pozo, Remington, The Matrix Market Exchange Formats: Initial Design, NISTIR 5935, 1996.

#include <cstdint>
#include <exception>
#include <krylite/core/error.hpp>
#include <krylite/core/memory.hpp>
#include <krylite/formats/assemble.hpp>
#include <krylite/formats/csr.hpp>
#include <string>
#include <type_traits>
#include <vector>

namespace krylite {

/// Entries of a matrix in the order of its file, a symmetric one's images beside their originals.
struct Coordinates {
  Index num_rows = 0;
  Index num_cols = 0;
  std::vector<Index> rows;     ///< row of each entry, counted from 0
  std::vector<Index> columns;  ///< column of each entry, counted from 0
  std::vector<double> values;  ///< value of each entry
};

namespace detail {

/// As `read_matrix_market_coordinates`, but refuses values of magnitude `limit` or more, with their lines.
Coordinates read_coordinates(const std::string& path, double limit);

/// Writes CSR arrays on the host; defined for float and double with std::int32_t and std::int64_t.
template <class Scalar, class Offset>
void write_csr(const std::string& path, const CsrMatrix<Scalar, Offset, Kokkos::HostSpace>& csr);

/// `data` as a view that does not own it.
template <class T>
Kokkos::View<const T*, Kokkos::HostSpace> host_view(const std::vector<T>& data) {
  return Kokkos::View<const T*, Kokkos::HostSpace>(data.data(), data.size());
}

/// A copy in `MemorySpace`, or the matrix itself where it is there already. Waits for the copy.
template <class MemorySpace, class Scalar, class Offset, class From>
CsrMatrix<Scalar, Offset, MemorySpace> csr_in(const CsrMatrix<Scalar, Offset, From>& csr) {
  return {csr.num_rows, csr.num_cols, Kokkos::create_mirror_view_and_copy(MemorySpace(), csr.row_pointers),
          Kokkos::create_mirror_view_and_copy(MemorySpace(), csr.columns),
          Kokkos::create_mirror_view_and_copy(MemorySpace(), csr.values)};
}

/// An Error that names the file, from any exception; in one line, as Kokkos' own texts need not be.
[[noreturn]] void fail_file(const std::string& path, const std::exception& error);

/// CSR on the host; errors name the file.
template <class Scalar, class Offset, class HostSpace>
CsrMatrix<Scalar, Offset, typename HostSpace::memory_space> assemble_file(const HostSpace& host,
                                                                          const std::string& path,
                                                                          const Coordinates& entries) try {
  auto csr = assemble_csr<Scalar, Offset>(host, entries.num_rows, entries.num_cols, host_view(entries.rows),
                                          host_view(entries.columns), host_view(entries.values));
  host.fence();  // the kernels read `entries`, which the caller may now destroy
  return csr;
} catch (const std::exception& error) {
  // Kokkos reports a failed allocation by an exception of its own.
  fail_file(path, error);
}

}  // namespace detail

/// Reads a matrix as coordinates, symmetry expanded and duplicates kept.
/// \param path file, plain or gzip
/// \throws Error `PATH:LINE: what is wrong` where the file cannot be read or is not legal
Coordinates read_matrix_market_coordinates(const std::string& path);

/// Reads a matrix into CSR, rows sorted by column and duplicates added up.
/// \tparam Scalar double or float; values too large for it are refused
/// \tparam Offset std::int32_t or std::int64_t; more entries than it holds are refused
/// \param exec the result is in its memory space; the file is assembled on the host, in parallel
/// \param path file, plain or gzip
/// \return the matrix, complete: this waits for the copy
/// \throws Error `PATH:LINE: what is wrong` where the file cannot be read or is not legal; `PATH: what is
///         wrong` where the matrix does not fit memory or `Offset`
template <class Scalar, class Offset, class ExecutionSpace>
CsrMatrix<Scalar, Offset, typename ExecutionSpace::memory_space> read_matrix_market(
    const ExecutionSpace& exec, const std::string& path) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Coordinates entries = detail::read_coordinates(path, detail::overflow_magnitude<Scalar>());
  if constexpr (std::is_same_v<MemorySpace, Kokkos::HostSpace>) {
    return detail::assemble_file<Scalar, Offset>(exec, path, entries);
  } else {
    const Kokkos::DefaultHostExecutionSpace host;
    return detail::csr_in<MemorySpace>(detail::assemble_file<Scalar, Offset>(host, path, entries));
  }
}

/// Reads a vector: a file of an n x 1 or 1 x n matrix. Entries that a coordinate file leaves out are 0.
/// \param path file, plain or gzip
/// \return the n values
/// \throws Error `PATH:LINE: what is wrong` where the file cannot be read, is not legal or is not a vector
Kokkos::View<double*, Kokkos::HostSpace> read_matrix_market_vector(const std::string& path);

/// Writes a matrix as `coordinate real general`, row by row and in the order of its entries. Each value has
/// the fewest digits that give it back exactly in its own type.
/// \param path file; gzip where it ends in ".gz". An existing file stays as it was until the new one is
///        complete, and stays for good where that fails.
/// \param csr the matrix, in any memory space
/// \throws Error `PATH: what is wrong` where it cannot be written or holds Inf or NaN, which the format lacks
template <class Scalar, class Offset, class MemorySpace>
void write_matrix_market(const std::string& path, const CsrMatrix<Scalar, Offset, MemorySpace>& csr) {
  detail::write_csr<Scalar, Offset>(path, detail::csr_in<Kokkos::HostSpace>(csr));
}

/// Writes a vector as `array real general` of n x 1, otherwise as `write_matrix_market` does.
/// \param path file; gzip where it ends in ".gz"
/// \param vector the n values
/// \throws Error `PATH: what is wrong` where it cannot be written or holds Inf or NaN
void write_matrix_market_vector(const std::string& path,
                                const Kokkos::View<const double*, Kokkos::HostSpace>& vector);

/// Writes a vector as `array integer general` of n x 1, otherwise as `write_matrix_market` does.
/// \param path file; gzip where it ends in ".gz"
/// \param vector the n values
/// \throws Error `PATH: what is wrong` where it cannot be written
void write_matrix_market_integers(const std::string& path,
                                  const Kokkos::View<const std::int64_t*, Kokkos::HostSpace>& vector);

}  // namespace krylite

#endif
