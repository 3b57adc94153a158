// The ids of one context: text to dense numbers, with a payload a number; read without locks while
// one writer adds.
//
// An id that the engine made is stored as its parts, in eight bytes and without a place in a hash
// table. Such ids get their numbers in the order of their indexes, so within a cycle number and
// index differ by a constant: the cycle's shift, four bytes, says where an id would stand, and what
// stands there says whether it is the one. Any other id, and a made one that does not stand where
// the shift says, is interned as text.
//
// Thread safety: one writer (Intern); any number of readers. Payload fields that change after
// Intern must be atomic.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/append_vector.h"
#include "base/interner.h"
#include "model/made_id.h"

namespace pactdb {

// By cycle, how far numbers are from indexes.
class ShiftTable {
 public:
  ShiftTable() = default;
  ~ShiftTable();
  ShiftTable(const ShiftTable&) = delete;
  ShiftTable& operator=(const ShiftTable&) = delete;

  // The number of the cycle's id with this index, if there is one and it stands where it should.
  std::optional<std::uint32_t> Guess(std::uint64_t cycle, std::uint32_t index) const {
    const std::uint64_t page = cycle / kPageCycles;
    if (page >= pages_.size()) return std::nullopt;
    const Slot* slots = pages_[page].load(std::memory_order_acquire);
    if (slots == nullptr) return std::nullopt;
    const std::uint32_t shift = slots[cycle % kPageCycles].load(std::memory_order_acquire);
    if (shift == kNone) return std::nullopt;
    return shift + index - kBias;
  }
  // Writer: the id with this index gets this number. False if Guess cannot say so.
  bool Note(std::uint64_t cycle, std::uint32_t index, std::uint32_t number);
  std::size_t allocated_bytes() const;

 private:
  using Slot = std::atomic<std::uint32_t>;
  static constexpr std::uint64_t kPageCycles = 1024;
  // A document may speak of any cycle; what the list of pages may cost for it is 512 KB.
  static constexpr std::uint64_t kPagesMax = 1 << 16;
  static constexpr std::uint32_t kNone = 0;
  static constexpr std::uint32_t kBias = MadeId::kIndexMax + 1;  // keeps shifts above kNone

  AppendVector<std::atomic<Slot*>> pages_;
};

template <typename Payload>
class IdTable {
 public:
  std::size_t size() const { return entries_.size(); }
  const Payload& payload(std::uint32_t number) const { return entries_[number].payload; }
  Payload& payload(std::uint32_t number) { return entries_[number].payload; }

  IdText text(std::uint32_t number) const {
    const std::uint64_t name = entries_[number].name;
    if ((name & kIsText) != 0) return IdText(texts_.text(static_cast<std::uint32_t>(name)));
    return IdText(MadeId::Unpack(name));
  }

  // What MadeId::Parse says of its text.
  std::optional<MadeId> made(std::uint32_t number) const {
    const std::uint64_t name = entries_[number].name;
    if ((name & kIsText) != 0) return MadeId::Parse(texts_.text(static_cast<std::uint32_t>(name)));
    return MadeId::Unpack(name);
  }

  std::optional<std::uint32_t> Find(const WantedId& id) const {
    if (id.made) {
      if (const auto number = FindMade(*id.made)) return number;
    }
    return FindText(id.text);
  }

  // Writer. The number of `text`, new if it was not there. `cycle` is when its node was made: an id
  // that speaks of another cycle is no made one, and must not take the place of one to come.
  std::uint32_t Intern(std::string_view text, std::int64_t cycle) {
    const WantedId id(text);
    if (const auto number = Find(id)) return *number;
    if (id.made && id.made->cycle == static_cast<std::uint64_t>(cycle)) {
      if (const auto number = AddMade(*id.made)) return *number;
    }
    const auto number = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back(kIsText | texts_.size());
    texts_.Intern(text, number);
    has_odd_ids_ = has_odd_ids_ || id.made.has_value();
    return number;
  }

  // Writer. The same for an id of the node's own cycle, without its text where that can be.
  std::uint32_t Intern(const MadeId& id) {
    if (!has_odd_ids_) {
      if (const auto number = FindMade(id)) return *number;
      if (const auto number = AddMade(id)) return *number;
    }
    return Intern(IdText(id).view(), static_cast<std::int64_t>(id.cycle));
  }

  void Prefetch(std::uint32_t number) const { __builtin_prefetch(&entries_[number]); }

  std::size_t allocated_bytes() const {
    return entries_.allocated_bytes() + texts_.allocated_bytes() + indexed_.allocated_bytes() +
           turns_.allocated_bytes();
  }

 private:
  static constexpr std::uint64_t kIsText = std::uint64_t{1} << 63;

  struct Entry {
    explicit Entry(std::uint64_t packed) : name(packed) {}
    std::uint64_t name;  // a packed MadeId, or kIsText and the number of a text
    Payload payload;
  };

  const ShiftTable& Shifts(const MadeId& id) const { return id.has_index ? indexed_ : turns_; }
  ShiftTable& Shifts(const MadeId& id) { return id.has_index ? indexed_ : turns_; }

  std::optional<std::uint32_t> FindMade(const MadeId& id) const {
    const auto number = Shifts(id).Guess(id.cycle, id.index);
    const bool is_it = number && *number < entries_.size() && entries_[*number].name == id.Pack();
    return is_it ? number : std::nullopt;
  }
  // Nothing if it would not be found.
  std::optional<std::uint32_t> AddMade(const MadeId& id) {
    const auto number = static_cast<std::uint32_t>(entries_.size());
    if (!Shifts(id).Note(id.cycle, id.index, number)) return std::nullopt;
    entries_.emplace_back(id.Pack());
    return number;
  }

  std::optional<std::uint32_t> FindText(std::string_view text) const {
    if (texts_.size() == 0) return std::nullopt;
    const auto kept = texts_.Find(text);
    return kept ? std::optional(texts_.entry(*kept).payload) : std::nullopt;
  }

  bool has_odd_ids_ = false;  // writer: a made id, or what looks like one, is kept as text
  AppendVector<Entry> entries_;
  Interner<std::uint32_t> texts_;
  ShiftTable indexed_;
  ShiftTable turns_;
};

}  // namespace pactdb
