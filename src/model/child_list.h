// The children of a container: a persistent, ordered list with order statistics, summaries and
// hashes.
//
// The list is a tree of chunks. Where it is cut depends on the ids it holds and on nothing else: an
// entry whose shape hash ends in four zero bits closes its chunk, four more zero bits close the
// chunk above, and so on. So equal lists have equal shapes whatever edits led there, chunks hold 16
// entries on average, and a hash over the shape is a hash of the list (docs/format/tree-hash.md).
// Ids are opaque to us; whoever picks a million ids with no zero bits gets one long chunk, still
// correct.
//
// Chunks are shared between snapshots. An edit copies the chunks on its path unless nobody else
// holds them. Edits mark the path stale; Summarize and Refresh bring it up to date, touching stale
// chunks only. A list is refreshed before it is shared with another thread, and from then on never
// changes.
//
// Costs: find, insert, erase, At, Rank O(log n); Summarize, Refresh O(what changed).
#pragma once

#include <cstdint>
#include <span>

#include "base/ref.h"
#include "base/sha256.h"
#include "model/node.h"
#include "model/node_code.h"

namespace pactdb {

// Facts about the nodes at and below a run of entries. Values, not pointers to nodes: adding up a
// chunk's slots must not touch every node below them.
struct Summary {
  std::uint32_t entries = 0;     // of this list
  std::uint32_t nodes = 0;       // at and below them
  std::uint32_t expendable = 0;  // of `nodes`, those that pruning may take
  std::uint32_t ttl_nodes = 0;   // of `nodes`, those with a ttl
  std::uint32_t hollow = 0;      // of `nodes`, the removable groups that hold nothing
  // No expendable node is pruned before this priority (held to 32 bits) and, at it, this time.
  std::int32_t prune_priority = INT32_MAX;
  std::int64_t prune_created_at_ns = INT64_MAX;
  std::uint64_t expiry_min = kNoExpiry;

  void Add(const Summary& other);
  // Takes the numbers back out. What was at a bound may be gone then: the bounds still hold, but
  // may be too low.
  void Take(const Summary& other);
  // Pruning takes something of `other` before all of this.
  bool IsPrunedAfter(const Summary& other) const {
    return prune_priority != other.prune_priority ? prune_priority > other.prune_priority
                                                  : prune_created_at_ns > other.prune_created_at_ns;
  }
  bool operator==(const Summary&) const = default;
};

// A removable group that holds nothing: what the cascade takes.
bool IsHollow(const Node& node);

struct Chunk {
  union Slot {
    Node* node;    // level 0
    Chunk* chunk;  // above
  };

  Digest hash{};
  Summary summary;
  std::uint64_t stored_at = kNotStored;  // as Node::stored_at
  // What all at and below the entries cost, once somebody asked (model/node_cost.h).
  mutable std::atomic<std::uint64_t> cost{0};
  // What a walk reads stands last, beside the slots: one line of memory, not two.
  const Node* last = nullptr;  // the last entry at or below
  std::int64_t last_hint = 0;  // OrderHint of it: a search mostly need not read the entry
  mutable std::atomic<std::uint32_t> refs{1};
  std::uint8_t level = 0;
  bool keeps_lists : 1 = false;  // of level 0: see lists()
  // Of level 0: bounds of the summary that may be too low, because an entry at them was changed.
  bool expiry_is_loose : 1 = false;
  bool prune_is_loose : 1 = false;
  bool summary_stale = true;
  bool hash_stale = true;
  std::uint32_t count = 0;
  std::uint32_t capacity = 0;

