// Checking a file: everything that is wrong is listed, once, in the order of the file.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pactdb/ext/store.h>
#include <sqlite3.h>

#include <filesystem>

#include "base/sha256.h"
#include "store/sqlite/checksum.h"
#include "support/error_text.h"
#include "support/folder.h"
#include "support/store_requests.h"

namespace pactdb {
namespace {

using enum StoreAccess;
using support::AppendSample;
using support::ErrorText;
using support::Folder;
using support::kContent;
using support::MakeFull;
using support::MakeSample;
using support::OpenOrFail;
using Lines = std::vector<std::string>;

void Execute(const std::string& path, const std::string& statement) {
  sqlite3* file = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &file), SQLITE_OK);
  char* message = nullptr;
  ASSERT_EQ(sqlite3_exec(file, statement.c_str(), nullptr, nullptr, &message), SQLITE_OK)
      << message;
  sqlite3_close(file);
}

// "what: message" of every problem.
Lines ProblemsIn(const std::string& path) {
  const auto problems = OpenOrFail(path, kRead)->Verify({});
  Lines lines;
  for (const StoreProblem& problem : problems.value())
    lines.push_back(problem.what + ": " + problem.message);
  return lines;
}

// A row is context << 32 | number.
std::string Row(std::int64_t context, std::int64_t number) {
  return std::to_string(context << 32 | number);
}

TEST(SqliteVerify, ListsAllThatIsWrong) {
  const Folder folder;
  MakeFull(folder.path("a"));
  EXPECT_EQ(ProblemsIn(folder.path("a")), Lines());
  Execute(folder.path("a"), "UPDATE commits SET record = x'78' WHERE id = " + Row(1, 3) +
                                ";UPDATE commits SET nodes = 77 WHERE id = " + Row(1, 4) +
                                ";DELETE FROM commits WHERE id IN (" + Row(1, 5) + "," + Row(1, 7) +
                                "," + Row(1, 8) +
                                ");UPDATE tags SET commit_number = 4"
                                ";UPDATE attempts SET n = 5"
                                ";UPDATE answers SET number = 4"
                                ";UPDATE contents SET data = x'78'");
  const std::string content = "content " + ToHex(Sha256Of(kContent));
  EXPECT_EQ(ProblemsIn(folder.path("a")),
            (Lines{"commit 3 of 'main': commit 3 of context 1 does not match its checksum",
                   "commit 4 of 'main': commit 4 of context 1 does not match its checksum",
                   "commit 5 of 'main': commit 5 of context 1 is missing",
                   "commits 7 to 8 of 'main': they are missing",
                   "context 'main': the tag 'tag' does not match its checksum",
                   "context 'main': the attempt 'attempt' does not match its checksum",
                   "context 'main': the answer to the commit with the idempotency key 'key' does "
                   "not match its checksum",
                   content + ": " + content + " has other bytes than its hash says"}));
}

// One that is damaged says nothing of the next, and a name that is damaged is shown as it is.
TEST(SqliteVerify, NamesEveryNoteThatIsDamaged) {
  const Folder folder;
  MakeFull(folder.path("a"));
  {
    const auto store = OpenOrFail(folder.path("a"), kWrite);
    for (const char* name : {"a", "b", "c"})
      ASSERT_TRUE(store->SetTag(1, {.name = name, .commit = 4, .context = 1}).has_value());
    const std::vector<std::string> entries = {"three", "four", "five"};
    ASSERT_TRUE(store->AppendJournal(1, entries).has_value());
  }
  Execute(folder.path("a"),
          "UPDATE tags SET commit_number = 5 WHERE name IN ('a', 'c')"
          ";UPDATE tags SET name = CAST(x'74ff' AS TEXT) WHERE name = 'tag'"
          ";UPDATE journal SET entry = x'78' WHERE id = " +
              Row(1, 2) + ";DELETE FROM journal WHERE id = " + Row(1, 4));
  EXPECT_EQ(ProblemsIn(folder.path("a")),
            (Lines{"context 'main': the tag 'a' does not match its checksum",
                   "context 'main': the tag 'c' does not match its checksum",
                   "context 'main': the tag 't\xef\xbf\xbd' does not match its checksum",
                   "context 'main': entry 2 of the journal does not match its checksum",
                   "context 'main': entry 4 of the journal is missing"}));
}

