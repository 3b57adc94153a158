// The turns of ^seq one after the other, with the memory behind them asked for ahead.
//
// Turns of a large tree lie anywhere in memory, each behind four pointers in a row: the turn, its
// list, the core, the core's list. Each step is taken for a turn that comes some turns later, so
// that while one turn is looked at the waits for those behind it go on.
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
    std::uint32_t code = 0;
    // Its only child, if that is a container.
    std::uint32_t core_code = 0;
    const Container* core = nullptr;
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
  static constexpr std::size_t kDistance = 10;  // turns between two steps
  static constexpr std::size_t kSteps = 4;
  static constexpr std::size_t kRing = 64;
  static_assert(kRing > kSteps * kDistance);
  // Bytes to read of a turn's list, which is mostly the core alone, and of a core's: the end of the
  // chunk, where its counts are, and what follows.
  static constexpr std::size_t kCounts = sizeof(Chunk) - offsetof(Chunk, refs);
  static constexpr std::size_t kEntry = sizeof(Chunk::Slot) + sizeof(std::uint32_t);
  static constexpr std::size_t kOneEntry = kCounts + kEntry;
  static constexpr std::size_t kEightEntries = kCounts + 8 * kEntry;
  static_assert(kCounts == 16);

  Item& item(std::size_t at) { return ring_[at % kRing]; }

  static const Chunk* ListOf(const Node* container) {
    return static_cast<const Container*>(container)->children;
  }
  static void PrefetchListPointer(const Node* container) {
    const auto* holder = static_cast<const Container*>(container);
    __builtin_prefetch(static_cast<const void*>(&holder->children));
  }
  // The counts and what follows them, slots and codes.
  static void PrefetchChunk(const Chunk* chunk, std::size_t bytes) {
    if (chunk == nullptr) return;
    const char* start = reinterpret_cast<const char*>(chunk + 1) - kCounts;
    for (std::size_t offset = 0; offset < bytes; offset += 64) __builtin_prefetch(start + offset);
    __builtin_prefetch(start + bytes - 1);
  }

  template <typename Visitor>
  static void ForEachInner(const Chunk* list, Visitor&& visit) {
    if (list == nullptr || list->level > 0) return;
    for (std::uint32_t i = 0; i < list->count; ++i) {
      if (node_code::Class(list->codes()[i]) != NodeClass::kBlock) visit(list->slots()[i].node);
    }
  }

  static void StepToInner(Item& item) {
    const Chunk* list = ListOf(item.turn);
    const auto* first =
        list == nullptr ? nullptr : static_cast<const Container*>(list->slots()[0].node);
    const bool is_lone = list != nullptr && list->level == 0 && list->count == 1;
    if (is_lone && node_code::Class(list->codes()[0]) != NodeClass::kBlock) {
      item.core = first;
      item.core_code = list->codes()[0];
    }
    ForEachInner(list, PrefetchListPointer);
  }
  static void StepToInnerLists(const Item& item) {
    if (item.core != nullptr) return PrefetchChunk(item.core->children, kEightEntries);
    ForEachInner(ListOf(item.turn),
                 [](const Node* inner) { PrefetchChunk(ListOf(inner), kEightEntries); });
  }

  // Reads one more turn and takes a step for each of those before it that are due.
  void Advance() {
    const std::size_t at = steps_++;
    if (const Node* next = cursor_.get()) {
      ring_[at % kRing] = {next, cursor_.code()};
      PrefetchListPointer(next);
      cursor_.Next();
      ++read_;
    }
    const auto is_due = [&](std::size_t step) {
      return at >= step * kDistance && at - step * kDistance < read_;
    };
    if (is_due(1)) PrefetchChunk(ListOf(item(at - kDistance).turn), kOneEntry);
    if (is_due(2)) StepToInner(item(at - 2 * kDistance));
    if (is_due(3)) StepToInnerLists(item(at - 3 * kDistance));
  }

  ChildCursor cursor_;
  std::array<Item, kRing> ring_;
  std::size_t steps_ = 0;
  std::size_t read_ = 0;  // turns in the ring, or gone from it
  std::size_t taken_ = 0;
};

}  // namespace pactdb
