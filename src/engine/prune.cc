#include "engine/prune.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <unordered_set>

#include "base/try.h"
#include "engine/bonds.h"
#include "engine/expiry.h"
#include "engine/prune_order.h"

namespace pactdb {
namespace {

using Cause = Departure::Cause;
using Numbers = std::vector<NodeNumber>;

class Pruner {
 public:
  Pruner(WorkingTree& tree, const Holds& holds, const Policy& policy, const NodeCost* tokens,
         Numbers& hollow, Numbers& cascaded)
      : tree_(tree),
        holds_(holds),
        bonds_(tree, holds),
        policy_(policy),
        tokens_(tokens),
        hollow_(hollow),
        cascaded_(cascaded) {
    tree_.Summarize();
    turns_ = child_list::Size(seq().children);
    const auto protect = static_cast<std::uint64_t>(policy.protect_recent_turns);
    prunable_turns_ = protect >= turns_ ? 0 : turns_ - protect;
  }

  Result<Pruned> Run() {
    for (const Limit& limit : Limits()) Enforce(limit);
    for (const Limit& limit : Limits()) {
      const std::int64_t actual = limit.actual();
      if (actual > limit.max) pruned_.over_limit.push_back({limit.name, limit.max, actual});
    }
    if (policy_.strict && !pruned_.over_limit.empty()) return std::unexpected(StrictError());
    return std::move(pruned_);
  }

 private:
  struct Limit {
    std::string name;
    Cause cause;
    std::int64_t max;
    std::function<std::int64_t()> actual;
    // What may be taken to hold it at `target`.
    std::function<void(PruneOrder&, std::int64_t target)> candidates;
  };

  const Container& seq() const { return tree_.region(NodeClass::kSeq); }

  bool IsPruned(NodeClass region) const {
    return std::ranges::any_of(policy_.prune_regions, [region](Region named) {
      return static_cast<int>(named) ==
             static_cast<int>(region) - static_cast<int>(NodeClass::kSys);
    });
  }

  std::vector<Limit> Limits() {
    std::vector<Limit> limits;
    if (policy_.max_turns) {
      limits.push_back(
          {"max_turns", Cause::kMaxTurns, *policy_.max_turns,
           [this] { return DeepestFilledTurn(); },
           [this](PruneOrder& order, std::int64_t target) { AddDeepTurns(target, order); }});
    }
    AddRegionLimits("sys", {Cause::kSysNodes, Cause::kSysTokens}, policy_.sys, NodeClass::kSys,
                    limits);
    AddRegionLimits("seq", {Cause::kSeqNodes, Cause::kSeqTokens}, policy_.seq, NodeClass::kSeq,
                    limits);
    AddRegionLimits("ah", {Cause::kAhNodes, Cause::kAhTokens}, policy_.ah, NodeClass::kAh, limits);
    const auto everything = [this](PruneOrder& order, std::int64_t /*target*/) {
      for (const auto region : {NodeClass::kSys, NodeClass::kSeq, NodeClass::kAh})
        AddRegion(region, order);
    };
    if (policy_.max_nodes) {
      limits.push_back({"max_nodes", Cause::kMaxNodes, *policy_.max_nodes,
                        [this] { return static_cast<std::int64_t>(tree_.node_count()); },
                        everything});
    }
    if (policy_.max_tokens) {
      limits.push_back({"max_tokens", Cause::kMaxTokens, *policy_.max_tokens,
                        [this] { return TokensBelow(*tree_.View(0).root); }, everything});
    }
    return limits;
  }

  struct RegionCauses {
    Cause nodes;
    Cause tokens;
  };

  void AddRegionLimits(const std::string& name, RegionCauses causes,
                       const std::optional<Policy::RegionLimits>& region_policy, NodeClass region,
                       std::vector<Limit>& limits) {
    if (!region_policy) return;
    const auto candidates = [this, region](PruneOrder& order, std::int64_t /*target*/) {
      AddRegion(region, order);
    };
    if (region_policy->max_nodes) {
      limits.push_back({name + ".max_nodes", causes.nodes, *region_policy->max_nodes,
                        [this, region] {
                          return static_cast<std::int64_t>(
                              child_list::Below(tree_.region(region)).nodes);
                        },
                        candidates});
    }
    if (region_policy->max_tokens) {
      limits.push_back({name + ".max_tokens", causes.tokens, *region_policy->max_tokens,
                        [this, region] { return TokensBelow(tree_.region(region)); }, candidates});
    }
  }

