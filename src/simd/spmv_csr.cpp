// Rows of CSR: the lanes of a vector are neighbouring entries of one row.

#include <krylite/spmv/host/kernels.hpp>
#include <krylite/spmv/vectors.hpp>

#include <algorithm>

#include "simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/spmv_csr.cpp"
#include <hwy/foreach_target.h>
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace krylite {
namespace detail {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// values[k] * x[columns[k]] + sum in the lanes of D.
template <class D, class V>
HWY_INLINE hn::Vec<D> AddEntries(D d, const V* values, const Index* columns, const hn::TFromD<D>* x, hn::Vec<D> sum) {
  hwy::Prefetch(values + prefetched_entries);
  hwy::Prefetch(columns + prefetched_entries);
  const auto index = hn::LoadU(hn::Rebind<std::int32_t, D>(), columns);
  hn::Vec<D> v;
  if constexpr (sizeof(V) == sizeof(hn::TFromD<D>)) {
    v = hn::LoadU(d, values);
  } else {
    v = hn::PromoteTo(d, hn::LoadU(hn::Rebind<V, D>(), values));
  }
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    return hn::MulAdd(v, hn::GatherIndex(d, x, hn::PromoteTo(hn::RebindToSigned<D>(), index)), sum);
  } else {
    return hn::MulAdd(v, hn::GatherIndex(d, x, index), sum);
  }
}

/// Four sums side by side, so that additions do not wait for each other.
template <class T, class V>
HWY_INLINE T SumEntries(const V* values, const Index* columns, const T* x, std::int64_t count) {
  const hn::CappedTag<T, 16> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  T rest = 0;
  std::int64_t k = 0;
  if (count >= lanes) {
    auto sum0 = hn::Zero(d);
    auto sum1 = hn::Zero(d);
    auto sum2 = hn::Zero(d);
    auto sum3 = hn::Zero(d);
    for (; k + 4 * lanes <= count; k += 4 * lanes) {
      sum0 = AddEntries(d, values + k, columns + k, x, sum0);
      sum1 = AddEntries(d, values + k + lanes, columns + k + lanes, x, sum1);
      sum2 = AddEntries(d, values + k + 2 * lanes, columns + k + 2 * lanes, x, sum2);
      sum3 = AddEntries(d, values + k + 3 * lanes, columns + k + 3 * lanes, x, sum3);
    }
    for (; k + lanes <= count; k += lanes) sum0 = AddEntries(d, values + k, columns + k, x, sum0);
    rest = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3))));
  }
  hwy::Prefetch(values + k + prefetched_entries);
  hwy::Prefetch(columns + k + prefetched_entries);
  for (; k < count; ++k) rest += static_cast<T>(values[k]) * x[columns[k]];
  return rest;
}

template <class T, class V, class Offset>
HWY_INLINE void MultiplyRows(const CsrRows<V, Offset>& rows, const T* x, T alpha, T beta, T* y, Index first, Index last,
                             std::int64_t end) {
  for (Index row = first; row < last; ++row) {
    const std::int64_t row_begin = rows.row_pointers[row];
    const std::int64_t row_end = std::min<std::int64_t>(rows.row_pointers[row + 1], end);
    update(y[row], alpha, SumEntries(rows.values + row_begin, rows.columns + row_begin, x, row_end - row_begin), beta);
  }
}

