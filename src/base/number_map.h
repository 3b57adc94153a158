// A small hash map from 32-bit numbers to pointers or numbers, in one flat array.
//
// The table of changes of a working tree: written on every edit, copied at every commit, cleared by
// making a new one. Nothing is ever taken out; a value may be null. Linear probing, at most half
// full.
//
// Thread safety: none; a value type.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pactdb {

template <typename T>
class NumberMap {
 public:
  struct Item {
    std::uint32_t number;
    T value;
  };

  // REQUIRES: number != UINT32_MAX.
  void Set(std::uint32_t number, T value) {
    if (2 * (size_ + 1) > items_.size()) Grow();
    Item& item = items_[Slot(number)];
    if (item.number == kEmpty) {
      item.number = number;
      ++size_;
    }
    item.value = value;
  }

  // The item if the number is there, else null.
  const Item* Find(std::uint32_t number) const {
    if (items_.empty()) return nullptr;
    const Item& item = items_[Slot(number)];
    return item.number == kEmpty ? nullptr : &item;
  }
  bool Contains(std::uint32_t number) const { return Find(number) != nullptr; }

  // Makes room for `count` numbers.
  void Reserve(std::size_t count) {
    if (2 * count > items_.size()) Resize(std::bit_ceil(2 * count));
  }

  std::size_t size() const { return size_; }

  // Calls visit(number, value) for every number, in no particular order.
  template <typename Visitor>
  void ForEach(Visitor&& visit) const {
    for (const Item& item : items_) {
      if (item.number != kEmpty) visit(item.number, item.value);
    }
  }

 private:
  static constexpr std::uint32_t kEmpty = UINT32_MAX;

  // Where the number is, or would be. Neighbours lie in one line of memory: what is made together
  // is entered and read together.
  std::size_t Slot(std::uint32_t number) const {
    const std::size_t mask = items_.size() - 1;
    const std::uint64_t hash = ((number / 4) * std::uint64_t{0x9E3779B97F4A7C15}) >> 32;
    std::size_t slot = (4 * hash + number % 4) & mask;
    while (items_[slot].number != kEmpty && items_[slot].number != number) slot = (slot + 1) & mask;
    return slot;
  }

  void Grow() { Resize(items_.empty() ? 32 : 2 * items_.size()); }

  void Resize(std::size_t slots) {
    std::vector<Item> old(slots, Item{kEmpty, T{}});
    old.swap(items_);
    for (const Item& item : old) {
      if (item.number != kEmpty) items_[Slot(item.number)] = item;
    }
  }

  std::vector<Item> items_;
  std::size_t size_ = 0;
};

}  // namespace pactdb
