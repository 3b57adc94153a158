#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/source.h"
#include "cli/terminal.h"

namespace pactdb::cli {
namespace {

struct Options {
  SourceOptions source;
  std::string at;
  std::int64_t commits = 10;
};

int PrintFindings(const JsonRef& findings) {
  const Terminal terminal = Terminal::Detect();
  if (findings.size() == 0)
    return Print(terminal.Paint(Colour::kGreen, "ok") + "\n") ? kOk : kError;
  std::string text;
  for (auto it = findings.begin(); it != findings.end(); ++it) {
    const JsonRef finding = (*it).value;
    text += terminal.Paint(Colour::kRed, LineOf(finding, "rule")) + "  ";
    text += terminal.Paint(Colour::kBold, LineOf(finding, "id")) + "\n";
    text.append("  ").append(LineOf(finding, "problem")).append("\n");
    text.append("  fix: ").append(LineOf(finding, "fix")).append("\n");
  }
  return Print(text) ? kOk : kError;
}

Said<int> Run(const Options& options) {
  Ask ask("lint");
  ask.Optional("at", options.at).Integer("commits", options.commits);
  // The finding counts for the exit code, however it is printed.
  const bool json = options.source.json;
  SourceOptions source = options.source;
  source.json = false;
  return Inspect(source, ask, [json](Source& /*source*/, const Answer& answer) {
    const JsonRef findings = *answer.result().Find("findings");
    const int code =
        json ? (Print(std::string(answer.json()) + "\n") ? kOk : kError) : PrintFindings(findings);
    return code == kOk && findings.size() > 0 ? static_cast<int>(kFinding) : code;
  });
}

}  // namespace

const Command kLintCommand = {
    .name = "lint",
    .about =
        "what costs prompt cache (dates in ^sys, reordered tools, ttl); attributes of two types",
    .examples = R"(  pactdb lint chat.json
  pactdb lint session.jsonl --at @t0 || echo 'something to do'
  pactdb lint chat.json --commits 20 --json

Exits with 1 if it found something.)",
    .setup = [](CLI::App& app, const Setting& here) -> Runner {
      auto options = std::make_shared<Options>();
      options->source.Declare(app, here);
      app.add_option("--at", options->at, "a snapshot; else what committing now would give");
      app.add_option("--commits", options->commits, "how many of the last commits are looked at")
          ->check(CLI::Range(std::int64_t{0}, INT64_MAX))
          ->capture_default_str();
      return [options] { return Run(*options); };
    }};

}  // namespace pactdb::cli
