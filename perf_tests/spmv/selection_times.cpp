// Times y = A x in every format for every matrix named on the command line (files or gen: texts), and prints a table
// of tab-separated values: name, features of the matrix (formats/features.hpp), and microseconds in each format, the
// median of 15 batches in which the formats take turns; "-" where a format refuses the matrix. unit_tests/formats/
// selection_times.tsv was made by it, and formats/selection_costs.hpp fitted to it:
//
//     krylite_selection_times FOLDER/*.mtx.gz gen:poisson3d:60 ... > selection_times.tsv

#include "support/load.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace {

using krylite_perf::Csr;
using krylite_perf::Execution;
using krylite_perf::Memory;
using krylite_perf::Vector;
using Matrix = krylite::AnyMatrix<double, std::int32_t, Memory>;

/// One format of the matrix in turn, if it does not refuse.
struct Candidate {
  std::optional<Matrix> matrix;
  std::vector<double> seconds;
};

std::optional<Matrix> convert(const Execution& exec, const Csr& csr, krylite::FormatKind kind) {
  krylite::FormatSpec format;
  format.kind = kind;
  try {
    return krylite::to_format(exec, csr, format);
  } catch (const krylite::Error&) {
    return std::nullopt;
  }
}

/// Seconds of one product in a batch that lasts about 4 ms, behind one that is not timed.
double batch_seconds(const Execution& exec, const Matrix& matrix, const Vector& x, const Vector& y) {
  krylite::spmv(exec, 1.0, matrix, x, 0.0, y);
  exec.fence();
  const Kokkos::Timer timer;
  int products = 0;
  do {
    krylite::spmv(exec, 1.0, matrix, x, 0.0, y);
    ++products;
  } while (timer.seconds() < 4e-3);
  exec.fence();
  return timer.seconds() / products;
}

void print_row(const std::string& name, const krylite::FormatFeatures& f, std::vector<Candidate>& candidates) {
  std::printf("%s\t%lld\t%lld\t%lld\t%lld\t%lld\t%lld\t%lld\t%lld\t%.4f\t%.4f", name.c_str(), (long long)f.rows,
              (long long)f.columns, (long long)f.entries, (long long)f.row_max, (long long)f.group_size,
              (long long)f.grouped_entries, (long long)f.pieces, (long long)f.partials, f.packable, f.adjacent);
  for (Candidate& candidate : candidates) {
    if (!candidate.matrix) {
      std::printf("\t-");
      continue;
    }
    std::sort(candidate.seconds.begin(), candidate.seconds.end());
    std::printf("\t%.2f", 1e6 * candidate.seconds[candidate.seconds.size() / 2]);
  }
  std::printf("\n");
  std::fflush(stdout);
}

void measure(const std::string& source) {
  constexpr int batches = 15;
  const Execution exec;
  const Csr csr = krylite_perf::load(source);
  const Vector x("x", csr.num_cols), y("y", csr.num_rows);
  Kokkos::deep_copy(x, 1.0);
  std::vector<Candidate> candidates;
  for (const auto& format : krylite::format_names) candidates.push_back({convert(exec, csr, format.first), {}});
  for (int batch = 0; batch < batches; ++batch) {
    for (Candidate& candidate : candidates) {
      if (candidate.matrix) candidate.seconds.push_back(batch_seconds(exec, *candidate.matrix, x, y));
    }
  }
  print_row(krylite_perf::short_name(source), krylite::format_features(exec, csr), candidates);
}

}  // namespace

int main(int argc, char** argv) {
  krylite::initialize_kokkos();
  std::printf("matrix\trows\tcolumns\tentries\trow_max\tgroup_size\tgrouped_entries\tpieces\tpartials\tpackable\tadjacent");
  for (const auto& format : krylite::format_names) std::printf("\t%s", format.second);
  std::printf("\n");
  int status = 0;
  for (int i = 1; i < argc; ++i) {
    try {
      measure(argv[i]);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      status = 2;
    }
  }
  Kokkos::finalize();
  return status;
}
