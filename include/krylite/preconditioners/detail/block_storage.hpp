#ifndef KRYLITE_PRECONDITIONERS_DETAIL_BLOCK_STORAGE_HPP
#define KRYLITE_PRECONDITIONERS_DETAIL_BLOCK_STORAGE_HPP

/// \file
/// How the inverses of blocks are stored, and their products with vectors. Arithmetic is double whatever the storage.

#include <krylite/core/half.hpp>
#include <krylite/preconditioners/detail/dense_block.hpp>

#include <cstdint>

namespace krylite {

/// Storage of the inverse of a block; `automatic` chooses for each block by its condition number.
enum class BlockStorage : std::uint8_t { automatic, float64, float32, float16 };

namespace detail {

/// Bytes of a block: a multiple of 8, so that any storage can follow.
KOKKOS_INLINE_FUNCTION std::int64_t block_bytes(Index size, BlockStorage storage) {
  const std::int64_t width = storage == BlockStorage::float64 ? 8 : storage == BlockStorage::float32 ? 4 : 2;
  return (size * size * width + 7) / 8 * 8;
}

/// The narrowest storage whose unit roundoff times `condition` is at most `threshold`; float64 where none is, and for
/// a condition number that is infinite or NaN.
KOKKOS_INLINE_FUNCTION BlockStorage storage_for(double condition, double threshold) {
  if (0x1p-11 * condition <= threshold) return BlockStorage::float16;
  if (0x1p-24 * condition <= threshold) return BlockStorage::float32;
  return BlockStorage::float64;
}

/// The power of two that takes the largest entry of a block to [2^14, 2^15) before it is narrowed. That is where
/// float16 has most room: only what is below 2^-28 of the largest entry becomes subnormal.
/// \param largest magnitude in the block; 0 and NaN need no factor
KOKKOS_INLINE_FUNCTION double narrowing_factor(double largest) {
  return largest > 0 ? ldexp(1.0, ilogb(largest) - 14) : 1.0;
}

/// Stores a block as entries / factor, each rounded once, and zeros up to `bytes`, so that every byte is determined.
template <class Code>
KOKKOS_INLINE_FUNCTION void encode_block(const DenseBlock& block, double factor, std::int64_t bytes, Code* codes) {
  const Index entries = block.size * block.size;
  const auto stored = static_cast<Index>(bytes / static_cast<std::int64_t>(sizeof(Code)));
  for (Index k = 0; k < entries; ++k) codes[k] = static_cast<Code>(block.values[k] / factor);
  for (Index k = entries; k < stored; ++k) codes[k] = static_cast<Code>(0.0);
}

/// y = block * x in `Rows` rows, by one thread: their sums stay in registers, and on hosts in vectors.
/// \param codes of the first of these rows in column 0
/// \param size of the whole block
/// \param first row of the block
/// \param row the first row of y that is written
template <int Rows, class Code, class X, class Y>
KOKKOS_INLINE_FUNCTION void multiply_rows(const Code* codes, Index size, double factor, const X& x, std::int64_t first,
                                          const Y& y, std::int64_t row) {
  double sums[Rows] = {};
  for (Index j = 0; j < size; ++j, codes += size) {
    // The factor meets x first: codes are large, and their products with x could overflow where y does not.
    const double scaled = factor * x(first + j);
    for (int i = 0; i < Rows; ++i) sums[i] += static_cast<double>(codes[i]) * scaled;
  }
  for (int i = 0; i < Rows; ++i) y(row + i) = sums[i];
}

/// The same for all rows of the block.
template <class Code, class X, class Y>
KOKKOS_INLINE_FUNCTION void multiply_block(const Code* codes, Index size, double factor, const X& x, std::int64_t first,
                                           const Y& y) {
  // Sixteen rows read columns of blocks of that size whole, so that the values stream by in their order.
  Index i = 0;
  for (; i + 16 <= size; i += 16) multiply_rows<16>(codes + i, size, factor, x, first, y, first + i);
  for (; i + 8 <= size; i += 8) multiply_rows<8>(codes + i, size, factor, x, first, y, first + i);
  for (; i + 4 <= size; i += 4) multiply_rows<4>(codes + i, size, factor, x, first, y, first + i);
  for (; i < size; ++i) multiply_rows<1>(codes + i, size, factor, x, first, y, first + i);
}

/// body(codes) with the entries of block b as what they are stored as.
template <class Blocks, class Body>
KOKKOS_INLINE_FUNCTION void with_codes(const Blocks& blocks, std::int64_t b, const Body& body) {
  unsigned char* const bytes = blocks.values.data() + blocks.offsets(b);
  switch (blocks.storages(b)) {
    case BlockStorage::float16: body(reinterpret_cast<Float16*>(bytes)); break;
    case BlockStorage::float32: body(reinterpret_cast<float*>(bytes)); break;
    default: body(reinterpret_cast<double*>(bytes));
  }
}

/// Writes the inverses, which are in `work` from `starts` on, into the values as they are to be stored.
template <class ExecutionSpace, class Blocks, class Starts, class Work>
void encode_blocks(const ExecutionSpace& exec, const Blocks& blocks, const Starts& starts, const Work& work) {
  Kokkos::parallel_for(
      "krylite::block_jacobi::encode", range(exec, blocks.num_blocks()), KOKKOS_LAMBDA(const std::int64_t b) {
        const DenseBlock block{work.data() + starts(b), blocks.size_of(b)};
        const double factor = blocks.factors(b);
        const std::int64_t bytes = blocks.offsets(b + 1) - blocks.offsets(b);
        with_codes(blocks, b, [&](auto* codes) { encode_block(block, factor, bytes, codes); });
      });
}

/// y = M^-1 x with a thread a block.
template <class ExecutionSpace, class Blocks, class X, class Y>
void multiply_by_blocks(const ExecutionSpace& exec, const Blocks& blocks, const X& x, const Y& y) {
  Kokkos::parallel_for(
      "krylite::block_jacobi::apply", range(exec, blocks.num_blocks()), KOKKOS_LAMBDA(const std::int64_t b) {
        const std::int64_t first = blocks.block_pointers(b);
        const Index size = blocks.size_of(b);
        const double factor = blocks.factors(b);
        with_codes(blocks, b, [&](const auto* codes) { multiply_block(codes, size, factor, x, first, y); });
      });
}

/// The same with a thread a row: neighbouring threads read neighbouring entries.
template <class ExecutionSpace, class Blocks, class X, class Y>
void multiply_by_rows(const ExecutionSpace& exec, const Blocks& blocks, const X& x, const Y& y) {
  Kokkos::parallel_for(
      "krylite::block_jacobi::apply", range(exec, blocks.num_rows), KOKKOS_LAMBDA(const std::int64_t row) {
        const std::int64_t b = blocks.block_size > 0 ? row / blocks.block_size : blocks.row_blocks(row);
        const std::int64_t first = blocks.block_pointers(b);
        const Index size = blocks.size_of(b);
        const double factor = blocks.factors(b);
        with_codes(blocks, b, [&](const auto* codes) {
          multiply_rows<1>(codes + (row - first), size, factor, x, first, y, row);
        });
      });
}

}  // namespace detail
}  // namespace krylite

#endif
