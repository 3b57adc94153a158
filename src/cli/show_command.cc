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
  std::string at;
};

int PrintNode(const JsonRef& node) {
  // Nothing is cut: whoever looks at one node wants all of it.
  const Terminal terminal(Terminal::Detect().has_colour(), 0);
  Table table;
  for (auto it = node.begin(); it != node.end(); ++it) {
    const auto [name, value] = *it;
    if (name == "content" || value.is_null()) continue;
    table.Add({{std::string(name), Colour::kCyan}, {ReadableLine(value)}});
  }
  std::string text = table.Print(terminal);
  // Last and whole: what it says may be long.
  if (const auto content = node.Find("content")) {
    text += "\n" +
            (content->is_string() ? Clean(content->string(), /*one_line=*/false)
                                  : ReadableLine(*content)) +
            "\n";
  }
  return Print(text) ? kOk : kError;
}

// Where a node is that the working state has not, or not any more.
std::string WhereItWas(Source& source, const std::string& id) {
  const auto life = source.Run(Ask("life").Text("id", id));
  if (!life) return "";
  std::optional<JsonRef> last;
  for (auto it = life->result().begin(); it != life->result().end(); ++it) last = (*it).value;
  const std::string end =
      LineOf(*last, "event") + " in cycle " + LineOf(*last, "cycle") + ": " + LineOf(*last, "why");
  // Retention, or an import of a later cycle, may have left none there.
  const std::string before = "@c" + std::to_string(*last->Find("cycle")->AsInt64() - 1);
  const bool has_it = source.Run(Ask("get").Text("id", id).Text("at", before)).has_value();
  return has_it ? end + "; " + before + " is the last snapshot before that" : end;
}

}  // namespace

const Command kShowCommand = {
    .name = "show",
    .about = "one node: its headers, its attributes, what it says",
    .examples = R"(  pactdb show block:2.1 session.jsonl
  pactdb show --at @c1 block:1.6 session.jsonl
  pactdb show block:2.1 session.jsonl --json)",
    .setup = [](CLI::App& app, const Setting& here) -> Runner {
      auto options = std::make_shared<Options>();
      app.add_option("ID", options->id, "the node")->required();
      options->source.Declare(app, here);
      app.add_option("--at", options->at, "a snapshot: @t0, @t-1, @c12; else the working state");
      return [options] {
        Ask ask("get");
        ask.Text("id", options->id).Optional("at", options->at);
        return Inspect(
            options->source, ask,
            [](Source& /*source*/, const Answer& answer) { return PrintNode(answer.result()); },
            [&options](Source& source, const Fault& /*fault*/) {
              return options->at.empty() ? WhereItWas(source, options->id) : std::string();
            });
      };
    }};

}  // namespace pactdb::cli
