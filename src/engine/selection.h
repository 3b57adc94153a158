// What differs between two trees among the nodes that a selector means.
//
// There are two ways to the same answer. Where a selector can be tested on single nodes
// (select/node_matcher.h), the trees are compared and what differs is tested: the cost follows the
// change. Any other selector is run on both trees, and the matches are compared. Which way is
// taken depends on the selector alone.
//
// Thread safety: one selection, one thread.
#pragma once

#include <pactdb/error.h>
#include <pactdb/selector.h>

#include <optional>
#include <vector>

#include "diff/tree_diff.h"

namespace pactdb {

class Selection {
 public:
  // Without a selector all nodes are meant. `where`, which may be null, narrows the matches; both
  // outlive the selection.
  Selection(const Selector* selector, const Selector* where, Dialect dialect);

  // True if trees are compared first and only what differs is tested.
  bool is_by_change() const { return is_by_change_; }

  // `added` is in the selector's result order in `to`, `removed` in `from`, `changed` in the newer
  // of the two, as in diff/tree_diff.h. `changed` nodes match on both sides. Errors: those of
  // select::MatchNodes. REQUIRES: both trees summarized.
  Result<TreeDiff> Compare(const TreeView& from, const TreeView& to);

 private:
  struct Matches {
    TreeView view;
    std::vector<const Node*> nodes;
  };

  TreeDiff CompareByChange(const TreeView& from, const TreeView& to) const;
  Result<TreeDiff> CompareMatches(const TreeView& from, const TreeView& to);
  Result<std::vector<const Node*>> Match(const TreeView& view);

  const Selector* selector_;
  const Selector* where_;
  TurnOrder turns_;
  bool is_by_change_;
  // Of the tree that was `from` last: in a walk back through history it is the next `to`.
  std::optional<Matches> last_;
};

}  // namespace pactdb
