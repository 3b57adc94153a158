#include "engine/file_operations.h"

#include <pactdb/database.h>

#include <vector>

#include "base/try.h"
#include "engine/retention_rules.h"
#include "text/canonical.h"
#include "text/json_out.h"

namespace pactdb {

std::string RetentionJson(const RetentionRequest& request, const RetentionResult& result) {
  JsonOut out;
  out.BeginObject();
  out.Key("snapshots").Integer(result.snapshots);
  out.Key("bytes").Integer(static_cast<std::int64_t>(result.bytes));
  if (!result.is_compacted) out.Key("compacted").Bool(false);
  // One context that is told its rules knows both.
  if (!request.context || !request.rules) {
    out.Key("contexts").BeginArray();
    for (const RetentionResult::Share& share : result.contexts) {
      out.BeginObject().Key("name").String(share.context);
      out.Key("snapshots").Integer(share.snapshots);
      WriteRetention(share.rules, out.Key("retention"));
      out.EndObject();
    }
    out.EndArray();
  }
  out.EndObject();
  return out.Take();
}

Result<std::string> RunGc(ContextImpl& /*context*/, const Request& request) {
  RetentionRequest retention{.context = std::string(request.context()),
                             .rules = RulesOf(request),
                             .dry_run = request.Bool("dry_run", false)};
  if (request.Bool("all", false)) retention.context.reset();
  PACTDB_TRY(const RetentionResult result, request.database().Gc(retention));
  return RetentionJson(retention, result);
}

Result<std::string> RunBackup(ContextImpl& /*context*/, const Request& request) {
  const std::string to = request.Required("to");
  PACTDB_TRY_STATUS(request.database().Backup(to));
  JsonOut out;
  out.BeginObject().Key("to").String(to).EndObject();
  return out.Take();
}

Result<std::string> RunVerify(ContextImpl& context, const Request& request) {
  std::vector<std::string> problems;
  if (request.database().is_file()) {
    PACTDB_TRY(problems, request.database().Verify());
  } else {
    problems = context.FindProblems().problems;
  }
  JsonOut out;
  out.BeginObject();
  out.Key("ok").Bool(problems.empty());
  out.Key("problems").BeginArray();
  for (const std::string& problem : problems) out.String(problem);
  out.EndArray().EndObject();
  return out.Take();
}

Result<std::string> RunStats(ContextImpl& context, const Request& request) {
  std::string stats = context.Stats();
  if (!request.database().is_file()) return stats;
  PACTDB_TRY(const FileStats file, request.database().Stats());
  JsonOut out;
  out.BeginObject();
  out.Key("path").String(ReplaceInvalidUtf8(file.path));
  out.Key("bytes").Integer(static_cast<std::int64_t>(file.bytes));
  out.Key("free_bytes").Integer(static_cast<std::int64_t>(file.free_bytes));
  out.Key("contexts").Integer(static_cast<std::int64_t>(file.contexts));
  out.Key("commits").Integer(static_cast<std::int64_t>(file.commits));
  out.Key("contents").Integer(static_cast<std::int64_t>(file.contents));
  out.Key("content_bytes").Integer(static_cast<std::int64_t>(file.content_bytes));
  out.Key("content_stored_bytes").Integer(static_cast<std::int64_t>(file.content_stored_bytes));
  out.EndObject();
  stats.pop_back();  // the brace of the object that goes on
  stats += ",\"file\":";
  stats += out.Take();
  stats += '}';
  return stats;
}

}  // namespace pactdb
