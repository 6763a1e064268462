#ifndef KRYLITE_BASIS_CUDA_TUNING_HPP
#define KRYLITE_BASIS_CUDA_TUNING_HPP

/// \file
/// The numbers that the CUDA kernels of the basis were tuned by, and the measurements that chose them. Numbers of blocks
/// are constants rather than properties of the device, so that sums are the same bits everywhere.

#include <cstdint>

namespace krylite {
namespace cuda {

struct SweepTuning {
  /// Columns of a warp: what it loads of them is in flight at once, and their sums stay in registers.
  static constexpr int columns = 8;

  /// project: warps of a block at most, blocks that a multiprocessor should hold, and blocks of a sweep.
  static constexpr int warps = 7;
  template <bool HasGram>
  static constexpr int blocks_per_multiprocessor = HasGram ? 2 : 3;
  static constexpr int blocks = 396;

  /// add where rows are few: the warps of a block share the rows.
  static constexpr int add_warps = 16;
  static constexpr int add_blocks = 264;

  /// add where there are many rows.
  static constexpr std::int64_t many_rows = 400000;
  static constexpr int rows_threads = 256;
  static constexpr int rows_blocks = 528;
};

/// add and project in one: the warps of a block share the rows, and wait for each other twice; meanwhile the codes of
/// the next rows are on their way to shared memory.
struct FusedTuning {
  static constexpr int warps = 8;
  static constexpr int blocks = 264;
};

struct StoreTuning {
  static constexpr int threads = 256;
  static constexpr int rows = 2;  ///< of a thread, before it goes on
  static constexpr int blocks = 1056;
};

}  // namespace cuda
}  // namespace krylite

#endif
