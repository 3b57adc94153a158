// What of a conversation a context has already, so that a log that has grown can be imported again.
//
// Entries are compared with the nodes of the working state in the order in which those were made,
// those for ^sys and those for turns each by themselves: what a request says beside its messages
// may stand before or behind them. Same are region, offset, role, kind, content, attributes, and
// the id if the entry gives one.
//
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <span>

#include "model/tree_view.h"
#include "providers/entry.h"

namespace pactdb {

struct Continuation {
  // So many entries for ^sys, and so many for turns, are the nodes that were made there first.
  std::size_t in_sys = 0;
  std::size_t in_turns = 0;
  // In both one of the two ends there: the conversation goes on from what the tree says, or is part
  // of it.
  bool fits = false;
};

Continuation FindContinuation(const TreeView& view, std::span<const providers::Entry> entries);

}  // namespace pactdb
