#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/progress_bar.h"
#include "cli/session.h"
#include "cli/terminal.h"

namespace pactdb::cli {
namespace {

struct Options {
  std::string file;
  std::string to;
  bool json = false;
};

// Not through the operation, which cannot say how far it is.
Said<int> Run(const Options& options) {
  auto database = Database::Open(options.file, Access::kRead);
  if (!database) return Fail(FaultOfOpening(options.file, database.error(), ""));
  ProgressBar bar("copying");
  const Status copied = database->Backup(options.to, [&bar](double share) { bar.At(share); });
  if (!copied) return Fail(Fault(copied.error()).In(options.to));
  JsonOut out;
  out.BeginObject().Key("to").String(options.to).EndObject();
  return Print((options.json ? out.text() : options.to) + "\n") ? kOk : kError;
}

}  // namespace

const Command kBackupCommand = {
    .name = "backup",
    .about = "a consistent copy of a database, while others read and write it",
    .examples = R"(  pactdb import chat.pactdb chat.json
  pactdb backup chat.pactdb monday.pactdb && pactdb log monday.pactdb)",
    .setup = [](CLI::App& app, const Setting& here) -> Runner {
      auto options = std::make_shared<Options>();
      options->file = here.file;
      if (here.file.empty()) app.add_option("FILE", options->file, "a database")->required();
      app.add_option("TO", options->to, "the copy; nothing may be there")->required();
      app.add_flag("--json", options->json, "the answer as JSON, on one line");
      return [options] { return Run(*options); };
    },
    .group = Group::kCare};

}  // namespace pactdb::cli
