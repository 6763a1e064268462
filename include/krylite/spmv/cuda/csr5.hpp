#ifndef KRYLITE_SPMV_CUDA_CSR5_HPP
#define KRYLITE_SPMV_CUDA_CSR5_HPP

#include <krylite/core/kokkos_compat.hpp>

#ifdef KOKKOS_ENABLE_CUDA

#include <krylite/formats/csr5.hpp>
#include <krylite/spmv/carries.hpp>
#include <krylite/spmv/cuda/csr.hpp>
#include <krylite/spmv/cuda/csr5_kernels.hpp>
#include <krylite/spmv/cuda/native.hpp>

namespace krylite {
namespace detail {

template <class Scalar, class Offset>
cuda::Csr5Arrays<typename CudaValue<Scalar>::type, Offset> cuda_arrays(
    const Csr5Matrix<Scalar, Offset, Kokkos::CudaSpace>& A) {
  return {A.num_rows,
          A.sigma,
          A.tail_row,
          A.descriptor_words(),
          A.y_offset_bits(),
          A.num_entries(),
          A.row_pointers.data(),
          A.columns.data(),
          cuda_values(A.values.data()),
          A.tile_pointers.data(),
          A.tile_descriptors.data(),
          A.empty_offset_pointers.data(),
          A.empty_offsets.data()};
}

/// CSR5 on a CUDA device, where a tile is as wide as a warp and the descriptor of a lane fits 64 bits.
template <class T, class Scalar, class Offset, class X, class Y>
bool multiply_cuda(const Kokkos::Cuda& exec, T alpha, const Csr5Matrix<Scalar, Offset, Kokkos::CudaSpace>& A,
                   const VectorBlock<const X>& x, T beta, const VectorBlock<Y>& y,
                   SpmvWorkspace<Kokkos::CudaSpace>& workspace, const SpmvOptions&) {
  if constexpr (has_cuda_kernel<Scalar, X, Y>) {
    if (A.omega != 32 || A.descriptor_words() > 2) return false;
    const auto arrays = cuda_arrays(A);
    const cuda::Product<std::remove_const_t<decltype(arrays)>, T> product = {alpha, arrays, cuda_vectors(x),
                                                                             beta, cuda_vectors(y)};
    const std::int64_t sums = A.num_tiles() + 1;
    const auto carries = x.count < 4 ? cuda_carries(make_carries<T, 1>(exec, workspace, sums))
                                     : cuda_carries(make_carries<T, 4>(exec, workspace, sums));
    cuda::csr5(exec.cuda_stream(), product, carries);
    return true;
  } else {
    return false;
  }
}

}  // namespace detail
}  // namespace krylite

#endif  // KOKKOS_ENABLE_CUDA

#endif