// The damage is its own context's, which says so.
TEST(SqliteVerify, AForkOfADamagedCommitIsNotOneOfAMissingCommit) {
  const Folder folder;
  MakeFull(folder.path("a"));
  Execute(folder.path("a"), "UPDATE commits SET record = x'78' WHERE id = " + Row(1, 5));
  const auto problems = OpenOrFail(folder.path("a"), kRead)->Verify({});
  ASSERT_EQ(problems->size(), 1u);
  const StoreProblem& problem = problems->front();
  EXPECT_EQ(problem.what, "commit 5 of 'main'");
  EXPECT_EQ(problem.part, StoreProblem::Part::kRecord);
  EXPECT_EQ(problem.context, 1u);
  EXPECT_EQ(problem.commits.first, 5u);
  EXPECT_EQ(problem.commits.last, 5u);
  EXPECT_EQ(problem.cycle, 5);
  EXPECT_EQ(OpenOrFail(folder.path("a"), kRead)->ReadDamagedRecord({1, 5}), "x");
}

TEST(SqliteVerify, AForkOfACommitThatIsNotThereIsTold) {
  const Folder folder;
  MakeSample(folder.path("a"), 5);
  ASSERT_TRUE(OpenOrFail(folder.path("a"), kWrite)->CreateContext("fork", {1, 5}, "{}"));
  Execute(folder.path("a"), "DELETE FROM commits WHERE id = " + Row(1, 5));
  EXPECT_EQ(ProblemsIn(folder.path("a")),
            (Lines{"context 'fork': the commit it was forked from is missing"}));
}

// Only what is in no gap is missing.
TEST(SqliteVerify, ARowInAGapMayBeGone) {
  const Folder folder;
  MakeSample(folder.path("a"), 12);
  {
    const auto store = OpenOrFail(folder.path("a"), kWrite);
    RetireRequest request;
    request.snapshots = {{1, {1, 1}}, {1, {4, 6}}, {1, {9, 9}}};
    request.deleted = {{1, 1}, {1, 5}, {1, 6}};
    ASSERT_TRUE(store->Retire(request).has_value());
  }
  EXPECT_EQ(ProblemsIn(folder.path("a")), Lines());
  Execute(folder.path("a"),
          "DELETE FROM commits WHERE id BETWEEN " + Row(1, 2) + " AND " + Row(1, 10));
  EXPECT_EQ(ProblemsIn(folder.path("a")),
            (Lines{"commits 2 to 3 of 'main': they are missing",
                   "commits 7 to 8 of 'main': they are missing",
                   "commit 10 of 'main': commit 10 of context 1 is missing"}));
}

TEST(SqliteVerify, NamesEachContextThatIsNotThereOnce) {
  const Folder folder;
  MakeSample(folder.path("a"), 3);
  for (const std::int64_t context : {5, 9}) {
    Execute(
        folder.path("a"),
        fmt::format("INSERT INTO commits SELECT id + ({} << 32), cycle, committed_at_ns, added, "
                    "removed, changed, nodes, tree_sha256, epoch, bytes_total, "
                    "record_checksum, checksum, record FROM commits WHERE id < (2 << 32)",
                    context - 1));
  }
  EXPECT_EQ(ProblemsIn(folder.path("a")),
            (Lines{"commits of context 5: there is no such context",
                   "commits of context 9: there is no such context"}));
}

