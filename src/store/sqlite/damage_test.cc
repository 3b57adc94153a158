// Damage is noticed where it is read, and Verify names what is broken.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pactdb/ext/store.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <utility>

#include "base/sha256.h"
#include "store/sqlite/checksum.h"
#include "store/sqlite/files.h"
#include "support/folder.h"
#include "support/store_requests.h"

namespace pactdb {
namespace {

using enum StoreAccess;
using support::AppendSample;
using support::Folder;
using support::kContent;
using support::MakeFull;
using support::MakeSample;
using support::OpenOrFail;
using support::SampleRecord;

void Execute(const std::string& path, const std::string& statement) {
  sqlite3* file = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &file), SQLITE_OK);
  char* message = nullptr;
  ASSERT_EQ(sqlite3_exec(file, statement.c_str(), nullptr, nullptr, &message), SQLITE_OK)
      << message;
  sqlite3_close(file);
}

struct Damage {
  const char* statement;
  const char* what;  // as Verify says
  const char* message;
};

TEST(SqliteDamage, VerifyNamesWhatWasChanged) {
  const Folder folder;
  const std::vector<Damage> damages = {
      {"UPDATE commits SET record = x'78' WHERE id = 4294967303", "commit 7 of 'main'",
       "commit 7 of context 1 does not match its checksum"},
      {"UPDATE commits SET cycle = 700 WHERE id = 4294967303", "commit 7 of 'main'",
       "commit 7 of context 1 does not match its checksum"},
      {"UPDATE commits SET committed_at_ns = NULL WHERE id = 4294967303", "commit 7 of 'main'",
       "commit 7 of context 1 does not match its checksum"},
      {"UPDATE commits SET nodes = 1 WHERE id = 4294967303", "commit 7 of 'main'",
       "commit 7 of context 1 does not match its checksum"},
      {"UPDATE commits SET tree_sha256 = zeroblob(32) WHERE id = 4294967303", "commit 7 of 'main'",
       "commit 7 of context 1 does not match its checksum"},
      {"UPDATE commits SET tree_sha256 = x'00' WHERE id = 4294967303", "commit 7 of 'main'",
       "commit 7 of context 1 does not match its checksum"},
      {"UPDATE commits SET bytes_total = 0 WHERE id = 4294967303", "commit 7 of 'main'",
       "commit 7 of context 1 does not match its checksum"},
      {"DELETE FROM commits WHERE id = 4294967303", "commit 7 of 'main'",
       "commit 7 of context 1 is missing"},
      {"DELETE FROM commits WHERE id = 4294967301", "commit 5 of 'main'",
       "commit 5 of context 1 is missing"},
      {"UPDATE commits SET id = 4294967403 WHERE id = 4294967306", "commits 10 to 106 of 'main'",
       "they are missing"},
      {"INSERT INTO commits SELECT id + (8 << 32), cycle, 0, 0, 0, 0, 0, x'', 0, 0, 0, 0, x'' "
       "FROM commits WHERE id = 4294967303",
       "commits of context 9", "there is no such context"},
      {"UPDATE contexts SET name = 'other' WHERE number = 1", "context 1",
       "the entry of a context does not match its checksum"},
      {"UPDATE contexts SET config = '{}' WHERE number = 2", "context 2",
       "the entry of a context does not match its checksum"},
      {"UPDATE contexts SET bytes_retired = 5 WHERE number = 1", "context 1",
       "the entry of a context does not match its checksum"},
      {"UPDATE gaps SET last = 3", "context 'main'",
       "the gaps of a context do not match their checksum"},
      {"UPDATE tags SET commit_number = 4", "context 'main'",
       "the tag 'tag' does not match its checksum"},
      {"UPDATE attempts SET json = '{ }'", "context 'main'",
       "the attempt 'attempt' does not match its checksum"},
      {"UPDATE journal SET entry = x'78' WHERE id = 4294967298", "context 'main'",
       "entry 2 of the journal does not match its checksum"},
      {"DELETE FROM journal WHERE id = 4294967297", "context 'main'",
       "entry 1 of the journal is missing"},
      {"INSERT INTO contents VALUES (x'00', 0, 0, x'')", "the contents", "a hash is cut"},
      {"UPDATE answers SET answer = 'x'", "context 'main'",
       "the answer to the commit with the idempotency key 'key' does not match its checksum"},
  };
  MakeFull(folder.path("good"));
  EXPECT_EQ(OpenOrFail(folder.path("good"), kRead)->Verify({})->size(), 0);
  for (const Damage& damage : damages) {
    std::filesystem::copy_file(folder.path("good"), folder.path("bad"));
    Execute(folder.path("bad"), damage.statement);
    const auto problems = OpenOrFail(folder.path("bad"), kRead)->Verify({});
    ASSERT_TRUE(problems.has_value());
    ASSERT_FALSE(problems->empty()) << damage.statement;
    EXPECT_EQ(problems->front().what, damage.what) << damage.statement;
    EXPECT_EQ(problems->front().message, damage.message) << damage.statement;
    std::filesystem::remove(folder.path("bad"));
  }
}

