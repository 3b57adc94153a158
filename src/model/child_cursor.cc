// Walking lists: one by one, and two together as far as they agree.
#include <vector>

#include "model/child_list.h"

namespace pactdb {
namespace child_list {
namespace {

// A place in a list that can be left by whole chunks.
class ChunkWalk {
 public:
  explicit ChunkWalk(const Chunk* list) {
    if (list != nullptr) path_.push_back({list, 0});
  }
  bool done() const { return path_.empty(); }
  // The level of what stands here: -1 for a node, else a chunk's.
  int level() const { return path_.back().chunk->level - 1; }
  const void* get() const { return slot().node; }
  std::size_t entries() const { return level() < 0 ? 1 : slot().chunk->summary.entries; }
  void Enter() { path_.push_back({slot().chunk, 0}); }
  void Skip() {
    while (!path_.empty() && ++path_.back().index == path_.back().chunk->count) path_.pop_back();
  }

 private:
  struct Place {
    const Chunk* chunk;
    std::uint32_t index;
  };
  const Chunk::Slot& slot() const { return path_.back().chunk->slots()[path_.back().index]; }
  std::vector<Place> path_;
};

}  // namespace

std::size_t CommonPrefix(const Chunk* older, const Chunk* newer) {
  if (older == newer) return Size(older);
  std::size_t common = 0;
  ChunkWalk a(older);
  ChunkWalk b(newer);
  // Both stand at the same entry all the time, perhaps at chunks of different levels.
  while (!a.done() && !b.done()) {
    if (a.get() == b.get()) {
      common += a.entries();
      a.Skip();
      b.Skip();
    } else if (a.level() < 0 && b.level() < 0) {
      break;
    } else if (a.level() >= b.level()) {
      if (a.level() == b.level()) b.Enter();
      a.Enter();
    } else {
      b.Enter();
    }
  }
  return common;
}

}  // namespace child_list

namespace {

// What a cursor reads of a chunk of sixteen: counts, slots, lists and codes.
void PrefetchWalked(const Chunk* chunk) {
  constexpr std::size_t kBytes = 16 + 16 * (2 * sizeof(Chunk::Slot) + sizeof(std::uint32_t));
  const char* start = reinterpret_cast<const char*>(chunk + 1) - 16;
  for (std::size_t offset = 0; offset < kBytes; offset += 64) __builtin_prefetch(start + offset);
}

}  // namespace

ChildCursor::ChildCursor(const Chunk* list, bool backwards) : backwards_(backwards) {
  if (list != nullptr && list->count > 0) Descend(list);
}

ChildCursor ChildCursor::From(const Chunk* list, std::size_t n) {
  ChildCursor cursor(static_cast<const Chunk*>(nullptr));
  if (n >= child_list::Size(list)) return cursor;
  while (list->level > 0) {
    std::uint32_t index = 0;
    for (; n >= list->slots()[index].chunk->summary.entries; ++index)
      n -= list->slots()[index].chunk->summary.entries;
    cursor.path_[cursor.depth_++] = {list, index};
    list = list->slots()[index].chunk;
  }
  cursor.path_[cursor.depth_++] = {list, static_cast<std::uint32_t>(n)};
  cursor.node_ = list->slots()[n].node;
  return cursor;
}

void ChildCursor::Descend(const Chunk* chunk) {
  while (true) {
    const std::uint32_t index = backwards_ ? chunk->count - 1 : 0;
    path_[depth_++] = {chunk, index};
    if (chunk->level == 0) {
      node_ = chunk->slots()[index].node;
      return;
    }
    chunk = chunk->slots()[index].chunk;
  }
}

void ChildCursor::Next() {
  node_ = nullptr;
  while (depth_ > 0) {
    Place& place = path_[depth_ - 1];
    const bool more = backwards_ ? place.index > 0 : place.index + 1 < place.chunk->count;
    if (!more) {
      --depth_;
      continue;
    }
    place.index = backwards_ ? place.index - 1 : place.index + 1;
    const Chunk::Slot slot = place.chunk->slots()[place.index];
    if (place.chunk->level == 0) {
      node_ = slot.node;
    } else {
      // A walk of a long list waits for every chunk anew unless the next one is on its way.
      const std::uint32_t beyond = backwards_ ? place.index - 1 : place.index + 1;
      if (beyond < place.chunk->count) PrefetchWalked(place.chunk->slots()[beyond].chunk);
      Descend(slot.chunk);
    }
    return;
  }
}

}  // namespace pactdb
