// check and fix: whether a provider would take the thread, and a commit that makes it so.
#include <set>
#include <string>
#include <vector>

#include "base/try.h"
#include "engine/context_impl.h"
#include "model/indexed.h"
#include "providers/legality.h"
#include "text/json_out.h"

namespace pactdb {
namespace {

using providers::Finding;

Result<std::optional<providers::Format>> FormatOf(const std::optional<std::string>& name) {
  if (!name) return std::nullopt;
  const auto format = providers::ParseFormat(*name);
  if (!format || !providers::CanRender(*format))
    return std::unexpected(UnknownFormat(*name, providers::FormatNames(true)));
  return format;
}

void WriteFindings(const std::vector<Finding>& findings, JsonOut& out) {
  out.Key("findings").BeginArray();
  for (const Finding& finding : findings) {
    out.BeginObject().Key("rule").String(finding.rule).Key("id").String(finding.id);
    out.Key("problem").String(finding.problem).Key("fix").String(finding.fix);
    out.Key("fixable").Bool(!finding.takes.empty()).EndObject();
  }
  out.EndArray();
}

}  // namespace

Result<std::string> ContextImpl::Check(const LegalityOptions& options) const {
  PACTDB_TRY(const auto format, FormatOf(options.format));
  std::vector<Finding> findings;
  if (!options.at || *options.at == "working") {
    PACTDB_TRY(const Prepared prepared, Preview());
    findings = providers::FindIllegal(prepared.tree.View(open_cycle_ + 1), format);
  } else {
    PACTDB_TRY(const CommitRecord* record, FindSnapshot(*options.at));
    findings = providers::FindIllegal(record->View(), format);
  }
  JsonOut out;
  out.BeginObject().Key("ok").Bool(findings.empty());
  WriteFindings(findings, out);
  out.EndObject();
  return out.Take();
}

// Takes what the findings name, with the other half of every call. False if nothing can go.
Result<bool> ContextImpl::TakeIllegal(const std::vector<Finding>& findings,
                                      std::vector<std::string>& removed) {
  std::set<NodeNumber> doomed;
  for (const Finding& finding : findings) doomed.insert(finding.takes.begin(), finding.takes.end());
  bool took_any = false;
  for (const NodeNumber number : doomed) {
    const Node* node = working_.Find(number);
    // Somebody asked for it to stay.
    if (node == nullptr || node->Has(Node::kPinned) || holds_->IsHeld(number)) continue;
    PACTDB_TRY_STATUS(CheckAuthorized(*node));
    Erase(*node, removed);
    took_any = true;
  }
  return took_any;
}

Result<std::string> ContextImpl::Fix(const std::optional<std::string>& format_name) {
  PACTDB_TRY(const auto format, FormatOf(format_name));
  PACTDB_TRY_STATUS(BeginEdit());
  Savepoint savepoint = MakeSavepoint();
  auto answer = FixWorking(format);
  if (!answer) RollBack(std::move(savepoint));
  return answer;
}

Result<std::string> ContextImpl::FixWorking(std::optional<providers::Format> format) {
  std::vector<std::string> removed;
  std::vector<Finding> findings;
  // Taking a node away can leave another without its partner, or keep one from being pruned; that
  // is found in the next round. Every round but the last takes something.
  while (true) {
    {
      PACTDB_TRY(const Prepared prepared, Preview());
      findings = providers::FindIllegal(prepared.tree.View(open_cycle_ + 1), format);
    }
    if (findings.empty()) break;
    std::vector<Finding> doomed = findings;
    working_.Summarize();
    for (Finding& finding : providers::FindIllegal(View(), format))
      doomed.push_back(std::move(finding));
    PACTDB_TRY(const bool took_any, TakeIllegal(doomed, removed));
    if (!took_any) break;
  }
  std::int64_t cycle = open_cycle_ - 1;
  if (!removed.empty()) {
    PACTDB_TRY(const CommitResult committed, Commit({}));
    cycle = committed.cycle;
  }
  JsonOut out;
  out.BeginObject().Key("cycle").Integer(cycle).Key("removed").BeginArray();
  for (const std::string& id : removed) out.String(id);
  out.EndArray();
  WriteFindings(findings, out);
  out.EndObject();
  return out.Take();
}

}  // namespace pactdb
