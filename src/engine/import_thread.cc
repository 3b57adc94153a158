// Import of a conversation in a provider's format, and what it has in common with a flat log: all
// of it or nothing, one commit a turn, and the last turn stays open.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/on_exit.h"
#include "base/try.h"
#include "engine/context_impl.h"
#include "engine/continuation.h"
#include "engine/entry_taker.h"
#include "providers/convert.h"
#include "text/json_doc.h"

namespace pactdb {
namespace {

// The field of the document, where the fault speaks of the node's.
Error BadMessage(ErrorCode code, const Error& fault, const providers::Entry& entry) {
  std::string message = "message ";
  message += std::to_string(entry.index);
  message += ": ";
  if (!entry.place.empty()) {
    message += entry.place;
    message += ": ";
  }
  message += fault.message();
  Error error = Error(code, std::move(message))
                    .With("index", static_cast<std::int64_t>(entry.index))
                    .With("field", entry.place)
                    .With("pos", static_cast<std::int64_t>(entry.pos));
  for (const Error::Detail& detail : fault.details()) {
    if (detail.name == "limit") error = std::move(error).With(detail.name, detail.text);
    if (detail.name == "max") error = std::move(error).With(detail.name, detail.number);
  }
  return error;
}

// The file's fault, whatever is imported.
bool IsOfStore(ErrorCode code) {
  return code == ErrorCode::kStoreIo || code == ErrorCode::kStoreCorrupt ||
         code == ErrorCode::kStoreReadonly;
}

}  // namespace

Status ContextImpl::EntryTaker::Take(providers::Entry&& entry) {
  using providers::Speaker;
  if (entry.speaker == Speaker::kUser && after_other_)
    PACTDB_TRY_STATUS(context_.SealLogTurn(savepoint_));
  if (entry.speaker != Speaker::kNeutral) after_other_ = entry.speaker == Speaker::kOther;
  NodeSpec spec;
  for (auto& [name, value] : entry.fields) spec.Set(name, std::move(value));
  const auto added =
      context_.Add(spec, {.parent = entry.is_in_sys ? "^sys" : "^ah", .mark = {}, .at = {}},
                   AttributeNames::kAny);
  ++nodes_;
  if (added) return {};
  const ErrorCode code = added.error().code();
  if (IsOfStore(code)) return std::unexpected(added.error());
  // What the caller's configuration refuses keeps its own code; everything else is a fault of what
  // is imported.
  const bool own_code = code == ErrorCode::kNotAuthorized || code == ErrorCode::kLimitExceeded;
  return std::unexpected(
      explain_(own_code ? code : ErrorCode::kImportInvalid, added.error(), entry));
}

// A turn that was sealed since is not sealed again.
void ContextImpl::EntryTaker::PassOver(const providers::Entry& entry) {
  using providers::Speaker;
  if (entry.speaker == Speaker::kNeutral) return;
  after_other_ = entry.speaker == Speaker::kOther &&
                 context_.working_.region(NodeClass::kAh).children != nullptr;
}

namespace {

class EntryList final : public providers::EntrySink {
 public:
  Status Take(providers::Entry&& entry) override {
    entries.push_back(std::move(entry));
    return {};
  }
  std::vector<providers::Entry> entries;
};

}  // namespace

Status ContextImpl::TakeNewEntries(const ReadEntries& read, EntryTaker& taker,
                                   ImportResult& result) {
  EntryList list;
  PACTDB_TRY_STATUS(read(list));
  Continuation left = FindContinuation(View(), list.entries);
  const std::size_t common = left.in_sys + left.in_turns;
  if (!left.fits && common > 0) {
    result.warnings.push_back(
        "the conversation begins as the context does, and goes on in another way: all of it is "
        "added behind what is there");
  }
  for (providers::Entry& entry : list.entries) {
    std::size_t& present = entry.is_in_sys ? left.in_sys : left.in_turns;
    if (left.fits && present > 0) {
      --present;
      ++result.skipped;
      taker.PassOver(entry);
    } else {
      PACTDB_TRY_STATUS(taker.Take(std::move(entry)));
    }
  }
  return {};
}

Result<ImportResult> ContextImpl::ImportEntries(ExplainEntry explain, const ThreadOptions& options,
                                                const ReadEntries& read) {
  Savepoint savepoint = MakeSavepoint();
  EntryTaker taker(*this, savepoint, explain);
  ImportResult result;
  is_importing_ = true;
  OnExit roll_back([&] {
    is_importing_ = false;
    RollBack(std::move(savepoint));
  });
  PACTDB_TRY_STATUS(options.continues ? TakeNewEntries(read, taker, result) : read(taker));
  if (options.seals && taker.nodes() > 0) PACTDB_TRY_STATUS(SealLogTurn(savepoint));
  roll_back.Release();
  is_importing_ = false;
  PACTDB_TRY_STATUS(Publish(std::move(savepoint)));
  TryFlushJournal();  // as after an edit
  result.cycle = open_cycle_;
  result.nodes = taker.nodes();
  return result;
}

namespace {

// JSON lines as one list. A line break is no part of a JSON string, so it may become the comma.
std::string ListOfLines(std::string_view text) {
  std::string list = "[";
  list.reserve(text.size() + 2);
  bool is_first = true;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (!is_first) list += ',';
    is_first = false;
    list += line;
  }
  return list += ']';
}

Result<JsonDoc> ParseDocumentOrLines(std::string_view text, std::string& lines) {
  auto whole = JsonDoc::ParseView(text, limits::kDocumentJsonDepthMax, ErrorCode::kImportInvalid);
  // A single line of a list: a message by itself is no document of any format.
  const bool is_one_line = whole && whole->root().is_object() && whole->root().Find("role");
  const bool may_be_lines = !whole && whole.error().code() == ErrorCode::kImportInvalid &&
                            text.find('\n') != std::string_view::npos;
  if (!is_one_line && !may_be_lines) return whole;
  lines = ListOfLines(text);
  auto list = JsonDoc::ParseView(lines, limits::kDocumentJsonDepthMax, ErrorCode::kImportInvalid);
  // A document over several lines with a fault is told as what it is.
  if (!list && !text.starts_with('{')) return whole;
  return list;
}

}  // namespace

