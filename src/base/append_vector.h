// A vector that only grows, read without locks while one writer appends.
//
// Elements live in segments of doubling size and never move, so a reference stays good for the
// vector's life. push_back publishes an element with a release store of the size; a reader that saw
// the size sees the element.
//
// Thread safety: one writer; any number of readers of indices below size().
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/pages.h"

namespace pactdb {

template <typename T>
class AppendVector {
 public:
  AppendVector() = default;
  AppendVector(const AppendVector&) = delete;
  AppendVector& operator=(const AppendVector&) = delete;
  ~AppendVector() {
    for (std::size_t i = 0; i < size_.load(std::memory_order_relaxed); ++i)
      std::destroy_at(&(*this)[i]);
    for (std::size_t s = 0; s < kSegments; ++s) {
      if (T* segment = segments_[s].load(std::memory_order_relaxed))
        Deallocate(segment, kFirst << s);
    }
  }

  std::size_t size() const { return size_.load(std::memory_order_acquire); }
  bool empty() const { return size() == 0; }

  T& operator[](std::size_t index) { return *Slot(index); }
  const T& operator[](std::size_t index) const { return *Slot(index); }

  // Writer only. Returns the new element.
  template <typename... Args>
  T& emplace_back(Args&&... args) {
    const std::size_t index = size_.load(std::memory_order_relaxed);
    const std::size_t segment = SegmentOf(index);
    if (segments_[segment].load(std::memory_order_relaxed) == nullptr) {
      segments_[segment].store(Allocate(kFirst << segment), std::memory_order_release);
    }
    T* slot = std::construct_at(Slot(index), std::forward<Args>(args)...);
    size_.store(index + 1, std::memory_order_release);
    return *slot;
  }

  // Writer only. REQUIRES: not empty, and no reader relies on the last element.
  void pop_back() {
    const std::size_t index = size_.load(std::memory_order_relaxed) - 1;
    size_.store(index, std::memory_order_release);
    std::destroy_at(Slot(index));
  }

  // Bytes held, elements' own allocations apart.
  std::size_t allocated_bytes() const {
    std::size_t bytes = 0;
    for (std::size_t s = 0; s < kSegments; ++s) {
      if (segments_[s].load(std::memory_order_relaxed) != nullptr)
        bytes += (kFirst << s) * kItemBytes;
    }
    return bytes;
  }

 private:
  using Allocator = std::allocator<T>;
  static constexpr std::size_t kFirst = 16;
  static constexpr std::size_t kItemBytes = sizeof(T);  // NOLINT: T may be a pointer
  // Page boundaries are enough for any element.
  static_assert(alignof(T) <= alignof(std::max_align_t));

  static T* Allocate(std::size_t count) {
    if (count * kItemBytes >= kHugePageBytes)
      return static_cast<T*>(AllocatePages(count * kItemBytes));
    return Allocator().allocate(count);
  }
  static void Deallocate(T* segment, std::size_t count) {
    if (count * kItemBytes >= kHugePageBytes)
      return FreePages(static_cast<void*>(segment), count * kItemBytes);
    Allocator().deallocate(segment, count);
  }
  static constexpr std::size_t kSegments = 44;

  // Segment s holds indices [kFirst * (2^s - 1), kFirst * (2^(s+1) - 1)).
  static std::size_t SegmentOf(std::size_t index) {
    return static_cast<std::size_t>(std::bit_width(index / kFirst + 1)) - 1;
  }
  T* Slot(std::size_t index) const {
    const std::size_t segment = SegmentOf(index);
    const std::size_t first = kFirst * ((std::size_t{1} << segment) - 1);
    return segments_[segment].load(std::memory_order_acquire) + (index - first);
  }

  std::array<std::atomic<T*>, kSegments> segments_{};
  std::atomic<std::size_t> size_{0};
};

}  // namespace pactdb
