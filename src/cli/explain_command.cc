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
  std::string selector;
};

// The steps of each group, under the width of the words before the other lines, beside what finds
// their candidates.
void AddSteps(const JsonRef& explained, Table& table) {
  const JsonRef groups = *FollowPointer(explained, "/ast/groups");
  const JsonRef plans = *explained.Find("plan");
  auto plan = plans.begin();
  for (auto group = groups.begin(); group != groups.end(); ++group) {
    const JsonRef steps = *(*group).value.Find("steps");
    std::vector<std::string> ways;
    if (plan != plans.end()) {
      const JsonRef lines = (*plan).value;
      for (auto line = lines.begin(); line != lines.end(); ++line)
        ways.push_back(ReadableLine((*line).value));
      ++plan;
    }
    std::size_t number = 0;
    for (auto step = steps.begin(); step != steps.end(); ++step, ++number) {
      std::string parts;
      const JsonRef tests = *(*step).value.Find("parts");
      for (auto test = tests.begin(); test != tests.end(); ++test)
        parts += (parts.empty() ? "" : " ") + ReadableLine((*test).value);
      table.Add({{number == 0 ? "steps    " : "", Colour::kCyan},
                 {LineOf((*step).value, "relation"), Colour::kDim},
                 {parts},
                 {number < ways.size() ? ways[number] : "", Colour::kYellow}});
    }
  }
}

// A word a group.
std::string LooksAt(const JsonRef& explained) {
  std::string words;
  const JsonRef groups = *FollowPointer(explained, "/cost/looks_at");
  for (auto group = groups.begin(); group != groups.end(); ++group)
    words += (words.empty() ? "" : ", ") + ReadableLine((*group).value);
  return words;
}

int PrintExplained(const JsonRef& explained) {
  const Terminal terminal = Terminal::Detect();
  std::string text =
      terminal.Paint(Colour::kCyan, "canonical") + "  " + LineOf(explained, "canonical") + "\n";
  if (const auto time = FollowPointer(explained, "/ast/time"); time && !time->is_null())
    text += terminal.Paint(Colour::kCyan, "time") + "       " + ReadableLine(*time) + "\n";
  Table table;
  AddSteps(explained, table);
  text += table.Print(terminal);
  text += terminal.Paint(Colour::kCyan, "looks at") + "   " + LooksAt(explained) + "\n";
  return Print(text) ? kOk : kError;
}

// Read in the dialect of the file's context, or in that of none.
Said<int> Run(const Options& options) {
  const Ask ask =
      Ask("explain").Text("selector", options.selector).Optional("dialect", options.source.dialect);
  if (!options.source.file.empty()) {
    return Inspect(options.source, ask, [](Source& /*source*/, const Answer& answer) {
      return PrintExplained(answer.result());
    });
  }
  const auto answer = Session(std::make_unique<Exec>(), "main").Run(ask);
  if (!answer) return Fail(answer.error());
  if (options.source.json) return Print(std::string(answer->json()) + "\n") ? kOk : kError;
  return PrintExplained(answer->result());
}

}  // namespace

const Command kExplainCommand = {
    .name = "explain",
    .about = "how a selector is read and how it will run",
    .examples = R"(  pactdb explain '^seq .seg:depth(1-3) .block[role=user]'
  pactdb explain --dialect classic '#cb:u2' --json
  pactdb explain '.mt .cb' snapshot.json --dialect classic)",
    .setup = [](CLI::App& app, const Setting& here) -> Runner {
      auto options = std::make_shared<Options>();
      app.add_option("SELECTOR", options->selector, "see docs/selector.md")->required();
      options->source.Declare(app, here);
      if (here.file.empty()) {
        options->source.file = "";
        app.get_option("FILE")->default_str("");
      }
      return [options] { return Run(*options); };
    }};

}  // namespace pactdb::cli
