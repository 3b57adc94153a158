// Method of the details: whatever came, went, or changed its parent or a field that siblings are
// ordered by, is given with its position in its list. Taken out at the old positions and put in at
// the new ones, lowest first, these turn the one tree into the other without knowing the order of
// siblings (diff/apply.cc does).
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "engine/diff.h"
#include "engine/node_json.h"

namespace pactdb {
namespace {

using Ids = std::vector<std::string>;

void WriteIds(std::string_view key, const TreeView& view, const std::vector<const Node*>& nodes,
              JsonOut& out) {
  out.Key(key).BeginArray();
  for (const Node* node : nodes) out.String(view.id(*node));
  out.EndArray();
}

void WriteFields(const Ids& fields, JsonOut& out) {
  out.Key("fields").BeginArray();
  for (const std::string& field : fields) out.String(field);
  out.EndArray();
}

std::int64_t Position(const TreeView& view, const Node& node) {
  const Node* parent = view.Parent(node);
  if (parent == nullptr) return 0;
  return static_cast<std::int64_t>(
      child_list::Rank(parent->AsContainer()->children, node, *view.lexicon));
}

void WriteComponents(std::string_view key, const TreeView& view,
                     const std::vector<const Node*>& nodes, JsonOut& out) {
  out.Key(key).BeginArray();
  for (const Node* node : nodes) {
    out.BeginObject().Key("position").Integer(Position(view, *node));
    out.Key("leaf").Bool(node->is_block());
    out.Key("node").BeginObject();
    WriteNodeFields(view, *node, NodeJson::kWithParent, out);
    out.EndObject().EndObject();
  }
  out.EndArray();
}

bool IsMoved(const Ids& fields) {
  return std::ranges::find(fields, "parent") != fields.end();
}

// True if the node may stand at another place among its siblings than before.
bool IsPlacedAnew(const Ids& fields) {
  constexpr std::array<std::string_view, 4> kOrderedBy = {"parent", "offset", "created_at_ns",
                                                          "creation_index"};
  return std::ranges::find_first_of(fields, kOrderedBy) != fields.end();
}

void WriteValues(std::string_view key, const TreeView& view, const Node& node, const Ids& fields,
                 JsonOut& out) {
  out.Key(key).BeginObject();
  for (const std::string& field : fields) {
    out.AnyKey(field);
    WriteFieldValue(view, node, field, out);
    if (field != "content_hash") continue;
    out.Key("content");
    WriteFieldValue(view, node, "content", out);
  }
  out.EndObject();
}

void WriteParentId(std::string_view key, const TreeView& view, const Node& node, JsonOut& out) {
  out.Key(key);
  WriteFieldValue(view, node, "parent", out);
}

void WriteModified(const DiffOf& of, const NodeChange& change, JsonOut& out) {
  const Ids fields = ChangedFields(change, of.from, of.to);
  out.BeginObject();
  out.Key("id").String(of.to.id(*change.after));
  WriteFields(fields, out);
  WriteValues("old", of.from, *change.before, fields, out);
  WriteValues("new", of.to, *change.after, fields, out);
  if (IsMoved(fields)) {
    out.Key("parent_changed").BeginObject();
    WriteParentId("previous_parent_id", of.from, *change.before, out);
    WriteParentId("new_parent_id", of.to, *change.after, out);
    out.EndObject();
  }
  if (change.before->is_block() != change.after->is_block())
    out.Key("leaf").Bool(change.after->is_block());
  if (IsPlacedAnew(fields)) {
    out.Key("position").BeginObject();
    out.Key("old").Integer(Position(of.from, *change.before));
    out.Key("new").Integer(Position(of.to, *change.after));
    out.EndObject();
  }
  out.EndObject();
}

// Parents of what came, went or moved, in the order of their first mention.
class Families {
 public:
  void Gain(const TreeView& view, const Node& child) { Note(view, child, &Family::added); }
  void Lose(const TreeView& view, const Node& child) { Note(view, child, &Family::removed); }
  void Write(JsonOut& out) const {
    out.Key("children").BeginArray();
    for (const Family& family : families_) {
      out.BeginObject().Key("id").String(family.parent);
      WriteList("children_added", family.added, out);
      WriteList("children_removed", family.removed, out);
      out.EndObject();
    }
    out.EndArray();
  }

 private:
  struct Family {
    std::string parent;
    Ids added;
    Ids removed;
  };
  void Note(const TreeView& view, const Node& child, Ids Family::* list) {
    const Node* parent = view.Parent(child);
    if (parent == nullptr) return;
    const auto [at, is_new] =
        by_parent_.try_emplace(std::string(view.id(*parent)), families_.size());
    if (is_new) families_.push_back({at->first, {}, {}});
    (families_[at->second].*list).push_back(std::string(view.id(child)));
  }
  static void WriteList(std::string_view key, const Ids& ids, JsonOut& out) {
    out.Key(key).BeginArray();
    for (const std::string& id : ids) out.String(id);
    out.EndArray();
  }

  std::map<std::string, std::size_t> by_parent_;
  std::vector<Family> families_;
};

}  // namespace

void WriteDiff(const DiffOf& of, JsonOut& out) {
  WriteIds("added", of.to, of.diff.added, out);
  WriteIds("removed", of.from, of.diff.removed, out);
  out.Key("changed").BeginArray();
  for (const NodeChange& change : of.diff.changed) {
    out.BeginObject().Key("id").String(of.to.id(*change.after));
    WriteFields(ChangedFields(change, of.from, of.to), out);
    out.EndObject();
  }
  out.EndArray();
}

void WriteDiffDetail(const DiffOf& of, JsonOut& out) {
  WriteComponents("components_added", of.to, of.diff.added, out);
  WriteComponents("components_removed", of.from, of.diff.removed, out);
  out.Key("components_modified").BeginArray();
  for (const NodeChange& change : of.diff.changed) WriteModified(of, change, out);
  out.EndArray();
  Families families;
  for (const Node* node : of.diff.added) families.Gain(of.to, *node);
  for (const Node* node : of.diff.removed) families.Lose(of.from, *node);
  for (const NodeChange& change : of.diff.changed) {
    if (!IsMoved(ChangedFields(change, of.from, of.to))) continue;
    families.Lose(of.from, *change.before);
    families.Gain(of.to, *change.after);
  }
  families.Write(out);
}

void WriteDiffMoves(const DiffOf& of, JsonOut& out) {
  std::map<Digest, std::vector<const Node*>> gone;  // last one first
  for (auto node = of.diff.removed.rbegin(); node != of.diff.removed.rend(); ++node) {
    if ((*node)->content()) gone[(*node)->content_hash()].push_back(*node);
  }
  out.Key("moves").BeginArray();
  for (const Node* node : of.diff.added) {
    const auto same = node->content() ? gone.find(node->content_hash()) : gone.end();
    if (same == gone.end() || same->second.empty()) continue;
    out.BeginObject();
    out.Key("removed").String(of.from.id(*same->second.back()));
    out.Key("added").String(of.to.id(*node));
    out.Key("content_hash").String(ToHex(node->content_hash()));
    out.EndObject();
    same->second.pop_back();
  }
  out.EndArray();
}

}  // namespace pactdb
