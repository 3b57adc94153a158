// What differs between two trees.
//
// Nodes are the same node if they have the same id in one context. Of two contexts that are forks
// of one tree those are the same that were made at or before the last commit they share
// (model/kinship.h); of contexts that share no history only the fixed containers are. A parent does
// not change because its list of children does.
//
// Thread safety: pure functions of the trees.
#pragma once

#include <pactdb/options.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/kinship.h"
#include "model/tree_view.h"

namespace pactdb {

// A node that both trees have and that shows another value in at least one field.
struct NodeChange {
  const Node* before;
  const Node* after;
};

// Nodes belong to the trees that were compared.
struct TreeDiff {
  std::vector<const Node*> added;
  std::vector<const Node*> removed;
  std::vector<NodeChange> changed;
};

// Which of the two is the newer: the one whose time is later, at equal times the working tree, else
// `to`.
bool IsFromNewer(const TreeView& from, const TreeView& to);

enum class TurnOrder : std::uint8_t { kOldestFirst, kNewestFirst };

// The order of turns in results of the dialect.
inline TurnOrder TurnOrderOf(Dialect dialect) {
  return dialect == Dialect::kCanonical ? TurnOrder::kNewestFirst : TurnOrder::kOldestFirst;
}

// Forks that a store keeps may be loaded apart from each other: then `common` is what both have in
// their histories, as `from`'s context has loaded it (model/kinship.h).
//
// `added` is in preorder of `to`, `removed` of `from`, `changed` of the newer of the two.
// Children stand in canonical order, but for the turns, which come as `turns` says. REQUIRES: both
// trees summarized.
TreeDiff Compare(const TreeView& from, const TreeView& to,
                 TurnOrder turns = TurnOrder::kOldestFirst,
                 const std::optional<CommonPast>& common = std::nullopt);

// The same over some nodes of each tree: what is in one list only has come or gone, whatever else
// the tree holds. `added` and `changed` keep the order of their lists.
TreeDiff CompareSelected(const TreeView& from, std::span<const Node* const> from_nodes,
                         const TreeView& to, std::span<const Node* const> to_nodes,
                         const std::optional<CommonPast>& common = std::nullopt);

// The fields that differ, in the order of model/difference.h.
std::vector<std::string> ChangedFields(const NodeChange& change, const TreeView& from,
                                       const TreeView& to);

}  // namespace pactdb