  std::int64_t TokensBelow(const Container& container) const {
    return static_cast<std::int64_t>(CostBelow(container, *tokens_).units);
  }

  void AddRegion(NodeClass region, PruneOrder& order) const {
    if (!IsPruned(region)) return;
    order.AddChildren(tree_.region(region),
                      region == NodeClass::kSeq ? prunable_turns_ : PruneOrder::kAll);
  }

  // --- max_turns ---

  // Turns that will lie deeper than `max_turns` once the head is sealed.
  std::size_t DeepTurns(std::int64_t max_turns) const {
    const auto max = static_cast<std::uint64_t>(max_turns);
    return max > turns_ ? 0 : std::min<std::size_t>(turns_ + 1 - max, turns_);
  }

  void AddDeepTurns(std::int64_t max_turns, PruneOrder& order) const {
    if (IsPruned(NodeClass::kSeq))
      order.AddChildren(seq(), std::min(DeepTurns(max_turns), prunable_turns_));
    if (IsPruned(NodeClass::kAh) && max_turns == 0) order.AddChildren(tree_.region(NodeClass::kAh));
  }

  // Depth after sealing of the oldest turn that holds more than its cores; the head counts as
  // depth 1.
  std::int64_t DeepestFilledTurn() const {
    std::size_t index = 0;
    const Chunk* chunk = seq().children;
    if (chunk == nullptr || chunk->summary.expendable == 0) {
      return child_list::Below(tree_.region(NodeClass::kAh)).expendable > 0 ? 1 : 0;
    }
    while (chunk->level > 0) {
      for (const Chunk::Slot& slot : chunk->view()) {
        if (slot.chunk->summary.expendable > 0) {
          chunk = slot.chunk;
          break;
        }
        index += slot.chunk->summary.entries;
      }
    }
    for (const Chunk::Slot& slot : chunk->view()) {
      if (child_list::Below(*slot.node->AsContainer()).expendable > 0) break;
      ++index;
    }
    return static_cast<std::int64_t>(turns_ - index) + 1;
  }

  // --- taking nodes ---

  // How far a broken limit is cut. Up to the limit itself the next turns need no cut then; the
  // order is the same, so what is left is what that lower limit would have left.
  std::int64_t TargetOf(const Limit& limit) const {
    if (policy_.prune == PruneRule::kCanonical) return limit.max;
    return limit.max - limit.max / 4;
  }

  // The order runs over the tree as it stands now; what goes meanwhile is passed over. A node that
  // could not go is tried again after every removal, because what held it may have gone.
  void Enforce(const Limit& limit) {
    if (limit.actual() <= limit.max) return;
    cause_ = limit.cause;
    const Ref<Container> frozen = tree_.Share();
    PruneOrder order(tree_.lexicon());
    const std::int64_t target = TargetOf(limit);
    limit.candidates(order, target);
    Numbers passed_over;
    while (limit.actual() > target) {
      if (TakeFirst(passed_over)) continue;
      const Node* candidate = order.Next();
      if (candidate == nullptr) return;
      if (tree_.Find(candidate->number) == nullptr) continue;
      if (!Take(candidate->number)) passed_over.push_back(candidate->number);
    }
  }

  bool TakeFirst(Numbers& passed_over) {
    if (!retry_) return false;
    retry_ = false;
    for (auto number = passed_over.begin(); number != passed_over.end(); ++number) {
      const bool is_gone = tree_.Find(*number) == nullptr;
      if (!is_gone && !Take(*number)) continue;
      passed_over.erase(number);
      retry_ = true;
      return true;
    }
    return false;
  }

