#include "command.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace krylite::test {
namespace {

bool has_type(const nlohmann::json& value, const std::string& type) {
  if (type == "number") return value.is_number();
  if (type == "text") return value.is_string();
  if (type == "truth") return value.is_boolean();
  if (type == "list") return value.is_array();
  return type == "object" && value.is_object();
}

/// No null anywhere: a NaN would have become one.
void expect_no_null(const nlohmann::json& value) {
  EXPECT_FALSE(value.is_null());
  if (!value.is_structured()) return;
  for (const auto& each : value) expect_no_null(each);
}

}  // namespace

Workplace::Workplace() {
  std::string name = (std::filesystem::temp_directory_path() / "krylite-XXXXXX").string();
  folder_ = ::mkdtemp(name.data());
}

Workplace::~Workplace() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string Workplace::write(const std::string& name, const std::string& text) const {
  std::ofstream(path(name), std::ios::binary) << text;
  return path(name);
}

std::string Workplace::read(const std::string& name) const {
  std::ifstream file(path(name), std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> Workplace::files() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

CommandResult Workplace::run(const std::string& arguments, const std::string& before) const {
  // The streams go to files outside of the folder, so that tests can look at what the command leaves there.
  const std::string out = folder_ + ".out";
  const std::string err = folder_ + ".err";
  const std::string line = "cd '" + folder_ + "' && (" + before + " '" + KRYLITE_COMMAND + "' " + arguments +
                           ") >'" + out + "' 2>'" + err + "'";
  const int code = std::system(line.c_str());
  CommandResult result;
  result.status = WIFEXITED(code) ? WEXITSTATUS(code) : -1;
  const std::string base = std::filesystem::path(folder_).filename();
  result.out = read("../" + base + ".out");
  result.err = read("../" + base + ".err");
  ::unlink(out.c_str());
  ::unlink(err.c_str());
  return result;
}

nlohmann::json Workplace::json(const std::string& arguments, int expected_status,
                               const std::string& before) const {
  const CommandResult result = run(arguments + " --json -", before);
  EXPECT_EQ(result.status, expected_status) << arguments << "\n" << result.err;
  const auto json = nlohmann::json::parse(result.out, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << arguments << " printed\n" << result.out;
  return json;
}

int count_lines(const std::string& text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

void expect_fields(const nlohmann::json& object,
                   const std::vector<std::pair<std::string, std::string>>& fields) {
  ASSERT_TRUE(object.is_object());
  for (const auto& [name, type] : fields) {
    ASSERT_TRUE(object.contains(name)) << name;
    EXPECT_TRUE(has_type(object[name], type)) << name << " is " << object[name].dump();
  }
  for (const auto& item : object.items()) {
    const bool known = std::any_of(fields.begin(), fields.end(),
                                   [&](const auto& field) { return field.first == item.key(); });
    EXPECT_TRUE(known) << "unexpected field " << item.key();
  }
}

void expect_common(const nlohmann::json& json,
                   std::vector<std::pair<std::string, std::string>> other_fields) {
  std::vector<std::pair<std::string, std::string>> fields = {{"schema", "number"},  {"version", "text"},
                                                             {"kokkos", "object"},  {"matrix", "object"},
                                                             {"options", "object"}, {"warnings", "list"}};
  fields.insert(fields.end(), other_fields.begin(), other_fields.end());
  expect_fields(json, fields);
  expect_no_null(json);
  EXPECT_EQ(json.value("schema", 0), 1);
  expect_fields(json["kokkos"],
                {{"version", "text"}, {"execution_space", "text"}, {"concurrency", "number"}});
  expect_fields(json["matrix"],
                {{"name", "text"}, {"rows", "number"}, {"columns", "number"}, {"nonzeros", "number"}});
}

std::string identity_text(int n) {
  const std::string size = std::to_string(n);
  std::string text =
      "%%MatrixMarket matrix coordinate real general\n" + size + " " + size + " " + size + "\n";
  for (int i = 1; i <= n; ++i) text += std::to_string(i) + " " + std::to_string(i) + " 1\n";
  return text;
}

}  // namespace krylite::test
