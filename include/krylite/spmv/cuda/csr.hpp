#ifndef KRYLITE_SPMV_CUDA_CSR_HPP
#define KRYLITE_SPMV_CUDA_CSR_HPP

#include <krylite/core/kokkos_compat.hpp>

#ifdef KOKKOS_ENABLE_CUDA

#include <krylite/formats/csr.hpp>
#include <krylite/spmv/carries.hpp>
#include <krylite/spmv/cuda/csr_kernels.hpp>
#include <krylite/spmv/cuda/native.hpp>

namespace krylite {
namespace detail {

template <class T, int Count>
cuda::CarryArrays<T> cuda_carries(const Carries<T, Count>& carries) {
  return {carries.values, carries.rows, carries.num_chunks};
}

/// CSR on a CUDA device. `automatic` is balanced, since without the row lengths nothing tells whether a row
/// is long.
template <class T, class Scalar, class Offset, class X, class Y>
bool multiply_cuda(const Kokkos::Cuda& exec, T alpha, const CsrMatrix<Scalar, Offset, Kokkos::CudaSpace>& A,
                   const VectorBlock<const X>& x, T beta, const VectorBlock<Y>& y,
                   SpmvWorkspace<Kokkos::CudaSpace>& workspace, const SpmvOptions& options) {
  if constexpr (has_cuda_kernel<Scalar, X, Y>) {
    using Arrays = cuda::CsrArrays<typename CudaValue<Scalar>::type, Offset>;
    const Arrays arrays = {A.num_rows, A.num_entries(), A.row_pointers.data(), A.columns.data(),
                           cuda_values(A.values.data())};
    const cuda::Product<Arrays, T> product = {alpha, arrays, cuda_vectors(x), beta, cuda_vectors(y)};
    if (options.csr_kernel == CsrKernel::scalar) {
      cuda::csr_scalar(exec.cuda_stream(), product);
    } else if (options.csr_kernel == CsrKernel::vector) {
      cuda::csr_vector(exec.cuda_stream(), product);
    } else {
      const std::int64_t chunks = cuda::csr_balanced_chunks(A.num_rows, A.num_entries());
      // The rows of the carries, and behind them those in which the chunks begin.
      auto carries = make_carries<T, 1>(exec, workspace, 2 * chunks + 1);
      carries.num_chunks = chunks;
      cuda::csr_balanced(exec.cuda_stream(), product, cuda_carries(carries), carries.rows + chunks);
    }
    return true;
  } else {
    return false;
  }
}

}  // namespace detail
}  // namespace krylite

#endif  // KOKKOS_ENABLE_CUDA

#endif
