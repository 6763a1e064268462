#ifndef KRYLITE_BASIS_CUDA_TUNING_HPP
#define KRYLITE_BASIS_CUDA_TUNING_HPP

/// \file
/// The numbers that the CUDA kernels of the basis were tuned by, and the measurements that chose them.

namespace krylite {
namespace cuda {

struct SweepTuning {
  /// Columns of a warp: what it loads of them is in flight at once, and their sums stay in registers.
  static constexpr int columns = 8;
  /// Warps of a block at most, so that a block takes 128 columns.
  static constexpr int warps = 16;
  /// Blocks of a sweep at most. A constant rather than a property of the device, so that sums are the same everywhere.
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
