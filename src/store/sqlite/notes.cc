// The journal, tags and attempts of a context.
#include <fmt/format.h>

#include <utility>

#include "base/try.h"
#include "store/sqlite/checksum.h"
#include "store/sqlite/cursor.h"
#include "store/sqlite/sqlite_store.h"
#include "store/store_errors.h"
#include "text/canonical.h"

namespace pactdb::sqlite {
namespace {

Error BadNote(std::string_view what, ContextNumber context) {
  return Error(ErrorCode::kStoreCorrupt, fmt::format("{} does not match its checksum", what))
      .With("number", context);
}

}  // namespace

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
  Cursor rows(*connection_,
              "SELECT id, checksum, entry FROM journal WHERE id BETWEEN ? AND ? ORDER BY id");
  rows.Bind(FirstRow(context)).Bind(LastRow(context));
  for (std::int64_t id = RowId(context, 1);; ++id) {
    PACTDB_TRY(const bool found, rows.Step());
    if (!found) return entries;
    if (rows.Int(0) != id || ChecksumOf(rows.Blob(2), id) != rows.Int(1)) {
      return std::unexpected(BadNote("an entry of the journal", context));
    }
    entries.emplace_back(rows.Blob(2));
  }
}

// --- tags ---

Status SqliteStore::SetTag(ContextNumber context, const Tag& tag) {
  PACTDB_TRY(Transaction transaction, Transaction::Begin(*connection_));
  PACTDB_TRY_STATUS(CheckLive(context));
  PACTDB_TRY_STATUS(Cursor(*connection_, "INSERT OR REPLACE INTO tags VALUES (?, ?, ?, ?, ?)")
                        .Bind(context)
                        .Bind(tag.name)
                        .Bind(tag.context)
                        .Bind(tag.commit)
                        .Bind(TagChecksum(context, tag))
                        .Finish());
  PACTDB_TRY_STATUS(transaction.Commit());
  KeepLogShort();
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
  Cursor rows(*connection_,
              "SELECT name, commit_context, commit_number, checksum FROM tags "
              "WHERE context = ? ORDER BY name");
  rows.Bind(context);
  while (true) {
    PACTDB_TRY(const bool found, rows.Step());
    if (!found) return tags;
    Tag tag{.name = std::string(rows.Text(0)),
            .commit = static_cast<CommitNumber>(rows.Int(2)),
            .context = static_cast<ContextNumber>(rows.Int(1))};
    if (TagChecksum(context, tag) != rows.Int(3)) return std::unexpected(BadNote("a tag", context));
    // Right for the numbers as they were cut, and for any bytes.
    if (!std::in_range<ContextNumber>(rows.Int(1)) || !std::in_range<CommitNumber>(rows.Int(2)) ||
        !IsValidUtf8(tag.name)) {
      return std::unexpected(
          Error(ErrorCode::kStoreCorrupt, "there is a tag that cannot be").With("number", context));
    }
    tags.push_back(std::move(tag));
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
  Cursor rows(*connection_,
              "SELECT id, n, json, checksum FROM attempts WHERE context = ? ORDER BY n");
  rows.Bind(context);
  while (true) {
    PACTDB_TRY(const bool found, rows.Step());
    if (!found) return attempts;
    if (AttemptChecksum(context, rows.Text(0), rows.Int(1), rows.Text(2)) != rows.Int(3)) {
      return std::unexpected(BadNote("an attempt", context));
    }
    attempts.emplace_back(rows.Text(2));
  }
}

}  // namespace pactdb::sqlite
