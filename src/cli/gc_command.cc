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
  std::int64_t keep_last = -1;
  std::string older_than;
  bool keep_tagged = true;
  bool dry_run = false;
};

}  // namespace

const Command kGcCommand = {
    .name = "gc",
    .about = "let old snapshots go, and give their space back",
    .examples = R"(  pactdb import chat.pactdb chat.json
  pactdb gc chat.pactdb --keep-last 1 --dry-run
  pactdb gc chat.pactdb --older-than 30d --json
  pactdb gc chat.pactdb --keep-last 1 --no-keep-tagged

Whole snapshots go, all of them or none. The newest stays always, and so do those that other
contexts were forked at and, unless told otherwise, those with a tag.)",
    .setup = [](CLI::App& app, const Setting& here) -> std::function<int()> {
      auto options = std::make_shared<Options>();
      options->target.Declare(app, here);
      app.add_option("--keep-last", options->keep_last, "so many of the newest stay")
          ->check(CLI::Range(std::int64_t{0}, INT64_MAX));
      app.add_option("--older-than", options->older_than,
                     "only what was committed before: 30d, 12h, 2026-01-31");
      app.add_flag("--keep-tagged,!--no-keep-tagged", options->keep_tagged,
                   "whether snapshots with a tag stay; they do unless told otherwise");
      app.add_flag("--dry-run", options->dry_run, "say what would go, and take nothing");
      return [options] {
        Ask ask("gc");
        if (options->keep_last >= 0) ask.Integer("keep_last", options->keep_last);
        ask.Optional("older_than", options->older_than).Bool("keep_tagged", options->keep_tagged);
        if (options->dry_run) ask.Bool("dry_run", true);
        return Change(options->target, ask, [&options](const Answer& answer) {
          const JsonRef result = answer.result();
          const std::int64_t snapshots = result.Find("snapshots")->AsInt64().value_or(0);
          return Print(Count(snapshots, "snapshot") + (options->dry_run ? " would go, " : ", ") +
                       LineOf(result, "bytes") + " bytes\n")
                     ? kOk
                     : kError;
        });
      };
    },
    .group = Group::kCare};

}  // namespace pactdb::cli
