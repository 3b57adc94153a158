// The store of a process: everything in memory, gone with the object. It keeps no checksums, since
// nothing reads what it did not write, and it has nothing to lose, so that it never fails with
// kStoreIo. Made by MakeMemoryStore (pactdb/ext/store.h).
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/ext/store.h>

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pactdb {

class MemoryStore : public Store {
 public:
  bool read_only() const override { return false; }

  Result<std::vector<StoredContext>> ListContexts() override;
  Result<std::optional<StoredContext>> FindContext(std::string_view name) override;
  Result<StoredContext> GetContext(ContextNumber number) override;
  Result<StoredContext> CreateContext(std::string_view name, RecordId origin,
                                      std::string_view config) override;
  Status RenameContext(std::string_view name, std::string_view to) override;
  Status DeleteContext(std::string_view name) override;
  Status SetConfig(ContextNumber context, std::string_view config) override;

  Status Append(const AppendRequest& request) override;
  Status BeginBatch(Durability durability) override;
  Status EndBatch() override;
  void AbandonBatch() override;
  Result<std::optional<std::string>> FindAnswer(ContextNumber context,
                                                std::string_view idempotency_key) override;
  Status BeginReads() override { return {}; }
  void EndReads() override {}
  Result<std::string> ReadRecord(RecordId id) override;
  Result<std::vector<RecordId>> ListRecords() override;
  Status VisitFacts(ContextNumber context, CommitRange range,
                    const std::function<bool(const CommitFacts&)>& visit) override;
  Result<std::optional<CommitFacts>> FindCycle(ContextNumber context, std::int64_t cycle) override;
  Result<std::vector<CommitRange>> ListGaps(ContextNumber context) override;
  Result<std::string> ReadContent(const ContentHash256& hash) override;
  Status VisitContents(
      const std::function<void(const ContentHash256&, std::uint64_t)>& visit) override;
  Result<std::optional<CommitNumber>> FindId(ContextNumber context, std::string_view id) override;

  Status AppendJournal(ContextNumber context, std::span<const std::string> entries) override;
  Result<std::vector<std::string>> ReadJournal(ContextNumber context) override;

  Status SetTag(ContextNumber context, const Tag& tag) override;
  Status DeleteTag(ContextNumber context, std::string_view name) override;
  Result<std::vector<Tag>> ListTags(ContextNumber context) override;
  Status PutAttempt(ContextNumber context, std::string_view id, std::string_view json) override;
  Result<std::vector<std::string>> ListAttempts(ContextNumber context) override;

  Status Retire(const RetireRequest& request) override;
  Status Compact() override { return {}; }
  Status Backup(const std::string& path, const std::function<void(double)>& progress) override;
  Result<std::vector<StoreProblem>> Verify(const std::function<void(double)>& progress) override;
  Result<StoreStats> Stats() override;

 private:
  struct Row {
    CommitFacts facts;
    std::string record;
  };
  struct Answer {
    CommitNumber commit = 0;
    std::string answer;
  };
  // A context and all that is its own.
  struct Line {
    StoredContext context;
    std::map<CommitNumber, Row> rows;
    std::vector<CommitRange> gaps;
    std::map<std::string, CommitNumber, std::less<>> ids;
    std::map<std::string, Answer, std::less<>> answers;
    std::map<std::string, Tag, std::less<>> tags;
    std::vector<std::pair<std::string, std::string>> attempts;
    std::vector<std::string> journal;
  };

  // What a batch did, to be undone.
  struct Batch {
    std::vector<RecordId> commits;
    std::vector<ContentHash256> contents;
    std::map<ContextNumber, std::vector<std::string>> journals;
    std::map<ContextNumber, std::string> configs;
    std::map<ContextNumber, std::map<std::string, Tag, std::less<>>> tags;
    std::vector<ContextNumber> contexts;  // that it made
  };

  // Also a deleted one, or null.
  Line* FindLine(ContextNumber number);
  // One that is not deleted, or null.
  Line* FindLive(ContextNumber number);
  Line* FindLive(std::string_view name);
  bool IsSnapshot(RecordId id);
  // Takes what a deleted context no longer needs to keep for others, and so up its ancestors.
  void DropUnused(ContextNumber number);
  Status CheckRetire(const RetireRequest& request);
  // That no two contents, held or given, are different and have one hash.
  Status CheckHashes(std::span<const StoredContent> contents) const;

  std::map<ContextNumber, Line> lines_;
  std::map<ContentHash256, std::string> contents_;
  ContextNumber next_ = 1;
  std::optional<Batch> batch_;
};

}  // namespace pactdb
