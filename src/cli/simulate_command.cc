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
  std::int64_t cycles = 20;
  std::int64_t growth = -1;
  std::int64_t max_tokens = -1;
  std::int64_t protect = 0;
  std::string prune = "canonical";
};

constexpr std::size_t kIdsShown = 4;  // all of them with --json

std::string Listed(const JsonRef& cycle, std::string_view name) {
  const JsonRef ids = *cycle.Find(name);
  if (ids.size() == 0) return {};
  std::string text(name);
  std::size_t shown = 0;
  for (auto it = ids.begin(); it != ids.end() && shown < kIdsShown; ++it, ++shown)
    text += " " + ReadableLine((*it).value);
  if (ids.size() > shown) text += " and " + std::to_string(ids.size() - shown) + " more";
  return text;
}

void AddCycle(const JsonRef& cycle, Table& table) {
  if (const auto error = cycle.Find("error")) {
    table.Add({{"@c" + LineOf(cycle, "cycle"), Colour::kYellow},
               {LineOf(*error, "message"), Colour::kRed}});
    return;
  }
  const std::string tokens = LineOf(cycle, "tokens");
  std::vector<Table::Cell> row = {
      {"@c" + LineOf(cycle, "cycle"), Colour::kYellow},
      {LineOf(cycle, "nodes") + " nodes", Colour::kPlain, true},
      {tokens.empty() ? "-" : tokens + " tokens", Colour::kPlain, true}};
  std::string events;
  for (const std::string_view name : {"expired", "cascaded", "pruned", "deferred"}) {
    const std::string listed = Listed(cycle, name);
    if (!listed.empty()) events.append(events.empty() ? "" : "; ").append(listed);
  }
  row.push_back({std::move(events)});
  if (const auto broken = cycle.Find("over_limit")) {
    std::string limits;
    for (auto it = broken->begin(); it != broken->end(); ++it) {
      const JsonRef limit = (*it).value;
      limits += (limits.empty() ? "over " : ", ") + LineOf(limit, "limit") + ": " +
                LineOf(limit, "actual") + " of " + LineOf(limit, "max");
    }
    row.push_back({std::move(limits), Colour::kRed});
  }
  table.Add(std::move(row));
}

int PrintSimulation(const JsonRef& result) {
  Table table;
  const JsonRef cycles = *result.Find("cycles");
  for (auto it = cycles.begin(); it != cycles.end(); ++it) AddCycle((*it).value, table);
  std::string text = table.Print(Terminal::Detect());
  text += LineOf(result, "growth") + " tokens a turn";
  const std::string broken = LineOf(result, "broken");
  text += broken.empty() ? "; every limit holds\n" : "; a limit breaks at @c" + broken + "\n";
  return Print(text) ? kOk : kError;
}

}  // namespace

const Command kSimulateCommand = {
    .name = "simulate",
    .about = "what the commits to come would take: when nodes expire and when the budget breaks",
    .examples = R"(  pactdb simulate session.jsonl --cycles 5
  pactdb simulate chat.json --max-tokens 50 --growth 20 --cycles 6
  pactdb simulate chat.json --max-tokens 50 --protect-recent-turns 2 --json
  pactdb simulate chat.json --max-tokens 50 --growth 20 --prune=cache-aware

Nothing changes. Each turn to come is taken to add as many tokens as the last ten did on average, or
--growth. Without --max-tokens the policy is the configured one.)",
    .setup = [](CLI::App& app, const Setting& here) -> Runner {
      auto options = std::make_shared<Options>();
      const auto count = CLI::Range(std::int64_t{0}, INT64_MAX);
      options->source.Declare(app, here);
      app.add_option("--cycles", options->cycles, "how many commits; 20")->check(count);
      app.add_option("--growth", options->growth, "tokens that each turn adds")->check(count);
      auto* max = app.add_option("--max-tokens", options->max_tokens, "under this budget instead");
      max->check(count);
      app.add_option("--protect-recent-turns", options->protect,
                     "of that budget: the newest turns that stay")
          ->check(count)
          ->needs(max);
      app.add_option(
             "--prune", options->prune,
             "of that budget: canonical, or cache-aware, which cuts further and more rarely")
          ->check(CLI::IsMember({"canonical", "cache-aware"}))
          ->needs(max);
      return [options] {
        Ask ask("simulate");
        ask.Integer("cycles", options->cycles);
        if (options->growth >= 0) ask.Integer("growth", options->growth);
        if (options->max_tokens >= 0) {
          JsonOut policy;
          policy.BeginObject().Key("max_tokens").Integer(options->max_tokens);
          policy.Key("protect_recent_turns").Integer(options->protect);
          if (options->prune == "cache-aware") policy.Key("prune").String("cache_aware");
          policy.EndObject();
          ask.Raw("policy", policy.Take());
        }
        return Inspect(options->source, ask, [](Source& /*source*/, const Answer& answer) {
          return PrintSimulation(answer.result());
        });
      };
    }};

}  // namespace pactdb::cli
