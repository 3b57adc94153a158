// A tree that is obviously right: a map of nodes, sorted whenever it is read. The model's trees are
// compared with it as text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "model/tree_view.h"

namespace pactdb::support {

struct PlainNode {
  std::string parent;
  std::int64_t offset = 0;
  std::int64_t created_at_ns = 0;
  std::int64_t creation_index = 0;
  std::int64_t priority = 0;
  bool is_block = true;
};

// By id. Without the fixed containers, which are parents all the same.
class PlainTree {
 public:
  std::map<std::string, PlainNode> nodes;

  bool IsInside(const std::string& id, const std::string& ancestor) const {
    const std::string* at = &id;
    for (auto found = nodes.find(*at); found != nodes.end(); found = nodes.find(*at)) {
      if (*at == ancestor) return true;
      at = &found->second.parent;
    }
    return id == ancestor;
  }

  void Erase(const std::string& id) {
    std::vector<std::string> inside;
    for (const auto& [other, node] : nodes) {
      if (IsInside(other, id)) inside.push_back(other);
    }
    for (const std::string& other : inside) nodes.erase(other);
  }

  // "id/priority" in preorder, brackets around children.
  std::string Outline(const std::string& parent) const {
    std::map<std::string_view, Entries> children;
    for (const auto& entry : nodes) children[entry.second.parent].push_back(&entry);
    for (auto& [id, entries] : children) std::ranges::sort(entries, {}, Key);
    std::string text;
    AppendOutline(children, parent, text);
    return text;
  }

 private:
  using Entry = std::map<std::string, PlainNode>::value_type;
  using Entries = std::vector<const Entry*>;

  static std::tuple<std::int64_t, std::int64_t, std::int64_t, std::string_view> Key(
      const Entry* entry) {
    const PlainNode& node = entry->second;
    return {node.offset, node.created_at_ns, node.creation_index, entry->first};
  }

  static void AppendOutline(const std::map<std::string_view, Entries>& children,
                            std::string_view parent, std::string& text) {
    text += '(';
    if (const auto found = children.find(parent); found != children.end()) {
      for (const Entry* entry : found->second) {
        text += entry->first + "/" + std::to_string(entry->second.priority);
        if (!entry->second.is_block) AppendOutline(children, entry->first, text);
        text += ' ';
      }
    }
    text += ')';
  }
};

// The same text of a tree of the model.
inline void AppendOutline(const TreeView& view, const Container& container, std::string& text) {
  text += '(';
  for (ChildCursor child(container); child.get() != nullptr; child.Next()) {
    const Node& node = *child.get();
    text += view.id(node);
    text += '/' + std::to_string(node.priority);
    if (const Container* inner = node.AsContainer()) AppendOutline(view, *inner, text);
    text += ' ';
  }
  text += ')';
}

inline std::string Outline(const TreeView& view, const Container& container) {
  std::string text;
  AppendOutline(view, container, text);
  return text;
}

}  // namespace pactdb::support
