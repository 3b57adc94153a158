#include <CLI/CLI.hpp>
#include <memory>
#include <vector>

#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/target.h"
#include "cli/terminal.h"

namespace pactdb::cli {
namespace {

struct Options {
  TargetOptions target;
  std::string dialect;
  std::string journal = "on";
  std::string durability;
  std::string policy;
  std::vector<std::int64_t> clock;  // start and step
};

Ask Configuration(const Options& options) {
  Ask ask("configure");
  ask.Optional("dialect", options.dialect).Text("journal", options.journal);
  ask.Optional("durability", options.durability);
  if (!options.policy.empty()) ask.Raw("policy", options.policy);
  if (options.clock.size() == 2) {
    JsonOut clock;
    clock.BeginObject().Key("start_ns").Integer(options.clock[0]);
    clock.Key("step_ns").Integer(options.clock[1]).EndObject();
    ask.Raw("clock", clock.text());
  }
  return ask;
}

// Whether the context was made before. `main` comes with the file: it is nobody's as long as it is
// empty and keeps no journal.
Said<bool> IsTaken(Session& session, bool is_new_file) {
  const auto has_context = session.HasContext();
  if (!has_context || !*has_context) return has_context;
  if (session.context() != "main") return true;
  if (is_new_file) return false;
  const auto stats = session.Run(Ask("stats"));
  if (!stats) return std::unexpected(stats.error());
  const auto configured = session.Run(Ask("configure"));
  if (!configured) return std::unexpected(configured.error());
  const bool is_empty =
      LineOf(stats->result(), "snapshots") == "0" && LineOf(stats->result(), "nodes") == "0";
  return !is_empty || LineOf(configured->result(), "journal") == "on";
}

Said<int> Run(const Options& options) {
  if (!options.policy.empty() && !JsonDoc::Parse(options.policy, 8))
    return Fail("--policy: not JSON: " + options.policy);
  const TargetOptions& target = options.target;
  NewFile file(target.file);  // goes after the session has closed it
  auto session = OpenOrMakeTarget(target, file);
  if (!session) return Fail(session.error());
  const auto is_taken = IsTaken(*session, file.is_new());
  if (!is_taken) return Fail(Fault(is_taken.error()).In(target.file));
  if (*is_taken) {
    file.KeepIfFilled(session->exec().database());
    const std::string said = "there is a context '" + target.context + "' already";
    return Fail(Fault(Error(ErrorCode::kContextExists, said).With("context", target.context))
                    .In(target.file));
  }
  const auto made = session->Run(Configuration(options));
  if (made) file.Keep();
  file.KeepIfFilled(session->exec().database());
  return PrintAnswer(target, made, [&](const Answer& answer) {
    return Print(target.file + ": the context " + target.context + ", journal " +
                 LineOf(answer.result(), "journal") + "\n")
               ? kOk
               : kError;
  });
}

}  // namespace

const Command kInitCommand = {
    .name = "init",
    .about = "make a database, or a context in one",
    .examples = R"(  pactdb init agent.pactdb
  pactdb init agent.pactdb --context research --dialect depth
  pactdb init other.pactdb --policy '{"max_turns":50}' --json

The context keeps a journal: what is added and not yet committed is in the file too, so that one
`pactdb add` follows another and `pactdb commit` ends the turn. Programs that keep a context open
can do without: --journal off.)",
    .setup = [](CLI::App& app, const Setting& here) -> Runner {
      auto options = std::make_shared<Options>();
      options->target.Declare(app, here);
      app.add_option("--dialect", options->dialect, "classic, depth or canonical")
          ->check(CLI::IsMember({"classic", "depth", "canonical"}));
      app.add_option("--journal", options->journal, "whether uncommitted edits survive the process")
          ->check(CLI::IsMember({"on", "off"}))
          ->capture_default_str();
      app.add_option("--durability", options->durability, "when a commit is acknowledged")
          ->check(CLI::IsMember({"full", "relaxed"}));
      app.add_option("--policy", options->policy, "limits that commits enforce, as JSON");
      app.add_option("--clock", options->clock,
                     "START STEP in nanoseconds: a clock that counts, for files that must come "
                     "out the same")
          ->expected(2);
      return [options] { return Run(*options); };
    },
    .group = Group::kWrite};

}  // namespace pactdb::cli
