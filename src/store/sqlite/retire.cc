// Gaps, and what retention takes.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/try.h"
#include "store/gaps.h"
#include "store/sqlite/checksum.h"
#include "store/sqlite/cursor.h"
#include "store/sqlite/facts_row.h"
#include "store/sqlite/sqlite_store.h"
#include "store/store_errors.h"

namespace pactdb::sqlite {
namespace {

// The size of a record; kSnapshotNotFound.
Result<std::int64_t> ReadRecordSize(Connection& connection, RecordId id) {
  Cursor row(connection, "SELECT length(record) FROM commits WHERE id = ?");
  PACTDB_TRY(const bool found, row.Bind(RowId(id.context, id.commit)).Step());
  if (!found) return std::unexpected(NoCommit(id));
  return row.Int(0);
}

Error BadGaps(ContextNumber context, const char* message) {
  return Error(ErrorCode::kStoreCorrupt, message).With("number", context);
}

// Rising, not touching the one that ends at `before`: whoever reads gaps counts on it, and a
// checksum says nothing about it.
bool IsGap(std::int64_t first, std::int64_t last, std::int64_t before) {
  return first >= 1 && first > before + 1 && last >= first && std::in_range<CommitNumber>(last);
}

// The record with the checksums that cover it; the other facts stay.
Status RewriteRecord(Connection& connection, const RetireRequest::Rewritten& rewritten) {
  const RecordId id = rewritten.id;
  const std::int64_t row_id = RowId(id.context, id.commit);
  PACTDB_TRY(const std::vector<CommitFacts> facts,
             ReadFacts(connection, id.context, {id.commit, id.commit}));
  std::int64_t epoch = 0;
  std::int64_t bytes_total = 0;
  {
    Cursor row(connection, "SELECT epoch, bytes_total FROM commits WHERE id = ?");
    PACTDB_TRY_STATUS(row.Bind(row_id).Step());
    epoch = row.Int(0);
    bytes_total = row.Int(1);
  }
  const std::int64_t record_checksum = ChecksumOf(rewritten.record, row_id);
  return Cursor(connection,
                "UPDATE commits SET record = ?, record_checksum = ?, checksum = ? WHERE id = ?")
      .BindBlob(rewritten.record)
      .Bind(record_checksum)
      .Bind(FactsChecksum(id.context, facts.front(), epoch, bytes_total, record_checksum))
      .Bind(row_id)
      .Finish();
}

}  // namespace

Result<std::vector<CommitRange>> SqliteStore::ListGaps(ContextNumber context) {
  PACTDB_TRY_STATUS(CheckExists(context));
  std::vector<CommitRange> gaps;
  Cursor rows(*connection_,
              "SELECT first, last, checksum FROM gaps WHERE context = ? ORDER BY first");
  rows.Bind(context);
  while (true) {
    PACTDB_TRY(const bool found, rows.Step());
    if (!found) return gaps;
    const CommitRange gap{.first = static_cast<CommitNumber>(rows.Int(0)),
                          .last = static_cast<CommitNumber>(rows.Int(1))};
    if (GapChecksum(context, gap) != rows.Int(2)) {
      return std::unexpected(BadGaps(context, "the gaps of a context do not match their checksum"));
    }
    const std::int64_t before = gaps.empty() ? -1 : std::int64_t{gaps.back().last};
    if (!IsGap(rows.Int(0), rows.Int(1), before)) {
      return std::unexpected(BadGaps(context, "the gaps of a context cannot be"));
    }
    gaps.push_back(gap);
  }
}

Status SqliteStore::WriteGaps(ContextNumber context, const std::vector<CommitRange>& gaps) {
  PACTDB_TRY_STATUS(
      Cursor(*connection_, "DELETE FROM gaps WHERE context = ?").Bind(context).Finish());
  for (const CommitRange& gap : gaps) {
    PACTDB_TRY_STATUS(Cursor(*connection_, "INSERT INTO gaps VALUES (?, ?, ?, ?)")
                          .Bind(context)
                          .Bind(gap.first)
                          .Bind(gap.last)
                          .Bind(GapChecksum(context, gap))
                          .Finish());
  }
  return {};
}

// Deletes a row; gives the bytes of its record.
Result<std::int64_t> SqliteStore::DeleteRow(RecordId id) {
  PACTDB_TRY(const std::int64_t size, ReadRecordSize(*connection_, id));
  PACTDB_TRY_STATUS(Cursor(*connection_, "DELETE FROM commits WHERE id = ?")
                        .Bind(RowId(id.context, id.commit))
                        .Finish());
  return size;
}

Status SqliteStore::DropSnapshots(const RetireRequest& request) {
  std::map<ContextNumber, std::vector<CommitRange>> changed;
  for (const RetireRequest::Dropped& dropped : request.snapshots) {
    PACTDB_TRY(const StoredContext context, GetContext(dropped.context));
    PACTDB_TRY_STATUS(CheckDropped(context, dropped.commits));
    if (!changed.contains(dropped.context)) {
      PACTDB_TRY(changed[dropped.context], ListGaps(dropped.context));
    }
    AddGap(changed[dropped.context], dropped.commits);
  }
  for (const auto& [context, gaps] : changed) PACTDB_TRY_STATUS(WriteGaps(context, gaps));
  return {};
}

// Notes that a context has fewer bytes, and forgets answers whose commit is gone.
Status SqliteStore::NoteRetired(ContextNumber number, std::int64_t bytes) {
  PACTDB_TRY_STATUS(
      Cursor(*connection_,
             "DELETE FROM answers WHERE context = ? AND NOT EXISTS "
             "(SELECT 1 FROM commits WHERE id = (answers.context << 32 | answers.number))")
          .Bind(number)
          .Finish());
  PACTDB_TRY(const StoredContext context, GetContext(number));
  if (context.deleted) return RecountBytes(number);
  PACTDB_TRY(const std::int64_t before, ReadRetiredBytes(number));
  return WriteContext(context, before + bytes);
}

Status SqliteStore::Retire(const RetireRequest& request) {
  PACTDB_TRY(Transaction transaction, Transaction::Begin(*connection_));
  PACTDB_TRY_STATUS(DropSnapshots(request));
  std::map<ContextNumber, std::int64_t> retired;
  for (const RetireRequest::Rewritten& rewritten : request.rewritten) {
    PACTDB_TRY(const std::int64_t before, ReadRecordSize(*connection_, rewritten.id));
    PACTDB_TRY_STATUS(RewriteRecord(*connection_, rewritten));
    retired[rewritten.id.context] += before - static_cast<std::int64_t>(rewritten.record.size());
  }
  std::map<ContextNumber, std::vector<CommitRange>> gaps;
  for (const RecordId id : request.deleted) {
    PACTDB_TRY(const std::int64_t size, DeleteRow(id));
    if (!gaps.contains(id.context)) {
      PACTDB_TRY(gaps[id.context], ListGaps(id.context));
    }
    if (FindGap(gaps[id.context], id.commit) == nullptr) {
      return std::unexpected(NotRetirable(id, "it is a snapshot"));
    }
    retired[id.context] += size;
  }
  for (const auto& [context, bytes] : retired) PACTDB_TRY_STATUS(NoteRetired(context, bytes));
  if (request.keeps_content != nullptr) {
    PACTDB_TRY_STATUS(DropContents(*request.keeps_content));
  }
  PACTDB_TRY_STATUS(transaction.Commit());
  KeepLogShort();
  return {};
}

}  // namespace pactdb::sqlite