  Slot* slots() { return reinterpret_cast<Slot*>(this + 1); }
  const Slot* slots() const { return reinterpret_cast<const Slot*>(this + 1); }
  std::span<const Slot> view() const { return {slots(), count}; }
  // Of level 0, behind the slots: a code an entry (model/node_code.h) and, in chunks that began
  // with a container, before them the list of each (null for a block). A walk goes from list to
  // list by them and need not read the containers between.
  //
  // While the summary is stale, an entry that it does not count has the code kUncounted: one that
  // is new, or that was changed since. To count those is enough to freshen it, so that one change
  // does not read all the entries beside it.
  static constexpr std::uint32_t kUncounted = UINT32_MAX;
  bool IsCounted(std::uint32_t index) const { return codes()[index] != kUncounted; }
  const Chunk** lists() { return reinterpret_cast<const Chunk**>(slots() + capacity); }
  const Chunk* const* lists() const {
    return reinterpret_cast<const Chunk* const*>(slots() + capacity);
  }
  std::uint32_t* codes() { return reinterpret_cast<std::uint32_t*>(slots() + words()); }
  const std::uint32_t* codes() const {
    return reinterpret_cast<const std::uint32_t*>(slots() + words());
  }
  // Slots and lists, which are as long.
  std::size_t words() const { return std::size_t{capacity} << (keeps_lists ? 1 : 0); }

