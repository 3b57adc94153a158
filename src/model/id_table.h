// The ids of one context: text to dense numbers, with a payload a number; read without locks while
// one writer adds.
//
// An id that the engine made is stored as its parts, in eight bytes and without a place in a hash
// table: such ids come in the order of their cycles and, within a cycle, of their indexes, and get
// their numbers in that order too, so a list of runs finds them (base number, first index, length).
// Any other id, and a made one out of its order, is interned as text.
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

// Ascending keys (cycle, index) to numbers, a run of neighbours in one record.
class RunTable {
 public:
  std::optional<std::uint32_t> Find(std::uint64_t cycle, std::uint32_t index) const;
  // True if the key is greater than all there are.
  bool IsNext(std::uint64_t cycle, std::uint32_t index) const;
  // Writer. REQUIRES: IsNext.
  void Append(std::uint64_t cycle, std::uint32_t index, std::uint32_t number);
  std::size_t allocated_bytes() const { return runs_.allocated_bytes(); }

 private:
  struct Run {
    Run(std::uint64_t of_cycle, std::uint32_t first_index, std::uint32_t first_number)
        : cycle(of_cycle), index(first_index), number(first_number) {}
    std::uint64_t cycle;
    std::uint32_t index;
    std::uint32_t number;
    std::atomic<std::uint32_t> count{1};
  };

  static constexpr std::size_t kNone = SIZE_MAX;
  // The last run that does not start behind the key.
  std::size_t FindRun(std::uint64_t cycle, std::uint32_t index) const;

  AppendVector<Run> runs_;
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

  std::optional<std::uint32_t> Find(std::string_view text) const {
    if (const auto made = MadeId::Parse(text)) {
      if (const auto number = FindMade(*made)) return number;
    }
    return FindText(text);
  }

  // Writer. The number of `text`, new if it was not there. `cycle` is when its node was made: an id
  // that speaks of another cycle is no made one, and must not get ahead of those to come.
  std::uint32_t Intern(std::string_view text, std::int64_t cycle) {
    const auto made = MadeId::Parse(text);
    const bool is_next = made && made->cycle == static_cast<std::uint64_t>(cycle) &&
                         Runs(*made).IsNext(made->cycle, made->index);
    if (made && !is_next) {
      if (const auto number = FindMade(*made)) return *number;
    }
    if (const auto number = FindText(text)) return *number;
    const auto number = static_cast<std::uint32_t>(entries_.size());
    if (is_next) {
      entries_.emplace_back(made->Pack());
      Runs(*made).Append(made->cycle, made->index, number);
    } else {
      entries_.emplace_back(kIsText | texts_.size());
      texts_.Intern(text, number);
      has_odd_ids_ = has_odd_ids_ || made.has_value();
    }
    return number;
  }

  // Writer. The same for an id of the node's own cycle, without its text where that can be.
  std::uint32_t Intern(const MadeId& id) {
    if (has_odd_ids_ || !Runs(id).IsNext(id.cycle, id.index))
      return Intern(IdText(id).view(), static_cast<std::int64_t>(id.cycle));
    const auto number = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back(id.Pack());
    Runs(id).Append(id.cycle, id.index, number);
    return number;
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

  const RunTable& Runs(const MadeId& id) const { return id.has_index ? indexed_ : turns_; }
  RunTable& Runs(const MadeId& id) { return id.has_index ? indexed_ : turns_; }

  std::optional<std::uint32_t> FindMade(const MadeId& id) const {
    const auto number = Runs(id).Find(id.cycle, id.index);
    // Another type may have the place.
    return number && entries_[*number].name == id.Pack() ? number : std::nullopt;
  }

  std::optional<std::uint32_t> FindText(std::string_view text) const {
    if (texts_.size() == 0) return std::nullopt;
    const auto kept = texts_.Find(text);
    return kept ? std::optional(texts_.entry(*kept).payload) : std::nullopt;
  }

  bool has_odd_ids_ = false;  // writer: a made id, or what looks like one, is kept as text
  AppendVector<Entry> entries_;
  Interner<std::uint32_t> texts_;
  RunTable indexed_;
  RunTable turns_;
};

}  // namespace pactdb
