// The write-ahead log is made longer than what is in it.
#include <gtest/gtest.h>
#include <pactdb/ext/store.h>
#include <sqlite3.h>

#include <filesystem>
#include <memory>
#include <string>

#include "store/sqlite/connection.h"
#include "support/folder.h"
#include "support/store_requests.h"

namespace pactdb {
namespace {

using enum StoreAccess;
using support::AppendSample;
using support::Folder;
using support::MakeSample;
using support::OpenOrFail;
using support::SampleRecord;

// A file with one commit, open for writing.
class SqliteLog : public testing::Test {
 protected:
  SqliteLog() {
    MakeSample(path(), 1);
    store_ = OpenOrFail(path(), kWrite);
  }

  std::string path() const { return folder_.path("a"); }
  std::string path_of_copy() const { return folder_.path("b"); }
  Store& store() { return *store_; }
  std::uintmax_t log_bytes() const { return std::filesystem::file_size(path() + "-wal"); }

  void AppendUpTo(CommitNumber last) {
    while (last_ < last) ASSERT_TRUE(AppendSample(*store_, 1, ++last_).has_value());
  }

  // A writer that is killed now leaves this behind: a sound file that ends with this commit.
  void ExpectKilledNowEndsWith(CommitNumber last) {
    for (const char* suffix : {"", "-wal"})
      support::WriteFile(path_of_copy() + suffix, support::ReadFile(path() + suffix));
    const auto found = OpenOrFail(path_of_copy(), kWrite);
    ASSERT_EQ(found->GetContext(1).value().head, last);
    for (CommitNumber n = 1; n <= last; ++n)
      ASSERT_EQ(found->ReadRecord({1, n}), SampleRecord(n)) << n;
    EXPECT_TRUE(found->Verify({}).value().empty());
  }