void RowsDouble32(const CsrRows<double, std::int32_t>& rows, const double* x, double alpha, double beta, double* y,
                  Index first, Index last, std::int64_t end) {
  MultiplyRows(rows, x, alpha, beta, y, first, last, end);
}
void RowsDouble64(const CsrRows<double, std::int64_t>& rows, const double* x, double alpha, double beta, double* y,
                  Index first, Index last, std::int64_t end) {
  MultiplyRows(rows, x, alpha, beta, y, first, last, end);
}
void RowsFloat32(const CsrRows<float, std::int32_t>& rows, const float* x, float alpha, float beta, float* y,
                 Index first, Index last, std::int64_t end) {
  MultiplyRows(rows, x, alpha, beta, y, first, last, end);
}
void RowsFloat64(const CsrRows<float, std::int64_t>& rows, const float* x, float alpha, float beta, float* y,
                 Index first, Index last, std::int64_t end) {
  MultiplyRows(rows, x, alpha, beta, y, first, last, end);
}
void RowsMixed32(const CsrRows<float, std::int32_t>& rows, const double* x, double alpha, double beta, double* y,
                 Index first, Index last, std::int64_t end) {
  MultiplyRows(rows, x, alpha, beta, y, first, last, end);
}
void RowsMixed64(const CsrRows<float, std::int64_t>& rows, const double* x, double alpha, double beta, double* y,
                 Index first, Index last, std::int64_t end) {
  MultiplyRows(rows, x, alpha, beta, y, first, last, end);
}
double EntriesDouble(const double* values, const Index* columns, const double* x, std::int64_t count) {
  return SumEntries(values, columns, x, count);
}
float EntriesFloat(const float* values, const Index* columns, const float* x, std::int64_t count) {
  return SumEntries(values, columns, x, count);
}
double EntriesMixed(const float* values, const Index* columns, const double* x, std::int64_t count) {
  return SumEntries(values, columns, x, count);
}

}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace krylite
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace krylite {
namespace detail {

HWY_EXPORT(RowsDouble32);
HWY_EXPORT(RowsDouble64);
HWY_EXPORT(RowsFloat32);
HWY_EXPORT(RowsFloat64);
HWY_EXPORT(RowsMixed32);
HWY_EXPORT(RowsMixed64);
HWY_EXPORT(EntriesDouble);
HWY_EXPORT(EntriesFloat);
HWY_EXPORT(EntriesMixed);

void multiply_rows(const CsrRows<double, std::int32_t>& rows, const double* x, double alpha, double beta, double* y,
                   Index first, Index last, std::int64_t end) {
  HWY_DYNAMIC_DISPATCH(RowsDouble32)(rows, x, alpha, beta, y, first, last, end);
}
void multiply_rows(const CsrRows<double, std::int64_t>& rows, const double* x, double alpha, double beta, double* y,
                   Index first, Index last, std::int64_t end) {
  HWY_DYNAMIC_DISPATCH(RowsDouble64)(rows, x, alpha, beta, y, first, last, end);
}
void multiply_rows(const CsrRows<float, std::int32_t>& rows, const float* x, float alpha, float beta, float* y,
                   Index first, Index last, std::int64_t end) {
  HWY_DYNAMIC_DISPATCH(RowsFloat32)(rows, x, alpha, beta, y, first, last, end);
}
void multiply_rows(const CsrRows<float, std::int64_t>& rows, const float* x, float alpha, float beta, float* y,
                   Index first, Index last, std::int64_t end) {
  HWY_DYNAMIC_DISPATCH(RowsFloat64)(rows, x, alpha, beta, y, first, last, end);
}
void multiply_rows(const CsrRows<float, std::int32_t>& rows, const double* x, double alpha, double beta, double* y,
                   Index first, Index last, std::int64_t end) {
  HWY_DYNAMIC_DISPATCH(RowsMixed32)(rows, x, alpha, beta, y, first, last, end);
}
void multiply_rows(const CsrRows<float, std::int64_t>& rows, const double* x, double alpha, double beta, double* y,
                   Index first, Index last, std::int64_t end) {
  HWY_DYNAMIC_DISPATCH(RowsMixed64)(rows, x, alpha, beta, y, first, last, end);
}

double multiply_entries(const double* values, const Index* columns, const double* x, std::int64_t count) {
  return HWY_DYNAMIC_DISPATCH(EntriesDouble)(values, columns, x, count);
}
float multiply_entries(const float* values, const Index* columns, const float* x, std::int64_t count) {
  return HWY_DYNAMIC_DISPATCH(EntriesFloat)(values, columns, x, count);
}
double multiply_entries(const float* values, const Index* columns, const double* x, std::int64_t count) {
  return HWY_DYNAMIC_DISPATCH(EntriesMixed)(values, columns, x, count);
}

}  // namespace detail
}  // namespace krylite
#endif
