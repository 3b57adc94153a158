// The verbs of `pactdb`. One file each; main.cc has the table and dispatches.
//
// Data goes to standard output, talk to standard error.
#pragma once

#include <functional>
#include <span>
#include <string_view>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace pactdb::cli {

// Exit codes: everything answered; a finding (a check that failed, a difference); usage or error.
enum ExitCode : int { kOk = 0, kFinding = 1, kError = 2 };

struct Command {
  std::string_view name;
  std::string_view about;
  // Lines that start with two blanks are command lines; a test runs them.
  std::string_view examples;
  // Declares the arguments and gives what runs once they are read.
  std::function<int()> (*setup)(CLI::App& app);
};

extern const Command kConformanceCommand;
extern const Command kDiffCommand;
extern const Command kExecCommand;
extern const Command kExplainCommand;
extern const Command kLifeCommand;
extern const Command kLogCommand;
extern const Command kRenderCommand;
extern const Command kReplayCommand;
extern const Command kSelectCommand;
extern const Command kShowCommand;
extern const Command kStatsCommand;
extern const Command kTreeCommand;
extern const Command kVerifyCommand;

}  // namespace pactdb::cli
