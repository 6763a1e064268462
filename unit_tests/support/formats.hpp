#ifndef KRYLITE_UNIT_TESTS_SUPPORT_FORMATS_HPP
#define KRYLITE_UNIT_TESTS_SUPPORT_FORMATS_HPP

/// \file
/// What every format must pass, given how it is made: `make(exec, csr)`.

#include "support/product_test.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace krylite_test {

/// Every combination, and Float16 values.
using FormatCombinations =
    typename Join<Combinations, ::testing::Types<Combination<krylite::Float16, double, std::int32_t,
                                                             Kokkos::DefaultExecutionSpace>>>::type;

/// body(name, csr on the device, the same values as HostCsr) for every battery matrix.
template <class Combination, class Body>
void for_battery(const Body& body) {
  using Csr = typename Combination::Csr;
  for (const NamedMatrix& matrix : Combination::matrices()) {
    const Csr csr =
        convert<typename Csr::scalar_type, typename Csr::offset_type, typename Csr::memory_space>(matrix.csr);
    const HostCsr host = krylite::convert_types<double, std::int64_t>(Kokkos::DefaultHostExecutionSpace(),
                                                                      krylite::copy_to<Kokkos::HostSpace>(csr));
    body(matrix.name, csr, host);
  }
}

/// Back to CSR exactly, before and after new values.
template <class Combination, class Make>
void expect_exact_round_trips(const Make& make) {
  const typename Combination::ExecutionSpace exec;
  for_battery<Combination>([&](const std::string& name, const auto& csr, const HostCsr&) {
    const auto matrix = make(exec, csr);
    EXPECT_EQ(csr.num_entries(), matrix.num_entries()) << name;
    EXPECT_EQ(matrix.stored_entries() - csr.num_entries(), matrix.artificial_zeros()) << name;
    expect_same_matrix(csr, krylite::to_csr(exec, matrix), name);

    auto changed = csr;
    changed.values = decltype(csr.values)("values", csr.values.extent(0));
    const auto host = Kokkos::create_mirror_view(changed.values);
    for (std::size_t k = 0; k < host.extent(0); ++k) {
      host(k) = static_cast<typename Combination::Scalar>(noise(k, 91));
    }
    Kokkos::deep_copy(changed.values, host);
    krylite::update_values(exec, changed, matrix);
    expect_same_matrix(changed, krylite::to_csr(exec, matrix), name + ", new values");
  });
}

/// `count` vectors of noise, entry by entry next to each other, between two that hold a sentinel.
template <class V, class MemorySpace>
struct StridedVectors {
  using Block = Kokkos::View<V**, Kokkos::LayoutRight, MemorySpace>;
  static constexpr double sentinel = 77;
  Block all;
  int count;

  StridedVectors(std::int64_t size, int number, std::uint64_t seed) : all("vectors", size, number + 2), count(number) {
    const auto host = Kokkos::create_mirror_view(all);
    for (std::int64_t i = 0; i < size; ++i) {
      for (int v = 0; v < number + 2; ++v) {
        host(i, v) = static_cast<V>(v == 0 || v == number + 1 ? sentinel : noise(i * 16 + v, seed));
      }
    }
    Kokkos::deep_copy(all, host);
  }
  auto vectors() const { return Kokkos::subview(all, Kokkos::ALL(), std::make_pair(1, count + 1)); }
  auto to_host() const { return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), all); }
};

/// One product for several strided vectors against the reference. \param reference the matrix as it is multiplied
template <class Combination, class Matrix>
void expect_right_block_product(const std::string& what, const Matrix& matrix, const HostCsr& reference, int count,
                                double alpha, double beta, const krylite::SpmvOptions& options) {
  using V = typename Combination::Vector;
  using Vectors = StridedVectors<V, typename Combination::MemorySpace>;
  const typename Combination::ExecutionSpace exec;
  const Vectors x(reference.num_cols, count, 3);
  const Vectors before(reference.num_rows, count, 4);
  const Vectors y(reference.num_rows, count, 4);
  // beta = 0 must not read what is in y.
  if (beta == 0) Kokkos::deep_copy(y.vectors(), std::numeric_limits<V>::quiet_NaN());
  krylite::spmv(exec, alpha, matrix, x.vectors(), beta, y.vectors(), options);
  exec.fence();
  const auto host_x = x.to_host();
  const auto host_before = before.to_host();
  const auto host_y = y.to_host();
  for (int v = 1; v <= count; ++v) {
    const auto column = [&](const auto& block) { return Kokkos::subview(block, Kokkos::ALL(), v); };
    const double error = krylite::max_scaled_error(reference, static_cast<V>(alpha), column(host_x),
                                                   static_cast<V>(beta), column(host_before), column(host_y));
    EXPECT_LE(error, 1.0) << what << ", vector " << v << ", alpha " << alpha << ", beta " << beta;
  }
  for (krylite::Index row = 0; row < reference.num_rows; ++row) {
    EXPECT_EQ(host_y(row, 0), V(Vectors::sentinel)) << what;
    EXPECT_EQ(host_y(row, count + 1), V(Vectors::sentinel)) << what;
  }
}

