// The program: the table of verbs, and the parser made from it. The list of verbs, `--help`, the
// manual pages, the completions and the shell all come from this one table.
//
// Thread safety: one thread at a time.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"

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

  // The exit code. Arguments as in `main`, without the program's name.
  int Run(std::vector<std::string> arguments);

  const CLI::App& app() const { return *app_; }

 private:
  bool IsVerb(std::string_view word) const;
  int UnknownVerb(std::string_view word) const;

  bool is_shell_;
  std::unique_ptr<CLI::App> app_;
  std::map<const CLI::App*, std::function<int()>> runners_;
};

}  // namespace pactdb::cli
