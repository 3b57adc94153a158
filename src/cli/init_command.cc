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

int Fail(const std::string& said) {
  Complain(said);
  return kError;
}

int Run(const Options& options) {
  if (!options.policy.empty() && !JsonDoc::Parse(options.policy, 8))
    return Fail("--policy: not JSON: " + options.policy);
  const TargetOptions& target = options.target;
  // `main` comes with the file: it is new if the file is.
  const bool is_new = !IsThere(target.file);
  auto session = Session::Open(target.file, Access::kCreate, target.context);
  if (!session) return Fail(session.error());
  if (session->HasContext() && !(is_new && target.context == "main")) {
    return Fail(target.file + ": E_CONTEXT_EXISTS: there is a context '" + target.context +
                "' already");
  }
  return PrintAnswer(target, session->Run(Configuration(options)), [&](const Answer& answer) {
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
    .setup = [](CLI::App& app, const Setting& here) -> std::function<int()> {
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