/// One product for one contiguous vector against the reference.
template <class Combination, class Matrix>
void expect_right_product(const std::string& what, const Matrix& matrix, const HostCsr& reference, double alpha,
                          double beta, const krylite::SpmvOptions& options) {
  using V = typename Combination::Vector;
  using Vector = Kokkos::View<V*, typename Combination::MemorySpace>;
  const typename Combination::ExecutionSpace exec;
  const Vector x = noise_vector<Vector>(reference.num_cols, 5);
  const Vector before = noise_vector<Vector>(reference.num_rows, 6);
  const Vector y("y", reference.num_rows);
  Kokkos::deep_copy(y, before);
  if (beta == 0) Kokkos::deep_copy(y, std::numeric_limits<V>::quiet_NaN());
  krylite::spmv(exec, alpha, matrix, x, beta, y, options);
  exec.fence();
  const double error = krylite::max_scaled_error(reference, static_cast<V>(alpha), to_host(x), static_cast<V>(beta),
                                                 to_host(before), to_host(y));
  EXPECT_LE(error, 1.0) << what << ", alpha " << alpha << ", beta " << beta;
}

/// A and A^T, one vector and several, portable and automatic kernel, all factors.
template <class Combination, class Make>
void expect_right_products(const Make& make) {
  const typename Combination::ExecutionSpace exec;
  for_battery<Combination>([&](const std::string& name, const auto& csr, const HostCsr& host_csr) {
    const auto matrix = make(exec, csr);
    const auto host_transposed = transposed(host_csr);
    for (const bool is_transposed : {false, true}) {
      for (const krylite::Kernel kernel : {krylite::Kernel::portable, krylite::Kernel::automatic}) {
        if (is_transposed && kernel == krylite::Kernel::portable) continue;  // there is only one
        krylite::SpmvOptions options;
        options.transpose = is_transposed ? krylite::Transpose::yes : krylite::Transpose::no;
        options.kernel = kernel;
        const std::string what = name + (is_transposed ? ", transposed" : "");
        const auto& reference = is_transposed ? host_transposed : host_csr;
        for (const double alpha : factors) {
          for (const double beta : factors) {
            expect_right_product<Combination>(what, matrix, reference, alpha, beta, options);
          }
        }
        expect_right_block_product<Combination>(what, matrix, reference, 1, 2.5, -1.0, options);
        expect_right_block_product<Combination>(what, matrix, reference, 7, 1.0, 0.0, options);
        expect_right_block_product<Combination>(what, matrix, reference, 7, -1.0, 2.5, options);
      }
    }
  });
}

/// An infinite or NaN entry of x reaches the rows that have an entry in its column, and no others.
template <class Combination, class Make>
void expect_fill_is_not_multiplied(const Make& make) {
  using V = typename Combination::Vector;
  using Vector = Kokkos::View<V*, typename Combination::MemorySpace>;
  const typename Combination::ExecutionSpace exec;
  for_battery<Combination>([&](const std::string& name, const auto& csr, const HostCsr& host_csr) {
    if (host_csr.num_entries() == 0 || name == "extreme values") return;
    const auto matrix = make(exec, csr);
    const krylite::Index columns[] = {0, host_csr.columns(0), host_csr.columns(host_csr.num_entries() / 2)};
    for (const krylite::Index column : columns) {
      for (const double bad : {std::numeric_limits<double>::infinity(), std::nan("")}) {
        for (const krylite::Kernel kernel : {krylite::Kernel::portable, krylite::Kernel::automatic}) {
          const Vector x("x", csr.num_cols), y("y", csr.num_rows);
          Kokkos::deep_copy(x, V(1));
          Kokkos::deep_copy(Kokkos::subview(x, column), static_cast<V>(bad));
          krylite::spmv(exec, 1.0, matrix, x, 0.0, y, {krylite::Transpose::no, kernel, krylite::CsrKernel::automatic});
          exec.fence();
          const auto host_y = to_host(y);
          for (krylite::Index row = 0; row < csr.num_rows; ++row) {
            bool is_hit = false;
            for (std::int64_t k = host_csr.row_pointers(row); k < host_csr.row_pointers(row + 1); ++k) {
              is_hit = is_hit || host_csr.columns(k) == column;
            }
            EXPECT_EQ(std::isfinite(host_y(row)), !is_hit) << name << ", row " << row;
          }
        }
      }
    }
  });
}

/// The content of a View, for layouts by hand.
template <class View>
auto content(const View& view) {
  const auto host = to_host(view);
  std::vector<typename View::non_const_value_type> all(host.extent(0));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = host(i);
  return all;
}

/// A CSR of which only the row pointers exist: what decides about sizes may read nothing else.
/// \param length entries of each row
template <class Offset, class Length>
auto pointers_only(krylite::Index num_rows, krylite::Index num_cols, const Length& length) {
  krylite::CsrMatrix<double, Offset, Kokkos::HostSpace> csr;
  csr.num_rows = num_rows;
  csr.num_cols = num_cols;
  csr.row_pointers = decltype(csr.row_pointers)("row_pointers", std::size_t(num_rows) + 1);
  for (krylite::Index row = 0; row < num_rows; ++row) {
    csr.row_pointers(row + 1) = static_cast<Offset>(csr.row_pointers(row) + length(row));
  }
  return csr;
}

}  // namespace krylite_test

#endif