Result<ImportResult> ContextImpl::ImportThread(std::string_view document,
                                               const ThreadOptions& options) {
  std::string lines;
  PACTDB_TRY(const JsonDoc doc, ParseDocumentOrLines(document, lines));
  if (doc.root().is_string())
    return std::unexpected(Error(ErrorCode::kImportInvalid, "a thread is a list or an object"));
  return ImportThread(doc.root(), options);
}

Result<ImportResult> ContextImpl::ImportThread(const JsonRef& document,
                                               const ThreadOptions& options) {
  // The text of a document, as it stands in a file.
  if (document.is_string()) return ImportThread(document.string(), options);
  if (options.format == "log") return ImportLog(document, options);
  const auto format = providers::ParseFormat(options.format);
  if (!format) {
    std::string known = "log, ";
    known += providers::FormatNames(false);
    return std::unexpected(UnknownFormat(options.format, known));
  }
  providers::Faults faults(options.lenient);
  PACTDB_TRY(ImportResult result,
             ImportEntries(BadMessage, options, [&](providers::EntrySink& sink) {
               return providers::ReadConversation(*format, document, faults, sink);
             }));
  std::ranges::move(faults.TakeWarnings(), std::back_inserter(result.warnings));
  return result;
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
  pending_entries_ = std::move(savepoint.pending_entries);
  journal_has_state_ = savepoint.journal_has_state;
}

Error UnknownFormat(std::string_view format, std::string_view known) {
  std::string message = "unknown format '";
  message += format;
  message += "'; there are ";
  message += known;
  return Error(ErrorCode::kRequestInvalid, std::move(message))
      .With("argument", "format")
      .With("format", format);
}

}  // namespace pactdb
