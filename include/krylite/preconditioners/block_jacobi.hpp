#ifndef KRYLITE_PRECONDITIONERS_BLOCK_JACOBI_HPP
#define KRYLITE_PRECONDITIONERS_BLOCK_JACOBI_HPP

/// \file
/// Block Jacobi, M = the blocks B_1, ..., B_k on the diagonal of A, with rows of a block next to each other. Each block
/// is inverted in float64, and its inverse is stored no wider than its condition number asks for:
///
///     storage = the narrowest of float16, float32, float64 with  u * cond(B) <= threshold,
///     cond(B) = ||B||_1 ||B^-1||_1,   u = 2^-11, 2^-24 or 2^-53
///
/// Rounding turns the inverse into B^-1 + E with ||E||_1 <= u ||B^-1||_1, thus M^-1 A has I + E B on its diagonal, and
/// ||E B||_1 <= u cond(B) <= threshold: below 1 the preconditioner stays invertible, and with the default of 0.1, the
/// source's choice, it keeps one decimal digit. float16 then takes blocks with condition numbers up to 204, float32 up
/// to 1.67e6. A power of two for each block keeps the entries of narrow storage away from overflow and underflow,
/// whatever the scale of A: entries that are subnormal in float16 add no more than 2^-34 of the largest to ||E||_1.
///
///     values   | B_1^-1: column 0, column 1, ... | B_2^-1 ... |    each block begins at a multiple of 8 bytes
///
/// Source: Anzt, Dongarra, Flegar, Higham, Quintana-Orti, "Adaptive precision in block-Jacobi preconditioning for
/// iterative sparse linear system solvers", 2019.

#include <krylite/core/algorithms.hpp>
#include <krylite/core/error.hpp>
#include <krylite/core/memory.hpp>
#include <krylite/core/traits.hpp>
#include <krylite/formats/convert/common.hpp>
#include <krylite/formats/csr.hpp>
#include <krylite/preconditioners/detail/block_storage.hpp>
#include <krylite/preconditioners/detail/dense_block.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace krylite {

struct BlockJacobiOptions {
  Index block_size = 4;                            ///< rows of a block, 1 to 32; unused with block pointers
  BlockStorage storage = BlockStorage::automatic;  ///< of every block
  double threshold = 0.1;  ///< for `automatic`: largest relative change of M that rounding may make, in [0, 1)
};

template <class MemorySpace = typename Kokkos::DefaultExecutionSpace::memory_space>
struct BlockJacobiPreconditioner {
  Index num_rows = 0;
  Index block_size = 0;                              ///< of all blocks but the last; 0 where blocks differ
  Kokkos::View<Index*, MemorySpace> block_pointers;  ///< first row of each block, and at the end num_rows
  Kokkos::View<Index*, MemorySpace> row_blocks;      ///< block of each row; empty where block_size says it
  Kokkos::View<BlockStorage*, MemorySpace> storages;
  Kokkos::View<double*, MemorySpace> factors;        ///< powers of two: B^-1 = factor * stored entries
  Kokkos::View<std::int64_t*, MemorySpace> offsets;  ///< first byte of each block among the values, and at the end all
  Kokkos::View<unsigned char*, MemorySpace> values;
  std::int64_t replaced = 0;  ///< blocks that are singular, exactly or but for rounding; the identity stands for them
  std::int64_t float64_blocks = 0;
  std::int64_t float32_blocks = 0;
  std::int64_t float16_blocks = 0;

  KOKKOS_INLINE_FUNCTION std::int64_t num_blocks() const { return static_cast<std::int64_t>(storages.extent(0)); }

  KOKKOS_INLINE_FUNCTION Index size_of(std::int64_t block) const {
    return block_pointers(block + 1) - block_pointers(block);
  }

  /// Memory of the arrays, in bytes.
  std::size_t bytes() const {
    return (block_pointers.extent(0) + row_blocks.extent(0)) * sizeof(Index) +
           storages.extent(0) * sizeof(BlockStorage) + factors.extent(0) * sizeof(double) +
           offsets.extent(0) * sizeof(std::int64_t) + values.extent(0);
  }

  /// y = M^-1 x; reads the values with 21 bytes a block, and moves 16 num_rows bytes of vectors; two flops an entry.
  /// A NaN in a block makes y NaN in all rows of that block.
  /// \param x in, \param y out, num_rows entries each; they must not overlap
  /// \throws Error where x or y has not num_rows entries
  template <class ExecutionSpace, class X, class Y>
  void apply(const ExecutionSpace& exec, const X& x, const Y& y) const {
    const auto rows = static_cast<std::size_t>(num_rows);
    detail::require(x.extent(0) == rows && y.extent(0) == rows, "block Jacobi of ", num_rows, " rows, but x has ",
                    x.extent(0), " entries and y ", y.extent(0));
    if constexpr (is_host_space<ExecutionSpace>) {
      detail::multiply_by_blocks(exec, *this, x, y);
    } else {
      detail::multiply_by_rows(exec, *this, x, y);
    }
  }
};

