/// \file
/// `krylite convert A OUT.mtx [--format F]`: rewrites a matrix, by way of a format where one is named.

#include <cstring>
#include <krylite/io/matrix_market.hpp>
#include <memory>
#include <stdexcept>
#include <type_traits>

#include "output.hpp"
#include "report.hpp"
#include "subcommands.hpp"
#include "text.hpp"

namespace krylite::driver {
namespace {

struct ConvertOptions {
  CommonOptions common;
  std::string out;
  FormatSpec format;  ///< automatic: none was named
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
  const auto matrix = make_matrix(exec, csr, format);
  const auto back = std::visit(
      [&](const auto& held) {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, CsrMatrix<double, Offset, Memory>>) {
          return held;
        } else {
          return to_csr(exec, held);
        }
      },
      matrix);
  exec.fence();
  const auto before = copy_to<Kokkos::HostSpace>(csr);
  const auto after = copy_to<Kokkos::HostSpace>(back);
  const bool same_shape = before.num_rows == after.num_rows && before.num_cols == after.num_cols;
  // No rows may mean one row pointer or none.
  const bool same_rows = before.num_rows == 0 || same_bits(before.row_pointers, after.row_pointers);
  return same_shape && same_rows && same_bits(before.columns, after.columns) &&
         same_bits(before.values, after.values);
}

int run_convert(const ConvertOptions& options) {
  check_outputs({options.common.json, options.out});
  const LoadedMatrix matrix = load_matrix(options.common.matrix);
  Json used = {{"out", options.out}};
  std::string check;
  if (options.format.kind != FormatKind::automatic) {
    const std::string format = format_text(options.format);
    const bool same =
        with_device_csr<double>(matrix, [&](const auto& csr) { return comes_back(csr, options.format); });
    if (!same) throw std::logic_error(matrix.source + ": " + format + " does not give the matrix back");
    used["format"] = format;
    check = ", the same after a round trip through " + format;
  }
  writing([&] { write_matrix_market(library_path(options.out), matrix.csr); });
  deliver(options.common, common_json(matrix, used, Warnings()),
          matrix_text(matrix) + check + ", written to " + options.out + "\n", {options.out});
  return exit_done;
}

}  // namespace

Subcommand add_convert(CLI::App& command) {
  CLI::App* app = command.add_subcommand("convert", "Rewrite a matrix, and check a format's round trip");
  const auto options = std::make_shared<ConvertOptions>();
  add_matrix(*app, options->common);
  app->add_option("out", options->out, "Matrix Market file to write; compressed where it ends in .gz")->check(named_file())
      ->required()
      ->type_name("");
  const auto read = [options](const std::string& text) {
    try {
      options->format = parse_format(text);
    } catch (const Error& error) {
      throw CLI::ValidationError("--format", error.what());
    }
    if (options->format.kind == FormatKind::automatic) {
      throw CLI::ValidationError("--format", "must be csr or rgcsr[:group=N], not 'auto'");
    }
  };
  app->add_option_function<std::string>(
         "--format", read,
         "Go through csr or rgcsr[:group=N] and back, and make sure that nothing "
         "has changed")
      ->type_name("F");
  add_common(*app, options->common);
  return {app, [options] { return run_convert(*options); }};
}

}  // namespace krylite::driver
