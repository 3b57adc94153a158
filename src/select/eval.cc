#include "select/eval.h"

#include <algorithm>
#include <unordered_map>

#include "select/fault.h"
#include "select/result_order.h"

namespace pactdb::select {
namespace {

bool BitsLess(Match a, Match b) {
  return a.bits() < b.bits();
}

// Membership by binary search; for one or two matches, which is the rule, that is a comparison.
class Lookup {
 public:
  explicit Lookup(const std::vector<Match>& matches) : sorted_(matches) {
    std::ranges::sort(sorted_, BitsLess);
  }
  bool Has(Match match) const { return std::ranges::binary_search(sorted_, match, BitsLess); }

 private:
  std::vector<Match> sorted_;
};

// The implicit core the node lies in, if it does.
bool IsInCore(const Node& node, const Node& parent, const Lookup& tops) {
  return node.is_block() && node.offset == 0 && tops.Has(Match::CoreOf(parent));
}

bool IsBelow(const TreeView& view, const Node& node, const Lookup& tops, bool child_only) {
  const Node* below = &node;
  for (const Node* at = view.Parent(node); at != nullptr; at = view.Parent(*at)) {
    if (tops.Has(Match::Of(*at)) || IsInCore(*below, *at, tops)) return true;
    if (child_only) return false;
    below = at;
  }
  return false;
}

// Keeps, of the matches with one parent, the one the pick names. Matches are in order, so the n-th
// met is the n-th.
void PickPerParent(const Pick& pick, std::vector<Match>& matches) {
  struct Seen {
    std::int64_t count = 0;
    std::size_t chosen = SIZE_MAX;
  };
  std::unordered_map<NodeNumber, Seen> parents;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    Seen& seen = parents[matches[i].parent()];
    ++seen.count;
    const std::int64_t wanted = pick.kind == Pick::Kind::kNth ? pick.n : 1;
    if (pick.kind == Pick::Kind::kLast || seen.count == wanted) seen.chosen = i;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    if (parents[matches[i].parent()].chosen == i) matches[kept++] = matches[i];
  }
  matches.erase(matches.begin() + static_cast<std::ptrdiff_t>(kept), matches.end());
}

void PickOne(const Pick& pick, std::vector<Match>& matches) {
  const std::size_t count = matches.size();
  std::size_t index = pick.kind == Pick::Kind::kLast ? count - 1 : 0;
  if (pick.kind == Pick::Kind::kNth) index = static_cast<std::size_t>(pick.n - 1);
  if (index >= count) return matches.clear();
  const Match chosen = matches[index];
  matches.assign(1, chosen);
}

}  // namespace

Evaluator::Evaluator(const Ast& ast, const std::vector<GroupPlan>& plan, const TreeView& view,
                     std::uint64_t visits_max)
    : ast_(ast),
      plan_(plan),
      view_(view),
      scope_{&view, ast.dialect},
      visits_max_(visits_max),
      budget_{visits_max} {}

Result<MatchSet> Evaluator::Run(std::size_t stop_at) {
  MatchSet all;
  const bool is_union = ast_.groups.size() > 1;
  for (std::size_t i = 0; i < ast_.groups.size(); ++i) {
    MatchSet matches = RunGroup(ast_.groups[i], plan_[i], is_union ? SIZE_MAX : stop_at);
    if (is_union) {
      all.items.insert(all.items.end(), matches.items.begin(), matches.items.end());
    } else {
      all = std::move(matches);
    }
  }
  if (budget_.is_exceeded) {
    return std::unexpected(MakeLimitFault(
        "select_visits", visits_max_,
        "the selector looks at more than " + std::to_string(visits_max_) + " nodes"));
  }
  all.is_sorted = all.is_sorted && !is_union;
  Sort(all);
  if (is_union) {
    const auto repeats = std::ranges::unique(all.items);
    all.items.erase(repeats.begin(), repeats.end());
  }
  return all;
}

void Evaluator::Sort(MatchSet& matches) const {
  if (!matches.is_sorted) SortPreorder(view_, ast_.dialect == Dialect::kCanonical, matches.items);
  matches.is_sorted = true;
}

MatchSet Evaluator::RunGroup(const Group& group, const GroupPlan& plan, std::size_t stop_at) {
  MatchSet matches;
  for (std::size_t i = 0; i < group.steps.size(); ++i) {
    const bool is_last = i + 1 == group.steps.size();
    // Picks and later filters need all candidates.
    const bool may_stop = is_last && PrefixSize(group.steps[i]) == group.steps[i].parts.size();
    matches = RunStep(group, i, plan[i], matches, may_stop ? stop_at : SIZE_MAX);
    if (matches.items.empty()) break;
    if (!is_last) Sort(matches);
  }
  return matches;
}

MatchSet Evaluator::RunStep(const Group& group, std::size_t index, const StepPlan& plan,
                            const MatchSet& before, std::size_t stop_at) {
  MatchSet matches;
  const BoundStep bound = Bind(group.steps[index], scope_);
  FindCandidates(group, index, plan, bound, before, stop_at, matches);
  ApplyTail(group.steps[index], matches);
  return matches;
}

