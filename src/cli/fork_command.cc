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
  std::string at = "@t0";
};

}  // namespace

const Command kForkCommand = {
    .name = "fork",
    .about = "a new context that goes on from a snapshot of another",
    .examples = R"(  pactdb import chat.pactdb chat.json
  pactdb fork chat.pactdb what-if --at @c1
  pactdb add chat.pactdb --context what-if --role user 'And what is a snapshot?' --commit
  pactdb diff main@c2 what-if@c2 chat.pactdb
  pactdb fork chat.pactdb another --json

Both go on by themselves and share what was until then: a fork costs nothing, however long the
past.)",
    .setup = [](CLI::App& app, const Setting& here) -> Runner {
      auto options = std::make_shared<Options>();
      options->target.Declare(app, here);
      app.add_option("NAME", options->name, "of the new context")->required();
      app.add_option("--at", options->at, "a snapshot: @t-1, @c12, a tag")->capture_default_str();
      return [options] {
        const Ask ask = Ask("fork").Text("at", options->at).Text("name", options->name);
        return Change(options->target, ask, [](const Answer& answer) {
          const JsonRef fork = answer.result();
          return Print(LineOf(fork, "context") + " from @c" + LineOf(fork, "cycle") + "; " +
                       LineOf(fork, "shared_prefix_bytes") + " bytes of thread shared\n")
                     ? kOk
                     : kError;
        });
      };
    },
    .group = Group::kWrite};

}  // namespace pactdb::cli
