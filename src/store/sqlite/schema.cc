#include "store/sqlite/schema.h"

#include <array>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/try.h"
#include "store/sqlite/cursor.h"

namespace pactdb::sqlite {
namespace {

// A commit's row has the key context << 32 | number, so that appending one touches one page and no
// index. What people read stands before the record, which may run over many pages.
constexpr Sql kVersion1 = R"sql(
CREATE TABLE contexts (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  origin_context INTEGER NOT NULL,
  origin_commit INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  deleted INTEGER NOT NULL,
  bytes_retired INTEGER NOT NULL,
  config TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX contexts_by_name ON contexts (name) WHERE deleted = 0;
CREATE TABLE commits (
  id INTEGER PRIMARY KEY,
  cycle INTEGER NOT NULL,
  committed_at_ns INTEGER,
  added INTEGER NOT NULL,
  removed INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  nodes INTEGER NOT NULL,
  tree_sha256 BLOB NOT NULL,
  epoch INTEGER NOT NULL,
  bytes_total INTEGER NOT NULL,
  record_checksum INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  record BLOB NOT NULL
) STRICT;
CREATE TABLE gaps (
  context INTEGER NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (context, first)
) STRICT, WITHOUT ROWID;
CREATE TABLE contents (
  hash BLOB NOT NULL PRIMARY KEY,
  size INTEGER NOT NULL,
  codec INTEGER NOT NULL,
  data BLOB NOT NULL
) STRICT;
CREATE TABLE ids (
  context INTEGER NOT NULL,
  id TEXT NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY (context, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE answers (
  context INTEGER NOT NULL,
  idempotency_key TEXT NOT NULL,
  number INTEGER NOT NULL,
  answer TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (context, idempotency_key)
) STRICT, WITHOUT ROWID;
CREATE TABLE journal (
  id INTEGER PRIMARY KEY,
  checksum INTEGER NOT NULL,
  entry BLOB NOT NULL
) STRICT;
CREATE TABLE tags (
  context INTEGER NOT NULL,
  name TEXT NOT NULL,
  commit_context INTEGER NOT NULL,
  commit_number INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (context, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE attempts (
  context INTEGER NOT NULL,
  id TEXT NOT NULL,
  n INTEGER NOT NULL,
  json TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (context, id)
) STRICT, WITHOUT ROWID;
CREATE VIEW log AS
  SELECT contexts.name AS context, commits.id & 4294967295 AS number, cycle,
         strftime('%Y-%m-%dT%H:%M:%SZ', committed_at_ns / 1000000000, 'unixepoch') AS committed_at,
         added, removed, changed, nodes, lower(hex(tree_sha256)) AS tree_sha256,
         length(record) AS record_bytes
  FROM commits JOIN contexts ON contexts.number = commits.id >> 32;
PRAGMA user_version = 1;
)sql";

constexpr std::array kSteps = {MigrationStep{.version = 1, .sql = kVersion1}};

// Every table, index, view and trigger, with its text.
Result<std::vector<std::string>> ListSchema(Connection& connection) {
  std::vector<std::string> objects;
  Cursor rows(connection,
              "SELECT coalesce(sql, type || ' ' || name) FROM sqlite_schema "
              "WHERE name NOT IN ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4') ORDER BY 1");
  while (true) {
    PACTDB_TRY(const bool row, rows.Step());
    if (!row) return objects;
    objects.emplace_back(rows.Text(0));
  }
}

// What the steps make of an empty file, found out once in a process.
Result<std::vector<std::string>> WantedSchema() {
  static std::mutex mutex;
  static std::vector<std::string> wanted;
  const std::lock_guard lock(mutex);
  if (wanted.empty()) {
    PACTDB_TRY(const auto reference,
               Connection::Open(":memory:", {.mode = Connection::Mode::kCreate}));
    PACTDB_TRY_STATUS(Migrate(*reference, MigrationSteps()));
    PACTDB_TRY(wanted, ListSchema(*reference));
  }
  return wanted;
}

}  // namespace

std::span<const MigrationStep> MigrationSteps() {
  return kSteps;
}

Result<std::int64_t> ReadVersion(Connection& connection) {
  Cursor row(connection, "PRAGMA user_version");
  PACTDB_TRY_STATUS(row.Step());
  return row.Int(0);
}

Status Migrate(Connection& connection, std::span<const MigrationStep> steps) {
  for (const MigrationStep& step : steps) {
    PACTDB_TRY(Transaction transaction, Transaction::Begin(connection));
    PACTDB_TRY(const std::int64_t version, ReadVersion(connection));
    if (version >= step.version) continue;
    PACTDB_TRY_STATUS(connection.Run(step.sql));
    PACTDB_TRY(const std::int64_t reached, ReadVersion(connection));
    PACTDB_CHECK(reached == step.version);
    PACTDB_TRY_STATUS(transaction.Commit());
  }
  return {};
}

Status CheckSchema(Connection& connection) {
  PACTDB_TRY(const std::vector<std::string> wanted, WantedSchema());
  PACTDB_TRY(const std::vector<std::string> found, ListSchema(connection));
  if (found == wanted) return {};
  return std::unexpected(
      Error(ErrorCode::kStoreCorrupt, "the tables are not those of a pactdb file")
          .With("path", connection.path()));
}

}  // namespace pactdb::sqlite
