// The subcommands of `pactdb`. One file each; main.cc only dispatches.
#pragma once

#include <string>

namespace pactdb::cli {

// Exit codes: everything answered; a finding (a check that failed, a difference); usage or error.
enum ExitCode : int { kOk = 0, kFinding = 1, kError = 2 };

// Answers one JSON request a line from standard input on standard output until the input ends. With
// a name in `record`, writes an operation log there.
int RunExec(const std::string& record);

struct ReplayOptions {
  std::string log;
  std::string requests;  // run these instead of the log's
  bool json = false;
  bool partial = false;  // a log without its last line will do
};

// Runs an operation log and compares: kFinding for a difference, kError for a damaged log.
int RunReplay(const ReplayOptions& options);

}  // namespace pactdb::cli
