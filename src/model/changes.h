// How much two states differ, for the log. What counts as a difference: model/difference.h.
//
// Thread safety: as the trees.
#pragma once

#include "model/history.h"
#include "model/working_tree.h"

namespace pactdb {

// Fills in added, removed and changed of `record`, whose tree is `tree`, against the commit before
// it (null: none). A ttl that shows one less is a change. O(changes + due nodes), not O(nodes).
void CountChanges(const WorkingTree& tree, const CommitRecord* before, CommitRecord& record);

}  // namespace pactdb
