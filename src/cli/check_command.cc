#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/source.h"
#include "cli/target.h"
#include "cli/terminal.h"

namespace pactdb::cli {
namespace {

struct Options {
  SourceOptions source;
  std::string at;
  std::string format;
  bool fix = false;
};

std::string TextOf(const JsonRef& result) {
  const Terminal terminal = Terminal::Detect();
  const JsonRef findings = *result.Find("findings");
  std::string text;
  if (const auto removed = result.Find("removed"); removed && removed->size() > 0) {
    text += "@c" + LineOf(result, "cycle") + " without";
    for (auto it = removed->begin(); it != removed->end(); ++it)
      text += " " + ReadableLine((*it).value);
    text += "\n";
  }
  if (findings.size() == 0) return text + terminal.Paint(Colour::kGreen, "ok") + "\n";
  Table table;
  for (auto it = findings.begin(); it != findings.end(); ++it) {
    const JsonRef finding = (*it).value;
    table.Add({{LineOf(finding, "id"), Colour::kYellow},
               {LineOf(finding, "rule"), Colour::kRed},
               {LineOf(finding, "problem")},
               {LineOf(finding, "fix"), Colour::kDim}});
  }
  return text + table.Print(terminal);
}

// The finding counts for the exit code, however it is printed.
Said<int> Tell(bool json, const Said<Answer>& answer) {
  if (!answer) return Fail(answer.error());
  const JsonRef result = answer->result();
  if (!Print(json ? std::string(answer->json()) + "\n" : TextOf(result))) return kError;
  return result.Find("findings")->size() == 0 ? kOk : kFinding;
}

Said<int> Fix(const Options& options) {
  const TargetOptions target{
      .file = options.source.file, .context = options.source.context, .json = options.source.json};
  auto session = OpenTarget(target);
  if (!session) return Fail(session.error());
  return Tell(target.json, session->Run(Ask("fix").Optional("format", options.format)));
}

Said<int> Run(const Options& options) {
  if (options.fix) return Fix(options);
  auto source = Source::Open(options.source);
  if (!source) return Fail(source.error());
  return Tell(
      options.source.json,
      source->Run(Ask("check").Optional("at", options.at).Optional("format", options.format)));
}

}  // namespace

const Command kCheckCommand = {
    .name = "check",
    .about = "whether a provider would take the thread now: orphans, roles, empty contents",
    .examples = R"(  pactdb check chat.json
  pactdb check chat.json --format anthropic
  pactdb check chat.json --at @t0 --json
  pactdb import chat.pactdb chat.json && pactdb check chat.pactdb --fix

Without a format, what every provider asks for. Findings are told with their nodes and what would
mend them, and the exit code is 1. --fix takes such nodes away, each with the other half of its
call, and commits.)",
    .setup = [](CLI::App& app, const Setting& here) -> Runner {
      auto options = std::make_shared<Options>();
      options->source.Declare(app, here);
      auto* at = app.add_option("--at", options->at, "the snapshot; else the working state");
      app.add_option("--format", options->format, "of the provider; else what all of them ask for")
          ->check(CLI::IsMember({"openai-chat", "openai-responses", "anthropic", "gemini"}));
      app.add_flag("--fix", options->fix, "make a commit that repairs it; FILE is a database")
          ->excludes(at);
      return [options] { return Run(*options); };
    }};

}  // namespace pactdb::cli
