// Walks only where a summary says there is something to find.
//
// Thread safety: as the tree.
#pragma once

#include <vector>

#include "model/child_list.h"

namespace pactdb {

// Of a walk that cannot tell by an entry's code whether to look at it.
struct AnyEntry {
  bool operator()(std::uint32_t) const { return true; }
};

struct WalkStep {
  enum class Kind : std::uint8_t { kTest, kExpand, kEnter, kFound, kBodies };
  Kind kind;
  const Chunk* chunk;
  const Node* node;
};

// Calls visit(const Node&), in canonical preorder, for the nodes below `top` that lie in chunks
// whose summary is `wanted` and whose code (model/node_code.h) is `wanted_code`. The visitor sees
// neighbours of what is wanted too and checks for itself. Cost: O(found * log n). REQUIRES:
// summarized.
//
// What is found lies far apart in a large tree, each behind a dozen pointers in a row. All of them
// are followed a step at a time, in order: what a step asks memory for is there when the next round
// comes to it, so the waits are for a step and not for every node.
template <typename Wanted, typename Visitor, typename WantedCode = AnyEntry>
void WalkWhere(const Container& top, Wanted&& wanted, Visitor&& visit,
               const WantedCode& wanted_code = {}) {
  using enum WalkStep::Kind;
  std::vector<WalkStep> steps;
  std::vector<WalkStep> next;
  const auto test = [&next](const Chunk* list) {
    if (list == nullptr) return;
    child_list::PrefetchSummary(*list);
    next.push_back({kTest, list, nullptr});
  };
  const auto expand = [&](const Chunk& chunk) {
    if (chunk.level == 0) {
      child_list::PrefetchEntries(chunk);
      if (!chunk.keeps_lists) next.push_back({kBodies, &chunk, nullptr});
    }
    for (std::uint32_t i = 0; i < chunk.count; ++i) {
      const Chunk::Slot slot = chunk.slots()[i];
      if (chunk.level > 0) {
        test(slot.chunk);
      } else if (!wanted_code(chunk.codes()[i])) {
        continue;
      } else if (chunk.keeps_lists) {
        child_list::PrefetchNode(*slot.node);
        next.push_back({kFound, nullptr, slot.node});
        test(chunk.lists()[i]);
      } else {
        next.push_back({kEnter, nullptr, slot.node});
      }
    }
  };
  test(top.children);
  bool is_done = next.empty();
  while (!is_done) {
    steps.swap(next);
    next.clear();
    is_done = true;
    for (const WalkStep& step : steps) {
      is_done = is_done && step.kind == kFound;
      if (step.kind == kExpand) {
        expand(*step.chunk);
      } else if (step.kind == kBodies) {
        child_list::PrefetchBodies(*step.chunk);
      } else if (step.kind == kEnter || step.kind == kFound) {
        next.push_back({kFound, nullptr, step.node});
        const Container* container = step.kind == kEnter ? step.node->AsContainer() : nullptr;
        if (container != nullptr) test(container->children);
      } else if (wanted(step.chunk->summary)) {
        child_list::PrefetchList(*step.chunk);
        next.push_back({kExpand, step.chunk, nullptr});
      }
    }
  }
  for (const WalkStep& step : steps) visit(*step.node);
}

}  // namespace pactdb
