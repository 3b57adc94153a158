// Checking a file: every page, checksum, hash and number.
//
// Nothing found ends the check: what cannot be read is a problem like any other, and the next thing
// is looked at. Problems are listed in the order of the file's contexts and commits.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "store/gaps.h"
#include "store/sqlite/cursor.h"
#include "store/sqlite/facts_row.h"
#include "store/sqlite/log_frames.h"
#include "store/sqlite/note_rows.h"
#include "store/sqlite/page_check.h"
#include "store/sqlite/sqlite_store.h"
#include "store/store_errors.h"

namespace pactdb::sqlite {
namespace {

// A file with more is broken enough; the list must not grow with the file.
constexpr std::size_t kProblemsMax = 1000;

class Verifier {
 public:
  Verifier(SqliteStore& store, Connection& connection, const std::function<void(double)>& progress)
      : store_(store), connection_(connection), progress_(progress) {}

  Result<std::vector<StoreProblem>> Run();

 private:
  void Report(StoreProblem problem);
  void Report(std::string what, std::string message) {
    Report({.what = std::move(what), .message = std::move(message)});
  }
  template <typename T>
  void ReportIfFailed(const std::string& what, const Result<T>& result) {
    if (!result) Report(what, result.error().message());
  }
  void Advance(std::uint64_t count = 1) {
    const std::uint64_t before = std::exchange(done_, done_ + count);
    if (progress_ && before / 256 != done_ / 256)
      progress_(0.2 + 0.8 * double(done_) / double(total_));
  }

  void CheckLog();
  Status CheckPages();
  std::vector<std::int64_t> ReadNumbers(Sql sql, const std::string& what);
  void CheckContext(const StoredContext& context);
  void CheckCommits(const StoredContext& context, const std::vector<CommitRange>& gaps);
  void CheckCommit(const StoredContext& context, RecordId id);
  void ReportMissing(const StoredContext& context, const std::vector<CommitRange>& runs);
  void CheckNotes(const StoredContext& context);
  template <typename Read>
  void CheckRows(const std::string& what, Cursor& rows, const Read& read);
  void CheckJournal(const StoredContext& context, const std::string& what);
  void CheckAnswers(const StoredContext& context, const std::string& what);
  void CheckOrphans(const std::vector<std::int64_t>& contexts);
  void CheckContents();

