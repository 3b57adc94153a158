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
  void Report(std::string what, std::string message);
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
  void ReportMissing(const StoredContext& context, const std::vector<CommitRange>& runs);
  void CheckNotes(const StoredContext& context);
  void CheckOrphans(const std::vector<std::int64_t>& contexts);
  void CheckContents();

  SqliteStore& store_;
  Connection& connection_;
  const std::function<void(double)>& progress_;
  std::vector<StoreProblem> problems_;
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 1;
};

void Verifier::Report(std::string what, std::string message) {
  if (problems_.size() == kProblemsMax) {
    problems_.push_back({.what = "the file", .message = "there are more problems"});
  } else if (problems_.size() < kProblemsMax) {
    problems_.push_back({.what = std::move(what), .message = std::move(message)});
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

// Row by row, not number by number: a damaged file may say a number that is far from all others.
void Verifier::CheckCommits(const StoredContext& context, const std::vector<CommitRange>& gaps) {
  std::optional<std::int64_t> cycle;
  std::uint64_t bytes = 0;
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
    const std::string what = fmt::format("commit {} of '{}'", id.commit, context.name);
    const Result<std::string> record = store_.ReadRecord(id);
    ReportIfFailed(what, record);
    if (!record) continue;
    bytes += record->size();
    const auto facts = ReadFacts(connection_, id.context, {id.commit, id.commit});
    ReportIfFailed(what, facts);
    if (!facts) continue;
    if (cycle && facts->front().cycle <= *cycle) Report(what, "its cycle does not follow");
    cycle = facts->front().cycle;
  }
  if (bytes != context.bytes && problems_.empty()) {
    Report(fmt::format("context '{}'", context.name), "its records have another size than it says");
  }
}

void Verifier::ReportMissing(const StoredContext& context, const std::vector<CommitRange>& runs) {
  for (const CommitRange& run : runs) {
    if (run.first == run.last) {
      Report(fmt::format("commit {} of '{}'", run.first, context.name),
             MissingCommit({.context = context.number, .commit = run.first}).message());
    } else {
      Report(fmt::format("commits {} to {} of '{}'", run.first, run.last, context.name),
             "they are missing");
    }
  }
}

void Verifier::CheckNotes(const StoredContext& context) {
  const std::string what = fmt::format("context '{}'", context.name);
  ReportIfFailed(what, store_.ListTags(context.number));
  ReportIfFailed(what, store_.ListAttempts(context.number));
  ReportIfFailed(what, store_.ReadJournal(context.number));
  std::vector<std::string> keys;
  {
    Cursor rows(connection_, "SELECT idempotency_key FROM answers WHERE context = ?");
    rows.Bind(context.number);
    while (true) {
      const Result<bool> found = rows.Step();
      ReportIfFailed(what, found);
      if (!found || !*found) break;
      keys.emplace_back(rows.Text(0));
    }
  }
  for (const std::string& key : keys) {
    ReportIfFailed(what, store_.FindAnswer(context.number, key));
  }
}

void Verifier::CheckContext(const StoredContext& context) {
  const std::string what = fmt::format("context '{}'", context.name);
  const Result<std::vector<CommitRange>> gaps = store_.ListGaps(context.number);
  ReportIfFailed(what, gaps);
  CheckCommits(context, gaps.value_or(std::vector<CommitRange>()));
  CheckNotes(context);
  if (context.origin == RecordId{}) return;
  if (!store_.ReadRecord(context.origin)) Report(what, "the commit it was forked from is missing");
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
    ReportIfFailed(ContentName(hash), store_.ReadContent(hash));
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

Result<std::vector<StoreProblem>> SqliteStore::Verify(const std::function<void(double)>& progress) {
  PACTDB_TRY(const ReadScope scope, ReadScope::Begin(*connection_));
  return Verifier(*this, *connection_, progress).Run();
}

}  // namespace pactdb::sqlite
