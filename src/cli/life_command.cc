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
  std::string id;
};

Colour ColourOf(std::string_view event) {
  if (event == "born") return Colour::kGreen;
  if (event == "changed" || event == "moved") return Colour::kCyan;
  if (event == "sealed") return Colour::kBlue;
  return event == "deferred" ? Colour::kYellow : Colour::kRed;
}

int PrintLife(const JsonRef& life) {
  Table table;
  for (auto it = life.begin(); it != life.end(); ++it) {
    const JsonRef event = (*it).value;
    std::string fields;
    const JsonRef names = *event.Find("fields");
    for (auto name = names.begin(); name != names.end(); ++name)
      fields += (fields.empty() ? "" : ", ") + ReadableLine((*name).value);
    std::string why = LineOf(event, "why");
    if (!fields.empty()) why.insert(0, fields.append(": "));
    table.Add({{LineOf(event, "cycle"), Colour::kYellow, true},
               {LineOf(event, "event"), ColourOf(TextOf(event, "event"))},
               {why}});
  }
  return Print(table.Print(Terminal::Detect())) ? kOk : kError;
}

}  // namespace

const Command kLifeCommand = {
    .name = "life",
    .about = "what happened to a node: born, changed, sealed, expired, in which cycle and why",
    .examples = R"(  pactdb life block:1.6 session.jsonl
  pactdb life block:1.6 session.jsonl --json)",
    .setup = [](CLI::App& app, const Setting& here) -> Runner {
      auto options = std::make_shared<Options>();
      app.add_option("ID", options->id, "the node")->required();
      options->source.Declare(app, here);
      return [options] {
        return Inspect(
            options->source, Ask("life").Text("id", options->id),
            [](Source& /*source*/, const Answer& answer) { return PrintLife(answer.result()); });
      };
    }};

}  // namespace pactdb::cli