// A number as large as there are, found by a fuzzer: what is in the file is checked, not every
// number below.
TEST(SqliteDamage, VerifyOfARowFarFromTheOthersEnds) {
  const Folder folder;
  MakeSample(folder.path("a"), 3);
  Execute(folder.path("a"), "UPDATE commits SET id = 8589934591 WHERE id = 4294967299");
  std::vector<double> progress;
  const auto problems =
      OpenOrFail(folder.path("a"), kRead)->Verify([&](double done) { progress.push_back(done); });
  ASSERT_EQ(problems->size(), 2);
  EXPECT_EQ(problems->front().what, "commits 3 to 4294967294 of 'main'");
  EXPECT_EQ(problems->front().message, "they are missing");
  EXPECT_EQ(problems->back().what, "commit 4294967295 of 'main'");
  EXPECT_EQ(problems->back().message, "commit 4294967295 of context 1 does not match its checksum");
  EXPECT_TRUE(std::ranges::is_sorted(progress));
}

// Checksums that are right, over what cannot be.
TEST(SqliteDamage, VerifyNamesWhatDoesNotFitTogether) {
  const Folder folder;
  MakeSample(folder.path("a"), 3);
  {
    const auto store = OpenOrFail(folder.path("a"), kWrite);
    StoredContext context = store->GetContext(1).value();
    Execute(folder.path("a"),
            fmt::format("UPDATE contexts SET bytes_retired = 5, checksum = {} WHERE number = 1",
                        sqlite::ContextChecksum(context, 5)));
  }
  const auto sizes = OpenOrFail(folder.path("a"), kRead)->Verify({});
  ASSERT_EQ(sizes->size(), 1);
  EXPECT_EQ(sizes->front().what, "context 'main'");
  EXPECT_EQ(sizes->front().message, "its records have another size than it says");
  CommitFacts facts = support::SampleFacts(3);
  facts.cycle = 2;
  const auto total =
      static_cast<std::int64_t>((SampleRecord(1) + SampleRecord(2) + SampleRecord(3)).size());
  const std::int64_t record = sqlite::ChecksumOf(SampleRecord(3), 4294967299);
  Execute(folder.path("a"),
          fmt::format("UPDATE commits SET cycle = 2, checksum = {} WHERE id = 4294967299",
                      sqlite::FactsChecksum(1, facts, 0, total, record)));
  const auto cycles = OpenOrFail(folder.path("a"), kRead)->Verify({});
  ASSERT_FALSE(cycles->empty());
  EXPECT_EQ(cycles->front().what, "commit 3 of 'main'");
  EXPECT_EQ(cycles->front().message, "its cycle does not follow");
}

