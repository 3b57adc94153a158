// A snapshot is written as the nested document that any reader of the specification takes, and
// after it what its fields cannot say. A history is written as what changed from commit to commit:
// the nodes that the two trees do not share, less the containers that are new only because
// something below them is.
#include "engine/export.h"

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/try.h"
#include "engine/departures.h"
#include "engine/names.h"
#include "model/unshared.h"

namespace pactdb {
namespace {

// What is collected before the sink gets it.
constexpr std::size_t kPieceBytes = std::size_t{1} << 16;
// A commit longer than this goes on in another part, so that a reader need not hold it whole.
constexpr std::size_t kPartBytes = std::size_t{1} << 20;

Error NotWritten() {
  return Error(ErrorCode::kStoreIo, "the export could not be written");
}

Status Flush(JsonOut& out, ByteSink& sink) {
  return out.Drain(sink) ? Status() : std::unexpected(NotWritten());
}

Status FlushPieces(JsonOut& out, ByteSink& sink) {
  return out.text().size() < kPieceBytes ? Status() : Flush(out, sink);
}

// Every field of the node but its children.
void WriteFields(const TreeView& view, const Node& node, JsonOut& out) {
  if (node.Has(Node::kHasId)) out.Key("id").String(view.id(node));
  if (node.Has(Node::kHasType)) out.Key("nodeType").Raw(view.lexicon->word_json(node.type));
  if (node.Has(Node::kHasOffset)) out.Key("offset").Integer(node.offset);
  if (node.has_ttl()) {
    out.Key("ttl").Integer(ShownTtl(node, view.now));
  } else if (node.Has(Node::kHasTtl)) {
    out.Key("ttl").Null();
  }
  if (node.Has(Node::kHasPriority)) out.Key("priority").Integer(node.priority);
  if (node.Has(Node::kHasCycle)) out.Key("cycle").Integer(node.cycle);
  if (node.Has(Node::kHasCreatedNs)) out.Key("created_at_ns").Integer(node.created_at_ns);
  if (node.Has(Node::kHasCreatedIso)) {
    out.Key("created_at_iso");
    if (const auto iso = node.Find("created_at_iso")) {
      out.Raw(*iso);
    } else {
      out.String(FormatIso(node.created_at_ns));
    }
  }
  if (node.Has(Node::kHasCreationIndex)) out.Key("creation_index").Integer(node.creation_index);
  if (node.role != kNoWord) out.Key("role").Raw(view.lexicon->word_json(node.role));
  if (node.kind != kNoWord) out.Key("kind").Raw(view.lexicon->word_json(node.kind));
  if (const auto content = node.content()) out.Key("content").Raw(*content);
  if (node.Has(Node::kHasRemovable)) out.Key("removable").Bool(node.Has(Node::kRemovable));
  if (node.Has(Node::kPinned)) out.Key("pinned").Bool(true);
  if (node.body == nullptr) return;
  node.body->ForEach([&out](const Attribute& attribute) {
    if (attribute.name != "created_at_iso") out.AnyKey(attribute.name).Raw(attribute.value);
  });
}

bool ShowsDefaultType(const TreeView& view, const Node& node, Dialect dialect) {
  return node.Has(Node::kHasType) || node.is_fixed() ||
         view.lexicon->word(node.type) == TypeName(node.node_class(), dialect);
}

// Writes what the fields cannot say; nothing for almost every node. `is_nested`: children follow in
// the node's own object.
bool HasNote(const TreeView& view, const Node& node, Dialect dialect, bool is_nested) {
  const Container* container = node.AsContainer();
  return (node.has_ttl() && node.expiry < static_cast<std::uint64_t>(view.now)) ||
         node.Has(Node::kListed) || !ShowsDefaultType(view, node, dialect) ||
         (is_nested && container != nullptr && container->children != nullptr &&
          !node.Has(Node::kHasChildren));
}

void WriteNote(const TreeView& view, const Node& node, Dialect dialect, bool is_nested,
               JsonOut& out) {
  out.BeginObject();
  if (node.has_ttl() && node.expiry < static_cast<std::uint64_t>(view.now))
    out.Key("overdue").Integer(view.now - static_cast<std::int64_t>(node.expiry));
  if (node.Has(Node::kListed)) out.Key("place").Integer(node.created_at_ns);
  if (!ShowsDefaultType(view, node, dialect))
    out.Key("shown_type").Raw(view.lexicon->word_json(node.type));
  if (is_nested && !node.Has(Node::kHasChildren) && node.AsContainer() != nullptr &&
      node.AsContainer()->children != nullptr)
    out.Key("lists_children").Bool(false);
  out.EndObject();
}

void WriteVersion(std::string_view kind, Dialect dialect, JsonOut& out) {
  out.Key("export").Integer(kExportVersion);
  out.Key("kind").String(kind);
  out.Key("dialect").String(Name(dialect));
}

// --- a snapshot ---

// Nodes with a note are gathered into `noted` on the way.
Status WriteNested(const TreeView& view, Dialect dialect, std::vector<const Node*>& noted,
                   JsonOut& out, ByteSink& sink) {
  std::vector<ChildCursor> stack;  // one cursor a level that is being listed
  const auto open = [&](const Node& node) {
    out.BeginObject();
    WriteFields(view, node, out);
    if (HasNote(view, node, dialect, /*is_nested=*/true)) noted.push_back(&node);
    const Container* container = node.AsContainer();
    const bool has_children = container != nullptr && container->children != nullptr;
    if (!has_children) {
      if (node.Has(Node::kHasChildren)) out.Key("children").BeginArray().EndArray();
      out.EndObject();
      return;
    }
    out.Key("children").BeginArray();
    stack.emplace_back(*container);
  };
  open(*view.root);
  while (!stack.empty()) {
    PACTDB_TRY_STATUS(FlushPieces(out, sink));
    const Node* node = stack.back().get();
    if (node == nullptr) {
      stack.pop_back();
      out.EndArray().EndObject();
      continue;
    }
    stack.back().Next();  // before open(), which may move the stack
    open(*node);
  }
  return {};
}

// --- a history ---

class HistoryWriter {
 public:
  HistoryWriter(Dialect dialect, HistoryForm form, ByteSink& sink)
      : dialect_(dialect), form_(form), sink_(sink) {}

