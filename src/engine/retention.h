// Retention: which snapshots of a stored context are let go, and what of the store goes with them.
//
// A snapshot goes whole or stays whole. An object of a record stays while a snapshot that stays, of
// any context, leads to it; a record without such objects goes, one with some is written anew
// without the others, under the same addresses. The newest snapshot of a context stays, and so does
// one of its own that another context was forked at.
//
// What a deleted context left to its forks has no owner whose rules could decide. It goes when the
// rules of every context that has it in its line let it go, the point of the fork included: the
// line begins later then. Only the row of such a point stays, emptied, because contexts name it.
//
// What goes is chosen and measured inside one StoreSession::Reads, of a writer or of a reader.
//
// Thread safety: one thread at a time, as the store.
#pragma once

#include <pactdb/database.h>
#include <pactdb/ext/store.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/store_session.h"
#include "model/record.h"

namespace pactdb {

class Retention {
 public:
  explicit Retention(StoreSession& session) : session_(session) {}

  struct Target {
    StoredContext context;
    RetentionRules rules;
    std::optional<std::int64_t> older_than_ns;  // what rules.older_than means now
    std::int64_t snapshots = 0;                 // of its line, that go
  };

  // The snapshots of these contexts that go by their rules, and how many of each do. Called once.
  Status Choose(std::vector<Target>& targets);
  std::int64_t snapshots() const { return static_cast<std::int64_t>(dropped_.size()); }

  // What that frees, and what nothing led to before: contents of contexts that were deleted. Reads
  // every record of the store once.
  Result<std::uint64_t> Measure(const std::function<void(double)>& progress);
  // Lets it go. False: it went, but its space could not be given back. Errors: then nothing went.
  // REQUIRES: Measure.
  Result<bool> Run();

 private:
  // A record's objects that something leads to.
  using Live = std::vector<bool>;
  // The same of records whose turn has not come. How many objects they have is not known yet, and
  // an address is believed nothing: a mark costs the same wherever it lies.
  using Marks = std::map<std::pair<RecordId, std::uint32_t>, std::uint64_t>;
  static constexpr std::uint32_t kMarkBits = 64;

  // A part of a context's line: commits of one context, up to the last that the line has.
  struct Part {
    ContextNumber context = 0;
    CommitNumber last = 0;
    bool is_own = false;
    bool is_heritage = false;  // of a deleted context
  };

  Status ReadContexts();
  Result<std::vector<Part>> PartsOf(const StoredContext& context);
  // Those that its rules let go, whatever others say; of its own without those that stay for forks.
  Result<std::vector<RecordId>> LetGo(const Target& target);
  // How many contexts have it in their line. REQUIRES: a snapshot of a deleted one.
  std::size_t CountHeirs(const RecordId& id) const;
  Status CollectRecords();
  Result<Live> Mark(const StoredRecord& record);
  void MarkObject(const StoredAddress& address);
  Live TakeMarks(const StoredRecord& record);
  std::uint64_t Weigh(const StoredRecord& record, const Live& live);
  std::uint64_t Empty(const StoredRecord& record, const Live& live);

  StoreSession& session_;
  std::set<RecordId> origins_;                                // that contexts were forked at
  std::set<RecordId> tagged_;                                 // by whomever
  std::map<ContextNumber, std::vector<CommitNumber>> heirs_;  // of deleted ones: up to where
  std::set<RecordId> dropped_;
  std::set<RecordId> records_;  // all there are
  std::set<RecordId> roots_;    // those that are snapshots and stay
  Marks marks_;
  std::set<Digest> live_contents_;
  RetireRequest request_;
};

}  // namespace pactdb
