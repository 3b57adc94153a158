// The subcommands of `pactdb`. One file each; main.cc only dispatches.
#pragma once

#include <string>

namespace pactdb::cli {

// Exit codes: everything answered; a finding (a check that failed, a difference); usage or error.
enum ExitCode : int { kOk = 0, kFinding = 1, kError = 2 };

// Answers one JSON request a line from standard input on standard output until the input ends.
int RunExec();

}  // namespace pactdb::cli
