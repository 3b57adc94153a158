// Of a damaged file every row that is whole is salvaged, none that is not, and none that was
// deleted; what is lost is named.
#include "store/sqlite/salvage.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>

#include "base/sha256.h"
#include "store/sqlite/checksum.h"
#include "support/folder.h"
#include "support/store_requests.h"

namespace pactdb::sqlite {
namespace {

using enum StoreAccess;
using support::AppendSample;
using support::Folder;
using support::MakeSample;
using support::OpenOrFail;
using support::ReadFile;
using support::WriteFile;

constexpr std::int64_t kMain = std::int64_t{1} << 32;  // before the rows of context 1

void Execute(const std::string& path, const std::string& statement) {
  sqlite3* file = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &file), SQLITE_OK);
  char* message = nullptr;
  ASSERT_EQ(sqlite3_exec(file, statement.c_str(), nullptr, nullptr, &message), SQLITE_OK)
      << message;
  sqlite3_close(file);
}

// The rows of commits that are in the draft.
std::set<RecordId> RecordsIn(const std::string& path) {
  std::set<RecordId> records;
  sqlite3* file = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &file), SQLITE_OK);
  const auto note = [](void* to, int, char** values, char**) {
    const std::int64_t id = std::stoll(values[0]);
    static_cast<std::set<RecordId>*>(to)->insert(
        {static_cast<ContextNumber>(id >> 32), static_cast<CommitNumber>(id)});
    return 0;
  };
  EXPECT_EQ(sqlite3_exec(file, "SELECT id FROM commits", note, &records, nullptr), SQLITE_OK);
  sqlite3_close(file);
  return records;
}

std::set<RecordId> RecordsUpTo(CommitNumber last, const std::set<CommitNumber>& without = {}) {
  std::set<RecordId> records;
  for (CommitNumber n = 1; n <= last; ++n) {
    if (!without.contains(n)) records.insert({1, n});
  }
  return records;
}

class SqliteSalvage : public testing::Test {
 protected:
  std::string from() const { return folder_.path("from"); }
  std::string to() const { return folder_.path("to"); }
  std::string draft() const { return DraftOf(to()); }

  // Once more, if need be: a draft is the caller's to remove.
  Result<Salvaged> Salvage(const std::function<void(double)>& progress = {}) const {
    RemoveDraft(to());
    return SalvageRows(from(), to(), progress);
  }

  // What `statement` does to a file of six commits.
  Salvaged SalvageAfter(const std::string& statement) const {
    std::filesystem::remove(from());
    MakeSample(from(), 6);
    Execute(from(), statement);
    const auto salvaged = Salvage();
    EXPECT_TRUE(salvaged.has_value()) << salvaged.error().message();
    return salvaged.value_or(Salvaged());
  }

  Folder folder_;
};

TEST_F(SqliteSalvage, TakesFactsAndRecordsApart) {
  for (const char* change : {"tree_sha256 = x'00'", "tree_sha256 = zeroblob(32)", "nodes = 99",
                             "checksum = 0", "committed_at_ns = NULL"}) {
    const Salvaged salvaged = SalvageAfter("UPDATE commits SET " + std::string(change) +
                                           " WHERE id = " + std::to_string(kMain + 3));
    EXPECT_EQ(salvaged.without_facts, (std::set<RecordId>{{1, 3}})) << change;
    EXPECT_TRUE(salvaged.damaged.empty()) << change;
    EXPECT_EQ(RecordsIn(draft()), RecordsUpTo(6)) << change;
  }
  const Salvaged salvaged =
      SalvageAfter("UPDATE commits SET record = x'00' WHERE id = " + std::to_string(kMain + 3));
  EXPECT_TRUE(salvaged.without_facts.empty());
  EXPECT_EQ(salvaged.damaged, (std::set<RecordId>{{1, 3}}));
  EXPECT_EQ(RecordsIn(draft()), RecordsUpTo(6, {3}));
}

