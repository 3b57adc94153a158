// The turns of ^seq one after the other, with the memory behind them asked for ahead.
//
// Turns of a large tree lie anywhere in memory, each behind pointers in a row: its list, and from
// there the core's list. Each step is taken for a turn that comes some turns later, so that while
// one turn is looked at the waits for those behind it go on.
//
// Thread safety: one thread; the list is held and does not change.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/child_list.h"
#include "model/node_code.h"

namespace pactdb {

class TurnsAhead {
 public:
  struct Item {
    const Node* turn = nullptr;
    const Chunk* list = nullptr;  // of the turn
    std::uint32_t code = 0;
    // Of its only child, if that is a container.
    std::uint32_t core_code = 0;
    const Chunk* core_list = nullptr;
  };

  TurnsAhead(const Container& seq, bool backwards) : cursor_(seq, backwards) {
    for (std::size_t i = 0; i < kSteps * kDistance; ++i) Advance();
  }

  // No turn after the last one.
  Item Next() {
    Advance();
    const std::size_t at = taken_++;
    return at < read_ ? item(at) : Item();
  }

 private:
  static constexpr std::size_t kDistance = 12;  // turns between two steps
  static constexpr std::size_t kSteps = 2;
  static constexpr std::size_t kRing = 32;
  static_assert(kRing > kSteps * kDistance);
  // Bytes to read of a turn's list, which is mostly the core alone, and of a core's: the end of the
  // chunk, where its counts are, and what follows.
  static constexpr std::size_t kCounts = sizeof(Chunk) - offsetof(Chunk, refs);
  static constexpr std::size_t kBlockEntry = sizeof(Chunk::Slot) + sizeof(std::uint32_t);
  static constexpr std::size_t kOneContainer = kCounts + sizeof(Chunk*) + kBlockEntry;
  static constexpr std::size_t kEightBlocks = kCounts + 8 * kBlockEntry;
  static_assert(kCounts == 16);

  Item& item(std::size_t at) { return ring_[at % kRing]; }

  // The counts and what follows them, slots and codes.
  static void PrefetchChunk(const Chunk* chunk, std::size_t bytes) {
    if (chunk == nullptr) return;
    const char* start = reinterpret_cast<const char*>(chunk + 1) - kCounts;
    for (std::size_t offset = 0; offset < bytes; offset += 64) __builtin_prefetch(start + offset);
    __builtin_prefetch(start + bytes - 1);
  }

  static void StepToInnerLists(Item& item) {
    const Chunk* list = item.list;
    if (list == nullptr || list->level > 0) return;
    if (list->count == 1) {
      item.core_code = list->codes()[0];
      item.core_list = child_list::ListOf(*list, 0);
    }
    for (std::uint32_t i = 0; i < list->count; ++i)
      PrefetchChunk(child_list::ListOf(*list, i), kEightBlocks);
  }

  // Reads one more turn, and looks into the list of one before it.
  void Advance() {
    const std::size_t at = steps_++;
    if (const Node* next = cursor_.get()) {
      ring_[at % kRing] = {.turn = next, .list = cursor_.list(), .code = cursor_.code()};
      PrefetchChunk(cursor_.list(), kOneContainer);
      cursor_.Next();
      ++read_;
    }
    if (at >= kDistance && at - kDistance < read_) StepToInnerLists(item(at - kDistance));
  }

  ChildCursor cursor_;
  std::array<Item, kRing> ring_;
  std::size_t steps_ = 0;
  std::size_t read_ = 0;  // turns in the ring, or gone from it
  std::size_t taken_ = 0;
};

}  // namespace pactdb
