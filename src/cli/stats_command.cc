#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/source.h"
#include "cli/terminal.h"

namespace pactdb::cli {
namespace {

// A row a figure; those of the file are a level deeper.
void AddRows(const JsonRef& stats, const std::string& before, Table& table) {
  for (auto it = stats.begin(); it != stats.end(); ++it) {
    const auto [name, value] = *it;
    const std::string path = before + std::string(name);
    if (value.is_object()) {
      AddRows(value, path + ".", table);
    } else {
      table.Add({{path, Colour::kCyan}, {ReadableLine(value)}});
    }
  }
}

int PrintStats(const JsonRef& stats) {
  Table table;
  AddRows(stats, "", table);
  return Print(table.Print(Terminal::Detect())) ? kOk : kError;
}

}  // namespace

const Command kStatsCommand = {.name = "stats",
                               .about = "sizes and counts",
                               .examples = R"(  pactdb stats session.jsonl
  pactdb stats chat.json --json)",
                               .setup = [](CLI::App& app, const Setting& here) -> Runner {
                                 auto options = std::make_shared<SourceOptions>();
                                 options->Declare(app, here);
                                 return [options] {
                                   return Inspect(*options, Ask("stats"),
                                                  [](Source& /*source*/, const Answer& answer) {
                                                    return PrintStats(answer.result());
                                                  });
                                 };
                               },
                               .group = Group::kCare};

}  // namespace pactdb::cli
