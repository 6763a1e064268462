#ifndef KRYLITE_FORMATS_SELECT_HPP
#define KRYLITE_FORMATS_SELECT_HPP

/// \file
/// Which format a product is fastest in.
///
/// By model: the cost of a product in a format is
///
///     cost = a + b rows + c stored + d stored (1 - adjacent) + e bytes + f max(0, bytes - 8 MB)
///
/// with the bytes that it must move, the entries that it stores, and the share of neighbouring columns
/// (formats/features.hpp); the constants of each format (formats/selection_costs.hpp) were fitted to measured times.
/// The format of least cost is selected; no product is timed, so that the choice is the same each time.
/// By measurement: all formats are converted to and timed. No library that we know of chooses across formats.

#include <krylite/formats/any_matrix.hpp>
#include <krylite/formats/features.hpp>
#include <krylite/formats/selection_costs.hpp>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

namespace krylite {

/// What the model says of one format.
struct FormatEstimate {
  FormatKind kind = FormatKind::csr;
  double bytes = 0;  ///< that a product moves
  double cost = 0;   ///< time of a product: microseconds of the machine of the model, or seconds where measured
};

/// A format that was selected.
struct FormatSelection {
  FormatSpec format;
  std::string reason;                     ///< in a sentence
  std::vector<FormatEstimate> estimates;  ///< of all candidates, the best first
};

namespace detail {

/// Bytes of the columns of a stored entry where RgCSR packs what it can.
inline double column_bytes(const FormatFeatures& features, double group_size) {
  const double packed = 2 * features.packable + 4 * (1 - features.packable) + 4 / group_size;
  // As pack_pattern decides.
  return packed < 0.7 * 4 ? packed : 4;
}

/// Entries that a format stores, artificial zeros counted.
inline double stored_entries_of(FormatKind kind, const FormatFeatures& f) {
  if (kind == FormatKind::ell) return static_cast<double>(f.rows) * static_cast<double>(f.row_max);
  const bool is_grouped = kind == FormatKind::sliced_ell || kind == FormatKind::rgcsr;
  return static_cast<double>(is_grouped ? f.grouped_entries : f.entries);
}

/// Whether the conversion will not refuse the matrix for its fill, as `require_storable` does.
inline bool is_within_fill_limit(FormatKind kind, const FormatFeatures& f) {
  const double stored = stored_entries_of(kind, f);
  const auto entries = static_cast<double>(f.entries);
  return stored <= 1 << 20 || stored - entries <= RgCsrOptions().fill_limit * entries;
}

struct ValueBytes {
  double value;
  double offset;
};

inline FormatEstimate estimate(FormatKind kind, const FormatFeatures& f, const ValueBytes& bytes) {
  const auto rows = static_cast<double>(f.rows);
  const auto group = static_cast<double>(f.group_size);
  double slots = rows;
  const double stored = stored_entries_of(kind, f);
  double matrix = stored * (bytes.value + 4) + rows * bytes.offset;
  if (kind == FormatKind::ell) {
    matrix = stored * (bytes.value + 4);
  } else if (kind == FormatKind::sliced_ell) {
    matrix = stored * (bytes.value + 4) + rows / group * bytes.offset;
  } else if (kind == FormatKind::rgcsr) {
    matrix = stored * (bytes.value + column_bytes(f, group)) + rows * (4 + bytes.offset / group);
  } else if (kind == FormatKind::adaptive_rgcsr) {
    slots = static_cast<double>(f.pieces);
    matrix = stored * (bytes.value + column_bytes(f, group)) + slots * (8 + bytes.offset / group) +
             16 * static_cast<double>(f.partials);
  } else if (kind == FormatKind::csr5) {
    matrix += 0.7 * stored;
  }
  const FormatCosts costs = costs_of(kind);
  const double moved = matrix + (rows + static_cast<double>(f.columns)) * bytes.value;
  const double cost = costs.per_product + costs.per_row * slots + costs.per_entry * stored +
                      costs.per_gather * stored * (1 - f.adjacent) + costs.per_byte * moved +
                      costs.per_far_byte * std::max(0.0, moved - near_bytes);
  return {kind, moved, cost};
}

/// "3.1e+07" and the like, as people read it.
inline std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

inline std::string reason_of(const FormatFeatures& f, const std::vector<FormatEstimate>& estimates) {
  const FormatEstimate& best = estimates[0];
  const double mean = f.rows > 0 ? static_cast<double>(f.entries) / static_cast<double>(f.rows) : 0;
  std::string text = "rows hold " + short_number(mean) + " entries in the mean and " + std::to_string(f.row_max) +
                     " at most; a product in " + name(best.kind) + " should move " + short_number(best.bytes / 1e6) +
                     " MB";
  if (estimates.size() > 1) {
    text += " and take " + short_number(100 * (1 - best.cost / estimates[1].cost)) + " % less time than in the next, " +
            name(estimates[1].kind);
  }
  return text;
}

inline void sort_by_cost(std::vector<FormatEstimate>& estimates) {
  std::stable_sort(estimates.begin(), estimates.end(),
                   [](const FormatEstimate& a, const FormatEstimate& b) { return a.cost < b.cost; });
}

}  // namespace detail

/// The format of least cost by the model, from what `format_features` found.
/// \tparam Scalar, Offset of the matrix, for the byte counts
template <class Scalar, class Offset>
FormatSelection select_format(const FormatFeatures& features) {
  FormatSelection selection;
  for (const FormatKind kind : detail::selection_candidates) {
    if (!detail::is_within_fill_limit(kind, features)) continue;
    selection.estimates.push_back(
        detail::estimate(kind, features, {static_cast<double>(sizeof(Scalar)), static_cast<double>(sizeof(Offset))}));
  }
  detail::sort_by_cost(selection.estimates);
  selection.format.kind = selection.estimates[0].kind;
  selection.reason = detail::reason_of(features, selection.estimates);
  return selection;
}

/// The format of least cost by the model. Waits for `exec`.
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
FormatSelection select_format(const ExecutionSpace& exec, const CsrMatrix<Scalar, Offset, MemorySpace>& csr) {
  return select_format<Scalar, Offset>(format_features(exec, csr));
}

/// Asks `select_format` to time products instead.
struct Measured {
  int products = 7;  ///< timed in each format, at least 1; the median counts
};

namespace detail {

/// Median seconds of y = A x in one format.
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace, class Vector>
double product_seconds(const ExecutionSpace& exec, const AnyMatrix<Scalar, Offset, MemorySpace>& matrix, int products,
                       const Vector& x, const Vector& y) {
  using Value = typename Vector::value_type;
  std::vector<double> seconds;
  spmv(exec, Value(1), matrix, x, Value(0), y);
  for (int i = 0; i < products; ++i) {
    exec.fence();
    const Kokkos::Timer timer;
    spmv(exec, Value(1), matrix, x, Value(0), y);
    exec.fence();
    seconds.push_back(timer.seconds());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

}  // namespace detail

/// The fastest of all formats, each converted to and timed; one that refuses the matrix is left out. Takes a few
/// hundred products' time, and the memory of the largest format beside the CSR. Waits for `exec`.
/// \throws Error where `measured.products` is below 1
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
FormatSelection select_format(const ExecutionSpace& exec, const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                              const Measured& measured) {
  detail::require(measured.products >= 1, "select_format: at least 1 product must be timed, not ", measured.products);
  using Value = typename detail::ProductType<Scalar, double, double>::type;
  const Kokkos::View<Value*, MemorySpace> x("krylite::select::x", csr.num_cols), y("krylite::select::y", csr.num_rows);
  FormatSelection selection;
  for (const auto& entry : format_names) {
    FormatSpec format;
    format.kind = entry.first;
    try {
      const auto matrix = to_format(exec, csr, format);
      const double bytes = static_cast<double>(matrix_bytes(matrix)) +
                           static_cast<double>((x.extent(0) + y.extent(0)) * sizeof(Value));
      selection.estimates.push_back(
          {entry.first, bytes, detail::product_seconds(exec, matrix, measured.products, x, y)});
    } catch (const Error&) {
      continue;  // refused: not a candidate
    }
  }
  detail::sort_by_cost(selection.estimates);
  selection.format.kind = selection.estimates[0].kind;
  selection.reason = std::string(name(selection.format.kind)) + " was the fastest of " +
                     std::to_string(selection.estimates.size()) + " formats, " +
                     detail::short_number(1e6 * selection.estimates[0].cost) + " us a product";
  return selection;
}

}  // namespace krylite

#endif
