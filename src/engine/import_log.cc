// Import of a flat log: system lines go to ^sys; a user line after one that is not user opens a new
// turn; all else joins the current core. A new turn is a full commit, and the last turn stays open.
//
// The log is all or nothing. Commits made on the way are appended to the history but not published;
// if a later line is bad they are taken back.
#include "base/limits.h"
#include "base/try.h"
#include "engine/context_impl.h"
#include "engine/node_reader.h"
#include "text/json_doc.h"

namespace pactdb {
namespace {

Error BadEntry(const Error& fault, std::size_t index, const JsonRef& entry) {
  // What the caller's configuration refuses keeps its own code; everything else is a fault of the
  // log.
  const bool own_code = fault.code() == ErrorCode::kNotAuthorized ||
                        fault.code() == ErrorCode::kLimitExceeded ||
                        fault.code() == ErrorCode::kCoreExists;
  return Error(own_code ? fault.code() : ErrorCode::kImportInvalid,
               "entry " + std::to_string(index) + ": " + fault.message())
      .With("entry", static_cast<std::int64_t>(index))
      .With("pos", static_cast<std::int64_t>(entry.pos()));
}

}  // namespace

Result<ImportResult> ContextImpl::ImportLog(std::string_view log) {
  PACTDB_TRY(const JsonDoc doc,
             JsonDoc::ParseView(log, limits::kDocumentJsonDepthMax, ErrorCode::kImportInvalid));
  return ImportLog(doc.root());
}

Result<ImportResult> ContextImpl::ImportLog(const JsonRef& log) {
  if (!log.is_array())
    return std::unexpected(InvalidImport("a flat log is an array of entries", log));
  Savepoint savepoint = MakeSavepoint();
  is_importing_ = true;
  Status added = AddLogEntries(log, savepoint);
  is_importing_ = false;
  if (!added) {
    RollBack(std::move(savepoint));
    return std::unexpected(std::move(added).error());
  }
  PACTDB_TRY_STATUS(Publish(std::move(savepoint)));
  (void)FlushJournal();  // as after an edit
  return ImportResult{
      .cycle = open_cycle_, .nodes = static_cast<std::int64_t>(log.size()), .warnings = {}};
}

Status ContextImpl::AddLogEntries(const JsonRef& log, Savepoint& savepoint) {
  bool after_other = false;  // the line before, system lines apart, was not user
  std::size_t index = 0;
  for (auto it = log.begin(); it != log.end(); ++it, ++index) {
    const JsonRef entry = (*it).value;
    const auto role = entry.is_object() ? entry.Find("role") : std::nullopt;
    if (!role || !role->is_string()) {
      return std::unexpected(BadEntry(
          Error(ErrorCode::kImportInvalid, "a log entry is an object with a role"), index, entry));
    }
    const bool is_system = role->string() == "system";
    const bool is_user = role->string() == "user";
    if (is_user && after_other) {
      if (Status sealed = SealLogTurn(savepoint); !sealed) return sealed;
    }
    if (!is_system) after_other = !is_user;
    NodeSpec spec;
    bool has_kind = false;
    for (auto field = entry.begin(); field != entry.end(); ++field) {
      has_kind = has_kind || ((*field).key == "kind" && !(*field).value.is_null());
      spec.Set((*field).key, (*field).value.ToJson());
    }
    if (!has_kind) spec.Kind("text");
    // Whatever else an entry says is kept, as of any import.
    const auto added = Add(spec, {.parent = is_system ? "^sys" : "^ah", .mark = std::nullopt},
                           AttributeNames::kAny);
    if (!added) return std::unexpected(BadEntry(added.error(), index, entry));
  }
  return {};
}

Status ContextImpl::SealLogTurn(Savepoint& savepoint) {
  PACTDB_TRY(Prepared prepared, PrepareCommit(stamper_));
  savepoint.commits.push_back(AppendPrepared(std::move(prepared)));
  return {};
}

void ContextImpl::RollBack(Savepoint&& savepoint) {
  for (auto commit = savepoint.commits.rbegin(); commit != savepoint.commits.rend(); ++commit) {
    const CommitRecord& record = *history_->last();
    for (const NodeNumber number : *commit) {
      const bool was_removal = record.Find(number) == nullptr;
      lexicon_->DropVersion(number);
      if (was_removal) NotePostings(*lexicon_->VersionAt(number, record.ordinal));
    }
    history_->DropLast();
  }
  working_ = savepoint.working;
  open_cycle_ = savepoint.open_cycle;
  stamper_ = std::move(savepoint.stamper);
  made_in_cycle_ = savepoint.made_in_cycle;
  pending_entries_.clear();
  journal_has_state_ = savepoint.journal_has_state;
}

}  // namespace pactdb