// Files may not become longer than this, for as long as it lives: a disk that is full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST(SqliteDamage, AFullTemporaryFolderIsNoDamage) {
  const Folder folder;
  MakeSample(folder.path("a"), 3);
  const auto store = OpenOrFail(folder.path("a"), kWrite);
  // So long that a copy of the file does not fit into memory that SQLite has for it.
  const std::string record(std::size_t{16} << 20, 'a');
  for (CommitNumber n = 4; n <= 5; ++n) {
    AppendRequest request;
    request.context = 1;
    request.expected_head = n - 1;
    request.facts = support::SampleFacts(n);
    request.record = record;
    ASSERT_TRUE(store->Append(request).has_value());
  }
  RetireRequest retire;
  retire.snapshots = {{1, {4, 4}}};
  retire.deleted = {{1, 4}};
  ASSERT_TRUE(store->Retire(retire).has_value());
  {
    const FullDisk full(1 << 20);
    const auto problems = store->Verify({});
    ASSERT_FALSE(problems.has_value());
    EXPECT_EQ(problems.error().code(), ErrorCode::kStoreIo);
    EXPECT_EQ(problems.error().message(),
              "the free pages are checked in a copy where temporary files go (TMPDIR), which could "
              "not be made: no room on the disk");
  }
  EXPECT_EQ(store->Verify({})->size(), 0);
}

// Whoever reads gaps counts on their order, with a checksum or without.
TEST(SqliteDamage, GapsThatCannotBeAreNotGiven) {
  using Gap = std::pair<std::int64_t, std::int64_t>;
  const std::vector<std::vector<Gap>> all = {
      {{0, 2}},                             // there is no commit 0
      {{3, 2}},                             // ends before it begins
      {{2, 4}, {3, 5}},                     // overlap
      {{2, 3}, {4, 5}},                     // touch
      {{2, 4294967296 + 3}},                // cut to 32 bits it would be one
      {{4294967296 + 2, 4294967296 + 3}}};  // likewise
  const Folder folder;
  for (const std::vector<Gap>& gaps : all) {
    MakeSample(folder.path("a"), 9);
    for (const auto& [first, last] : gaps) {
      const CommitRange cut{.first = static_cast<CommitNumber>(first),
                            .last = static_cast<CommitNumber>(last)};
      Execute(folder.path("a"), fmt::format("INSERT INTO gaps VALUES (1, {}, {}, {})", first, last,
                                            sqlite::GapChecksum(1, cut)));
    }
    const auto store = OpenOrFail(folder.path("a"), kRead);
    const auto listed = store->ListGaps(1);
    ASSERT_FALSE(listed.has_value()) << gaps.front().first << " " << gaps.front().second;
    EXPECT_EQ(listed.error(),
              Error(ErrorCode::kStoreCorrupt, "the gaps of a context cannot be").With("number", 1));
    EXPECT_FALSE(store->Verify({})->empty());
    std::filesystem::remove(folder.path("a"));
  }
}

// The checksum is that of `context` as it is cut when it is read.
void PutContext(const std::string& path, std::int64_t number, const StoredContext& context) {
  std::string hex;
  for (const char byte : context.name)
    hex += fmt::format("{:02x}", static_cast<std::uint8_t>(byte));
  Execute(path, fmt::format("INSERT OR REPLACE INTO contexts VALUES "
                            "({}, cast(x'{}' AS TEXT), 0, 0, 0, 0, 0, '{{}}', {})",
                            number, hex, sqlite::ContextChecksum(context, 0)));
}

TEST(SqliteDamage, ContextsThatCannotBeAreNotGiven) {
  const Folder folder;
  const std::int64_t wraps = 4294967296 + 1;
  for (const auto& [number, name] : {std::pair<std::int64_t, std::string>{wraps, "alias"},
                                     {0, "alias"},
                                     {-1, "alias"},
                                     {2147483648, "alias"},
                                     {2, "al\xff\xfe"}}) {
    MakeSample(folder.path("a"), 3);
    StoredContext context{.number = static_cast<ContextNumber>(number), .name = name};
    context.config = "{}";
    PutContext(folder.path("a"), number, context);
    const auto store = OpenOrFail(folder.path("a"), kWrite);
    for (const Error& error :
         {store->FindContext(name).error(), store->ListContexts().error(),
          store->DeleteContext(name).error(), store->RenameContext(name, "other").error()}) {
      EXPECT_EQ(error,
                Error(ErrorCode::kStoreCorrupt, "there is an entry of a context that cannot be")
                    .With("number", number));
    }
    EXPECT_EQ(store->GetContext(1)->head, 3);
    EXPECT_FALSE(store->Verify({})->empty());
    std::filesystem::remove(folder.path("a"));
  }
}