namespace detail {

/// Doubles that the inverse of a block takes while it is formed.
template <class Blocks>
struct WorkEntries {
  Blocks blocks;
  KOKKOS_INLINE_FUNCTION std::int64_t operator()(std::int64_t b) const {
    return std::int64_t(blocks.size_of(b)) * blocks.size_of(b);
  }
};

/// Bytes that it takes as it is stored.
template <class Blocks>
struct StoredBytes {
  Blocks blocks;
  KOKKOS_INLINE_FUNCTION std::int64_t operator()(std::int64_t b) const {
    return block_bytes(blocks.size_of(b), blocks.storages(b));
  }
};

/// Inverts every block into `work`, from `starts` on, and sets storages and factors. Waits, for the count.
/// \return blocks that were replaced
template <class ExecutionSpace, class Csr, class Blocks, class Starts, class Work>
std::int64_t invert_blocks(const ExecutionSpace& exec, const Csr& csr, const BlockJacobiOptions& options,
                           const Blocks& blocks, const Starts& starts, const Work& work) {
  std::int64_t replaced = 0;
  Kokkos::parallel_reduce(
      "krylite::block_jacobi::invert", range(exec, blocks.num_blocks()),
      KOKKOS_LAMBDA(const std::int64_t b, std::int64_t& count) {
        const DenseBlock block{work.data() + starts(b), blocks.size_of(b)};
        gather_block(csr, blocks.block_pointers(b), block);
        double condition = 0;
        count += invert_or_replace(csr, blocks.block_pointers(b), block, condition) ? 1 : 0;
        const bool chooses = options.storage == BlockStorage::automatic;
        const BlockStorage storage = chooses ? storage_for(condition, options.threshold) : options.storage;
        blocks.storages(b) = storage;
        blocks.factors(b) = storage == BlockStorage::float64 ? 1.0 : narrowing_factor(largest_magnitude(block));
      },
      replaced);
  return replaced;
}

template <class ExecutionSpace, class Blocks>
std::int64_t count_blocks_in(const ExecutionSpace& exec, const Blocks& blocks, BlockStorage storage) {
  return sum_of(
      exec, blocks.num_blocks(),
      KOKKOS_LAMBDA(const std::int64_t b)->std::int64_t { return blocks.storages(b) == storage ? 1 : 0; });
}

/// Everything but the partition into blocks, which is in `blocks` already.
template <class ExecutionSpace, class Csr, class MemorySpace>
void fill_block_jacobi(const ExecutionSpace& exec, const Csr& csr, const BlockJacobiOptions& options,
                       BlockJacobiPreconditioner<MemorySpace>& blocks) {
  using Blocks = BlockJacobiPreconditioner<MemorySpace>;
  const std::int64_t count = static_cast<std::int64_t>(blocks.block_pointers.extent(0)) - 1;
  allocate_array(exec, "krylite::block_jacobi::storages", count, blocks.storages);
  allocate_array(exec, "krylite::block_jacobi::factors", count, blocks.factors);
  allocate_array(exec, "krylite::block_jacobi::offsets", count + 1, blocks.offsets);

  decltype(blocks.offsets) starts;
  Kokkos::View<double*, MemorySpace> work;
  allocate_array(exec, "krylite::block_jacobi::starts", count + 1, starts);
  prefix_sums(exec, "krylite::block_jacobi::starts", count, starts, WorkEntries<Blocks>{blocks});
  allocate_array(exec, "krylite::block_jacobi::work", element(exec, starts, count), work);
  blocks.replaced = invert_blocks(exec, csr, options, blocks, starts, work);

  prefix_sums(exec, "krylite::block_jacobi::offsets", count, blocks.offsets, StoredBytes<Blocks>{blocks});
  allocate_array(exec, "krylite::block_jacobi::values", element(exec, blocks.offsets, count), blocks.values);
  encode_blocks(exec, blocks, starts, work);
  // The counts wait for all of it, so that `work` may go.
  blocks.float64_blocks = count_blocks_in(exec, blocks, BlockStorage::float64);
  blocks.float32_blocks = count_blocks_in(exec, blocks, BlockStorage::float32);
  blocks.float16_blocks = count_blocks_in(exec, blocks, BlockStorage::float16);
}

template <class Csr>
void require_block_jacobi(const Csr& csr, const BlockJacobiOptions& options) {
  require(csr.num_rows == csr.num_cols, "block Jacobi needs a square matrix, not ", csr.num_rows, " x ",
          csr.num_cols);
  require(options.threshold >= 0 && options.threshold < 1, "block Jacobi: the threshold must be in [0, 1), not ",
          options.threshold);
}

/// Refuses block pointers that are no partition of the rows into blocks of 1 to 32.
inline void require_block_pointers(const std::vector<Index>& pointers, Index num_rows) {
  require(!pointers.empty(), "block pointers need at least one entry, the 0 that they begin with");
  require(pointers.front() == 0 && pointers.back() == num_rows, "block pointers go from ", pointers.front(), " to ",
          pointers.back(), ", not from 0 to ", num_rows);
  for (std::size_t b = 0; b + 1 < pointers.size(); ++b) {
    const std::int64_t size = std::int64_t(pointers[b + 1]) - pointers[b];
    require(size >= 1 && size <= largest_block_size, "block ", b, " goes from ", pointers[b], " to ", pointers[b + 1],
            ": its size ", size, " is not from 1 to ", largest_block_size);
  }
}

/// A copy of the pointers on the host.
template <class Pointers>
std::vector<Index> pointers_on_host(const Pointers& pointers) {
  if constexpr (Kokkos::is_view<Pointers>::value) {
    static_assert(std::is_same_v<typename Pointers::non_const_value_type, Index>, "block pointers are of type Index");
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), pointers);
    std::vector<Index> copy(host.extent(0));
    for (std::size_t i = 0; i < copy.size(); ++i) copy[i] = host(i);
    return copy;
  } else {
    return pointers;
  }
}

