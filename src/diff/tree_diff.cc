// Method: both trees are walked together, list by list (diff/list_pair.h), and whatever they share
// is passed over. An entry of one list only has either come or gone, or stands elsewhere in the
// other tree, which the id table tells. What stands elsewhere is met twice, once on each side;
// each meeting reports what that side's order is for: added nodes go by the newer place, removed
// ones by the older. So every list below carries for which sides it reports.
#include "diff/tree_diff.h"

#include <algorithm>

#include "base/number_map.h"
#include "diff/list_pair.h"
#include "model/difference.h"

namespace pactdb {
namespace {

// Turns come oldest first; this lists them newest first. `starts`: where each turn's items begin.
template <typename Item>
void ReverseGroups(std::vector<Item>& items, const std::vector<std::size_t>& starts) {
  if (starts.size() < 2) return;
  const auto at = [&items](std::size_t i) {
    return items.begin() + static_cast<std::ptrdiff_t>(i);
  };
  for (std::size_t i = 0; i < starts.size(); ++i) {
    std::reverse(at(starts[i]), i + 1 < starts.size() ? at(starts[i + 1]) : items.end());
  }
  std::reverse(at(starts[0]), items.end());
}

// Numbers and sibling order of one tree mean something in the other. A fork will share the numbers
// below its fork point with its ancestor; then this is a question of the number.
bool AreRelated(const TreeView& a, const TreeView& b) {
  return a.lexicon == b.lexicon;
}

bool IsFromNewer(const TreeView& from, const TreeView& to) {
  if (from.now != to.now) return from.now > to.now;
  return from.ordinal == kNever && to.ordinal != kNever;
}

class Comparer {
 public:
  Comparer(const TreeView& from, const TreeView& to, TurnOrder turns)
      : from_(from), to_(to), turns_(turns), newer_(IsFromNewer(from, to) ? kFrom : kTo) {}

  TreeDiff Run() {
    const bool is_one_root = is_related() && from_.root->number == to_.root->number;
    if (is_one_root) {
      Meet(*from_.root, *to_.root, kBoth);
      WalkLists();
    } else {
      Leave(*from_.root);
      WalkLists();
      Arrive(*to_.root);
      WalkLists();
    }
    return std::move(diff_);
  }

 private:
  using Sides = unsigned;
  static constexpr Sides kFrom = 1;
  static constexpr Sides kTo = 2;
  static constexpr Sides kBoth = kFrom | kTo;

  struct Level {
    ListPair lists;
    Sides sides;
    bool is_seq;
  };

  bool is_related() const { return AreRelated(from_, to_); }

  const Node* Counterpart(const Node& node, const TreeView& other) const {
    if (is_related()) return other.Find(node.number);
    if (!node.is_fixed()) return nullptr;
    return node.node_class() == NodeClass::kRoot ? other.root : other.Region(node.node_class());
  }

  void WalkLists() {
    while (!levels_.empty()) {
      Level& level = levels_.back();
      ListPair::Step step;
      if (!level.lists.Next(step)) {
        if (level.is_seq) EndTurns();
        levels_.pop_back();
        continue;
      }
      if (level.is_seq) NoteTurn(step, level.sides);
      if (step.before != nullptr && step.after != nullptr) {
        Meet(*step.before, *step.after, level.sides);
      } else if (step.before != nullptr && (level.sides & kFrom) != 0) {
        Leave(*step.before);
      } else if (step.after != nullptr && (level.sides & kTo) != 0) {
        Arrive(*step.after);
      }
    }
  }

  // The same node, met in both trees at once or, for one side, at its place there.
  void Meet(const Node& before, const Node& after, Sides sides) {
    if ((sides & newer_) != 0 && Differs(from_, before, to_, after))
      diff_.changed.push_back({&before, &after});
    const Chunk* from = ChildrenOf(before);
    const Chunk* to = ChildrenOf(after);
    if (!is_related()) {
      Push(sides == kFrom ? from : nullptr, sides == kTo ? to : nullptr, sides, after);
    } else if (sides == kBoth && before.node_class() != after.node_class()) {
      // An import gave the id to another kind of node: one of the two may list turns.
      Push(from, to, kTo, after);
      Push(from, to, kFrom, before);
    } else {
      Push(from, to, sides, sides == kFrom ? before : after);
    }
  }

