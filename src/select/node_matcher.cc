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
  for (std::size_t i = 0; i < group.steps.size(); ++i) {
    const Step& step = group.steps[i];
    if (!std::ranges::all_of(step.parts, IsOfNode)) return false;
    // Whether a turn has an implicit core is its children's to say.
    if (i + 1 < group.steps.size() && AnswersToCore(step)) return false;
  }
  // Key order goes by depth.
  return group.steps.back().KeyFilter() == nullptr;
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

// Goes down the path once a step and notes the places that the steps so far can end at.
bool NodeMatcher::HoldsChain(const Group& group, const std::vector<BoundStep>& steps,
                             const Node& node) {
  path_.clear();
  for (const Node* at = &node; at != nullptr; at = view_.Parent(*at)) path_.push_back(at);
  std::ranges::reverse(path_);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Relation relation = group.steps[i].relation;
    bool is_above = false;   // the step before ends above this place
    bool is_parent = false;  // right above it
    std::vector<bool> reached(path_.size(), false);
    for (std::size_t place = 0; place < path_.size(); ++place) {
      const bool is_candidate = relation == Relation::kAnywhere      ? true
                                : relation == Relation::kBelowRoot   ? place > 0
                                : relation == Relation::kRootChild   ? place == 1
                                : relation == Relation::kRegionChild ? place == 2
                                : relation == Relation::kDescendant  ? is_above
                                                                     : is_parent;
      reached[place] = is_candidate && Passes(steps[i], Match::Of(*path_[place]), scope_);
      is_parent = i > 0 && reached_[place];
      is_above = is_above || is_parent;
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
