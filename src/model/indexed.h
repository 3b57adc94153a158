// Lookup by what a node carries: key, tag, reference, call.
//
// Which attribute feeds which index is said here once; edits, commits and lookups all go through
// it.
//
// Thread safety: as TreeView and Lexicon.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/node.h"
#include "model/tree_view.h"

namespace pactdb {

// Calls visit(kind, value) for every index entry the node has.
void ForEachIndexed(const Node& node,
                    const std::function<void(IndexKind, const std::string&)>& visit);

// True if the node carries the value.
bool Carries(const Node& node, IndexKind kind, std::string_view value);

// The tree's nodes that carry the value, each once, in canonical preorder.
std::vector<const Node*> FindIndexed(const TreeView& view, IndexKind kind, std::string_view value);

// True if `a` comes before `b` in canonical preorder. REQUIRES: both in the tree.
bool ComesBefore(const TreeView& view, const Node& a, const Node& b);

}  // namespace pactdb
