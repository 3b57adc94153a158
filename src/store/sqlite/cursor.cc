#include "store/sqlite/cursor.h"

#include <sqlite3.h>

#include "base/check.h"

namespace pactdb::sqlite {
namespace {

// Rows are compared with the size of the file every so many.
constexpr std::uint64_t kRowsAtOnce = 1 << 16;

}  // namespace

Cursor::Cursor(Connection& connection, Sql sql) : connection_(connection) {
  Result<sqlite3_stmt*> statement = connection.Prepare(sql);
  if (statement) {
    statement_ = *statement;
  } else {
    error_ = std::move(statement).error();
  }
}

Cursor::~Cursor() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

void Cursor::Check(int code) {
  if (code != SQLITE_OK && !error_) error_ = connection_.Fail(code);
}

Cursor& Cursor::Bind(std::int64_t value) {
  ++bound_;
  if (!error_) Check(sqlite3_bind_int64(statement_, bound_, value));
  return *this;
}

Cursor& Cursor::Bind(std::optional<std::int64_t> value) {
  if (value) return Bind(*value);
  ++bound_;
  return *this;
}

Cursor& Cursor::Bind(std::string_view text) {
  ++bound_;
  // A null pointer would bind NULL.
  const char* data = text.data() == nullptr ? "" : text.data();
  if (!error_) {
    Check(sqlite3_bind_text64(statement_, bound_, data, text.size(), SQLITE_STATIC, SQLITE_UTF8));
  }
  return *this;
}

Cursor& Cursor::BindBlob(std::string_view bytes) {
  ++bound_;
  const char* data = bytes.data() == nullptr ? "" : bytes.data();
  if (!error_) Check(sqlite3_bind_blob64(statement_, bound_, data, bytes.size(), SQLITE_STATIC));
  return *this;
}

Result<bool> Cursor::Step() {
  PACTDB_TRY_STATUS(connection_.Usable());
  if (error_) return std::unexpected(*error_);
  connection_.BeginWork();
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_DONE) return false;
  if (code == SQLITE_ROW) {
    ++rows_;
    if (rows_ % kRowsAtOnce != 0 || connection_.HasRoomFor(rows_)) return true;
    error_ = connection_.TooMuch();
  } else {
    error_ = connection_.Fail(code);
  }
  return std::unexpected(*error_);
}

Status Cursor::Finish() {
  PACTDB_TRY(const bool row, Step());
  PACTDB_CHECK(!row);
  return {};
}

std::int64_t Cursor::Int(int column) const {
  return sqlite3_column_int64(statement_, column);
}

std::optional<std::int64_t> Cursor::OptionalInt(int column) const {
  if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return std::nullopt;
  return Int(column);
}

std::string_view Cursor::Text(int column) const {
  const auto* text = sqlite3_column_text(statement_, column);
  // First the text, then its size: the order SQLite asks for.
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return text == nullptr ? std::string_view()
                         : std::string_view(reinterpret_cast<const char*>(text), size);
}

std::string_view Cursor::Blob(int column) const {
  const auto* blob = sqlite3_column_blob(statement_, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return blob == nullptr ? std::string_view()
                         : std::string_view(static_cast<const char*>(blob), size);
}

}  // namespace pactdb::sqlite
