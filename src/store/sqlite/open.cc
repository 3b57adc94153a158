// Opening and making a file.
//
// A new file is built beside its place, under a name of its own, and renamed when it is complete
// and on the disk. So a file that is there is never half made, and an empty one is never
// ours.
#include "store/sqlite/open.h"

#include <string>

#include "base/try.h"
#include "store/sqlite/draft_claim.h"
#include "store/sqlite/file_header.h"
#include "store/sqlite/files.h"
#include "store/sqlite/log_frames.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/sqlite_store.h"

namespace pactdb {
namespace sqlite {

Status MakeDraft(const std::string& draft) {
  PACTDB_TRY(const auto connection, Connection::Open(draft, {.mode = Connection::Mode::kCreate}));
  PACTDB_TRY_STATUS(connection->Run("PRAGMA page_size = 4096; PRAGMA synchronous = FULL;"));
  PACTDB_TRY_STATUS(connection->Run("PRAGMA application_id = 0x50414354;"));
  PACTDB_TRY_STATUS(Migrate(*connection, MigrationSteps()));
  return UseLog(*connection);
}

namespace {

Status MakeNew(const std::string& path) {
  PACTDB_TRY_STATUS(CheckNoLog(path));
  const std::string draft = DraftOf(path);
  PACTDB_TRY(const auto claim, DraftClaim::Make(path));
  Status status = MakeDraft(draft);
  if (status) status = PutInPlace(draft, path);
  if (!status) RemoveDatabase(draft);
  return status;
}

// Everything after the file is known to be ours and, for a writer, the lock is held.
Result<std::unique_ptr<Connection>> OpenChecked(const std::string& path,
                                                Connection::Settings settings) {
  PACTDB_TRY(auto connection, Connection::Open(path, settings));
  PACTDB_TRY(const std::int64_t version, ReadVersion(*connection));
  PACTDB_TRY_STATUS(CheckVersion(path, version));
  if (settings.mode == Connection::Mode::kWrite) {
    PACTDB_TRY_STATUS(UseLog(*connection));
    PACTDB_TRY_STATUS(Migrate(*connection, MigrationSteps()));
  }
  PACTDB_TRY_STATUS(CheckSchema(*connection));
  return connection;
}

Status DamagedLog(const std::string& path, const LogDamage& damage) {
  return std::unexpected(Error(ErrorCode::kStoreCorrupt, TextOf(damage))
                             .With("path", path)
                             .With("frame", static_cast<std::int64_t>(damage.frame))
                             .With("commits", static_cast<std::int64_t>(damage.commits)));
}

// kStoreCorrupt if SQLite would take damage for the end of the log, and the next commit would be
// written over those behind. REQUIRES: the lock.
Status CheckLog(const std::string& path) {
  const auto damage = FindLogDamage(path + "-wal", ReadLock(path + "-lock").has_unsynced);
  return damage ? DamagedLog(path, *damage) : Status();
}

// What a killed writer left is on the disk before a commit is written behind it. A sync alone would
// not do: where one has failed, the system takes what it could not write for written.
Status PrepareLog(const std::string& path) {
  const std::string log = path + "-wal";
  if (FileBytes(log) == 0) return {};
  PACTDB_TRY_STATUS(CheckLog(path));
  return RewriteFile(log);
}

Result<std::unique_ptr<Store>> OpenWriter(const std::string& path, bool create) {
  const bool exists = FileExists(path);
  if (exists || !create) PACTDB_TRY_STATUS(CheckHeader(path));
  PACTDB_TRY(auto lock, LockFile::Take(path + "-lock", LockFile::Kind::kWriter));
  // Somebody else may have made it meanwhile, and gone.
  if (!exists && !FileExists(path)) {
    PACTDB_TRY_STATUS(MakeNew(path));
  } else {
    PACTDB_TRY_STATUS(CheckHeader(path));
    PACTDB_TRY_STATUS(CheckOneName(path));
    PACTDB_TRY_STATUS(PrepareLog(path));
  }
  PACTDB_TRY(auto connection, OpenChecked(path, {.mode = Connection::Mode::kWrite,
                                                 .exclusive = HasSmallBlocks(path)}));
  connection->BeforeUnsynced([lock = lock.get()] { lock->NoteUnsynced(); });
  return std::make_unique<SqliteStore>(std::move(lock), std::move(connection));
}

// Where no memory may be shared: a writer is kept out for as long as the reader lives, so that the
// file does not change.
Result<std::unique_ptr<Store>> OpenLoneReader(const std::string& path) {
  if (FileExists(path + "-wal")) {
    // Left by a writer that was killed; opening for writing brings it into the file.
    PACTDB_TRY(const auto lock, LockFile::Take(path + "-lock", LockFile::Kind::kUpkeep));
    PACTDB_TRY_STATUS(CheckLog(path));
    PACTDB_TRY(const auto recovered,
               OpenChecked(path, {.mode = Connection::Mode::kWrite, .exclusive = true}));
  }
  auto lock = LockFile::Take(path + "-lock", LockFile::Kind::kReaders);
  if (!lock && lock.error().code() != ErrorCode::kStoreReadonly) {
    return std::unexpected(std::move(lock).error());
  }
  PACTDB_TRY(auto connection, OpenChecked(path, {.mode = Connection::Mode::kReadImmutable}));
  return std::make_unique<SqliteStore>(lock ? *std::move(lock) : nullptr, std::move(connection));
}

// A reader cannot remove the files SQLite makes beside a database. If it was the last one and no
// writer is there, they hold nothing, and a connection that could write removes them as it goes.
void RemoveEmptyLog(const std::string& path) {
  if (!FileExists(path + "-wal") || FileBytes(path + "-wal") != 0 || !IsWritable(path)) return;
  const auto lock = LockFile::Take(path + "-lock", LockFile::Kind::kUpkeep);
  if (!lock) return;
  const auto connection = Connection::Open(path, {.mode = Connection::Mode::kWrite});
  // Any read opens the log; this one does without the tables, which would be parsed once more.
  if (connection) [[maybe_unused]]
    const auto version = ReadVersion(**connection);
}

// The error of a reader that could not open the file, where SQLite's own says only that. A log is
// read through memory that all readers share, and who comes first makes it in the folder.
Error WhyNotOpened(const std::string& path, Error error) {
  const bool lacks_memory = FileExists(path + "-wal") && !FileExists(path + "-shm");
  if (error.code() != ErrorCode::kStoreIo || !lacks_memory ||
      IsWritable(path.substr(0, path.rfind('/') + 1)))
    return error;
  return Error(ErrorCode::kStoreIo,
               "a log (-wal) lies beside the file, which can be read only in a folder that may be "
               "written; copy both to one")
      .With("path", path);
}

Result<std::unique_ptr<Store>> OpenReader(const std::string& path) {
  PACTDB_TRY(const std::int64_t version, CheckHeader(path));
  // An older file is upgraded by a writer that closes it again.
  if (version < kFormatVersion) PACTDB_TRY_STATUS(OpenWriter(path, false));
  if (HasSmallBlocks(path)) return OpenLoneReader(path);
  if (const auto damage = FindStillLogDamage(path))
    return std::unexpected(DamagedLog(path, *damage).error());
  // What SQLite would make beside the file for somebody who may not write it would keep those out
  // who may.
  using enum Connection::Mode;
  auto connection = OpenChecked(path, {.mode = IsWritable(path) ? kRead : kReadForeign});
  // A folder that cannot be written: there is no place for the shared memory.
  if (!connection && connection.error().code() != ErrorCode::kStoreVersion &&
      !FileExists(path + "-wal")) {
    auto alone = OpenChecked(path, {.mode = kReadForeign});
    if (alone) connection = std::move(alone);
  }
  if (!connection) {
    IsWritable(path) ? RemoveEmptyLog(path) : RemoveIfOurs(path + "-wal");
    return std::unexpected(WhyNotOpened(path, std::move(connection).error()));
  }
  return std::make_unique<SqliteStore>(nullptr, *std::move(connection));
}

}  // namespace

SqliteStore::~SqliteStore() {
  batch_.reset();
  EndReads();
  const std::string path = connection_->path();
  const bool shared = connection_->read_only() && lock_ == nullptr;
  connection_.reset();
  if (shared) RemoveEmptyLog(path);
}

}  // namespace sqlite

Result<std::unique_ptr<Store>> OpenSqliteStore(const std::string& path, StoreAccess access) {
  PACTDB_TRY(const std::string absolute, sqlite::AbsolutePath(path));
  if (access == StoreAccess::kRead) return sqlite::OpenReader(absolute);
  return sqlite::OpenWriter(absolute, access == StoreAccess::kCreate);
}

}  // namespace pactdb
