#ifndef KRYLITE_PERF_TESTS_SPMV_PEERS_CUSPARSE_HPP
#define KRYLITE_PERF_TESTS_SPMV_PEERS_CUSPARSE_HPP

/// \file
/// Products y = A x of cuSPARSE on arrays that Krylite's formats hold.

#include <cusparse.h>

#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>

#include "support/load.hpp"

namespace krylite_perf {

inline void check_cusparse(cusparseStatus_t status, const char* what) {
  krylite::detail::require(status == CUSPARSE_STATUS_SUCCESS, what, ": ", cusparseGetErrorString(status));
}

template <class Scalar>
inline constexpr cudaDataType cuda_type = std::is_same_v<Scalar, double> ? CUDA_R_64F : CUDA_R_32F;

// cuSPARSE names its objects by pointers; here the last copy destroys them.
using CusparseHandle = std::shared_ptr<std::remove_pointer_t<cusparseHandle_t>>;
using CusparseMatrix = std::shared_ptr<std::remove_pointer_t<cusparseSpMatDescr_t>>;
using CusparseVector = std::shared_ptr<std::remove_pointer_t<cusparseDnVecDescr_t>>;

/// A handle whose calls go to the stream of `exec`.
inline CusparseHandle make_cusparse(const Execution& exec) {
  cusparseHandle_t handle = nullptr;
  check_cusparse(cusparseCreate(&handle), "cusparseCreate");
  const CusparseHandle result(handle, cusparseDestroy);
  check_cusparse(cusparseSetStream(handle, exec.cuda_stream()), "cusparseSetStream");
  return result;
}

inline int cusparse_version(const CusparseHandle& handle) {
  int version = 0;
  check_cusparse(cusparseGetVersion(handle.get(), &version), "cusparseGetVersion");
  return version;
}

template <class Scalar>
CusparseMatrix cusparse_matrix(const krylite::CsrMatrix<Scalar, std::int32_t, Memory>& csr) {
  cusparseSpMatDescr_t matrix = nullptr;
  check_cusparse(
      cusparseCreateCsr(&matrix, csr.num_rows, csr.num_cols, csr.num_entries(), csr.row_pointers.data(),
                        csr.columns.data(), csr.values.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                        CUSPARSE_INDEX_BASE_ZERO, cuda_type<Scalar>),
      "cusparseCreateCsr");
  return CusparseMatrix(matrix, cusparseDestroySpMat);
}

/// cuSPARSE's sliced ELL is laid out as Krylite's: position by position within a slice, slice pointers that count
/// stored entries, and column -1 where a row is filled up.
template <class Scalar>
CusparseMatrix cusparse_matrix(const krylite::SlicedEllMatrix<Scalar, std::int32_t, Memory>& sliced) {
  cusparseSpMatDescr_t matrix = nullptr;
  check_cusparse(
      cusparseCreateSlicedEll(&matrix, sliced.num_rows, sliced.num_cols, sliced.num_entries(),
                              sliced.stored_entries(), sliced.slice_size, sliced.slice_pointers.data(),
                              sliced.columns.data(), sliced.values.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_BASE_ZERO, cuda_type<Scalar>),
      "cusparseCreateSlicedEll");
  return CusparseMatrix(matrix, cusparseDestroySpMat);
}

template <class Scalar>
CusparseVector cusparse_vector(const Kokkos::View<Scalar*, Memory>& view) {
  cusparseDnVecDescr_t vector = nullptr;
  check_cusparse(
      cusparseCreateDnVec(&vector, static_cast<std::int64_t>(view.extent(0)), view.data(), cuda_type<Scalar>),
      "cusparseCreateDnVec");
  return CusparseVector(vector, cusparseDestroyDnVec);
}

/// y = A x by one algorithm of cuSPARSE, after whatever preparation it has.
/// \param matrix in CSR or sliced ELL; it and the vectors are kept as long as the result
template <class Scalar, class Matrix>
std::function<void()> cusparse_product(const CusparseHandle& handle, const Matrix& matrix,
                                       const Kokkos::View<Scalar*, Memory>& x,
                                       const Kokkos::View<Scalar*, Memory>& y, cusparseSpMVAlg_t algorithm) {
  constexpr auto op = CUSPARSE_OPERATION_NON_TRANSPOSE;
  constexpr auto type = cuda_type<Scalar>;
  const auto a = cusparse_matrix(matrix);
  const auto in = cusparse_vector(x);
  const auto out = cusparse_vector(y);
  const Scalar one = 1;
  const Scalar zero = 0;
  std::size_t bytes = 0;
  check_cusparse(cusparseSpMV_bufferSize(handle.get(), op, &one, a.get(), in.get(), &zero, out.get(), type, algorithm,
                                         &bytes),
                 "cusparseSpMV_bufferSize");
  const Kokkos::View<char*, Memory> buffer("krylite_perf::cusparse::buffer", bytes);
  const auto status = cusparseSpMV_preprocess(handle.get(), op, &one, a.get(), in.get(), &zero, out.get(), type,
                                              algorithm, buffer.data());
  // Not every algorithm has something to prepare.
  if (status != CUSPARSE_STATUS_NOT_SUPPORTED) check_cusparse(status, "cusparseSpMV_preprocess");
  return [=, arrays = std::make_tuple(matrix, x, y)] {
    check_cusparse(cusparseSpMV(handle.get(), op, &one, a.get(), in.get(), &zero, out.get(), type, algorithm,
                                buffer.data()),
                   "cusparseSpMV");
  };
}

}  // namespace krylite_perf

#endif
