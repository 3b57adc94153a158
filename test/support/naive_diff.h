// The difference of two trees the obvious way: every node of both is looked at. The oracle of
// diff/tree_diff.h.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/tree_view.h"

namespace pactdb::support {

// What a tree shows of a node, field by field as text.
using ShownFields = std::map<std::string, std::string>;

inline ShownFields FieldsOf(const TreeView& view, const Node& node) {
  ShownFields fields;
  const auto word = [&](const char* name, WordNumber number) {
    if (number != kNoWord) fields[name] = std::string(view.lexicon->word(number));
  };
  const auto header = [&](const char* name, Node::Flag flag, std::int64_t value) {
    if (node.Has(flag)) fields[name] = std::to_string(value);
  };
  const std::int64_t created = node.Has(Node::kListed) ? 0 : node.created_at_ns;
  word("nodeType", node.type);
  word("role", node.role);
  word("kind", node.kind);
  header("offset", Node::kHasOffset, node.offset);
  header("priority", Node::kHasPriority, node.priority);
  header("cycle", Node::kHasCycle, node.cycle);
  header("created_at_ns", Node::kHasCreatedNs, created);
  header("created_at_iso", Node::kHasCreatedIso, created);
  header("creation_index", Node::kHasCreationIndex, node.creation_index);
  header("removable", Node::kHasRemovable, node.Has(Node::kRemovable));
  if (node.Has(Node::kPinned)) fields["pinned"] = "true";
  if (node.has_ttl()) fields["ttl"] = std::to_string(ShownTtl(node, view.now));
  if (const Node* parent = view.Parent(node)) fields["parent"] = std::string(view.id(*parent));
  fields["content_hash"] = ToHex(node.content_hash()) + (node.content() ? " said" : "");
  if (node.body == nullptr) return fields;
  node.body->ForEach([&fields](const Attribute& attribute) {
    if (attribute.value != "null")
      fields[std::string(attribute.name)] = std::string(attribute.value);
  });
  return fields;
}

// Ids in preorder; turns newest first if asked.
inline std::vector<const Node*> Preorder(const TreeView& view, bool newest_first) {
  std::vector<const Node*> nodes;
  std::vector<const Node*> open = {view.root};
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    nodes.push_back(node);
    if (node->is_block()) continue;
    std::vector<const Node*> children;
    for (ChildCursor child(*node->AsContainer()); child.get() != nullptr; child.Next())
      children.push_back(child.get());
    const bool is_reversed = newest_first && node->node_class() == NodeClass::kSeq;
    if (is_reversed) {
      open.insert(open.end(), children.begin(), children.end());
    } else {
      open.insert(open.end(), children.rbegin(), children.rend());
    }
  }
  return nodes;
}

// "+id ... -id ... id(field,field) ...": what Compare finds, as text. `is_same` says which ids mean
// the same node in both trees: all in one context.
inline std::string NaiveDiff(
    const TreeView& from, const TreeView& to, bool newest_first,
    const std::function<bool(const std::string& id)>& is_same = [](const std::string&) {
      return true;
    }) {
  constexpr const char* kHeaders[] = {
      "nodeType",       "offset",         "ttl",  "priority", "cycle",  "created_at_ns",
      "created_at_iso", "creation_index", "role", "kind",     "parent", "content_hash"};
  std::map<std::string, ShownFields> before;
  std::map<std::string, ShownFields> after;
  const auto old_nodes = Preorder(from, newest_first);
  const auto new_nodes = Preorder(to, newest_first);
  for (const Node* node : old_nodes) before[std::string(from.id(*node))] = FieldsOf(from, *node);
  for (const Node* node : new_nodes) after[std::string(to.id(*node))] = FieldsOf(to, *node);
  std::string text;
  for (const Node* node : new_nodes) {
    const std::string id(to.id(*node));
    if (!before.contains(id) || !is_same(id)) text += "+" + id + " ";
  }
  for (const Node* node : old_nodes) {
    const std::string id(from.id(*node));
    if (!after.contains(id) || !is_same(id)) text += "-" + id + " ";
  }
  const bool by_from =
      from.now > to.now || (from.now == to.now && from.ordinal == kNever && to.ordinal != kNever);
  for (const Node* node : by_from ? old_nodes : new_nodes) {
    const std::string id((by_from ? from : to).id(*node));
    if (!is_same(id) || !before.contains(id) || !after.contains(id) || before[id] == after[id])
      continue;
    ShownFields old_fields = before[id];
    ShownFields new_fields = after[id];
    std::string names;
    const auto compare = [&](const std::string& name) {
      const auto old_field = old_fields.extract(name);
      const auto new_field = new_fields.extract(name);
      if (old_field.empty() != new_field.empty() ||
          (!old_field.empty() && old_field.mapped() != new_field.mapped()))
        names += name + ",";
    };
    for (const char* name : kHeaders) compare(name);
    ShownFields rest = old_fields;
    rest.insert(new_fields.begin(), new_fields.end());
    for (const auto& [name, value] : rest) compare(name);
    names.back() = ')';
    text += id + "(" + names + " ";
  }
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace pactdb::support
