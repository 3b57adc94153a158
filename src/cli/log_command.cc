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
  std::int64_t limit = -1;
  bool hashes = false;
  bool tokens = false;
};

// A flat log says nothing of times; those of its commits would be made up.
int PrintLog(Source::Kind kind, const JsonRef& log, bool asks_for_none) {
  const bool has_times = kind != Source::Kind::kLog;
  if (log.size() == 0 && !asks_for_none) Complain("nothing is committed yet");
  Table table;
  for (auto it = log.begin(); it != log.end(); ++it) {
    const JsonRef entry = (*it).value;
    std::vector<Table::Cell> row = {{"@c" + LineOf(entry, "cycle"), Colour::kYellow}};
    const std::string time = LineOf(entry, "committed_at_iso");
    if (has_times) row.push_back({time.empty() ? "-" : time, Colour::kDim});
    row.push_back({"+" + LineOf(entry, "added"), Colour::kGreen, true});
    row.push_back({"-" + LineOf(entry, "removed"), Colour::kRed, true});
    row.push_back({"~" + LineOf(entry, "changed"), Colour::kCyan, true});
    row.push_back({LineOf(entry, "nodes") + " nodes", Colour::kPlain, true});
    if (const std::string tokens = LineOf(entry, "tokens"); !tokens.empty())
      row.push_back({tokens + " tokens", Colour::kPlain, true});
    if (const auto tags = entry.Find("tags"); tags && tags->is_array() && tags->size() > 0) {
      std::string names;
      for (auto tag = tags->begin(); tag != tags->end(); ++tag)
        names.append(names.empty() ? "" : ", ").append(ReadableLine((*tag).value));
      row.push_back({std::move(names), Colour::kMagenta});
    }
    if (entry.Find("thread_sha256")) row.push_back({LineOf(entry, "thread_sha256"), Colour::kDim});
    table.Add(std::move(row));
  }
  return Print(table.Print(Terminal::Detect())) ? kOk : kError;
}

}  // namespace

const Command kLogCommand = {
    .name = "log",
    .about = "the commits, newest first: what came (+), went (-), changed (~)",
    .examples = R"(  pactdb log session.jsonl
  pactdb log --limit 5 --hashes session.jsonl
  pactdb log chat.json --tokens)",
    .setup = [](CLI::App& app, const Setting& here) -> Runner {
      auto options = std::make_shared<Options>();
      options->source.Declare(app, here);
      app.add_option("--limit", options->limit, "so many at most")
          ->check(CLI::Range(std::int64_t{0}, INT64_MAX));
      app.add_flag("--hashes", options->hashes, "with the sha256 of each thread");
      app.add_flag("--tokens", options->tokens, "with what each snapshot costs in tokens");
      return [options] {
        Ask ask("log");
        if (options->limit >= 0) ask.Integer("limit", options->limit);
        ask.Bool("hashes", options->hashes);
        if (options->tokens) ask.Bool("tokens", true);
        return Inspect(options->source, ask, [&options](Source& source, const Answer& answer) {
          return PrintLog(source.kind(), answer.result(), options->limit == 0);
        });
      };
    }};

}  // namespace pactdb::cli
