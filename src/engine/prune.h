// What a commit takes because of the policy.
//
// Thread safety: the writer's.
#pragma once

#include <pactdb/context.h>
#include <pactdb/error.h>
#include <pactdb/options.h>

#include <vector>

#include "engine/holds.h"
#include "model/history.h"
#include "model/node_cost.h"
#include "model/working_tree.h"

namespace pactdb {

struct Pruned {
  std::vector<NodeNumber>
      gone;  // in order of pruning, each with what it held, then its call partners
  std::vector<BrokenLimit> over_limit;
  std::vector<Departure> departures;  // of those gone
};

// Enforces max_turns, the regions' limits, max_nodes, then max_tokens, each by taking the lowest
// candidate again and again until the limit holds or nothing may be taken. Appends emptied groups
// to `cascaded`; `hollow`: as of Cascade. Limits that still do not hold are reported; with `strict`
// they are kLimitExceeded. `tokens` counts for limits of tokens, and may be null if the policy has
// none. Runs before the head is sealed. O((pruned + passed over) * log nodes).
Result<Pruned> Prune(WorkingTree& tree, const Holds& holds, const Policy& policy,
                     const NodeCost* tokens, std::vector<NodeNumber>& hollow,
                     std::vector<NodeNumber>& cascaded);

}  // namespace pactdb
