// The write-ahead log is made longer than what is in it.
#include <gtest/gtest.h>
#include <pactdb/ext/store.h>

#include <filesystem>
#include <string>

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

std::uintmax_t LogBytes(const std::string& path) {
  return std::filesystem::file_size(path + "-wal");
}

TEST(SqliteLog, GrowsSeldomWhileCommitsAreDurable) {
  const Folder folder;
  MakeSample(folder.path("a"), 1);
  const auto store = OpenOrFail(folder.path("a"), kWrite);
  CommitNumber grown = 0;
  std::uintmax_t bytes = 0;
  for (CommitNumber n = 2; n <= 300; ++n) {
    ASSERT_TRUE(AppendSample(*store, 1, n).has_value());
    grown += LogBytes(folder.path("a")) != bytes ? 1 : 0;
    bytes = LogBytes(folder.path("a"));
  }
  // A few commits are written as they come; then each step doubles it.
  EXPECT_LT(grown, 40u);
  // And it is not made longer than it can get before it is moved into the file.
  for (CommitNumber n = 301; n <= 1'500; ++n) ASSERT_TRUE(AppendSample(*store, 1, n).has_value());
  EXPECT_LT(LogBytes(folder.path("a")), 5'000'000u);
}

TEST(SqliteLog, OfFewCommitsIsAsLongAsTheyAre) {
  const Folder folder;
  MakeSample(folder.path("a"), 1);
  const auto store = OpenOrFail(folder.path("a"), kWrite);
  for (CommitNumber n = 2; n <= 4; ++n) ASSERT_TRUE(AppendSample(*store, 1, n).has_value());
  EXPECT_LT(LogBytes(folder.path("a")), 60'000u);
}

// What a sweep of power cuts found: zeros in a log that was cut could end up between old frames.
TEST(SqliteLog, IsNotFilledBeforeItIsInUseAgain) {
  const Folder folder;
  MakeSample(folder.path("a"), 1);
  const auto store = OpenOrFail(folder.path("a"), kWrite);
  for (CommitNumber n = 2; n <= 40; ++n) ASSERT_TRUE(AppendSample(*store, 1, n).has_value());
  ASSERT_TRUE(store->Compact().has_value());
  ASSERT_EQ(LogBytes(folder.path("a")), 0u);
  ASSERT_TRUE(AppendSample(*store, 1, 41).has_value());
  EXPECT_LT(LogBytes(folder.path("a")), 60'000u);
}

TEST(SqliteLog, EndsForAReaderAndForTheNextWriterWhereTheLastCommitDoes) {
  const Folder folder;
  MakeSample(folder.path("a"), 1);
  const auto store = OpenOrFail(folder.path("a"), kWrite);
  constexpr CommitNumber kCommits = 40;
  for (CommitNumber n = 2; n <= kCommits; ++n) ASSERT_TRUE(AppendSample(*store, 1, n).has_value());
  // As a writer leaves them that is killed now.
  for (const char* suffix : {"", "-wal"})
    support::WriteFile(folder.path("b") + suffix, support::ReadFile(folder.path("a") + suffix));
  const std::string log = support::ReadFile(folder.path("b-wal"));
  ASSERT_EQ(log.substr(log.size() - 4'120), std::string(4'120, '\0'));
  for (const StoreAccess access : {kRead, kWrite}) {
    const auto found = OpenOrFail(folder.path("b"), access);
    ASSERT_EQ(found->GetContext(1).value().head, kCommits);
    for (CommitNumber n = 1; n <= kCommits; ++n)
      ASSERT_EQ(found->ReadRecord({1, n}), SampleRecord(n));
    EXPECT_TRUE(found->Verify({}).value().empty());
    EXPECT_EQ(AppendSample(*found, 1, kCommits + 1).has_value(), access == kWrite);
  }
}

}  // namespace
}  // namespace pactdb
