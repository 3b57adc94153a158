#include "engine/store_session.h"

#include "base/try.h"

namespace pactdb {

Result<const StoredRecord*> StoreSession::Record(const RecordId& id) {
  std::optional<StoredRecord>& kept = records_[id.commit % kKept];
  if (!kept || kept->id() != id) {
    PACTDB_TRY(std::string bytes, store_->ReadRecord(id));
    PACTDB_TRY(kept, StoredRecord::Parse(std::move(bytes), id));
  }
  return &*kept;
}

Result<StoreSession::Reads> StoreSession::Reads::Begin(StoreSession& session) {
  if (session.reads_ == 0) PACTDB_TRY_STATUS(session.store_->BeginReads());
  ++session.reads_;
  return Reads(&session);
}

void StoreSession::EndReads() {
  if (--reads_ == 0) store_->EndReads();
}

void StoreSession::ForgetRecords() {
  for (auto& record : records_) record.reset();
}

}  // namespace pactdb
