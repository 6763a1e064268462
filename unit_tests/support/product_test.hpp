#ifndef KRYLITE_UNIT_TESTS_SUPPORT_PRODUCT_TEST_HPP
#define KRYLITE_UNIT_TESTS_SUPPORT_PRODUCT_TEST_HPP

#include "support/expect.hpp"
#include "support/types.hpp"

#include <krylite/formats/convert.hpp>
#include <krylite/spmv/reference.hpp>
#include <krylite/spmv/spmv.hpp>

#include <cmath>
#include <limits>
#include <string>

namespace krylite_test {

/// The alphas and betas that products are tested with.
inline constexpr double factors[] = {0.0, 1.0, -1.0, 2.5};

/// `size` entries of noise.
template <class View>
View noise_vector(std::size_t size, std::uint64_t seed) {
  const View view("vector", size);
  const auto host = Kokkos::create_mirror_view(view);
  for (std::size_t i = 0; i < size; ++i) host(i) = static_cast<typename View::value_type>(noise(i, seed));
  Kokkos::deep_copy(view, host);
  return view;
}

/// What tests of products of one Combination share.
template <class Combination>
class ProductTest : public ::testing::Test {
 protected:
  using Vector = typename Combination::Vector;
  using Space = typename Combination::MemorySpace;
  using Device = Kokkos::View<Vector*, Space>;

  static Device filled(std::size_t size, std::uint64_t seed) { return noise_vector<Device>(size, seed); }

  static typename Combination::Csr device_csr(const NamedMatrix& named) {
    return convert<typename Combination::Scalar, typename Combination::Offset, Space>(named.csr);
  }

  /// y = alpha A x + beta y of one matrix in one format against the reference, for all factors.
  template <class Matrix>
  void check(const std::string& what, const typename Combination::Csr& csr, const Matrix& matrix,
             const krylite::SpmvOptions& options = {}) {
    const auto host_csr = krylite::copy_to<Kokkos::HostSpace>(csr);
    const Device x = filled(csr.num_cols, 3);
    const Device before = filled(csr.num_rows, 4);
    for (const double alpha : factors) {
      for (const double beta : factors) {
        const Device y("y", before.extent(0));
        Kokkos::deep_copy(y, before);
        // beta = 0 must not read what is in y.
        if (beta == 0) Kokkos::deep_copy(y, std::numeric_limits<Vector>::quiet_NaN());
        krylite::spmv(exec_, alpha, matrix, x, beta, y, options);
        exec_.fence();
        const double error = krylite::max_scaled_error(host_csr, static_cast<Vector>(alpha), to_host(x),
                                                       static_cast<Vector>(beta), to_host(before), to_host(y));
        EXPECT_LE(error, 1.0) << what << ", alpha " << alpha << ", beta " << beta;
      }
    }
  }

  /// An x of infinities makes every row that is not empty infinite or NaN, and no other.
  template <class Matrix>
  void check_infinite_x(const NamedMatrix& named, const Matrix& matrix) {
    const Device x("x", matrix.num_cols), y("y", matrix.num_rows);
    Kokkos::deep_copy(x, std::numeric_limits<double>::infinity());
    krylite::spmv(exec_, 1.0, matrix, x, 0.0, y);
    exec_.fence();
    const auto host = to_host(y);
    for (krylite::Index r = 0; r < matrix.num_rows; ++r) {
      const bool is_empty = named.csr.row_pointers(r) == named.csr.row_pointers(r + 1);
      EXPECT_EQ(std::isfinite(host(r)), is_empty) << named.name << ", row " << r;
    }
  }

  typename Combination::ExecutionSpace exec_;
};

}  // namespace krylite_test

#endif