TEST(SqliteDamage, TheNewestCommitOfAContextIsInNoGap) {
  const Folder folder;
  for (const std::int64_t last : {std::int64_t{9}, std::int64_t{4294967295}}) {
    MakeSample(folder.path("a"), 9);
    const CommitRange gap{.first = 5, .last = static_cast<CommitNumber>(last)};
    Execute(folder.path("a"), fmt::format("INSERT INTO gaps VALUES (1, 5, {}, {})", last,
                                          sqlite::GapChecksum(1, gap)));
    const auto context = OpenOrFail(folder.path("a"), kRead)->GetContext(1);
    ASSERT_FALSE(context.has_value());
    EXPECT_EQ(context.error(),
              Error(ErrorCode::kStoreCorrupt, "the newest commit of a context is in a gap")
                  .With("number", 1));
    std::filesystem::remove(folder.path("a"));
  }
}

TEST(SqliteDamage, TagsThatCannotBeAreNotGiven) {
  const Folder folder;
  const Tag good{.name = "tag", .commit = 2, .context = 1};
  const Tag bad{.name = "\xff", .commit = 2, .context = 1};
  for (const auto& [values, name] :
       {std::pair(fmt::format("(1, 'tag', 4294967297, 2, {})", sqlite::TagChecksum(1, good)),
                  "tag"),
        std::pair(fmt::format("(1, 'tag', 1, 4294967298, {})", sqlite::TagChecksum(1, good)),
                  "tag"),
        std::pair(fmt::format("(1, cast(x'ff' AS TEXT), 1, 2, {})", sqlite::TagChecksum(1, bad)),
                  "\xef\xbf\xbd")}) {
    MakeSample(folder.path("a"), 3);
    Execute(folder.path("a"), "INSERT INTO tags VALUES " + values);
    const auto tags = OpenOrFail(folder.path("a"), kRead)->ListTags(1);
    ASSERT_FALSE(tags.has_value()) << values;
    EXPECT_EQ(tags.error(), Error(ErrorCode::kStoreCorrupt,
                                  fmt::format("the tag '{}' is one that cannot be", name))
                                .With("number", 1));
    std::filesystem::remove(folder.path("a"));
  }
}

TEST(SqliteDamage, VerifyTellsHowFarItIsEvery256Rows) {
  const Folder folder;
  const auto told = [&folder](CommitNumber commits) {
    MakeSample(folder.path(std::to_string(commits)), commits);
    std::vector<double> progress;
    EXPECT_TRUE(OpenOrFail(folder.path(std::to_string(commits)), kRead)
                    ->Verify([&](double done) { progress.push_back(done); })
                    ->empty());
    return progress;
  };
  EXPECT_EQ(told(255), (std::vector<double>{0.0, 1.0}));
  EXPECT_EQ(told(256), (std::vector<double>{0.0, 0.2 + 0.8 * 256.0 / 257.0, 1.0}));
}

TEST(SqliteDamage, VerifyEndsItsListWhenThereAreTooMany) {
  const Folder folder;
  MakeSample(folder.path("a"), 1200);
  Execute(folder.path("a"), "UPDATE commits SET record = x'78'");
  std::vector<double> progress;
  const auto problems =
      OpenOrFail(folder.path("a"), kRead)->Verify([&](double done) { progress.push_back(done); });
  ASSERT_EQ(problems->size(), 1001);
  EXPECT_EQ(problems->back().message, "there are more problems");
  EXPECT_GT(progress.size(), 4);
  EXPECT_TRUE(std::ranges::is_sorted(progress));
  EXPECT_EQ(progress.back(), 1.0);
}

