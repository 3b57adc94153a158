// Contexts: names, origins, configuration.
#include <algorithm>
#include <limits>
#include <utility>

#include "base/try.h"
#include "store/gaps.h"
#include "store/sqlite/checksum.h"
#include "store/sqlite/cursor.h"
#include "store/sqlite/sqlite_store.h"
#include "store/store_errors.h"
#include "text/canonical.h"

namespace pactdb::sqlite {
namespace {

// A context's own columns, then what its rows say: the newest row, the end of the last gap (which
// is higher only if a deleted context lost its newest rows), the bytes up to the newest row.
#define PACTDB_SELECT_CONTEXTS                                                                    \
  "SELECT number, name, origin_context, origin_commit, epoch, deleted, bytes_retired, config, "   \
  "checksum, "                                                                                    \
  "(SELECT id FROM commits WHERE id BETWEEN number << 32 AND number << 32 | 4294967295 "          \
  " ORDER BY id DESC LIMIT 1), "                                                                  \
  "(SELECT last FROM gaps WHERE context = number ORDER BY first DESC LIMIT 1), "                  \
  "(SELECT bytes_total FROM commits WHERE id BETWEEN number << 32 AND number << 32 | 4294967295 " \
  " ORDER BY id DESC LIMIT 1) FROM contexts "

// What the program cannot have written, whatever the checksum says: a number that is cut when it is
// read names another context, and a name that is no text cannot be shown.
bool IsPossible(const Cursor& row) {
  return row.Int(0) >= 1 && std::in_range<std::int32_t>(row.Int(0)) && IsValidUtf8(row.Text(1)) &&
         row.Int(2) >= 0 && std::in_range<std::int32_t>(row.Int(2)) &&
         std::in_range<CommitNumber>(row.Int(3)) && std::in_range<CommitNumber>(row.Int(10));
}

Result<StoredContext> ReadContextRow(const Cursor& row) {
  if (!IsPossible(row)) {
    return std::unexpected(
        Error(ErrorCode::kStoreCorrupt, "there is an entry of a context that cannot be")
            .With("number", row.Int(0)));
  }
  StoredContext context;
  context.number = static_cast<ContextNumber>(row.Int(0));
  context.name = row.Text(1);
  context.origin.context = static_cast<ContextNumber>(row.Int(2));
  context.origin.commit = static_cast<CommitNumber>(row.Int(3));
  context.epoch = row.Int(4);
  context.deleted = row.Int(5) != 0;
  const std::int64_t bytes_retired = row.Int(6);
  context.config = row.Text(7);
  if (row.Int(8) != ContextChecksum(context, bytes_retired)) {
    return std::unexpected(
        Error(ErrorCode::kStoreCorrupt, "the entry of a context does not match its checksum")
            .With("number", context.number));
  }
  if (!context.deleted && row.Int(10) != 0 && row.Int(10) >= NumberOf(row.Int(9))) {
    return std::unexpected(
        Error(ErrorCode::kStoreCorrupt, "the newest commit of a context is in a gap")
            .With("number", context.number));
  }
  context.head = std::max(NumberOf(row.Int(9)), static_cast<CommitNumber>(row.Int(10)));
  context.bytes = static_cast<std::uint64_t>(row.Int(11) - bytes_retired);
  return context;
}

}  // namespace

Result<std::vector<StoredContext>> SqliteStore::ListContexts() {
  std::vector<StoredContext> contexts;
  Cursor rows(*connection_, PACTDB_SELECT_CONTEXTS "WHERE deleted = 0 ORDER BY name");
  while (true) {
    PACTDB_TRY(const bool found, rows.Step());
    if (!found) return contexts;
    PACTDB_TRY(contexts.emplace_back(), ReadContextRow(rows));
  }
}

Result<std::vector<StoredContext>> SqliteStore::ListAllContexts() {
  std::vector<StoredContext> contexts;
  Cursor rows(*connection_, PACTDB_SELECT_CONTEXTS "ORDER BY number");
  while (true) {
    PACTDB_TRY(const bool found, rows.Step());
    if (!found) return contexts;
    PACTDB_TRY(contexts.emplace_back(), ReadContextRow(rows));
  }
}

Result<std::optional<StoredContext>> SqliteStore::FindContext(std::string_view name) {
  Cursor row(*connection_, PACTDB_SELECT_CONTEXTS "WHERE deleted = 0 AND name = ?");
  PACTDB_TRY(const bool found, row.Bind(name).Step());
  if (!found) return std::nullopt;
  return ReadContextRow(row);
}

Result<StoredContext> SqliteStore::GetContext(ContextNumber number) {
  Cursor row(*connection_, PACTDB_SELECT_CONTEXTS "WHERE number = ?");
  PACTDB_TRY(const bool found, row.Bind(number).Step());
  if (!found) return std::unexpected(NoContext(number));
  return ReadContextRow(row);
}

Status SqliteStore::CheckExists(ContextNumber context) {
  Cursor row(*connection_, "SELECT 1 FROM contexts WHERE number = ?");
  PACTDB_TRY(const bool found, row.Bind(context).Step());
  if (!found) return std::unexpected(NoContext(context));
  return {};
}

Status SqliteStore::CheckLive(ContextNumber context) {
  Cursor row(*connection_, "SELECT 1 FROM contexts WHERE number = ? AND deleted = 0");
  PACTDB_TRY(const bool found, row.Bind(context).Step());
  if (!found) return std::unexpected(NoContext(context));
  return {};
}

Result<std::int64_t> SqliteStore::ReadRetiredBytes(ContextNumber context) {
  Cursor row(*connection_, "SELECT bytes_retired FROM contexts WHERE number = ?");
  PACTDB_TRY(const bool found, row.Bind(context).Step());
  if (!found) return std::unexpected(NoContext(context));
  return row.Int(0);
}

// Writes all columns of an existing context, with its checksum.
Status SqliteStore::WriteContext(const StoredContext& context, std::int64_t bytes_retired) {
  return Cursor(*connection_,
                "UPDATE contexts SET name = ?, origin_context = ?, origin_commit = ?, epoch = ?, "
                "deleted = ?, bytes_retired = ?, config = ?, checksum = ? WHERE number = ?")
      .Bind(context.name)
      .Bind(context.origin.context)
      .Bind(context.origin.commit)
      .Bind(context.epoch)
      .Bind(context.deleted ? 1 : 0)
      .Bind(bytes_retired)
      .Bind(context.config)
      .Bind(ContextChecksum(context, bytes_retired))
      .Bind(context.number)
      .Finish();
}

Result<Transaction> SqliteStore::BeginChange() {
  if (batch_) return Transaction::Within();
  return Transaction::Begin(*connection_);
}

Result<StoredContext> SqliteStore::CreateContext(std::string_view name, RecordId origin,
                                                 std::string_view config) {
  PACTDB_TRY(Transaction transaction, BeginChange());
  PACTDB_TRY(const std::optional<StoredContext> taken, FindContext(name));
  if (taken) return std::unexpected(ContextTaken(name));
  if (origin != RecordId{}) {
    PACTDB_TRY(const bool there, IsSnapshot(origin));
    if (!there) return std::unexpected(NoCommit(origin));
  }
  StoredContext context{.name = std::string(name), .origin = origin, .config = std::string(config)};
  {
    Cursor row(*connection_,
               "INSERT INTO contexts (name, origin_context, origin_commit, epoch, deleted, "
               "bytes_retired, config, checksum) VALUES (?, 0, 0, 0, 0, 0, '', 0) "
               "RETURNING number");
    PACTDB_TRY_STATUS(row.Bind(name).Step());
    if (row.Int(0) > std::numeric_limits<std::int32_t>::max()) {
      return std::unexpected(Error(ErrorCode::kLimitExceeded, "the file had too many contexts"));
    }
    context.number = static_cast<ContextNumber>(row.Int(0));
  }
  PACTDB_TRY_STATUS(WriteContext(context, 0));
  PACTDB_TRY_STATUS(transaction.Commit());
  KeepLogShort();
  return context;
}

Status SqliteStore::RenameContext(std::string_view name, std::string_view to) {
  PACTDB_TRY(Transaction transaction, Transaction::Begin(*connection_));
  PACTDB_TRY(std::optional<StoredContext> context, FindContext(name));
  if (!context) return std::unexpected(NoContext(name));
  if (name == to) return {};
  PACTDB_TRY(const std::optional<StoredContext> taken, FindContext(to));
  if (taken) return std::unexpected(ContextTaken(to));
  context->name = to;
  PACTDB_TRY(const std::int64_t bytes_retired, ReadRetiredBytes(context->number));
  PACTDB_TRY_STATUS(WriteContext(*context, bytes_retired));
  return transaction.Commit();
}

Status SqliteStore::SetConfig(ContextNumber number, std::string_view config) {
  PACTDB_TRY(Transaction transaction, BeginChange());
  PACTDB_TRY_STATUS(CheckLive(number));
  PACTDB_TRY(StoredContext context, GetContext(number));
  context.config = config;
  PACTDB_TRY(const std::int64_t bytes_retired, ReadRetiredBytes(number));
  PACTDB_TRY_STATUS(WriteContext(context, bytes_retired));
  return transaction.Commit();
}

// --- deleting ---

Status SqliteStore::DeleteContext(std::string_view name) {
  PACTDB_TRY(Transaction transaction, Transaction::Begin(*connection_));
  PACTDB_TRY(std::optional<StoredContext> context, FindContext(name));
  if (!context) return std::unexpected(NoContext(name));
  context->deleted = true;
  PACTDB_TRY(const std::int64_t bytes_retired, ReadRetiredBytes(context->number));
  PACTDB_TRY_STATUS(WriteContext(*context, bytes_retired));
  PACTDB_TRY_STATUS(DropNotes(context->number));
  PACTDB_TRY_STATUS(DropUnused(context->number));
  PACTDB_TRY_STATUS(transaction.Commit());
  KeepLogShort();
  return {};
}

Status SqliteStore::DropUnused(ContextNumber number) {
  while (number != 0) {
    PACTDB_TRY(const StoredContext context, GetContext(number));
    if (!context.deleted) return {};
    Cursor row(*connection_, "SELECT max(origin_commit) FROM contexts WHERE origin_context = ?");
    PACTDB_TRY_STATUS(row.Bind(number).Step());
    if (const std::optional<std::int64_t> needed = row.OptionalInt(0)) {
      return DropAfter(number, static_cast<CommitNumber>(*needed));
    }
    PACTDB_TRY_STATUS(DropAll(number));
    number = context.origin.context;
  }
  return {};
}

Status SqliteStore::DropNotes(ContextNumber context) {
  PACTDB_TRY_STATUS(
      Cursor(*connection_, "DELETE FROM answers WHERE context = ?").Bind(context).Finish());
  PACTDB_TRY_STATUS(
      Cursor(*connection_, "DELETE FROM tags WHERE context = ?").Bind(context).Finish());
  PACTDB_TRY_STATUS(
      Cursor(*connection_, "DELETE FROM attempts WHERE context = ?").Bind(context).Finish());
  return Cursor(*connection_, "DELETE FROM journal WHERE id BETWEEN ? AND ?")
      .Bind(FirstRow(context))
      .Bind(LastRow(context))
      .Finish();
}

Status SqliteStore::DropAll(ContextNumber context) {
  PACTDB_TRY_STATUS(DropAfter(context, 0));
  return Cursor(*connection_, "DELETE FROM contexts WHERE number = ?").Bind(context).Finish();
}

// Rows, gaps and ids of a deleted context beyond `last`.
Status SqliteStore::DropAfter(ContextNumber context, CommitNumber last) {
  PACTDB_TRY_STATUS(Cursor(*connection_, "DELETE FROM commits WHERE id > ? AND id <= ?")
                        .Bind(RowId(context, last))
                        .Bind(LastRow(context))
                        .Finish());
  PACTDB_TRY_STATUS(Cursor(*connection_, "DELETE FROM ids WHERE context = ? AND number > ?")
                        .Bind(context)
                        .Bind(last)
                        .Finish());
  PACTDB_TRY(const std::vector<CommitRange> gaps, ListGaps(context));
  PACTDB_TRY_STATUS(WriteGaps(context, Within(gaps, last)));
  return RecountBytes(context);
}

// For a deleted context, whose newest rows may go: what is retired is what the rows left lack.
Status SqliteStore::RecountBytes(ContextNumber number) {
  std::int64_t bytes = 0;
  {
    Cursor row(*connection_, "SELECT sum(length(record)) FROM commits WHERE id BETWEEN ? AND ?");
    PACTDB_TRY_STATUS(row.Bind(FirstRow(number)).Bind(LastRow(number)).Step());
    bytes = row.Int(0);
  }
  PACTDB_TRY(const Head head, ReadHead(number));
  PACTDB_TRY(const StoredContext context, GetContext(number));
  return WriteContext(context, head.bytes_total - bytes);
}

}  // namespace pactdb::sqlite