/// Sets block_pointers from a checked copy, and the block of each row.
template <class ExecutionSpace, class MemorySpace>
void set_block_pointers(const ExecutionSpace& exec, const std::vector<Index>& pointers,
                        BlockJacobiPreconditioner<MemorySpace>& blocks) {
  using Copied = Kokkos::View<const Index*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  allocate_array(exec, "krylite::block_jacobi::block_pointers", static_cast<std::int64_t>(pointers.size()),
                 blocks.block_pointers);
  allocate_array(exec, "krylite::block_jacobi::row_blocks", blocks.num_rows, blocks.row_blocks);
  Kokkos::deep_copy(exec, blocks.block_pointers, Copied(pointers.data(), pointers.size()));
  const auto starts = blocks.block_pointers;
  const auto row_blocks = blocks.row_blocks;
  Kokkos::parallel_for(
      "krylite::block_jacobi::row_blocks", range(exec, static_cast<std::int64_t>(pointers.size()) - 1),
      KOKKOS_LAMBDA(const std::int64_t b) {
        for (Index row = starts(b); row < starts(b + 1); ++row) row_blocks(row) = static_cast<Index>(b);
      });
}

}  // namespace detail

/// Block Jacobi of a square matrix with blocks of options.block_size rows; the last one holds what is left. Entries
/// at the same place count as their sum. A block counts as singular where a pivot is exactly zero, the inverse is not
/// finite, or max_i (|B^-1| |B|)_ii, which no scaling of rows and columns changes, is above 1 / (4 eps size): then no
/// digit of the inverse can be trusted. Cost: 2 block_size^2 flops and, while it is set up, 8 block_size bytes a row.
/// Waits, since counts go to the host.
/// \throws Error where the matrix is not square, an option is out of its range or memory is short
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
BlockJacobiPreconditioner<MemorySpace> make_block_jacobi(const ExecutionSpace& exec,
                                                         const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                                                         const BlockJacobiOptions& options = {}) {
  detail::require_block_jacobi(csr, options);
  detail::require(options.block_size >= 1 && options.block_size <= detail::largest_block_size,
                  "block Jacobi: blocks have 1 to ", detail::largest_block_size, " rows, not ", options.block_size);
  BlockJacobiPreconditioner<MemorySpace> result;
  result.num_rows = csr.num_rows;
  result.block_size = options.block_size;
  const std::int64_t rows = csr.num_rows;
  const std::int64_t size = options.block_size;
  const std::int64_t count = (rows + size - 1) / size;
  detail::allocate_array(exec, "krylite::block_jacobi::block_pointers", count + 1, result.block_pointers);
  const auto pointers = result.block_pointers;
  Kokkos::parallel_for(
      "krylite::block_jacobi::block_pointers", detail::range(exec, count + 1),
      KOKKOS_LAMBDA(const std::int64_t b) { pointers(b) = static_cast<Index>(b < count ? b * size : rows); });
  detail::fill_block_jacobi(exec, csr, options, result);
  return result;
}

/// The same with blocks of different sizes, such as the unknowns of one node or element.
/// \param block_pointers rows of block b are [block_pointers[b], block_pointers[b + 1]): a std::vector of Index, or a
///   View of them on the host or the device. Read before the function returns
/// \throws Error also where they do not rise from 0 to the number of rows in steps of 1 to 32
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace, class BlockPointers>
BlockJacobiPreconditioner<MemorySpace> make_block_jacobi(const ExecutionSpace& exec,
                                                         const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                                                         const BlockPointers& block_pointers,
                                                         const BlockJacobiOptions& options = {}) {
  detail::require_block_jacobi(csr, options);
  const std::vector<Index> pointers = detail::pointers_on_host(block_pointers);
  detail::require_block_pointers(pointers, csr.num_rows);
  BlockJacobiPreconditioner<MemorySpace> result;
  result.num_rows = csr.num_rows;
  detail::set_block_pointers(exec, pointers, result);
  detail::fill_block_jacobi(exec, csr, options, result);
  return result;
}

}  // namespace krylite

#endif
