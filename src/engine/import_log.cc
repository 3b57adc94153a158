// Import of a flat log: system lines go to ^sys; a user line after one that is not user opens a new
// turn; all else joins the current core. A new turn is a full commit, and the last turn stays open.
#include "base/limits.h"
#include "base/try.h"
#include "engine/context_impl.h"
#include "engine/entry_taker.h"
#include "engine/node_reader.h"
#include "text/json_doc.h"

namespace pactdb {
namespace {

Error BadEntry(ErrorCode code, const Error& fault, const providers::Entry& entry) {
  return Error(code, "entry " + std::to_string(entry.index) + ": " + fault.message())
      .With("entry", static_cast<std::int64_t>(entry.index))
      .With("pos", static_cast<std::int64_t>(entry.pos));
}

Result<providers::Entry> ReadLogEntry(const JsonRef& line, std::size_t index) {
  providers::Entry entry;
  entry.index = index;
  entry.pos = line.pos();
  const auto role = line.is_object() ? line.Find("role") : std::nullopt;
  if (!role || !role->is_string()) {
    return std::unexpected(
        BadEntry(ErrorCode::kImportInvalid,
                 Error(ErrorCode::kImportInvalid, "a log entry is an object with a role"), entry));
  }
  entry.is_in_sys = role->string() == "system";
  if (!entry.is_in_sys)
    entry.speaker =
        role->string() == "user" ? providers::Speaker::kUser : providers::Speaker::kOther;
  bool has_kind = false;
  // Whatever else an entry says is kept, as of any import.
  for (auto field = line.begin(); field != line.end(); ++field) {
    if ((*field).key == "depth") continue;  // the tree itself says where a node is
    if ((*field).key == "children") {
      if ((*field).value.is_null() || ((*field).value.is_array() && (*field).value.size() == 0))
        continue;
      return std::unexpected(
          BadEntry(ErrorCode::kImportInvalid,
                   Error(ErrorCode::kImportInvalid, "an entry of a log has no children"), entry));
    }
    has_kind = has_kind || ((*field).key == "kind" && !(*field).value.is_null());
    entry.Set((*field).key, (*field).value.ToJson());
  }
  if (!has_kind) entry.SetWord("kind", "text");
  return entry;
}

}  // namespace

Result<ImportResult> ContextImpl::ImportLog(std::string_view log) {
  PACTDB_TRY(const JsonDoc doc,
             JsonDoc::ParseView(log, limits::kDocumentJsonDepthMax, ErrorCode::kImportInvalid));
  return ImportLog(doc.root());
}

Result<ImportResult> ContextImpl::ImportLog(const JsonRef& log, const ThreadOptions& options) {
  if (!log.is_array())
    return std::unexpected(InvalidImport("a flat log is an array of entries", log));
  return ImportEntries(BadEntry, options, [&log](providers::EntrySink& sink) -> Status {
    std::size_t index = 0;
    for (auto it = log.begin(); it != log.end(); ++it, ++index) {
      PACTDB_TRY(providers::Entry entry, ReadLogEntry((*it).value, index));
      PACTDB_TRY_STATUS(sink.Take(std::move(entry)));
    }
    return {};
  });
}

}  // namespace pactdb
