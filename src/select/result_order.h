// Orders of results.
//
// Thread safety: pure functions of the tree.
#pragma once

#include <vector>

#include "model/tree_view.h"
#include "select/ast.h"
#include "select/match.h"

namespace pactdb::select {

// Depth first, children in sibling order; turns newest or oldest first.
void SortPreorder(const TreeView& view, bool newest_first, std::vector<Match>& matches);

// As @order says. kDefault is depth first.
void SortBy(Order order, const TreeView& view, bool newest_first, std::vector<Match>& matches);

// Key order, newest first: depth 0, 1, 2, ..., then ^sys; then created_at_ns and creation_index
// descending, then id.
void SortByKeyOrder(const TreeView& view, std::vector<Match>& matches);

// One node a stored key, the first in key order, at its place; nodes without a key stay.
void KeepUnique(const TreeView& view, std::vector<Match>& matches);

}  // namespace pactdb::select
