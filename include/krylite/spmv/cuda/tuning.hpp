#ifndef KRYLITE_SPMV_CUDA_TUNING_HPP
#define KRYLITE_SPMV_CUDA_TUNING_HPP

/// \file
/// The numbers that the CUDA products were tuned by, and the measurements that chose them.

namespace krylite {
namespace cuda {

/// Threads of a block of the products by groups, and positions whose loads a thread has in flight.
struct GroupsTuning {
  static constexpr int threads = 256;
  static constexpr int positions = 4;
};

}  // namespace cuda
}  // namespace krylite

#endif
