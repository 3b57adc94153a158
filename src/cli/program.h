// The program: the table of verbs, and the parser made from it. The list of verbs, `--help`, the
// manual pages, the completions and the shell all come from this one table.
//
// Thread safety: one thread at a time.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's
class ParseError;
}

namespace pactdb::cli {

// In the order in which they are listed.
std::span<const Command* const> Commands();

// The heading of a group; empty for what is not listed.
std::string_view TitleOf(Group group);

class Program {
 public:
  // Of the verbs that can be used in this setting.
  explicit Program(const Setting& here);
  ~Program();

  // The exit code. Arguments as in `main`, without the program's name. What went wrong is told on
  // standard error; where --json is among the arguments, as JSON on standard output too.
  int Run(const std::vector<std::string>& arguments);

  const CLI::App& app() const { return *app_; }

 private:
  bool IsVerb(std::string_view word) const;
  Fault UnknownVerb(std::string_view word) const;
  // Where the first of the arguments is an option of a verb that comes behind it.
  std::optional<Fault> OptionBeforeVerb(const std::vector<std::string>& arguments) const;
  // What the parser said of the arguments: help that was asked for, or a fault.
  Said<int> NotParsed(const CLI::ParseError& error) const;
  Said<int> Answer(std::vector<std::string> arguments);

  bool is_shell_;
  std::unique_ptr<CLI::App> app_;
  std::map<const CLI::App*, Runner> runners_;
};

}  // namespace pactdb::cli
