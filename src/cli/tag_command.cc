#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/target.h"
#include "cli/terminal.h"

namespace pactdb::cli {
namespace {

struct Options {
  TargetOptions target;
  std::string name;
  std::string at;
  bool remove = false;
};

}  // namespace

const Command kTagCommand = {
    .name = "tag",
    .about = "a name for a snapshot",
    .examples = R"(  pactdb import chat.pactdb chat.json
  pactdb tag chat.pactdb greeting --at @c1
  pactdb tree --at greeting chat.pactdb
  pactdb log chat.pactdb
  pactdb tag chat.pactdb greeting --delete --json

A tag stands wherever @c12 may stand, `pactdb log` shows it, and `pactdb gc` keeps what has one.)",
    .setup = [](CLI::App& app, const Setting& here) -> Runner {
      auto options = std::make_shared<Options>();
      options->target.Declare(app, here);
      app.add_option("NAME", options->name, "the tag")->required();
      auto* at = app.add_option("--at", options->at, "a snapshot; the newest unless given");
      app.add_flag("--delete", options->remove, "take the tag away")->excludes(at);
      return [options] {
        Ask ask("tag");
        ask.Text("name", options->name);
        if (options->remove) {
          ask.Bool("delete", true);
        } else {
          ask.Text("at", options->at.empty() ? "@t0" : options->at);
        }
        return Change(options->target, ask, [](const Answer& answer) {
          return Print(LineOf(answer.result(), "name") + "  @c" + LineOf(answer.result(), "cycle") +
                       "\n")
                     ? kOk
                     : kError;
        });
      };
    },
    .group = Group::kWrite};

}  // namespace pactdb::cli
