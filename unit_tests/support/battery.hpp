#ifndef KRYLITE_UNIT_TESTS_SUPPORT_BATTERY_HPP
#define KRYLITE_UNIT_TESTS_SUPPORT_BATTERY_HPP

#include <krylite/formats/csr.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace krylite_test {

using HostCsr = krylite::CsrMatrix<double, std::int64_t, Kokkos::HostSpace>;

struct NamedMatrix {
  std::string name;
  HostCsr csr;
};

/// CSR from rows of (column, value) pairs in the order in which they are to be stored.
using Rows = std::vector<std::vector<std::pair<krylite::Index, double>>>;
HostCsr make_csr(krylite::Index num_cols, const Rows& rows);

/// A^T, each row in the order of the rows of A.
HostCsr transposed(const HostCsr& csr);

/// Every nasty matrix that a format must survive: empty shapes, empty rows at each place, dense rows and columns,
/// duplicates, unsorted columns, explicit zeros, rectangular shapes, row counts around every group size, and
/// values from denormal to 1e300.
const std::vector<NamedMatrix>& battery();

/// As above, but with values that float32 holds too.
const std::vector<NamedMatrix>& single_precision_battery();

/// A copy in other types and another memory space.
template <class Scalar, class Offset, class MemorySpace>
krylite::CsrMatrix<Scalar, Offset, MemorySpace> convert(const HostCsr& csr) {
  using Csr = krylite::CsrMatrix<Scalar, Offset, MemorySpace>;
  typename Csr::row_pointers_type row_pointers("row_pointers", csr.row_pointers.extent(0));
  typename Csr::columns_type columns("columns", csr.columns.extent(0));
  typename Csr::values_type values("values", csr.values.extent(0));
  const auto host_pointers = Kokkos::create_mirror_view(row_pointers);
  const auto host_values = Kokkos::create_mirror_view(values);
  for (std::size_t i = 0; i < host_pointers.extent(0); ++i) {
    host_pointers(i) = static_cast<Offset>(csr.row_pointers(i));
  }
  for (std::size_t k = 0; k < host_values.extent(0); ++k) host_values(k) = static_cast<Scalar>(csr.values(k));
  Kokkos::deep_copy(row_pointers, host_pointers);
  Kokkos::deep_copy(columns, csr.columns);
  Kokkos::deep_copy(values, host_values);
  return Csr(csr.num_rows, csr.num_cols, row_pointers, columns, values);
}

/// Reproducible numbers in [-1, 1) from a counter.
inline double noise(std::uint64_t i, std::uint64_t seed = 1) {
  std::uint64_t z = i + seed * 0x9e3779b97f4a7c15ull + 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-52 - 1.0;
}

}  // namespace krylite_test

#endif
