#include "store/sqlite/page_check.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "base/try.h"
#include "store/sqlite/cursor.h"

namespace pactdb::sqlite {
namespace {

constexpr int kPagesAtOnce = 1024;
constexpr std::size_t kLinesMax = 10;

Result<bool> HasFreePages(Connection& connection) {
  Cursor row(connection, "PRAGMA freelist_count");
  PACTDB_TRY_STATUS(row.Step());
  return row.Int(0) != 0;
}

// A damaged list of free pages can lead into a table, and the next commits are written over it. But
// SQLite (3.40) leaves the list out of its check when the first thing it comes upon in the schema
// is a view: that has no first page, and a first page of 0 means a check of parts. A reader cannot
// change the schema, but a copy that is nobody's has no need of the view.
Result<std::unique_ptr<Connection>> CopyWithoutView(Connection& connection) {
  // Without a name: on the disk as far as it does not fit into the cache, and gone when it is
  // closed.
  PACTDB_TRY(auto copy, Connection::Open("", {.mode = Connection::Mode::kCreate}));
  PACTDB_TRY_STATUS(CopyPages(connection, *copy, {}));
  copy->BoundWorkAs(connection);
  PACTDB_TRY_STATUS(copy->Run("DROP VIEW IF EXISTS log"));
  return copy;
}

// Null if there are none: nothing of the check is left out then.
Result<std::unique_ptr<Connection>> CopyIfPagesAreFree(Connection& connection) {
  PACTDB_TRY(const bool has_free, HasFreePages(connection));
  if (!has_free) return nullptr;
  return CopyWithoutView(connection);
}

// True if it was the file that could not be read, and not the copy that could not be made.
bool IsOfTheFile(const Error& error) {
  if (error.code() == ErrorCode::kStoreCorrupt) return true;
  return std::ranges::any_of(error.details(), [](const Error::Detail& detail) {
    return detail.name == "sqlite" && detail.number == SQLITE_IOERR_READ;
  });
}

// The system's fault, and nothing that the file could be blamed for.
Error NoPlaceForCopy(const Error& fault) {
  Error error(ErrorCode::kStoreIo,
              "the free pages are checked in a copy where temporary files go (TMPDIR), which could "
              "not be made: " +
                  fault.message());
  for (const Error::Detail& detail : fault.details()) {
    if (detail.name == "errno") error = std::move(error).With("errno", detail.number);
    if (detail.name == "reason") error = std::move(error).With("reason", detail.text);
  }
  return error;
}

// SQLite puts many findings into one text, a line each.
void AddLines(std::string_view text, std::vector<std::string>& problems) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.empty() && !line.starts_with("***")) problems.emplace_back(line);
  }
}

void RunCheck(Connection& connection, std::vector<std::string>& problems) {
  Cursor rows(connection, "PRAGMA integrity_check(100)");
  while (true) {
    const Result<bool> found = rows.Step();
    if (!found) problems.push_back(found.error().message());
    if (!found || !*found) return;
    if (rows.Text(0) != "ok") AddLines(rows.Text(0), problems);
  }
}

// Nobody reads a hundred, and the first ones say what there is to do.
void KeepFirst(std::vector<std::string>& problems) {
  if (problems.size() <= kLinesMax) return;
  const std::size_t left = problems.size() - kLinesMax;
  problems.resize(kLinesMax);
  problems.push_back(fmt::format("and {} or more problems like these", left));
}

}  // namespace

Status CopyPages(Connection& source, Connection& target,
                 const std::function<void(double)>& progress) {
  sqlite3_backup* backup = sqlite3_backup_init(target.handle(), "main", source.handle(), "main");
  if (backup == nullptr) return std::unexpected(target.Fail(sqlite3_errcode(target.handle())));
  int code = SQLITE_OK;
  while (code == SQLITE_OK) {
    code = sqlite3_backup_step(backup, kPagesAtOnce);
    const int total = sqlite3_backup_pagecount(backup);
    if (progress && total > 0) progress(1.0 - double(sqlite3_backup_remaining(backup)) / total);
  }
  sqlite3_backup_finish(backup);
  if (code != SQLITE_DONE) return std::unexpected(target.Fail(code));
  return {};
}

Result<std::vector<std::string>> FindPageProblems(Connection& connection) {
  std::vector<std::string> problems;
  const auto copy = CopyIfPagesAreFree(connection);
  if (!copy && !IsOfTheFile(copy.error())) return std::unexpected(NoPlaceForCopy(copy.error()));
  // What was not looked at is not known to be whole.
  if (!copy) problems.push_back("the free pages cannot be checked: " + copy.error().message());
  RunCheck(copy && *copy != nullptr ? **copy : connection, problems);
  KeepFirst(problems);
  return problems;
}

}  // namespace pactdb::sqlite
