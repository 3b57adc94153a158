// What a commit takes because its time is over, and the groups that this leaves empty.
//
// Thread safety: the writer's.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/holds.h"
#include "model/history.h"
#include "model/working_tree.h"

namespace pactdb {

struct Expired {
  std::vector<NodeNumber> gone;  // everything that left, in tree order
  std::vector<NodeNumber> due;   // every expendable node that was due, in tree order, gone or not
  std::vector<Departure> departures;  // of those gone
};

// Takes out the largest set of nodes due at `cycle` that can leave together: a node stays if it is
// pinned or held, if a node that stays names it, if a partner of its call stays, or if it is a
// group and something in it must stay. What a leaving group holds goes with it. O(due nodes and
// what hangs on them).
Expired Expire(WorkingTree& tree, const Holds& holds, std::int64_t cycle);

// Takes out removable groups that hold nothing, again and again until none is left that may go. A
// pass takes the largest set that nothing outside it names. Appends to `cascaded` in order of
// removal.
void Cascade(WorkingTree& tree, const Holds& holds, std::vector<NodeNumber>& cascaded);

}  // namespace pactdb
