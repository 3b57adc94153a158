#include "engine/context_operations.h"

#include <pactdb/database.h>
#include <pactdb/render.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/try.h"
#include "engine/retention_rules.h"
#include "text/json_out.h"

namespace pactdb {
namespace {

Status CheckContextName(const Request& request, std::string_view argument) {
  const auto name = request.Text(argument);
  if (!name || IsContextName(*name)) return {};
  return std::unexpected(
      InvalidArgument(argument, "a context's name is 1 to 128 of A-Z a-z 0-9 . _ -"));
}

// The list after the context went or, with a name to take, has that one. There is always a `main`.
void Apply(const std::string& name, const std::optional<std::string>& to,
           std::vector<ContextInfo>& contexts) {
  const auto found = std::ranges::find(contexts, name, &ContextInfo::name);
  if (found == contexts.end() || to == name) return;
  ContextInfo info = *found;
  if (name == "main") {
    *found = {.name = name, .cycle = std::nullopt};
  } else {
    contexts.erase(found);
  }
  if (!to) return;
  info.name = *to;
  contexts.insert(std::ranges::lower_bound(contexts, *to, {}, &ContextInfo::name), info);
}

Error Missing(std::string_view argument) {
  return InvalidArgument(argument, "missing argument '" + std::string(argument) + "'");
}

}  // namespace

// --- fork ---

Status CheckFork(const Request& request) {
  return CheckContextName(request, "name");
}

Result<std::string> RunFork(ContextImpl& context, const Request& request) {
  const std::string name = request.Required("name");
  PACTDB_TRY(const Context* fork,
             request.database().Fork(request.context(), request.Required("at"), name));
  PACTDB_TRY(const Snapshot begin, fork->At("@t0"));
  const Snapshot newest(context.history()->newest());
  JsonOut out;
  out.BeginObject();
  out.Key("context").String(name);
  out.Key("cycle").Integer(begin.cycle());
  out.Key("shared_prefix_bytes")
      .Integer(static_cast<std::int64_t>(SharedPrefixBytes(begin, newest)));
  out.EndObject();
  return out.Take();
}

// --- contexts ---

Status CheckContexts(const Request& request) {
  const std::string action = request.Required("action");
  if (action != "list" && action != "rename" && action != "delete")
    return std::unexpected(InvalidArgument("action", "action must be list, rename or delete"));
  const std::pair<std::string_view, bool> takes[] = {{"name", action != "list"},
                                                     {"to", action == "rename"}};
  for (const auto& [argument, is_taken] : takes) {
    if (is_taken && !request.Has(argument)) return std::unexpected(Missing(argument));
    if (!is_taken && request.IsGiven(argument)) {
      return std::unexpected(InvalidArgument(
          argument, "contexts " + action + " takes no '" + std::string(argument) + "'"));
    }
    PACTDB_TRY_STATUS(CheckContextName(request, argument));
  }
  return {};
}

Result<std::string> RunContexts(ContextImpl& /*context*/, const Request& request) {
  Database& database = request.database();
  const std::string action = request.Required("action");
  // Before the change: once that is made, nothing of the answer may fail.
  PACTDB_TRY(std::vector<ContextInfo> contexts, database.List());
  if (action == "rename") {
    PACTDB_TRY_STATUS(database.Rename(request.Required("name"), request.Required("to")));
    Apply(request.Required("name"), request.Required("to"), contexts);
  }
  if (action == "delete") {
    PACTDB_TRY_STATUS(database.Delete(request.Required("name")));
    Apply(request.Required("name"), std::nullopt, contexts);
  }
  JsonOut out;
  out.BeginArray();
  for (const ContextInfo& info : contexts) {
    out.BeginObject();
    out.Key("name").String(info.name);
    out.Key("cycle");
    if (info.cycle) {
      out.Integer(*info.cycle);
    } else {
      out.Null();
    }
    out.Key("snapshots").Integer(info.snapshots);
    out.Key("nodes").Integer(info.nodes);
    out.Key("bytes").Integer(static_cast<std::int64_t>(info.bytes));
    if (info.retention) WriteRetention(*info.retention, out.Key("retention"));
    out.EndObject();
  }
  out.EndArray();
  return out.Take();
}

// --- tag ---

Status CheckTag(const Request& request) {
  if (!request.Bool("delete", false) && !request.Has("at")) return std::unexpected(Missing("at"));
  return CheckTagName(request.Required("name"));
}

Result<std::string> RunTag(ContextImpl& context, const Request& request) {
  const std::string name = request.Required("name");
  PACTDB_TRY(const std::int64_t cycle, request.Bool("delete", false)
                                           ? context.RemoveTag(name, request.Text("at"))
                                           : context.SetTag(name, request.Required("at")));
  JsonOut out;
  out.BeginObject().Key("name").String(name).Key("cycle").Integer(cycle).EndObject();
  return out.Take();
}

}  // namespace pactdb
