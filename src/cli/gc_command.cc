#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/progress_bar.h"
#include "cli/target.h"
#include "cli/terminal.h"
#include "engine/file_operations.h"
#include "engine/retention_rules.h"

namespace pactdb::cli {
namespace {

struct Options {
  TargetOptions target;
  bool names_context = false;
  std::int64_t keep_last = -1;
  std::string older_than;
  bool keep_tagged = true;
  bool says_tagged = false;  // whether it was told that
  bool all = false;
  bool dry_run = false;
  bool shows_policy = false;
  bool sets_policy = false;
  bool drops_policy = false;

  std::optional<RetentionRules> Rules() const;
  RetentionRequest Request() const;
};

std::optional<RetentionRules> Options::Rules() const {
  RetentionRules rules{.keep_tagged = keep_tagged};
  if (keep_last >= 0) rules.keep_last = keep_last;
  if (!older_than.empty()) rules.older_than = older_than;
  if (!rules.keep_last && !rules.older_than && !says_tagged) return std::nullopt;
  return rules;
}

RetentionRequest Options::Request() const {
  RetentionRequest request{.context = std::nullopt, .rules = Rules(), .dry_run = dry_run};
  // Rules are for one context unless told otherwise, policies are each for their own.
  if (!all && (request.rules || names_context)) request.context = target.context;
  return request;
}

Fault NoContext(const TargetOptions& target) {
  return Fault(Error(ErrorCode::kContextNotFound, "there is no context '" + target.context + "'")
                   .With("context", target.context))
      .In(target.file);
}

// As they are given to the command.
std::string TextOf(const RetentionRules& rules) {
  std::string text;
  if (rules.keep_last) text += " --keep-last " + std::to_string(*rules.keep_last);
  if (rules.older_than) text += " --older-than " + *rules.older_than;
  if (!rules.keep_tagged) text += " --no-keep-tagged";
  return text.empty() ? text : text.substr(1);
}

std::string TextOf(const RetentionRequest& request, const RetentionResult& result) {
  const std::string goes = request.dry_run ? " would go" : "";
  std::string text;
  if (!request.context || !request.rules) {
    Table table;
    for (const RetentionResult::Share& share : result.contexts) {
      table.Add({{share.context, Colour::kBold},
                 {Count(share.snapshots, "snapshot") + goes, Colour::kPlain, true},
                 {TextOf(share.rules)}});
    }
    text = table.Print(Terminal::Detect());
  }
  text += Count(result.snapshots, "snapshot") + goes + ", " + std::to_string(result.bytes);
  text += result.is_compacted ? " bytes\n" : " bytes; the file could not be made smaller\n";
  return text;
}

// --- policies ---

std::string PoliciesJson(const std::vector<ContextInfo>& contexts) {
  JsonOut out;
  out.BeginArray();
  for (const ContextInfo& info : contexts) {
    out.BeginObject().Key("name").String(info.name).Key("retention");
    if (info.retention) {
      WriteRetention(*info.retention, out);
    } else {
      out.Null();
    }
    out.EndObject();
  }
  return out.EndArray().Take();
}

Said<int> ShowPolicies(const Options& options) {
  auto session = OpenTarget(options.target, Access::kRead);
  if (!session) return Fail(session.error());
  auto contexts = session->exec().database().List();
  if (!contexts) return Fail(InDatabase(contexts.error(), options.target.file));
  if (options.names_context) {
    const std::string& name = options.target.context;
    std::erase_if(*contexts, [&name](const ContextInfo& info) { return info.name != name; });
    if (contexts->empty()) return Fail(NoContext(options.target));
  }
  if (options.target.json) return Print(PoliciesJson(*contexts) + "\n") ? kOk : kError;
  Table table;
  for (const ContextInfo& info : *contexts) {
    table.Add({{info.name, Colour::kBold}, {info.retention ? TextOf(*info.retention) : "none"}});
  }
  return Print(table.Print(Terminal::Detect())) ? kOk : kError;
}

Said<int> SetPolicy(const Options& options) {
  const TargetOptions& target = options.target;
  const auto rules = options.Rules();
  JsonOut retention;
  if (options.drops_policy) {
    retention.Null();
  } else if (rules) {
    WriteRetention(*rules, retention);
  } else {
    return Fail("--set-policy: say what stays: --keep-last, --older-than or both");
  }
  auto session = OpenTarget(target);
  if (!session) return Fail(session.error());
  // `configure` would make it.
  const auto has_context = session->HasContext();
  if (!has_context) return Fail(has_context.error());
  if (!*has_context) return Fail(NoContext(target));
  const auto answer = session->Run(Ask("configure").Raw("retention", retention.text()));
  return PrintAnswer(target, answer, [&](const Answer& /*answer*/) {
    const std::string text = options.drops_policy ? "none" : TextOf(*rules);
    return Print(target.context + "  " + text + "\n") ? kOk : kError;
  });
}

// --- retention ---

constexpr std::string_view kHowToSayRules =
    "\n  --keep-last 100 or --older-than 30d say it for this time; with --set-policy the context "
    "keeps them";

// Not through the operation, which cannot say how far it is.
Said<int> Run(const Options& options) {
  if (options.shows_policy) return ShowPolicies(options);
  if (options.sets_policy || options.drops_policy) return SetPolicy(options);
  auto session = OpenTarget(options.target, options.dry_run ? Access::kRead : Access::kWrite);
  if (!session) return Fail(session.error());
  const RetentionRequest request = options.Request();
  const Result<RetentionResult> result = [&] {
    ProgressBar bar("collecting");
    return session->exec().database().Gc(request, [&bar](double share) { bar.At(share); });
  }();
  if (!result) {
    const bool has_no_rules = !request.rules && result.error().code() == ErrorCode::kRequestInvalid;
    return Fail(
        InDatabase(result.error(), options.target.file).Hint(has_no_rules ? kHowToSayRules : ""));
  }
  const std::string text =
      options.target.json ? RetentionJson(request, *result) + "\n" : TextOf(request, *result);
  return Print(text) ? kOk : kError;
}

Runner Declare(CLI::App& app, const Setting& here) {
  auto options = std::make_shared<Options>();
  options->target.Declare(app, here);
  CLI::Option* context = app.get_option("--context");
  CLI::Option* keep_last =
      app.add_option("--keep-last", options->keep_last, "so many of the newest stay")
          ->check(CLI::Range(std::int64_t{0}, INT64_MAX));
  CLI::Option* older_than = app.add_option("--older-than", options->older_than,
                                           "only what was committed before: 30d, 12h, 2026-01-31");
  CLI::Option* keep_tagged =
      app.add_flag("--keep-tagged,!--no-keep-tagged", options->keep_tagged,
                   "whether snapshots with a tag stay; they do unless told otherwise");
  CLI::Option* all = app.add_flag("--all", options->all, "of all contexts")->excludes(context);
  CLI::Option* dry_run =
      app.add_flag("--dry-run", options->dry_run, "say what would go, and take nothing");
  CLI::Option* sets = app.add_flag("--set-policy", options->sets_policy,
                                   "keep these rules as the context's policy; nothing goes now")
                          ->excludes(all)
                          ->excludes(dry_run);
  CLI::Option* drops =
      app.add_flag("--no-policy", options->drops_policy, "take the context's policy away");
  CLI::Option* shows = app.add_flag("--policy", options->shows_policy, "show the policies");
  for (CLI::Option* option : {keep_last, older_than, keep_tagged, all, dry_run, sets}) {
    drops->excludes(option);
    shows->excludes(option);
  }
  shows->excludes(drops);
  const bool is_shell = !here.file.empty();
  return [options, context, keep_tagged, is_shell] {
    options->says_tagged = keep_tagged->count() > 0;
    options->names_context = is_shell || context->count() > 0;
    return Run(*options);
  };
}

}  // namespace

const Command kGcCommand = {.name = "gc",
                            .about = "let old snapshots go, and give their space back",
                            .examples = R"(  pactdb import chat.pactdb chat.json
  pactdb gc chat.pactdb --keep-last 1 --dry-run
  pactdb gc chat.pactdb --older-than 30d --json
  pactdb gc chat.pactdb --keep-last 1 --no-keep-tagged
  pactdb gc chat.pactdb --keep-last 100 --older-than 30d --set-policy
  pactdb gc chat.pactdb --policy
  pactdb gc chat.pactdb --dry-run
  pactdb gc chat.pactdb

Whole snapshots go, all of them or none. The newest stays always, and so do those that other
contexts were forked at and, unless told otherwise, those with a tag. Without rules every context
goes by the policy it has, or the one that --context names; rules that are given are in its
place.)",
                            .setup = Declare,
                            .group = Group::kCare};

}  // namespace pactdb::cli
