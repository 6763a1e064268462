#ifndef KRYLITE_SPMV_CUDA_COO_HPP
#define KRYLITE_SPMV_CUDA_COO_HPP

#include <krylite/core/kokkos_compat.hpp>

#ifdef KOKKOS_ENABLE_CUDA

#include <krylite/formats/coo.hpp>
#include <krylite/spmv/carries.hpp>
#include <krylite/spmv/cuda/coo_kernels.hpp>
#include <krylite/spmv/cuda/csr.hpp>
#include <krylite/spmv/cuda/native.hpp>

namespace krylite {
namespace detail {

/// y += alpha A x on a CUDA device.
template <class T, class Scalar, class Offset>
void add_entries_cuda(const Kokkos::Cuda& exec, T alpha,
                      const CooMatrix<Scalar, Offset, Kokkos::CudaSpace>& A, const VectorBlock<const T>& x,
                      const VectorBlock<T>& y, SpmvWorkspace<Kokkos::CudaSpace>& workspace) {
  using Arrays = cuda::CooArrays<typename CudaValue<Scalar>::type>;
  const Arrays arrays = {A.num_rows, A.num_entries(), A.rows.data(), A.columns.data(),
                         cuda_values(A.values.data())};
  const cuda::Product<Arrays, T> product = {alpha, arrays, cuda_vectors(x), T(1), cuda_vectors(y)};
  const auto carries = make_carries<T, 1>(exec, workspace, cuda::coo_chunks(A.num_entries()));
  cuda::coo_add(exec.cuda_stream(), product, cuda_carries(carries));
}

/// COO on a CUDA device: y = beta y, to which the entries are added.
template <class T, class Scalar, class Offset, class X, class Y>
bool multiply_cuda(const Kokkos::Cuda& exec, T alpha, const CooMatrix<Scalar, Offset, Kokkos::CudaSpace>& A,
                   const VectorBlock<const X>& x, T beta, const VectorBlock<Y>& y,
                   SpmvWorkspace<Kokkos::CudaSpace>& workspace, const SpmvOptions&) {
  if constexpr (has_cuda_kernel<Scalar, X, Y>) {
    cuda::scale_rows(exec.cuda_stream(), A.num_rows, beta, cuda_vectors(y));
    add_entries_cuda(exec, alpha, A, x, y, workspace);
    return true;
  } else {
    return false;
  }
}

}  // namespace detail
}  // namespace krylite

#endif  // KOKKOS_ENABLE_CUDA

#endif
