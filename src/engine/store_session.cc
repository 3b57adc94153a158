#include "engine/store_session.h"

#include "base/try.h"

namespace pactdb {

Result<const StoredRecord*> StoreSession::Record(const RecordId& id) {
  if (ahead_) {
    if (const StoredRecord* found = ahead_->Find(id)) return found;
  }
  std::optional<StoredRecord>& kept = records_[id.commit % kKept];
  if (!kept || kept->id() != id) {
    PACTDB_TRY(kept, ReadRecord(id));
  }
  return &*kept;
}

Result<StoredRecord> StoreSession::ReadRecord(const RecordId& id) {
  std::unique_lock lock(store_mutex_);
  PACTDB_TRY(std::string bytes, store_->ReadRecord(id));
  lock.unlock();
  return StoredRecord::Parse(std::move(bytes), id);
}

Result<std::string> StoreSession::Content(const Digest& hash) {
  const std::lock_guard lock(store_mutex_);
  return store_->ReadContent(hash);
}

StoreSession::ReadingAhead::ReadingAhead(StoreSession& session, ContextNumber context,
                                         CommitRange commits)
    : session_(session) {
  if (commits.last < kWorthAThread) return;
  session.ahead_.emplace([&session](const RecordId& id) { return session.ReadRecord(id); }, context,
                         commits);
}

Result<StoreSession::Reads> StoreSession::Reads::Begin(StoreSession& session) {
  if (session.reads_ == 0) PACTDB_TRY_STATUS(session.store_->BeginReads());
  ++session.reads_;
  return Reads(&session);
}

void StoreSession::EndReads() {
  if (--reads_ == 0) store_->EndReads();
}

Result<StoreSession::Batch> StoreSession::Batch::Begin(StoreSession& session,
                                                       Durability durability) {
  if (session.batches_ == 0) PACTDB_TRY_STATUS(session.store_->BeginBatch(durability));
  ++session.batches_;
  return Batch(&session);
}

Status StoreSession::Batch::End() {
  StoreSession& session = *std::exchange(session_, nullptr);
  if (--session.batches_ > 0) return {};
  Status ended = session.store_->EndBatch();
  if (!ended) session.ForgetRecords();
  return ended;
}

// Numbers that it gave are free again, and records under them another's.
StoreSession::Batch::~Batch() {
  if (session_ == nullptr || --session_->batches_ > 0) return;
  session_->store_->AbandonBatch();
  session_->ForgetRecords();
}

void StoreSession::ForgetRecords() {
  for (auto& record : records_) record.reset();
}

}  // namespace pactdb