  // Stands here in `from` and not in `to`.
  void Leave(const Node& before) {
    if (const Node* after = Counterpart(before, to_)) return Meet(before, *after, kFrom);
    diff_.removed.push_back(&before);
    Push(ChildrenOf(before), nullptr, kFrom, before);
  }

  // Stands here in `to` and not in `from`.
  void Arrive(const Node& after) {
    if (const Node* before = Counterpart(after, from_)) return Meet(*before, after, kTo);
    diff_.added.push_back(&after);
    Push(nullptr, ChildrenOf(after), kTo, after);
  }

  static const Chunk* ChildrenOf(const Node& node) {
    const Container* container = node.AsContainer();
    return container == nullptr ? nullptr : container->children;
  }

  bool WantsTtls(Sides sides) const { return from_.now != to_.now && (sides & newer_) != 0; }

  void Push(const Chunk* from, const Chunk* to, Sides sides, const Node& parent) {
    if (from == to && (from == nullptr || !WantsTtls(sides) || from->summary.ttl_nodes == 0))
      return;
    const bool is_seq = turns_ == TurnOrder::kNewestFirst && parent.node_class() == NodeClass::kSeq;
    levels_.push_back({ListPair(from, to, *to_.lexicon, WantsTtls(sides)), sides, is_seq});
  }

  // Only one ^seq is open at a time.
  void NoteTurn(const ListPair::Step& step, Sides sides) {
    if (step.before != nullptr && (sides & kFrom) != 0)
      removed_starts_.push_back(diff_.removed.size());
    if (step.after != nullptr && (sides & kTo) != 0) added_starts_.push_back(diff_.added.size());
    if ((newer_ == kFrom ? step.before : step.after) != nullptr && (sides & newer_) != 0)
      changed_starts_.push_back(diff_.changed.size());
  }
  void EndTurns() {
    ReverseGroups(diff_.removed, removed_starts_);
    ReverseGroups(diff_.added, added_starts_);
    ReverseGroups(diff_.changed, changed_starts_);
    for (auto* starts : {&removed_starts_, &added_starts_, &changed_starts_}) starts->clear();
  }

  const TreeView& from_;
  const TreeView& to_;
  TurnOrder turns_;
  Sides newer_;
  TreeDiff diff_;
  std::vector<Level> levels_;
  std::vector<std::size_t> removed_starts_;
  std::vector<std::size_t> added_starts_;
  std::vector<std::size_t> changed_starts_;
};

}  // namespace

TreeDiff Compare(const TreeView& from, const TreeView& to, TurnOrder turns) {
  return Comparer(from, to, turns).Run();
}

TreeDiff CompareSelected(const TreeView& from, std::span<const Node* const> from_nodes,
                         const TreeView& to, std::span<const Node* const> to_nodes) {
  // Of trees that share no numbers only fixed containers meet, by their class.
  const bool is_related = AreRelated(from, to);
  const auto key = [is_related](const Node& node) -> std::uint32_t {
    if (is_related) return node.number;
    return node.is_fixed() ? static_cast<std::uint32_t>(node.node_class()) : kNoNode;
  };
  const auto index = [&key](std::span<const Node* const> nodes) {
    NumberMap<const Node> map;
    map.Reserve(nodes.size());
    for (const Node* node : nodes) {
      if (key(*node) != kNoNode) map.Set(key(*node), node);
    }
    return map;
  };
  const auto find = [&key](const NumberMap<const Node>& map, const Node& node) -> const Node* {
    const auto* item = key(node) == kNoNode ? nullptr : map.Find(key(node));
    return item == nullptr ? nullptr : item->value;
  };
  TreeDiff diff;
  const bool by_from = IsFromNewer(from, to);
  const auto meet = [&](const Node& before, const Node& after) {
    if (Differs(from, before, to, after)) diff.changed.push_back({&before, &after});
  };
  const auto to_index = index(to_nodes);
  for (const Node* before : from_nodes) {
    const Node* after = find(to_index, *before);
    if (after == nullptr) diff.removed.push_back(before);
    if (after != nullptr && by_from) meet(*before, *after);
  }
  const auto from_index = index(from_nodes);
  for (const Node* after : to_nodes) {
    const Node* before = find(from_index, *after);
    if (before == nullptr) diff.added.push_back(after);
    if (before != nullptr && !by_from) meet(*before, *after);
  }
  return diff;
}

std::vector<std::string> ChangedFields(const NodeChange& change, const TreeView& from,
                                       const TreeView& to) {
  return DifferentFields(from, *change.before, to, *change.after);
}

}  // namespace pactdb
