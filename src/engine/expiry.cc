// Method: start with everything that could leave if nothing stood in its way, then strike out what
// cannot, then what depended on it, until nothing changes. What is left is the largest set, and the
// only one.

#include "engine/expiry.h"

#include <algorithm>

#include "base/number_map.h"
#include "engine/bonds.h"
#include "model/indexed.h"
#include "model/node_code.h"
#include "model/summary_walk.h"

namespace pactdb {
namespace {

class Leaving {
 public:
  Leaving(const WorkingTree& tree, const Holds& holds) : tree_(tree), bonds_(tree, holds) {}

  // `own_right`: it leaves for a reason of its own, not only because its group does.
  void Add(const Node& node, bool own_right) {
    if (!members_.Contains(node.number)) {
      order_.push_back(node.number);
      // They are looked up when all are known; until then their entries are on their way.
      tree_.View(0).lexicon->PrefetchId(node.number);
      tree_.View(0).lexicon->PrefetchId(node.parent);
    } else if (!own_right) {
      return;
    }
    members_.Set(node.number, own_right ? &kOwnRight : &kWithGroup);
  }

  // Strikes out what cannot leave. `partners` says whether the nodes of a call must leave together.
  void Settle(bool partners) {
    std::vector<NodeNumber> doubtful = order_;
    while (!doubtful.empty()) {
      const NodeNumber number = doubtful.back();
      doubtful.pop_back();
      const auto* member = members_.Find(number);
      if (member->value == nullptr || MayLeave(*tree_.Find(number), *member->value, partners))
        continue;
      members_.Set(number, nullptr);
      PushDependents(*tree_.Find(number), partners, doubtful);
    }
  }

  // In the order they were added.
  std::vector<NodeNumber> Members() const {
    std::vector<NodeNumber> members;
    for (const NodeNumber number : order_) {
      if (Leaves(number)) members.push_back(number);
    }
    return members;
  }

 private:
  static constexpr bool kOwnRight = true;
  static constexpr bool kWithGroup = false;

  bool Leaves(NodeNumber number) const {
    const auto* member = members_.Find(number);
    return member != nullptr && member->value != nullptr;
  }

  bool MayLeave(const Node& node, bool own_right, bool partners) const {
    if (bonds_.IsKept(node)) return false;
    if (!own_right && !Leaves(node.parent)) return false;
    bool may = true;
    const auto need = [&](NodeNumber other) { may = may && Leaves(other); };
    bonds_.ForEachReferrer(node, need);
    if (partners) bonds_.ForEachPartner(node, need);
    if (const Container* container = node.AsContainer()) {
      for (ChildCursor child(*container); may && child.get() != nullptr; child.Next())
        need(child.get()->number);
    }
    return may;
  }

  // The node stays after all: whoever counted on its leaving must be looked at again.
  void PushDependents(const Node& node, bool partners, std::vector<NodeNumber>& doubtful) const {
    const auto push = [&](NodeNumber other) {
      if (Leaves(other)) doubtful.push_back(other);
    };
    push(node.parent);
    bonds_.ForEachTarget(node, push);
    if (partners) bonds_.ForEachPartner(node, push);
    if (const Container* container = node.AsContainer()) {
      for (ChildCursor child(*container); child.get() != nullptr; child.Next())
        push(child.get()->number);
    }
  }

  const WorkingTree& tree_;
  Bonds bonds_;
  NumberMap<const bool*> members_;  // null: struck out
  std::vector<NodeNumber> order_;
};

// Appends the parents to `parents`: they may be hollow now.
void EraseAll(WorkingTree& tree, const std::vector<NodeNumber>& numbers,
              std::vector<NodeNumber>& parents) {
  for (const NodeNumber number : numbers) {
    const Node* node = tree.Find(number);
    if (node == nullptr) continue;  // it went with its group
    parents.push_back(node->parent);
    tree.Erase(number);
  }
}

// Of the nodes, the groups that hold nothing, in tree order, each once.
void KeepHollow(const WorkingTree& tree, std::vector<NodeNumber>& numbers) {
  std::erase_if(numbers, [&tree](NodeNumber number) {
    const Node* node = tree.Find(number);
    return node == nullptr || !IsHollow(*node);
  });
  std::ranges::sort(numbers);
  const auto repeats = std::ranges::unique(numbers);
  numbers.erase(repeats.begin(), repeats.end());
  const TreeView view = tree.View(0);
  std::ranges::sort(numbers, [&view](NodeNumber a, NodeNumber b) {
    return a != b && ComesBefore(view, *view.Find(a), *view.Find(b));
  });
}

}  // namespace

Expired Expire(WorkingTree& tree, const Holds& holds, std::int64_t cycle) {
  tree.Summarize();
  const auto now = static_cast<std::uint64_t>(cycle);
  Expired expired;
  Leaving leaving(tree, holds);
  WalkWhere(
      *tree.View(cycle).root, [now](const Summary& summary) { return summary.expiry_min <= now; },
      [&](const Node& node) {
        if (node.expiry > now || !node.is_expendable()) return;
        expired.due.push_back(node.number);
        for (PreorderCursor below(node); below.get() != nullptr; below.Next()) {
          leaving.Add(*below.get(), below.get() == &node);
        }
      },
      node_code::HasTtl);
  WalkWhere(
      *tree.View(cycle).root, [](const Summary& summary) { return summary.hollow > 0; },
      [&](const Node& node) {
        if (IsHollow(node)) expired.hollow.push_back(node.number);
      });
  if (expired.due.empty()) return expired;
  leaving.Settle(/*partners=*/true);
  expired.gone = leaving.Members();
  for (const NodeNumber number : expired.gone) {
    // What is not due itself leaves with a group that is.
    const Node* due = tree.Find(number);
    while (due->expiry > now) due = tree.Find(due->parent);
    expired.departures.push_back({number, due->number, Departure::Cause::kExpired});
  }
  EraseAll(tree, expired.gone, expired.hollow);
  return expired;
}

void Cascade(WorkingTree& tree, const Holds& holds, std::vector<NodeNumber>& hollow,
             std::vector<NodeNumber>& cascaded) {
  while (true) {
    KeepHollow(tree, hollow);
    if (hollow.empty()) return;
    Leaving leaving(tree, holds);
    for (const NodeNumber number : hollow) leaving.Add(*tree.Find(number), /*own_right=*/true);
    leaving.Settle(/*partners=*/false);
    const std::vector<NodeNumber> members = leaving.Members();
    if (members.empty()) return;
    EraseAll(tree, members, hollow);
    cascaded.insert(cascaded.end(), members.begin(), members.end());
  }
}

}  // namespace pactdb
