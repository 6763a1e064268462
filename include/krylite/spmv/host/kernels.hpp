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

}  // namespace detail
}  // namespace krylite

#endif
