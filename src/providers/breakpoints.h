// Where an Anthropic request gets its cache_control, if pactdb is to place them.
//
// A request ends with what a user says or a tool gives, so the ends of such messages are where an
// earlier request may have ended and left an entry in the cache. The last three of them are marked,
// and the end of the instructions, or of the tools if there are none. What is marked depends on the
// thread alone. Marks that were imported stay, and count: a request may have four.
//
// Thread safety: pure functions.
#pragma once

#include <unordered_set>

#include "model/tree_view.h"

namespace pactdb::providers {

inline constexpr int kBreakpointsMax = 4;
inline constexpr int kMessageBreakpoints = 3;

// The nodes whose blocks are to carry a mark; of a tool's result, its first node. Most useful
// first, as far as the limit leaves room: the last message's, the one before, the instructions',
// the third. Nothing is placed before an imported mark that asks for a longer life, which must
// come before shorter ones.
std::unordered_set<NodeNumber> PlaceBreakpoints(const TreeView& view);

}  // namespace pactdb::providers
