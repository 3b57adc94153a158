// The verbs of `pactdb`. One file each; program.cc has the table and dispatches.
//
// Data goes to standard output, talk to standard error.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cli/fault.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace pactdb::cli {

// Exit codes: everything answered; a finding (a check that failed, a difference); usage or error.
enum ExitCode : int { kOk = 0, kFinding = 1, kError = 2 };

// Where a verb runs: at the system's prompt, where FILE is an argument, or in `pactdb shell`.
struct Setting {
  std::string file;              // the shell's database; empty outside
  std::string context = "main";  // what --context is unless given
};

// What a verb does; the exit code.
using Runner = std::function<Said<int>()>;

// The headings of the list of verbs.
enum class Group { kLook, kWrite, kCare, kProgram, kHidden };

struct Command {
  std::string_view name;
  std::string_view about;
  // Lines that start with two blanks are command lines; a test runs them.
  std::string_view examples;
  // Declares the arguments and gives what runs once they are read.
  Runner (*setup)(CLI::App& app, const Setting& here);
  Group group = Group::kLook;
  bool in_shell = true;
};

extern const Command kAddCommand;
extern const Command kBackupCommand;
extern const Command kBenchCommand;
extern const Command kCheckCommand;
extern const Command kCacheCommand;
extern const Command kCommitCommand;
extern const Command kConformanceCommand;
extern const Command kContextsCommand;
extern const Command kDemoCommand;
extern const Command kDiffCommand;
extern const Command kExecCommand;
extern const Command kExplainCommand;
extern const Command kExportCommand;
extern const Command kForkCommand;
extern const Command kGcCommand;
extern const Command kGenerateCommand;
extern const Command kImportCommand;
extern const Command kInitCommand;
extern const Command kLifeCommand;
extern const Command kLintCommand;
extern const Command kLogCommand;
extern const Command kRenderCommand;
extern const Command kRepairCommand;
extern const Command kReplayCommand;
extern const Command kSelectCommand;
extern const Command kShellCommand;
extern const Command kShowCommand;
extern const Command kSimulateCommand;
extern const Command kStatsCommand;
extern const Command kTagCommand;
extern const Command kTokensCommand;
extern const Command kTreeCommand;
extern const Command kVerifyCommand;

}  // namespace pactdb::cli