TEST(SqliteVerify, NamesNumbersThatNoContextHas) {
  const Folder folder;
  MakeSample(folder.path("a"), 1);
  StoredContext cut{.number = 1, .name = "alias"};
  cut.config = "{}";
  Execute(
      folder.path("a"),
      fmt::format("INSERT INTO contexts VALUES (4294967297, 'alias', 0, 0, 0, 0, 0, '{{}}', {})",
                  sqlite::ContextChecksum(cut, 0)));
  EXPECT_EQ(ProblemsIn(folder.path("a")), Lines{"context 4294967297: there is no such number"});
}

TEST(SqliteVerify, TellsOfAThousandProblemsAndThatThereAreMore) {
  const Folder folder;
  MakeSample(folder.path("a"), 1001);
  Execute(folder.path("a"), "UPDATE commits SET record = x'78' WHERE id <= " + Row(1, 1000));
  Lines problems = ProblemsIn(folder.path("a"));
  ASSERT_EQ(problems.size(), 1000);
  EXPECT_EQ(problems.back(),
            "commit 1000 of 'main': commit 1000 of context 1 does not match its checksum");
  Execute(folder.path("a"), "UPDATE commits SET record = x'78'");
  problems = ProblemsIn(folder.path("a"));
  ASSERT_EQ(problems.size(), 1001);
  EXPECT_EQ(problems.back(), "the file: there are more problems");
}

// Pages are a fifth of the work; then every 256 commits and contents are told of.
TEST(SqliteVerify, TellsHowFarItIs) {
  const Folder folder;
  MakeSample(folder.path("a"), 511);
  {
    const auto store = OpenOrFail(folder.path("a"), kWrite);
    ASSERT_TRUE(store->CreateContext("other", {}, "{}").has_value());
    const std::vector<std::string> texts = {"one", "two"};
    const std::vector<StoredContent> contents = {{Sha256Of(texts[0]), texts[0]},
                                                 {Sha256Of(texts[1]), texts[1]}};
    AppendRequest request;
    request.context = 2;
    request.facts = support::SampleFacts(1);
    request.record = "x";
    request.contents = contents;
    ASSERT_TRUE(store->Append(request).has_value());
  }
  std::vector<double> told;
  const auto store = OpenOrFail(folder.path("a"), kRead);
  EXPECT_EQ(store->Verify([&](double done) { told.push_back(done); })->size(), 0);
  const double total = 1 + 511 + 1 + 2;
  EXPECT_EQ(told,
            (std::vector<double>{0.0, 0.2 + 0.8 * 256 / total, 0.2 + 0.8 * 512 / total, 1.0}));
}

// What a file says of where a context comes from, cut when it is read, would be another place.
TEST(SqliteContexts, OriginsThatCannotBeAreNotGiven) {
  const Folder folder;
  const std::string refused =
      "E_STORE_CORRUPT: there is an entry of a context that cannot be {number=2}";
  struct Case {
    std::int64_t context;
    std::int64_t commit;
    bool is_possible;
  };
  for (const auto& [context, commit, is_possible] :
       {Case{1, 2, true}, Case{0, 0, true}, Case{2147483647, 4294967295, true}, Case{-1, 1, false},
        Case{2147483648, 1, false}, Case{4294967297, 1, false}, Case{1, -1, false},
        Case{1, 4294967296, false}}) {
    MakeSample(folder.path("a"), 3);
    StoredContext stored{.number = 2, .name = "fork"};
    stored.origin = {static_cast<ContextNumber>(context), static_cast<CommitNumber>(commit)};
    stored.config = "{}";
    Execute(folder.path("a"),
            fmt::format("INSERT INTO contexts VALUES (2, 'fork', {}, {}, 0, 0, 0, '{{}}', {})",
                        context, commit, sqlite::ContextChecksum(stored, 0)));
    const auto store = OpenOrFail(folder.path("a"), kRead);
    const auto found = store->GetContext(2);
    EXPECT_EQ(ErrorText(found), is_possible ? "ok" : refused) << context << " " << commit;
    if (found) {
      EXPECT_EQ(found->origin, stored.origin);
    }
    std::filesystem::remove(folder.path("a"));
  }
}

