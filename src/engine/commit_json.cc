#include "engine/commit_json.h"

#include <array>

#include "base/limits.h"
#include "base/try.h"
#include "text/json_doc.h"
#include "text/json_out.h"

namespace pactdb {
namespace {

// The lists of an answer, in its order.
struct List {
  std::string_view name;
  std::vector<std::string> CommitResult::* ids;
};
constexpr std::array<List, 5> kLists = {{{"expired", &CommitResult::expired},
                                         {"cascaded", &CommitResult::cascaded},
                                         {"pruned", &CommitResult::pruned},
                                         {"deferred", &CommitResult::deferred},
                                         {"materialized", &CommitResult::materialized}}};

Error Damaged() {
  return {ErrorCode::kStoreCorrupt, "the stored answer of a commit is damaged"};
}

std::optional<std::string> TextOf(const JsonRef& json, std::string_view name) {
  const auto value = json.Find(name);
  if (!value || !value->is_string()) return std::nullopt;
  return std::string(value->string());
}

std::optional<std::int64_t> IntegerOf(const JsonRef& json, std::string_view name) {
  const auto value = json.Find(name);
  return value ? value->AsInt64() : std::nullopt;
}

Status ReadLists(const JsonRef& json, CommitResult& result) {
  for (const List& list : kLists) {
    const auto ids = json.Find(list.name);
    if (!ids || !ids->is_array()) return std::unexpected(Damaged());
    for (auto it = ids->begin(); it != ids->end(); ++it) {
      if (!(*it).value.is_string()) return std::unexpected(Damaged());
      (result.*list.ids).emplace_back((*it).value.string());
    }
  }
  return {};
}

Status ReadOverLimit(const JsonRef& json, CommitResult& result) {
  const auto broken = json.Find("over_limit");
  if (!broken) return {};
  if (!broken->is_array()) return std::unexpected(Damaged());
  for (auto it = broken->begin(); it != broken->end(); ++it) {
    const JsonRef entry = (*it).value;
    if (!entry.is_object()) return std::unexpected(Damaged());
    const auto limit = TextOf(entry, "limit");
    const auto max = IntegerOf(entry, "max");
    const auto actual = IntegerOf(entry, "actual");
    if (!limit || !max || !actual) return std::unexpected(Damaged());
    result.over_limit.push_back({*limit, *max, *actual});
  }
  return {};
}

}  // namespace

void WriteCommitLists(const CommitResult& commit, JsonOut& out) {
  for (const List& list : kLists) {
    out.Key(list.name).BeginArray();
    for (const std::string& id : commit.*list.ids) out.String(id);
    out.EndArray();
  }
}

void WriteOverLimit(const CommitResult& commit, JsonOut& out) {
  if (commit.over_limit.empty()) return;
  out.Key("over_limit").BeginArray();
  for (const BrokenLimit& broken : commit.over_limit) {
    out.BeginObject();
    out.Key("limit").String(broken.limit);
    out.Key("max").Integer(broken.max);
    out.Key("actual").Integer(broken.actual);
    out.EndObject();
  }
  out.EndArray();
}

std::string CommitJson(const CommitResult& commit) {
  JsonOut out;
  out.BeginObject();
  out.Key("cycle").Integer(commit.cycle);
  out.Key("sealed").String(commit.sealed);
  out.Key("durable").Bool(commit.durable);
  WriteCommitLists(commit, out);
  if (commit.thread_sha256) out.Key("thread_sha256").String(*commit.thread_sha256);
  out.Key("tree_sha256").String(commit.tree_sha256);
  WriteOverLimit(commit, out);
  out.EndObject();
  return out.Take();
}

Result<CommitResult> ParseCommitJson(std::string_view json) {
  PACTDB_TRY(const JsonDoc doc,
             JsonDoc::ParseView(json, limits::kDocumentJsonDepthMax, ErrorCode::kStoreCorrupt));
  const JsonRef root = doc.root();
  if (!root.is_object()) return std::unexpected(Damaged());
  CommitResult result;
  const auto cycle = IntegerOf(root, "cycle");
  const auto sealed = TextOf(root, "sealed");
  const auto tree = TextOf(root, "tree_sha256");
  const auto durable = root.Find("durable");
  if (!cycle || !sealed || !tree || !durable || durable->kind() != Json::Kind::kBool)
    return std::unexpected(Damaged());
  result.cycle = *cycle;
  result.sealed = *sealed;
  result.tree_sha256 = *tree;
  result.durable = durable->boolean();
  result.thread_sha256 = TextOf(root, "thread_sha256");
  PACTDB_TRY_STATUS(ReadLists(root, result));
  PACTDB_TRY_STATUS(ReadOverLimit(root, result));
  return result;
}

}  // namespace pactdb
