#ifndef KRYLITE_PERF_TESTS_SPMV_PEERS_BENCH_HPP
#define KRYLITE_PERF_TESTS_SPMV_PEERS_BENCH_HPP

/// \file
/// All products of one matrix in one precision: Krylite's formats, cuSPARSE and Kokkos Kernels, timed in turn.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cusparse.hpp"
#include "driver/formats.hpp"
#include "kokkos_kernels.hpp"
#include "problem.hpp"
#include "turns.hpp"

namespace krylite_perf {

/// What was found for one product.
struct Row {
  std::string library;
  std::string format;
  std::string options = {};
  std::string kernel = {};
  std::string refused = {};  ///< why there is none; then nothing below counts
  double seconds = 0;        ///< median over the batches
  double fastest = 0;
  double slowest = 0;
  std::size_t bytes = 0;  ///< of the matrix
  double fill = 0;
  std::optional<double> conversion_seconds = {};
  double difference = 0;  ///< to cuSPARSE's CSR, in bounds of an error
  std::optional<double> max_scaled_error = {};

  bool is_right() const { return refused.empty() && difference <= largest_difference; }
  std::string name() const { return format + (options.empty() ? "" : ":" + options); }
};

struct BenchOptions {
  int batches = 7;
  bool check = false;        ///< compare with the host too
  bool conversions = false;  ///< time them
};

template <class Scalar>
class Bench {
 public:
  Bench(const Execution& exec, const krylite::HostCsr& host, const BenchOptions& options)
      : exec_(exec), options_(options), problem_(make_problem<Scalar>(exec, host)), cusparse_(make_cusparse(exec)) {
    if (options.check) host_csr_ = krylite::copy_to<Kokkos::HostSpace>(problem_.csr);
  }

  /// The peers; before Krylite's formats, since cuSPARSE is what they are compared with.
  void add_peers() {
    const auto& csr = problem_.csr;
    const auto& x = problem_.x;
    const auto& y = problem_.y;
    add_cusparse("csr", "algorithm=2", [&] { return cusparse_product(cusparse_, csr, x, y, CUSPARSE_SPMV_CSR_ALG2); });
    add_cusparse("csr", "algorithm=1", [&] { return cusparse_product(cusparse_, csr, x, y, CUSPARSE_SPMV_CSR_ALG1); });
    add_cusparse("sliced_ell", "slice=32", [&] {
      krylite::SlicedEllOptions sliced;
      sliced.slice_size = 32;
      sliced.fill_limit = fill_limit;
      return cusparse_product(cusparse_, krylite::to_sliced_ell(exec_, csr, sliced), x, y, CUSPARSE_SPMV_SELL_ALG1);
    });
    for (const auto& [name, product] : kokkos_kernels_products(exec_, csr, x, y)) {
      add({"kokkos_kernels", "csr", "algorithm=" + name, "kokkos_kernels"}, product);
    }
  }

  /// A format of Krylite, or a row that says why it is refused; nothing where its options come to a format that is
  /// there already.
  void add_format(krylite::FormatSpec spec, krylite::Kernel kernel, bool times_conversion) {
    spec.sliced_ell.fill_limit = spec.hyb.fill_limit = spec.rgcsr.fill_limit = fill_limit;
    spec.adaptive_rgcsr.groups.fill_limit = fill_limit;
    Row row{"krylite", name(spec.kind), krylite::driver::format_options(spec)};
    try {
      const Matrix matrix = krylite::to_format(exec_, problem_.csr, spec);
      krylite::SpmvOptions options;
      options.kernel = kernel;
      options.csr_kernel = spec.csr_kernel;
      row.options = krylite::driver::format_options(krylite::driver::used_format(spec, matrix));
      row.kernel = kernel_name(options, matrix);
      if (holds(row)) return;
      row.bytes = krylite::matrix_bytes(matrix);
      row.fill = krylite::fill(matrix);
      if (times_conversion && options_.conversions) row.conversion_seconds = conversion_seconds(spec);
      add(row, [exec = exec_, matrix, x = problem_.x, y = problem_.y, options] {
        krylite::spmv(exec, Scalar(1), matrix, x, Scalar(0), y, options);
      });
    } catch (const krylite::Error& error) {
      row.refused = error.what();
      candidates_.push_back({row, {}});
    }
  }

