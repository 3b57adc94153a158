#include <pactdb/selector.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/limits.h"
#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/terminal.h"
#include "text/json_doc.h"

namespace pactdb::cli {
namespace {

struct Options {
  std::string selector;
  std::string dialect = "canonical";
  bool json = false;
};

Dialect DialectOf(std::string_view name) {
  return name == "classic" ? Dialect::kClassic
         : name == "depth" ? Dialect::kDepth
                           : Dialect::kCanonical;
}

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

int PrintExplained(const JsonRef& explained) {
  const Terminal terminal = Terminal::Detect();
  std::string text =
      terminal.Paint(Colour::kCyan, "canonical") + "  " + LineOf(explained, "canonical") + "\n";
  if (const auto time = FollowPointer(explained, "/ast/time"); time && !time->is_null())
    text += terminal.Paint(Colour::kCyan, "time") + "       " + ReadableLine(*time) + "\n";
  Table table;
  AddSteps(explained, table);
  text += table.Print(terminal);
  text += terminal.Paint(Colour::kCyan, "cost") + "       " + LineOf(explained, "cost") + "\n";
  return Print(text) ? kOk : kError;
}

int Run(const Options& options) {
  const auto selector = Selector::Parse(options.selector, DialectOf(options.dialect));
  if (!selector) {
    Complain(std::string(WireName(selector.error().code())) + ": " + selector.error().message());
    return kError;
  }
  const std::string json = selector->Explain();
  if (options.json) return Print(json + "\n") ? kOk : kError;
  const auto doc = JsonDoc::Parse(json, limits::kDocumentJsonDepthMax);
  return PrintExplained(doc->root());
}

}  // namespace

const Command kExplainCommand = {
    .name = "explain",
    .about = "how a selector is read and how it will run",
    .examples = R"(  pactdb explain '^seq .seg:depth(1-3) .block[role=user]'
  pactdb explain --dialect classic '#cb:u2' --json)",
    .setup = [](CLI::App& app) -> std::function<int()> {
      auto options = std::make_shared<Options>();
      app.add_option("SELECTOR", options->selector, "see docs/selector.md")->required();
      app.add_option("--dialect", options->dialect, "classic, depth or canonical")
          ->check(CLI::IsMember({"classic", "depth", "canonical"}))
          ->capture_default_str();
      app.add_flag("--json", options->json, "the answer as JSON, on one line");
      return [options] { return Run(*options); };
    }};

}  // namespace pactdb::cli
