#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/source.h"
#include "cli/terminal.h"

namespace pactdb::cli {
namespace {

bool IsFine(const Answer& answer) {
  return answer.result().Find("ok")->boolean();
}

int PrintFindings(const Answer& answer) {
  const Terminal terminal = Terminal::Detect();
  std::string text;
  if (IsFine(answer)) text = terminal.Paint(Colour::kGreen, "ok") + "\n";
  const JsonRef problems = *answer.result().Find("problems");
  for (auto it = problems.begin(); it != problems.end(); ++it)
    text += terminal.Paint(Colour::kRed, "problem") + "  " + ReadableLine((*it).value) + "\n";
  if (!Print(text)) return kError;
  return IsFine(answer) ? kOk : kFinding;
}

}  // namespace

const Command kVerifyCommand = {
    .name = "verify",
    .about = "every invariant and every hash, of all snapshots and the working state",
    .examples = R"(  pactdb verify session.jsonl
  pactdb verify snapshot.json && echo sound)",
    .setup = [](CLI::App& app, const Setting& here) -> std::function<int()> {
      auto options = std::make_shared<SourceOptions>();
      options->Declare(app, here);
      return [options] {
        // The finding counts for the exit code, however it is printed.
        const bool json = std::exchange(options->json, false);
        return Inspect(*options, Ask("verify"), [json](Source& /*source*/, const Answer& answer) {
          if (!json) return PrintFindings(answer);
          if (!Print(std::string(answer.json()) + "\n")) return static_cast<int>(kError);
          return static_cast<int>(IsFine(answer) ? kOk : kFinding);
        });
      };
    },
    .group = Group::kCare};

}  // namespace pactdb::cli