  /// Times all products in turn.
  std::vector<Row> run(const StreamTimer& timer) {
    std::vector<Timed*> works;
    for (Candidate& candidate : candidates_) {
      if (candidate.row.refused.empty()) works.push_back(&candidate.timed);
    }
    time_in_turn(timer, works, options_.batches);
    std::vector<Row> rows;
    for (Candidate& candidate : candidates_) {
      Row& row = candidate.row;
      if (row.refused.empty()) {
        row.seconds = median(candidate.timed.seconds);
        row.fastest = candidate.timed.fastest();
        row.slowest = candidate.timed.slowest();
      }
      rows.push_back(row);
    }
    return rows;
  }

  const Problem<Scalar>& problem() const { return problem_; }

 private:
  using Matrix = krylite::AnyMatrix<Scalar, std::int32_t, Memory>;

  struct Candidate {
    Row row;
    Timed timed;
  };

  /// A format that stores more artificial zeros than this times the entries is no candidate; the library would allow
  /// far more, and only time and memory be lost.
  static constexpr double fill_limit = 8;

  bool holds(const Row& row) const {
    return std::any_of(candidates_.begin(), candidates_.end(), [&](const Candidate& each) {
      return each.row.library == row.library && each.row.name() == row.name() && each.row.kernel == row.kernel;
    });
  }

  template <class Make>
  void add_cusparse(const char* format, const char* options, const Make& make) {
    Row row{"cusparse", format, options, "cusparse"};
    try {
      add(row, make());
    } catch (const krylite::Error& error) {
      row.refused = error.what();
      candidates_.push_back({row, {}});
    }
  }

  /// The first product of all becomes the reference.
  void add(Row row, std::function<void()> multiply) {
    // What y holds before must not matter; only some versions of Kokkos Kernels promise that.
    const bool promised = row.library != "kokkos_kernels";
    Kokkos::deep_copy(exec_, problem_.y, promised ? std::numeric_limits<Scalar>::quiet_NaN() : Scalar(0));
    multiply();
    exec_.fence();
    if (host_csr_) row.max_scaled_error = host_error();
    if (!reference_) {
      reference_ = make_reference(exec_, problem_);
    } else {
      row.difference = difference(exec_, *reference_, problem_.y);
    }
    candidates_.push_back({std::move(row), {std::move(multiply)}});
  }

  double host_error() const {
    const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), problem_.x);
    const auto y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), problem_.y);
    return krylite::max_scaled_error(*host_csr_, Scalar(1), x, Scalar(0), y, y);
  }

  /// Median of three conversions, the memory that they allocate included; one has been made before.
  double conversion_seconds(const krylite::FormatSpec& spec) const {
    std::vector<double> samples;
    for (int i = 0; i < 3; ++i) {
      exec_.fence();
      const Kokkos::Timer timer;
      const Matrix matrix = krylite::to_format(exec_, problem_.csr, spec);
      exec_.fence();
      samples.push_back(timer.seconds());
    }
    return median(samples);
  }

  /// The kernel that `options` come to.
  std::string kernel_name(krylite::SpmvOptions options, const Matrix& matrix) const {
    if (options.kernel == krylite::Kernel::portable) return "portable";
    options.kernel = krylite::Kernel::native;
    try {
      krylite::spmv(exec_, Scalar(1), matrix, problem_.x, Scalar(0), problem_.y, options);
      return "native";
    } catch (const krylite::Error&) {
      return "portable";
    }
  }

  Execution exec_;
  BenchOptions options_;
  Problem<Scalar> problem_;
  CusparseHandle cusparse_;
  std::optional<krylite::CsrMatrix<Scalar, std::int32_t, Kokkos::HostSpace>> host_csr_;
  std::optional<Reference<Scalar>> reference_;
  std::vector<Candidate> candidates_;
};

}  // namespace krylite_perf

#endif
