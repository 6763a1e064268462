#ifndef KRYLITE_SPMV_CUDA_GROUPS_KERNELS_HPP
#define KRYLITE_SPMV_CUDA_GROUPS_KERNELS_HPP

/// \file
/// CUDA products of rows that are stored in groups, position by position: RgCSR, adaptive RgCSR, sliced ELL and ELL
/// (src/cuda/spmv_groups_*.cu). V is the type of the stored values, T that of the vectors and of the arithmetic:
/// (double, double), (float, float), (float, double) and (Half, double).
///
/// A thread takes several neighbouring rows, so that it loads their entries at a position by one access of 16 bytes
/// (values) and the columns by one of 4 to 16. Bytes: nnz (value + column) + lengths + y + (at best) x, with columns of
/// 2 bytes where a group is packed, and lengths of 1 byte where they fit.
/// Source: rgcsr article, section 3; several rows a thread are Krylite's.

#include <krylite/core/cuda.hpp>

#include <cstdint>

namespace krylite {
namespace cuda {

/// Entry k of the row in slot s lies at group_pointers[s / group_size] + k * group_size + s % group_size.
template <class V, class Offset>
struct Groups {
  std::int64_t group_size = 1;  ///< a power of two, or any of the only group (ELL)
  std::int64_t num_slots = 0;
  std::int64_t width = 0;       ///< positions of the only group, else of a group in the mean, rounded up
  const V* values = nullptr;
  const std::int32_t* columns = nullptr;              ///< null where all groups are packed, or empty
  const Offset* group_pointers = nullptr;             ///< null: all slots are one group
  const std::int32_t* row_lengths = nullptr;          ///< of num_slots; null: a column of -1 ends a row
  const std::uint8_t* short_row_lengths = nullptr;    ///< the same where they fit, or null
  const Offset* column_pointers = nullptr;            ///< as in RgCsrMatrix; null: no group is packed
  const std::uint16_t* column_offsets = nullptr;
  const std::int32_t* column_bases = nullptr;
};

/// Where the sum of each slot goes: y[target] = alpha sum + beta y[target]; where target = -1 - p, partial p is the
/// sum. Several vectors: partials[p * y.count + v].
template <class T>
struct SlotTargets {
  const std::int32_t* targets;  ///< null: slot s is row s
  T* partials;
  Vectors<T> y;
  T alpha;
  T beta;
};

/// y = alpha A x + beta y (or the partial sums) for all vectors.
template <class V, class Offset, class T>
void multiply_groups(Stream stream, const Groups<V, Offset>& groups, const Vectors<const T>& x,
                     const SlotTargets<T>& out);

/// y of rows that were cut into pieces: row rows[i] = alpha (sum of the partials pointers[i] to pointers[i + 1] - 1) +
/// beta y, in an order that depends on nothing but their number.
template <class T>
void add_pieces(Stream stream, const std::int32_t* rows, const std::int32_t* pointers, std::int64_t count,
                const SlotTargets<T>& out);

}  // namespace cuda
}  // namespace krylite

#endif