TEST(SqliteContexts, TheLastNumberIsGiven) {
  const Folder folder;
  MakeSample(folder.path("a"), 1);
  Execute(folder.path("a"), "UPDATE sqlite_sequence SET seq = 2147483646");
  const auto store = OpenOrFail(folder.path("a"), kWrite);
  EXPECT_EQ(store->CreateContext("last", {}, "{}")->number, 2147483647);
  EXPECT_EQ(ErrorText(store->CreateContext("over", {}, "{}")),
            "E_LIMIT_EXCEEDED: the file had too many contexts");
  EXPECT_EQ(store->FindContext("over").value(), std::nullopt);
  ASSERT_TRUE(AppendSample(*store, 2147483647, 1).has_value());
  EXPECT_EQ(store->FindContext("last").value()->head, 1);
  EXPECT_EQ(store->Verify({})->size(), 0);
}

// A gap that ends just before the newest commit is one; one that reaches it cannot be.
TEST(SqliteContexts, TheNewestCommitMayFollowAGap) {
  const Folder folder;
  for (const CommitNumber last : {8, 9}) {
    MakeSample(folder.path("a"), 9);
    Execute(folder.path("a"), fmt::format("INSERT INTO gaps VALUES (1, 5, {}, {})", last,
                                          sqlite::GapChecksum(1, {5, last})));
    EXPECT_EQ(ErrorText(OpenOrFail(folder.path("a"), kRead)->GetContext(1)),
              last == 8 ? "ok"
                        : "E_STORE_CORRUPT: the newest commit of a context is in a gap {number=1}");
    std::filesystem::remove(folder.path("a"));
  }
}

TEST(SqliteStats, CountsBytesOfFileLogAndFreePages) {
  const Folder folder;
  MakeSample(folder.path("a"), 300);
  const auto store = OpenOrFail(folder.path("a"), kWrite);
  const std::string text(10'000, 'x');
  const StoredContent content{.hash = Sha256Of(text), .bytes = text};
  AppendRequest request;
  request.context = 1;
  request.expected_head = 300;
  request.facts = support::SampleFacts(301);
  request.record = "x";
  request.contents = {&content, 1};
  ASSERT_TRUE(store->Append(request).has_value());
  StoreStats stats = store->Stats().value();
  EXPECT_EQ(stats.path, std::filesystem::canonical(folder.path("a")).string());
  EXPECT_EQ(stats.file_bytes, std::filesystem::file_size(folder.path("a")) +
                                  std::filesystem::file_size(folder.path("a-wal")));
  EXPECT_EQ(stats.free_bytes, 0);
  EXPECT_EQ(stats.contexts, 1);
  EXPECT_EQ(stats.commits, 301);
  EXPECT_EQ(stats.contents, 1);
  EXPECT_EQ(stats.content_bytes, 10'000);
  EXPECT_LT(stats.content_stored_bytes, 1000);
  EXPECT_GT(stats.content_stored_bytes, 0);
  RetireRequest retire;
  retire.snapshots = {{1, {1, 300}}};
  for (CommitNumber n = 1; n <= 300; ++n) retire.deleted.push_back({1, n});
  ASSERT_TRUE(store->Retire(retire).has_value());
  stats = store->Stats().value();
  EXPECT_EQ(stats.commits, 1);
  EXPECT_GT(stats.free_bytes, 0);
  EXPECT_EQ(stats.free_bytes % 4096, 0);
  EXPECT_LT(stats.free_bytes, std::filesystem::file_size(folder.path("a")) +
                                  std::filesystem::file_size(folder.path("a-wal")));
}

}  // namespace
}  // namespace pactdb
