// Memory for very many objects of one size.
//
// malloc rounds a node up and puts a header before it; over a million nodes that is a tenth of what
// they need. A slab hands out slots of exactly the size from large blocks and keeps what is given
// back for the next node. Blocks go back to the system when the process ends.
//
// Under AddressSanitizer every object is an allocation of its own, so that a use after free is
// seen.
//
// Thread safety: any thread may allocate and free; a snapshot may be dropped anywhere.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define PACTDB_NO_SLABS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PACTDB_NO_SLABS 1
#endif
#endif

namespace pactdb {

// kSize is a multiple of 8 and at least 8.
template <std::size_t kSize>
class Slab {
  static_assert(kSize % 8 == 0 && kSize >= sizeof(void*));

 public:
#ifdef PACTDB_NO_SLABS
  void* Allocate() { return ::operator new(kSize); }
  void Free(void* memory) { ::operator delete(memory); }
#else
  void* Allocate() {
    const std::lock_guard lock(mutex_);
    if (free_ != nullptr) {
      FreeSlot* slot = free_;
      free_ = slot->next;
      return slot;
    }
    if (left_ == 0) {
      blocks_.push_back(std::make_unique_for_overwrite<Block>());
      next_ = blocks_.back()->bytes;
      left_ = kSlotsPerBlock;
    }
    void* slot = next_;
    next_ += kSize;
    --left_;
    return slot;
  }

  void Free(void* memory) {
    const std::lock_guard lock(mutex_);
    free_ = ::new (memory) FreeSlot{free_};
  }

 private:
  static constexpr std::size_t kSlotsPerBlock = 65536 / kSize;
  struct FreeSlot {
    FreeSlot* next;
  };
  struct Block {
    alignas(8) char bytes[kSlotsPerBlock * kSize];
  };

  std::mutex mutex_;
  FreeSlot* free_ = nullptr;
  char* next_ = nullptr;
  std::size_t left_ = 0;
  std::vector<std::unique_ptr<Block>> blocks_;
#endif
};

}  // namespace pactdb