  // A set of nodes that go together.
  struct Going {
    Numbers tops;  // the node, then the partners that its going takes along
    Numbers all;   // each with what it holds
    std::unordered_set<NodeNumber> set;

    void Add(const Node& top) {
      tops.push_back(top.number);
      for (PreorderCursor below(top); below.get() != nullptr; below.Next()) {
        if (set.insert(below.get()->number).second) all.push_back(below.get()->number);
      }
    }
  };

  // Takes the node with all that must go with it, or nothing.
  bool Take(NodeNumber number) {
    Going going;
    going.Add(*tree_.Find(number));
    for (std::size_t known = 0; known < going.all.size();) {
      // Partners join in tree order, which does not depend on how the tree came about.
      const auto partners = Partners(going, std::exchange(known, going.all.size()));
      for (const Node* partner : partners) {
        if (!IsCandidate(*partner)) return false;
        if (!going.set.contains(partner->number)) going.Add(*partner);
      }
    }
    if (!std::ranges::all_of(going.all,
                             [&](NodeNumber one) { return MayGo(*tree_.Find(one), going); }))
      return false;
    for (const NodeNumber top : going.tops) {
      const Node* node = tree_.Find(top);
      if (node == nullptr) continue;
      hollow_.push_back(node->parent);
      tree_.Erase(top);
    }
    pruned_.gone.insert(pruned_.gone.end(), going.all.begin(), going.all.end());
    for (const NodeNumber one : going.all) pruned_.departures.push_back({one, number, cause_});
    Cascade(tree_, holds_, hollow_, cascaded_);
    tree_.Summarize();
    retry_ = true;
    return true;
  }

  // Call partners, outside the set, of its members from `first` on.
  std::vector<const Node*> Partners(const Going& going, std::size_t first) const {
    std::vector<const Node*> partners;
    for (std::size_t i = first; i < going.all.size(); ++i) {
      bonds_.ForEachPartner(*tree_.Find(going.all[i]), [&](NodeNumber partner) {
        if (!going.set.contains(partner)) partners.push_back(tree_.Find(partner));
      });
    }
    const TreeView view = tree_.View(0);
    std::ranges::sort(partners, [&view](const Node* a, const Node* b) {
      return a != b && ComesBefore(view, *a, *b);
    });
    return partners;
  }

  bool MayGo(const Node& node, const Going& going) const {
    bool may = !bonds_.IsKept(node);
    bonds_.ForEachReferrer(node, [&](NodeNumber other) { may = may && going.set.contains(other); });
    return may;
  }

  bool IsCandidate(const Node& node) const {
    if (!node.is_expendable()) return false;
    const TreeView view = tree_.View(0);
    const Node* stem = view.Stem(node);
    if (!stem->is_turn()) return IsPruned(stem->node_class());
    return IsPruned(NodeClass::kSeq) &&
           child_list::Rank(seq().children, *stem, tree_.lexicon()) < prunable_turns_;
  }

  Error StrictError() const {
    const BrokenLimit& first = pruned_.over_limit.front();
    return Error(ErrorCode::kLimitExceeded, first.limit + " is " + std::to_string(first.max) +
                                                ", but " + std::to_string(first.actual) +
                                                " remain that may not be pruned")
        .With("limit", first.limit)
        .With("max", first.max)
        .With("actual", first.actual);
  }

  WorkingTree& tree_;
  const Holds& holds_;
  Bonds bonds_;
  const Policy& policy_;
  const NodeCost* tokens_;
  Numbers& hollow_;
  Numbers& cascaded_;
  Pruned pruned_;
  std::size_t turns_ = 0;
  std::size_t prunable_turns_ = 0;  // the oldest ones
  bool retry_ = false;
  Cause cause_ = Cause::kMaxNodes;  // the limit being enforced
};

}  // namespace

Result<Pruned> Prune(WorkingTree& tree, const Holds& holds, const Policy& policy,
                     const NodeCost* tokens, Numbers& hollow, Numbers& cascaded) {
  return Pruner(tree, holds, policy, tokens, hollow, cascaded).Run();
}

}  // namespace pactdb
