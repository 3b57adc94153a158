// The store in one file, by SQLite (docs/format/store.md). Made by OpenSqliteStore
// (pactdb/ext/store.h). The parts of the contract are in files of their own: open.cc, contexts.cc,
// commits.cc, contents.cc, notes.cc, retire.cc, upkeep.cc, verify.cc.
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/ext/store.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "store/sqlite/connection.h"
#include "store/sqlite/lock_file.h"
#include "store/sqlite/record_walk.h"

namespace pactdb::sqlite {

// Keys of commits and journal entries: context << 32 | number.
inline constexpr std::int64_t RowId(ContextNumber context, std::uint32_t number) {
  return std::int64_t{context} << 32 | number;
}
inline constexpr std::int64_t FirstRow(ContextNumber context) {
  return RowId(context, 0);
}
inline constexpr std::int64_t LastRow(ContextNumber context) {
  return RowId(context, 0xffffffff);
}
inline constexpr std::uint32_t NumberOf(std::int64_t row) {
  return static_cast<std::uint32_t>(row & 0xffffffff);
}

class SqliteStore : public Store {
 public:
  // `lock` is null for a reader.
  SqliteStore(std::unique_ptr<LockFile> lock, std::unique_ptr<Connection> connection)
      : lock_(std::move(lock)), connection_(std::move(connection)) {}
  ~SqliteStore() override;

  bool read_only() const override { return connection_->read_only(); }

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
  Status BeginReads() override;
  void EndReads() override;
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
  Status Compact() override;
  Status Backup(const std::string& path, const std::function<void(double)>& progress) override;
  Result<std::vector<StoreProblem>> Verify(const std::function<void(double)>& progress) override;
  Result<std::string> ReadDamagedRecord(RecordId id) override;
  Result<StoreStats> Stats() override;

  // Makes what was salvaged a sound file (store/sqlite/salvage.h).
  Status Settle(const struct Settlement& settlement);

 private:
  struct Head {
    CommitNumber number = 0;
    std::int64_t cycle = 0;
    std::int64_t bytes_total = 0;
  };
  // What an append has to agree with, as of a state of the file.
  struct Tip {
    ContextNumber context = 0;
    Head head = {};
    std::int64_t epoch = 0;
    std::uint32_t version = 0;
  };

  // Deleted ones too.
  Result<std::vector<StoredContext>> ListAllContexts();
  // After a transaction was committed: keeps the log short.
  void KeepLogShort();
  // kContextNotFound unless it exists; deleted ones only for reading.
  Status CheckExists(ContextNumber context);
  Status CheckLive(ContextNumber context);
  // A transaction, or a part of the batch's.
  Result<Transaction> BeginChange();
  // The newest row; all zero if there is none.
  Result<Head> ReadHead(ContextNumber context);
  Error WhyMissing(RecordId id);
  Result<bool> IsSnapshot(RecordId id);
  Status WriteContext(const StoredContext& context, std::int64_t bytes_retired);
  Result<std::int64_t> ReadRetiredBytes(ContextNumber context);
  // Takes what a deleted context no longer needs to keep for others, and so up its ancestors.
  Status DropUnused(ContextNumber number);
  Status DropNotes(ContextNumber context);
  Status DropAll(ContextNumber context);
  Status DropAfter(ContextNumber context, CommitNumber last);
  Status RecountBytes(ContextNumber number);
  Result<std::int64_t> DeleteRow(RecordId id);
  Status DropSnapshots(const RetireRequest& request);
  Status NoteRetired(ContextNumber number, std::int64_t bytes);
  Status WriteGaps(ContextNumber context, const std::vector<CommitRange>& gaps);
  Status SettleContext(const struct SettledContext& settled);
  Status SettleNotes(const struct SettledContext& settled);
  Status SetCycle(RecordId id, std::int64_t cycle);

  // The parts of Append, inside its transaction.
  // What they leave, but for the version.
  Result<Tip> AppendRows(const AppendRequest& request);
  Result<Tip> FindTip(ContextNumber context);
  static Status CheckTip(const AppendRequest& request, const Tip& tip);
  Status WriteRow(const AppendRequest& request, std::int64_t bytes_total);
  Status WriteBeside(const AppendRequest& request);
  Status EmptyJournal(ContextNumber context);
  Status WriteContent(const StoredContent& content);
  // All but those that `keeps` keeps.
  Status DropContents(const std::function<bool(const ContentHash256&)>& keeps);
  Status WriteAnswer(const AppendRequest& request);

  // First the connection goes, with all it has to write, then the lock.
  std::unique_ptr<LockFile> lock_;
  std::unique_ptr<Connection> connection_;
  // Contexts whose journal is known to be empty.
  std::set<ContextNumber> empty_journals_;
  std::optional<Tip> tip_;  // that the last append left
  std::optional<Transaction> batch_;
  std::optional<ReadScope> reads_;
  RecordWalk records_{*connection_};
};

}  // namespace pactdb::sqlite
