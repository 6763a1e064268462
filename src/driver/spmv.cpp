/// \file
/// `krylite spmv A`: what a product costs in each format, beside Kokkos Kernels and the speed of the memory.

#include <algorithm>
#include <krylite/core/simd.hpp>
#include <memory>

#include "bandwidth.hpp"
#include "output.hpp"
#include "report.hpp"
#include "spmv_bench.hpp"
#include "subcommands.hpp"
#include "table.hpp"
#include "text.hpp"

namespace krylite::driver {
namespace {

struct SpmvOptions {
  CommonOptions common;
  std::vector<AskedFormat> formats = all_formats();
  std::string kernel = "automatic";
  std::string simd = "best";
  std::string precision = "double";
  std::int64_t repeat = least_batches;
};

int batches_of(const SpmvOptions& options) {
  return static_cast<int>(std::max<std::int64_t>(least_batches, options.repeat));
}

/// Figures of one row that follow from its time.
struct Rates {
  double gflops = 0;
  double gbs = 0;
  double fraction_of_copy = 0;
  double fraction_of_read = 0;
  double conversion_spmvs = 0;
};

/// Bytes that CSR with 32-bit offsets must move for the product, whatever the format, so that rates compare.
double model_bytes(const HostCsr& csr, std::size_t value_bytes) {
  const auto value = static_cast<double>(value_bytes);
  const auto rows = static_cast<double>(csr.num_rows);
  const auto columns = static_cast<double>(csr.num_cols);
  return static_cast<double>(csr.num_entries()) * (value + 4) + (rows + 1) * 4 + (rows + columns) * value;
}

Rates rates_of(const SpmvRow& row, const LoadedMatrix& matrix, std::size_t value_bytes,
               const Bandwidth& bandwidth) {
  Rates rates;
  rates.gflops = 2e-9 * static_cast<double>(matrix.csr.num_entries()) / row.seconds;
  rates.gbs = 1e-9 * model_bytes(matrix.csr, value_bytes) / row.seconds;
  rates.fraction_of_copy = rates.gbs / bandwidth.copy_gbs;
  rates.fraction_of_read = rates.gbs / bandwidth.read_gbs;
  rates.conversion_spmvs = row.conversion_seconds / row.seconds;
  return rates;
}

Json row_json(const SpmvRow& row, const Rates& rates) {
  if (!row.refused.empty()) return {{"format", row.format}, {"refused", row.refused}};
  return {{"format", row.format},
          {"options", row.options},
          {"kernel", row.kernel},
          {"seconds", finite(row.seconds)},
          {"gflops", finite(rates.gflops)},
          {"gbs", finite(rates.gbs)},
          {"fraction_of_copy", finite(rates.fraction_of_copy)},
          {"fraction_of_read", finite(rates.fraction_of_read)},
          {"bytes_moved", row.bytes_moved},
          {"conversion_spmvs", finite(rates.conversion_spmvs)},
          {"stored_entries", row.stored_entries},
          {"fill", finite(row.fill)},
          {"bytes", row.bytes},
          {"max_scaled_error", finite(row.max_scaled_error)}};
}

std::string row_name(const SpmvRow& row) {
  return row.format + (row.options.empty() ? "" : ":" + row.options);
}

void add_to_table(Table& table, const SpmvRow& row, const Rates& rates) {
  if (!row.refused.empty()) {
    table.add({row_name(row), "refused: " + row.refused});
    return;
  }
  const std::string conversion =
      row.conversion_seconds > 0 ? three_digits(rates.conversion_spmvs) + " SpMVs" : "-";
  table.add({row_name(row), row.kernel, three_digits(1e6 * row.seconds), fixed(rates.gflops, 2), fixed(rates.gbs, 1),
             fixed(rates.fraction_of_copy, 2), fixed(rates.fraction_of_read, 2), conversion,
             percent(row.fill), bytes_text(row.bytes), scientific(row.max_scaled_error, 1)});
}

Kernel kernel_of(const std::string& word) {
  return word == "native" ? Kernel::native : word == "portable" ? Kernel::portable : Kernel::automatic;
}

struct Measurement {
  Bandwidth bandwidth;
  std::vector<SpmvRow> rows;
};

Measurement measure(const LoadedMatrix& matrix, const SpmvOptions& options) {
  Progress progress(options.common.quiet);
  progress.show(0, "memory");
  Measurement found;
  found.bandwidth = measure_bandwidth();
  const auto run = [&](const auto& csr) {
    using Csr = std::decay_t<decltype(csr)>;
    SpmvBench<typename Csr::scalar_type, typename Csr::offset_type> bench(csr, kernel_of(options.kernel));
    double added = 0;
    for (const AskedFormat& format : options.formats) {
      progress.show(added++ / static_cast<double>(options.formats.size()), "converting to " + format_text(format));
      bench.add(format);
    }
    bench.add_kokkos_kernels();
    return bench.run(batches_of(options), progress);
  };
  found.rows = options.precision == "single" ? with_device_csr<float>(matrix, run)
                                             : with_device_csr<double>(matrix, run);
  return found;
}

void warn_of_errors(const std::vector<SpmvRow>& rows, Warnings& warnings) {
  for (const SpmvRow& row : rows) {
    if (row.max_scaled_error > 1) {
      warnings.add(row_name(row) + ": the error is " + three_digits(std::min(row.max_scaled_error, 1e6)) +
                   " times its bound or more");
    }
  }
}

Json options_json(const SpmvOptions& options) {
  std::vector<std::string> names;
  for (const AskedFormat& format : options.formats) names.push_back(format_text(format));
  return {{"format", join(names, ",")},
          {"kernel", options.kernel},
          {"simd", simd_target()},
          {"precision", options.precision},
          {"repeat", batches_of(options)}};
}

std::string heading(const LoadedMatrix& matrix, const SpmvOptions& options, const Bandwidth& bandwidth) {
  return matrix_text(matrix) + "\ny = A x in " + options.precision + " precision, " + execution_text() + ", SIMD " +
         simd_target() + "; memory: copy " + fixed(bandwidth.copy_gbs, 1) + " GB/s, read " +
         fixed(bandwidth.read_gbs, 1) + " GB/s\n\n";
}

int run_spmv(const SpmvOptions& options) {
  check_outputs({options.common.json}, {options.common.matrix});
  set_simd_target(options.simd);
  const LoadedMatrix matrix = load_matrix(options.common.matrix);
  const Measurement found = measure(matrix, options);
  Warnings warnings;
  warn_of_errors(found.rows, warnings);

  const std::size_t value_bytes = options.precision == "single" ? sizeof(float) : sizeof(double);
  Json formats = Json::array();
  Table table({"format", "kernel", "time [us]", "GFLOP/s", "GB/s", "of copy", "of read", "conversion", "fill", "memory",
               "error/bound"});
  bool is_wrong = false;
  for (const SpmvRow& row : found.rows) {
    const Rates rates = row.refused.empty() ? rates_of(row, matrix, value_bytes, found.bandwidth) : Rates();
    formats.push_back(row_json(row, rates));
    add_to_table(table, row, rates);
    is_wrong = is_wrong || row.max_scaled_error >= 1e300;
  }
  Json json = common_json(matrix, options_json(options), warnings);
  json["copy_gbs"] = finite(found.bandwidth.copy_gbs);
  json["read_gbs"] = finite(found.bandwidth.read_gbs);
  json["formats"] = formats;
  deliver(options.common, json, heading(matrix, options, found.bandwidth) + table.text());
  return is_wrong ? exit_internal : exit_done;
}

}  // namespace

Subcommand add_spmv(CLI::App& command) {
  CLI::App* app = command.add_subcommand("spmv", "Time y = A x in each format");
  const auto options = std::make_shared<SpmvOptions>();
  add_matrix(*app, options->common);
  add_format_list(*app, options->formats,
                  "all, or a list of auto, " + format_names_text() + ", each with options after a colon");
  add_choice(*app, "--kernel", options->kernel, {"automatic", "portable", "native"},
             "Generic or hand-written code; automatic takes the latter where there is one");
  app->add_option("--simd", options->simd, "Instruction set of native kernels: best, or one that --version lists")
      ->capture_default_str()
      ->type_name("SET");
  add_choice(*app, "--precision", options->precision, {"double", "single"}, "Type of matrix and vectors");
  add_whole_number(*app, "--repeat", options->repeat, 1, 100000,
                   "Batches that the time is the median of; at least 7 are run");
  add_common(*app, options->common);
  app->footer(
      "GB/s and the fractions of the copy and read speeds, which are measured in the same run, count the\n"
      "bytes that CSR must move: nonzeros * (value + 4) + (rows + 1) * 4 + (rows + columns) * value.\n"
      "'conversion' is in products of the same format. 'error/bound' is the largest error of a row over\n"
      "its bound, against a reference in long double. x is random in [-1, 1) from a fixed seed.\n"
      "kokkos_kernels is KokkosSparse::spmv on the same arrays.\n\nOptions of formats:\n" +
      format_options_help());
  return {app, [options] { return run_spmv(*options); }};
}

}  // namespace krylite::driver