TEST_F(SqliteSalvage, BelievesNoNumberThatNothingVouchesFor) {
  for (const std::int64_t id :
       {kMain + 1000, kMain, std::int64_t{5}, (std::int64_t{1} << 62) + 1, std::int64_t{-1}}) {
    const Salvaged salvaged =
        SalvageAfter("INSERT INTO commits SELECT " + std::to_string(id) +
                     ", 7, 0, 0, 0, 0, 0, x'00', 0, 0, 0, 0, x'00' FROM commits LIMIT 1");
    ASSERT_EQ(salvaged.contexts.size(), 1) << id;
    EXPECT_EQ(salvaged.contexts[0].head, 6) << id;
    EXPECT_EQ(RecordsIn(draft()), RecordsUpTo(6)) << id;
  }
  // The next number may be a commit that was just made.
  const Salvaged salvaged = SalvageAfter(
      "INSERT INTO commits SELECT id + 1, 7, 0, 0, 0, 0, 0, x'00', 0, 0, 0, 0, x'00' "
      "FROM commits ORDER BY id DESC LIMIT 1");
  EXPECT_EQ(salvaged.contexts[0].head, 7);
  EXPECT_EQ(salvaged.damaged, (std::set<RecordId>{{1, 7}}));
}

TEST_F(SqliteSalvage, GivesAContextWithoutAnEntryANameThatIsFree) {
  MakeSample(from(), 6);
  {
    const auto store = OpenOrFail(from(), kWrite);
    ASSERT_TRUE(store->CreateContext("recovered-1", {}, "{}").has_value());
  }
  Execute(from(), "DELETE FROM contexts WHERE number = 1");
  const auto salvaged = Salvage();
  ASSERT_TRUE(salvaged.has_value());
  EXPECT_EQ(salvaged->unknown, std::set<ContextNumber>{1});
  ASSERT_EQ(salvaged->contexts.size(), 2);
  EXPECT_EQ(salvaged->contexts[0].name, "recovered-1-");
  EXPECT_EQ(salvaged->contexts[0].head, 6);
}

TEST_F(SqliteSalvage, LeavesContentsThatAreNotWhatTheirHashSays) {
  const std::string text = "a content";
  MakeSample(from(), 1);
  {
    const auto store = OpenOrFail(from(), kWrite);
    const StoredContent content{.hash = Sha256Of(text), .bytes = text};
    AppendRequest request;
    request.context = 1;
    request.expected_head = 1;
    request.facts = support::SampleFacts(2);
    request.facts.committed_at_ns = std::nullopt;
    request.record = "record";
    request.contents = {&content, 1};
    ASSERT_TRUE(store->Append(request).has_value());
  }
  const std::string whole = ReadFile(from());
  for (const char* statement :
       {"UPDATE contents SET codec = 7", "UPDATE contents SET size = 3",
        "UPDATE contents SET data = x'00'", "UPDATE contents SET hash = x'00'"}) {
    WriteFile(from(), whole);
    Execute(from(), statement);
    ASSERT_TRUE(Salvage().has_value()) << statement;
    const auto store = OpenOrFail(draft(), kRead);
    EXPECT_EQ(store->Stats()->contents, 0) << statement;
    EXPECT_EQ(RecordsIn(draft()), RecordsUpTo(2)) << statement;
  }
}

