#include "diff/tree_diff.h"

#include <algorithm>
#include <span>

#include "model/difference.h"

namespace pactdb {
namespace {

// Preorder, with the turns in the order asked for.
std::vector<const Node*> Listed(const TreeView& view, TurnOrder turns) {
  std::vector<const Node*> nodes;
  std::vector<std::size_t> starts;  // of the turns
  std::size_t end = 0;
  bool in_seq = false;
  for (PreorderCursor at(*view.root); at.get() != nullptr; at.Next()) {
    if (at.get()->is_fixed()) in_seq = at.get()->node_class() == NodeClass::kSeq;
    if (at.get()->is_turn()) starts.push_back(nodes.size());
    nodes.push_back(at.get());
    if (in_seq) end = nodes.size();
  }
  if (turns == TurnOrder::kOldestFirst || starts.empty()) return nodes;
  std::vector<const Node*> reversed(nodes.begin(),
                                    nodes.begin() + static_cast<std::ptrdiff_t>(starts[0]));
  std::size_t turn_end = end;
  for (auto start = starts.rbegin(); start != starts.rend(); turn_end = *start++) {
    const auto turn = std::span(nodes).subspan(*start, turn_end - *start);
    reversed.insert(reversed.end(), turn.begin(), turn.end());
  }
  reversed.insert(reversed.end(), nodes.begin() + static_cast<std::ptrdiff_t>(end), nodes.end());
  return reversed;
}

const Node* Counterpart(const Node& node, const TreeView& in, const TreeView& other) {
  if (in.lexicon == other.lexicon) return other.Find(node.number);
  if (!node.is_fixed()) return nullptr;
  return node.node_class() == NodeClass::kRoot ? other.root : other.Region(node.node_class());
}

bool IsNewer(const TreeView& from, const TreeView& to) {
  if (from.now != to.now) return from.now > to.now;
  return from.ordinal == kNever && to.ordinal != kNever;
}

}  // namespace

TreeDiff Compare(const TreeView& from, const TreeView& to, TurnOrder turns) {
  TreeDiff diff;
  const bool by_from = IsNewer(from, to);
  for (const Node* before : Listed(from, turns)) {
    const Node* after = Counterpart(*before, from, to);
    if (after == nullptr) {
      diff.removed.push_back(before);
    } else if (by_from && Differs(from, *before, to, *after)) {
      diff.changed.push_back({before, after});
    }
  }
  for (const Node* after : Listed(to, turns)) {
    const Node* before = Counterpart(*after, to, from);
    if (before == nullptr) {
      diff.added.push_back(after);
    } else if (!by_from && Differs(from, *before, to, *after)) {
      diff.changed.push_back({before, after});
    }
  }
  return diff;
}

std::vector<std::string> ChangedFields(const NodeChange& change, const TreeView& from,
                                       const TreeView& to) {
  return DifferentFields(from, *change.before, to, *change.after);
}

}  // namespace pactdb
