#include "store/sqlite/record_walk.h"

#include "base/try.h"

namespace pactdb::sqlite {

Result<const Cursor*> RecordWalk::Find(std::int64_t id) {
  if (!rows_ || id != at_ + 1) {
    constexpr Sql kFrom =
        "SELECT id, record_checksum, record FROM commits WHERE id >= ? ORDER BY id";
    rows_.emplace(connection_, kFrom);
    rows_->Bind(id);
  }
  at_ = id;
  const Result<bool> found = rows_->Step();
  if (found && *found && rows_->Int(0) == id) return &*rows_;
  End();
  PACTDB_TRY_STATUS(found);
  return nullptr;
}

}  // namespace pactdb::sqlite
