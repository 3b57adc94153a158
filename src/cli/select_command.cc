#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/node_text.h"
#include "cli/source.h"
#include "cli/terminal.h"

namespace pactdb::cli {
namespace {

struct Options {
  SourceOptions source;
  std::string selector;
  std::string at;
  std::int64_t limit = -1;
  bool ids = false;
};

// The one snapshot that the selector names itself; empty if it names none, or many.
std::string TimeOf(Source& source, const Options& options) {
  const auto explained = source.Run(Ask("explain")
                                        .Text("selector", options.selector)
                                        .Optional("dialect", options.source.dialect));
  const auto time = explained ? FollowPointer(explained->result(), "/ast/time") : std::nullopt;
  if (!time || !time->is_string()) return options.at;
  return std::string(time->string());
}

// A node that is not where it was looked for is shown by its id alone.
std::string Describe(Source& source, const Terminal& terminal, const std::string& time,
                     std::string_view id) {
  for (const std::string& at : {time, std::string("@t0")}) {
    const auto node = source.Run(Ask("get").Text("id", id).Optional("at", at));
    if (node) return JoinLine(terminal, DescribeNode(node->result()));
  }
  return terminal.Paint(Colour::kBold, Clean(id, /*one_line=*/true));
}

void AddIds(const JsonRef& ids, char sign, Colour colour, const Terminal& terminal,
            std::string& text) {
  for (auto it = ids.begin(); it != ids.end(); ++it) {
    text += "  " + terminal.Paint(colour, std::string(1, sign)) + " " +
            Clean((*it).value.string(), /*one_line=*/true) + "\n";
  }
}

// A range answers what came, went and changed from each snapshot to the next, newest first.
int PrintRange(const JsonRef& range) {
  const Terminal terminal = Terminal::Detect();
  std::string text;
  const JsonRef blocks = *range.Find("diffs");
  for (auto it = blocks.begin(); it != blocks.end(); ++it) {
    const JsonRef block = (*it).value;
    text += terminal.Paint(Colour::kYellow, LineOf(*block.Find("to"), "label") + " .. " +
                                                LineOf(*block.Find("from"), "label")) +
            "\n";
    AddIds(*block.Find("removed_ids"), '-', Colour::kRed, terminal, text);
    AddIds(*block.Find("added_ids"), '+', Colour::kGreen, terminal, text);
    const JsonRef changed = *block.Find("changed");
    for (auto change = changed.begin(); change != changed.end(); ++change) {
      std::string fields;
      const JsonRef names = *(*change).value.Find("fields");
      for (auto name = names.begin(); name != names.end(); ++name)
        fields += (fields.empty() ? "" : ", ") + ReadableLine((*name).value);
      text += "  " + terminal.Paint(Colour::kCyan, "~") + " " + LineOf((*change).value, "id") +
              "  " + fields + "\n";
    }
  }
  for (const std::string_view talk : {"warnings", "errors"}) {
    const auto list = range.Find(talk);
    if (!list || !list->is_array()) continue;
    for (auto it = list->begin(); it != list->end(); ++it) Complain(ReadableLine((*it).value));
  }
  return Print(text) ? kOk : kError;
}

int PrintMatches(Source& source, const Options& options, const Answer& answer) {
  const JsonRef result = answer.result();
  if (result.is_object() && result.Find("diffs")) return PrintRange(result);
  const Terminal terminal = Terminal::Detect();
  const std::string time = TimeOf(source, options);
  std::string text;
  for (auto it = result.begin(); it != result.end(); ++it) {
    const std::string_view id = (*it).value.string();
    text += options.ids ? Clean(id, /*one_line=*/true) : Describe(source, terminal, time, id);
    text += '\n';
  }
  if (result.size() == 0 && options.limit != 0) Complain("nothing matches");
  return Print(text) ? kOk : kError;
}

}  // namespace

const Command kSelectCommand = {
    .name = "select",
    .about = "the nodes that a selector finds",
    .examples = R"(  pactdb select '.block[role=user]' session.jsonl
  pactdb select '@c1 ^seq .seg:depth(1) .block' session.jsonl
  pactdb select --ids --limit 3 '.block' session.jsonl
  pactdb select '@c1..@c3 .block' session.jsonl
  pactdb select '.mt .cb[ttl<=1]' --dialect classic snapshot.json --json)",
    .setup = [](CLI::App& app, const Setting& here) -> Runner {
      auto options = std::make_shared<Options>();
      app.add_option("SELECTOR", options->selector, "see docs/selector.md")->required();
      options->source.Declare(app, here);
      app.add_option("--at", options->at, "a snapshot, if the selector names no time");
      app.add_option("--limit", options->limit, "so many at most")
          ->check(CLI::Range(std::int64_t{0}, INT64_MAX));
      app.add_flag("--ids", options->ids, "the ids alone, one a line");
      return [options] {
        Ask ask("select");
        ask.Text("selector", options->selector)
            .Optional("snapshot", options->at)
            .Optional("dialect", options->source.dialect);
        if (options->limit >= 0) ask.Integer("limit", options->limit);
        return Inspect(options->source, ask, [&options](Source& source, const Answer& answer) {
          return PrintMatches(source, *options, answer);
        });
      };
    }};

}  // namespace pactdb::cli
