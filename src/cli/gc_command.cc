#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/progress_bar.h"
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

std::string JsonOf(const RetentionResult& result) {
  JsonOut out;
  out.BeginObject().Key("snapshots").Integer(result.snapshots);
  out.Key("bytes").Integer(static_cast<std::int64_t>(result.bytes));
  if (!result.is_compacted) out.Key("compacted").Bool(false);
  return out.EndObject().Take();
}

// Not through the operation, which cannot say how far it is.
Said<int> Run(const Options& options) {
  auto session = OpenTarget(options.target, options.dry_run ? Access::kRead : Access::kWrite);
  if (!session) return Fail(session.error());
  RetentionRules rules{.keep_tagged = options.keep_tagged};
  if (options.keep_last >= 0) rules.keep_last = options.keep_last;
  if (!options.older_than.empty()) rules.older_than = options.older_than;
  const Result<RetentionResult> result = [&] {
    ProgressBar bar("collecting");
    return session->exec().database().Gc(options.target.context, rules, options.dry_run,
                                         [&bar](double share) { bar.At(share); });
  }();
  if (!result) return Fail(Fault(result.error()).In(options.target.file));
  const std::string text = Count(result->snapshots, "snapshot") +
                           (options.dry_run ? " would go, " : ", ") +
                           std::to_string(result->bytes) + " bytes" +
                           (result->is_compacted ? "" : "; the file could not be made smaller");
  return Print((options.target.json ? JsonOf(*result) : text) + "\n") ? kOk : kError;
}

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
    .setup = [](CLI::App& app, const Setting& here) -> Runner {
      auto options = std::make_shared<Options>();
      options->target.Declare(app, here);
      app.add_option("--keep-last", options->keep_last, "so many of the newest stay")
          ->check(CLI::Range(std::int64_t{0}, INT64_MAX));
      app.add_option("--older-than", options->older_than,
                     "only what was committed before: 30d, 12h, 2026-01-31");
      app.add_flag("--keep-tagged,!--no-keep-tagged", options->keep_tagged,
                   "whether snapshots with a tag stay; they do unless told otherwise");
      app.add_flag("--dry-run", options->dry_run, "say what would go, and take nothing");
      return [options] { return Run(*options); };
    },
    .group = Group::kCare};

}  // namespace pactdb::cli
