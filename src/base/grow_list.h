// A small array that one writer extends while readers look at it.
//
// Unlike AppendVector it costs one pointer when empty, so it can stand in every entry of a large
// table. Growing copies into a block of twice the size; the older block stays reachable from the
// newer one until the list goes, because a reader may be inside it. T must be trivially copyable;
// fields that change after Append must be read and written through std::atomic_ref.
//
// Thread safety: one writer; any number of readers.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>

namespace pactdb {

template <typename T>
class GrowList {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 8);

 public:
  GrowList() = default;
  GrowList(const GrowList&) = delete;
  GrowList& operator=(const GrowList&) = delete;
  ~GrowList() {
    for (Block* block = block_.load(std::memory_order_relaxed); block != nullptr;) {
      Block* older = block->older;
      std::free(block);
      block = older;
    }
  }

  bool empty() const { return block_.load(std::memory_order_acquire) == nullptr; }

  std::span<T> items() const {
    Block* block = block_.load(std::memory_order_acquire);
    if (block == nullptr) return {};
    return {block->items(), block->size.load(std::memory_order_acquire)};
  }

  // Writer only.
  void Append(const T& item) {
    Block* block = block_.load(std::memory_order_relaxed);
    if (block == nullptr || block->size.load(std::memory_order_relaxed) == block->capacity)
      block = Grow(block);
    const std::uint32_t size = block->size.load(std::memory_order_relaxed);
    std::memcpy(block->items() + size, &item, sizeof(T));
    block->size.store(size + 1, std::memory_order_release);
  }

  // Writer only. REQUIRES: not empty, and no reader relies on the last item. A reader may be
  // looking at it all the same, so its place is not used again: the rest goes on in a block of its
  // own.
  void RemoveLast() {
    Block* block = block_.load(std::memory_order_relaxed);
    MoveOn(block, block->capacity, block->size.load(std::memory_order_relaxed) - 1);
  }

 private:
  struct Block {
    Block* older;
    std::uint32_t capacity;
    std::atomic<std::uint32_t> size;
    T* items() { return reinterpret_cast<T*>(this + 1); }
  };

  Block* Grow(Block* old) {
    return old == nullptr ? MoveOn(nullptr, 2, 0) : MoveOn(old, 2 * old->capacity, old->capacity);
  }

  // A new block with the first `size` items of the old one.
  Block* MoveOn(Block* old, std::uint32_t capacity, std::uint32_t size) {
    void* memory = std::malloc(sizeof(Block) + capacity * sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    auto* block = new (memory) Block{.older = old, .capacity = capacity, .size = 0};
    if (size > 0) {
      // Readers may store nothing, so a plain copy of the writer's own data is whole.
      std::memcpy(static_cast<void*>(block->items()), old->items(), size * sizeof(T));
      block->size.store(size, std::memory_order_relaxed);
    }
    block_.store(block, std::memory_order_release);
    return block;
  }

  std::atomic<Block*> block_{nullptr};
};

}  // namespace pactdb
