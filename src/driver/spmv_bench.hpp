#ifndef KRYLITE_SRC_DRIVER_SPMV_BENCH_HPP
#define KRYLITE_SRC_DRIVER_SPMV_BENCH_HPP

/// \file
/// One product y = A x in several formats: errors against a reference and times, the formats in turn so that
/// what else the machine does meets all of them.

#include <KokkosSparse_spmv.hpp>
#include <functional>
#include <krylite/formats/select.hpp>
#include <krylite/spmv/reference.hpp>
#include <krylite/spmv/spmv.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "formats.hpp"
#include "load.hpp"
#include "progress.hpp"
#include "timing.hpp"

namespace krylite::driver {

/// What was found for one format.
struct SpmvRow {
  std::string format;
  std::string options;
  std::string kernel;
  std::string refused;  ///< why the format refuses the matrix; then nothing below counts
  double seconds = 0;   ///< of one product
  double conversion_seconds = 0;
  std::int64_t stored_entries = 0;
  double fill = 0;
  std::size_t bytes = 0;
  std::size_t bytes_moved = 0;
  double max_scaled_error = 0;
};

template <class Scalar, class Offset>
class SpmvBench {
 public:
  using Csr = CsrMatrix<Scalar, Offset, Memory>;
  using View = Kokkos::View<Scalar*, Memory>;

  SpmvBench(const Csr& csr, Kernel kernel)
      : csr_(csr),
        kernel_(kernel),
        x_(vector<View>("krylite::driver::x", csr.num_cols)),
        y_(vector<View>("krylite::driver::y", csr.num_rows)) {
    constexpr std::uint64_t seed = 1;
    const auto random = random_vector(static_cast<std::size_t>(csr.num_cols), seed);
    host_x_ = vector<Kokkos::View<Scalar*, Kokkos::HostSpace>>("krylite::driver::host_x", csr.num_cols);
    for (std::size_t i = 0; i < random.extent(0); ++i) host_x_(i) = static_cast<Scalar>(random(i));
    Kokkos::deep_copy(x_, host_x_);
  }

  /// Adds a format, or a row that says why it is refused.
  void add(const AskedFormat& asked) {
    SpmvRow row;
    try {
      const FormatSpec spec = asked ? *asked : select_format(exec_, csr_).format;
      SpmvOptions options;
      options.kernel = kernel_;
      options.csr_kernel = spec.csr_kernel;
      // Timed before the matrix itself is made, so that no format is held twice.
      if (spec.kind != FormatKind::csr) row.conversion_seconds = conversion_seconds(spec);
      const auto matrix = to_format(exec_, csr_, spec);
      exec_.fence();
      fill_row(row, spec, matrix);
      row.kernel = kernel_name(options, matrix);
      add_candidate(
          std::move(row),
          [exec = exec_, matrix, x = x_, y = y_, options] { spmv(exec, Scalar(1), matrix, x, Scalar(0), y, options); },
          std::numeric_limits<Scalar>::quiet_NaN());
    } catch (const Error& error) {
      row.format = asked ? name(asked->kind) : "auto";
      row.options = asked ? format_options(*asked) : "";
      row.refused = error.what();
      candidates_.push_back({row, {}, 0, {}});
    }
  }

  /// Adds the product of Kokkos Kernels with the same arrays.
  void add_kokkos_kernels() {
    SpmvRow row;
    fill_row(row, FormatSpec(), DeviceMatrix<Scalar, Offset>(csr_));
    row.format = row.kernel = "kokkos_kernels";
    const auto crs = to_crs_matrix(csr_);
    add_candidate(
        std::move(row), [crs, x = x_, y = y_] { KokkosSparse::spmv("N", Scalar(1), crs, x, Scalar(0), y); },
        Scalar(0));
  }

  /// Times all formats in turn, `batches` times.
  std::vector<SpmvRow> run(int batches, Progress& progress) {
    for (auto& candidate : candidates_) {
      if (candidate.multiply) candidate.calls = calls_in_batch(exec_, candidate.multiply);
    }
    for (int batch = 0; batch < batches; ++batch) {
      for (auto& candidate : candidates_) {
        if (!candidate.multiply) continue;
        candidate.samples.push_back(batch_seconds(exec_, candidate.calls, candidate.multiply));
        progress.show(static_cast<double>(batch) / batches, candidate.row.format);
      }
    }
    std::vector<SpmvRow> rows;
    for (auto& candidate : candidates_) {
      if (candidate.multiply) candidate.row.seconds = median(candidate.samples);
      rows.push_back(candidate.row);
    }
    return rows;
  }

 private:
  template <class VectorView>
  static VectorView vector(const char* label, Index size) {
    using Space = typename VectorView::memory_space::execution_space;
    return krylite::detail::allocate<VectorView>(Space(), label, static_cast<std::size_t>(size));
  }

  struct Candidate {
    SpmvRow row;
    std::function<void()> multiply;  ///< none where the format is refused
    int calls;
    std::vector<double> samples;
  };

  void fill_row(SpmvRow& row, const FormatSpec& spec, const DeviceMatrix<Scalar, Offset>& matrix) {
    const FormatSpec used = used_format(spec, matrix);
    row.format = name(used.kind);
    row.options = format_options(used);
    row.stored_entries = stored_entries(matrix);
    row.fill = fill(matrix);
    row.bytes = matrix_bytes(matrix);
    row.bytes_moved = row.bytes + (x_.extent(0) + y_.extent(0)) * sizeof(Scalar);
  }

  double conversion_seconds(const FormatSpec& spec) const {
    constexpr int conversions = 3;
    std::vector<double> samples;
    for (int i = 0; i < conversions; ++i) {
      samples.push_back(seconds_of(exec_, [&] { to_format(exec_, csr_, spec); }));
    }
    return median(samples);
  }

  /// The kernel that `options` come to.
  std::string kernel_name(SpmvOptions options, const DeviceMatrix<Scalar, Offset>& matrix) const {
    if (options.kernel == Kernel::portable || csr_.num_entries() == 0) return "portable";
    options.kernel = Kernel::native;
    try {
      spmv(exec_, Scalar(1), matrix, x_, Scalar(0), y_, options);
      return "native";
    } catch (const Error&) {
      return "portable";
    }
  }

  /// The first product is the one whose error counts; `before` is what y holds then, which must not matter.
  void add_candidate(SpmvRow row, std::function<void()> multiply, Scalar before) {
    Kokkos::deep_copy(exec_, y_, before);
    multiply();
    exec_.fence();
    const auto y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y_);
    row.max_scaled_error = max_scaled_error(copy_to<Kokkos::HostSpace>(csr_), Scalar(1), host_x_, Scalar(0), y, y);
    candidates_.push_back({std::move(row), std::move(multiply), 0, {}});
  }

  Execution exec_;
  Csr csr_;
  Kernel kernel_;
  View x_;
  View y_;
  Kokkos::View<Scalar*, Kokkos::HostSpace> host_x_;
  std::vector<Candidate> candidates_;
};

}  // namespace krylite::driver

#endif
