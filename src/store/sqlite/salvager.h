// Takes rows out of a damaged file, for SalvageRows (store/sqlite/salvage.h). Rows that hold what
// was committed are in salvager.cc, what stands beside them in salvager_notes.cc.
//
// Thread safety: one thread at a time.
#pragma once

#include <fmt/format.h>
#include <pactdb/ext/store.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/try.h"
#include "store/sqlite/cursor.h"
#include "store/sqlite/page_rows.h"
#include "store/sqlite/salvage.h"
#include "store/sqlite/salvage_copy.h"
#include "store/sqlite/sqlite_store.h"

namespace pactdb::sqlite {

// A row of `commits`, from a table or from a page.
struct CommitRow {
  std::int64_t id = 0;
  CommitFacts facts;
  std::string_view tree;
  std::int64_t epoch = 0;
  std::int64_t bytes_total = 0;
  std::int64_t record_checksum = 0;
  std::int64_t checksum = 0;
  std::string_view record;

  RecordId record_id() const { return {static_cast<ContextNumber>(id >> 32), NumberOf(id)}; }
  bool is_possible() const {
    return id >> 32 > 0 && id >> 32 <= std::numeric_limits<std::int32_t>::max() && NumberOf(id) > 0;
  }
};

struct ContextRow {
  StoredContext context;
  std::int64_t bytes_retired = 0;
  std::int64_t checksum = 0;
};

class Salvager {
 public:
  Salvager(SalvageCopy& copy, Connection& to, const std::function<void(double)>& progress)
      : copy_(copy), from_(copy.connection()), to_(to), progress_(progress) {}

  Result<Salvaged> Run();

 private:
  void Lose(std::string what) {
    if (std::ranges::find(salvaged_.losses, what) == salvaged_.losses.end())
      salvaged_.losses.push_back(std::move(what));
  }
  // Visits rows until their end, or the first that cannot be read: then false.
  template <typename Visitor>
  Result<bool> Walk(Sql sql, Visitor&& visit);
  // For tables without ids of their own, from both ends.
  template <typename Visitor>
  Status WalkNotes(Sql rising, Sql falling, const char* what, Visitor&& visit);

  Status TakeContexts();
  Status TakeCommits();
  Status TakeContents();
  Status TakeTagsAndGaps();
  Status TakeAnswersAndAttempts();
  Status TakeJournal();
  Status TakeFromPages();
  Status TakePageRow(const RawRow& row);
  Status NameUnknown();

  Status TakeContext(const ContextRow& row);
  // Nothing if the row holds nothing.
  Status TakeCommit(const CommitRow& row);
  Status InsertCommit(const CommitRow& row);
  Result<bool> TakeContent(std::string_view hash, std::int64_t size, std::int64_t codec,
                           std::string_view data);
  Result<bool> IsWhole();
  Result<bool> HasCommit(std::int64_t id);
  void NoteNumber(ContextNumber context, CommitNumber number);

  SalvageCopy& copy_;
  Connection& from_;
  Connection& to_;
  const std::function<void(double)>& progress_;
  Salvaged salvaged_;
  std::map<ContextNumber, CommitNumber> heads_;
  std::map<ContextNumber, StoredContext> contexts_;
  std::set<std::string, std::less<>> names_;
  std::set<ContextNumber> with_commits_;
  bool is_damaged_ = false;
};

template <typename Visitor>
Result<bool> Salvager::Walk(Sql sql, Visitor&& visit) {
  Cursor rows(from_, sql);
  while (true) {
    const Result<bool> found = rows.Step();
    if (!found) is_damaged_ = true;
    if (!found) return false;
    if (!*found) return true;
    PACTDB_TRY_STATUS(visit(rows));
  }
}

template <typename Visitor>
Status Salvager::WalkNotes(Sql rising, Sql falling, const char* what, Visitor&& visit) {
  PACTDB_TRY(const bool whole, Walk(rising, visit));
  if (whole) return {};
  Lose(fmt::format("{} cannot all be read", what));
  PACTDB_TRY_STATUS(Walk(falling, visit));
  return {};
}

}  // namespace pactdb::sqlite
