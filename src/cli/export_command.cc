#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/source.h"
#include "cli/terminal.h"

namespace pactdb::cli {
namespace {

struct Options {
  SourceOptions source;
  std::string at;
  bool history = false;
};

}  // namespace

const Command kExportCommand = {
    .name = "export",
    .about = "a snapshot, or the whole history, as a document without loss",
    .examples = R"(  pactdb export session.jsonl > working.json
  pactdb export --at @t0 session.jsonl > newest.json
  pactdb export --history session.jsonl > history.json
  pactdb import copy.pactdb history.json && pactdb log copy.pactdb

The document is JSON in any case; `pactdb import` reads it back, and so do the verbs that look.)",
    .setup = [](CLI::App& app, const Setting& here) -> Runner {
      auto options = std::make_shared<Options>();
      options->source.Declare(app, here);
      auto* at = app.add_option("--at", options->at, "a snapshot; else the working state");
      app.add_flag("--history", options->history, "every commit")->excludes(at);
      return [options] {
        Ask ask("export");
        ask.Optional("at", options->at).Bool("history", options->history);
        options->source.json = true;
        return Inspect(options->source, ask);
      };
    }};

}  // namespace pactdb::cli
