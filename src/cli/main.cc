// pactdb: the command.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "cli/commands.h"

namespace {

constexpr const char* kExecExamples = R"(
Examples:
  echo '{"op":"add","node":{"role":"user","content":"Hello"}}' | pactdb exec
  pactdb exec < script.jsonl > answers.jsonl

One JSON object a line in, one a line out, in order. Contexts live in memory and end with the
input. With --record, what was asked and what came of it goes into an operation log, which
`pactdb replay` runs again.)";

constexpr const char* kReplayExamples = R"(
Examples:
  pactdb exec --record session.log < session.jsonl > answers.jsonl
  pactdb replay session.log

Exit code 0 if everything came out as recorded, 1 with the first differing byte and node if not,
2 for a log that is damaged or cut short.)";

int Run(int argc, char** argv) {
  CLI::App app{"pactdb: a versioned database for the context of LLM agents"};
  app.set_version_flag("--version", PACTDB_VERSION);
  app.require_subcommand(1);
  CLI::App* exec =
      app.add_subcommand("exec", "answer JSON requests from standard input, one a line");
  exec->footer(kExecExamples);
  std::string record;
  exec->add_option("--record", record, "write an operation log to this file");
  CLI::App* replay = app.add_subcommand("replay", "run an operation log again and compare");
  replay->footer(kReplayExamples);
  pactdb::cli::ReplayOptions options;
  replay->add_option("LOG", options.log, "an operation log; - is standard input")->required();
  replay->add_option("--requests", options.requests,
                     "run the requests of this file instead, and compare the threads");
  replay->add_flag("--json", options.json, "the report as JSON");
  replay->add_flag("--partial", options.partial, "accept a log whose recording was killed");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // 0 for --help and --version; everything else is a usage error.
    return app.exit(error) == 0 ? pactdb::cli::kOk : pactdb::cli::kError;
  }
  if (replay->parsed()) return pactdb::cli::RunReplay(options);
  return pactdb::cli::RunExec(record);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "pactdb: %s\n", error.what());
    return pactdb::cli::kError;
  }
}