  SqliteStore& store_;
  Connection& connection_;
  const std::function<void(double)>& progress_;
  std::vector<StoreProblem> problems_;
  std::optional<std::int64_t> cycle_;  // of the commit before, of one context
  std::uint64_t bytes_ = 0;            // of the context's records
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 1;
};

void Verifier::Report(StoreProblem problem) {
  if (problems_.size() == kProblemsMax) {
    problems_.push_back({.what = "the file", .message = "there are more problems"});
  } else if (problems_.size() < kProblemsMax) {
    problems_.push_back(std::move(problem));
  }
}

// Of a writer it stands still; a reader's may be somebody's.
void Verifier::CheckLog() {
  const std::string& path = connection_.path();
  const auto damage = connection_.read_only()
                          ? FindStillLogDamage(path)
                          : FindLogDamage(path + "-wal", ReadLock(path + "-lock").has_unsynced);
  if (damage) Report("the log", TextOf(*damage));
}

Status Verifier::CheckPages() {
  PACTDB_TRY(const std::vector<std::string> problems, FindPageProblems(connection_));
  for (const std::string& problem : problems) Report("the pages", problem);
  return {};
}

std::vector<std::int64_t> Verifier::ReadNumbers(Sql sql, const std::string& what) {
  std::vector<std::int64_t> numbers;
  Cursor rows(connection_, sql);
  while (true) {
    const Result<bool> found = rows.Step();
    ReportIfFailed(what, found);
    if (!found || !*found) return numbers;
    numbers.push_back(rows.Int(0));
  }
}

// Its record, and what is known of it besides. A row of which both cannot be read is one problem.
void Verifier::CheckCommit(const StoredContext& context, RecordId id) {
  StoreProblem problem{.what = fmt::format("commit {} of '{}'", id.commit, context.name),
                       .message = {},
                       .context = id.context,
                       .commits = {id.commit, id.commit}};
  const Result<std::string> record = store_.ReadRecord(id);
  const auto facts = ReadFacts(connection_, id.context, problem.commits);
  if (record) bytes_ += record->size();
  if (facts) problem.cycle = facts->front().cycle;
  if (!record) {
    problem.part = StoreProblem::Part::kRecord;
    problem.message = record.error().message();
    return Report(std::move(problem));
  }
  problem.part = StoreProblem::Part::kFacts;
  if (!facts) {
    problem.message = facts.error().message();
    return Report(std::move(problem));
  }
  const auto before = std::exchange(cycle_, problem.cycle);
  if (before && *problem.cycle <= *before) {
    problem.message = "its cycle does not follow";
    Report(std::move(problem));
  }
}

// Row by row, not number by number: a damaged file may say a number that is far from all others.
void Verifier::CheckCommits(const StoredContext& context, const std::vector<CommitRange>& gaps) {
  cycle_.reset();
  bytes_ = 0;
  std::uint64_t next = 1;
  std::int64_t before = -1;
  Cursor rows(connection_, "SELECT id FROM commits WHERE id BETWEEN ? AND ? ORDER BY id");
  rows.Bind(FirstRow(context.number)).Bind(LastRow(context.number));
  while (true) {
    const Result<bool> found = rows.Step();
    ReportIfFailed(fmt::format("the commits of '{}'", context.name), found);
    if (!found || !*found) break;
    const RecordId id{.context = context.number, .commit = NumberOf(rows.Int(0))};
    if (std::int64_t{id.commit} <= std::exchange(before, id.commit)) {
      Report(fmt::format("the commits of '{}'", context.name), "they are out of order");
      break;
    }
    if (id.commit > next) {
      ReportMissing(context, Between(gaps, {static_cast<CommitNumber>(next), id.commit - 1}));
    }
    Advance(std::uint64_t{id.commit} + 1 - next);
    next = std::uint64_t{id.commit} + 1;
    CheckCommit(context, id);
  }
  if (bytes_ != context.bytes && problems_.empty()) {
    Report(fmt::format("context '{}'", context.name), "its records have another size than it says");
  }
}

void Verifier::ReportMissing(const StoredContext& context, const std::vector<CommitRange>& runs) {
  for (const CommitRange& run : runs) {
    StoreProblem problem{.what = fmt::format("commit {} of '{}'", run.first, context.name),
                         .message = MissingCommit({context.number, run.first}).message(),
                         .part = StoreProblem::Part::kMissing,
                         .context = context.number,
                         .commits = run};
    if (run.first != run.last) {
      problem.what = fmt::format("commits {} to {} of '{}'", run.first, run.last, context.name);
      problem.message = "they are missing";
    }
    Report(std::move(problem));
  }
}

// Each row by itself: one that is damaged says nothing of the next.
template <typename Read>
void Verifier::CheckRows(const std::string& what, Cursor& rows, const Read& read) {
  while (true) {
    const Result<bool> found = rows.Step();
    ReportIfFailed(what, found);
    if (!found || !*found) return;
    ReportIfFailed(what, read(rows));
  }
}

void Verifier::CheckJournal(const StoredContext& context, const std::string& what) {
  std::int64_t next = RowId(context.number, 1);
  Cursor rows(connection_, kJournalRows);
  rows.Bind(FirstRow(context.number)).Bind(LastRow(context.number));
  CheckRows(what, rows, [&next](const Cursor& row) {
    const Result<std::string> entry = ReadEntry(row, next);
    // What follows one that is missing is not missing too.
    next = std::max(next, row.Int(0)) + 1;
    return entry;
  });
}

void Verifier::CheckAnswers(const StoredContext& context, const std::string& what) {
  std::vector<std::string> keys;
  {
    Cursor rows(connection_, "SELECT idempotency_key FROM answers WHERE context = ?");
    rows.Bind(context.number);
    CheckRows(what, rows, [&keys](const Cursor& row) -> Status {
      keys.emplace_back(row.Text(0));
      return {};
    });
  }
  for (const std::string& key : keys) {
    ReportIfFailed(what, store_.FindAnswer(context.number, key));
  }
}

void Verifier::CheckNotes(const StoredContext& context) {
  const std::string what = fmt::format("context '{}'", context.name);
  {
    Cursor rows(connection_, kTagRows);
    CheckRows(what, rows.Bind(context.number),
              [&context](const Cursor& row) { return ReadTag(row, context.number); });
  }
  {
    Cursor rows(connection_, kAttemptRows);
    CheckRows(what, rows.Bind(context.number),
              [&context](const Cursor& row) { return ReadAttempt(row, context.number); });
  }
  CheckJournal(context, what);
  CheckAnswers(context, what);
}

void Verifier::CheckContext(const StoredContext& context) {
  const std::string what = fmt::format("context '{}'", context.name);
  const Result<std::vector<CommitRange>> gaps = store_.ListGaps(context.number);
  ReportIfFailed(what, gaps);
  CheckCommits(context, gaps.value_or(std::vector<CommitRange>()));
  CheckNotes(context);
  if (context.origin == RecordId{}) return;
  // What its own context lacks, or has damaged, is a problem of that one.
  const Result<std::string> origin = store_.ReadRecord(context.origin);
  if (origin || origin.error().code() == ErrorCode::kStoreCorrupt) return;
  if (origin.error().code() != ErrorCode::kSnapshotNotFound) return ReportIfFailed(what, origin);
  Report({.what = what,
          .message = "the commit it was forked from is missing",
          .context = context.origin.context,
          .commits = {context.origin.commit, context.origin.commit}});
}

// Rows of contexts that are not there.
void Verifier::CheckOrphans(const std::vector<std::int64_t>& contexts) {
  std::int64_t after = -1;
  while (true) {
    Cursor row(connection_, "SELECT id >> 32 FROM commits WHERE id > ? ORDER BY id LIMIT 1");
    const Result<bool> found = row.Bind(after).Step();
    ReportIfFailed("the commits", found);
    if (!found || !*found) return;
    const std::int64_t context = row.Int(0);
    if (!std::ranges::binary_search(contexts, context)) {
      Report(fmt::format("commits of context {}", context), "there is no such context");
    }
    const std::int64_t last = context << 32 | 0xffffffff;
    // A damaged page above gives a row that was not asked for, and would again.
    if (last <= after) return Report("the commits", "they are out of order");
    after = last;
  }
}

void Verifier::CheckContents() {
  Cursor rows(connection_, "SELECT hash FROM contents ORDER BY hash");
  std::optional<ContentHash256> before;
  while (true) {
    const Result<bool> found = rows.Step();
    ReportIfFailed("the contents", found);
    if (!found || !*found) return;
    ContentHash256 hash{};
    if (rows.Blob(0).size() != hash.size()) {
      Report("the contents", "a hash is cut");
      continue;
    }
    std::ranges::copy(rows.Blob(0), hash.begin());
    if (before && hash <= *before) return Report("the contents", "they are out of order");
    before = hash;
    if (const auto content = store_.ReadContent(hash); !content) {
      Report({.what = ContentName(hash),
              .message = content.error().message(),
              .part = StoreProblem::Part::kContent,
              .content = hash});
    }
    Advance();
  }
}

Result<std::vector<StoreProblem>> Verifier::Run() {
  if (progress_) progress_(0.0);
  CheckLog();
  PACTDB_TRY_STATUS(CheckPages());
  const std::vector<std::int64_t> numbers =
      ReadNumbers("SELECT number FROM contexts ORDER BY number", "the contexts");
  std::vector<StoredContext> contexts;
  for (const std::int64_t number : numbers) {
    // Cut it would be another one.
    if (!std::in_range<ContextNumber>(number)) {
      Report(fmt::format("context {}", number), "there is no such number");
      continue;
    }
    Result<StoredContext> context = store_.GetContext(static_cast<ContextNumber>(number));
    ReportIfFailed(fmt::format("context {}", number), context);
    if (!context) continue;
    total_ += context->head;
    contexts.push_back(*std::move(context));
  }
  const auto count = ReadNumbers("SELECT count(hash) FROM contents", "the contents");
  if (!count.empty()) total_ += static_cast<std::uint64_t>(count.front());
  for (const StoredContext& context : contexts) CheckContext(context);
  CheckOrphans(numbers);
  CheckContents();
  if (progress_) progress_(1.0);
  return std::move(problems_);
}

}  // namespace

Result<std::string> SqliteStore::ReadDamagedRecord(RecordId id) {
  Cursor row(*connection_, "SELECT record FROM commits WHERE id = ?");
  PACTDB_TRY(const bool found, row.Bind(RowId(id.context, id.commit)).Step());
  if (!found) return std::unexpected(WhyMissing(id));
  return std::string(row.Blob(0));
}

Result<std::vector<StoreProblem>> SqliteStore::Verify(const std::function<void(double)>& progress) {
  PACTDB_TRY(const ReadScope scope, ReadScope::Begin(*connection_));
  return Verifier(*this, *connection_, progress).Run();
}

}  // namespace pactdb::sqlite
