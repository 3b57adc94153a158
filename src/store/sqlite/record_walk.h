// Records of commits, read by the key of their row.
//
// A tree is read in nearly rising order of its records. Rows that follow one another come from one
// statement on its way through the table: going on to the next row takes two thirds of the time of
// looking it up.
//
// Thread safety: that of its connection.
#pragma once

#include <pactdb/error.h>

#include <cstdint>
#include <optional>

#include "store/sqlite/connection.h"
#include "store/sqlite/cursor.h"

namespace pactdb::sqlite {

class RecordWalk {
 public:
  explicit RecordWalk(Connection& connection) : connection_(connection) {}

  // The row, whose columns are `id`, `record_checksum` and `record`; null if there is none. Good
  // until the next call.
  Result<const Cursor*> Find(std::int64_t id);
  // Lets the statement go, which keeps a state of the file until then.
  void End() { rows_.reset(); }

 private:
  Connection& connection_;
  std::optional<Cursor> rows_;
  std::int64_t at_ = 0;  // where rows_ stands
};

}  // namespace pactdb::sqlite
