#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/commit_text.h"
#include "cli/json_text.h"
#include "cli/target.h"

namespace pactdb::cli {
namespace {

struct Options {
  TargetOptions target;
  std::int64_t expect_cycle = -1;
  std::string idempotency_key;
  bool hashes = false;
};

}  // namespace

std::string CommitText(const Terminal& terminal, const JsonRef& commit) {
  std::string text = terminal.Paint(Colour::kYellow, "@c" + LineOf(commit, "cycle"));
  text.append("  sealed ").append(LineOf(commit, "sealed"));
  if (LineOf(commit, "durable") == "false") text += "  not yet on the disk";
  text += '\n';
  for (const std::string_view name :
       {"expired", "cascaded", "pruned", "deferred", "materialized", "over_limit"}) {
    const auto list = commit.Find(name);
    if (!list || list->size() == 0) continue;
    text.append("  ").append(terminal.Paint(Colour::kDim, name));
    for (auto it = list->begin(); it != list->end(); ++it)
      text.append(" ").append(ReadableLine((*it).value));
    text += '\n';
  }
  if (const std::string hash = LineOf(commit, "thread_sha256"); !hash.empty())
    text.append("  ")
        .append(terminal.Paint(Colour::kDim, "thread_sha256"))
        .append(" " + hash + "\n");
  return text;
}

const Command kCommitCommand = {
    .name = "commit",
    .about = "seal the turn and make a snapshot",
    .examples = R"(  pactdb init agent.pactdb && pactdb add agent.pactdb --role user 'Hello'
  pactdb commit agent.pactdb
  pactdb commit agent.pactdb --expect-cycle 2 --hashes
  pactdb commit agent.pactdb --json

What is due expires, what is over the policy's limits is pruned, the head becomes a turn. When it
says so, it is on the disk.)",
    .setup = [](CLI::App& app, const Setting& here) -> Runner {
      auto options = std::make_shared<Options>();
      options->target.Declare(app, here);
      app.add_option("--expect-cycle", options->expect_cycle, "refuse if another cycle is open")
          ->check(CLI::Range(std::int64_t{0}, INT64_MAX));
      app.add_option("--idempotency-key", options->idempotency_key,
                     "a name for this commit; asked again, it gives the same answer");
      app.add_flag("--hashes", options->hashes, "with the sha256 of the thread");
      return [options] {
        Ask ask("commit");
        if (options->expect_cycle >= 0) ask.Integer("expect_cycle", options->expect_cycle);
        ask.Optional("idempotency_key", options->idempotency_key).Bool("hashes", options->hashes);
        return Change(options->target, ask, [](const Answer& answer) {
          return Print(CommitText(Terminal::Detect(), answer.result())) ? kOk : kError;
        });
      };
    },
    .group = Group::kWrite};

}  // namespace pactdb::cli
