#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <krylite/core/error.hpp>

#include "text.hpp"

namespace krylite::driver {
namespace {

/// Reads the whole of `text` as a number; false where it is none or beyond the type.
template <class Number>
bool read_number(const std::string& text, Number& value) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

/// CLI11 has number options too, but they take octal numbers and let NaN through range checks.
template <class Number>
void add_checked_number(CLI::App& app, const std::string& name, Number& value, Number smallest,
                        Number largest, const std::string& kind, const std::string& description) {
  const auto read = [=, &value](const std::string& text) {
    Number number = 0;
    // Written so that a NaN does not pass.
    if (read_number(text, number) && number >= smallest && number <= largest) {
      value = number;
      return;
    }
    throw CLI::ValidationError(name, "must be a " + kind + " from " +
                                         shortest(static_cast<double>(smallest)) + " to " +
                                         shortest(static_cast<double>(largest)) + ", not '" + text + "'");
  };
  app.add_option_function<std::string>(name, read, description)
      ->type_name("N")
      ->default_str(shortest(static_cast<double>(value)));
}

std::string basis_names() {
  std::vector<std::string> names;
  for (const BasisStorage storage : all_basis_choices()) names.push_back(krylite::name(storage));
  return join(names);
}

BasisStorage parse_basis(const std::string& text) {
  for (const BasisStorage storage : all_basis_choices()) {
    if (text == krylite::name(storage)) return storage;
  }
  throw CLI::ValidationError("--basis", "unknown basis '" + text + "'; there are " + basis_names());
}

std::vector<BasisStorage> parse_basis_list(const std::string& text) {
  if (text == "all") return all_basis_choices();
  std::vector<BasisStorage> storages;
  for (const auto& part : split(text, ',')) {
    const BasisStorage storage = parse_basis(part);
    if (std::find(storages.begin(), storages.end(), storage) == storages.end()) storages.push_back(storage);
  }
  return storages;
}

/// Runs a parser of the library's kind, and gives its error the shape of CLI11's.
template <class Parse>
auto parse_option(const std::string& name, const Parse& parse) {
  try {
    return parse();
  } catch (const Error& error) {
    throw CLI::ValidationError(name, error.what());
  }
}

}  // namespace

CLI::Validator named_file() {
  return CLI::Validator([](std::string& name) { return name.empty() ? "the file name is empty" : ""; }, "");
}

void add_common(CLI::App& app, CommonOptions& options) {
  app.add_option("--json", options.json, "Write the result as JSON to FILE; '-' is standard output")
      ->check(named_file())
      ->type_name("FILE");
  app.add_flag("--quiet", options.quiet, "No progress bar");
}

void add_matrix(CLI::App& app, CommonOptions& options) {
  app.add_option("matrix", options.matrix,
                 "Matrix Market file, plain or gzip, or gen:KIND:N[:key=value...] (krylite generate --help)")
      ->required()
      ->type_name("");
}

void add_whole_number(CLI::App& app, const std::string& name, std::int64_t& value, std::int64_t smallest,
                      std::int64_t largest, const std::string& description) {
  add_checked_number(app, name, value, smallest, largest, "whole number", description);
}

void add_number(CLI::App& app, const std::string& name, double& value, double smallest, double largest,
                const std::string& description) {
  add_checked_number(app, name, value, smallest, largest, "number", description);
}

void add_choice(CLI::App& app, const std::string& name, std::string& value,
                const std::vector<std::string>& words, const std::string& description) {
  const auto read = [=, &value](const std::string& text) {
    if (std::find(words.begin(), words.end(), text) == words.end()) {
      throw CLI::ValidationError(name, "must be one of " + join(words) + ", not '" + text + "'");
    }
    value = text;
  };
  app.add_option_function<std::string>(name, read, description)
      ->type_name(join(words, "|"))
      ->default_str(value);
}

void add_format(CLI::App& app, AskedFormat& format, const std::string& description) {
  const auto read = [&format](const std::string& text) {
    format = parse_option("--format", [&] { return parse_format(text); });
  };
  app.add_option_function<std::string>("--format", read, description)
      ->type_name("F")
      ->default_str(format_text(format));
}

void add_format_list(CLI::App& app, std::vector<AskedFormat>& formats, const std::string& description) {
  const auto read = [&formats](const std::string& text) {
    formats = parse_option("--format", [&] { return parse_format_list(text); });
  };
  app.add_option_function<std::string>("--format", read, description)->type_name("F,...")->default_str("all");
}

void add_basis(CLI::App& app, BasisStorage& storage) {
  app.add_option_function<std::string>(
         "--basis", [&storage](const std::string& text) { storage = parse_basis(text); },
         "Storage of the Krylov basis: " + basis_names())
      ->type_name("B")
      ->default_str(krylite::name(storage));
}

void add_basis_list(CLI::App& app, std::vector<BasisStorage>& storages) {
  app.add_option_function<std::string>(
         "--basis", [&storages](const std::string& text) { storages = parse_basis_list(text); },
         "all, or a list of " + basis_names())
      ->type_name("B,...")
      ->default_str("all");
}

}  // namespace krylite::driver
