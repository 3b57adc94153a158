// What the threads of two snapshots have in common, seen from the sharing of their trees.
//
// Thread safety: pure functions.
#pragma once

#include <cstddef>

#include "model/history.h"

namespace pactdb {

// Null where the region is empty or missing.
inline const Chunk* ChildrenOf(const TreeView& view, NodeClass region) {
  const Container* container = view.Region(region);
  return container == nullptr ? nullptr : container->children;
}

// Of the newer snapshot: is ^sys the older one's, how many turns from the oldest on are, is ^ah.
// Every byte of the threads is the same up to the end of the last shared turn.
struct SharedThread {
  bool sys = false;
  std::size_t turns = 0;
  bool is_all = false;
};

// REQUIRES: both summarized.
inline SharedThread FindShared(const TreeView& a, const TreeView& b) {
  // Region nodes are new in every commit; what they hold is shared while nobody touches it.
  if (ChildrenOf(a, NodeClass::kSys) != ChildrenOf(b, NodeClass::kSys)) return {};
  const Chunk* const turns = ChildrenOf(b, NodeClass::kSeq);
  SharedThread shared{.sys = true};
  shared.turns = child_list::CommonPrefix(ChildrenOf(a, NodeClass::kSeq), turns);
  shared.is_all = shared.turns == child_list::Size(turns) &&
                  shared.turns == child_list::Size(ChildrenOf(a, NodeClass::kSeq)) &&
                  ChildrenOf(a, NodeClass::kAh) == ChildrenOf(b, NodeClass::kAh);
  return shared;
}

inline SharedThread FindShared(const CommitRecord& older, const CommitRecord& newer) {
  return FindShared(older.View(), newer.View());
}

}  // namespace pactdb
