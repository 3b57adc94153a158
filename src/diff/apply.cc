// Method: the tree becomes a table of nodes by id. Everything that went or stands elsewhere is
// taken out of its list, values are set, and everything that came or stands elsewhere is put in at
// its position, the lowest first: then each list has exactly its final part before the position
// when an item goes in. Depths are worked out on writing, since every commit shifts them.
#include <pactdb/diff.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/limits.h"
#include "base/try.h"
#include "model/difference.h"
#include "text/json_doc.h"
#include "text/json_out.h"

namespace pactdb {
namespace {

Error DoesNotFit(std::string message, std::string_view id) {
  return Error(ErrorCode::kRequestInvalid, std::move(message)).With("id", id);
}

Error NotADocument(std::string_view what) {
  return Error(ErrorCode::kRequestInvalid, std::string(what));
}

// The order of members in a tree: these, then attributes by name, then content_hash.
constexpr std::array<std::string_view, 14> kMembers = {"id",
                                                       "nodeType",
                                                       "offset",
                                                       "ttl",
                                                       "priority",
                                                       "cycle",
                                                       "created_at_ns",
                                                       "created_at_iso",
                                                       "creation_index",
                                                       "role",
                                                       "kind",
                                                       "content",
                                                       "removable",
                                                       "pinned"};

std::pair<std::size_t, std::string> Rank(std::string_view name) {
  const auto at = std::ranges::find(kMembers, name);
  if (at != kMembers.end()) return {static_cast<std::size_t>(at - kMembers.begin()), ""};
  return {name == "content_hash" ? kMembers.size() + 1 : kMembers.size(), std::string(name)};
}

// What a tree shows for a header that a node does not have; nothing for what it leaves out.
std::optional<std::string_view> Absent(std::string_view name) {
  if (name == "ttl" || name == "cycle" || name == "created_at_iso") return "null";
  if (name == "offset" || name == "priority" || name == "created_at_ns" || name == "creation_index")
    return "0";
  return std::nullopt;
}

struct MemberLess {
  bool operator()(const std::string& a, const std::string& b) const { return Rank(a) < Rank(b); }
};

struct Item {
  std::map<std::string, std::string, MemberLess> members;  // canonical JSON by name
  std::optional<std::string> parent;
  std::optional<std::vector<std::string>> children;  // none for a block
};

// A place in a list that something goes into.
struct Insertion {
  std::optional<std::string> parent;
  std::int64_t position;
  std::string id;
};

std::string Canonical(const JsonRef& value) {
  std::string text;
  value.AppendCanonical(text);
  return text;
}

std::optional<std::string> TextMember(const JsonRef& object, std::string_view name) {
  const auto value = object.is_object() ? object.Find(name) : std::nullopt;
  if (!value || !value->is_string()) return std::nullopt;
  return std::string(value->string());
}

bool IsTrue(const std::optional<JsonRef>& value) {
  return value && value->kind() == Json::Kind::kBool && value->boolean();
}

std::string_view TypeOf(const Item& item) {
  const auto type = item.members.find("nodeType");
  return type == item.members.end() ? std::string_view() : std::string_view(type->second);
}

class TreeTable {
 public:
  Status Read(const JsonRef& root);
  Status Apply(const JsonRef& diff);
  std::string Write() const;

