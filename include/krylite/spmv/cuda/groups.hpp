#ifndef KRYLITE_SPMV_CUDA_GROUPS_HPP
#define KRYLITE_SPMV_CUDA_GROUPS_HPP

#include <krylite/core/kokkos_compat.hpp>

#ifdef KOKKOS_ENABLE_CUDA

#include <krylite/formats/adaptive_rgcsr.hpp>
#include <krylite/formats/ell.hpp>
#include <krylite/formats/rgcsr.hpp>
#include <krylite/formats/sliced_ell.hpp>
#include <krylite/spmv/cuda/groups_kernels.hpp>
#include <krylite/spmv/cuda/native.hpp>

namespace krylite {
namespace detail {

/// Positions of a row, rounded up.
inline std::int64_t mean_width(std::int64_t stored, std::int64_t rows) {
  return rows > 0 ? (stored + rows - 1) / rows : 0;
}

/// The slots of an RgCSR matrix as the kernels see them.
template <class Scalar, class Offset>
cuda::Groups<typename CudaValue<Scalar>::type, Offset> cuda_groups(
    const RgCsrMatrix<Scalar, Offset, Kokkos::CudaSpace>& matrix) {
  cuda::Groups<typename CudaValue<Scalar>::type, Offset> groups;
  groups.group_size = matrix.group_size;
  groups.num_slots = matrix.num_rows;
  // The rows that fill up the last group are stored too.
  groups.width = mean_width(matrix.stored_entries(), std::int64_t(matrix.num_groups()) * matrix.group_size);
  groups.values = cuda_values(matrix.values.data());
  if (matrix.columns.extent(0) > 0) groups.columns = matrix.columns.data();
  groups.group_pointers = matrix.group_pointers.data();
  groups.row_lengths = matrix.row_lengths.data();
  if (matrix.short_row_lengths.extent(0) > 0) groups.short_row_lengths = matrix.short_row_lengths.data();
  if (matrix.is_packed()) groups.column_pointers = matrix.column_pointers.data();
  groups.column_offsets = matrix.column_offsets.data();
  groups.column_bases = matrix.column_bases.data();
  return groups;
}

template <class T, class Scalar, class Offset, class X, class Y>
bool multiply_cuda(const Kokkos::Cuda& exec, T alpha, const RgCsrMatrix<Scalar, Offset, Kokkos::CudaSpace>& matrix,
                   const VectorBlock<const X>& x, T beta, const VectorBlock<Y>& y, SpmvWorkspace<Kokkos::CudaSpace>&,
                   const SpmvOptions&) {
  if constexpr (has_cuda_kernel<Scalar, X, Y>) {
    const auto* const order = matrix.row_order.extent(0) > 0 ? matrix.row_order.data() : nullptr;
    cuda::multiply_groups(exec.cuda_stream(), cuda_groups(matrix), cuda_vectors(x),
                          cuda::SlotTargets<T>{order, nullptr, cuda_vectors(y), alpha, beta});
    return true;
  }
  return false;
}

template <class T, class Scalar, class Offset, class X, class Y>
bool multiply_cuda(const Kokkos::Cuda& exec, T alpha,
                   const AdaptiveRgCsrMatrix<Scalar, Offset, Kokkos::CudaSpace>& matrix,
                   const VectorBlock<const X>& x, T beta, const VectorBlock<Y>& y,
                   SpmvWorkspace<Kokkos::CudaSpace>& workspace, const SpmvOptions&) {
  if constexpr (has_cuda_kernel<Scalar, X, Y>) {
    T* const partials =
        workspace.template get<T>(exec, static_cast<std::size_t>(matrix.num_partials() * x.count));
    const cuda::SlotTargets<T> out = {matrix.targets.data(), partials, cuda_vectors(y), alpha, beta};
    cuda::multiply_groups(exec.cuda_stream(), cuda_groups(matrix.pieces), cuda_vectors(x), out);
    cuda::add_pieces(exec.cuda_stream(), matrix.long_rows.data(), matrix.long_pointers.data(),
                     static_cast<std::int64_t>(matrix.long_rows.extent(0)), out);
    return true;
  }
  return false;
}

template <class T, class Scalar, class Offset, class X, class Y>
bool multiply_cuda(const Kokkos::Cuda& exec, T alpha, const EllMatrix<Scalar, Offset, Kokkos::CudaSpace>& matrix,
                   const VectorBlock<const X>& x, T beta, const VectorBlock<Y>& y, SpmvWorkspace<Kokkos::CudaSpace>&,
                   const SpmvOptions&) {
  if constexpr (has_cuda_kernel<Scalar, X, Y>) {
    const cuda::Groups<typename CudaValue<Scalar>::type, Offset> rows = {
        matrix.stride, matrix.num_rows, matrix.width, cuda_values(matrix.values.data()), matrix.columns.data()};
    cuda::multiply_groups(exec.cuda_stream(), rows, cuda_vectors(x),
                          cuda::SlotTargets<T>{nullptr, nullptr, cuda_vectors(y), alpha, beta});
    return true;
  }
  return false;
}

template <class T, class Scalar, class Offset, class X, class Y>
bool multiply_cuda(const Kokkos::Cuda& exec, T alpha, const SlicedEllMatrix<Scalar, Offset, Kokkos::CudaSpace>& matrix,
                   const VectorBlock<const X>& x, T beta, const VectorBlock<Y>& y, SpmvWorkspace<Kokkos::CudaSpace>&,
                   const SpmvOptions&) {
  if constexpr (has_cuda_kernel<Scalar, X, Y>) {
    cuda::Groups<typename CudaValue<Scalar>::type, Offset> rows = {
        matrix.slice_size, matrix.num_rows, mean_width(matrix.stored_entries(), matrix.num_rows),
        cuda_values(matrix.values.data()), matrix.columns.data()};
    rows.group_pointers = matrix.slice_pointers.data();
    cuda::multiply_groups(exec.cuda_stream(), rows, cuda_vectors(x),
                          cuda::SlotTargets<T>{nullptr, nullptr, cuda_vectors(y), alpha, beta});
    return true;
  }
  return false;
}

}  // namespace detail
}  // namespace krylite

#endif
#endif
