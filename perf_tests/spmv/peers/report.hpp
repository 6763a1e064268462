#ifndef KRYLITE_PERF_TESTS_SPMV_PEERS_REPORT_HPP
#define KRYLITE_PERF_TESTS_SPMV_PEERS_REPORT_HPP

/// \file
/// What was measured, as JSON and as people read it.

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bandwidth.hpp"
#include "bench.hpp"
#include "driver/table.hpp"
#include "driver/text.hpp"

namespace krylite_perf {

using Json = nlohmann::ordered_json;

/// A matrix in one precision, and all that was found for it.
struct Finding {
  std::string name;
  std::string source;
  std::string group;
  std::string precision;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t nonzeros = 0;
  double generation_seconds = 0;
  double measuring_seconds = 0;
  double model_bytes = 0;
  std::vector<Row> products = {};

  /// The fastest right product of a library; none where all are refused or wrong.
  const Row* best(const std::string& library) const {
    const Row* found = nullptr;
    for (const Row& row : products) {
      if (row.library != library || !row.is_right()) continue;
      if (found == nullptr || row.seconds < found->seconds) found = &row;
    }
    return found;
  }

  /// How many times faster Krylite's best is; 0 where one of the two has none.
  double speedup_over(const std::string& library) const {
    const Row* const ours = best("krylite");
    const Row* const theirs = best(library);
    return ours != nullptr && theirs != nullptr ? theirs->seconds / ours->seconds : 0;
  }

  double gbs(const Row& row) const { return 1e-9 * model_bytes / row.seconds; }
};

inline const std::vector<std::string>& peers() {
  static const std::vector<std::string> names = {"cusparse", "kokkos_kernels"};
  return names;
}

inline Json row_json(const Finding& finding, const Row& row, const Bandwidth& bandwidth) {
  Json json = {{"library", row.library}, {"format", row.format}, {"options", row.options}};
  if (!row.refused.empty()) {
    json["refused"] = row.refused;
    return json;
  }
  json["kernel"] = row.kernel;
  json["seconds"] = row.seconds;
  json["fastest"] = row.fastest;
  json["slowest"] = row.slowest;
  json["gbs"] = finding.gbs(row);
  json["fraction_of_copy"] = finding.gbs(row) / bandwidth.copy_gbs;
  json["fraction_of_read"] = finding.gbs(row) / bandwidth.read_gbs;
  if (row.bytes > 0) json["bytes"] = row.bytes;
  if (row.bytes > 0) json["fill"] = row.fill;
  if (row.conversion_seconds) json["conversion_seconds"] = *row.conversion_seconds;
  if (row.conversion_seconds) json["conversion_spmvs"] = *row.conversion_seconds / row.seconds;
  json["difference"] = row.difference;
  if (row.max_scaled_error) json["max_scaled_error"] = *row.max_scaled_error;
  return json;
}

inline Json best_json(const Finding& finding, const std::string& library, const Bandwidth& bandwidth) {
  const Row* const row = finding.best(library);
  if (row == nullptr) return Json::object();
  return {{"format", row->format},
          {"options", row->options},
          {"kernel", row->kernel},
          {"seconds", row->seconds},
          {"fraction_of_copy", finding.gbs(*row) / bandwidth.copy_gbs}};
}

inline Json finding_json(const Finding& finding, const Bandwidth& bandwidth) {
  Json rows = Json::array();
  for (const Row& row : finding.products) rows.push_back(row_json(finding, row, bandwidth));
  Json json = {{"name", finding.name},
               {"source", finding.source},
               {"group", finding.group},
               {"precision", finding.precision},
               {"rows", finding.rows},
               {"columns", finding.columns},
               {"nonzeros", finding.nonzeros},
               {"model_bytes", finding.model_bytes},
               {"generation_seconds", finding.generation_seconds},
               {"measuring_seconds", finding.measuring_seconds},
               {"products", rows}};
  for (const std::string library : {"krylite", "cusparse", "kokkos_kernels"}) {
    json["best_" + library] = best_json(finding, library, bandwidth);
  }
  for (const std::string& peer : peers()) json["speedup_over_" + peer] = finding.speedup_over(peer);
  return json;
}

/// Over the matrices of a group in one precision.
struct Summary {
  double product = 1;
  double least = 1e300;
  double least_fraction = 1e300;
  int count = 0;

