#ifndef KRYLITE_PERF_TESTS_SPMV_PEERS_KOKKOS_KERNELS_HPP
#define KRYLITE_PERF_TESTS_SPMV_PEERS_KOKKOS_KERNELS_HPP

/// \file
/// Products y = A x of Kokkos Kernels on the arrays of Krylite's CSR. Where it was built with cuSPARSE as a "TPL", both
/// may be that one's; `kokkos_kernels_calls_cusparse` says so.

#include <KokkosKernels_config.h>

#include <KokkosSparse_spmv.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// The algorithms that can be asked for came with this header; before, there is the default alone.
#if __has_include(<KokkosSparse_spmv_handle.hpp>)
#include <KokkosSparse_spmv_handle.hpp>
#define KRYLITE_PERF_TESTS_SPMV_HANDLE
#endif

#include "support/load.hpp"

namespace krylite_perf {

#ifdef KOKKOSKERNELS_ENABLE_TPL_CUSPARSE
inline constexpr bool kokkos_kernels_calls_cusparse = true;
#else
inline constexpr bool kokkos_kernels_calls_cusparse = false;
#endif

/// The products there are, each with the name of its algorithm.
template <class Scalar>
std::vector<std::pair<std::string, std::function<void()>>> kokkos_kernels_products(
    const Execution& exec, const krylite::CsrMatrix<Scalar, std::int32_t, Memory>& csr,
    const Kokkos::View<Scalar*, Memory>& x, const Kokkos::View<Scalar*, Memory>& y) {
  const auto crs = krylite::to_crs_matrix(csr);
#ifdef KRYLITE_PERF_TESTS_SPMV_HANDLE
  using Handle = KokkosSparse::SPMVHandle<Execution, std::remove_const_t<decltype(crs)>, Kokkos::View<Scalar*, Memory>,
                                          Kokkos::View<Scalar*, Memory>>;
  const auto product = [=](KokkosSparse::SPMVAlgorithm algorithm) -> std::function<void()> {
    const auto handle = std::make_shared<Handle>(algorithm);
    return [=] { KokkosSparse::spmv(exec, handle.get(), "N", Scalar(1), crs, x, Scalar(0), y); };
  };
  return {{"default", product(KokkosSparse::SPMV_DEFAULT)}, {"merge_path", product(KokkosSparse::SPMV_MERGE_PATH)}};
#else
  exec.fence();
  return {{"default", [=] { KokkosSparse::spmv("N", Scalar(1), crs, x, Scalar(0), y); }}};
#endif
}

}  // namespace krylite_perf

#endif
