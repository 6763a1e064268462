#include "formats.hpp"

#include <charconv>
#include <krylite/core/error.hpp>

#include "text.hpp"

namespace krylite::driver {
namespace {

using krylite::detail::fail;
using krylite::detail::require;

struct FormatEntry {
  FormatKind kind;
  const char* name;
};

const std::vector<FormatEntry>& format_table() {
  static const std::vector<FormatEntry> table = {
      {FormatKind::automatic, "auto"}, {FormatKind::csr, "csr"}, {FormatKind::rgcsr, "rgcsr"}};
  return table;
}

FormatSpec find_format(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& entry : format_table()) {
    if (name == entry.name) return {entry.kind, 0};
    names.push_back(entry.name);
  }
  fail("unknown format '", name, "'; there are ", join(names));
}

Index parse_group_size(const std::string& text) {
  Index size = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, size);
  const bool is_allowed =
      error == std::errc() && stop == end && size >= 1 && size <= 256 && (size & (size - 1)) == 0;
  require(is_allowed, "rgcsr: group must be a power of two from 1 to 256, not '", text, "'");
  return size;
}

void parse_format_option(const std::string& text, FormatSpec& format) {
  const std::size_t equals = text.find('=');
  const std::string key = text.substr(0, equals);
  require(format.kind == FormatKind::rgcsr && key == "group" && equals != std::string::npos, "format ",
          format_name(format), " has no option '", text, "'; only rgcsr has one, group=N");
  require(format.group_size == 0, "rgcsr: group is given twice");
  format.group_size = parse_group_size(text.substr(equals + 1));
}

}  // namespace

FormatSpec parse_format(const std::string& text) {
  const std::size_t colon = text.find(':');
  FormatSpec format = find_format(text.substr(0, colon));
  if (colon == std::string::npos) return format;
  for (const auto& option : split(text.substr(colon + 1), ',')) parse_format_option(option, format);
  return format;
}

std::vector<FormatSpec> parse_format_list(const std::string& text) {
  std::vector<std::string> texts;
  for (const auto& part : split(text, ',')) {
    const bool continues = part.find('=') < part.find(':') && !texts.empty();
    if (continues) {
      texts.back() += "," + part;
    } else {
      texts.push_back(part);
    }
  }
  std::vector<FormatSpec> formats;
  for (const auto& each : texts) {
    if (each == "all") {
      for (const FormatSpec& format : all_formats()) formats.push_back(format);
    } else {
      formats.push_back(parse_format(each));
    }
  }
  return formats;
}

std::vector<FormatSpec> all_formats() {
  std::vector<FormatSpec> formats;
  for (const auto& entry : format_table()) {
    if (entry.kind != FormatKind::automatic) formats.push_back({entry.kind, 0});
  }
  return formats;
}

std::string format_name(const FormatSpec& format) {
  for (const auto& entry : format_table()) {
    if (entry.kind == format.kind) return entry.name;
  }
  return "";
}

std::string format_options(const FormatSpec& format) {
  if (format.kind != FormatKind::rgcsr) return "";
  const Index size = format.group_size == 0 ? default_rgcsr_group_size<Execution>() : format.group_size;
  return "group=" + std::to_string(size);
}

std::string format_text(const FormatSpec& format) {
  const std::string options = format_options(format);
  return format_name(format) + (options.empty() ? "" : ":" + options);
}

}  // namespace krylite::driver
