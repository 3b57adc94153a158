// Method: every edit works on one path from the root chunk to a leaf chunk. An edit of a chunk
// gives back a run of pieces: the chunk itself, or more when a boundary now lies inside it. The
// level above puts the run in the chunk's place and cuts itself the same way. Erasing can take a
// boundary away; then the chunk is "open" and is joined with its right neighbour, which lies in the
// same parent or, if the parent is open as well, in the parent's neighbour.

#include "model/child_list.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "base/check.h"
#include "base/slab.h"
#include "model/order.h"
#include "model/tree_hash.h"

namespace pactdb {

void Summary::Add(const Summary& other) {
  entries += other.entries;
  nodes += other.nodes;
  expendable += other.expendable;
  ttl_nodes += other.ttl_nodes;
  hollow += other.hollow;
  expiry_min = std::min(expiry_min, other.expiry_min);
  if (other.prune_priority < prune_priority) {
    prune_priority = other.prune_priority;
    prune_created_at_ns = other.prune_created_at_ns;
  } else if (other.prune_priority == prune_priority) {
    prune_created_at_ns = std::min(prune_created_at_ns, other.prune_created_at_ns);
  }
}

void Summary::Take(const Summary& other) {
  entries -= other.entries;
  nodes -= other.nodes;
  expendable -= other.expendable;
  ttl_nodes -= other.ttl_nodes;
  hollow -= other.hollow;
}

bool IsHollow(const Node& node) {
  return node.Has(Node::kRemovable) && node.node_class() == NodeClass::kCont && !node.is_core() &&
         node.AsContainer()->children == nullptr;
}

namespace {

std::size_t ChunkBytes(unsigned level, bool keeps_lists, std::uint32_t capacity) {
  std::size_t entry = sizeof(Chunk::Slot);
  if (level == 0) entry += sizeof(std::uint32_t);
  if (keeps_lists) entry += sizeof(Chunk*);
  return sizeof(Chunk) + capacity * entry;
}

}  // namespace

void Chunk::Destroy(Chunk* chunk) {
  // Bounded: levels are at most eight, nested lists at most the tree's depth limit.
  for (std::uint32_t i = 0; i < chunk->count; ++i) {
    if (chunk->level == 0) {
      Release(chunk->slots()[i].node);
    } else {
      Release(chunk->slots()[i].chunk);
    }
  }
  const std::size_t size = child_list::AllocatedBytes(*chunk);
  chunk->~Chunk();
  SharedSlabs().Free(chunk, size);
}

namespace child_list {

constexpr unsigned kBitsPerLevel = 4;
constexpr unsigned kBoundaryLevels = 32 / kBitsPerLevel;

bool IsBoundary(const Node& node, unsigned level) {
  if (level >= kBoundaryLevels) return false;
  const std::uint32_t mask =
      level + 1 >= kBoundaryLevels ? ~0u : (1u << (kBitsPerLevel * (level + 1))) - 1;
  return (node.shape & mask) == 0;
}

const Node* LastOf(const Chunk& chunk, std::uint32_t index) {
  return chunk.level == 0 ? chunk.slots()[index].node : chunk.slots()[index].chunk->last;
}

Summary EntrySummary(const Node& node) {
  Summary summary{.entries = 1,
                  .nodes = 1,
                  .ttl_nodes = node.has_ttl() ? 1u : 0u,
                  .hollow = IsHollow(node) ? 1u : 0u,
                  .expiry_min = node.expiry};
  if (node.is_expendable()) {
    summary.expendable = 1;
    summary.prune_priority = ClampPriority(node.priority);
    summary.prune_created_at_ns = node.created_at_ns;
  }
  if (const Container* container = node.AsContainer()) {
    Summary below = Below(*container);
    below.entries = 0;
    summary.Add(below);
  }
  return summary;
}

namespace {

// Pieces of one level, in order.
using Pieces = std::vector<Chunk*>;

void UpdateLast(Chunk& chunk) {
  if (chunk.count == 0) {
    chunk.last = nullptr;
    return;
  }
  const Chunk::Slot slot = chunk.slots()[chunk.count - 1];
  chunk.last = chunk.level == 0 ? slot.node : slot.chunk->last;
  chunk.last_hint = chunk.level == 0 ? OrderHint(*slot.node) : slot.chunk->last_hint;
}

// True if the last entry at or below the slot stands before `node`, whose hint is `hint`.
bool StandsBefore(const Chunk& chunk, std::uint32_t index, const Node& node, std::int64_t hint,
                  const Lexicon& lexicon) {
  const Chunk::Slot slot = chunk.slots()[index];
  if (chunk.level > 0) {
    const std::int64_t last = slot.chunk->last_hint;
    if (last != hint && last != kNoHint && hint != kNoHint) return last < hint;
  }
  return CompareSiblings(*LastOf(chunk, index), node, lexicon) < 0;
}

// True if the chunk ends at a boundary of its own level, so that what follows starts a new one.
bool IsClosed(const Chunk& chunk) {
  return IsBoundary(*chunk.last, chunk.level);
}

Chunk* MakeChunk(unsigned level, bool keeps_lists, std::uint32_t capacity) {
  void* memory = SharedSlabs().Allocate(ChunkBytes(level, keeps_lists, capacity));
  auto* chunk = new (memory) Chunk();
  chunk->level = static_cast<std::uint8_t>(level);
  chunk->keeps_lists = keeps_lists;
  chunk->capacity = capacity;
  if (level == 0) std::fill_n(chunk->codes(), capacity, Chunk::kUncounted);
  return chunk;
}

// For the slots of `chunk`, or some of them.
Chunk* MakeLike(const Chunk& chunk, std::uint32_t capacity) {
  return MakeChunk(chunk.level, chunk.keeps_lists, capacity);
}

void RetainSlot(const Chunk& chunk, std::uint32_t index) {
  if (chunk.level == 0) {
    Retain(chunk.slots()[index].node);
  } else {
    Retain(chunk.slots()[index].chunk);
  }
}

// The same entries, counted as they are there. The references of the slots are the caller's.
Chunk* CopyChunk(const Chunk& chunk, std::uint32_t capacity) {
  Chunk* copy = MakeLike(chunk, capacity);
  copy->count = chunk.count;
  copy->last = chunk.last;
  copy->last_hint = chunk.last_hint;
  std::copy_n(chunk.slots(), chunk.count, copy->slots());
  if (chunk.level > 0) return copy;
  std::copy_n(chunk.codes(), chunk.count, copy->codes());
  if (chunk.keeps_lists) std::copy_n(chunk.lists(), chunk.count, copy->lists());
  copy->summary = chunk.summary;
  copy->expiry_is_loose = chunk.expiry_is_loose;
  copy->prune_is_loose = chunk.prune_is_loose;
  return copy;
}

// A chunk the caller alone holds: `chunk` itself, or a copy in its place.
Chunk* OwnChunk(Chunk*& chunk) {
  if (!IsUnique(chunk)) {
    Chunk* copy = CopyChunk(*chunk, chunk->count + 1);
    // Counting up waits for each slot's line in turn unless all of them are on their way.
    for (const Chunk::Slot& slot : copy->view())
      __builtin_prefetch(copy->level == 0 ? &slot.node->refs : &slot.chunk->refs, 1);
    for (std::uint32_t i = 0; i < copy->count; ++i) RetainSlot(*copy, i);
    Release(chunk);
    chunk = copy;
  }
  chunk->summary_stale = chunk->hash_stale = true;
  chunk->stored_at = kNotStored;
  return chunk;
}

// Makes room for one more slot; `chunk` may move. REQUIRES: held only by the caller.
void Reserve(Chunk*& chunk, std::uint32_t capacity) {
  if (chunk->capacity >= capacity) return;
  Chunk* larger = CopyChunk(*chunk, std::max(capacity, chunk->count + chunk->count / 2 + 2));
  chunk->count = 0;  // the slots moved with their references
  Release(chunk);
  chunk = larger;
}

// The entry is about to change or to go: the summary no longer counts it. REQUIRES: level 0, held
// only by the caller, and the entry is still as it was counted.
void Uncount(Chunk& chunk, std::uint32_t index) {
  if (!chunk.IsCounted(index)) return;
  const Summary entry = EntrySummary(*chunk.slots()[index].node);
  chunk.summary.Take(entry);
  if (entry.expiry_min <= chunk.summary.expiry_min) chunk.expiry_is_loose = true;
  if (!entry.IsPrunedAfter(chunk.summary)) chunk.prune_is_loose = true;
  chunk.codes()[index] = Chunk::kUncounted;
}

// Counts nothing that it holds.
void UncountAll(Chunk& chunk) {
  chunk.summary = {};
  chunk.expiry_is_loose = chunk.prune_is_loose = false;
  if (chunk.level == 0) std::fill_n(chunk.codes(), chunk.count, Chunk::kUncounted);
}

// Moves what is kept of the entries from `from` on to `to` on.
void MoveEntries(Chunk& chunk, std::uint32_t from, std::uint32_t to) {
  const std::size_t count = chunk.count - from;
  const auto move = [&](auto* entries) {
    std::memmove(static_cast<void*>(entries + to), static_cast<const void*>(entries + from),
                 count * sizeof *entries);
  };
  move(chunk.slots());
  if (chunk.level == 0) move(chunk.codes());
  if (chunk.keeps_lists) move(chunk.lists());
}

void InsertSlot(Chunk*& chunk, std::uint32_t index, Chunk::Slot slot) {
  Reserve(chunk, chunk->count + 1);
  MoveEntries(*chunk, index, index + 1);
  chunk->slots()[index] = slot;
  if (chunk->level == 0) chunk->codes()[index] = Chunk::kUncounted;
  ++chunk->count;
}

// REQUIRES: as Uncount.
void RemoveSlot(Chunk& chunk, std::uint32_t index) {
  if (chunk.level == 0) Uncount(chunk, index);
  MoveEntries(chunk, index + 1, index);
  --chunk.count;
}

// `chunk` may move. REQUIRES: as Reserve.
void AppendSlots(Chunk*& chunk, std::span<const Chunk::Slot> slots) {
  const auto count = static_cast<std::uint32_t>(slots.size());
  Reserve(chunk, chunk->count + count);
  std::ranges::copy(slots, chunk->slots() + chunk->count);
  if (chunk->level == 0) std::fill_n(chunk->codes() + chunk->count, count, Chunk::kUncounted);
  chunk->count += count;
}

// Index of the first slot whose last entry does not stand before `node`; `count` if all do.
std::uint32_t LowerBound(const Chunk& chunk, const Node& node, const Lexicon& lexicon) {
  std::uint32_t low = 0;
  std::uint32_t high = chunk.count;
  const std::int64_t hint = OrderHint(node);
  // Appending is the common case: look at the end first.
  if (high > 0 && StandsBefore(chunk, high - 1, node, hint, lexicon)) return high;
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (StandsBefore(chunk, middle, node, hint, lexicon)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Gives back room that a chunk will hardly need again. `chunk` may move. REQUIRES: held only by the
// caller.
Chunk* Trim(Chunk* chunk) {
  if (chunk->capacity <= 2 * chunk->count + 4) return chunk;
  Chunk* smaller = CopyChunk(*chunk, chunk->count);
  chunk->count = 0;
  Release(chunk);
  return smaller;
}

// Cuts `chunk` after every boundary inside it.
Pieces Cut(Chunk* chunk) {
  Pieces pieces;
  std::uint32_t start = 0;
  for (std::uint32_t i = 0; i + 1 < chunk->count; ++i) {
    if (!IsBoundary(*LastOf(*chunk, i), chunk->level)) continue;
    Chunk* piece = MakeLike(*chunk, i + 1 - start);
    piece->count = i + 1 - start;
    std::memcpy(piece->slots(), chunk->slots() + start, piece->count * sizeof(Chunk::Slot));
    UpdateLast(*piece);
    pieces.push_back(piece);
    start = i + 1;
  }
  if (start > 0) {
    MoveEntries(*chunk, start, 0);
    chunk->count -= start;
    UncountAll(*chunk);
  }
  UpdateLast(*chunk);
  pieces.push_back(Trim(chunk));
  return pieces;
}

// Puts the entry where it belongs, without cutting this chunk; those below are cut. The chunk may
// move. REQUIRES: `chunk` held only by the caller.
Chunk* InsertInto(Chunk* chunk, Node* node, const Lexicon& lexicon) {
  if (chunk->level == 0) {
    InsertSlot(chunk, LowerBound(*chunk, *node, lexicon), {.node = node});
    UpdateLast(*chunk);
    return chunk;
  }
  const std::uint32_t index = std::min(LowerBound(*chunk, *node, lexicon), chunk->count - 1);
  const Pieces pieces = Cut(InsertInto(OwnChunk(chunk->slots()[index].chunk), node, lexicon));
  chunk->slots()[index].chunk = pieces[0];
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    InsertSlot(chunk, index + static_cast<std::uint32_t>(i), {.chunk = pieces[i]});
  }
  UpdateLast(*chunk);
  return chunk;
}

// Appends `right` to `left`, both held only by the caller; `right` is used up. REQUIRES: same
// level, left is open.
Chunk* Join(Chunk* left, Chunk* right) {
  std::uint32_t skip = 0;
  if (left->level > 0) {
    Chunk*& seam = left->slots()[left->count - 1].chunk;
    if (!IsClosed(*seam)) {
      seam = Join(OwnChunk(seam), OwnChunk(right->slots()[0].chunk));
      skip = 1;
    }
  }
  AppendSlots(left, right->view().subspan(skip));
  left->summary_stale = left->hash_stale = true;
  UpdateLast(*left);
  right->count = 0;
  Release(right);
  return left;
}

// Removes the entry; the chunk may end up empty or open. REQUIRES: held only by the caller, entry
// is there.
void EraseFrom(Chunk& chunk, const Node& node, const Lexicon& lexicon) {
  const std::uint32_t index = LowerBound(chunk, node, lexicon);
  PACTDB_CHECK(index < chunk.count);
  if (chunk.level == 0) {
    Node* gone = chunk.slots()[index].node;
    RemoveSlot(chunk, index);
    UpdateLast(chunk);
    Release(gone);
    return;
  }
  Chunk*& child = chunk.slots()[index].chunk;
  EraseFrom(*OwnChunk(child), node, lexicon);
  if (child->count == 0) {
    Release(child);
    RemoveSlot(chunk, index);
  } else if (!IsClosed(*child) && index + 1 < chunk.count) {
    child = Join(child, OwnChunk(chunk.slots()[index + 1].chunk));
    RemoveSlot(chunk, index + 1);
  }
  UpdateLast(chunk);
}

// Cuts the top chunk if it is too large, and puts levels above until one chunk holds all.
Chunk* Raise(Chunk* top) {
  while (top->count > kTopSlotsMax) {
    const Pieces pieces = Cut(top);
    if (pieces.size() == 1) return pieces[0];  // no boundary in it; it may have moved
    top = MakeChunk(pieces[0]->level + 1u, false, static_cast<std::uint32_t>(pieces.size()));
    for (Chunk* piece : pieces) top->slots()[top->count++].chunk = piece;
    UpdateLast(*top);
  }
  return top;
}

// The opposite: while the level below the top would fit into one chunk, it becomes the top.
Chunk* Lower(Chunk* top) {
  while (top->level > 0) {
    std::uint32_t below = 0;
    for (const Chunk::Slot& slot : top->view()) below += slot.chunk->count;
    if (below > kTopSlotsMax && top->count > 1) break;
    Chunk* joined = OwnChunk(top->slots()[0].chunk);
    for (std::uint32_t i = 1; i < top->count; ++i) {
      Chunk* next = OwnChunk(top->slots()[i].chunk);
      AppendSlots(joined, next->view());
      next->count = 0;
      Release(next);
    }
    UpdateLast(*joined);
    top->count = 0;
    Release(top);
    top = joined;
  }
  return top;
}

Node* OwnIn(Chunk& chunk, const Node& node, const Lexicon& lexicon) {
  const std::uint32_t index = LowerBound(chunk, node, lexicon);
  PACTDB_CHECK(index < chunk.count);
  Node* owned = nullptr;
  if (chunk.level == 0) {
    Node*& slot = chunk.slots()[index].node;
    PACTDB_CHECK(slot->number == node.number);
    Uncount(chunk, index);
    if (!IsUnique(slot)) {
      Node* copy = CopyNode(*slot).Detach();
      Release(slot);
      slot = copy;
    }
    owned = slot;
    owned->stored_at = kNotStored;
    if (!owned->is_block()) owned->Set(Node::kStale, true);
  } else {
    owned = OwnIn(*OwnChunk(chunk.slots()[index].chunk), node, lexicon);
  }
  UpdateLast(chunk);
  return owned;
}

}  // namespace

std::size_t Size(const Chunk* list) {
  if (list == nullptr) return 0;
  if (!list->summary_stale) return list->summary.entries;
  std::size_t size = list->level == 0 ? list->count : 0;
  if (list->level > 0) {
    for (const Chunk::Slot& slot : list->view()) size += Size(slot.chunk);
  }
  return size;
}

const Node* At(const Chunk* list, std::size_t n) {
  while (list->level > 0) {
    const Chunk* next = nullptr;
    for (const Chunk::Slot& slot : list->view()) {
      if (n < slot.chunk->summary.entries) {
        next = slot.chunk;
        break;
      }
      n -= slot.chunk->summary.entries;
    }
    PACTDB_CHECK(next != nullptr);
    list = next;
  }
  PACTDB_CHECK(n < list->count);
  return list->slots()[n].node;
}

std::size_t Rank(const Chunk* list, const Node& node, const Lexicon& lexicon) {
  std::size_t rank = 0;
  while (list != nullptr) {
    const std::uint32_t index = LowerBound(*list, node, lexicon);
    if (list->level == 0) return rank + index;
    for (std::uint32_t i = 0; i < index; ++i) rank += list->slots()[i].chunk->summary.entries;
    list = index < list->count ? list->slots()[index].chunk : nullptr;
  }
  return rank;
}

const Node* Find(const Chunk* list, const Node& node, const Lexicon& lexicon) {
  while (list != nullptr) {
    const std::uint32_t index = LowerBound(*list, node, lexicon);
    if (index == list->count) return nullptr;
    if (list->level == 0) {
      const Node* found = list->slots()[index].node;
      return found->number == node.number ? found : nullptr;
    }
    list = list->slots()[index].chunk;
  }
  return nullptr;
}

void Insert(Container& container, Ref<Node> node, const Lexicon& lexicon) {
  container.Set(Node::kStale, true);
  if (container.children == nullptr) container.children = MakeChunk(0, !node->is_block(), 1);
  container.children = Raise(InsertInto(OwnChunk(container.children), node.Detach(), lexicon));
}

void Erase(Container& container, const Node& node, const Lexicon& lexicon) {
  container.Set(Node::kStale, true);
  Chunk*& root = container.children;
  EraseFrom(*OwnChunk(root), node, lexicon);
  if (root->count == 0) {
    Release(root);
    root = nullptr;
  } else {
    root = Lower(root);
  }
}

Node* Own(Container& container, const Node& node, const Lexicon& lexicon) {
  container.Set(Node::kStale, true);
  return OwnIn(*OwnChunk(container.children), node, lexicon);
}

void Assign(Container& container, std::span<Ref<Node>> sorted) {
  container.Set(Node::kStale, true);
  Release(container.children);
  container.children = nullptr;
  if (sorted.empty()) return;
  Chunk* all = MakeChunk(0, !sorted[0]->is_block(), static_cast<std::uint32_t>(sorted.size()));
  for (Ref<Node>& node : sorted) {
    all->slots()[all->count++].node = node.Detach();
  }
  UpdateLast(*all);
  container.children = Raise(all);
}

Chunk* Rebuild(unsigned level, std::span<const Chunk::Slot> slots, const Digest* hash,
               const Lexicon& lexicon) {
  const bool keeps_lists = level == 0 && !slots[0].node->is_block();
  Chunk* chunk = MakeChunk(level, keeps_lists, static_cast<std::uint32_t>(slots.size()));
  std::ranges::copy(slots, chunk->slots());
  chunk->count = chunk->capacity;
  UpdateLast(*chunk);
  SummarizeChunk(*chunk);
  chunk->hash = hash != nullptr ? *hash : HashChunk(*chunk, lexicon);
  chunk->hash_stale = false;
  return chunk;
}

Summary Below(const Container& container) {
  return container.children != nullptr ? container.children->summary : Summary();
}

std::size_t AllocatedBytes(const Chunk& chunk) {
  return ChunkBytes(chunk.level, chunk.keeps_lists, chunk.capacity);
}

}  // namespace child_list

}  // namespace pactdb
