#include "select/node_matcher.h"

#include <algorithm>

#include "select/result_order.h"

namespace pactdb::select {
namespace {

// Says something about the node that follows from the node itself.
bool IsOfNode(const Part& part) {
  if (const auto* filter = std::get_if<Filter>(&part)) return !IsFacet(filter->attr);
  return std::holds_alternative<RootTest>(part) || std::holds_alternative<TypeTest>(part) ||
         std::holds_alternative<AnyTest>(part);
}

bool CanTestGroup(const Group& group) {
  return std::ranges::all_of(
             group.steps,
             [](const Step& step) { return std::ranges::all_of(step.parts, IsOfNode); }) &&
         group.steps.back().KeyFilter() == nullptr;  // key order goes by depth
}

// `level` is that below the root; `is_above`, `is_below`: the step before ends at an ancestor, at
// the parent.
bool IsCandidate(Relation relation, std::size_t level, bool is_above, bool is_below) {
  switch (relation) {
    case Relation::kAnywhere:
      return true;
    case Relation::kBelowRoot:
      return level > 0;
    case Relation::kRootChild:
      return level == 1;
    case Relation::kRegionChild:
      return level == 2;
    case Relation::kDescendant:
      return is_above;
    case Relation::kChild:
      return is_below;
  }
  return false;
}

}  // namespace

bool NodeMatcher::CanTest(const Selector& selector) {
  const Ast& ast = selector.impl().ast;
  const Controls& controls = ast.controls;
  const bool is_preorder = controls.order == Order::kDefault || controls.order == Order::kPre;
  return is_preorder && !controls.limit && !controls.page && !controls.first && !controls.unique &&
         std::ranges::all_of(ast.groups, CanTestGroup);
}

bool NodeMatcher::LooksAtNodeAlone(const Selector& selector) {
  return std::ranges::all_of(selector.impl().ast.groups, [](const Group& group) {
    const Relation relation = group.steps[0].relation;
    return group.steps.size() == 1 &&
           (relation == Relation::kAnywhere || relation == Relation::kBelowRoot);
  });
}

NodeMatcher::NodeMatcher(const Selector& selector, const TreeView& view)
    : ast_(selector.impl().ast), view_(view), scope_{&view, ast_.dialect} {
  for (const Group& group : ast_.groups) {
    std::vector<BoundStep>& steps = bound_.emplace_back();
    for (const Step& step : group.steps) steps.push_back(Bind(step, scope_));
  }
}

bool NodeMatcher::Holds(const Node& node) {
  for (std::size_t i = 0; i < ast_.groups.size(); ++i) {
    // Most nodes fail at the last step.
    if (!Passes(bound_[i].back(), Match::Of(node), scope_)) continue;
    if (HoldsChain(ast_.groups[i], bound_[i], node)) return true;
  }
  return false;
}

void NodeMatcher::FindPath(const Node& node) {
  path_.clear();
  for (const Node* at = &node; at != nullptr; at = view_.Parent(*at))
    path_.push_back(Match::Of(*at));
  std::ranges::reverse(path_);
  has_core_ = false;
  if (!node.is_block() || node.offset != 0) return;
  const Node& parent = path_[path_.size() - 2].node();
  has_core_ = HasImplicitCore(parent);
  if (has_core_) path_.insert(path_.end() - 1, Match::CoreOf(parent));
}

// Goes down the path once a step and notes the places that the steps so far can end at.
bool NodeMatcher::HoldsChain(const Group& group, const std::vector<BoundStep>& steps,
                             const Node& node) {
  FindPath(node);
  const std::size_t last = path_.size() - 1;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::vector<bool> reached(path_.size(), false);
    bool is_above = false;  // the step before ends above this place
    for (std::size_t place = 0; place <= last; ++place) {
      // A block in an implicit core is its child and the container's.
      const bool is_in_core = has_core_ && place == last;
      const bool is_below =
          i > 0 && place > 0 && (reached_[place - 1] || (is_in_core && reached_[place - 2]));
      is_above = is_above || is_below;
      const std::size_t level = is_in_core ? place - 1 : path_[place].is_core() ? SIZE_MAX : place;
      reached[place] = IsCandidate(group.steps[i].relation, level, is_above, is_below) &&
                       Passes(steps[i], path_[place], scope_);
    }
    reached_ = std::move(reached);
  }
  return reached_.back();
}

void SortMatches(const Selector& selector, const TreeView& view, std::vector<const Node*>& nodes) {
  const Ast& ast = selector.impl().ast;
  std::vector<Match> matches;
  matches.reserve(nodes.size());
  for (const Node* node : nodes) matches.push_back(Match::Of(*node));
  SortPreorder(view, ast.dialect == Dialect::kCanonical, matches);
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = &matches[i].node();
}

}  // namespace pactdb::select
