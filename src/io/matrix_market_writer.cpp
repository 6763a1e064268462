#include <cmath>
#include <cstdint>
#include <krylite/io/matrix_market.hpp>

#include "output_file.hpp"

namespace krylite {
namespace detail {
namespace {

/// Refuses what the reader would, before a file is begun.
template <class Values>
void check_finite(const std::string& path, const Values& values) {
  for (std::size_t k = 0; k < values.extent(0); ++k)
    require(std::isfinite(values(k)), path, ": cannot write: entry ", k + 1, " is ", values(k),
            ", which the format lacks");
}

}  // namespace

template <class Scalar, class Offset>
void write_csr(const std::string& path, const CsrMatrix<Scalar, Offset, Kokkos::HostSpace>& csr) {
  check_finite(path, csr.values);
  text::OutputFile out(path);
  out.append("%%MatrixMarket matrix coordinate real general\n" + std::to_string(csr.num_rows) + " " +
             std::to_string(csr.num_cols) + " " + std::to_string(csr.num_entries()) + "\n");
  for (Index row = 0; row < csr.num_rows; ++row) {
    const Offset end = csr.row_pointers(std::int64_t{row} + 1);
    for (Offset k = csr.row_pointers(row); k < end; ++k) {
      out.append_number(std::int64_t{row} + 1);
      out.append(' ');
      out.append_number(std::int64_t{csr.columns(k)} + 1);
      out.append(' ');
      out.append_number(csr.values(k));
      out.append('\n');
    }
  }
  out.commit();
}

template void write_csr(const std::string&, const CsrMatrix<double, std::int32_t, Kokkos::HostSpace>&);
template void write_csr(const std::string&, const CsrMatrix<double, std::int64_t, Kokkos::HostSpace>&);
template void write_csr(const std::string&, const CsrMatrix<float, std::int32_t, Kokkos::HostSpace>&);
template void write_csr(const std::string&, const CsrMatrix<float, std::int64_t, Kokkos::HostSpace>&);

}  // namespace detail

namespace detail {
namespace {

template <class View>
void write_array(const std::string& path, const char* field, const View& vector) {
  text::OutputFile out(path);
  out.append(std::string("%%MatrixMarket matrix array ") + field + " general\n" +
             std::to_string(vector.extent(0)) + " 1\n");
  for (std::size_t k = 0; k < vector.extent(0); ++k) {
    out.append_number(vector(k));
    out.append('\n');
  }
  out.commit();
}

}  // namespace
}  // namespace detail

void write_matrix_market_vector(const std::string& path,
                                const Kokkos::View<const double*, Kokkos::HostSpace>& vector) {
  detail::check_finite(path, vector);
  detail::write_array(path, "real", vector);
}

void write_matrix_market_integers(const std::string& path,
                                  const Kokkos::View<const std::int64_t*, Kokkos::HostSpace>& vector) {
  detail::write_array(path, "integer", vector);
}

}  // namespace krylite
