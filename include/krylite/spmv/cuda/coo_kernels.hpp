#ifndef KRYLITE_SPMV_CUDA_COO_KERNELS_HPP
#define KRYLITE_SPMV_CUDA_COO_KERNELS_HPP

/// \file
/// COO on CUDA devices: a block sums the rows of a chunk of entries, and rows that chunks share are joined by
/// carries. Flops 2 nnz; bytes nnz (value + 8) + rows with entries, y twice, + (at best) columns x.
/// Instantiated in src/cuda/spmv_coo.cu for the types of csr_kernels.hpp. Source: Bell and Garland 2009, with
/// carries for what they add atomically or one chunk after the other.

#include <krylite/spmv/cuda/arrays.hpp>
#include <krylite/spmv/cuda/tuning.hpp>

namespace krylite {
namespace cuda {

/// COO (formats/coo.hpp).
template <class V>
struct CooArrays {
  std::int32_t num_rows;
  std::int64_t num_entries;
  const std::int32_t* rows;
  const std::int32_t* columns;
  const V* values;
};

/// Chunks, and so carries, of the product.
constexpr std::int64_t coo_chunks(std::int64_t num_entries) {
  constexpr std::int64_t chunk = tuning::balanced_threads * tuning::balanced_items;
  return (num_entries + chunk - 1) / chunk;
}

/// y = beta y; beta = 0 does not read y.
template <class T>
void scale_rows(Stream stream, std::int32_t num_rows, T beta, const Vectors<T>& y);

/// y += alpha A x, whatever beta is; one vector after the other.
/// \param carries scratch for `coo_chunks` sums
template <class V, class T>
void coo_add(Stream stream, const Product<CooArrays<V>, T>& product, const CarryArrays<T>& carries);

}  // namespace cuda
}  // namespace krylite

#endif
