#include "store/sqlite/salvage.h"

#include <cerrno>
#include <cstdio>
#include <memory>

#include "base/try.h"
#include "store/sqlite/file_header.h"
#include "store/sqlite/files.h"
#include "store/sqlite/lock_file.h"
#include "store/sqlite/open.h"
#include "store/sqlite/salvage_copy.h"
#include "store/sqlite/salvager.h"

namespace pactdb::sqlite {
namespace {

// What has the file open now would change it under our hands. A folder that cannot be written has
// no writer.
Result<std::unique_ptr<LockFile>> LockOut(const std::string& from) {
  auto lock = LockFile::Take(from + "-lock", LockFile::Kind::kUpkeep);
  if (lock || lock.error().code() != ErrorCode::kStoreReadonly) return lock;
  return nullptr;
}

constexpr const char* kAside = "-aside";

Status Rename(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) == 0) return {};
  const int error = errno;
  return std::unexpected(SystemError("the new file cannot be renamed", from, error));
}

Result<Salvaged> SalvageInto(const std::string& from, const std::string& draft, SalvagedLog log,
                             const std::function<void(double)>& progress) {
  PACTDB_TRY(const auto lock, LockOut(from));
  PACTDB_TRY(const auto copy, SalvageCopy::Make(from, draft + "-copy", draft + "-fresh", log));
  PACTDB_TRY_STATUS(MakeDraft(draft));
  PACTDB_TRY(const auto to, Connection::Open(draft, {.mode = Connection::Mode::kWrite,
                                                     .exclusive = HasSmallBlocks(draft)}));
  PACTDB_TRY(Transaction transaction, Transaction::Begin(*to));
  PACTDB_TRY(Salvaged salvaged, Salvager(*copy, *to, progress).Run());
  if (salvaged.contexts.empty()) {
    return std::unexpected(Error(ErrorCode::kStoreCorrupt, "nothing of a pactdb file can be found")
                               .With("path", from));
  }
  PACTDB_TRY_STATUS(transaction.Commit());
  return salvaged;
}

}  // namespace

bool HasLog(const std::string& from) {
  const auto absolute = AbsolutePath(from);
  return absolute && FileBytes(*absolute + "-wal") != 0;
}

Result<Salvaged> SalvageRows(const std::string& from, const std::string& to,
                             const std::function<void(double)>& progress, SalvagedLog log) {
  PACTDB_TRY(const std::string damaged, AbsolutePath(from));
  PACTDB_TRY_STATUS(CheckKind(damaged));
  PACTDB_TRY(const std::string absolute, AbsolutePath(to));
  if (FileExists(absolute)) return std::unexpected(SystemError("the file exists", to, EEXIST));
  PACTDB_TRY_STATUS(CheckNoLog(absolute));
  const std::string draft = DraftOf(absolute);
  PACTDB_TRY(auto claim, DraftClaim::Make(absolute));
  Result<Salvaged> salvaged = SalvageInto(damaged, draft, log, progress);
  if (salvaged) salvaged->claim = std::move(claim);
  if (!salvaged) RemoveDatabase(draft);
  return salvaged;
}

Status PlaceDraft(const std::string& to) {
  PACTDB_TRY(const std::string absolute, AbsolutePath(to));
  return PlaceLocked(DraftOf(absolute), absolute);
}

void RemoveDraft(const std::string& to) {
  if (const auto absolute = AbsolutePath(to)) RemoveDatabase(DraftOf(*absolute));
}

void RemoveDraftAside(const std::string& to) {
  if (const auto absolute = AbsolutePath(to)) RemoveDatabase(DraftOf(*absolute) + kAside);
}

Status PutDraftAside(const std::string& to) {
  PACTDB_TRY(const std::string absolute, AbsolutePath(to));
  return Rename(DraftOf(absolute), DraftOf(absolute) + kAside);
}

Status TakeDraftBack(const std::string& to) {
  PACTDB_TRY(const std::string absolute, AbsolutePath(to));
  return Rename(DraftOf(absolute) + kAside, DraftOf(absolute));
}

}  // namespace pactdb::sqlite
