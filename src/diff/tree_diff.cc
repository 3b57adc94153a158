#include "diff/tree_diff.h"

#include "base/number_map.h"
#include "diff/comparer.h"
#include "model/difference.h"
#include "model/kinship.h"

namespace pactdb {

bool IsFromNewer(const TreeView& from, const TreeView& to) {
  if (from.now != to.now) return from.now > to.now;
  return from.ordinal == kNever && to.ordinal != kNever;
}

TreeDiff Compare(const TreeView& from, const TreeView& to, TurnOrder turns,
                 const std::optional<CommonPast>& common) {
  return Comparer(from, to, turns, common).Run();
}

TreeDiff CompareSelected(const TreeView& from, std::span<const Node* const> from_nodes,
                         const TreeView& to, std::span<const Node* const> to_nodes,
                         const std::optional<CommonPast>& common) {
  // Of trees that share no numbers only fixed containers meet, by their class.
  const Kinship kinship(from, to, common);
  const auto class_key = [](const Node& node) -> std::uint32_t {
    return node.is_fixed() ? static_cast<std::uint32_t>(node.node_class()) : kNoNode;
  };
  // What nodes of both trees are told apart by: the number in `to`.
  const auto from_key = [&](const Node& node) {
    return kinship.are_related() ? kinship.InB(node.number) : class_key(node);
  };
  const auto to_key = [&](const Node& node) {
    if (!kinship.are_related()) return class_key(node);
    return kinship.InA(node.number) == kNoNode ? kNoNode : node.number;
  };
  const auto index = [](std::span<const Node* const> nodes, const auto& key) {
    NumberMap<const Node*> map;
    map.Reserve(nodes.size());
    for (const Node* node : nodes) {
      if (key(*node) != kNoNode) map.Set(key(*node), node);
    }
    return map;
  };
  const auto find = [](const NumberMap<const Node*>& map, std::uint32_t key) -> const Node* {
    const auto* item = key == kNoNode ? nullptr : map.Find(key);
    return item == nullptr ? nullptr : item->value;
  };
  TreeDiff diff;
  const bool by_from = IsFromNewer(from, to);
  const auto meet = [&](const Node& before, const Node& after) {
    if (Differs(from, before, to, after)) diff.changed.push_back({&before, &after});
  };
  const auto to_index = index(to_nodes, to_key);
  for (const Node* before : from_nodes) {
    const Node* after = find(to_index, from_key(*before));
    if (after == nullptr) diff.removed.push_back(before);
    if (after != nullptr && by_from) meet(*before, *after);
  }
  const auto from_index = index(from_nodes, from_key);
  for (const Node* after : to_nodes) {
    const Node* before = find(from_index, to_key(*after));
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