TEST(SqliteDamage, NoListIsGivenWithoutWhatIsDamaged) {
  const Folder folder;
  MakeFull(folder.path("a"));
  Execute(folder.path("a"),
          "UPDATE contexts SET epoch = 9 WHERE number = 2;"
          "UPDATE gaps SET last = 3; DELETE FROM commits WHERE id = 4294967304;"
          "INSERT INTO contents VALUES (x'00', 0, 0, x'')");
  const auto store = OpenOrFail(folder.path("a"), kWrite);
  const auto is_corrupt = [](const auto& result) {
    return !result && result.error().code() == ErrorCode::kStoreCorrupt;
  };
  EXPECT_TRUE(is_corrupt(store->ListContexts()));
  EXPECT_TRUE(is_corrupt(store->GetContext(2)));
  EXPECT_TRUE(is_corrupt(store->FindContext("fork")));
  EXPECT_TRUE(is_corrupt(store->Stats()));
  EXPECT_TRUE(is_corrupt(store->ListGaps(1)));
  EXPECT_TRUE(is_corrupt(store->ReadRecord({1, 8})));
  EXPECT_TRUE(is_corrupt(store->ReadRecord({2, 1})));
  EXPECT_TRUE(is_corrupt(store->VisitFacts(1, {7, 9}, [](const CommitFacts&) { return true; })));
  EXPECT_TRUE(is_corrupt(store->RenameContext("fork", "other")));
  EXPECT_TRUE(is_corrupt(store->SetConfig(2, "{}")));
  const std::function<bool(const ContentHash256&)> keeps = [](const ContentHash256&) {
    return true;
  };
  EXPECT_TRUE(is_corrupt(store->Retire({.keeps_content = &keeps})));
}

TEST(SqliteDamage, AMissingRowIsNotPassedOver) {
  const Folder folder;
  MakeSample(folder.path("a"), 9);
  Execute(folder.path("a"), "DELETE FROM commits WHERE id = 4294967304");
  const auto store = OpenOrFail(folder.path("a"), kRead);
  std::vector<CommitNumber> visited;
  const Status status = store->VisitFacts(1, {7, 9}, [&](const CommitFacts& facts) {
    visited.push_back(facts.number);
    return true;
  });
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().message(), "commit 8 of context 1 is missing");
  EXPECT_EQ(store->FindCycle(1, 8).error(), status.error());
  EXPECT_EQ(store->ReadRecord({1, 8}).error(), status.error());
}

TEST(SqliteDamage, NumbersOfContextsDoNotRunOver) {
  const Folder folder;
  MakeSample(folder.path("a"), 1);
  Execute(folder.path("a"), "UPDATE sqlite_sequence SET seq = 2147483647");
  const auto store = OpenOrFail(folder.path("a"), kWrite);
  const auto made = store->CreateContext("next", {}, "{}");
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code(), ErrorCode::kLimitExceeded);
  EXPECT_EQ(store->ListContexts()->size(), 1);
}

TEST(SqliteDamage, NeverServesAChangedContent) {
  const Folder folder;
  const ContentHash256 hash = Sha256Of(kContent);
  for (const char* statement :
       {"UPDATE contents SET data = x'78'", "UPDATE contents SET size = size + 1",
        "UPDATE contents SET codec = 1 - codec", "UPDATE contents SET codec = 7",
        "DELETE FROM contents"}) {
    MakeFull(folder.path("a"));
    Execute(folder.path("a"), statement);
    const auto store = OpenOrFail(folder.path("a"), kRead);
    const auto content = store->ReadContent(hash);
    ASSERT_FALSE(content.has_value()) << statement;
    EXPECT_EQ(content.error().code(), ErrorCode::kStoreCorrupt);
    std::filesystem::remove(folder.path("a"));
  }
}

