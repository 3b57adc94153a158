// Retention: which snapshots of a stored context are let go, and what of the store goes with them.
//
// A snapshot goes whole or stays whole. An object of a record stays while a snapshot that stays, of
// any context, leads to it; a record without such objects goes, one with some is written anew
// without the others, under the same addresses. The newest snapshot of a context stays, and so does
// one that another context was forked at.
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

  // The context's snapshots that go by these rules. `older_than_ns` is what rules.older_than means
  // now.
  Status Choose(const StoredContext& context, const RetentionRules& rules,
                std::optional<std::int64_t> older_than_ns);
  std::int64_t snapshots() const { return snapshots_; }

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

  Status CollectRecords();
  Result<Live> Mark(const StoredRecord& record);
  void MarkObject(const StoredAddress& address);
  Live TakeMarks(const StoredRecord& record);
  std::uint64_t Weigh(const StoredRecord& record, const Live& live);
  bool IsDropped(const RecordId& id) const;

  StoreSession& session_;
  std::vector<RetireRequest::Dropped> dropped_;
  std::int64_t snapshots_ = 0;
  std::set<RecordId> records_;  // all there are
  std::set<RecordId> roots_;    // those that are snapshots and stay
  Marks marks_;
  std::set<Digest> live_contents_;
  RetireRequest request_;
};

}  // namespace pactdb
