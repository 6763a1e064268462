#ifndef KRYLITE_SPMV_CUDA_HYB_HPP
#define KRYLITE_SPMV_CUDA_HYB_HPP

#include <krylite/core/kokkos_compat.hpp>

#ifdef KOKKOS_ENABLE_CUDA

#include <krylite/formats/hyb.hpp>
#include <krylite/spmv/cuda/coo.hpp>
#include <krylite/spmv/cuda/native.hpp>

namespace krylite {
namespace detail {

/// Hybrid on a CUDA device: the product of the ELL part, which writes all rows of y, and then the COO part is
/// added.
template <class T, class Scalar, class Offset, class X, class Y>
bool multiply_cuda(const Kokkos::Cuda& exec, T alpha, const HybMatrix<Scalar, Offset, Kokkos::CudaSpace>& A,
                   const VectorBlock<const X>& x, T beta, const VectorBlock<Y>& y,
                   SpmvWorkspace<Kokkos::CudaSpace>& workspace, const SpmvOptions& options) {
  if constexpr (has_cuda_kernel<Scalar, X, Y>) {
    if (A.ell.width == 0) {
      cuda::scale_rows(exec.cuda_stream(), A.num_rows, beta, cuda_vectors(y));
    } else if (!multiply_cuda(exec, alpha, A.ell, x, beta, y, workspace, options)) {
      return false;
    }
    add_entries_cuda(exec, alpha, A.coo, x, y, workspace);
    return true;
  } else {
    return false;
  }
}

}  // namespace detail
}  // namespace krylite

#endif  // KOKKOS_ENABLE_CUDA

#endif
