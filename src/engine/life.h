// What happened to a node, from its birth on.
//
// Thread safety: as the trees and the history.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/history.h"
#include "model/tree_view.h"

namespace pactdb {

struct LifeEvent {
  std::int64_t cycle;
  std::string event;  // born changed moved sealed deferred expired cascaded pruned removed
  std::vector<std::string> fields;
  std::string why;
};

// The life of one node: from the versions that snapshots have of it and, last, from the working
// state `now`, which counts as cycle `open_cycle`. A ttl that runs down is no event; the commit
// that found it over and had to leave the node is one, once. O(versions * log commits); for the
// fixed containers, of which every commit has a version, O(commits).
std::vector<LifeEvent> LifeOf(const History& history, const TreeView& now, NodeNumber number,
                              std::int64_t open_cycle);

}  // namespace pactdb