  static void Destroy(Chunk* chunk);
};

namespace child_list {

std::size_t Size(const Chunk* list);

// The list of an entry; null if it is a block or holds nothing. REQUIRES: level 0, summarized.
inline const Chunk* ListOf(const Chunk& chunk, std::uint32_t index) {
  if (chunk.keeps_lists) return chunk.lists()[index];
  if (node_code::Class(chunk.codes()[index]) == NodeClass::kBlock) return nullptr;
  return static_cast<const Container*>(chunk.slots()[index].node)->children;
}

// The n-th child from 0. REQUIRES: n < Size(list), and list summarized.
const Node* At(const Chunk* list, std::size_t n);

// How many children stand before `node` (whether or not it is one of them). REQUIRES: list
// summarized.
std::size_t Rank(const Chunk* list, const Node& node, const Lexicon& lexicon);

// The child that stands where `node` stands: the version the list holds. Null if there is none.
const Node* Find(const Chunk* list, const Node& node, const Lexicon& lexicon);

// How many children, from the first on, are the same nodes in the same version in both lists. Skips
// chunks that the lists share. REQUIRES: both summarized.
std::size_t CommonPrefix(const Chunk* older, const Chunk* newer);

// Adds `node`. REQUIRES: no child stands at its place; the container is held only by the caller.
void Insert(Container& container, Ref<Node> node, const Lexicon& lexicon);

// Takes out the child that stands where `node` stands. REQUIRES: there is one; as Insert.
void Erase(Container& container, const Node& node, const Lexicon& lexicon);

// The child that stands where `node` stands, made private to this list so that it can be changed.
// Its place must not change. REQUIRES: there is one; as Insert.
Node* Own(Container& container, const Node& node, const Lexicon& lexicon);

// Replaces all children at once. REQUIRES: `sorted` in sibling order; as Insert.
void Assign(Container& container, std::span<Ref<Node>> sorted);

// A chunk as a store kept it, takes over the slots' references. What lies below is refreshed.
// `hash`: null if no slot is a block, and then it is worked out. REQUIRES: at least one slot.
Chunk* Rebuild(unsigned level, std::span<const Chunk::Slot> slots, const Digest* hash,
               const Lexicon& lexicon);

// Brings the summary of one chunk up to date, and of what is stale below it.
void SummarizeChunk(Chunk& chunk);

// Brings the summaries of the container and all below it up to date.
void Summarize(Container& container);

// Brings summaries and hashes up to date; then the list may be shared between threads.
void Refresh(Container& container, const Lexicon& lexicon);

// Summary of the nodes below the container. REQUIRES: summarized.
Summary Below(const Container& container);

std::size_t AllocatedBytes(const Chunk& chunk);

// The slots of a chunk in a large tree are far apart: asks for all of them, and for the lists of
// containers among them, before the first is read.
void PrefetchSlots(const Chunk& chunk);
inline void PrefetchSummary(const Chunk& chunk) {
  const char* start = reinterpret_cast<const char*>(&chunk.summary);
  __builtin_prefetch(start);
  __builtin_prefetch(start + sizeof(Summary) - 1);
}
// The slots and codes themselves, of a chunk of usual length.
inline void PrefetchList(const Chunk& chunk) {
  constexpr std::size_t kUsual = 16 * (sizeof(Chunk::Slot) + sizeof(std::uint32_t));
  const char* start = reinterpret_cast<const char*>(chunk.slots());
  for (std::size_t at = 0; at <= kUsual; at += 64) __builtin_prefetch(start + at);
}
// All of a node; of a container up to its digest.
inline void PrefetchNode(const Node& node) {
  const char* start = reinterpret_cast<const char*>(&node);
  __builtin_prefetch(start);
  __builtin_prefetch(start + 64);
  __builtin_prefetch(start + sizeof(Container) - 1);
}

// What the hash of a list reads of an entry that did not change: flags, and a container's digest.
inline void PrefetchDigest(const Node& node) {
  const char* start = reinterpret_cast<const char*>(&node);
  __builtin_prefetch(start);
  __builtin_prefetch(start + sizeof(Container) - sizeof(Digest));
  __builtin_prefetch(start + sizeof(Container) - 1);
}

// What a change of one entry reads of the others, to copy and to hash the list.
inline void PrefetchEntries(const Chunk& chunk) {
  for (const Chunk::Slot& slot : chunk.view())
    chunk.keeps_lists ? PrefetchDigest(*slot.node) : PrefetchNode(*slot.node);
}
// And then of blocks.
inline void PrefetchBodies(const Chunk& chunk) {
  for (const Chunk::Slot& slot : chunk.view()) {
    if (slot.node->body == nullptr) continue;
    const char* body = reinterpret_cast<const char*>(slot.node->body);
    __builtin_prefetch(body);
    __builtin_prefetch(body + sizeof(Body) - 1);
  }
}

// --- what the shape is made of; for verification ---

// A level of at most this many slots is the top: one chunk, not cut. Most lists are this short, and
// a chunk for each run of a few entries would cost more than it saves.
inline constexpr std::uint32_t kTopSlotsMax = 32;
// Four bits of a shape a level: a chunk of this one has no boundaries left.
inline constexpr unsigned kLevelMax = 8;

// True if a chunk of `level`, unless it is the top, ends after this entry.
bool IsBoundary(const Node& node, unsigned level);
// The last entry at or below a slot.
const Node* LastOf(const Chunk& chunk, std::uint32_t index);
// An entry's share of the summary: itself and, for a container, what lies below it.
Summary EntrySummary(const Node& node);

}  // namespace child_list

// Walks the children in order, forwards or backwards. Valid while the list is held and unchanged.
class ChildCursor {
 public:
  explicit ChildCursor(const Chunk* list, bool backwards = false);
  explicit ChildCursor(const Container& container, bool backwards = false)
      : ChildCursor(container.children, backwards) {}
  // From child n on, O(log n). REQUIRES: list summarized.
  static ChildCursor From(const Chunk* list, std::size_t n);
  // The current child; null at the end.
  const Node* get() const { return node_; }
  // Its code (model/node_code.h). REQUIRES: get() is not null, and list summarized.
  std::uint32_t code() const {
    const Place& place = path_[depth_ - 1];
    return place.chunk->codes()[place.index];
  }
  // Its list. REQUIRES: as code().
  const Chunk* list() const {
    const Place& place = path_[depth_ - 1];
    return child_list::ListOf(*place.chunk, place.index);
  }
  void Next();

 private:
  void Descend(const Chunk* chunk);

  struct Place {
    const Chunk* chunk;
    std::uint32_t index;
  };
  Place path_[child_list::kLevelMax + 1];
  int depth_ = 0;
  bool backwards_;
  const Node* node_ = nullptr;
};

}  // namespace pactdb
