// Which slots of two lists are the same slot.
//
// Two snapshots share the chunks and nodes that no edit touched, so equal pointers mean equal
// content. Matching by pointer reads nothing behind the slots. It may miss a match that lies far
// off; whoever uses it must be right without, and is only slower.
//
// Thread safety: pure functions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "model/child_list.h"

namespace pactdb {

using Slots = std::span<const Chunk::Slot>;

// Two slots are the same if what they point at is, or, of trees that were loaded from a store
// apart, if it lies at the same address there.
struct SameSlot {
  bool by_address = false;
  bool are_nodes = false;

  bool operator()(Chunk::Slot a, Chunk::Slot b) const {
    return a.node == b.node ||
           (by_address && AddressOf(a) != kNotStored && AddressOf(a) == AddressOf(b));
  }

 private:
  std::uint64_t AddressOf(Chunk::Slot slot) const {
    return are_nodes ? slot.node->stored_at : slot.chunk->stored_at;
  }
};

// How many slots of each stand before the next pair of equal ones; all of them if there is none
// near.
inline std::pair<std::size_t, std::size_t> FindNextMatch(Slots a, Slots b, const SameSlot& same) {
  // The search looks at ever larger squares from the start; most edits leave the slots in step, and
  // then the corner of the second one is a match.
  constexpr std::size_t kReachMax = 64;
  const std::size_t reach = std::min(std::max(a.size(), b.size()), kReachMax);
  for (std::size_t d = 0; d < reach; ++d) {
    if (d < a.size() && d < b.size() && same(a[d], b[d])) return {d, d};
    for (std::size_t k = 0; k < d; ++k) {
      if (d < a.size() && k < b.size() && same(a[d], b[k])) return {d, k};
      if (k < a.size() && d < b.size() && same(a[k], b[d])) return {k, d};
    }
  }
  return {a.size(), b.size()};
}

// Calls shared(Slots, Slots) for runs of equal slots and different(Slots, Slots) for what stands
// between them, in order. One of the two runs that differ may be empty.
template <typename Shared, typename Different>
void MatchSlots(Slots a, Slots b, const SameSlot& same, Shared&& shared, Different&& different) {
  while (true) {
    std::size_t run = 0;
    while (run < a.size() && run < b.size() && same(a[run], b[run])) ++run;
    if (run > 0) shared(a.first(run), b.first(run));
    a = a.subspan(run);
    b = b.subspan(run);
    if (a.empty() && b.empty()) return;
    const auto [a_run, b_run] = FindNextMatch(a, b, same);
    different(a.first(a_run), b.first(b_run));
    a = a.subspan(a_run);
    b = b.subspan(b_run);
  }
}

}  // namespace pactdb
