// The last step of a repair: rows that were salvaged become contexts that fit together.
#include "base/try.h"
#include "store/sqlite/checksum.h"
#include "store/sqlite/cursor.h"
#include "store/sqlite/facts_row.h"
#include "store/sqlite/salvage.h"
#include "store/sqlite/sqlite_store.h"

namespace pactdb::sqlite {

// The one fact that is needed of a row that is no snapshot.
Status SqliteStore::SetCycle(RecordId id, std::int64_t cycle) {
  const std::int64_t row_id = RowId(id.context, id.commit);
  CommitFacts facts{.number = id.commit, .cycle = cycle};
  std::int64_t record_checksum = 0;
  {
    Cursor row(*connection_, "SELECT record_checksum FROM commits WHERE id = ?");
    PACTDB_TRY_STATUS(row.Bind(row_id).Step());
    record_checksum = row.Int(0);
  }
  return Cursor(*connection_, "UPDATE commits SET cycle = ?, checksum = ? WHERE id = ?")
      .Bind(cycle)
      .Bind(FactsChecksum(id.context, facts, 0, 0, record_checksum))
      .Bind(row_id)
      .Finish();
}

Status SqliteStore::SettleNotes(const SettledContext& settled) {
  const ContextNumber number = settled.context.number;
  PACTDB_TRY_STATUS(
      Cursor(*connection_, "DELETE FROM tags WHERE context = ?").Bind(number).Finish());
  for (const Tag& tag : settled.tags) {
    PACTDB_TRY_STATUS(Cursor(*connection_, "INSERT INTO tags VALUES (?, ?, ?, ?, ?)")
                          .Bind(number)
                          .Bind(tag.name)
                          .Bind(tag.context)
                          .Bind(tag.commit)
                          .Bind(TagChecksum(number, tag))
                          .Finish());
  }
  // Who asks again whether a commit went well must not hear that a lost one did.
  for (const CommitRange& lost : settled.lost) {
    PACTDB_TRY_STATUS(
        Cursor(*connection_, "DELETE FROM answers WHERE context = ? AND number BETWEEN ? AND ?")
            .Bind(number)
            .Bind(lost.first)
            .Bind(lost.last)
            .Finish());
  }
  if (settled.keeps_journal) return {};
  return Cursor(*connection_, "DELETE FROM journal WHERE id BETWEEN ? AND ?")
      .Bind(FirstRow(number))
      .Bind(LastRow(number))
      .Finish();
}

Status SqliteStore::SettleContext(const SettledContext& settled) {
  const ContextNumber number = settled.context.number;
  if (!settled.stays) {
    PACTDB_TRY_STATUS(DropNotes(number));
    return Cursor(*connection_, "DELETE FROM contexts WHERE number = ?").Bind(number).Finish();
  }
  PACTDB_TRY_STATUS(Cursor(*connection_, "DELETE FROM ids WHERE context = ?1 AND number > ?2")
                        .Bind(number)
                        .Bind(settled.context.head)
                        .Finish());
  for (const auto& [commit, id] : settled.ids) {
    PACTDB_TRY_STATUS(Cursor(*connection_, "INSERT OR IGNORE INTO ids VALUES (?, ?, ?)")
                          .Bind(number)
                          .Bind(id)
                          .Bind(commit)
                          .Finish());
  }
  PACTDB_TRY_STATUS(WriteGaps(number, settled.gaps));
  PACTDB_TRY_STATUS(SettleNotes(settled));
  PACTDB_TRY_STATUS(WriteContext(settled.context, 0));
  return RecountBytes(number);
}

Status SqliteStore::Settle(const Settlement& settlement) {
  PACTDB_TRY(Transaction transaction, Transaction::Begin(*connection_));
  for (const RecordId& id : settlement.dropped) {
    PACTDB_TRY_STATUS(Cursor(*connection_, "DELETE FROM commits WHERE id = ?")
                          .Bind(RowId(id.context, id.commit))
                          .Finish());
  }
  for (const auto& [id, cycle] : settlement.cycles) PACTDB_TRY_STATUS(SetCycle(id, cycle));
  for (const SettledContext& settled : settlement.contexts)
    PACTDB_TRY_STATUS(SettleContext(settled));
  // What belongs to contexts that are not there.
  PACTDB_TRY_STATUS(
      connection_->Run("DELETE FROM gaps WHERE context NOT IN (SELECT number FROM contexts);"
                       "DELETE FROM tags WHERE context NOT IN (SELECT number FROM contexts);"
                       "DELETE FROM ids WHERE context NOT IN (SELECT number FROM contexts);"
                       "DELETE FROM answers WHERE context NOT IN (SELECT number FROM contexts);"
                       "DELETE FROM attempts WHERE context NOT IN (SELECT number FROM contexts);"
                       "DELETE FROM journal WHERE id >> 32 NOT IN (SELECT number FROM contexts);"));
  PACTDB_TRY_STATUS(transaction.Commit());
  return connection_->CutLog();
}

Status SettleRows(const std::string& draft, const Settlement& settlement) {
  PACTDB_TRY(const std::unique_ptr<Store> store, OpenSqliteStore(draft, StoreAccess::kWrite));
  return static_cast<SqliteStore&>(*store).Settle(settlement);
}

}  // namespace pactdb::sqlite
