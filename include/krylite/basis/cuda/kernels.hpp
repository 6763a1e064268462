#ifndef KRYLITE_BASIS_CUDA_KERNELS_HPP
#define KRYLITE_BASIS_CUDA_KERNELS_HPP

/// \file
/// CUDA kernels of the compressed basis (src/cuda/basis_*.cu): what basis/sweeps.hpp says, with raw pointers.
///
///     add                w = w + V y                              n k code bytes + 16 n
///     project            h = V^T w, with Gram also g = V^T v_last n k code bytes +  8 n
///     add and project    both, with what was decoded kept in registers in between, so that V is read once
///     store              V e_j = w / divisor                      n code bytes + 16 n (+ 16 n for magnitudes)
///
/// A warp takes some columns of a stretch of rows by 16 bytes a lane; its sums stay in registers for all stretches of
/// its slot, and the slots' sums are added in a fixed order by a second kernel, so that results repeat bit for bit, on
/// every device whose blocks have the shared memory of the fused sweep (elsewhere it is an add and a project). All that
/// a step leaves on the device (factors of the columns, maxima, errors) is used there: the host waits once, for the
/// sums of a projection.
/// A code becomes a double by one conversion; in the fused sweep every other code of 16 bits, and all that share an
/// exponent, do by moving bits into a double's mantissa or exponent, since conversion would limit it.

#include <krylite/core/cuda.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace krylite {
namespace cuda {

/// How entries are stored (basis/storage.hpp).
enum class Code { float64, float32, float16, bfloat16, int32, int16, bfp32, bfp16 };

/// A compressed basis: columns begin `stride` codes apart, which are whole cache lines, and what lies behind the last
/// row of a column is zero.
struct Basis {
  Code code = Code::float64;
  void* codes = nullptr;
  std::int8_t* exponents = nullptr;  ///< of 32 rows each; null but in block floating point
  std::int64_t stride = 0;
  std::int64_t exponent_stride = 0;
  const std::int8_t* row_exponents = nullptr;  ///< of each row, or null
  double* factors = nullptr;                   ///< of each column
  std::int64_t rows = 0;
};

/// What one sweep does: columns [add_begin, add_begin + add_count) into w, then the products of the others.
struct SweepPlan {
  int add_begin = 0;
  int add_count = 0;
  int project_begin = 0;
  int project_count = 0;
  bool gram = false;
  /// Nothing is projected, something added, and nothing sent to the host: the maxima stay for `store`, as those of
  /// |w_i| / 2^e_i where rows have exponents.
  bool leaves_norms = false;
};

/// Memory of the sweeps over bases of one length and capacity: the sums of the blocks on the device, and those of a
/// sweep where the host reads them. Two sweeps that may run at once need one each.
class SweepMemory {
 public:
  /// \param most_columns of a sweep \throws Error where the memory is not there
  explicit SweepMemory(int most_columns);
  ~SweepMemory();
  SweepMemory(const SweepMemory&) = delete;
  SweepMemory& operator=(const SweepMemory&) = delete;

  std::size_t bytes() const;

  /// Waits until the sums of the last sweep are there. \returns them, valid until the next sweep or norms
  double* wait(Stream stream);

  int capacity = 0;              ///< columns of a sweep at most
  double* partials = nullptr;    ///< of each sum, those of all slots (blocks, or warps)
  double* maxima = nullptr;      ///< largest |w_i| (|w_i| / 2^e_i where a sweep leaves its norms) of each slot
  int num_slots = 0;             ///< of the last sweep
  /// In host memory, which the device writes: of each sum of a sweep two words with half of its bits each and the
  /// number of the sweep, so that the host sees by itself which of them are there.
  std::uint64_t* host_words = nullptr;
  int num_sums = 0;              ///< of the last sweep
  unsigned sweeps = 0;           ///< started so far

 private:
  void allocate();
  void release();

  std::size_t bytes_ = 0;
  std::vector<double> host_sums_;
};

/// w = w + V y, then V^T w; products, Gram products, w^T w, the error of the vector stored last and the largest |w_i|
/// go to the host (SweepMemory::wait). \param y of the added columns, on the host, or null where none is added
/// \param errors of each block of `store`
void sweep(Stream stream, const Basis& basis, const SweepPlan& plan, const double* y, double* w, const double* errors,
           SweepMemory& memory);

/// w^T w and the largest |w_i| as the sums of a sweep without columns.
void norms(Stream stream, const double* w, std::int64_t rows, SweepMemory& memory);

/// Column `column` = w / divisor, and w = that vector as it is stored.
struct Store {
  int column = 0;
  double divisor = 1;
  /// The column's factor; 0: found from the maxima that the last sweep left.
  double factor = 0;
  double* w = nullptr;
  double* errors = nullptr;      ///< squared errors of each of store_blocks(rows) blocks
  double* magnitudes = nullptr;  ///< of each row, or null: takes the larger of itself and |w_i| / divisor
};
void store(Stream stream, const Basis& basis, const Store& what, const SweepMemory& memory);

/// Blocks of `store`, which leaves a sum of squared errors for each.
int store_blocks(std::int64_t rows);

}  // namespace cuda
}  // namespace krylite

#endif
