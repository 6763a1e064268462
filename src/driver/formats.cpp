#include "formats.hpp"

#include <charconv>
#include <functional>
#include <krylite/core/error.hpp>
#include <limits>
#include <utility>

#include "text.hpp"

namespace krylite::driver {
namespace {

using krylite::detail::fail;
using krylite::detail::require;

Index parse_number(const std::string& text, Index smallest, Index largest) {
  Index number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  require(error == std::errc() && stop == end && number >= smallest && number <= largest,
          "must be a whole number from ", smallest, " to ", largest, ", not '", text, "'");
  return number;
}

Index parse_group_size(const std::string& text) {
  const Index size = parse_number(text, 1, 256);
  require((size & (size - 1)) == 0, "must be a power of two from 1 to 256, not '", text, "'");
  return size;
}

/// The value whose word is `text`.
template <class Value>
Value parse_word(const std::string& text, const std::vector<std::pair<const char*, Value>>& words) {
  std::vector<std::string> names;
  for (const auto& [word, value] : words) {
    if (text == word) return value;
    names.push_back(word);
  }
  fail("must be one of ", join(names), ", not '", text, "'");
}

template <class Value>
std::string word_of(Value value, const std::vector<std::pair<const char*, Value>>& words) {
  for (const auto& [word, each] : words) {
    if (each == value) return word;
  }
  return "";
}

const std::vector<std::pair<const char*, bool>> switches = {{"on", true}, {"off", false}};
const std::vector<std::pair<const char*, RowOrder>> orders = {{"natural", RowOrder::natural},
                                                              {"windowed", RowOrder::windowed},
                                                              {"descending", RowOrder::descending},
                                                              {"clusters", RowOrder::clusters}};
const std::vector<std::pair<const char*, CsrKernel>> csr_kernels = {{"automatic", CsrKernel::automatic},
                                                                    {"scalar", CsrKernel::scalar},
                                                                    {"vector", CsrKernel::vector},
                                                                    {"balanced", CsrKernel::balanced}};

/// A number that is set; nothing for 0, which leaves it open.
std::string number_text(Index number) { return number == 0 ? "" : std::to_string(number); }

/// One key of one format.
struct FormatOption {
  FormatKind kind;
  const char* key;
  const char* values;  ///< for the help
  std::function<void(FormatSpec&, const std::string&)> set;
  std::function<std::string(const FormatSpec&)> get;
};

constexpr Index most = std::numeric_limits<Index>::max();

/// Options of the groups of rgcsr and adaptive_rgcsr.
void add_group_options(std::vector<FormatOption>& table, FormatKind kind,
                       const std::function<RgCsrOptions&(FormatSpec&)>& groups) {
  const auto read = [groups](const FormatSpec& format) {
    FormatSpec copy = format;
    return groups(copy);
  };
  const RgCsrOptions usual = read(FormatSpec());  // what is as usual is not told
  table.push_back({kind, "group", "N", [=](auto& f, auto& text) { groups(f).group_size = parse_group_size(text); },
                   [=](auto& f) { return number_text(read(f).group_size); }});
  table.push_back({kind, "packed", "on|off",
                   [=](auto& f, auto& text) { groups(f).packed = parse_word(text, switches); },
                   [=](auto& f) { return word_of(read(f).packed, switches); }});
  table.push_back({kind, "order", "natural|windowed|descending|clusters",
                   [=](auto& f, auto& text) { groups(f).order = parse_word(text, orders); },
                   [=](auto& f) { return read(f).order == usual.order ? "" : word_of(read(f).order, orders); }});
  table.push_back({kind, "window", "N",
                   [=](auto& f, auto& text) { groups(f).order_window = parse_number(text, 1, most); },
                   [=](auto& f) {
                     const RgCsrOptions found = read(f);
                     return found.order_window == usual.order_window ? "" : std::to_string(found.order_window);
                   }});
}

std::vector<FormatOption> make_option_table() {
  std::vector<FormatOption> table = {
      {FormatKind::csr, "kernel", "automatic|scalar|vector|balanced",
       [](auto& f, auto& text) { f.csr_kernel = parse_word(text, csr_kernels); },
       [](auto& f) { return f.csr_kernel == CsrKernel::automatic ? "" : word_of(f.csr_kernel, csr_kernels); }},
      {FormatKind::sliced_ell, "slice", "N",
       [](auto& f, auto& text) { f.sliced_ell.slice_size = parse_group_size(text); },
       [](auto& f) { return number_text(f.sliced_ell.slice_size); }},
      {FormatKind::hyb, "width", "N", [](auto& f, auto& text) { f.hyb.ell_width = parse_number(text, 0, most); },
       [](auto& f) { return f.hyb.ell_width ? std::to_string(*f.hyb.ell_width) : ""; }},
      {FormatKind::bcsr, "block", "N", [](auto& f, auto& text) { f.bcsr.block_size = parse_number(text, 2, 8); },
       [](auto& f) { return number_text(f.bcsr.block_size); }},
      {FormatKind::csr5, "omega", "N", [](auto& f, auto& text) { f.csr5.omega = parse_number(text, 2, 64); },
       [](auto& f) { return number_text(f.csr5.omega); }},
      {FormatKind::csr5, "sigma", "N", [](auto& f, auto& text) { f.csr5.sigma = parse_number(text, 1, 64); },
       [](auto& f) { return number_text(f.csr5.sigma); }}};
  add_group_options(table, FormatKind::rgcsr, [](FormatSpec& f) -> RgCsrOptions& { return f.rgcsr; });
  add_group_options(table, FormatKind::adaptive_rgcsr,
                    [](FormatSpec& f) -> RgCsrOptions& { return f.adaptive_rgcsr.groups; });
  table.push_back({FormatKind::adaptive_rgcsr, "piece", "N",
                   [](auto& f, auto& text) { f.adaptive_rgcsr.piece_length = parse_number(text, 1, most); },
                   [](auto& f) { return number_text(f.adaptive_rgcsr.piece_length); }});
  table.push_back({FormatKind::adaptive_rgcsr, "columns", "N",
                   [](auto& f, auto& text) { f.adaptive_rgcsr.block_columns = parse_number(text, 1, most); },
                   [](auto& f) { return number_text(f.adaptive_rgcsr.block_columns); }});
  return table;
}

const std::vector<FormatOption>& option_table() {
  static const std::vector<FormatOption> table = make_option_table();
  return table;
}

FormatSpec find_format(const std::string& text) {
  for (const auto& [kind, known] : format_names) {
    if (text == known) {
      FormatSpec format;
      format.kind = kind;
      return format;
    }
  }
  fail("unknown format '", text, "'; there are auto, ", format_names_text());
}

void set_option(FormatSpec& format, const std::string& text, std::vector<std::string>& given) {
  const std::size_t equals = text.find('=');
  const std::string key = text.substr(0, equals);
  std::vector<std::string> keys;
  for (const FormatOption& option : option_table()) {
    if (option.kind != format.kind) continue;
    keys.push_back(option.key);
    if (key != option.key || equals == std::string::npos) continue;
    for (const auto& before : given) require(before != key, name(format.kind), ": ", key, " is given twice");
    given.push_back(key);
    try {
      option.set(format, text.substr(equals + 1));
    } catch (const Error& error) {
      fail(name(format.kind), ": ", key, " ", error.what());
    }
    return;
  }
  fail("format ", name(format.kind), " has no option '", text, "'; ",
       keys.empty() ? "it has none" : "it has " + join(keys) + ", each as key=value");
}

}  // namespace

AskedFormat parse_format(const std::string& text) {
  if (text == "auto") return std::nullopt;
  const std::size_t colon = text.find(':');
  FormatSpec format = find_format(text.substr(0, colon));
  if (colon == std::string::npos) return format;
  std::vector<std::string> given;
  for (const auto& option : split(text.substr(colon + 1), ',')) set_option(format, option, given);
  return format;
}

std::vector<AskedFormat> parse_format_list(const std::string& text) {
  std::vector<std::string> texts;
  for (const auto& part : split(text, ',')) {
    const bool continues = part.find('=') < part.find(':') && !texts.empty();
    if (continues) {
      texts.back() += "," + part;
    } else {
      texts.push_back(part);
    }
  }
  std::vector<AskedFormat> formats;
  for (const auto& each : texts) {
    if (each == "all") {
      for (const AskedFormat& format : all_formats()) formats.push_back(format);
    } else {
      formats.push_back(parse_format(each));
    }
  }
  return formats;
}

std::vector<AskedFormat> all_formats() {
  std::vector<AskedFormat> formats;
  for (const auto& entry : format_names) formats.push_back(find_format(entry.second));
  return formats;
}

std::string format_names_text() {
  std::vector<std::string> names;
  for (const auto& entry : format_names) names.push_back(entry.second);
  return join(names);
}

std::string format_options_help() {
  std::string help;
  for (const auto& [kind, format] : format_names) {
    std::vector<std::string> options;
    for (const FormatOption& option : option_table()) {
      if (option.kind == kind) options.push_back(std::string(option.key) + "=" + option.values);
    }
    if (!options.empty()) help += "  " + std::string(format) + ":" + join(options, ",") + "\n";
  }
  return help;
}

std::string format_options(const FormatSpec& format) {
  std::vector<std::string> texts;
  for (const FormatOption& option : option_table()) {
    if (option.kind != format.kind) continue;
    const std::string value = option.get(format);
    if (!value.empty()) texts.push_back(std::string(option.key) + "=" + value);
  }
  return join(texts, ",");
}

std::string format_text(const AskedFormat& format) {
  if (!format) return "auto";
  const std::string options = format_options(*format);
  return name(format->kind) + std::string(options.empty() ? "" : ":") + options;
}

}  // namespace krylite::driver
