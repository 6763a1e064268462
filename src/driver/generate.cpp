/// \file
/// `krylite generate KIND --n N OUT.mtx`: writes a generated matrix.

#include <krylite/io/matrix_market.hpp>
#include <map>
#include <memory>

#include "output.hpp"
#include "report.hpp"
#include "subcommands.hpp"
#include "text.hpp"

namespace krylite::driver {
namespace {

struct GenerateOptions {
  CommonOptions common;
  std::string kind;
  std::string n;
  std::map<std::string, std::string> values;  ///< of the kind's own options, as they are written
  std::string out;
};

/// The options of all kinds, each once.
std::vector<GeneratorOption> all_generator_options() {
  std::vector<GeneratorOption> all;
  std::map<std::string, bool> known;
  for (const auto& kind : generator_kinds()) {
    for (const auto& option : kind.options) {
      if (!known[option.name]) all.push_back(option);
      known[option.name] = true;
    }
  }
  return all;
}

std::string kinds_text() {
  std::string text = "Kinds, with what N counts and the options they take:\n";
  for (const auto& kind : generator_kinds()) {
    std::vector<std::string> names;
    for (const auto& option : kind.options) names.push_back("--" + option.name);
    text += "  " + kind.name + ": " + kind.description + "\n      N: " + kind.size_description + "; " +
            join(names, " ") + "\n";
  }
  return text +
         "Wherever a matrix file is taken, gen:KIND:N[:key=value...] stands for such a matrix:\n"
         "  krylite solve gen:convection-diffusion:32:peclet=40\n"
         "OUT is compressed where it ends in .gz.";
}

/// The same matrix as text, which the library reads and checks.
std::string specification(const GenerateOptions& options) {
  std::string text = "gen:" + options.kind + ":" + options.n;
  for (const auto& [key, value] : options.values) text += ":" + key + "=" + value;
  return text;
}

int run_generate(const GenerateOptions& options) {
  const std::string text = specification(options);
  parse_generator(text);
  check_outputs({options.common.json, options.out});
  const LoadedMatrix matrix = load_matrix(text);
  writing([&] { write_matrix_market(library_path(options.out), matrix.csr); });

  Json used = {{"kind", options.kind}, {"n", parse_generator(text).n}, {"out", options.out}};
  for (const auto& [key, value] : parse_generator(text).options) used[key] = value;
  deliver(options.common, common_json(matrix, used, Warnings()),
          matrix_text(matrix) + ", written to " + options.out + "\n", {options.out});
  return exit_done;
}

}  // namespace

Subcommand add_generate(CLI::App& command) {
  CLI::App* app = command.add_subcommand("generate", "Write a generated matrix");
  const auto options = std::make_shared<GenerateOptions>();
  app->add_option("kind", options->kind, "Kind of matrix, listed below")->required()->type_name("");
  app->add_option("--n", options->n, "Size")->required()->type_name("N");
  for (const auto& option : all_generator_options()) {
    const auto keep = [options, name = option.name](const std::string& text) {
      options->values[name] = text;
    };
    CLI::Option* added = app->add_option_function<std::string>("--" + option.name, keep, option.description);
    added->type_name(option.whole ? "N" : "X");
    if (option.default_value) added->default_str(shortest(*option.default_value));
  }
  app->add_option("out", options->out, "Matrix Market file to write")->check(named_file())->required()->type_name("");
  add_common(*app, options->common);
  app->footer(kinds_text());
  return {app, [options] { return run_generate(*options); }};
}

}  // namespace krylite::driver
