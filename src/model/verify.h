// Re-checks every invariant and every hash of trees.
//
// Reports what is broken in words that name the node; repairs nothing. What snapshots share is
// checked once, in the first of them: checking a history costs what its commits changed.
//
// Thread safety: as the trees.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "model/child_list.h"
#include "model/tree_view.h"

namespace pactdb {

class Verifier {
 public:
  // `where` names the tree in messages, "@c3" or "working"; `sealed` is the turn that the commit
  // made, if one did. REQUIRES: the tree is refreshed.
  void Check(const TreeView& view, const std::string& where, NodeNumber sealed = kNoNode);

  const std::vector<std::string>& problems() const { return problems_; }

 private:
  void CheckRegions(const TreeView& view);
  void CheckContainer(const TreeView& view, const Container& container);
  bool IsCutRight(const Chunk& chunk, bool is_top, bool is_last) const;
  void CheckChunk(const TreeView& view, const Chunk& chunk, const Container& container, bool is_top,
                  bool is_last);
  void CheckEntry(const TreeView& view, const Chunk& chunk, std::uint32_t index,
                  const Container& container);
  void CheckOrder(const TreeView& view, const Node& before, const Node& node);
  void CheckCores(const TreeView& view, const Container& container);
  void CheckNode(const TreeView& view, const Node& node, const Container& parent);
  void CheckPlacement(const TreeView& view, const Node& node, const Container& parent);
  void Report(const TreeView& view, const Node& node, std::string_view what);

  std::string where_;
  NodeNumber sealed_ = kNoNode;
  std::vector<const Container*> pending_;
  std::unordered_set<const Container*> seen_;
  // With whether they stood at the top of their list, and at its end: the rules are others there.
  std::unordered_set<std::uintptr_t> seen_chunks_;
  std::vector<std::string> problems_;
};

}  // namespace pactdb
