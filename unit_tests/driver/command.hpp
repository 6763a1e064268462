#ifndef KRYLITE_UNIT_TESTS_DRIVER_COMMAND_HPP
#define KRYLITE_UNIT_TESTS_DRIVER_COMMAND_HPP

/// \file
/// Runs the command as a user does, in a folder of its own.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace krylite::test {

struct CommandResult {
  int status = -1;  ///< exit status; -1 where a signal ended it
  std::string out;
  std::string err;
};

/// A folder for one test, gone afterwards with all that is in it.
class Workplace {
 public:
  Workplace();
  ~Workplace();
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  /// Writes a file into the folder and gives its path.
  std::string write(const std::string& name, const std::string& text) const;

  std::string read(const std::string& name) const;

  std::vector<std::string> files() const;

  /// Runs `krylite ARGUMENTS` by a shell: words as a user types them. `before` stands in front of the
  /// command, as variables of the environment do.
  CommandResult run(const std::string& arguments, const std::string& before = "") const;

  /// The JSON that `krylite ARGUMENTS --json -` prints, after checks that it printed nothing else.
  nlohmann::json json(const std::string& arguments, int expected_status = 0,
                      const std::string& before = "") const;

 private:
  std::string folder_;
};

/// How many lines there are, complete ones.
int count_lines(const std::string& text);

/// Expects exactly these fields, each of the type named: "number", "text", "truth", "list" or "object".
void expect_fields(const nlohmann::json& object,
                   const std::vector<std::pair<std::string, std::string>>& fields);

/// Expects the fields that every subcommand's JSON has, and these besides.
void expect_common(const nlohmann::json& json,
                   std::vector<std::pair<std::string, std::string>> other_fields = {});

/// Matrix Market texts.
std::string identity_text(int n);

}  // namespace krylite::test

#endif
