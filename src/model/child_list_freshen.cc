// Bringing the summaries and hashes of a list up to date: what is stale, and nothing else.

#include <algorithm>

#include "model/child_list.h"
#include "model/node_code.h"
#include "model/tree_hash.h"

namespace pactdb::child_list {

namespace {

// Hash, summary and count of references.
void PrefetchChunk(const Chunk& chunk) {
  const char* start = reinterpret_cast<const char*>(&chunk);
  __builtin_prefetch(start);
  __builtin_prefetch(start + 64);
}

void PrefetchListOf(const Node& node) {
  const Container* container = node.AsContainer();
  if (container != nullptr && container->children != nullptr) PrefetchSummary(*container->children);
}

// What freshening the chunk reads of its slots.
void PrefetchStale(const Chunk& chunk, bool has_hash) {
  for (std::uint32_t i = 0; i < chunk.count; ++i) {
    const Chunk::Slot slot = chunk.slots()[i];
    if (chunk.level > 0) {
      PrefetchChunk(*slot.chunk);
    } else if (!chunk.IsCounted(i) || (has_hash && !chunk.keeps_lists)) {
      PrefetchNode(*slot.node);
    } else if (has_hash) {
      PrefetchDigest(*slot.node);
    }
  }
}

// And of what its entries hold.
void PrefetchStaleLists(const Chunk& chunk) {
  if (chunk.level > 0) return;
  for (std::uint32_t i = 0; i < chunk.count; ++i) {
    if (!chunk.IsCounted(i)) PrefetchListOf(*chunk.slots()[i].node);
  }
}

}  // namespace

void PrefetchSlots(const Chunk& chunk) {
  for (const Chunk::Slot& slot : chunk.view()) {
    if (chunk.level > 0) {
      PrefetchChunk(*slot.chunk);
    } else {
      PrefetchNode(*slot.node);
    }
  }
  if (chunk.level > 0) return;
  for (const Chunk::Slot& slot : chunk.view()) PrefetchListOf(*slot.node);
}

namespace {

// Children come first: a chunk's summary and hash cover theirs. Bounded: at most eight levels of
// chunks in a list, and lists nest no deeper than the tree's depth limit.
//
// One walk does both where both are wanted: in a large tree every slot is a cache miss, and a
// second walk would miss again. `lexicon` is null if hashes are not wanted.
void FreshenContainer(Container& container, const Lexicon* lexicon);

bool IsStale(const Chunk& chunk, const Lexicon* lexicon) {
  return chunk.summary_stale || (lexicon != nullptr && chunk.hash_stale);
}

// The bounds of a chunk of level 0 whose summary counts all entries but those of `added`, which is
// what they add up to. They held before; one that an entry was at may have become too low, and then
// the entries say. Those without a ttl have nothing to say about the first of them.
void TightenBounds(Chunk& chunk, const Summary& added) {
  if (chunk.expiry_is_loose && added.expiry_min > chunk.summary.expiry_min) {
    chunk.summary.expiry_min = kNoExpiry;
    for (std::uint32_t i = 0; i < chunk.count; ++i) {
      if (!node_code::HasTtl(chunk.codes()[i])) continue;
      const std::uint64_t expiry = EntrySummary(*chunk.slots()[i].node).expiry_min;
      chunk.summary.expiry_min = std::min(chunk.summary.expiry_min, expiry);
    }
  }
  if (chunk.prune_is_loose && added.IsPrunedAfter(chunk.summary)) {
    Summary all;
    for (const Chunk::Slot& slot : chunk.view()) all.Add(EntrySummary(*slot.node));
    chunk.summary.prune_priority = all.prune_priority;
    chunk.summary.prune_created_at_ns = all.prune_created_at_ns;
  }
  chunk.expiry_is_loose = chunk.prune_is_loose = false;
}

// REQUIRES: level 0; the containers among the entries are summarized.
void CountEntries(Chunk& chunk) {
  Summary added;
  for (std::uint32_t i = 0; i < chunk.count; ++i) {
    if (chunk.IsCounted(i)) continue;
    const Node& node = *chunk.slots()[i].node;
    const Summary entry = EntrySummary(node);
    chunk.codes()[i] = node_code::Of(node, entry.ttl_nodes > 0);
    if (chunk.keeps_lists)
      chunk.lists()[i] = node.is_block() ? nullptr : node.AsContainer()->children;
    added.Add(entry);
  }
  TightenBounds(chunk, added);
  chunk.summary.Add(added);
}

void FreshenLists(const Chunk& chunk, const Lexicon* lexicon) {
  for (std::uint32_t i = 0; i < chunk.count; ++i) {
    // What is counted did not change, and if its hash is not wanted it need not be read.
    if (lexicon == nullptr && chunk.IsCounted(i)) continue;
    if (Container* container = chunk.slots()[i].node->AsContainer())
      FreshenContainer(*container, lexicon);
  }
}

void FreshenChunk(Chunk& chunk, const Lexicon* lexicon) {
  PrefetchStale(chunk, lexicon != nullptr);
  PrefetchStaleLists(chunk);
  if (chunk.level == 1) {
    for (const Chunk::Slot& slot : chunk.view()) {
      if (IsStale(*slot.chunk, lexicon)) PrefetchStale(*slot.chunk, lexicon != nullptr);
    }
  }
  if (chunk.level == 0 && lexicon != nullptr) PrefetchBlocks(chunk, *lexicon);
  if (chunk.level == 0) {
    FreshenLists(chunk, lexicon);
    if (chunk.summary_stale) CountEntries(chunk);
  } else {
    for (const Chunk::Slot& slot : chunk.view()) {
      if (IsStale(*slot.chunk, lexicon)) FreshenChunk(*slot.chunk, lexicon);
    }
    if (chunk.summary_stale) {
      chunk.summary = {};
      for (const Chunk::Slot& slot : chunk.view()) chunk.summary.Add(slot.chunk->summary);
    }
  }
  if (chunk.summary_stale) {
    chunk.cost.store(0, std::memory_order_relaxed);
    chunk.summary_stale = false;
  }
  if (lexicon == nullptr || !chunk.hash_stale) return;
  chunk.hash = HashChunk(chunk, *lexicon);
  chunk.hash_stale = false;
}

void FreshenContainer(Container& container, const Lexicon* lexicon) {
  // Whatever changed below made it stale. What did not change is not looked into: its list is one
  // more wait for memory.
  if (!container.Has(Node::kStale)) return;
  Chunk* list = container.children;
  if (list != nullptr && IsStale(*list, lexicon)) FreshenChunk(*list, lexicon);
  if (lexicon == nullptr) return;
  container.Set(Node::kStale, false);
  container.digest = HashContainer(container, *lexicon);
}

}  // namespace

void SummarizeChunk(Chunk& chunk) {
  FreshenChunk(chunk, nullptr);
}

void Summarize(Container& container) {
  FreshenContainer(container, nullptr);
}

void Refresh(Container& container, const Lexicon& lexicon) {
  FreshenContainer(container, &lexicon);
}

}  // namespace pactdb::child_list