 private:
  Folder folder_;
  std::unique_ptr<Store> store_;
  CommitNumber last_ = 1;
};

TEST_F(SqliteLog, GrowsSeldomWhileCommitsAreDurable) {
  CommitNumber grown = 0;
  std::uintmax_t bytes = 0;
  for (CommitNumber n = 2; n <= 300; ++n) {
    AppendUpTo(n);
    grown += log_bytes() != bytes ? 1 : 0;
    bytes = log_bytes();
  }
  // A few commits are written as they come; then each step doubles it.
  EXPECT_LT(grown, 40u);
  // And it is not made longer than it can get before it is moved into the file.
  AppendUpTo(1'500);
  EXPECT_LT(log_bytes(), 5'000'000u);
}

TEST_F(SqliteLog, OfFewCommitsIsAsLongAsTheyAre) {
  AppendUpTo(4);
  EXPECT_LT(log_bytes(), 60'000u);
}

// What a sweep of power cuts found: zeros in a log that was cut could end up between old frames.
TEST_F(SqliteLog, IsNotFilledBeforeItIsInUseAgain) {
  AppendUpTo(40);
  ASSERT_TRUE(store().Compact().has_value());
  ASSERT_EQ(log_bytes(), 0u);
  AppendUpTo(41);
  EXPECT_LT(log_bytes(), 60'000u);
}

// Whoever asked for the room hears that it is not there yet.
TEST_F(SqliteLog, IsNotCutUnderAReader) {
  AppendUpTo(40);
  const auto reader = OpenOrFail(path(), kRead);
  ASSERT_TRUE(reader->BeginReads().has_value());
  ASSERT_EQ(reader->GetContext(1)->head, 40);
  const Status compacted = store().Compact();
  ASSERT_FALSE(compacted.has_value());
  EXPECT_EQ(compacted.error(), Error(ErrorCode::kStoreBusy, "a reader keeps the log from being cut")
                                   .With("path", std::filesystem::canonical(path()).string()));
  AppendUpTo(41);
  reader->EndReads();
  ASSERT_TRUE(store().Compact().has_value());
  EXPECT_EQ(log_bytes(), 0u);
  EXPECT_EQ(store().ReadRecord({1, 41}), SampleRecord(41));
}

// Its pages go to the log before it ends, and the commits behind it follow on.
TEST_F(SqliteLog, TakesATransactionThatDoesNotFitIntoMemory) {
  constexpr CommitNumber kLast = 20'000;
  AppendUpTo(3);
  ASSERT_TRUE(store().BeginBatch(Durability::kRelaxed).has_value());
  AppendUpTo(kLast);
  ASSERT_GT(log_bytes(), 1'000'000u);  // before its end
  ASSERT_TRUE(store().EndBatch().has_value());
  AppendUpTo(kLast + 2);
  ExpectKilledNowEndsWith(kLast + 2);
}

TEST_F(SqliteLog, LosesNothingOfATransactionThatWasAbandoned) {
  AppendUpTo(3);
  ASSERT_TRUE(store().BeginBatch(Durability::kRelaxed).has_value());
  ASSERT_TRUE(AppendSample(store(), 1, 4).has_value());
  store().AbandonBatch();
  AppendUpTo(6);
  ExpectKilledNowEndsWith(6);
}

// As somebody does who knows the tables and does not know of the lock.
TEST_F(SqliteLog, GoesOnBehindWhatAnotherProgramWrote) {
  AppendUpTo(3);
  {
    const auto other =
        sqlite::Connection::Open(path(), {.mode = sqlite::Connection::Mode::kWrite}).value();
    ASSERT_TRUE(other->Run("PRAGMA user_version = 1").has_value());
  }
  AppendUpTo(5);
  ExpectKilledNowEndsWith(5);
}

TEST_F(SqliteLog, IsNotTakenToEndWhereItDidOnceAnotherProgramWrote) {
  const auto changed_by_another = [this](sqlite::Sql sql) {
    const auto other =
        sqlite::Connection::Open(path(), {.mode = sqlite::Connection::Mode::kWrite}).value();
    ASSERT_TRUE(other->Run(sql).has_value());
  };
  AppendUpTo(5);
  changed_by_another("DELETE FROM commits WHERE id = (SELECT max(id) FROM commits)");
  const Status behind_what_went = AppendSample(store(), 1, 6);
  ASSERT_FALSE(behind_what_went.has_value());
  EXPECT_EQ(behind_what_went.error().code(), ErrorCode::kConflict);
  ASSERT_TRUE(AppendSample(store(), 1, 5).has_value());
  changed_by_another("UPDATE contexts SET epoch = 7");
  const Status of_an_old_epoch = AppendSample(store(), 1, 6);
  ASSERT_FALSE(of_an_old_epoch.has_value());
  EXPECT_EQ(of_an_old_epoch.error().code(), ErrorCode::kConflict);
}

TEST_F(SqliteLog, EndsForAReaderAndForTheNextWriterWhereTheLastCommitDoes) {
  constexpr CommitNumber kCommits = 40;
  AppendUpTo(kCommits);
  // As a writer leaves them that is killed now.
  for (const char* suffix : {"", "-wal"})
    support::WriteFile(path_of_copy() + suffix, support::ReadFile(path() + suffix));
  const std::string log = support::ReadFile(path_of_copy() + "-wal");
  ASSERT_EQ(log.substr(log.size() - 4'120), std::string(4'120, '\0'));
  for (const StoreAccess access : {kRead, kWrite}) {
    const auto found = OpenOrFail(path_of_copy(), access);
    ASSERT_EQ(found->GetContext(1).value().head, kCommits);
    for (CommitNumber n = 1; n <= kCommits; ++n)
      ASSERT_EQ(found->ReadRecord({1, n}), SampleRecord(n));
    EXPECT_TRUE(found->Verify({}).value().empty());
    EXPECT_EQ(AppendSample(*found, 1, kCommits + 1).has_value(), access == kWrite);
  }
}

// The program that embeds the store may have databases of its own.
TEST_F(SqliteLog, IsOfOurFilesAloneInAProcess) {
  AppendUpTo(2);
  ASSERT_NE(sqlite3_vfs_find("pactdb"), nullptr);
  EXPECT_STRNE(sqlite3_vfs_find(nullptr)->zName, "pactdb");
}

}  // namespace
}  // namespace pactdb
