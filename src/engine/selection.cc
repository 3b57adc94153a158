#include "engine/selection.h"

#include "base/number_map.h"
#include "base/try.h"
#include "model/kinship.h"
#include "select/node_matcher.h"

namespace pactdb {
namespace {

using select::NodeMatcher;

bool IsSameTree(const TreeView& a, const TreeView& b) {
  return a.root == b.root && a.now == b.now && a.ordinal == b.ordinal;
}

// Sorts what was found among differing nodes into what came, went and changed for the selector.
class Sorter {
 public:
  Sorter(const Selector& selector, const TreeView& from, const TreeView& to)
      : selector_(selector), from_(from), to_(to), before_(selector, from), after_(selector, to) {}

  TreeDiff Run(const TreeDiff& whole) {
    for (const Node* node : whole.added) Offer(nullptr, node);
    for (const Node* node : whole.removed) Offer(node, nullptr);
    for (const NodeChange& change : whole.changed) Offer(change.before, change.after);
    if (!NodeMatcher::LooksAtNodeAlone(selector_)) OfferBelow(whole);
    // Changed nodes were not joined by others and stand in order.
    select::SortMatches(selector_, to_, diff_.added);
    select::SortMatches(selector_, from_, diff_.removed);
    return std::move(diff_);
  }

 private:
  void Offer(const Node* before, const Node* after) {
    const bool was = before != nullptr && before_.Holds(*before);
    const bool is = after != nullptr && after_.Holds(*after);
    if (was && is) diff_.changed.push_back({before, after});
    if (was && !is) diff_.removed.push_back(before);
    if (!was && is) diff_.added.push_back(after);
  }

  // Nodes that did not change themselves match or fail to because an ancestor changed, or because
  // their turn got or lost its core and with that an implicit one. Such a node lies, in `to`, below
  // a changed node or beside that core.
  void OfferBelow(const TreeDiff& whole) {
    for (const Node* node : whole.added) seen_.Set(node->number, node);
    for (const NodeChange& change : whole.changed) seen_.Set(change.after->number, change.after);
    for (const NodeChange& change : whole.changed) {
      OfferInside(change.after);
      OfferBeside(*change.before);
      OfferBeside(*change.after);
    }
    for (const Node* node : whole.added) OfferBeside(*node);
    for (const Node* node : whole.removed) OfferBeside(*node);
  }

  void OfferBeside(const Node& core) {
    if (core.is_core()) OfferInside(to_.Find(core.parent));
  }

  void OfferInside(const Node* top) {
    if (top == nullptr || top->is_block()) return;
    for (PreorderCursor node(*top); node.get() != nullptr; node.Next()) {
      const NodeNumber number = node.get()->number;
      if (seen_.Contains(number)) continue;
      seen_.Set(number, node.get());
      const Node* before = from_.Find(number);
      const bool was = before_.Holds(*before);
      const bool is = after_.Holds(*node.get());
      if (was && !is) diff_.removed.push_back(before);
      if (!was && is) diff_.added.push_back(node.get());
    }
  }

  const Selector& selector_;
  const TreeView& from_;
  const TreeView& to_;
  NodeMatcher before_;
  NodeMatcher after_;
  NumberMap<const Node*> seen_;
  TreeDiff diff_;
};

}  // namespace

Selection::Selection(const Selector* selector, const Selector* where, Dialect dialect)
    : selector_(selector),
      where_(where),
      turns_(TurnOrderOf(dialect)),
      is_by_change_(selector == nullptr || (where == nullptr && NodeMatcher::CanTest(*selector))) {}

Result<TreeDiff> Selection::Compare(const TreeView& from, const TreeView& to) {
  // What did not change is looked up in the other tree by its number.
  if (selector_ == nullptr || (is_by_change_ && Kinship(from, to).are_of_one_context()))
    return CompareByChange(from, to);
  return CompareMatches(from, to);
}

TreeDiff Selection::CompareByChange(const TreeView& from, const TreeView& to) const {
  TreeDiff whole = pactdb::Compare(from, to, turns_);
  if (selector_ == nullptr) return whole;
  return Sorter(*selector_, from, to).Run(whole);
}

Result<std::vector<const Node*>> Selection::Match(const TreeView& view) {
  return select::MatchNodes(*selector_, view, {.where = where_});
}

Result<TreeDiff> Selection::CompareMatches(const TreeView& from, const TreeView& to) {
  std::vector<const Node*> after;
  if (last_ && IsSameTree(last_->view, to)) {
    after = std::move(last_->nodes);
  } else {
    PACTDB_TRY(after, Match(to));
  }
  PACTDB_TRY(std::vector<const Node*> before, Match(from));
  TreeDiff diff = CompareSelected(from, before, to, after);
  last_ = Matches{from, std::move(before)};
  return diff;
}

}  // namespace pactdb