void Evaluator::FindCandidates(const Group& group, std::size_t index, const StepPlan& plan,
                               const BoundStep& bound, const MatchSet& before, std::size_t stop_at,
                               MatchSet& out) {
  const Step& step = group.steps[index];
  const bool after_slot = index > 0 && group.steps[index - 1].IsSlot();
  const bool is_child = step.relation == Relation::kChild;
  // A core among the matches comes out of place; an early end could miss what belongs before it.
  Scan scan(bound, scope_, budget_, out, bound.answers_to_core ? SIZE_MAX : stop_at);
  if (step.relation == Relation::kAnywhere || step.relation == Relation::kBelowRoot) {
    if (!FromIndex(step, plan, bound, nullptr, out)) FromStart(step, plan, bound, scan);
  } else if (step.relation == Relation::kRootChild) {
    scan.Children({{Match::Of(*view_.root)}});
  } else if (step.relation == Relation::kRegionChild) {
    MatchSet regions;
    for (const NodeClass region : {NodeClass::kSys, NodeClass::kSeq, NodeClass::kAh}) {
      if (const Container* node = view_.Region(region)) regions.items.push_back(Match::Of(*node));
    }
    scan.Children(regions);
  } else if (after_slot) {
    if (is_child) return scan.Selves(before);
    scan.Below(before, true);
  } else if (!FromIndex(step, plan, bound, &before, out)) {
    if (is_child) return scan.Children(before);
    scan.Below(before, false);
  }
}

void Evaluator::FromStart(const Step& step, const StepPlan& plan, const BoundStep& bound,
                          Scan& scan) {
  if (step.relation == Relation::kAnywhere && (bound.classes & MaskOf(NodeClass::kRoot)) != 0)
    scan.Root();
  switch (plan.access) {
    case Access::kFixed:
      for (const NodeClass region : {NodeClass::kSys, NodeClass::kSeq, NodeClass::kAh}) {
        if ((bound.classes & MaskOf(region)) == 0) continue;
        if (const Container* node = view_.Region(region)) scan.One(*node);
      }
      return;
    case Access::kTurns:
      return scan.Turns();
    case Access::kById:
    case Access::kByKey:
    case Access::kByTag:
    case Access::kWindow:
    case Access::kScan:
      return scan.BelowRoot();
  }
}

// Asks an index and keeps what stands in the right relation to the step before. False if the step
// has none.
bool Evaluator::FromIndex(const Step& step, const StepPlan& plan, const BoundStep& bound,
                          const MatchSet* before, MatchSet& out) {
  if (plan.access > Access::kByTag) return false;
  const auto& filter = std::get<Filter>(step.parts[plan.part]);
  const std::vector<const Node*> found = LookUp(filter, plan.access);
  const Lookup tops(before != nullptr ? before->items : std::vector<Match>());
  for (const Node* node : found) {
    if (!budget_.Spend()) return true;
    if (node == view_.root && step.relation == Relation::kBelowRoot) continue;
    if (!Passes(bound, Match::Of(*node), scope_)) continue;
    const bool child_only = step.relation == Relation::kChild;
    if (before != nullptr && !IsBelow(view_, *node, tops, child_only)) continue;
    out.items.push_back(Match::Of(*node));
  }
  out.is_sorted = out.items.size() < 2;
  out.is_disjoint = out.items.size() < 2;
  return true;
}

std::vector<const Node*> Evaluator::LookUp(const Filter& filter, Access access) {
  std::vector<const Node*> nodes;
  const auto add_id = [&] {
    if (const Node* node = view_.FindId(filter.value.text)) nodes.push_back(node);
  };
  if (access == Access::kById) {
    add_id();
    return nodes;
  }
  const IndexKind kind = access == Access::kByKey ? IndexKind::kKey : IndexKind::kTag;
  view_.lexicon->ForEachPosting(kind, filter.value.text, view_.ordinal, [&](NodeNumber number) {
    if (const Node* node = view_.Find(number)) nodes.push_back(node);
  });
  if (access == Access::kByKey && ast_.dialect == Dialect::kCanonical) add_id();
  std::ranges::sort(nodes);  // a node can come twice
  const auto repeats = std::ranges::unique(nodes);
  nodes.erase(repeats.begin(), repeats.end());
  return nodes;
}

// The parts from the first pick on, one after the other.
void Evaluator::ApplyTail(const Step& step, MatchSet& matches) {
  const std::size_t prefix = PrefixSize(step);
  if (prefix == step.parts.size()) return;
  const bool by_key = step.KeyFilter() != nullptr;
  for (std::size_t i = prefix; i < step.parts.size() && !matches.items.empty(); ++i) {
    const Part& part = step.parts[i];
    if (const auto* pick = std::get_if<Pick>(&part)) {
      ApplyPick(*pick, by_key, matches);
    } else {
      std::erase_if(matches.items, [&](Match match) { return !Holds(part, match, scope_); });
    }
  }
}

void Evaluator::ApplyPick(const Pick& pick, bool by_key, MatchSet& matches) {
  if (by_key) {
    SortByKeyOrder(view_, matches.items);
    PickOne(pick, matches.items);
  } else {
    Sort(matches);
    PickPerParent(pick, matches.items);
  }
}

Insides::Insides(const TreeView& view, const MatchSet& set) : view_(view), sorted_(set.items) {
  std::ranges::sort(sorted_, BitsLess);
}

bool Insides::Holds(Match match) const {
  const auto has = [this](Match wanted) {
    return std::ranges::binary_search(sorted_, wanted, BitsLess);
  };
  const Node* below = nullptr;
  for (const Node* at = &match.node(); at != nullptr; at = view_.Parent(*at)) {
    if (has(Match::Of(*at))) return true;
    const bool in_core = below != nullptr && below->is_block() && below->offset == 0;
    if (in_core && has(Match::CoreOf(*at))) return true;
    below = at;
  }
  return false;
}

}  // namespace pactdb::select
