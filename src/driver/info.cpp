/// \file
/// `krylite info A`: what a matrix looks like, and what each format would make of it.

#include <krylite/formats/select.hpp>
#include <krylite/formats/statistics.hpp>
#include <memory>

#include "output.hpp"
#include "report.hpp"
#include "subcommands.hpp"
#include "table.hpp"
#include "text.hpp"

namespace krylite::driver {
namespace {

/// What became of one format.
struct FormatReport {
  FormatSpec format;  ///< with the options that were used
  std::int64_t stored_entries = 0;
  double fill = 0;
  std::size_t bytes = 0;
  std::string refused = {};  ///< why, where it was
};

template <class Offset>
std::vector<FormatReport> report_formats(const CsrMatrix<double, Offset, Memory>& csr) {
  const Execution exec;
  std::vector<FormatReport> reports;
  for (const AskedFormat& format : all_formats()) {
    FormatReport report{*format};
    try {
      const auto matrix = to_format(exec, csr, *format);
      exec.fence();
      report.format = used_format(*format, matrix);
      report.stored_entries = stored_entries(matrix);
      report.fill = fill(matrix);
      report.bytes = matrix_bytes(matrix);
    } catch (const Error& error) {
      report.refused = error.what();
    }
    reports.push_back(report);
  }
  return reports;
}

Json statistics_json(const MatrixStatistics& found) {
  return {{"row_min", found.row_min},
          {"row_mean", finite(found.row_mean)},
          {"row_max", found.row_max},
          {"row_stddev", finite(found.row_stddev)},
          {"empty_rows", found.empty_rows},
          {"bandwidth", found.bandwidth},
          {"pattern_symmetric", found.pattern_symmetric},
          {"value_symmetric", found.value_symmetric},
          {"zero_diagonal", found.zero_diagonal},
          {"missing_diagonal", found.missing_diagonal},
          {"explicit_zeros", found.explicit_zeros}};
}

Json formats_json(const std::vector<FormatReport>& reports) {
  Json all = Json::array();
  for (const auto& report : reports) {
    Json entry = {{"format", name(report.format.kind)}};
    if (report.refused.empty()) {
      entry["stored_entries"] = report.stored_entries;
      entry["fill"] = finite(report.fill);
      entry["bytes"] = report.bytes;
    } else {
      entry["refused"] = report.refused;
    }
    all.push_back(entry);
  }
  return all;
}

std::string symmetry_text(const MatrixStatistics& found) {
  if (found.value_symmetric) return "pattern and values symmetric";
  return found.pattern_symmetric ? "pattern symmetric, values not" : "not symmetric";
}

std::string statistics_text(const MatrixStatistics& found) {
  return key_value_text(
      {{"row lengths", grouped(found.row_min) + " to " + grouped(found.row_max) + ", mean " +
                           fixed(found.row_mean, 2) + ", standard deviation " + fixed(found.row_stddev, 2)},
       {"empty rows", grouped(found.empty_rows)},
       {"bandwidth", grouped(found.bandwidth)},
       {"symmetry", symmetry_text(found)},
       {"diagonal", grouped(found.zero_diagonal) + " zero, " + grouped(found.missing_diagonal) + " missing"},
       {"explicit zeros", grouped(found.explicit_zeros)}});
}

std::string formats_text(const std::vector<FormatReport>& reports) {
  Table table({"format", "stored entries", "fill", "memory"});
  for (const auto& report : reports) {
    if (report.refused.empty()) {
      table.add({format_text(report.format), grouped(report.stored_entries), percent(report.fill),
                 bytes_text(report.bytes)});
    } else {
      table.add({format_text(report.format), "refused: " + report.refused});
    }
  }
  return table.text();
}

int run_info(const CommonOptions& options) {
  check_outputs({options.json}, {options.matrix});
  const LoadedMatrix matrix = load_matrix(options.matrix);
  MatrixStatistics found;
  std::vector<FormatReport> reports;
  FormatSelection selected;
  with_device_csr<double>(matrix, [&](const auto& csr) {
    found = statistics(Execution(), csr);
    reports = report_formats(csr);
    selected = select_format(Execution(), csr);
  });

  Json json = common_json(matrix, Json::object(), Warnings());
  json["statistics"] = statistics_json(found);
  json["formats"] = formats_json(reports);
  json["selected"] = name(selected.format.kind);
  json["reason"] = selected.reason;
  deliver(options, json,
          matrix_text(matrix) + "\n\n" + statistics_text(found) + "\n" + formats_text(reports) +
              "\nselected: " + format_text(selected.format) + " (" + selected.reason + ")\n");
  return exit_done;
}

}  // namespace

Subcommand add_info(CLI::App& command) {
  CLI::App* app = command.add_subcommand("info", "What a matrix looks like, and the formats that fit it");
  const auto options = std::make_shared<CommonOptions>();
  add_matrix(*app, *options);
  add_common(*app, *options);
  return {app, [options] { return run_info(*options); }};
}

}  // namespace krylite::driver
