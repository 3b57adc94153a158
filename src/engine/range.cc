// Method: snapshots are taken newest first, each pair is compared by a Selection, and the answer is
// written as it comes. `from` of a block is the newer snapshot.
#include "engine/range.h"

#include <algorithm>
#include <array>

#include "base/limits.h"
#include "base/try.h"
#include "engine/context_impl.h"
#include "engine/node_json.h"
#include "engine/request.h"

namespace pactdb {
namespace {

constexpr std::array<std::string_view, 4> kMaterial = {"content", "mime", "encoding",
                                                       "content_hash"};

void WriteRef(const SnapshotRef& ref, JsonOut& out) {
  out.BeginObject();
  out.Key("kind").String(std::string_view(&ref.kind, 1));
  out.Key("value").Integer(ref.value);
  out.Key("label").String(ref.Label());
  out.Key("cycle").Integer(ref.record->cycle);
  out.EndObject();
}

template <typename Texts>
void WriteTexts(std::string_view key, const Texts& texts, std::size_t count, JsonOut& out) {
  out.Key(key).BeginArray();
  for (std::size_t i = 0; i < count; ++i) out.String(texts[i]);
  out.EndArray();
}

std::vector<std::string> IdsOf(const std::vector<const Node*>& nodes, const TreeView& view) {
  std::vector<std::string> ids;
  ids.reserve(nodes.size());
  for (const Node* node : nodes) ids.emplace_back(view.id(*node));
  return ids;
}

std::string FieldValue(const TreeView& view, const Node& node, std::string_view field) {
  JsonOut out;
  WriteFieldValue(view, node, field, out);
  return out.Take();
}

bool IsScalar(std::string_view json) {
  return !json.starts_with('{') && !json.starts_with('[');
}

Status CheckNotNegative(std::string_view name, std::optional<std::int64_t> number) {
  if (!number || *number >= 0) return {};
  return std::unexpected(InvalidArgument(name, std::string(name) + " must not be negative"));
}

}  // namespace

Status CheckRangeOptions(const RangeOptions& options) {
  if (!diff::ParseContentMode(options.content_mode)) {
    return std::unexpected(
        InvalidArgument("contentMode", "contentMode must be unified, jsonpatch or tokens"));
  }
  PACTDB_TRY_STATUS(CheckNotNegative("contextLines", options.context_lines));
  for (const std::string& field : options.materialize) {
    if (std::ranges::find(kMaterial, field) != kMaterial.end()) continue;
    return std::unexpected(InvalidArgument(
        "materialize", "materialize lists content, mime, encoding and content_hash"));
  }
  PACTDB_TRY_STATUS(CheckNotNegative("maxSnapshots", options.max_snapshots));
  return CheckNotNegative("maxChangesPerSnapshot", options.max_changes_per_snapshot);
}

RangeWriter::RangeWriter(const RangeScope& scope, const Selector& selector, const Selector* where,
                         const RangeOptions& options)
    : scope_(scope),
      selector_(selector),
      options_(options),
      selection_(&selector, where, selector.dialect()),
      contents_(*diff::ParseContentMode(options.content_mode),
                static_cast<std::size_t>(options.context_lines), limits::kRangeContentBytesMax),
      is_truncated_(scope.is_cut) {}

Result<std::string> RangeWriter::Write() {
  out_.BeginObject();
  out_.Key("query").String(selector_.text());
  out_.Key("snapshots").BeginArray();
  for (const SnapshotRef& ref : scope_.snapshots) WriteRef(ref, out_);
  out_.EndArray();
  out_.Key("diffs").BeginArray();
  PACTDB_TRY_STATUS(WriteBlocks());
  out_.EndArray();
  out_.Key("mode").String("pairwise");
  WriteEnd();
  out_.EndObject();
  return out_.Take();
}

Status RangeWriter::WriteBlocks() {
  const std::vector<SnapshotRef>& snapshots = scope_.snapshots;
  if (snapshots.size() < 2) return {};
  if (selector_.impl().ast.controls.mode == select::RangeMode::kReduce)
    return WriteBlock(snapshots.front(), snapshots.back());
  for (std::size_t i = 1; i < snapshots.size(); ++i)
    PACTDB_TRY_STATUS(WriteBlock(snapshots[i - 1], snapshots[i]));
  return {};
}

Status RangeWriter::WriteBlock(const SnapshotRef& newer, const SnapshotRef& older) {
  const TreeView from = newer.record->View();
  const TreeView to = older.record->View();
  PACTDB_TRY(TreeDiff diff, selection_.Compare(to, from));
  if (selector_.impl().ast.controls.mode == select::RangeMode::kLatest) DropReported(diff);
  const std::vector<std::string> added = IdsOf(diff.added, from);
  std::vector<std::string> removed = IdsOf(diff.removed, to);
  std::ranges::sort(removed);

  const auto max = options_.max_changes_per_snapshot;
  room_ = max ? static_cast<std::size_t>(*max) : SIZE_MAX;
  out_.BeginObject();
  out_.Key("from");
  WriteRef(newer, out_);
  out_.Key("to");
  WriteRef(older, out_);
  WriteTexts("added_ids", added, Take(added.size()), out_);
  WriteTexts("removed_ids", removed, Take(removed.size()), out_);
  out_.Key("changed").BeginArray();
  const std::size_t changed = Take(diff.changed.size());
  for (std::size_t i = 0; i < changed; ++i) WriteChanged(diff.changed[i], newer, older);
  out_.EndArray();
  out_.Key("stats").BeginObject();
  out_.Key("added").Integer(static_cast<std::int64_t>(added.size()));
  out_.Key("removed").Integer(static_cast<std::int64_t>(removed.size()));
  out_.Key("changed").Integer(static_cast<std::int64_t>(diff.changed.size()));
  out_.EndObject().EndObject();
  return {};
}

void RangeWriter::DropReported(TreeDiff& diff) {
  const auto is_reported = [this](const Node* node) { return reported_.Contains(node->number); };
  std::erase_if(diff.added, is_reported);
  std::erase_if(diff.removed, is_reported);
  std::erase_if(diff.changed, [&](const NodeChange& change) { return is_reported(change.after); });
  for (const Node* node : diff.added) reported_.Set(node->number, node);
  for (const Node* node : diff.removed) reported_.Set(node->number, node);
  for (const NodeChange& change : diff.changed) reported_.Set(change.after->number, change.after);
}

std::size_t RangeWriter::Take(std::size_t count) {
  const std::size_t taken = std::min(count, room_);
  if (taken < count) is_truncated_ = true;
  room_ -= taken;
  return taken;
}

void RangeWriter::WriteChanged(const NodeChange& change, const SnapshotRef& newer,
                               const SnapshotRef& older) {
  const TreeView from = newer.record->View();
  const TreeView to = older.record->View();
  const std::string id(from.id(*change.after));
  const std::vector<std::string> fields = ChangedFields(change, to, from);
  out_.BeginObject().Key("id").String(id);
  WriteTexts("fields", fields, fields.size(), out_);
  out_.Key("delta").BeginObject();
  for (const std::string& field : fields) {
    const std::string now = FieldValue(from, *change.after, field);
    const std::string old = FieldValue(to, *change.before, field);
    if (!IsScalar(now) || !IsScalar(old)) continue;
    out_.AnyKey(field).BeginObject().Key("from").Raw(now).Key("to").Raw(old).EndObject();
  }
  out_.EndObject();
  if (std::ranges::find(fields, "content_hash") != fields.end()) {
    if (options_.include_content) {
      out_.Key("content_diff");
      contents_.Write({.id = id, .mime = change.after->Find("mime")},
                      {.content = change.before->content(), .snapshot = older.Label()},
                      {.content = change.after->content(), .snapshot = newer.Label()}, out_);
    }
    if (!options_.materialize.empty()) WriteMaterialized(change, from, to);
  }
  out_.EndObject();
}

void RangeWriter::WriteMaterialized(const NodeChange& change, const TreeView& newer,
                                    const TreeView& older) {
  const auto write = [this](std::string_view key, const TreeView& view, const Node& node) {
    out_.Key(key).BeginObject();
    for (const std::string_view field : kMaterial) {
      if (std::ranges::find(options_.materialize, field) == options_.materialize.end()) continue;
      const std::string value = FieldValue(view, node, field);
      if (contents_.Spend(value.size())) out_.Key(field).Raw(value);
    }
    out_.EndObject();
  };
  out_.Key("materialized").BeginObject();
  write("from", newer, *change.after);
  write("to", older, *change.before);
  out_.EndObject();
}

void RangeWriter::WriteEnd() {
  std::vector<std::string> warnings = scope_.warnings;
  if (contents_.is_truncated()) {
    is_truncated_ = true;
    warnings.push_back("contents are left out: the range compares " +
                       std::to_string(limits::kRangeContentBytesMax) + " bytes of them, each " +
                       std::to_string(limits::kContentBytesMax) + " bytes when indented");
  }
  if (options_.max_snapshots || options_.max_changes_per_snapshot || is_truncated_) {
    out_.Key("limits").BeginObject();
    if (options_.max_snapshots) out_.Key("maxSnapshots").Integer(*options_.max_snapshots);
    if (options_.max_changes_per_snapshot)
      out_.Key("maxChangesPerSnapshot").Integer(*options_.max_changes_per_snapshot);
    out_.Key("truncated").Bool(is_truncated_);
    out_.EndObject();
  }
  if (!warnings.empty()) WriteTexts("warnings", warnings, warnings.size(), out_);
  if (!scope_.is_cut) return;
  out_.Key("errors").BeginArray().BeginObject();
  out_.Key("code").String(WireName(ErrorCode::kSnapshotRangeLimit));
  out_.Key("message").String(Meaning(ErrorCode::kSnapshotRangeLimit));
  out_.Key("fatal").Bool(false);
  out_.EndObject().EndArray();
}

Result<std::string> ContextImpl::SelectRange(std::string_view text, const SelectOptions& options,
                                             const RangeOptions& range) const {
  PACTDB_TRY(const Selector selector,
             Selector::Parse(text, options.dialect.value_or(options_.dialect)));
  return SelectRange(selector, options, range);
}

Result<std::string> ContextImpl::SelectRange(const Selector& selector, const SelectOptions& options,
                                             const RangeOptions& range) const {
  PACTDB_TRY(const std::optional<Selector> where, ParseWhere(selector, options));
  PACTDB_TRY_STATUS(CheckRangeOptions(range));
  PACTDB_TRY_STATUS(CheckOneTime(selector, options));
  const select::Time& time = selector.impl().ast.time;
  if (time.kind != select::Time::Kind::kRange)
    return std::unexpected(InvalidArgument("selector", "the selector names no range of snapshots"));
  if (history_->size() == 0) {
    return std::unexpected(Error(ErrorCode::kSnapshotNotFound, "nothing was committed yet"));
  }
  history_->DropFar();
  PACTDB_TRY(const RangeScope scope, ExpandRange(*history_, time, range.max_snapshots));
  return RangeWriter(scope, selector, where ? &*where : nullptr, range).Write();
}

}  // namespace pactdb
