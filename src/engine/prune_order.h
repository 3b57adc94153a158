// The expendable nodes of some lists in pruning order: lowest priority, then oldest, then smallest
// id.
//
// Best first over the summaries: a list is opened only when its first candidate is the next one, so
// taking k nodes costs O(k log n), whatever the size of the tree.
//
// Thread safety: as the tree, which must not change and must be held while this is used.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "model/child_list.h"
#include "model/order.h"

namespace pactdb {

class PruneOrder {
 public:
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  explicit PruneOrder(const Lexicon& lexicon) : lexicon_(lexicon) {}

  // Adds the first `limit` children and all below them. REQUIRES: summarized.
  void AddChildren(const Container& container, std::size_t limit = kAll) {
    if (container.children != nullptr)
      Push(container.children->summary.prune_first, container.children, limit);
  }

  // The next candidate; null at the end.
  const Node* Next() {
    while (!heap_.empty()) {
      std::ranges::pop_heap(heap_, After{lexicon_});
      const Item item = heap_.back();
      heap_.pop_back();
      if (item.chunk == nullptr) return item.key;
      Open(item);
    }
    return nullptr;
  }

 private:
  // A node (no chunk), or the first `limit` entries of a chunk. `key` is the least the item can
  // hold.
  struct Item {
    const Node* key;
    const Chunk* chunk;
    std::size_t limit;
  };

  // Heap order: the item whose key is pruned first comes out first. Among equals a chunk is opened
  // first, because it may hold the very node that is its key.
  struct After {
    const Lexicon& lexicon;
    bool operator()(const Item& a, const Item& b) const {
      const auto order = ComparePruning(*a.key, *b.key, lexicon);
      return order != 0 ? order > 0 : a.chunk == nullptr && b.chunk != nullptr;
    }
  };

  void Push(const Node* key, const Chunk* chunk, std::size_t limit) {
    if (key == nullptr || limit == 0) return;
    heap_.push_back({key, chunk, limit});
    std::ranges::push_heap(heap_, After{lexicon_});
  }

  void Open(const Item& item) {
    std::size_t left = item.limit;
    for (const Chunk::Slot& slot : item.chunk->view()) {
      if (left == 0) return;
      if (item.chunk->level > 0) {
        const std::size_t entries = slot.chunk->summary.entries;
        Push(slot.chunk->summary.prune_first, slot.chunk, std::min(left, entries));
        left -= std::min(left, entries);
      } else {
        if (slot.node->is_expendable()) Push(slot.node, nullptr, 1);
        if (const Container* container = slot.node->AsContainer()) AddChildren(*container);
        --left;
      }
    }
  }

  const Lexicon& lexicon_;
  std::vector<Item> heap_;
};

}  // namespace pactdb
