#ifndef KRYLITE_BASIS_CUDA_TUNING_HPP
#define KRYLITE_BASIS_CUDA_TUNING_HPP

/// \file
/// The numbers that the CUDA kernels of the basis were tuned by, and the measurements that chose them. Numbers of
/// blocks are constants rather than properties of the device, so that sums are the same bits on all that have the
/// shared memory of the fused sweep.

#include <cstdint>

namespace krylite {
namespace cuda {

/// Measured on an H200 with 2,000,000 rows and 100 columns, by perf_tests/cuda/sweeps.cu; figures are fractions of the
/// copy bandwidth of the same run.

/// project: columns of a warp, warps of a block, and blocks and warps that a multiprocessor should hold. 4 columns of
/// 16 bytes a lane, with the next rows loaded ahead, against 8: float32 1.04 | 1.01, float16 0.97 | 0.86, with Gram
/// products 1.02 | 0.86 and 0.89 | 0.57. More blocks than are resident at once: float32 0.75. Warps numbered through,
/// against blocks that have all columns of their rows (13 of 16 warps for 50 columns): float16, 50 columns, 0.95 |
/// 0.88; with sums that the host sees by their own words, not by a ticket behind a fence, 0.98.
struct ProjectTuning {
  static constexpr int columns = 4;
  static constexpr int warps = 8;
  static constexpr int blocks_of_multiprocessor = 2;
  static constexpr int resident_warps = 16;
  static constexpr int multiprocessors = 132;
};

/// add: columns whose loads a thread has in flight. Where there are many rows, each thread has its own; where there are
/// few, the warps of a block share the columns. The former against the latter with 2,000,000 rows: float32 1.03 | 0.91,
/// float16 1.02 | 0.77.
struct AddTuning {
  static constexpr int columns = 8;
  static constexpr std::int64_t many_rows = 400000;
  static constexpr int rows_threads = 256;
  static constexpr int rows_blocks = 528;
  static constexpr int warps = 16;
  static constexpr int blocks = 264;
};

/// add and project in one: bytes of shared memory of a multiprocessor, warps on it where a lane has 2 or 4 rows at a
/// time, and blocks at most. 100 columns (50), float64, float32, float16:
/// - codes held in registers from their arrival on -, 0.62, 0.50; decoded twice, 512 bytes of a column at once (256 in
///   16 bits) 1.01, 0.90, 0.74 (0.65); a warp with all columns of its rows, no barrier 0.87, 0.82, 0.75 (0.72);
/// - decoded once, 512 bytes 0.99, 0.94, 0.79 (0.63); w asked for a stage ahead 0.99, 0.94, 0.84 (0.78); 4 rows of a
///   lane (0.84); cheaper sums 1.02, 0.97, 0.89 (0.87); fewer instructions 1.02, 0.97, 0.90 (0.89); on a slower card
///   1.00, 0.95, 0.88 (0.87), and there, with codes that leave the second-level cache first, so that w stays in it from
///   one sweep to the next, 1.01, 0.97, 0.92 (0.94).
/// Not better, in 16 bits: 3 stages ahead (0.84 against 0.87); the new w of a turn worked out while the codes of the
/// next are decoded, one barrier a turn 0.78 (0.84); 4 warps of a block (0.83), 5 to 7 (0.59 to 0.85), 10 warps 0.86
/// (0.83), 16 warps 0.87, against 0.89 (0.87); the last stages for whichever block asks first, 1.015 times as fast with
/// 100 columns, 0.99 times with 50. Sweeps that let the next kernel start before they end: float64 products 0.88, since
/// its blocks take places unevenly.
struct FusedTuning {
  static constexpr int multiprocessors = 132;
  static constexpr int shared_bytes = 228 * 1024;
  static constexpr int warps_of_2_rows = 24;
  static constexpr int warps_of_4_rows = 16;
  static constexpr int most_blocks = 6;
};

/// Sums of the blocks: threads that add those of one sum.
struct JoinTuning {
  static constexpr int threads = 128;
};

struct StoreTuning {
  static constexpr int threads = 256;
  static constexpr int rows = 2;  ///< of a thread, before it goes on
  static constexpr int blocks = 1056;
};

}  // namespace cuda
}  // namespace krylite

#endif
