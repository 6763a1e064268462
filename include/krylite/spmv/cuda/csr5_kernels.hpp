#ifndef KRYLITE_SPMV_CUDA_CSR5_KERNELS_HPP
#define KRYLITE_SPMV_CUDA_CSR5_KERNELS_HPP

/// \file
/// CSR5 product on CUDA devices: a warp a tile. Flops 2 nnz; bytes nnz (value + 4) + tiles (4 + 4 W omega) +
/// rows y + (at best) columns x. Instantiated in src/cuda/spmv_csr5.cu for the types of csr_kernels.hpp.
/// Source: csr5 article, section 4.

#include <krylite/spmv/cuda/arrays.hpp>
#include <krylite/spmv/cuda/tuning.hpp>

namespace krylite {
namespace cuda {

/// CSR5 (formats/csr5.hpp) with 32 lanes a tile, whose descriptors take at most two words.
template <class V, class Offset>
struct Csr5Arrays {
  std::int32_t num_rows;
  std::int32_t sigma;
  std::int32_t tail_row;
  std::int32_t descriptor_words;
  std::int32_t y_offset_bits;
  std::int64_t num_entries;
  const Offset* row_pointers;
  const std::int32_t* columns;
  const V* values;
  const std::uint32_t* tile_pointers;
  const std::uint32_t* tile_descriptors;
  const Offset* empty_offset_pointers;  ///< as empty_offsets, not read where no tile is marked
  const std::int32_t* empty_offsets;
};

/// Reads the matrix once for four vectors.
/// \param carries scratch for a sum of each tile and of the tail, and of each of four vectors where there are
/// so many
template <class V, class T, class Offset>
void csr5(Stream stream, const Product<Csr5Arrays<V, Offset>, T>& product, const CarryArrays<T>& carries);

}  // namespace cuda
}  // namespace krylite

#endif
