// Whether one node matches a selector, without a look at others.
//
// That can be asked of selectors whose answer for a node depends on the node and its ancestors
// alone, implicit cores included: chains and searches of types, regions and attributes. Depths
// shift with every commit, picks and pages look at all matches; such selectors must be run as a
// whole.
//
// Thread safety: one matcher, one thread; any number on the same tree.
#pragma once

#include <vector>

#include "select/bind.h"
#include "select/select.h"

namespace pactdb::select {

class NodeMatcher {
 public:
  // True if the selector can be tested on single nodes.
  static bool CanTest(const Selector& selector);
  // True if, moreover, it looks at the node alone.
  static bool LooksAtNodeAlone(const Selector& selector);

  // REQUIRES: CanTest(selector); both outlive the matcher.
  NodeMatcher(const Selector& selector, const TreeView& view);

  // True if the selector matches the node. O(steps * depth). REQUIRES: the node is the view's.
  bool Holds(const Node& node);

 private:
  void FindPath(const Node& node);
  bool HoldsChain(const Group& group, const std::vector<BoundStep>& steps, const Node& node);

  const Ast& ast_;
  const TreeView& view_;
  Scope scope_;
  std::vector<std::vector<BoundStep>> bound_;  // by group
  std::vector<Match> path_;                    // from the root to the node
  bool has_core_ = false;                      // the place before the node is an implicit core
  std::vector<bool> reached_;                  // by place in the path
};

// Sorts nodes of the view as the selector's matches are sorted. REQUIRES: NodeMatcher::CanTest.
void SortMatches(const Selector& selector, const TreeView& view, std::vector<const Node*>& nodes);

}  // namespace pactdb::select
