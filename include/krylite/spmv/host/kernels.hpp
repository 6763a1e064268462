#ifndef KRYLITE_SPMV_HOST_KERNELS_HPP
#define KRYLITE_SPMV_HOST_KERNELS_HPP

/// \file
/// The SIMD kernels of the library for one host thread (src/simd/spmv_*.cpp): raw pointers and ranges, nothing of
/// Kokkos. They are compiled for several instruction sets, and the one to use is chosen at run time (core/simd.hpp).
/// T is the type of the vectors and of the arithmetic, V that of the stored values: double and double, float and
/// float, or float values with double vectors.

#include <krylite/core/traits.hpp>

#include <cstdint>

namespace krylite {
namespace detail {

/// Rows stored in groups, position by position: RgCSR, adaptive RgCSR, sliced ELL and (with one group) ELL.
/// Entry k in `lane` of group g lies at group_pointers[g] + k * group_size + lane; slots are numbered through.
template <class V, class Offset>
struct GroupedRows {
  const Offset* group_pointers;
  std::int64_t group_size;          ///< a multiple of 8
  std::int64_t num_slots;           ///< those of the last group may be fewer than group_size
  const Index* row_lengths;         ///< of num_slots; null: fill has column -1 and ends the row
  const V* values;
  const Index* columns;
  const Offset* column_pointers;    ///< as in RgCsrMatrix; null: no group is packed
  const std::uint16_t* column_offsets;
  const Index* column_bases;
};

/// Where the sum of each slot goes: y[target] = alpha sum + beta y[target]; where target = -1 - p, partials[p] = sum.
template <class T>
struct RowTargets {
  const Index* targets;  ///< null: slot s is row s
  T* partials;
  T* y;
  T alpha;
  T beta;
};

/// Multiplies the slots of groups [first, last).
void multiply_groups(const GroupedRows<double, std::int32_t>& rows, const double* x, const RowTargets<double>& out,
                     std::int64_t first, std::int64_t last);
void multiply_groups(const GroupedRows<double, std::int64_t>& rows, const double* x, const RowTargets<double>& out,
                     std::int64_t first, std::int64_t last);
void multiply_groups(const GroupedRows<float, std::int32_t>& rows, const float* x, const RowTargets<float>& out,
                     std::int64_t first, std::int64_t last);
void multiply_groups(const GroupedRows<float, std::int64_t>& rows, const float* x, const RowTargets<float>& out,
                     std::int64_t first, std::int64_t last);
void multiply_groups(const GroupedRows<float, std::int32_t>& rows, const double* x, const RowTargets<double>& out,
                     std::int64_t first, std::int64_t last);
void multiply_groups(const GroupedRows<float, std::int64_t>& rows, const double* x, const RowTargets<double>& out,
                     std::int64_t first, std::int64_t last);

/// Whole rows of CSR.
template <class V, class Offset>
struct CsrRows {
  const Offset* row_pointers;
  const Index* columns;
  const V* values;
};

/// y[r] = alpha (row r times x) + beta y[r] for rows [first, last), the last of which is cut at entry `end`.
void multiply_rows(const CsrRows<double, std::int32_t>& rows, const double* x, double alpha, double beta, double* y,
                   Index first, Index last, std::int64_t end);
void multiply_rows(const CsrRows<double, std::int64_t>& rows, const double* x, double alpha, double beta, double* y,
                   Index first, Index last, std::int64_t end);
void multiply_rows(const CsrRows<float, std::int32_t>& rows, const float* x, float alpha, float beta, float* y,
                   Index first, Index last, std::int64_t end);
void multiply_rows(const CsrRows<float, std::int64_t>& rows, const float* x, float alpha, float beta, float* y,
                   Index first, Index last, std::int64_t end);
void multiply_rows(const CsrRows<float, std::int32_t>& rows, const double* x, double alpha, double beta, double* y,
                   Index first, Index last, std::int64_t end);
void multiply_rows(const CsrRows<float, std::int64_t>& rows, const double* x, double alpha, double beta, double* y,
                   Index first, Index last, std::int64_t end);

/// sum_k values[k] x[columns[k]] over 0 <= k < count.
double multiply_entries(const double* values, const Index* columns, const double* x, std::int64_t count);
float multiply_entries(const float* values, const Index* columns, const float* x, std::int64_t count);
double multiply_entries(const float* values, const Index* columns, const double* x, std::int64_t count);

/// Tiles of CSR5 (formats/csr5.hpp).
template <class V, class Offset>
struct Csr5Tiles {
  Index omega;  ///< a multiple of csr5_lanes
  Index sigma;  ///< so small that a descriptor has one word
  const V* values;
  const Index* columns;
  const std::uint32_t* tile_pointers;
  const std::uint32_t* tile_descriptors;
  const Offset* empty_offset_pointers;
  const Index* empty_offsets;
};

/// Tiles of one chunk of CSR5, and the rows that it writes.
struct Csr5Chunk {
  std::int64_t first_tile;
  std::int64_t last_tile;  ///< one past the end
  Index first_row;
  Index last_row;  ///< one past the end
};

/// What omega must be a multiple of where T is summed: the lanes of the vectors in use.
int csr5_lanes(double);
int csr5_lanes(float);

/// y of the rows [chunk.first_row, chunk.last_row) that start in the tiles of a chunk.
/// \return the chunk's part of the row that began before it, 0 where there is none
double multiply_tiles(const Csr5Tiles<double, std::int32_t>& tiles, const Csr5Chunk& chunk, const double* x,
                      double alpha, double beta, double* y);
double multiply_tiles(const Csr5Tiles<double, std::int64_t>& tiles, const Csr5Chunk& chunk, const double* x,
                      double alpha, double beta, double* y);
float multiply_tiles(const Csr5Tiles<float, std::int32_t>& tiles, const Csr5Chunk& chunk, const float* x,
                     float alpha, float beta, float* y);
float multiply_tiles(const Csr5Tiles<float, std::int64_t>& tiles, const Csr5Chunk& chunk, const float* x,
                     float alpha, float beta, float* y);
double multiply_tiles(const Csr5Tiles<float, std::int32_t>& tiles, const Csr5Chunk& chunk, const double* x,
                      double alpha, double beta, double* y);
double multiply_tiles(const Csr5Tiles<float, std::int64_t>& tiles, const Csr5Chunk& chunk, const double* x,
                      double alpha, double beta, double* y);

}  // namespace detail
}  // namespace krylite

#endif
