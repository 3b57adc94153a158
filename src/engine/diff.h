// The answer of `diff`.
//
// Thread safety: pure functions of the trees.
#pragma once

#include <string>

#include "diff/tree_diff.h"
#include "text/json_out.h"

namespace pactdb {

// A diff and the trees it is between.
struct DiffOf {
  const TreeView& from;
  const TreeView& to;
  const TreeDiff& diff;
};

// {"added", "removed", "changed": [{"id", "fields"}]}, the members without their braces.
void WriteDiff(const DiffOf& of, JsonOut& out);

// What `detail` adds: components_added and components_removed, the nodes in full and their position
// among their siblings; components_modified, with old and new values; children, a parent each of
// what came, went or moved.
void WriteDiffDetail(const DiffOf& of, JsonOut& out);

// What `moves` adds: pairs of a removed and an added node that say the same. The first removed of a
// content hash goes with the first added, and so on; nodes without content say nothing.
void WriteDiffMoves(const DiffOf& of, JsonOut& out);

}  // namespace pactdb
