#include "support/expect.hpp"
#include "support/types.hpp"

#include <krylite/formats/select.hpp>
#include <krylite/io/generate.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using krylite::FormatFeatures;
using krylite::FormatKind;
using namespace krylite_test;

/// A line of selection_times.tsv, which perf_tests/spmv/selection_times.cpp measured.
struct MeasuredMatrix {
  std::string name;
  FormatFeatures features;
  std::map<std::string, double> times;  ///< microseconds; a format that refused is not there
};

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, '\t');) fields.push_back(field);
  return fields;
}

std::vector<MeasuredMatrix> measured_matrices() {
  std::ifstream file(KRYLITE_SELECTION_TIMES);
  std::string line;
  std::getline(file, line);
  const auto header = fields_of(line);
  std::vector<MeasuredMatrix> all;
  while (std::getline(file, line)) {
    const auto fields = fields_of(line);
    const auto whole = [&](int i) { return std::stoll(fields[i]); };
    MeasuredMatrix matrix;
    matrix.name = fields[0];
    matrix.features = {whole(1), whole(2), whole(3), whole(4),           whole(5),
                       whole(6), whole(7), whole(8), std::stod(fields[9]), std::stod(fields[10])};
    for (std::size_t i = 11; i < fields.size(); ++i) {
      if (fields[i] != "-") matrix.times[header[i]] = std::stod(fields[i]);
    }
    all.push_back(matrix);
  }
  return all;
}

TEST(SelectFormat, IsWithinATenthOfTheFastestOnNineTenthsOfTheMeasuredMatrices) {
  const auto all = measured_matrices();
  ASSERT_GE(all.size(), 50u);
  std::size_t good = 0;
  for (const MeasuredMatrix& matrix : all) {
    const auto selection = krylite::select_format<double, std::int32_t>(matrix.features);
    const auto selected = matrix.times.find(name(selection.format.kind));
    ASSERT_NE(selected, matrix.times.end()) << matrix.name << ": a format that refuses the matrix was selected";
    double fastest = selected->second;
    for (const auto& [format, time] : matrix.times) fastest = std::min(fastest, time);
    good += selected->second <= 1.1 * fastest ? 1 : 0;
    EXPECT_LE(selected->second, 1.5 * fastest) << matrix.name << " in " << selected->first;
  }
  EXPECT_GE(10 * good, 9 * all.size()) << good << " of " << all.size();
}

TEST(SelectFormat, FeaturesAreThoseOfTheMeasuredMatrices) {
  for (const MeasuredMatrix& matrix : measured_matrices()) {
    if (!krylite::is_generator(matrix.name) || matrix.features.entries > 500000) continue;
    if (krylite::default_rgcsr_group_size<Kokkos::DefaultExecutionSpace>() != matrix.features.group_size) continue;
    const auto csr = convert<double, std::int32_t, Kokkos::DefaultExecutionSpace::memory_space>(
        krylite::generate(krylite::parse_generator(matrix.name)));
    const FormatFeatures found = krylite::format_features(Kokkos::DefaultExecutionSpace(), csr);
    EXPECT_EQ(found.rows, matrix.features.rows) << matrix.name;
    EXPECT_EQ(found.columns, matrix.features.columns) << matrix.name;
    EXPECT_EQ(found.entries, matrix.features.entries) << matrix.name;
    EXPECT_EQ(found.row_max, matrix.features.row_max) << matrix.name;
    EXPECT_EQ(found.grouped_entries, matrix.features.grouped_entries) << matrix.name;
    EXPECT_EQ(found.pieces, matrix.features.pieces) << matrix.name;
    EXPECT_EQ(found.partials, matrix.features.partials) << matrix.name;
    EXPECT_NEAR(found.packable, matrix.features.packable, 1e-4) << matrix.name;
    EXPECT_NEAR(found.adjacent, matrix.features.adjacent, 1e-4) << matrix.name;
  }
}

TEST(SelectFormat, FeaturesCountWhatTheFormatsStore) {
  const Kokkos::DefaultExecutionSpace exec;
  for (const NamedMatrix& named : battery()) {
    const auto csr = convert<double, std::int32_t, Kokkos::DefaultExecutionSpace::memory_space>(named.csr);
    const FormatFeatures features = krylite::format_features(exec, csr);
    EXPECT_EQ(features.grouped_entries, krylite::to_rgcsr(exec, csr).stored_entries()) << named.name;
    const auto adaptive = krylite::to_adaptive_rgcsr(exec, csr);
    EXPECT_EQ(features.pieces, adaptive.num_units()) << named.name;
    EXPECT_EQ(features.partials, adaptive.num_partials()) << named.name;
  }
}

TEST(SelectFormat, SelectsForEveryMatrixAndSaysWhy) {
  const Kokkos::DefaultExecutionSpace exec;
  for (const NamedMatrix& named : battery()) {
    const auto csr = convert<double, std::int32_t, Kokkos::DefaultExecutionSpace::memory_space>(named.csr);
    const auto selection = krylite::select_format(exec, csr);
    EXPECT_NO_THROW(krylite::to_format(exec, csr, selection.format)) << named.name;
    EXPECT_NE(selection.reason.find(name(selection.format.kind)), std::string::npos) << selection.reason;
    EXPECT_TRUE(std::is_sorted(selection.estimates.begin(), selection.estimates.end(),
                               [](const auto& a, const auto& b) { return a.cost < b.cost; }));
  }
}

TEST(SelectFormat, MeasuresWhereItIsAskedTo) {
  const Kokkos::DefaultExecutionSpace exec;
  const auto csr = convert<double, std::int32_t, Kokkos::DefaultExecutionSpace::memory_space>(
      krylite::generate(krylite::parse_generator("gen:diagonal-plus-dense-row:3000")));
  const auto selection = krylite::select_format(exec, csr, krylite::Measured{3});
  EXPECT_EQ(selection.estimates.size(), krylite::format_names.size() - 1) << "ELL refuses one dense row";
  EXPECT_EQ(selection.format.kind, selection.estimates[0].kind);
  EXPECT_GT(selection.estimates[0].cost, 0);
  expect_error([&] { krylite::select_format(exec, csr, krylite::Measured{0}); }, "at least 1", "not 0");
}

}  // namespace
