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
input.)";

int Run(int argc, char** argv) {
  CLI::App app{"pactdb: a versioned database for the context of LLM agents"};
  app.set_version_flag("--version", PACTDB_VERSION);
  app.require_subcommand(1);
  CLI::App* exec =
      app.add_subcommand("exec", "answer JSON requests from standard input, one a line");
  exec->footer(kExecExamples);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // 0 for --help and --version; everything else is a usage error.
    return app.exit(error) == 0 ? pactdb::cli::kOk : pactdb::cli::kError;
  }
  return pactdb::cli::RunExec();
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
