// A tree that is obviously right: a map of nodes, sorted whenever it is read. The model's trees are
// compared with it as text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
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
    for (std::string at = id; nodes.contains(at); at = nodes.at(at).parent) {
      if (at == ancestor) return true;
    }
    return id == ancestor;
  }

  void Erase(const std::string& id) {
    const PlainTree before = *this;
    std::erase_if(nodes, [&](const auto& entry) { return before.IsInside(entry.first, id); });
  }

  // "id/priority" in preorder, brackets around children.
  std::string Outline(const std::string& parent) const {
    std::vector<std::string> children;
    for (const auto& [id, node] : nodes) {
      if (node.parent == parent) children.push_back(id);
    }
    std::ranges::sort(
        children, [this](const std::string& a, const std::string& b) { return Key(a) < Key(b); });
    std::string text = "(";
    for (const std::string& id : children) {
      text += id + "/" + std::to_string(nodes.at(id).priority);
      if (!nodes.at(id).is_block) text += Outline(id);
      text += ' ';
    }
    return text + ")";
  }

 private:
  std::tuple<std::int64_t, std::int64_t, std::int64_t, std::string> Key(
      const std::string& id) const {
    const PlainNode& node = nodes.at(id);
    return {node.offset, node.created_at_ns, node.creation_index, id};
  }
};

// The same text of a tree of the model.
inline std::string Outline(const TreeView& view, const Container& container) {
  std::string text = "(";
  for (ChildCursor child(container); child.get() != nullptr; child.Next()) {
    const Node& node = *child.get();
    text += std::string(view.id(node)) + "/" + std::to_string(node.priority);
    if (const Container* inner = node.AsContainer()) text += Outline(view, *inner);
    text += ' ';
  }
  return text + ")";
}

}  // namespace pactdb::support
