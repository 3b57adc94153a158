// The journal, tags and attempts of a context.
#include <utility>

#include "base/try.h"
#include "store/sqlite/checksum.h"
#include "store/sqlite/cursor.h"
#include "store/sqlite/note_rows.h"
#include "store/sqlite/sqlite_store.h"
#include "store/store_errors.h"

namespace pactdb::sqlite {

// --- the journal ---

Status SqliteStore::AppendJournal(ContextNumber context, std::span<const std::string> entries) {
  empty_journals_.erase(context);
  PACTDB_TRY(Transaction transaction, Transaction::Begin(*connection_, Durability::kRelaxed));
  PACTDB_TRY_STATUS(CheckLive(context));
  std::int64_t next = RowId(context, 1);
  {
    Cursor row(*connection_, "SELECT max(id) + 1 FROM journal WHERE id BETWEEN ? AND ?");
    PACTDB_TRY_STATUS(row.Bind(FirstRow(context)).Bind(LastRow(context)).Step());
    next = row.OptionalInt(0).value_or(next);
  }
  for (const std::string& entry : entries) {
    PACTDB_TRY_STATUS(Cursor(*connection_, "INSERT INTO journal VALUES (?, ?, ?)")
                          .Bind(next)
                          .Bind(ChecksumOf(entry, next))
                          .BindBlob(entry)
                          .Finish());
    ++next;
  }
  PACTDB_TRY_STATUS(transaction.Commit());
  KeepLogShort();
  return {};
}

Result<std::vector<std::string>> SqliteStore::ReadJournal(ContextNumber context) {
  PACTDB_TRY_STATUS(CheckExists(context));
  std::vector<std::string> entries;
  Cursor rows(*connection_, kJournalRows);
  rows.Bind(FirstRow(context)).Bind(LastRow(context));
  for (std::int64_t id = RowId(context, 1);; ++id) {
    PACTDB_TRY(const bool found, rows.Step());
    if (!found) return entries;
    PACTDB_TRY(entries.emplace_back(), ReadEntry(rows, id));
  }
}

// --- tags ---

Status SqliteStore::SetTag(ContextNumber context, const Tag& tag) {
  PACTDB_TRY(Transaction transaction, BeginChange());
  PACTDB_TRY_STATUS(CheckLive(context));
  PACTDB_TRY_STATUS(Cursor(*connection_, "INSERT OR REPLACE INTO tags VALUES (?, ?, ?, ?, ?)")
                        .Bind(context)
                        .Bind(tag.name)
                        .Bind(tag.context)
                        .Bind(tag.commit)
                        .Bind(TagChecksum(context, tag))
                        .Finish());
  PACTDB_TRY_STATUS(transaction.Commit());
  if (!batch_) KeepLogShort();
  return {};
}

Status SqliteStore::DeleteTag(ContextNumber context, std::string_view name) {
  PACTDB_TRY(Transaction transaction, Transaction::Begin(*connection_));
  PACTDB_TRY_STATUS(CheckLive(context));
  {
    Cursor row(*connection_, "DELETE FROM tags WHERE context = ? AND name = ? RETURNING 1");
    PACTDB_TRY(const bool found, row.Bind(context).Bind(name).Step());
    if (!found) return std::unexpected(NoTag(name));
  }
  PACTDB_TRY_STATUS(transaction.Commit());
  KeepLogShort();
  return {};
}

Result<std::vector<Tag>> SqliteStore::ListTags(ContextNumber context) {
  PACTDB_TRY_STATUS(CheckExists(context));
  std::vector<Tag> tags;
  Cursor rows(*connection_, kTagRows);
  rows.Bind(context);
  while (true) {
    PACTDB_TRY(const bool found, rows.Step());
    if (!found) return tags;
    PACTDB_TRY(tags.emplace_back(), ReadTag(rows, context));
  }
}

// --- attempts ---

Status SqliteStore::PutAttempt(ContextNumber context, std::string_view id, std::string_view json) {
  PACTDB_TRY(Transaction transaction, Transaction::Begin(*connection_));
  PACTDB_TRY_STATUS(CheckLive(context));
  std::int64_t n = 0;
  {
    Cursor row(*connection_,
               "SELECT ifnull((SELECT n FROM attempts WHERE context = ?1 AND id = ?2), "
               "(SELECT ifnull(max(n), 0) + 1 FROM attempts WHERE context = ?1))");
    PACTDB_TRY_STATUS(row.Bind(context).Bind(id).Step());
    n = row.Int(0);
  }
  PACTDB_TRY_STATUS(Cursor(*connection_, "INSERT OR REPLACE INTO attempts VALUES (?, ?, ?, ?, ?)")
                        .Bind(context)
                        .Bind(id)
                        .Bind(n)
                        .Bind(json)
                        .Bind(AttemptChecksum(context, id, n, json))
                        .Finish());
  PACTDB_TRY_STATUS(transaction.Commit());
  KeepLogShort();
  return {};
}

Result<std::vector<std::string>> SqliteStore::ListAttempts(ContextNumber context) {
  PACTDB_TRY_STATUS(CheckExists(context));
  std::vector<std::string> attempts;
  Cursor rows(*connection_, kAttemptRows);
  rows.Bind(context);
  while (true) {
    PACTDB_TRY(const bool found, rows.Step());
    if (!found) return attempts;
    PACTDB_TRY(attempts.emplace_back(), ReadAttempt(rows, context));
  }
}

}  // namespace pactdb::sqlite
