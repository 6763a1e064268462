#ifndef KRYLITE_SPMV_CUDA_TUNING_HPP
#define KRYLITE_SPMV_CUDA_TUNING_HPP

/// \file
/// Tuning numbers of the CUDA products, for one H200 (132 SMs, about 40 KB in flight needed on each).

#include <cstdint>

namespace krylite {
namespace cuda {
namespace tuning {

inline constexpr int multiprocessors = 132;

// ---- Rows in groups: RgCSR, adaptive RgCSR, sliced ELL, ELL

/// Threads of a block, positions whose loads a thread has in flight, and how many where rows are long (in the mean) and
/// their values or columns narrow. One H200, fraction of copy by the bytes of CSR, 4 | 7 | 9 positions, columns packed:
/// float64 5-point 0.98 | 0.70 | 0.75, 7-point 1.06 | 0.76 | 0.85, 27-point 1.10 | 1.00 | 1.10, 81 a row 1.15 | 1.10 |
/// 1.17; float32 5-point 0.96 | 0.88 | 0.89, 7-point 1.12 | 1.05 | 1.05, 27-point 1.21 | 1.25 | 1.28, 81 a row 1.22 |
/// 1.23 | 1.26.
inline constexpr int groups_threads = 256;
inline constexpr int groups_positions = 4;
inline constexpr int groups_many_positions = 9;
inline constexpr int groups_long_rows = 16;
/// Fewer threads than this are in blocks of half the size, so that all multiprocessors have work, and let the next
/// kernel start early: 64,000 rows take 2.9 to 3.2 us one after another, 3.7 without.
inline constexpr std::int64_t groups_few_threads = multiprocessors * 1024;

/// Blocks that an SM should hold: 4 allow 64 registers, 3 allow 80, which several rows of float take.
template <class V, int Vectors, int Together>
inline constexpr int groups_blocks = Vectors > 1 ? 1 : Together > 4 ? 2 : sizeof(V) == 8 ? 4 : 3;

/// Products of short rows (in RgCSR without an order of its own; others have the numbers above), whose next entries are
/// asked for ahead: rows of a thread, positions that it loads at once, threads of a block, and blocks of an SM, which
/// are all there are (more do not fit its registers). One H200, fraction of copy, float64: 1 row, 7 positions, 3 blocks
/// of 256: 5-point 1.01, packed 1.13, 7-point 1.00, packed 1.12; 2 rows, 5 positions, 5 blocks of 128: 5-point 1.01,
/// packed 1.13, but 7 positions 0.97 and 0.94. float32: 4 rows, 5 positions, 2 blocks of 256: 5-point 1.02, packed 1.24
/// (2 rows 1.01, 1.14); 4 rows, 7 positions, 3 blocks of 128: 7-point 1.00, packed 1.21. float32 values with float64
/// vectors 0.90, packed 0.97, and 0.97, 1.08 (not ahead 0.70, 0.73, 0.75, 0.82). Long rows, the next 9 positions ahead,
/// against not: 27-point 0.98 | 0.99, 81 a row packed 1.17 | 1.23.
template <int Rows, int Positions, int Threads, int Blocks>
struct ShortRows {
  static constexpr int rows = Rows;
  static constexpr int positions = Positions;
  static constexpr int threads = Threads;
  static constexpr int blocks = Blocks;
};
template <class V, class T>
struct ShortRowsOf {
  using Few = ShortRows<2, 7, 128, 4>;
  using Many = Few;
};
template <>
struct ShortRowsOf<double, double> {
  using Few = ShortRows<1, 7, 256, 3>;
  using Many = Few;
};
template <>
struct ShortRowsOf<float, float> {
  using Few = ShortRows<4, 5, 256, 2>;
  using Many = ShortRows<4, 7, 128, 3>;
};

/// Blocks of a product at most where slots are rows: a thread that takes several stretches of rows asks for the next
/// one's pointers ahead, and blocks that are more than an SM holds even out. One H200, fraction of copy, unlimited | 32
/// a SM | 16 a SM: float64 5-point plain 0.90 | 0.93 | 0.93, packed 0.94 | 1.00 | 1.01, 7-point plain 0.99 | 0.99 |
/// 0.97, packed 1.06 | 1.10 | 1.08; float32 5-point packed 0.98 | 1.03 | 1.02, 7-point packed 1.14 | 1.12 | 1.14.
inline constexpr int groups_grid = multiprocessors * 32;
inline constexpr int groups_grid_of_packed = multiprocessors * 16;
// Where slots have targets, rows differ in length, and blocks that end early make room for others: web 97 us unlimited,
// 103 with 32 blocks a SM; blocks of 64 | 128 | 256 | 1024 threads: circuit 116 | 111 | 104 | 138 us.

/// Sums of pieces: threads of a block, whose warps take a row each, and pieces from which on the block takes it as a
/// whole: circuit, whose 6 long rows have 14,000 pieces each, 5 us against 20 of a warp for each.
inline constexpr int pieces_threads = 512;
inline constexpr int pieces_of_block = 1024;

// ---- CSR, CSR5 and COO

/// Balanced CSR and COO: threads of a block, and items (rows and entries, or entries) for each. Odd, so that
/// threads which walk neighbouring runs of shared memory meet no bank twice.
inline constexpr int balanced_threads = 256;
inline constexpr int balanced_items = 9;
/// Blocks that an SM should hold: 4 allow 64 registers a thread, but COO holds the rows of its entries too.
inline constexpr int balanced_blocks_per_sm = 4;
inline constexpr int coo_blocks_per_sm = 3;

/// CSR vector: threads of a block, blocks that an SM should hold, loads that a thread has in flight, and the
/// entries of a mean row that a thread of its sub-warp should have at most.
inline constexpr int vector_threads = 256;
inline constexpr int vector_blocks_per_sm = 4;
inline constexpr int vector_unroll = 4;
inline constexpr int vector_entries_per_thread = 2;

/// CSR5: tiles (warps) of a block, blocks that an SM should hold (5 allow 96 registers a thread) for one
/// vector and for four, and entries that a lane loads together where sigma is greater than 4.
inline constexpr int csr5_warps = 4;
inline constexpr int csr5_blocks_per_sm = 5;
inline constexpr int csr5_blocks_per_sm_of_four = 4;
inline constexpr int csr5_unroll = 8;
/// Sums of rows that a warp holds back to write them side by side.
inline constexpr int csr5_staged_sums = 128;

}  // namespace tuning
}  // namespace cuda
}  // namespace krylite

#endif
