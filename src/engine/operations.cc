#include "engine/operations.h"

#include <algorithm>
#include <array>

#include "base/limits.h"
#include "base/try.h"
#include "engine/cache_operations.h"
#include "engine/commit_json.h"
#include "engine/configure_json.h"
#include "engine/context_operations.h"
#include "engine/file_operations.h"
#include "engine/range.h"
#include "select/select.h"
#include "text/json_out.h"

namespace pactdb {
namespace {

using enum ArgumentType;
using Answer = Result<std::string>;

std::string IdAnswer(std::string_view id) {
  JsonOut out;
  out.BeginObject().Key("id").String(id).EndObject();
  return out.Take();
}

void WriteTexts(std::string_view key, const std::vector<std::string>& texts, JsonOut& out) {
  out.Key(key).BeginArray();
  for (const std::string& text : texts) out.String(text);
  out.EndArray();
}

// --- configure ---

Answer Configure(ContextImpl& context, const Request& request) {
  PACTDB_TRY(const Options options, ParseOptions(request, context.options()));
  PACTDB_TRY_STATUS(context.Configure(options, request.Has("clock")));
  return OptionsJson(options);
}

// --- editing ---

constexpr Argument kAdd[] = {{"node", kNode, true}, {"at", kText}, {"parent", kText}};

Answer Add(ContextImpl& context, const Request& request) {
  PACTDB_TRY(const NodeSpec node, request.Node("node"));
  const Place place{.parent = request.Text("parent"), .mark = {}, .at = request.Text("at")};
  PACTDB_TRY(const AddResult added, context.Add(node, place));
  JsonOut out;
  out.BeginObject().Key("id").String(added.id).Key("cycle").Integer(added.cycle).EndObject();
  return out.Take();
}

constexpr Argument kUpdate[] = {{"id", kText, true}, {"set", kObject, true}};

Answer Update(ContextImpl& context, const Request& request) {
  PACTDB_TRY(const NodeSpec set, request.Node("set"));
  PACTDB_TRY_STATUS(context.Update(request.Required("id"), set));
  return IdAnswer(request.Required("id"));
}

constexpr Argument kReplace[] = {{"id", kText, true}, {"node", kObject, true}};

Answer Replace(ContextImpl& context, const Request& request) {
  PACTDB_TRY(const NodeSpec node, request.Node("node"));
  PACTDB_TRY(const ReplaceResult replaced, context.Replace(request.Required("id"), node));
  JsonOut out;
  out.BeginObject()
      .Key("id")
      .String(replaced.id)
      .Key("replaced")
      .String(replaced.replaced)
      .EndObject();
  return out.Take();
}

constexpr Argument kMove[] = {
    {"id", kText, true}, {"parent", kText}, {"offset", kInteger}, {"at", kText}};

Status CheckMove(const Request& request) {
  if (request.Has("parent") || request.Has("offset") || request.Has("at")) return {};
  return std::unexpected(InvalidArgument("parent", "move needs a parent, an offset or a place"));
}

Answer Move(ContextImpl& context, const Request& request) {
  const MoveOptions options{.parent = request.Text("parent"),
                            .offset = request.Integer("offset"),
                            .mark = {},
                            .at = request.Text("at")};
  PACTDB_TRY(const std::string id, context.Move(request.Required("id"), options));
  return IdAnswer(id);
}

constexpr Argument kRemove[] = {{"id", kText}, {"selector", kText}};

Status CheckRemove(const Request& request) {
  if (request.Has("id") != request.Has("selector")) return {};
  return std::unexpected(InvalidArgument("id", "remove takes either an id or a selector"));
}

Answer Remove(ContextImpl& context, const Request& request) {
  const auto selector = request.Text("selector");
  PACTDB_TRY(const std::vector<std::string> removed,
             selector ? context.RemoveSelected(*selector) : context.Remove(request.Required("id")));
  JsonOut out;
  out.BeginObject();
  WriteTexts("removed", removed, out);
  out.EndObject();
  return out.Take();
}

constexpr Argument kPin[] = {{"id", kText, true}};

Answer SetPinned(ContextImpl& context, const Request& request, bool pinned) {
  PACTDB_TRY_STATUS(context.SetPinned(request.Required("id"), pinned));
  JsonOut out;
  out.BeginObject().Key("id").String(request.Required("id")).Key("pinned").Bool(pinned).EndObject();
  return out.Take();
}

Answer Pin(ContextImpl& context, const Request& request) {
  return SetPinned(context, request, true);
}
Answer Unpin(ContextImpl& context, const Request& request) {
  return SetPinned(context, request, false);
}

// --- commit ---

constexpr Argument kCommit[] = {
    {"expect_cycle", kInteger}, {"idempotency_key", kText}, {"hashes", kBool}};

Answer Commit(ContextImpl& context, const Request& request) {
  const CommitOptions options{.expect_cycle = request.Integer("expect_cycle"),
                              .idempotency_key = request.Text("idempotency_key"),
                              .hashes = request.Bool("hashes", true)};
  if (options.idempotency_key &&
      options.idempotency_key->size() > limits::kIdempotencyKeyBytesMax) {
    return std::unexpected(
        Error(ErrorCode::kLimitExceeded, "the idempotency key is too long")
            .With("limit", "idempotency_key_bytes")
            .With("max", static_cast<std::int64_t>(limits::kIdempotencyKeyBytesMax)));
  }
  PACTDB_TRY(const CommitResult commit, context.Commit(options));
  return CommitJson(commit);
}

// --- reading ---

constexpr Argument kGet[] = {{"id", kText, true}, {"at", kSnapshot}};
Answer Get(ContextImpl& context, const Request& request) {
  return context.Get(request.Required("id"), request.Text("at"));
}

constexpr Argument kTree[] = {{"at", kSnapshot}, {"depth", kCount}};
Answer Tree(ContextImpl& context, const Request& request) {
  return context.Tree(request.Text("at"), request.Integer("depth"));
}

constexpr Argument kLog[] = {
    {"limit", kCount}, {"cursor", kInteger}, {"hashes", kBool}, {"tokens", kBool}};
Answer Log(ContextImpl& context, const Request& request) {
  return context.Log({.limit = request.Integer("limit"),
                      .cursor = request.Integer("cursor"),
                      .hashes = request.Bool("hashes", false),
                      .tokens = request.Bool("tokens", false)});
}

constexpr Argument kTokens[] = {{"at", kSnapshot},
                                {"selector", kText},
                                {"encoding", kText},
                                {"model", kText},
                                {"format", kText}};
Status CheckTokens(const Request& request) {
  if (!request.Has("encoding") || !request.Has("model")) return {};
  return std::unexpected(InvalidArgument("model", "give an encoding or a model, not both"));
}
Answer Tokens(ContextImpl& context, const Request& request) {
  return context.Tokens({.at = request.Text("at"),
                         .selector = request.Text("selector"),
                         .encoding = request.Text("encoding"),
                         .model = request.Text("model"),
                         .format = request.Text("format")});
}

constexpr Argument kSimulate[] = {{"cycles", kCount}, {"growth", kCount}, {"policy", kObject}};
Answer Simulate(ContextImpl& context, const Request& request) {
  SimulateOptions options{.cycles = request.Integer("cycles").value_or(SimulateOptions().cycles),
                          .growth = request.Integer("growth"),
                          .policy = std::nullopt};
  if (const auto policy = request.Find("policy")) {
    PACTDB_TRY(options.policy, ParsePolicy(*policy));
  }
  return context.Simulate(options);
}

constexpr Argument kRender[] = {
    {"at", kSnapshot}, {"format", kText}, {"lossy", kBool}, {"cache", kBool}};
Answer Render(ContextImpl& context, const Request& request) {
  PACTDB_TRY(const RenderResult rendered,
             context.Render({.at = request.Text("at"),
                             .format = request.Text("format").value_or("thread"),
                             .lossy = request.Bool("lossy", false),
                             .cache = request.Bool("cache", false)}));
  JsonOut out;
  out.BeginObject();
  out.Key("format").String(rendered.format);
  out.Key("body").String(rendered.body);
  out.Key("sha256").String(rendered.sha256);
  out.Key("bytes").Integer(static_cast<std::int64_t>(rendered.body.size()));
  if (request.Bool("lossy", false)) {
    out.Key("lost").BeginArray();
    for (const RenderLoss& loss : rendered.lost) {
      out.BeginObject().Key("id").String(loss.id).Key("field").String(loss.field);
      out.Key("reason").String(loss.reason).EndObject();
    }
    out.EndArray();
  }
  out.EndObject();
  return out.Take();
}

constexpr Argument kCheck[] = {{"at", kSnapshot}, {"format", kText}};
Answer Check(ContextImpl& context, const Request& request) {
  return context.Check({.at = request.Text("at"), .format = request.Text("format")});
}

constexpr Argument kFix[] = {{"format", kText}};
Answer Fix(ContextImpl& context, const Request& request) {
  return context.Fix(request.Text("format"));
}

constexpr Argument kLife[] = {{"id", kText, true}};
Answer Life(ContextImpl& context, const Request& request) {
  return context.Life(request.Required("id"));
}

constexpr Argument kSerialize[] = {{"at", kSnapshot}};
Answer Serialize(ContextImpl& context, const Request& request) {
  PACTDB_TRY(const std::string bytes, context.Serialize(request.Text("at")));
  JsonOut out;
  out.BeginObject()
      .Key("bytes")
      .String(bytes)
      .Key("sha256")
      .String(ToHex(Sha256Of(bytes)))
      .EndObject();
  return out.Take();
}

constexpr Argument kHash[] = {{"node", kObject, true}};
Answer Hash(ContextImpl& /*context*/, const Request& request) {
  JsonOut out;
  PACTDB_TRY(const NodeSpec node, request.Node("node"));
  out.BeginObject().Key("content_hash").String(HashNode(node)).EndObject();
  return out.Take();
}

// --- selecting ---

constexpr Argument kSelect[] = {{"selector", kText, true},
                                {"snapshot", kSnapshot},
                                {"dialect", kText},
                                {"skip", kCount},
                                {"limit", kCount},
                                {"where", kText},
                                // Of ranges; other selectors only check them.
                                {"includeContent", kBool},
                                {"contentMode", kText},
                                {"contextLines", kCount},
                                {"materialize", kArray},
                                {"maxSnapshots", kCount},
                                {"maxChangesPerSnapshot", kCount}};

Status CheckDialect(const Request& request) {
  const auto name = request.Text("dialect");
  if (!name || ParseDialect(*name)) return {};
  return std::unexpected(InvalidArgument("dialect", "dialect must be classic, depth or canonical"));
}

std::optional<Dialect> DialectOf(const Request& request) {
  const auto name = request.Text("dialect");
  return name ? ParseDialect(*name) : std::nullopt;
}

RangeOptions RangeOptionsOf(const Request& request) {
  RangeOptions options{.include_content = request.Bool("includeContent", false),
                       .content_mode = request.Text("contentMode").value_or("unified"),
                       .context_lines = request.Integer("contextLines").value_or(3),
                       .materialize = {},
                       .max_snapshots = request.Integer("maxSnapshots"),
                       .max_changes_per_snapshot = request.Integer("maxChangesPerSnapshot")};
  if (const auto fields = request.Find("materialize")) {
    // What is no string is no field either and is refused as such.
    for (auto it = fields->begin(); it != fields->end(); ++it) {
      const JsonRef field = (*it).value;
      options.materialize.emplace_back(field.is_string() ? field.string() : std::string_view());
    }
  }
  return options;
}

Status CheckSelect(const Request& request) {
  PACTDB_TRY_STATUS(CheckDialect(request));
  return CheckRangeOptions(RangeOptionsOf(request));
}

Answer Select(ContextImpl& context, const Request& request) {
  const SelectOptions options{.snapshot = request.Text("snapshot"),
                              .dialect = DialectOf(request),
                              .skip = request.Integer("skip").value_or(0),
                              .limit = request.Integer("limit"),
                              .where = request.Text("where")};
  PACTDB_TRY(const Selector selector,
             Selector::Parse(request.Required("selector"),
                             options.dialect.value_or(context.options().dialect)));
  if (selector.impl().ast.time.kind == select::Time::Kind::kRange)
    return context.SelectRange(selector, options, RangeOptionsOf(request));
  PACTDB_TRY(const std::vector<std::string> ids, context.Select(selector, options));
  JsonOut out;
  out.BeginArray();
  for (const std::string& id : ids) out.String(id);
  out.EndArray();
  return out.Take();
}

constexpr Argument kDiff[] = {{"from", kState, true},
                              {"to", kState, true},
                              {"selector", kText},
                              {"detail", kBool},
                              {"moves", kBool}};

// NAME@c12 is @c12 of the context NAME, NAME@x what x is there; any other text a state of `own`.
Result<DiffSide> StateOf(const ContextImpl& own, const Request& request, std::string_view text) {
  const std::size_t at = text.find('@');
  if (at == 0 || at == std::string_view::npos) return DiffSide{own, text};
  const std::string name(text.substr(0, at));
  PACTDB_TRY(const ContextImpl* context, request.FindContext(name));
  return DiffSide{*context, text.substr(IsSnapshotName(text.substr(at)) ? at : at + 1)};
}

Answer Diff(ContextImpl& context, const Request& request) {
  const std::string from = request.Required("from");
  const std::string to = request.Required("to");
  PACTDB_TRY(const DiffSide before, StateOf(context, request, from));
  PACTDB_TRY(const DiffSide after, StateOf(context, request, to));
  return context.Diff(before, after,
                      {.selector = request.Text("selector"),
                       .detail = request.Bool("detail", false),
                       .moves = request.Bool("moves", false)});
}

constexpr Argument kExplain[] = {{"selector", kText, true}, {"dialect", kText}};
Answer Explain(ContextImpl& context, const Request& request) {
  PACTDB_TRY(const Selector selector,
             Selector::Parse(request.Required("selector"),
                             DialectOf(request).value_or(context.options().dialect)));
  return selector.Explain();
}

// --- export, import ---

constexpr Argument kExport[] = {{"at", kSnapshot}, {"history", kBool}};
Answer Export(ContextImpl& context, const Request& request) {
  std::string document;
  StringSink sink(document);
  PACTDB_TRY_STATUS(
      context.Export({.at = request.Text("at"), .history = request.Bool("history", false)},
                     HistoryForm::kDocument, sink));
  return document;
}

constexpr Argument kImport[] = {{"snapshot", kObject}, {"log", kArray},   {"thread", kAny},
                                {"format", kText},     {"strict", kBool}, {"lenient", kBool},
                                {"continue", kBool},   {"seal", kBool}};

Status CheckImport(const Request& request) {
  const int given = static_cast<int>(request.Has("snapshot")) +
                    static_cast<int>(request.Has("log")) + static_cast<int>(request.Has("thread"));
  if (given != 1) {
    return std::unexpected(
        InvalidArgument("snapshot", "import takes one of a snapshot, a log or a thread"));
  }
  if (request.Has("thread") != request.Has("format"))
    return std::unexpected(InvalidArgument("format", "a thread comes with its format"));
  if (request.Has("continue") && request.Has("snapshot"))
    return std::unexpected(InvalidArgument("continue", "only a log or a thread goes on"));
  if (request.Has("seal") && request.Has("snapshot"))
    return std::unexpected(InvalidArgument("seal", "only a log or a thread leaves a turn open"));
  if (!request.Has("lenient") || request.Has("thread")) return {};
  return std::unexpected(InvalidArgument("lenient", "only a thread is read leniently"));
}

Result<ImportResult> RunImport(ContextImpl& context, const Request& request) {
  if (const auto snapshot = request.Find("snapshot"))
    return context.ImportSnapshot(*snapshot, request.Bool("strict", false));
  ThreadOptions options{.format = {},
                        .lenient = request.Bool("lenient", false),
                        .continues = request.Bool("continue", false),
                        .seals = request.Bool("seal", false)};
  if (const auto log = request.Find("log")) return context.ImportLog(*log, options);
  options.format = request.Required("format");
  return context.ImportThread(*request.Find("thread"), options);
}

Answer Import(ContextImpl& context, const Request& request) {
  PACTDB_TRY(const ImportResult imported, RunImport(context, request));
  JsonOut out;
  out.BeginObject();
  out.Key("cycle").Integer(imported.cycle);
  out.Key("nodes").Integer(imported.nodes);
  WriteTexts("warnings", imported.warnings, out);
  if (request.Has("continue")) out.Key("skipped").Integer(imported.skipped);
  out.EndObject();
  return out.Take();
}

// --- attempts ---

// Which of these belong to which action is checked below.
constexpr Argument kAttempt[] = {
    {"action", kText, true}, {"provider", kText},   {"model", kText},   {"params", kAny},
    {"params_hash", kText},  {"attempt_id", kText}, {"status", kText},  {"token_in", kInteger},
    {"token_out", kInteger}, {"error", kAny},       {"cycle", kInteger}};

Status CheckAttemptArguments(const Request& request, std::string_view action,
                             std::initializer_list<std::string_view> allowed) {
  for (const Argument& argument : kAttempt) {
    if (argument.name == "action" || !request.IsGiven(argument.name)) continue;
    if (std::ranges::find(allowed, argument.name) != allowed.end()) continue;
    return std::unexpected(InvalidArgument(
        argument.name,
        "attempt " + std::string(action) + " takes no '" + std::string(argument.name) + "'"));
  }
  return {};
}

Status CheckFinish(const Request& request) {
  PACTDB_TRY_STATUS(CheckAttemptArguments(
      request, "finish", {"attempt_id", "status", "token_in", "token_out", "error"}));
  for (const std::string_view name : {"attempt_id", "status"}) {
    if (!request.Has(name))
      return std::unexpected(InvalidArgument(name, "missing argument '" + std::string(name) + "'"));
  }
  const std::string status = request.Required("status");
  if (status == "completed" || status == "canceled" || status == "error") return {};
  return std::unexpected(InvalidArgument("status", "status must be completed, canceled or error"));
}

Status CheckAttempt(const Request& request) {
  const std::string action = request.Required("action");
  if (action == "finish") return CheckFinish(request);
  if (action == "list") return CheckAttemptArguments(request, action, {"cycle"});
  if (action != "start")
    return std::unexpected(InvalidArgument("action", "action must be start, finish or list"));
  PACTDB_TRY_STATUS(
      CheckAttemptArguments(request, action, {"provider", "model", "params", "params_hash"}));
  if (!request.Has("params") || !request.Has("params_hash")) return {};
  return std::unexpected(InvalidArgument("params_hash", "give params or params_hash, not both"));
}

std::optional<Json> OptionalJson(const Request& request, std::string_view name) {
  const auto value = request.Find(name);
  return value ? std::optional(value->ToJson()) : std::nullopt;
}

Answer RunAttempt(ContextImpl& context, const Request& request) {
  const std::string action = request.Required("action");
  if (action == "list") return context.ListAttempts(request.Integer("cycle"));
  if (action == "start") {
    return context.StartAttempt({.provider = request.Text("provider"),
                                 .model = request.Text("model"),
                                 .params = OptionalJson(request, "params"),
                                 .params_hash = request.Text("params_hash")});
  }
  return context.FinishAttempt({.attempt_id = request.Required("attempt_id"),
                                .status = request.Required("status"),
                                .token_in = request.Integer("token_in"),
                                .token_out = request.Integer("token_out"),
                                .error = OptionalJson(request, "error")});
}

constexpr auto kOperations =
    std::to_array<Operation>({{"configure", kConfigureArguments, true, nullptr, Configure},
                              {"add", kAdd, true, nullptr, Add},
                              {"update", kUpdate, false, nullptr, Update},
                              {"replace", kReplace, false, nullptr, Replace},
                              {"move", kMove, false, CheckMove, Move},
                              {"remove", kRemove, false, CheckRemove, Remove},
                              {"pin", kPin, false, nullptr, Pin},
                              {"unpin", kPin, false, nullptr, Unpin},
                              {"commit", kCommit, false, nullptr, Commit},
                              {"get", kGet, false, nullptr, Get},
                              {"tree", kTree, false, nullptr, Tree},
                              {"log", kLog, false, nullptr, Log},
                              {"life", kLife, false, nullptr, Life},
                              {"select", kSelect, false, CheckSelect, Select},
                              {"explain", kExplain, false, CheckDialect, Explain},
                              {"diff", kDiff, false, nullptr, Diff},
                              {"fork", kForkArguments, false, CheckFork, RunFork},
                              {"contexts", kContextsArguments, false, CheckContexts, RunContexts},
                              {"tag", kTagArguments, false, CheckTag, RunTag},
                              {"render", kRender, false, nullptr, Render},
                              {"tokens", kTokens, false, CheckTokens, Tokens},
                              {"simulate", kSimulate, false, nullptr, Simulate},
                              {"check", kCheck, false, nullptr, Check},
                              {"fix", kFix, false, nullptr, Fix},
                              {"cache", kCacheArguments, false, CheckCache, RunCache},
                              {"lint", kLintArguments, false, nullptr, RunLint},
                              {"serialize", kSerialize, false, nullptr, Serialize},
                              {"hash", kHash, false, nullptr, Hash},
                              {"export", kExport, false, nullptr, Export},
                              {"import", kImport, true, CheckImport, Import},
                              {"attempt", kAttempt, false, CheckAttempt, RunAttempt},
                              {"gc", kGcArguments, false, nullptr, RunGc},
                              {"backup", kBackupArguments, false, nullptr, RunBackup},
                              {"verify", {}, false, nullptr, RunVerify},
                              {"stats", {}, false, nullptr, RunStats}});

}  // namespace

std::span<const Operation> Operations() {
  return kOperations;
}

const Operation* FindOperation(std::string_view name) {
  const auto found = std::ranges::find(kOperations, name, &Operation::name);
  return found == kOperations.end() ? nullptr : &*found;
}

}  // namespace pactdb
