// A tree to read: a snapshot's or the working one, at its time.
//
// Everything that reads (get, tree, select, diff, render, verify) takes a
// TreeView, so that no reader knows which of the two it looks at. A view is a few pointers; whoever
// makes it keeps the tree alive.
//
// Thread safety: views of snapshots may be used from any thread; a view of a working tree belongs
// to the writer.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/child_list.h"
#include "model/node.h"

namespace pactdb {

class NodeSource {
 public:
  virtual ~NodeSource() = default;
  // The node's version in this tree; null if the tree does not hold it.
  virtual const Node* Find(NodeNumber number) const = 0;
};

struct TreeView {
  const Lexicon* lexicon = nullptr;
  const Container* root = nullptr;
  const NodeSource* source = nullptr;
  // Shown ttls count from here: the open cycle, for a snapshot the cycle after it.
  std::int64_t now = 1;
  // The snapshot's ordinal, for lookups in the indexes; kNever for a working tree.
  Ordinal ordinal = kNever;

  const Node* Find(NodeNumber number) const { return source->Find(number); }
  const Node* FindId(std::string_view id) const { return FindId(WantedId(id)); }
  const Node* FindId(const WantedId& id) const {
    const auto number = lexicon->FindId(id);
    return number ? source->Find(*number) : nullptr;
  }
  const Node* Parent(const Node& node) const {
    return node.parent == kNoNode ? nullptr : source->Find(node.parent);
  }
  IdText id(const Node& node) const { return lexicon->id(node.number); }

  // The region; null where an imported snapshot has none.
  const Container* Region(NodeClass region) const;
  // The turn or region the node is or lies in; null for the root.
  const Node* Stem(const Node& node) const;
  // 0 for ^ah and what it holds, -1 for ^sys, 1.. for turns from the newest; nothing for ^root and
  // ^seq.
  std::optional<std::int64_t> Depth(const Node& node) const;
};

// Visits a subtree in preorder, children in canonical order. Keeps its own stack: no recursion over
// input.
class PreorderCursor {
 public:
  explicit PreorderCursor(const Node& top);
  const Node* get() const { return node_; }
  // Levels below the top.
  std::size_t level() const { return stack_.size(); }
  void Next();
  // Goes on without entering the current node.
  void SkipChildren();

 private:
  const Node* node_;
  std::vector<ChildCursor> stack_;
};

}  // namespace pactdb