  double mean() const { return std::pow(product, 1.0 / count); }
};

/// For each group, precision and peer: the geometric mean of the speed-ups, the least of them, and the least fraction
/// of the copy bandwidth.
inline std::map<std::string, Summary> summaries(const std::vector<Finding>& findings, const Bandwidth& bandwidth) {
  std::map<std::string, Summary> all;
  for (const Finding& finding : findings) {
    for (const std::string& peer : peers()) {
      const double speedup = finding.speedup_over(peer);
      if (!(speedup > 0)) continue;
      Summary& summary = all[finding.group + " " + finding.precision + " over " + peer];
      summary.product *= speedup;
      summary.least = std::min(summary.least, speedup);
      summary.least_fraction =
          std::min(summary.least_fraction, finding.gbs(*finding.best("krylite")) / bandwidth.copy_gbs);
      ++summary.count;
    }
  }
  return all;
}

inline Json summaries_json(const std::vector<Finding>& findings, const Bandwidth& bandwidth) {
  Json json = Json::array();
  for (const auto& [name, summary] : summaries(findings, bandwidth)) {
    json.push_back({{"name", name},
                    {"matrices", summary.count},
                    {"geometric_mean", summary.mean()},
                    {"least", summary.least},
                    {"least_fraction_of_copy", summary.least_fraction}});
  }
  return json;
}

inline void add_to_table(krylite::driver::Table& table, const Finding& finding, const Row& row,
                         const Bandwidth& bandwidth) {
  using namespace krylite::driver;
  const std::string who = row.library == "krylite" ? row.name() : row.library + " " + row.name();
  if (!row.refused.empty()) return table.add({who, "refused: " + row.refused});
  const double spread = (row.slowest - row.fastest) / row.seconds;
  table.add({who, row.kernel, fixed(1e6 * row.seconds, 2), percent(spread), fixed(finding.gbs(row), 0),
             fixed(finding.gbs(row) / bandwidth.copy_gbs, 3), row.bytes > 0 ? percent(row.fill) : "-",
             row.conversion_seconds ? fixed(*row.conversion_seconds / row.seconds, 1) : "-",
             fixed(std::min(row.difference, 1e6), 2) + (row.is_right() ? "" : " WRONG"),
             row.max_scaled_error ? fixed(std::min(*row.max_scaled_error, 1e6), 2) : "-"});
}

/// The table of one matrix, and a line for each library's best.
inline std::string finding_text(const Finding& finding, const Bandwidth& bandwidth) {
  using namespace krylite::driver;
  Table table({finding.name + " " + finding.precision, "kernel", "time [us]", "spread", "GB/s", "of copy", "fill",
               "conversion", "difference", "error/bound"});
  for (const Row& row : finding.products) add_to_table(table, finding, row, bandwidth);
  std::string text = "\n" + grouped(finding.rows) + " x " + grouped(finding.columns) + ", " +
                     grouped(finding.nonzeros) + " nonzeros; made in " + fixed(finding.generation_seconds, 2) +
                     " s, measured in " + fixed(finding.measuring_seconds, 2) + " s\n" + table.text();
  for (const std::string library : {"krylite", "cusparse", "kokkos_kernels"}) {
    const Row* const row = finding.best(library);
    if (row == nullptr) continue;
    const double speedup = finding.speedup_over(library);
    text += "best of " + library + ": " + row->name() + ", " + fixed(1e6 * row->seconds, 2) + " us" +
            (library == "krylite" ? "" : "; krylite is " + fixed(speedup, 2) + " times as fast") + "\n";
  }
  return text;
}

inline std::string summaries_text(const std::vector<Finding>& findings, const Bandwidth& bandwidth) {
  using namespace krylite::driver;
  Table table({"best over best", "matrices", "geometric mean", "least", "least of copy"});
  for (const auto& [name, summary] : summaries(findings, bandwidth)) {
    table.add({name, std::to_string(summary.count), fixed(summary.mean(), 3), fixed(summary.least, 3),
               fixed(summary.least_fraction, 3)});
  }
  return "\n" + table.text();
}

}  // namespace krylite_perf

#endif
