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
    if (container.children != nullptr) PushChunk(*container.children, limit);
  }

  // The next candidate; null at the end.
  const Node* Next() {
    while (!heap_.empty()) {
      std::ranges::pop_heap(heap_, After{lexicon_});
      const Item item = heap_.back();
      heap_.pop_back();
      if (item.node != nullptr) return item.node;
      Open(item);
    }
    return nullptr;
  }

 private:
  // A node, or the first `limit` entries of a chunk, of which none comes before priority and time.
  struct Item {
    std::int32_t priority;  // held to 32 bits
    std::int64_t created_at_ns;
    const Node* node;
    const Chunk* chunk;
    std::size_t limit;
  };

  // Heap order: what is pruned first comes out first. A chunk that may hold something as early as a
  // node is opened before the node comes out; at the ends of 32 bits that is every chunk.
  struct After {
    const Lexicon& lexicon;
    bool operator()(const Item& a, const Item& b) const {
      if (a.priority != b.priority) return a.priority > b.priority;
      if (a.node != nullptr && b.node != nullptr) {
        return ComparePruning(*a.node, *b.node, lexicon) > 0;
      }
      const bool is_held = a.priority == INT32_MIN || a.priority == INT32_MAX;
      const bool mixed = (a.node == nullptr) != (b.node == nullptr);
      if (mixed && (is_held || a.created_at_ns == b.created_at_ns)) return a.node != nullptr;
      return a.created_at_ns > b.created_at_ns;
    }
  };

  void Push(const Item& item) {
    heap_.push_back(item);
    std::ranges::push_heap(heap_, After{lexicon_});
  }

  void PushChunk(const Chunk& chunk, std::size_t limit) {
    const Summary& summary = chunk.summary;
    if (summary.expendable == 0 || limit == 0) return;
    Push({summary.prune_priority, summary.prune_created_at_ns, nullptr, &chunk, limit});
  }

  void Open(const Item& item) {
    std::size_t left = item.limit;
    for (const Chunk::Slot& slot : item.chunk->view()) {
      if (left == 0) return;
      if (item.chunk->level > 0) {
        const std::size_t entries = slot.chunk->summary.entries;
        PushChunk(*slot.chunk, std::min(left, entries));
        left -= std::min(left, entries);
        continue;
      }
      const Node& node = *slot.node;
      if (node.is_expendable()) {
        Push({ClampPriority(node.priority), node.created_at_ns, &node, nullptr, 1});
      }
      if (const Container* container = node.AsContainer()) AddChildren(*container);
      --left;
    }
  }

  const Lexicon& lexicon_;
  std::vector<Item> heap_;
};

}  // namespace pactdb
