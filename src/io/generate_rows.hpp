#ifndef KRYLITE_SRC_IO_GENERATE_ROWS_HPP
#define KRYLITE_SRC_IO_GENERATE_ROWS_HPP

/// \file
/// What the generated kinds share: the checked request, and the three steps count, scan and fill.

#include <krylite/core/memory.hpp>
#include <krylite/io/generate.hpp>
#include <limits>

namespace krylite::detail {

using HostExecution = Kokkos::DefaultHostExecutionSpace;

/// A GeneratorSpec that has passed the checks, with every option that has a default.
struct GeneratorRequest {
  std::string text;  ///< as the user wrote it, for messages
  std::int64_t n = 0;
  Index rows = 0;
  std::map<std::string, double> options;

  double operator[](const char* name) const { return options.at(name); }
  std::uint64_t seed() const { return static_cast<std::uint64_t>(options.at("seed")); }
};

/// \throws Error, with the request's text, where `words` times 4 bytes do not fit into memory; an index is
/// one
///         word, an offset or a value two
inline void require_words(const GeneratorRequest& request, std::int64_t words) {
  require_memory<Kokkos::HostSpace>(4 * static_cast<std::size_t>(words), request.text);
}

/// Turns the lengths in `pointers[1 ... rows]` into offsets.
inline void scan_lengths(const HostExecution& exec, const HostCsr::row_pointers_type& pointers) {
  const std::int64_t rows = static_cast<std::int64_t>(pointers.extent(0)) - 1;
  pointers(0) = 0;
  Kokkos::parallel_scan("krylite::generate::scan", range(exec, rows),
                        [=](const std::int64_t row, std::int64_t& sum, const bool last) {
                          sum += pointers(row + 1);
                          if (last) pointers(row + 1) = sum;
                        });
  exec.fence();
}

/// Makes a matrix row by row: `count(row)` entries, written by `fill(row, length, columns, values)`.
/// \param least_entries what the matrix surely has, so that a hopeless size is refused before it is counted
template <class Count, class Fill>
HostCsr build_rows(const GeneratorRequest& request, Index columns_of_matrix, std::int64_t least_entries,
                   const Count& count, const Fill& fill) {
  const HostExecution exec{};
  const std::int64_t rows = request.rows;
  require_words(request, 2 * (rows + 1) + 3 * least_entries);
  const auto pointers =
      allocate<HostCsr::row_pointers_type>(exec, "krylite::generate::row_pointers", std::size_t(rows) + 1);
  Kokkos::parallel_for("krylite::generate::count", range(exec, rows),
                       [=](const std::int64_t row) { pointers(row + 1) = count(static_cast<Index>(row)); });
  exec.fence();
  scan_lengths(exec, pointers);

  const std::int64_t entries = pointers(rows);
  require_words(request, 3 * entries);
  const auto columns =
      allocate<HostCsr::columns_type>(exec, "krylite::generate::columns", std::size_t(entries));
  const auto values = allocate<HostCsr::values_type>(exec, "krylite::generate::values", std::size_t(entries));
  Kokkos::parallel_for("krylite::generate::fill", range(exec, rows), [=](const std::int64_t row) {
    const std::int64_t begin = pointers(row);
    fill(static_cast<Index>(row), pointers(row + 1) - begin, columns.data() + begin, values.data() + begin);
  });
  exec.fence();
  return {request.rows, columns_of_matrix, pointers, columns, values};
}

HostCsr make_poisson2d(const GeneratorRequest& request);
HostCsr make_poisson3d(const GeneratorRequest& request);
HostCsr make_stencil27(const GeneratorRequest& request);
HostCsr make_convection_diffusion(const GeneratorRequest& request);
HostCsr make_anisotropic(const GeneratorRequest& request);
HostCsr make_elasticity(const GeneratorRequest& request);
HostCsr make_rmat(const GeneratorRequest& request);
HostCsr make_circuit(const GeneratorRequest& request);
HostCsr make_web(const GeneratorRequest& request);
HostCsr make_lp(const GeneratorRequest& request);
HostCsr make_arrow(const GeneratorRequest& request);
HostCsr make_diagonal_plus_dense_row(const GeneratorRequest& request);

/// P A P^T, or P A Q^T where A is rectangular.
HostCsr shuffle_matrix(const GeneratorRequest& request, const HostCsr& matrix, std::uint64_t seed);

}  // namespace krylite::detail

#endif
