/// \file
/// `krylite convert A OUT.mtx [--reorder R [--permutation P.mtx]] [--format F]`: rewrites a matrix, reordered
/// and by way of a format where these are named.

#include <cstring>
#include <krylite/io/matrix_market.hpp>
#include <memory>
#include <stdexcept>
#include <type_traits>

#include "output.hpp"
#include "reordering.hpp"
#include "report.hpp"
#include "subcommands.hpp"
#include "text.hpp"

namespace krylite::driver {
namespace {

struct ConvertOptions {
  CommonOptions common;
  std::string out;
  std::string reorder;      ///< empty: as it is
  std::string permutation;  ///< file; empty: none
  AskedFormat format;       ///< of the round trip; none where none was asked for
};

/// Whether two arrays on the host are the same, bit for bit.
template <class View>
bool same_bits(const View& a, const View& b) {
  const std::size_t bytes = a.extent(0) * sizeof(typename View::value_type);
  return a.extent(0) == b.extent(0) && (bytes == 0 || std::memcmp(a.data(), b.data(), bytes) == 0);
}

/// Whether the matrix comes back from the format as it was, to the last bit.
template <class Offset>
bool comes_back(const CsrMatrix<double, Offset, Memory>& csr, const FormatSpec& format) {
  const Execution exec;
  const auto back = to_csr(exec, to_format(exec, csr, format));
  exec.fence();
  const auto before = copy_to<Kokkos::HostSpace>(csr);
  const auto after = copy_to<Kokkos::HostSpace>(back);
  const bool same_shape = before.num_rows == after.num_rows && before.num_cols == after.num_cols;
  // No rows may mean one row pointer or none.
  const bool same_rows = before.num_rows == 0 || same_bits(before.row_pointers, after.row_pointers);
  return same_shape && same_rows && same_bits(before.columns, after.columns) &&
         same_bits(before.values, after.values);
}

using HostPermutation = Permutation<Kokkos::HostSpace>;

/// Reorders the matrix and tells how. \throws Error where it is not square
HostPermutation reorder(const ConvertOptions& options, LoadedMatrix& matrix) {
  require_square(matrix, "reordered");
  const Host host;
  const HostPermutation order = ordering_of(options.reorder, host, matrix.csr);
  matrix.csr = permute_system(host, matrix.csr, order);
  host.fence();
  return order;
}

/// Writes the old row of each new one, counted from 1.
void write_permutation(const std::string& path, const HostPermutation& order) {
  const Kokkos::View<std::int64_t*, Kokkos::HostSpace> old_rows("krylite::driver::old_rows", order.extent(0));
  for (std::size_t row = 0; row < order.extent(0); ++row) old_rows(row) = std::int64_t{order(row)} + 1;
  writing([&] { write_matrix_market_integers(library_path(path), old_rows); });
}

/// No output may replace another; the matrix alone may replace itself.
void check_files(const ConvertOptions& options) {
  check_outputs({options.common.json, options.permutation}, {options.common.matrix});
  check_outputs({options.common.json, options.permutation, options.out});
}

int run_convert(const ConvertOptions& options) {
  check_files(options);
  LoadedMatrix matrix = load_matrix(options.common.matrix);
  Json used = {{"out", options.out}};
  std::string check;
  HostPermutation order;
  if (!options.reorder.empty()) {
    order = reorder(options, matrix);
    used["reorder"] = options.reorder;
    check = ", reordered by " + options.reorder;
  }
  if (options.format) {
    const std::string format = format_text(options.format);
    const bool same =
        with_device_csr<double>(matrix, [&](const auto& csr) { return comes_back(csr, *options.format); });
    if (!same) throw std::logic_error(matrix.source + ": " + format + " does not give the matrix back");
    used["format"] = format;
    check += ", the same after a round trip through " + format;
  }
  // First, since a matrix that has replaced itself could not be put back in order without it.
  if (!options.permutation.empty()) {
    write_permutation(options.permutation, order);
    used["permutation"] = options.permutation;
  }
  writing([&] { write_matrix_market(library_path(options.out), matrix.csr); });
  deliver(options.common, common_json(matrix, used, Warnings()),
          matrix_text(matrix) + check + ", written to " + options.out + "\n",
          {options.out, options.permutation});
  return exit_done;
}

}  // namespace

Subcommand add_convert(CLI::App& command) {
  CLI::App* app =
      command.add_subcommand("convert", "Rewrite a matrix, reorder it, and check a format's round trip");
  const auto options = std::make_shared<ConvertOptions>();
  add_matrix(*app, options->common);
  app->add_option("out", options->out, "Matrix Market file to write; compressed where it ends in .gz")
      ->check(named_file())
      ->required()
      ->type_name("");
  add_choice(*app, "--reorder", options->reorder, reordering_names(),
             "Write P A P^T, with P from reverse Cuthill-McKee (rcm) or approximate minimum degree (amd)");
  app->add_option(
         "--permutation", options->permutation,
         "Write P as a Matrix Market vector of integers: line i of its numbers is the old row, counted "
         "from 1, that has become row i")
      ->check(named_file())
      ->needs("--reorder")
      ->type_name("FILE");
  const auto read = [options](const std::string& text) {
    try {
      options->format = parse_format(text);
    } catch (const Error& error) {
      throw CLI::ValidationError("--format", error.what());
    }
    if (!options->format) throw CLI::ValidationError("--format", "must be one of " + format_names_text());
  };
  app->add_option_function<std::string>(
         "--format", read,
         "Go through this format and back, and make sure that nothing has changed (options as in spmv --help)")
      ->type_name("F");
  add_common(*app, options->common);
  return {app, [options] { return run_convert(*options); }};
}

}  // namespace krylite::driver