// Free pages keep rows: they must not come back.
TEST_F(SqliteSalvage, DeletedRowsStayDeleted) {
  std::vector<double> progress;
  MakeSample(from(), 1);
  {
    const auto store = OpenOrFail(from(), kWrite);
    RetireRequest retire;
    retire.snapshots = {{1, {2, 70}}};
    for (CommitNumber n = 2; n <= 150; ++n) {
      AppendRequest request;
      const std::string record(20'000, static_cast<char>('a' + n % 26));
      request.context = 1;
      request.expected_head = n - 1;
      request.facts = support::SampleFacts(n);
      request.record = record;
      request.durability = Durability::kRelaxed;
      ASSERT_TRUE(store->Append(request).has_value());
      if (n <= 70) retire.deleted.push_back({1, n});
    }
    ASSERT_TRUE(store->Retire(retire).has_value());
    EXPECT_GT(store->Stats()->free_bytes, 100 * 4096);
  }
  std::set<RecordId> left = {{1, 1}};
  for (CommitNumber n = 71; n <= 150; ++n) left.insert({1, n});
  // Something is damaged, so every page is looked at.
  Execute(from(), "UPDATE commits SET checksum = 0 WHERE id = " + std::to_string(kMain + 1));
  std::string bytes = ReadFile(from());
  for (const bool is_circle : {false, true}) {
    if (is_circle) {
      // The first page of the list is followed by itself.
      const auto first = static_cast<std::size_t>(static_cast<unsigned char>(bytes[34])) << 8 |
                         static_cast<unsigned char>(bytes[35]);
      bytes.replace((first - 1) * 4096, 4, bytes.substr(32, 4));
    }
    WriteFile(from(), bytes);
    const auto salvaged = Salvage([&](double done) { progress.push_back(done); });
    ASSERT_TRUE(salvaged.has_value());
    EXPECT_EQ(RecordsIn(draft()), left);
    EXPECT_TRUE(salvaged->damaged.empty());
  }
  EXPECT_GT(progress.size(), 2);
}

// Half by way of the tables, half page by page; of a whole file no page is looked at.
TEST_F(SqliteSalvage, TellsHowFarItIs) {
  std::vector<double> progress;
  const auto note = [&progress](double done) { progress.push_back(done); };
  MakeSample(from(), 6);
  ASSERT_TRUE(Salvage(note).has_value());
  EXPECT_EQ(progress, std::vector<double>{0.5});
  progress.clear();
  {
    const auto store = OpenOrFail(from(), kWrite);
    const std::string record(2'500'000, 'x');
    AppendRequest request;
    request.context = 1;
    request.expected_head = 6;
    request.facts = support::SampleFacts(7);
    request.record = record;
    ASSERT_TRUE(store->Append(request).has_value());
  }
  Execute(from(), "UPDATE commits SET checksum = 0 WHERE id = " + std::to_string(kMain + 1));
  const auto pages = static_cast<double>(std::filesystem::file_size(from())) / 4096;
  ASSERT_GT(pages, 512);
  ASSERT_LT(pages, 768);
  ASSERT_TRUE(Salvage(note).has_value());
  EXPECT_EQ(progress, (std::vector<double>{0.5, 0.5 + 128 / pages, 0.5 + 256 / pages}));
}

TEST_F(SqliteSalvage, GivesAContextWithoutAnEntryTheNameThatTheIndexHas) {
  const Salvaged salvaged = SalvageAfter("UPDATE contexts SET checksum = 0");
  EXPECT_EQ(salvaged.unknown, std::set<ContextNumber>{1});
  ASSERT_EQ(salvaged.contexts.size(), 1);
  EXPECT_EQ(salvaged.contexts[0].name, "main");
  EXPECT_EQ(salvaged.contexts[0].number, 1);
  EXPECT_EQ(salvaged.contexts[0].head, 6);
  EXPECT_EQ(RecordsIn(draft()), RecordsUpTo(6));
}

// What reading would refuse is not brought into the new file, checksum or not.
TEST_F(SqliteSalvage, LeavesWhatCannotBe) {
  StoredContext alias{.number = 1, .name = "alias"};
  alias.config = "{}";
  StoredContext bytes{.number = 7, .name = "\xff"};
  bytes.config = "{}";
  const Tag tag{.name = "\xff", .commit = 2, .context = 1};
  const auto gap = [](std::int64_t first, std::int64_t last) {
    const CommitRange cut{static_cast<CommitNumber>(first), static_cast<CommitNumber>(last)};
    return fmt::format("INSERT INTO gaps VALUES (1, {}, {}, {});", first, last,
                       GapChecksum(1, cut));
  };
  const Salvaged salvaged = SalvageAfter(
      gap(2, 3) + gap(3, 5) + gap(4, 4) + gap(4294967296 + 2, 4294967296 + 3) +
      fmt::format("INSERT INTO contexts VALUES (4294967297, 'alias', 0, 0, 0, 0, 0, '{{}}', {});"
                  "INSERT INTO contexts VALUES (7, cast(x'ff' AS TEXT), 0, 0, 0, 0, 0, '{{}}', {});"
                  "INSERT INTO tags VALUES (1, cast(x'ff' AS TEXT), 1, 2, {})",
                  ContextChecksum(alias, 0), ContextChecksum(bytes, 0), TagChecksum(1, tag)));
  ASSERT_EQ(salvaged.contexts.size(), 1);
  EXPECT_EQ(salvaged.contexts[0].name, "main");
  const auto store = OpenOrFail(draft(), kRead);
  ASSERT_EQ(store->ListGaps(1)->size(), 1);
  EXPECT_EQ(store->ListGaps(1)->front().first, 2);
  EXPECT_EQ(store->ListGaps(1)->front().last, 3);
  EXPECT_TRUE(store->ListTags(1)->empty());
}

// --- the log ---

// The log of a writer that was killed after it appended 7 and 8.
std::pair<std::string, std::string> KilledWriter(const std::string& path) {
  const auto store = OpenOrFail(path, kWrite);
  EXPECT_TRUE(AppendSample(*store, 1, 7).has_value());
  EXPECT_TRUE(AppendSample(*store, 1, 8).has_value());
  return {ReadFile(path), ReadFile(path + "-wal")};
}

TEST_F(SqliteSalvage, BringsInWhatTheLogHas) {
  MakeSample(folder_.path("a"), 6);
  const auto [file, log] = KilledWriter(folder_.path("a"));
  WriteFile(from(), file);
  WriteFile(from() + "-wal", log);
  const auto salvaged = Salvage();
  ASSERT_TRUE(salvaged.has_value());
  EXPECT_TRUE(salvaged->losses.empty());
  EXPECT_EQ(RecordsIn(draft()), RecordsUpTo(8));
}

// What lies behind a break was not synced, if that is said, and may be older than what was written
// over the pages since.
TEST_F(SqliteSalvage, TakesNothingFromBehindABreakInALogThatWasNotSynced) {
  MakeSample(folder_.path("a"), 1);
  std::string file;
  std::string log;
  {
    const auto store = OpenOrFail(folder_.path("a"), kWrite);
    for (CommitNumber n = 2; n <= 12; ++n)
      ASSERT_TRUE(AppendSample(*store, 1, n, Durability::kRelaxed).has_value());
    file = ReadFile(folder_.path("a"));
    log = ReadFile(folder_.path("a-wal"));
  }
  log[log.size() / 2] ^= 1;
  for (const bool is_unsynced : {false, true}) {
    WriteFile(from(), file);
    WriteFile(from() + "-wal", log);
    WriteFile(from() + "-lock", is_unsynced ? "1 unsynced\n" : "1\n");
    const auto salvaged = Salvage();
    ASSERT_TRUE(salvaged.has_value());
    const std::set<RecordId> records = RecordsIn(draft());
    EXPECT_EQ(records.contains({1, 12}), !is_unsynced);
    if (is_unsynced) {
      EXPECT_TRUE(salvaged->losses.empty());
      EXPECT_GT(records.size(), 2);
      EXPECT_LT(records.size(), 12);
      EXPECT_EQ(records, RecordsUpTo(static_cast<CommitNumber>(records.size())));
    }
  }
}

// When a log begins anew, frames of the one before stay behind its end.
TEST_F(SqliteSalvage, LeavesFramesOfAnOlderLog) {
  MakeSample(folder_.path("a"), 6);
  MakeSample(folder_.path("b"), 6);
  const auto [file, log] = KilledWriter(folder_.path("a"));
  std::string older;
  {
    const auto store = OpenOrFail(folder_.path("b"), kWrite);
    ASSERT_TRUE(AppendSample(*store, 1, 7).has_value());
    older = ReadFile(folder_.path("b-wal")).substr(32);
  }
  WriteFile(from(), file);
  WriteFile(from() + "-wal", log + older);
  const auto salvaged = Salvage();
  ASSERT_TRUE(salvaged.has_value());
  EXPECT_TRUE(salvaged->losses.empty());
  EXPECT_EQ(RecordsIn(draft()), RecordsUpTo(8));
  // With one frame of the newer log, the header says which one counts.
  WriteFile(from() + "-wal", log.substr(0, 32 + 24 + 4096) + older);
  ASSERT_TRUE(Salvage().has_value());
  EXPECT_TRUE(RecordsIn(draft()).contains({1, 6}));
}

TEST_F(SqliteSalvage, BringsInPagesByWhichTheLogMakesTheFileLonger) {
  MakeSample(from(), 1);
  const auto append = [](Store& store, CommitNumber number, std::size_t bytes) {
    const std::string record(bytes, static_cast<char>('a' + number));
    AppendRequest request;
    request.context = 1;
    request.expected_head = number - 1;
    request.facts = support::SampleFacts(number);
    request.record = record;
    return store.Append(request);
  };
  {
    const auto store = OpenOrFail(from(), kWrite);
    ASSERT_TRUE(append(*store, 2, 800'000).has_value());
  }
  std::string file;
  std::string log;
  {
    const auto store = OpenOrFail(from(), kWrite);
    ASSERT_TRUE(append(*store, 3, 100'000).has_value());
    file = ReadFile(from());
    log = ReadFile(from() + "-wal");
  }
  // Without the room behind its last frame.
  const std::size_t frames = (log.find_last_not_of('\0') - 32) / (24 + 4096) + 1;
  ASSERT_GT(frames, 25);
  ASSERT_LT(frames, 50);
  log.resize(32 + frames * (24 + 4096));
  WriteFile(from(), file);
  WriteFile(from() + "-wal", log);
  const auto salvaged = Salvage();
  ASSERT_TRUE(salvaged.has_value());
  EXPECT_TRUE(salvaged->losses.empty());
  EXPECT_TRUE(salvaged->damaged.empty());
  EXPECT_EQ(RecordsIn(draft()), RecordsUpTo(3));
}

// Files of this process cannot get longer than that.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  sighandler_t handler_;
};

TEST_F(SqliteSalvage, NoFrameMakesTheCopyLong) {
  MakeSample(folder_.path("a"), 6);
  const auto [file, log] = KilledWriter(folder_.path("a"));
  for (const std::string& number : {std::string("\x7f\xff\xff\xff", 4), std::string(4, '\0')}) {
    WriteFile(from(), file);
    std::string bad = log;
    bad.replace(32, 4, number);
    WriteFile(from() + "-wal", bad);
    const FileSizeLimit limited(50'000'000);
    const auto salvaged = Salvage();
    ASSERT_TRUE(salvaged.has_value());
    EXPECT_EQ(std::ranges::count(salvaged->losses, "the log beside the file is damaged"), 1);
    EXPECT_LT(std::filesystem::file_size(draft()), 1'000'000);
  }
}

TEST_F(SqliteSalvage, TellsThatAFileIsCutShortByItsLastPage) {
  MakeSample(from(), 6);
  const auto whole = Salvage();
  ASSERT_TRUE(whole.has_value());
  EXPECT_TRUE(whole->losses.empty());
  std::filesystem::resize_file(from(), std::filesystem::file_size(from()) - 4096);
  const auto salvaged = Salvage();
  ASSERT_TRUE(salvaged.has_value());
  EXPECT_EQ(std::ranges::count(salvaged->losses, "the file is cut short"), 1);
}

// --- what the system refuses ---

TEST_F(SqliteSalvage, WithoutRoomItFailsAndLeavesNothing) {
  MakeSample(from(), 6);
  constexpr std::uintmax_t kCopy = std::uintmax_t{64} * 4096;  // no copy is shorter
  const std::uintmax_t size = std::filesystem::file_size(from());
  for (const std::uintmax_t limit : {std::uintmax_t{8192}, size + 100, kCopy}) {
    const FileSizeLimit limited(limit);
    const auto salvaged = Salvage();
    if (limit < kCopy) {
      ASSERT_FALSE(salvaged.has_value()) << limit;
      EXPECT_EQ(salvaged.error().code(), ErrorCode::kStoreIo);
      EXPECT_FALSE(std::filesystem::exists(draft()));
    } else {
      EXPECT_TRUE(salvaged.has_value());
    }
    EXPECT_FALSE(std::filesystem::exists(draft() + "-copy"));
    EXPECT_FALSE(std::filesystem::exists(from() + "-lock"));
  }
}

TEST_F(SqliteSalvage, RefusesNamesThatCannotBe) {
  MakeSample(from(), 1);
  const auto code = [](const auto& result) { return WireName(result.error().code()); };
  const std::string_view io = WireName(ErrorCode::kStoreIo);
  EXPECT_EQ(code(SalvageRows("", to(), {})), io);
  EXPECT_EQ(code(SalvageRows(folder_.path("none"), to(), {})), io);
  EXPECT_EQ(code(SalvageRows(from(), "", {})), io);
  EXPECT_EQ(code(SalvageRows(from(), from(), {})), io);
  EXPECT_EQ(code(SalvageRows(from(), folder_.path("none/to"), {})), io);
  EXPECT_EQ(code(PlaceDraft("")), io);
  EXPECT_EQ(code(PlaceDraft(to())), io);
  RemoveDraft("");
  std::filesystem::create_directory(draft() + "-copy");
  EXPECT_EQ(code(Salvage()), io);
  EXPECT_EQ(ReadFile(from()).substr(0, 15), "SQLite format 3");
}

TEST_F(SqliteSalvage, LeavesFilesThatAreCalledLikeADraft) {
  const std::string source = to() + "-new";
  MakeSample(source, 6);
  WriteFile(source + "-copy", "mine");
  const std::string before = ReadFile(source);
  const auto first = SalvageRows(source, to(), {});
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(RecordsIn(draft()), RecordsUpTo(6));
  // A second one in the same process does not take the draft away from the first.
  EXPECT_EQ(SalvageRows(source, to(), {}).error().code(), ErrorCode::kStoreIo);
  ASSERT_TRUE(PlaceDraft(to()).has_value());
  EXPECT_EQ(OpenOrFail(to(), kRead)->GetContext(1)->head, 6);
  EXPECT_EQ(ReadFile(source), before);
  EXPECT_EQ(ReadFile(source + "-copy"), "mine");
}

TEST_F(SqliteSalvage, MakesNoFileBesideTheLogOfAnother) {
  MakeSample(from(), 6);
  WriteFile(to() + "-wal", KilledWriter(from()).second);
  const auto salvaged = Salvage();
  ASSERT_FALSE(salvaged.has_value());
  EXPECT_EQ(salvaged.error().code(), ErrorCode::kStoreIo);
  EXPECT_EQ(salvaged.error().details().front().text,
            std::filesystem::canonical(to() + "-wal").string());
  // One that came while the work was done.
  std::filesystem::rename(to() + "-wal", folder_.path("log"));
  ASSERT_TRUE(Salvage().has_value());
  std::filesystem::rename(folder_.path("log"), to() + "-wal");
  EXPECT_EQ(PlaceDraft(to()).error().code(), ErrorCode::kStoreIo);
  EXPECT_FALSE(std::filesystem::exists(to()));
}

TEST_F(SqliteSalvage, RefusesANewerFileWithOtherTables) {
  MakeSample(from(), 1);
  Execute(from(), "CREATE TABLE more (x); PRAGMA user_version = 2");
  const auto salvaged = Salvage();
  ASSERT_FALSE(salvaged.has_value());
  EXPECT_EQ(salvaged.error().code(), ErrorCode::kStoreVersion);
}

TEST_F(SqliteSalvage, WaitsForNoWriter) {
  MakeSample(from(), 1);
  const auto writer = OpenOrFail(from(), kWrite);
  const auto salvaged = Salvage();
  ASSERT_FALSE(salvaged.has_value());
  EXPECT_EQ(salvaged.error().code(), ErrorCode::kStoreBusy);
}

}  // namespace
}  // namespace pactdb::sqlite