// Else what is acknowledged now could not be read back.
TEST(SqliteDamage, ACommitBringsAChangedContentAgain) {
  const StoredContent content{.hash = Sha256Of(kContent), .bytes = kContent};
  for (const char* statement :
       {"UPDATE contents SET data = x'78'", "UPDATE contents SET size = size + 1",
        "UPDATE contents SET codec = 7"}) {
    const Folder folder;
    MakeFull(folder.path("a"));
    Execute(folder.path("a"), statement);
    const auto store = OpenOrFail(folder.path("a"), kWrite);
    AppendRequest request;
    request.context = 1;
    request.expected_head = 10;
    request.facts = {.number = 11, .cycle = 11};
    request.contents = {&content, 1};
    ASSERT_TRUE(store->Append(request).has_value()) << statement;
    EXPECT_EQ(store->ReadContent(content.hash), std::string(kContent)) << statement;
  }
}

TEST(SqliteDamage, ReadingNamesContextAndCommit) {
  const Folder folder;
  MakeFull(folder.path("a"));
  Execute(folder.path("a"), "UPDATE commits SET record = x'78', nodes = 3 WHERE id = 4294967303");
  const auto store = OpenOrFail(folder.path("a"), kRead);
  const auto record = store->ReadRecord({1, 7});
  ASSERT_FALSE(record.has_value());
  EXPECT_EQ(record.error(),
            Error(ErrorCode::kStoreCorrupt, "commit 7 of context 1 does not match its checksum")
                .With("number", 1)
                .With("commit", 7));
  const Status facts = store->VisitFacts(1, {6, 8}, [](const CommitFacts&) { return true; });
  ASSERT_FALSE(facts.has_value());
  EXPECT_EQ(facts.error(), record.error());
  EXPECT_EQ(store->FindCycle(1, 7).error(), record.error());
  EXPECT_EQ(store->ReadRecord({1, 6}), SampleRecord(6));
}

TEST(SqliteDamage, ABackupIsWholeWhileTheWriterGoesOn) {
  const Folder folder;
  MakeFull(folder.path("a"));
  const auto writer = OpenOrFail(folder.path("a"), kWrite);
  const auto reader = OpenOrFail(folder.path("a"), kRead);
  CommitNumber next = 11;
  double last = 0;
  const auto progress = [&](double done) {
    EXPECT_GE(done, last);
    last = done;
    EXPECT_TRUE(AppendSample(*writer, 1, next++).has_value());
  };
  ASSERT_TRUE(reader->Backup(folder.path("b"), progress).has_value());
  EXPECT_EQ(last, 1.0);
  EXPECT_GT(next, 11);
  {
    const auto copy = OpenOrFail(folder.path("b"), kRead);
    EXPECT_EQ(copy->GetContext(1)->head, 10);
    EXPECT_EQ(copy->Verify({})->size(), 0);
  }
  ASSERT_TRUE(writer->Backup(folder.path("c"), {}).has_value());
  EXPECT_EQ(OpenOrFail(folder.path("c"), kWrite)->GetContext(1)->head, next - 1);
  const Status taken = writer->Backup(folder.path("b"), {});
  ASSERT_FALSE(taken.has_value());
  EXPECT_EQ(taken.error().code(), ErrorCode::kStoreIo);
  EXPECT_EQ(OpenOrFail(folder.path("b"), kRead)->GetContext(1)->head, 10);
  EXPECT_FALSE(std::filesystem::exists(sqlite::DraftOf(folder.path("b"))));
}

TEST(SqliteDamage, CompactingGivesSpaceBack) {
  const Folder folder;
  MakeSample(folder.path("a"), 2000);
  const auto store = OpenOrFail(folder.path("a"), kWrite);
  RetireRequest request;
  request.snapshots = {{1, {1, 1990}}};
  for (CommitNumber n = 1; n <= 1990; ++n) request.deleted.push_back({1, n});
  ASSERT_TRUE(store->Retire(request).has_value());
  EXPECT_GT(store->Stats()->free_bytes, 400'000);
  const std::uint64_t before = std::filesystem::file_size(folder.path("a"));
  ASSERT_TRUE(store->Compact().has_value());
  EXPECT_LT(std::filesystem::file_size(folder.path("a")), before - 400'000);
  EXPECT_EQ(std::filesystem::file_size(folder.path("a-wal")), 0);
  EXPECT_EQ(store->ReadRecord({1, 1991}), SampleRecord(1991));
}

}  // namespace
}  // namespace pactdb
