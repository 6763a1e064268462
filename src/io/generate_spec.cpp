#include <charconv>
#include <cmath>
#include <locale>
#include <sstream>

#include "generate_kinds.hpp"

namespace krylite {
namespace detail {
namespace {

const std::string prefix = "gen:";

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(separator, begin)) != std::string::npos; begin = end + 1) {
    parts.push_back(text.substr(begin, end - begin));
  }
  parts.push_back(text.substr(begin));
  return parts;
}

/// "a, b, c" of the names of kinds or options.
template <class Named>
std::string list_names(const std::vector<Named>& all) {
  std::string list;
  for (const auto& each : all) list += (list.empty() ? "" : ", ") + each.name;
  return list;
}

const KindEntry& find_kind(const std::string& text, const std::string& name) {
  for (const auto& entry : kind_table()) {
    if (entry.info.name == name) return entry;
  }
  fail(text, ": unknown kind '", name, "'; the kinds are ", list_names(generator_kinds()));
}

const GeneratorOption& find_option(const std::string& text, const GeneratorKind& kind,
                                   const std::string& name) {
  for (const auto& option : kind.options) {
    if (option.name == name) return option;
  }
  fail(text, ": ", kind.name, " has no option '", name, "'; it takes ", list_names(kind.options));
}

/// A number as it is written in a specification: whole ones without an exponent.
std::string number_text(double value) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.precision(16);
  out << value;
  return out.str();
}

[[noreturn]] void fail_value(const std::string& text, const GeneratorOption& option,
                             const std::string& value) {
  fail(text, ": ", option.name, " must be a ", option.whole ? "whole number" : "number", " from ",
       number_text(option.minimum), " to ", number_text(option.maximum), ", not '", value, "'");
}

void check_value(const std::string& text, const GeneratorOption& option, double value) {
  // Written so that a NaN does not pass.
  const bool in_range = value >= option.minimum && value <= option.maximum;
  if (!in_range || (option.whole && value != std::floor(value))) fail_value(text, option, number_text(value));
}

std::int64_t read_size(const std::string& text, const std::string& digits) {
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  require(error == std::errc() && end == digits.data() + digits.size() && n >= 1, text,
          ": n must be a whole number from 1, not '", digits, "'");
  return n;
}

/// Reads a number with a point, whatever the user's locale.
double read_value(const std::string& text, const GeneratorOption& option, const std::string& digits) {
  std::istringstream in(digits);
  in.imbue(std::locale::classic());
  double value = 0;
  in >> std::noskipws >> value;
  if (in.fail() || in.peek() != std::istringstream::traits_type::eof()) fail_value(text, option, digits);
  return value;
}

void read_option(const std::string& text, const GeneratorKind& kind, const std::string& part,
                 std::map<std::string, double>& options) {
  const std::size_t equals = part.find('=');
  require(equals != std::string::npos, text, ": expected key=value, not '", part, "'");
  const GeneratorOption& option = find_option(text, kind, part.substr(0, equals));
  const double value = read_value(text, option, part.substr(equals + 1));
  check_value(text, option, value);
  require(options.emplace(option.name, value).second, text, ": ", option.name, " is given twice");
}

std::string write_spec(const GeneratorSpec& spec) {
  std::string text = prefix + spec.kind + ":" + std::to_string(spec.n);
  for (const auto& [name, value] : spec.options) text += ":" + name + "=" + number_text(value);
  return text;
}

/// Checks everything in `spec`, which need not come from a text, and puts the defaults in.
GeneratorRequest check(const std::string& text, const GeneratorSpec& spec) {
  const KindEntry& kind = find_kind(text, spec.kind);
  require(spec.n >= 1, text, ": n must be a whole number from 1, not '", spec.n, "'");
  const std::int64_t rows = kind.rows(spec.n);
  require(rows <= max_rows, text, ": n = ", spec.n, " gives more than ", max_rows, " rows (", kind.info.name,
          ": ", kind.info.description, ")");
  GeneratorRequest request{text, spec.n, static_cast<Index>(rows), spec.options};
  for (const auto& [name, value] : spec.options) check_value(text, find_option(text, kind.info, name), value);
  for (const auto& option : kind.info.options) {
    if (option.default_value) request.options.emplace(option.name, *option.default_value);
    if (option.name != "columns") continue;
    // 4 n may be more than is allowed although n is not.
    request.options.emplace(option.name, 4.0 * static_cast<double>(spec.n));
    check_value(text, option, request["columns"]);
  }
  return request;
}

}  // namespace
}  // namespace detail

std::vector<GeneratorKind> generator_kinds() {
  std::vector<GeneratorKind> kinds;
  for (const auto& entry : detail::kind_table()) kinds.push_back(entry.info);
  return kinds;
}

bool is_generator(const std::string& text) {
  return text.compare(0, detail::prefix.size(), detail::prefix) == 0;
}

GeneratorSpec parse_generator(const std::string& text) {
  detail::require(is_generator(text), text, ": expected gen:KIND:N[:key=value...]");
  const std::vector<std::string> parts = detail::split(text.substr(detail::prefix.size()), ':');
  const GeneratorKind& kind = detail::find_kind(text, parts[0]).info;
  detail::require(parts.size() > 1, text, ": n is missing (", kind.size_description,
                  "); write gen:", kind.name, ":N");
  GeneratorSpec spec{kind.name, detail::read_size(text, parts[1]), {}};
  for (std::size_t part = 2; part < parts.size(); ++part) {
    detail::read_option(text, kind, parts[part], spec.options);
  }
  detail::check(text, spec);
  return spec;
}

HostCsr generate(const GeneratorSpec& spec) {
  const detail::GeneratorRequest request = detail::check(detail::write_spec(spec), spec);
  const HostCsr matrix = detail::find_kind(request.text, spec.kind).make(request);
  const auto shuffle = request.options.find("shuffle");
  if (shuffle == request.options.end()) return matrix;
  return detail::shuffle_matrix(request, matrix, static_cast<std::uint64_t>(shuffle->second));
}

}  // namespace krylite
