// Walks only where a summary says there is something to find.
//
// Thread safety: as the tree.
#pragma once

#include <vector>

#include "model/child_list.h"

namespace pactdb {

// Calls visit(const Node&), in canonical preorder, for the nodes below `top` that lie in chunks
// whose summary is `wanted`. The visitor sees neighbours of what is wanted too and checks for
// itself. Cost: O(found * log n). REQUIRES: summarized.
template <typename Wanted, typename Visitor>
void WalkWhere(const Container& top, Wanted&& wanted, Visitor&& visit) {
  struct Step {
    const Chunk* chunk;
    const Node* node;
  };
  std::vector<Step> stack = {{top.children, nullptr}};
  while (!stack.empty()) {
    const Step step = stack.back();
    stack.pop_back();
    if (step.node != nullptr) {
      visit(*step.node);
      if (const Container* container = step.node->AsContainer())
        stack.push_back({container->children, nullptr});
      continue;
    }
    if (step.chunk == nullptr || !wanted(step.chunk->summary)) continue;
    child_list::PrefetchSlots(*step.chunk);
    for (std::uint32_t i = step.chunk->count; i-- > 0;) {
      const Chunk::Slot slot = step.chunk->slots()[i];
      if (step.chunk->level == 0) {
        stack.push_back({nullptr, slot.node});
      } else {
        stack.push_back({slot.chunk, nullptr});
      }
    }
  }
}

}  // namespace pactdb
