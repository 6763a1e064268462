#ifndef KRYLITE_SPMV_CUDA_CSR_KERNELS_HPP
#define KRYLITE_SPMV_CUDA_CSR_KERNELS_HPP

/// \file
/// CSR products on CUDA devices. Flops 2 nnz; bytes nnz (value + 4) + (rows + 1) offset + rows y + (at best)
/// columns x. Instantiated in src/cuda/spmv_csr.cu for (V, T) = (double, double), (float, float), (float,
/// double), (Half, double) and offsets of 32 and 64 bits. Sources: rgcsr article, section 3 (scalar and
/// vector); Merrill and Garland 2016 (equal shares of rows and entries).

#include <krylite/spmv/cuda/arrays.hpp>
#include <krylite/spmv/cuda/tuning.hpp>

namespace krylite {
namespace cuda {

/// CSR (formats/csr.hpp).
template <class V, class Offset>
struct CsrArrays {
  std::int32_t num_rows;
  std::int64_t num_entries;
  const Offset* row_pointers;
  const std::int32_t* columns;
  const V* values;
};

/// A thread a row.
template <class V, class T, class Offset>
void csr_scalar(Stream stream, const Product<CsrArrays<V, Offset>, T>& product);

/// A part of a warp a row, 2 to 32 threads by the mean row length. Reads the matrix once for four vectors.
template <class V, class T, class Offset>
void csr_vector(Stream stream, const Product<CsrArrays<V, Offset>, T>& product);

/// Chunks, and so carries, of the balanced product.
constexpr std::int64_t csr_balanced_chunks(std::int64_t num_rows, std::int64_t num_entries) {
  constexpr std::int64_t chunk = tuning::balanced_threads * tuning::balanced_items;
  return (num_rows + num_entries + chunk - 1) / chunk;
}

/// A block for each chunk of equally many rows and entries; long rows are cut, and their sums added in another kernel.
/// One vector after the other. \param carries scratch for `csr_balanced_chunks` sums \param first_rows scratch for one
/// number more: a first kernel finds the rows of all chunks at once, since a block would wait for its search
template <class V, class T, class Offset>
void csr_balanced(Stream stream, const Product<CsrArrays<V, Offset>, T>& product, const CarryArrays<T>& carries,
                  std::int32_t* first_rows);

}  // namespace cuda
}  // namespace krylite

#endif
