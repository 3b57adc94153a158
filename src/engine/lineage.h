// The snapshots of a stored context in their order: those of its ancestors up to where it was
// forked off, then its own, without the ones that retention took.
//
// A snapshot's place in this order is its ordinal.
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/ext/store.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace pactdb {

class Lineage {
 public:
  // Costs what the ancestors are, not their commits.
  static Result<Lineage> Read(Store& store, const StoredContext& context);

  std::size_t size() const { return segments_.empty() ? 0 : segments_.back().end(); }
  // REQUIRES: ordinal < size().
  RecordId At(std::size_t ordinal) const;
  // Nothing if it is no snapshot of this line.
  std::optional<std::size_t> OrdinalOf(const RecordId& id) const;
  // The first snapshot whose cycle is `cycle` or later; size() if there is none.
  Result<std::size_t> LowerBound(Store& store, std::int64_t cycle) const;
  // The part of the line with the most commits of one context. REQUIRES: size() > 0.
  std::pair<ContextNumber, CommitRange> LongestPart() const;
  // The last commit that both have, be it a snapshot still or not; nothing if there is none.
  std::optional<RecordId> LastCommitWith(const Lineage& other) const;
  // How many snapshots both begin with.
  std::size_t SharedWith(const Lineage& other) const;
  // The context has a new commit.
  void Append(const RecordId& id);

 private:
  struct Segment {
    ContextNumber context;
    CommitNumber last;  // that belongs to the line
    std::vector<CommitRange> gaps;
    std::size_t begin;  // ordinal of its first snapshot

    std::size_t count() const;
    std::size_t end() const { return begin + count(); }
    // How many snapshots have numbers up to this one.
    std::size_t CountTo(CommitNumber number) const;
    bool IsGap(CommitNumber number) const;
  };

  std::vector<Segment> segments_;  // oldest first
};

}  // namespace pactdb
