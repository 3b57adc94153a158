// Text to small dense numbers, with a payload a number; read without locks while one writer adds.
//
// Open addressing over 64-bit slots (upper half of the hash, number + 1). A full table is replaced
// by one of twice the size; the old ones stay until the interner goes, because a reader may still
// be probing them. Together they are no larger than the newest.
//
// Thread safety: one writer (Intern); any number of readers. Payload fields that change after
// Intern must be atomic.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/append_vector.h"
#include "base/hash64.h"

namespace pactdb {

template <typename Payload>
class Interner {
 public:
  static constexpr std::size_t kInlineMax = 15;
  static constexpr char kIsLong = 127;

  struct Entry {
    template <typename... Args>
    explicit Entry(std::string_view text, const char* kept, Args&&... args)
        : payload(std::forward<Args>(args)...) {
      if (text.size() <= kInlineMax) {
        if (!text.empty()) std::memcpy(bytes, text.data(), text.size());
        bytes[kInlineMax] = static_cast<char>(text.size());
        return;
      }
      const auto size = static_cast<std::uint32_t>(text.size());
      std::memcpy(bytes, static_cast<const void*>(&kept), sizeof kept);
      std::memcpy(bytes + sizeof kept, &size, sizeof size);
      bytes[kInlineMax] = kIsLong;
    }

    std::string_view text() const {
      if (bytes[kInlineMax] != kIsLong) {
        return {bytes, static_cast<unsigned char>(bytes[kInlineMax])};
      }
      const char* kept = nullptr;
      std::uint32_t size = 0;
      std::memcpy(static_cast<void*>(&kept), bytes, sizeof kept);
      std::memcpy(&size, bytes + sizeof kept, sizeof size);
      return {kept, size};
    }

    // Up to 15 bytes of text and their number, so that a lookup of a common id reads one line less;
    // or where a longer text is kept, and its size.
    char bytes[16];
    Payload payload;
  };

  Interner() : seed_(MakeTableSeed()) { Grow(kSlotsMin); }
  Interner(const Interner&) = delete;
  Interner& operator=(const Interner&) = delete;

  std::size_t size() const { return entries_.size(); }
  const Entry& entry(std::uint32_t number) const { return entries_[number]; }
  Entry& entry(std::uint32_t number) { return entries_[number]; }
  std::string_view text(std::uint32_t number) const { return entries_[number].text(); }

  std::optional<std::uint32_t> Find(std::string_view text) const {
    const std::uint64_t hash = TableHash(text, seed_);
    const Table* table = table_.load(std::memory_order_acquire);
    for (std::size_t i = hash & table->mask;; i = (i + 1) & table->mask) {
      const std::uint64_t slot = table->slots[i].load(std::memory_order_acquire);
      if (slot == 0) return std::nullopt;
      if ((slot ^ hash) >> 32 != 0) continue;
      const auto number = static_cast<std::uint32_t>(slot) - 1;
      if (entries_[number].text() == text) return number;
    }
  }

  // Writer only. The number of `text`, new if it was not there; then its payload is made of `args`.
  template <typename... Args>
  std::uint32_t Intern(std::string_view text, Args&&... args) {
    if (auto number = Find(text)) return *number;
    const auto number = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back(text, text.size() > kInlineMax ? Keep(text) : nullptr,
                          std::forward<Args>(args)...);
    Table* table = table_.load(std::memory_order_relaxed);
    if ((entries_.size()) * 5 > (table->mask + 1) * 3) {
      Grow(2 * (table->mask + 1));  // re-enters every entry, the new one included
    } else {
      Enter(*table, number);
    }
    return number;
  }

  std::size_t allocated_bytes() const {
    return entries_.allocated_bytes() + text_bytes_ + slot_count_ * sizeof(std::uint64_t);
  }

 private:
  static constexpr std::size_t kSlotsMin = 64;
  static constexpr std::size_t kTextBlockBytes = 16384;

  struct Table {
    explicit Table(std::size_t size)
        : mask(size - 1), slots(new std::atomic<std::uint64_t>[size]()) {}
    std::size_t mask;
    std::unique_ptr<std::atomic<std::uint64_t>[]> slots;
  };

  void Enter(Table& table, std::uint32_t number) {
    const std::uint64_t hash = TableHash(entries_[number].text(), seed_);
    std::size_t i = hash & table.mask;
    while (table.slots[i].load(std::memory_order_relaxed) != 0) i = (i + 1) & table.mask;
    const std::uint64_t slot = (hash >> 32 << 32) | (number + 1);
    table.slots[i].store(slot, std::memory_order_release);
  }

  void Grow(std::size_t slots) {
    tables_.push_back(std::make_unique<Table>(slots));
    slot_count_ += slots;
    for (std::uint32_t number = 0; number < entries_.size(); ++number)
      Enter(*tables_.back(), number);
    table_.store(tables_.back().get(), std::memory_order_release);
  }

  const char* Keep(std::string_view text) {
    if (text.size() > text_left_) {
      text_left_ = text.size() > kTextBlockBytes ? text.size() : kTextBlockBytes;
      text_blocks_.push_back(std::make_unique<char[]>(text_left_));
      text_next_ = text_blocks_.back().get();
      text_bytes_ += text_left_;
    }
    char* kept = text_next_;
    std::memcpy(kept, text.data(), text.size());
    text_next_ += text.size();
    text_left_ -= text.size();
    return kept;
  }

  std::uint64_t seed_;
  AppendVector<Entry> entries_;
  std::atomic<Table*> table_{nullptr};
  std::vector<std::unique_ptr<Table>> tables_;
  std::size_t slot_count_ = 0;
  std::vector<std::unique_ptr<char[]>> text_blocks_;
  char* text_next_ = nullptr;
  std::size_t text_left_ = 0;
  std::size_t text_bytes_ = 0;
};

}  // namespace pactdb