  Status Write(const History& history, std::size_t commits) {
    out_.BeginObject();
    out_.Key("spec_version").String(kSpecVersion);
    out_.Key("cycle");
    if (commits > 0) {
      out_.Integer(history.at(commits - 1).cycle);
    } else {
      out_.Null();
    }
    out_.Key("pactdb").BeginObject();
    WriteVersion("history", dialect_, out_);
    out_.Key("commits").Integer(static_cast<std::int64_t>(commits));
    out_.EndObject();
    if (form_ == HistoryForm::kDocument) {
      out_.Key("commits").BeginArray();
    } else {
      PACTDB_TRY_STATUS(EndPart());
    }
    for (std::size_t i = 0; i < commits; ++i)
      PACTDB_TRY_STATUS(WriteCommit(history.at(i), i == 0 ? nullptr : &history.at(i - 1),
                                    history.tags().Of(static_cast<Ordinal>(i))));
    if (form_ == HistoryForm::kDocument) out_.EndArray().EndObject();
    return Flush(out_, sink_);
  }

 private:
  // Closes the header or a part of a commit.
  Status EndPart() {
    out_.EndObject();
    PACTDB_TRY_STATUS(Flush(out_, sink_));
    if (form_ == HistoryForm::kDocument) return {};
    out_ = JsonOut();
    return sink_.Write("\n") ? Status() : std::unexpected(NotWritten());
  }

