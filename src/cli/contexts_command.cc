#include <CLI/CLI.hpp>
#include <memory>
#include <vector>

#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/source.h"
#include "cli/target.h"
#include "cli/terminal.h"

namespace pactdb::cli {
namespace {

struct Options {
  SourceOptions source;
  std::vector<std::string> rename;  // from, to
  std::string remove;
};

int PrintContexts(const JsonRef& contexts) {
  Table table;
  for (auto it = contexts.begin(); it != contexts.end(); ++it) {
    const JsonRef context = (*it).value;
    const std::string cycle = LineOf(context, "cycle");
    table.Add({{LineOf(context, "name"), Colour::kBold},
               {cycle.empty() ? "-" : "@c" + cycle, Colour::kYellow},
               {LineOf(context, "nodes") + " nodes", Colour::kPlain, true},
               {LineOf(context, "bytes") + " bytes", Colour::kPlain, true}});
  }
  return Print(table.Print(Terminal::Detect())) ? kOk : kError;
}

Said<int> Run(const Options& options) {
  const bool renames = !options.rename.empty();
  if (!renames && options.remove.empty()) {
    return Inspect(
        options.source, Ask("contexts").Text("action", "list"),
        [](Source& /*source*/, const Answer& answer) { return PrintContexts(answer.result()); });
  }
  Ask ask("contexts");
  ask.Text("action", renames ? "rename" : "delete");
  ask.Text("name", renames ? options.rename[0] : options.remove);
  if (renames) ask.Text("to", options.rename[1]);
  // `main` is always there to be asked.
  const TargetOptions target{
      .file = options.source.file, .context = "main", .json = options.source.json};
  return Change(target, ask, [](const Answer& answer) { return PrintContexts(answer.result()); });
}

}  // namespace

const Command kContextsCommand = {
    .name = "contexts",
    .about = "the contexts of a database; rename or delete one",
    .examples = R"(  pactdb import chat.pactdb chat.json && pactdb fork chat.pactdb draft
  pactdb contexts chat.pactdb
  pactdb contexts chat.pactdb --rename draft kept
  pactdb contexts chat.pactdb --delete kept --json)",
    .setup = [](CLI::App& app, const Setting& here) -> Runner {
      auto options = std::make_shared<Options>();
      options->source.Declare(app, here);
      auto* rename = app.add_option("--rename", options->rename, "NAME TO")->expected(2);
      app.add_option("--delete", options->remove, "the context with this name")->excludes(rename);
      return [options] { return Run(*options); };
    }};

}  // namespace pactdb::cli
