#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/progress_bar.h"
#include "cli/source.h"
#include "cli/terminal.h"

namespace pactdb::cli {
namespace {

std::string JsonOf(const std::vector<std::string>& problems) {
  JsonOut out;
  out.BeginObject().Key("ok").Bool(problems.empty()).Key("problems").BeginArray();
  for (const std::string& problem : problems) out.String(problem);
  out.EndArray().EndObject();
  return out.Take();
}

std::string TextOf(const std::vector<std::string>& problems) {
  const Terminal terminal = Terminal::Detect();
  if (problems.empty()) return terminal.Paint(Colour::kGreen, "ok");
  std::string text;
  for (const std::string& problem : problems) {
    text.append(text.empty() ? "" : "\n").append(terminal.Paint(Colour::kRed, "problem"));
    text.append("  ").append(Clean(problem, /*one_line=*/true));
  }
  return text;
}

// Not through the operation, which cannot say how far it is. The finding counts for the exit code,
// however it is printed.
Said<int> Run(const SourceOptions& options) {
  auto source = Source::Open(options);
  if (!source) return Fail(source.error());
  Result<std::vector<std::string>> problems = [&source] {
    ProgressBar bar("verifying");
    return source->session().exec().database().Verify([&bar](double share) { bar.At(share); });
  }();
  if (!problems) return Fail(InDatabase(problems.error(), options.file));
  if (!Print((options.json ? JsonOf(*problems) : TextOf(*problems)) + "\n")) return kError;
  return problems->empty() ? kOk : kFinding;
}

}  // namespace

const Command kVerifyCommand = {
    .name = "verify",
    .about = "every invariant and every hash, of all contexts, snapshots and the working state",
    .examples = R"(  pactdb verify session.jsonl
  pactdb verify snapshot.json && echo sound
  pactdb import chat.pactdb chat.json && pactdb verify chat.pactdb --json)",
    .setup = [](CLI::App& app, const Setting& here) -> Runner {
      auto options = std::make_shared<SourceOptions>();
      options->Declare(app, here);
      return [options] { return Run(*options); };
    },
    .group = Group::kCare};

}  // namespace pactdb::cli
