// A statement on its way through its rows.
//
//   Cursor rows(connection, "SELECT name FROM contexts WHERE number = ?");
//   PACTDB_TRY(const bool found, rows.Bind(number).Step());
//   if (found) use(rows.Text(0));
//
// Values are bound in the order of the question marks and must live until the last Step; what Text
// and Blob give lives until the next. A failure to compile or to bind comes out of Step.
//
// Thread safety: that of its connection.
#pragma once

#include <pactdb/error.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/try.h"
#include "store/sqlite/connection.h"

namespace pactdb::sqlite {

class Cursor {
 public:
  Cursor(Connection& connection, Sql sql);
  ~Cursor();
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  Cursor& Bind(std::int64_t value);
  Cursor& Bind(std::optional<std::int64_t> value);
  Cursor& Bind(std::string_view text);
  Cursor& BindBlob(std::string_view bytes);

  // True if there is a row.
  Result<bool> Step();
  // For statements without rows.
  Status Finish();

  std::int64_t Int(int column) const;
  std::optional<std::int64_t> OptionalInt(int column) const;
  std::string_view Text(int column) const;
  std::string_view Blob(int column) const;

 private:
  void Check(int code);

  Connection& connection_;
  sqlite3_stmt* statement_ = nullptr;
  std::optional<Error> error_;
  int bound_ = 0;
  std::uint64_t rows_ = 0;
};

}  // namespace pactdb::sqlite
