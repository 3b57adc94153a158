// Import of a snapshot document, and of a history that came as one document.
//
// The tree is read aside (engine/tree_reader.h); nothing touches the context until all of it
// stands.
#include <optional>
#include <string>

#include "base/limits.h"
#include "base/try.h"
#include "engine/context_impl.h"
#include "engine/export_info.h"
#include "engine/history_reader.h"
#include "engine/tree_reader.h"
#include "text/json_doc.h"

namespace pactdb {

Result<std::int64_t> ContextImpl::ReadCycle(const std::optional<JsonRef>& cycle) const {
  if (!cycle || cycle->is_null()) return open_cycle_;
  const auto value = cycle->AsInt64();
  if (value && *value >= open_cycle_ && *value < limits::kCycleMax) return *value;
  const bool is_too_late = value && *value >= limits::kCycleMax;
  return std::unexpected(InvalidImport(
      is_too_late
          ? "cycle must be below " + std::to_string(limits::kCycleMax)
          : "cycle must be an integer not below the open cycle " + std::to_string(open_cycle_),
      *cycle));
}

Result<ImportResult> ContextImpl::ImportSnapshot(std::string_view document, bool strict) {
  PACTDB_TRY(const JsonDoc doc, JsonDoc::ParseView(document, limits::kDocumentJsonDepthMax,
                                                   ErrorCode::kImportInvalid));
  return ImportSnapshot(doc.root(), strict);
}

Result<ImportResult> ContextImpl::ImportSnapshot(const JsonRef& document, bool strict) {
  PACTDB_TRY(const ExportInfo info, ExportInfo::Read(document, options_.dialect));
  if (info.kind == ExportInfo::Kind::kHistory) return ImportHistory(document, info, strict);
  const auto root = document.Find("root");
  if (!root) return std::unexpected(InvalidImport("the document has no root", document));
  PACTDB_TRY(const std::int64_t cycle, ReadCycle(document.Find("cycle")));
  Complaints complaints(strict);
  TreeReader reader(*lexicon_,
                    {.nodes = {.dialect = info.dialect, .now = cycle + (info.is_working ? 0 : 1)},
                     .is_export = info.is_export()},
                    complaints);
  if (info.notes) PACTDB_TRY_STATUS(reader.SetNotes(*info.notes));
  PACTDB_TRY(Ref<Container> tree_root, reader.Read(*root));
  child_list::Refresh(*tree_root, *lexicon_);
  if (info.tree_sha256 && ToHex(tree_root->digest) != info.tree_sha256->string()) {
    PACTDB_TRY_STATUS(
        complaints.Add("the tree is not the one whose tree_sha256 the document states", *root));
  }
  if (info.warning) complaints.Warn(*info.warning);
  ImportResult result{.cycle = cycle, .nodes = reader.nodes(), .warnings = complaints.Take()};
  auto record = std::make_unique<CommitRecord>();
  record->cycle = cycle;
  if (auto iso = reader.newest_turn_iso()) {
    record->notes = std::make_unique<const CommitNotes>(
        CommitNotes{.imported_iso = std::move(iso), .departures = {}});
  }
  Savepoint savepoint = MakeSavepoint();
  savepoint.commits.push_back(
      AppendImported(std::move(tree_root), reader.with_attributes(), std::move(record)));
  PACTDB_TRY_STATUS(Publish(std::move(savepoint)));
  return result;
}

std::vector<NodeNumber> ContextImpl::AppendImported(Ref<Container> root,
                                                    std::span<const Node* const> indexed,
                                                    std::unique_ptr<CommitRecord> record) {
  const CommitRecord* before = history_->last();
  WorkingTree tree(lexicon_, std::move(root), before == nullptr ? nullptr : before->root.get(),
                   before == nullptr ? kNever : before->ordinal);
  for (const Node* node : indexed) NotePostings(*node);
  return Append(std::move(tree), std::move(record));
}

}  // namespace pactdb
