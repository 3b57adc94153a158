// Memory for very many small objects.
//
// malloc rounds an object up and puts a header before it, and scatters what is made together. Over
// a million nodes that is a tenth of their memory and most of the time of a scan. Here every size
// has its own blocks: objects of a size stand side by side in the order they were made, and what is
// given back is used for the next of its size. Blocks stay with the process: small ones at first,
// and once a process has many, in pages of megabytes.
//
// Under AddressSanitizer every object is an allocation of its own, so that a use after free is
// seen.
//
// Thread safety: any thread may allocate and free; a snapshot may be dropped anywhere.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "base/pages.h"
#include "base/spin_lock.h"

#if defined(__SANITIZE_ADDRESS__)
#define PACTDB_NO_SLABS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PACTDB_NO_SLABS 1
#endif
#endif

namespace pactdb {

class Slabs {
 public:
  // Aligned to 8.
  void* Allocate(std::size_t size) {
#ifndef PACTDB_NO_SLABS
    if (size <= kSizeMax) return AllocateSlot(size);
    large_bytes_.fetch_add(size, std::memory_order_relaxed);
#endif
    return ::operator new(size);
  }

  // REQUIRES: `size` is what was asked for.
  void Free(void* memory, [[maybe_unused]] std::size_t size) {
#ifndef PACTDB_NO_SLABS
    if (size <= kSizeMax) return FreeSlot(memory, size);
    large_bytes_.fetch_sub(size, std::memory_order_relaxed);
#endif
    ::operator delete(memory);
  }

  // What is allocated and not given back; 0 where there are no slabs.
  std::size_t bytes_in_use() const {
    return slot_bytes_.load(std::memory_order_relaxed) +
           large_bytes_.load(std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t kStep = 8;
  static constexpr std::size_t kSizeMax = 512;
  static constexpr std::size_t kLineBytes = 64;
  static constexpr std::size_t kBlockBytes = 65536;
  static constexpr std::size_t kSmallBlocks = 64;  // 4 MB before the first huge page

  struct Slot {
    Slot* next;
  };
  struct SizeClass {
    Slot* free = nullptr;
    char* next = nullptr;
    std::size_t left = 0;  // slots at `next`
  };

  static std::size_t ClassOf(std::size_t size) { return (size + kStep - 1) / kStep; }

  // REQUIRES: the lock is held.
  void CountSlots(std::size_t bytes) {
    slot_bytes_.store(slot_bytes_.load(std::memory_order_relaxed) + bytes,
                      std::memory_order_relaxed);
  }

  // What was given back lies anywhere, and the next one of its size is most often asked for soon.
  static void FetchAhead(const Slot* slot, std::size_t size) {
    if (slot == nullptr) return;
    const char* const bytes = reinterpret_cast<const char*>(slot);
    for (std::size_t at = 0; at < size; at += kLineBytes) __builtin_prefetch(bytes + at, 1);
  }

  void* AllocateSlot(std::size_t asked) {
    const std::size_t index = ClassOf(asked);
    const std::lock_guard lock(lock_);
    SizeClass& size_class = classes_[index];
    if (Slot* slot = size_class.free) {
      size_class.free = slot->next;
      FetchAhead(slot->next, index * kStep);
      CountSlots(asked);
      return slot;
    }
    const std::size_t size = index * kStep;
    if (size_class.left == 0) {
      size_class.next = MakeBlock();
      size_class.left = kBlockBytes / size;
    }
    char* slot = size_class.next;
    size_class.next += size;
    --size_class.left;
    CountSlots(asked);
    return slot;
  }

  void FreeSlot(void* memory, std::size_t asked) {
    const std::size_t index = ClassOf(asked);
    const std::lock_guard lock(lock_);
    CountSlots(-asked);  // wraps
    classes_[index].free = ::new (memory) Slot{classes_[index].free};
  }

  char* MakeBlock() {
    if (small_blocks_.size() < kSmallBlocks) {
      small_blocks_.push_back(std::make_unique_for_overwrite<char[]>(kBlockBytes));
      return small_blocks_.back().get();
    }
    if (page_blocks_left_ == 0) {
      page_next_ = static_cast<char*>(AllocatePages(kHugePageBytes));
      pages_.emplace_back(page_next_);
      page_blocks_left_ = kHugePageBytes / kBlockBytes;
    }
    --page_blocks_left_;
    return std::exchange(page_next_, page_next_ + kBlockBytes);
  }

  struct FreePage {
    void operator()(char* page) const { FreePages(page, kHugePageBytes); }
  };

  SpinLock lock_;
  // Written under the lock, read without it.
  std::atomic<std::size_t> slot_bytes_{0};
  std::atomic<std::size_t> large_bytes_{0};
  std::array<SizeClass, kSizeMax / kStep + 1> classes_{};
  std::vector<std::unique_ptr<char[]>> small_blocks_;
  std::vector<std::unique_ptr<char, FreePage>> pages_;
  char* page_next_ = nullptr;
  std::size_t page_blocks_left_ = 0;  // at `page_next_`
};

// Shared by all contexts, as malloc is. Never destroyed: a static destructor may drop a snapshot.
inline Slabs& SharedSlabs() {
  static auto* const slabs = new Slabs();
  return *slabs;
}

}  // namespace pactdb
