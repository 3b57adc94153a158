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
  std::string from;
  std::string to;
  std::string format = "thread";
  std::int64_t limit = -1;
  bool lossy = false;
};

Colour ColourOf(std::string_view reason) {
  if (reason == "added") return Colour::kGreen;
  return reason == "changed" || reason == "moved" ? Colour::kCyan : Colour::kRed;
}

std::string Reason(const JsonRef& difference) {
  std::string text = LineOf(difference, "reason");
  if (const auto fields = difference.Find("fields"); fields && fields->size() > 0) {
    std::string names;
    for (auto field = fields->begin(); field != fields->end(); ++field)
      names.append(names.empty() ? "" : ", ").append(ReadableLine((*field).value));
    text.append(" (").append(names).append(")");
  }
  const std::string why = LineOf(difference, "why");
  if (!why.empty()) text.append(" (").append(why).append(")");
  return text;
}

void AddHeading(Table& table) {
  std::vector<Table::Cell> row;
  for (const std::string_view name : {"from", "to"})
    row.push_back({std::string(name), Colour::kDim});
  for (const std::string_view name : {"same", "bytes", "same", "tokens", "anthropic", "openai"})
    row.push_back({std::string(name), Colour::kDim, true});
  row.push_back({"node", Colour::kDim});
  row.push_back({"reason", Colour::kDim});
  table.Add(std::move(row));
}

void AddPair(const JsonRef& pair, Table& table) {
  const std::string from = LineOf(pair, "from");
  std::vector<Table::Cell> row = {{from.empty() ? "-" : from, Colour::kYellow},
                                  {LineOf(pair, "to"), Colour::kYellow}};
  for (const std::string_view name :
       {"common_prefix_bytes", "total_bytes", "common_prefix_tokens", "total_tokens"})
    row.push_back({LineOf(pair, name), Colour::kPlain, true});
  for (const std::string_view provider : {"anthropic", "openai"})
    row.push_back({LineOf(*pair.Find(provider), "cost"), Colour::kPlain, true});
  const JsonRef difference = *pair.Find("first_difference");
  if (difference.is_null()) {
    row.push_back({"-", Colour::kDim});
    row.push_back({"the same", Colour::kDim});
  } else {
    row.push_back({LineOf(difference, "id"), Colour::kBold});
    row.push_back({Reason(difference), ColourOf(LineOf(difference, "reason"))});
  }
  table.Add(std::move(row));
}

std::string SumLine(const JsonRef& sums) {
  std::string text;
  for (const std::string_view provider : {"anthropic", "openai"}) {
    const JsonRef sum = *sums.Find(provider);
    text.append(provider).append(": ").append(LineOf(sum, "cost")).append(" of ");
    text.append(LineOf(sum, "tokens")).append(" input tokens paid, ");
    text.append(LineOf(sum, "read")).append(" read from the cache\n");
  }
  return text;
}

int PrintCache(const JsonRef& result) {
  Table table;
  AddHeading(table);
  const auto pairs = result.Find("pairs");
  if (pairs && pairs->size() > 0) {
    for (auto it = pairs->begin(); it != pairs->end(); ++it) AddPair((*it).value, table);
  } else {
    AddPair(result, table);
  }
  std::string text = table.Print(Terminal::Detect());
  if (const auto sums = result.Find("sum")) text += SumLine(*sums);
  return Print(text) ? kOk : kError;
}

}  // namespace

const Command kCacheCommand = {
    .name = "cache",
    .about = "how far requests begin alike, which node parts them, what providers charge for it",
    .examples = R"(  pactdb cache session.jsonl
  pactdb cache session.jsonl @c1 @c3
  pactdb cache chat.json --format openai-chat --limit 3
  pactdb cache session.jsonl @t-1 working --json

Without two states, each two neighbours of the history, newest first. Costs are in input tokens, by
the rules of the provider's cache, as if it remembered nothing but the state before; tokens are
those of the rendered text.)",
    .setup = [](CLI::App& app, const Setting& here) -> Runner {
      auto options = std::make_shared<Options>();
      options->source.Declare(app, here);
      auto* from = app.add_option("FROM", options->from, "a snapshot (@t-1, @c12) or working");
      auto* to = app.add_option("TO", options->to, "a snapshot or working");
      from->needs(to);
      app.add_option("--format", options->format, "of the requests that are compared")
          ->check(
              CLI::IsMember({"thread", "openai-chat", "openai-responses", "anthropic", "gemini"}))
          ->capture_default_str();
      app.add_flag("--lossy", options->lossy, "leave out what the format cannot say");
      app.add_option("--limit", options->limit, "so many pairs at most")
          ->check(CLI::Range(std::int64_t{0}, INT64_MAX));
      return [options] {
        Ask ask("cache");
        ask.Optional("from", options->from).Optional("to", options->to);
        ask.Text("format", options->format).Bool("lossy", options->lossy);
        if (options->limit >= 0) ask.Integer("limit", options->limit);
        return Inspect(
            options->source, ask,
            [](Source& /*source*/, const Answer& answer) { return PrintCache(answer.result()); },
            HintOfLoss);
      };
    }};

}  // namespace pactdb::cli