  // An import is written whole, though it came after something: it was made of nothing before it.
  Status WriteCommit(const CommitRecord& record, const CommitRecord* before,
                     const std::vector<std::string>& tags) {
    const bool is_whole = before == nullptr || record.sealed == kNoNode;
    out_.BeginObject();
    out_.Key("cycle").Integer(record.cycle);
    if (is_whole) out_.Key("whole").Bool(true);
    if (record.sealed != kNoNode) out_.Key("sealed").String(record.lexicon->id(record.sealed));
    if (record.notes && !record.notes->departures.empty()) {
      out_.Key("taken");
      WriteDepartures(record, out_);
    }
    if (!tags.empty()) {
      out_.Key("tags").BeginArray();
      for (const std::string& tag : tags) out_.String(tag);
      out_.EndArray();
    }
    const TreeView view = record.View();
    if (is_whole) {
      out_.Key("set").BeginArray();
      for (PreorderCursor node(*record.root); node.get() != nullptr; node.Next())
        PACTDB_TRY_STATUS(WriteNode(view, *node.get(), record.cycle));
    } else {
      PACTDB_TRY_STATUS(WriteChanges(record, *before));
    }
    out_.EndArray();
    out_.Key("tree_sha256").String(ToHex(record.root->digest));
    return EndPart();
  }

  Status WriteChanges(const CommitRecord& record, const CommitRecord& before) {
    const Unshared unshared = FindUnshared(*before.root, *record.root, *record.lexicon);
    bool any_removed = false;
    for (const Node* node : unshared.older) {
      if (record.Find(node->number) != nullptr) continue;
      if (!any_removed) out_.Key("removed").BeginArray();
      any_removed = true;
      out_.String(record.lexicon->id(node->number));
    }
    if (any_removed) out_.EndArray();
    out_.Key("set").BeginArray();
    const TreeView view = record.View();
    for (const Node* node : unshared.newer) {
      const Node* old = before.Find(node->number);
      if (old != nullptr && SameVersion(*old, *node, *record.lexicon)) continue;
      PACTDB_TRY_STATUS(WriteNode(view, *node, record.cycle));
    }
    return {};
  }

  Status WriteNode(const TreeView& view, const Node& node, std::int64_t cycle) {
    if (out_.text().size() >= kPartBytes) {
      out_.EndArray().Key("more").Bool(true);
      PACTDB_TRY_STATUS(EndPart());
      out_.BeginObject().Key("cycle").Integer(cycle).Key("set").BeginArray();
    }
    out_.BeginObject();
    if (node.parent != kNoNode) out_.Key("parent").String(view.lexicon->id(node.parent));
    out_.Key("node").BeginObject();
    WriteFields(view, node, out_);
    if (node.Has(Node::kHasChildren)) out_.Key("children").BeginArray().EndArray();
    out_.EndObject();
    if (HasNote(view, node, dialect_, /*is_nested=*/false)) {
      out_.Key("note");
      WriteNote(view, node, dialect_, /*is_nested=*/false, out_);
    }
    out_.EndObject();
    return {};
  }

  Dialect dialect_;
  HistoryForm form_;
  ByteSink& sink_;
  JsonOut out_;
};

}  // namespace

Status WriteSnapshotExport(const TreeView& view, std::int64_t cycle, bool is_working,
                           Dialect dialect, ByteSink& sink) {
  JsonOut out;
  out.BeginObject();
  out.Key("spec_version").String(kSpecVersion);
  out.Key("cycle").Integer(cycle);
  out.Key("root");
  std::vector<const Node*> noted;
  PACTDB_TRY_STATUS(WriteNested(view, dialect, noted, out, sink));
  out.Key("pactdb").BeginObject();
  WriteVersion("snapshot", dialect, out);
  if (is_working) out.Key("state").String("working");
  out.Key("tree_sha256").String(ToHex(view.root->digest));
  if (!noted.empty()) {
    out.Key("notes").BeginObject();
    for (const Node* node : noted) {
      out.AnyKey(view.id(*node));
      WriteNote(view, *node, dialect, /*is_nested=*/true, out);
      PACTDB_TRY_STATUS(FlushPieces(out, sink));
    }
    out.EndObject();
  }
  out.EndObject().EndObject();
  return Flush(out, sink);
}

Status WriteHistoryExport(const History& history, std::size_t commits, Dialect dialect,
                          HistoryForm form, ByteSink& sink) {
  return HistoryWriter(dialect, form, sink).Write(history, commits);
}

}  // namespace pactdb
