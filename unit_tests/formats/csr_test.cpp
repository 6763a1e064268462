#include "support/expect.hpp"
#include "support/types.hpp"

#include <krylite/formats/convert.hpp>

namespace {

using krylite::Index;
using namespace krylite_test;
using Csr = krylite::CsrMatrix<double, std::int64_t, Kokkos::HostSpace>;

TEST(Csr, RefusesArraysThatDoNotFit) {
  const Csr::row_pointers_type pointers("pointers", 4);
  const Csr::columns_type columns("columns", 2);
  const Csr::values_type values("values", 2);
  EXPECT_NO_THROW(Csr(3, 5, pointers, columns, values));
  expect_error([&] { Csr(4, 5, pointers, columns, values); }, "4 x 5", "4 row pointers");
  expect_error([&] { Csr(3, 5, pointers, columns, Csr::values_type("values", 3)); }, "2 columns", "3 values");
  expect_error([&] { Csr(-1, 5, {}, {}, {}); }, "-1 x 5");
}

TEST(Csr, TypesConvertAndRefuseWhatDoesNotFit) {
  const Kokkos::DefaultHostExecutionSpace exec;
  const auto csr = make_csr(2, {{{0, 1.5}, {1, 1e300}}});
  expect_error([&] { krylite::convert_types<float, std::int64_t>(exec, csr); }, "1 values", "32-bit");
  const auto narrow = krylite::convert_types<double, std::int32_t>(exec, csr);
  EXPECT_EQ(narrow.row_pointers(1), 2);
  EXPECT_EQ(narrow.values.data(), csr.values.data()) << "values of the same type are shared";
  const auto single = krylite::convert_types<float, std::int32_t>(exec, make_csr(1, {{{0, 0.1}}}));
  EXPECT_EQ(single.values(0), 0.1f);
}

TEST(Csr, RefusesMoreEntriesThanTheOffsetsCount) {
  Csr csr;  // the arrays behind a matrix of 2^31 entries need not exist to be counted
  csr.num_rows = 1;
  csr.num_cols = 1;
  double none = 0;
  csr.values = Csr::values_type(Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
      &none, std::size_t(1) << 31));
  expect_error([&] { krylite::convert_types<double, std::int32_t>(Kokkos::DefaultHostExecutionSpace(), csr); },
               "2147483648 entries", "32-bit offsets");
}

TEST(Csr, GoesToKokkosKernelsAndBack) {
  for (const NamedMatrix& matrix : battery()) {
    if (matrix.csr.row_pointers.extent(0) == 0) continue;
    const auto crs = krylite::to_crs_matrix(matrix.csr);
    EXPECT_EQ(crs.nnz(), static_cast<std::size_t>(matrix.csr.num_entries()));
    EXPECT_EQ(crs.values.data(), matrix.csr.values.data()) << "shared, not copied";
    expect_same_matrix(matrix.csr, krylite::from_crs_matrix(crs), matrix.name);
  }
}

}  // namespace
