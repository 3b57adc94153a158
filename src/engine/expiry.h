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
  std::vector<NodeNumber> hollow;     // every group that may hold nothing now, and others perhaps
};

// Takes out the largest set of nodes due at `cycle` that can leave together: a node stays if it is
// pinned or held, if a node that stays names it, if a partner of its call stays, or if it is a
// group and something in it must stay. What a leaving group holds goes with it. O(due nodes and
// what hangs on them).
Expired Expire(WorkingTree& tree, const Holds& holds, std::int64_t cycle);

// Takes out removable groups that hold nothing, again and again until none is left that may go. A
// pass takes the largest set that nothing outside it names. `hollow` has all such groups, and may
// name other nodes and those that are gone; it is what the next call begins with. Appends to
// `cascaded` in order of removal. Leaves summaries as stale as it finds them: after a commit that
// takes nodes from everywhere, they are made anew once, with the hashes.
void Cascade(WorkingTree& tree, const Holds& holds, std::vector<NodeNumber>& hollow,
             std::vector<NodeNumber>& cascaded);

}  // namespace pactdb
