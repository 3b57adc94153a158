// Compacting, copying, counting.
#include <cerrno>

#include "base/try.h"
#include "store/gaps.h"
#include "store/sqlite/cursor.h"
#include "store/sqlite/draft_claim.h"
#include "store/sqlite/file_header.h"
#include "store/sqlite/files.h"
#include "store/sqlite/page_check.h"
#include "store/sqlite/sqlite_store.h"

namespace pactdb::sqlite {
namespace {

Status CopyTo(Connection& source, const std::string& draft,
              const std::function<void(double)>& progress) {
  PACTDB_TRY(const auto target, Connection::Open(draft, {.mode = Connection::Mode::kCreate}));
  PACTDB_TRY_STATUS(target->Run("PRAGMA synchronous = FULL"));
  // The scope fixes the state that is copied: a writer would make the copy start over and over.
  PACTDB_TRY(const ReadScope scope, ReadScope::Begin(source));
  {
    Cursor row(source, "SELECT count(*) FROM sqlite_schema");
    PACTDB_TRY_STATUS(row.Step());
  }
  return CopyPages(source, *target, progress);
}

Result<std::int64_t> ReadNumber(Connection& connection, Sql sql) {
  Cursor row(connection, sql);
  PACTDB_TRY_STATUS(row.Step());
  return row.Int(0);
}

}  // namespace

Status SqliteStore::Compact() {
  PACTDB_TRY_STATUS(connection_->RunAlone("VACUUM"));
  return connection_->CutLog();
}

Status SqliteStore::Backup(const std::string& path, const std::function<void(double)>& progress) {
  PACTDB_TRY_STATUS(connection_->Usable());
  PACTDB_TRY(const std::string absolute, AbsolutePath(path));
  if (FileExists(absolute)) return std::unexpected(SystemError("the file exists", path, EEXIST));
  PACTDB_TRY_STATUS(CheckNoLog(absolute));
  const std::string draft = DraftOf(absolute);
  PACTDB_TRY(const auto claim, DraftClaim::Make(absolute));
  Status status = CopyTo(*connection_, draft, progress);
  if (status) status = PlaceLocked(draft, absolute);
  if (!status) RemoveDatabase(draft);
  return status;
}

Result<StoreStats> SqliteStore::Stats() {
  PACTDB_TRY(const ReadScope scope, ReadScope::Begin(*connection_));
  StoreStats stats;
  stats.path = connection_->path();
  stats.file_bytes = FileBytes(stats.path) + FileBytes(stats.path + "-wal");
  PACTDB_TRY(const std::int64_t free_pages, ReadNumber(*connection_, "PRAGMA freelist_count"));
  PACTDB_TRY(const std::int64_t page_bytes, ReadNumber(*connection_, "PRAGMA page_size"));
  stats.free_bytes = static_cast<std::uint64_t>(free_pages * page_bytes);
  PACTDB_TRY(const std::vector<StoredContext> contexts, ListAllContexts());
  for (const StoredContext& context : contexts) {
    PACTDB_TRY(const std::vector<CommitRange> gaps, ListGaps(context.number));
    stats.contexts += context.deleted ? 0 : 1;
    stats.commits += context.head - CountNumbers(gaps);
  }
  Cursor row(*connection_, "SELECT count(*), sum(size), sum(length(data)) FROM contents");
  PACTDB_TRY_STATUS(row.Step());
  stats.contents = static_cast<std::uint64_t>(row.Int(0));
  stats.content_bytes = static_cast<std::uint64_t>(row.Int(1));
  stats.content_stored_bytes = static_cast<std::uint64_t>(row.Int(2));
  return stats;
}

}  // namespace pactdb::sqlite