 private:
  Status ReadNode(const JsonRef& node, std::optional<std::string> parent);
  Status NoteOut(const std::string& id, const Item& item);
  Status ReadRemoved(const JsonRef& removed);
  Status ReadModified(const JsonRef& modified);
  static void SetValues(const JsonRef& values, Item& item);
  Status ReadAdded(const JsonRef& added);
  void TakeOut();
  Status PutIn();
  std::unordered_map<std::string, Item> items_;
  std::optional<std::string> root_;
  std::set<std::string> out_;          // ids that leave their lists
  std::set<std::string> lists_;        // whose lists they leave
  std::vector<std::string> removed_;   // of these, what goes for good
  std::vector<Insertion> insertions_;  // what goes in
};

Status TreeTable::ReadNode(const JsonRef& node, std::optional<std::string> parent) {
  const auto id = TextMember(node, "id");
  if (!id) return std::unexpected(NotADocument("a node of the tree has no id"));
  const auto [at, is_new] = items_.try_emplace(*id);
  if (!is_new)
    return std::unexpected(DoesNotFit("the tree already has the node '" + *id + "'", *id));
  Item& item = at->second;
  item.parent = std::move(parent);
  for (auto member = node.begin(); member != node.end(); ++member) {
    const std::string_view name = (*member).key;
    if (name == "children" || name == "depth" || name == "parent_id") continue;
    item.members.emplace(name, Canonical((*member).value));
  }
  return {};
}

Status TreeTable::Read(const JsonRef& root) {
  struct Open {
    JsonRef node;
    std::optional<std::string> parent;
  };
  std::vector<Open> open = {{root, std::nullopt}};
  while (!open.empty()) {
    const Open next = open.back();
    open.pop_back();
    PACTDB_TRY_STATUS(ReadNode(next.node, next.parent));
    const std::string id = *TextMember(next.node, "id");
    const auto children = next.node.Find("children");
    if (!children) continue;
    if (!children->is_array()) return std::unexpected(NotADocument("children must be an array"));
    auto& list = items_.at(id).children.emplace();
    for (auto child = children->begin(); child != children->end(); ++child) {
      list.push_back(TextMember((*child).value, "id").value_or(""));
      open.push_back({(*child).value, id});
    }
  }
  root_ = TextMember(root, "id");
  return {};
}

// Once a node: what stands in two lists could hold itself.
Status TreeTable::NoteOut(const std::string& id, const Item& item) {
  if (!out_.insert(id).second)
    return std::unexpected(DoesNotFit("the diff has the node '" + id + "' twice", id));
  if (item.parent) lists_.insert(*item.parent);
  return {};
}

Status TreeTable::ReadRemoved(const JsonRef& removed) {
  for (auto entry = removed.begin(); entry != removed.end(); ++entry) {
    const auto node = (*entry).value.is_object() ? (*entry).value.Find("node") : std::nullopt;
    const std::string id = node ? TextMember(*node, "id").value_or("") : "";
    const auto item = items_.find(id);
    if (item == items_.end())
      return std::unexpected(DoesNotFit("the tree has no node '" + id + "' to remove", id));
    PACTDB_TRY_STATUS(NoteOut(id, item->second));
    removed_.push_back(id);
    if (root_ == id) root_.reset();
  }
  return {};
}

Status TreeTable::ReadModified(const JsonRef& modified) {
  for (auto entry = modified.begin(); entry != modified.end(); ++entry) {
    const JsonRef change = (*entry).value;
    const std::string id = TextMember(change, "id").value_or("");
    const auto item = items_.find(id);
    const auto values = item == items_.end() ? std::nullopt : change.Find("new");
    if (!values || !values->is_object())
      return std::unexpected(DoesNotFit("the tree has no node '" + id + "' to change", id));
    SetValues(*values, item->second);
    const auto leaf = change.Find("leaf");
    if (leaf && IsTrue(leaf)) item->second.children.reset();
    if (leaf && !IsTrue(leaf)) item->second.children.emplace();
    const auto position = change.Find("position");
    if (!position) continue;
    const auto place = position->is_object() ? position->Find("new") : std::nullopt;
    if (!place || !place->AsInt64()) return std::unexpected(NotADocument("a position is a number"));
    PACTDB_TRY_STATUS(NoteOut(id, item->second));
    insertions_.push_back(
        {values->Find("parent") ? TextMember(*values, "parent") : item->second.parent,
         *place->AsInt64(), id});
  }
  return {};
}

void TreeTable::SetValues(const JsonRef& values, Item& item) {
  for (auto member = values.begin(); member != values.end(); ++member) {
    if ((*member).key == "parent") continue;  // a move
    const std::string name(AttributeOfField((*member).key));
    item.members.erase(name);
    if (!(*member).value.is_null()) {
      item.members.emplace(name, Canonical((*member).value));
    } else if (const auto absent = Absent(name)) {
      item.members.emplace(name, *absent);
    }
  }
}

Status TreeTable::ReadAdded(const JsonRef& added) {
  for (auto entry = added.begin(); entry != added.end(); ++entry) {
    const JsonRef component = (*entry).value;
    const auto node = component.is_object() ? component.Find("node") : std::nullopt;
    const auto position = node ? component.Find("position") : std::nullopt;
    if (!node || !node->is_object() || !position || !position->AsInt64())
      return std::unexpected(NotADocument("an added component has a node and a position"));
    const auto parent = TextMember(*node, "parent_id");
    PACTDB_TRY_STATUS(ReadNode(*node, parent));
    const std::string id = *TextMember(*node, "id");
    if (!IsTrue(component.Find("leaf"))) items_.at(id).children.emplace();
    insertions_.push_back({parent, *position->AsInt64(), id});
  }
  return {};
}

// Takes what left out of the lists; what was removed goes for good.
void TreeTable::TakeOut() {
  for (const std::string& parent : lists_) {
    const auto item = items_.find(parent);
    if (item == items_.end() || !item->second.children) continue;
    std::erase_if(*item->second.children,
                  [this](const std::string& child) { return out_.contains(child); });
  }
  for (const std::string& id : removed_) items_.erase(id);
}

Status TreeTable::PutIn() {
  // By id where a bad diff has two at one place: the answer must not depend on how a sort works.
  std::ranges::sort(insertions_, [](const Insertion& a, const Insertion& b) {
    return std::tie(a.position, a.id) < std::tie(b.position, b.id);
  });
  for (const Insertion& insertion : insertions_) {
    Item& item = items_.at(insertion.id);
    item.parent = insertion.parent;
    if (!insertion.parent) {
      root_ = insertion.id;
      continue;
    }
    if (root_ == insertion.id) root_.reset();  // no longer
    const auto parent = items_.find(*insertion.parent);
    if (parent == items_.end()) {
      return std::unexpected(
          DoesNotFit("the tree has no node '" + *insertion.parent + "'", *insertion.parent));
    }
    if (!parent->second.children) parent->second.children.emplace();
    auto& list = *parent->second.children;
    if (insertion.position < 0 || static_cast<std::size_t>(insertion.position) > list.size()) {
      return std::unexpected(
          DoesNotFit("there is no such position for '" + insertion.id + "'", insertion.id));
    }
    list.insert(list.begin() + insertion.position, insertion.id);
  }
  return {};
}

Status TreeTable::Apply(const JsonRef& diff) {
  const auto list = [&diff](std::string_view name) {
    const auto value = diff.is_object() ? diff.Find(name) : std::nullopt;
    return value && value->is_array() ? value : std::nullopt;
  };
  const auto added = list("components_added");
  const auto removed = list("components_removed");
  const auto modified = list("components_modified");
  if (!added || !removed || !modified) {
    return std::unexpected(NotADocument("only a diff made with 'detail' can be applied"));
  }
  PACTDB_TRY_STATUS(ReadRemoved(*removed));
  PACTDB_TRY_STATUS(ReadModified(*modified));
  TakeOut();
  PACTDB_TRY_STATUS(ReadAdded(*added));
  PACTDB_TRY_STATUS(PutIn());
  if (!root_) return std::unexpected(NotADocument("the diff leaves no root"));
  return {};
}

std::string TreeTable::Write() const {
  using Depth = std::optional<std::int64_t>;
  struct Open {
    const Item* item;
    Depth depth;
    std::size_t next;  // child to write
  };
  JsonOut out;
  std::vector<Open> open;
  const auto write = [&](const std::string& id, Depth depth) {
    const Item& item = items_.at(id);
    const std::string_view type = TypeOf(item);
    if (type == "\"^sys\"") depth = -1;
    if (type == "\"^ah\"") depth = 0;
    out.BeginObject();
    for (const auto& [name, value] : item.members) {
      out.AnyKey(name).Raw(value);
      if (name == "nodeType") out.Key("depth").OptionalInteger(depth);
    }
    if (item.children) out.Key("children").BeginArray();
    open.push_back({&item, depth, 0});
  };
  write(*root_, std::nullopt);
  while (!open.empty()) {
    Open& top = open.back();
    if (!top.item->children || top.next == top.item->children->size()) {
      if (top.item->children) out.EndArray();
      out.EndObject();
      open.pop_back();
      continue;
    }
    const auto& children = *top.item->children;
    const bool is_seq = TypeOf(*top.item) == "\"^seq\"";
    const Depth depth = is_seq ? static_cast<std::int64_t>(children.size() - top.next) : top.depth;
    write(children[top.next++], depth);
  }
  return out.Take();
}

}  // namespace

Result<std::string> ApplyDiff(std::string_view tree, std::string_view diff) {
  PACTDB_TRY(const JsonDoc tree_doc, JsonDoc::Parse(tree, limits::kDocumentJsonDepthMax));
  PACTDB_TRY(const JsonDoc diff_doc, JsonDoc::Parse(diff, limits::kDocumentJsonDepthMax));
  TreeTable table;
  PACTDB_TRY_STATUS(table.Read(tree_doc.root()));
  PACTDB_TRY_STATUS(table.Apply(diff_doc.root()));
  return table.Write();
}

}  // namespace pactdb
