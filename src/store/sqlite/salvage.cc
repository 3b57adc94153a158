#include "store/sqlite/salvage.h"

#include <cerrno>
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

Result<Salvaged> SalvageInto(const std::string& from, const std::string& draft,
                             const std::function<void(double)>& progress) {
  PACTDB_TRY(const auto lock, LockOut(from));
  PACTDB_TRY(const auto copy, SalvageCopy::Make(from, draft + "-copy", draft + "-fresh"));
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

Result<Salvaged> SalvageRows(const std::string& from, const std::string& to,
                             const std::function<void(double)>& progress) {
  PACTDB_TRY(const std::string damaged, AbsolutePath(from));
  PACTDB_TRY_STATUS(CheckKind(damaged));
  PACTDB_TRY(const std::string absolute, AbsolutePath(to));
  if (FileExists(absolute)) return std::unexpected(SystemError("the file exists", to, EEXIST));
  PACTDB_TRY_STATUS(CheckNoLog(absolute));
  const std::string draft = DraftOf(absolute);
  PACTDB_TRY(auto claim, DraftClaim::Make(absolute));
  Result<Salvaged> salvaged = SalvageInto(damaged, draft, progress);
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

}  // namespace pactdb::sqlite
