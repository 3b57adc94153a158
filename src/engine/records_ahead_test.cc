#include "engine/records_ahead.h"

#include <gtest/gtest.h>
#include <pactdb/database.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "support/folder.h"
#include "support/random.h"
#include "support/store_requests.h"

namespace pactdb {
namespace {

constexpr CommitNumber kCommits = 2'000;

// A file with that many commits, read by whoever asks.
class RecordsAheadTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<support::Folder>();
    Database database = Database::Open(path(), Access::kCreate).value();
    Options options;
    options.durability = Durability::kRelaxed;
    Context& context = *database.Find("main").value();
    ASSERT_TRUE(context.Configure(options).has_value());
    for (CommitNumber n = 0; n < kCommits; ++n) {
      NodeSpec spec;
      spec.Role("user").Text("turn " + std::to_string(n));
      ASSERT_TRUE(context.Add(spec).has_value());
      hash_ = context.Commit().value().tree_sha256;
    }
  }
  static void TearDownTestSuite() { folder_.reset(); }
  static std::string path() { return folder_->path("a.pactdb"); }

  void SetUp() override { store_ = support::OpenOrFail(path(), StoreAccess::kRead); }

  Result<StoredRecord> Read(const RecordId& id) {
    const std::lock_guard lock(mutex_);
    ++reads_;
    Result<std::string> bytes = store_->ReadRecord(id);
    if (!bytes) return std::unexpected(bytes.error());
    return StoredRecord::Parse(*std::move(bytes), id);
  }
  RecordsAhead::Read Reader() {
    return [this](const RecordId& id) { return Read(id); };
  }
  // What is found is what the store has.
  bool FindsOwn(RecordsAhead& ahead, CommitNumber commit) {
    const RecordId id{1, commit};
    const StoredRecord* found = ahead.Find(id);
    if (found == nullptr) return false;
    const StoredRecord own = Read(id).value();
    EXPECT_EQ(found->id(), id);
    EXPECT_EQ(found->object(found->root()), own.object(own.root())) << commit;
    return true;
  }

  static std::unique_ptr<support::Folder> folder_;
  static std::string hash_;  // of the newest tree
  std::mutex mutex_;
  std::unique_ptr<Store> store_;
  std::size_t reads_ = 0;
};

std::unique_ptr<support::Folder> RecordsAheadTest::folder_;
std::string RecordsAheadTest::hash_;

TEST_F(RecordsAheadTest, FindsAllThatAreAskedForInOrder) {
  RecordsAhead ahead(Reader(), 1, {1, kCommits});
  for (CommitNumber n = 1; n <= kCommits; ++n) EXPECT_TRUE(FindsOwn(ahead, n)) << n;
}

TEST_F(RecordsAheadTest, GivesTheRightOnesOrNoneInAnyOrder) {
  support::Random random(7);
  RecordsAhead ahead(Reader(), 1, {1, kCommits});
  std::size_t found = 0;
  CommitNumber at = 1;
  for (int i = 0; i < 5'000; ++i) {
    // Mostly small steps to both sides, at times a leap.
    const bool is_leap = random.Below(50) == 0;
    const auto step = static_cast<std::int64_t>(random.Below(is_leap ? 1'500 : 60));
    const std::int64_t next = at + step - (is_leap ? 700 : 28);
    at = static_cast<CommitNumber>(std::clamp<std::int64_t>(next, 1, kCommits));
    found += FindsOwn(ahead, at) ? 1 : 0;
  }
  EXPECT_GT(found, 1'000u);
}

TEST_F(RecordsAheadTest, LeavesWhatItIsNotToReadToTheStore) {
  RecordsAhead ahead(Reader(), 1, {10, 20});
  EXPECT_FALSE(FindsOwn(ahead, 9));
  EXPECT_FALSE(FindsOwn(ahead, 21));
  EXPECT_EQ(ahead.Find({2, 15}), nullptr);
  EXPECT_TRUE(FindsOwn(ahead, 15));
}

TEST_F(RecordsAheadTest, WhatOthersAskForDoesNotMoveIt) {
  RecordsAhead ahead(Reader(), 1, {1, kCommits});
  for (const CommitNumber commit : {400, 800, 1'200}) EXPECT_EQ(ahead.Find({2, commit}), nullptr);
  EXPECT_TRUE(FindsOwn(ahead, 1));
}

TEST_F(RecordsAheadTest, PassesOverWhatCannotBeRead) {
  RecordsAhead ahead(
      [this](const RecordId& id) -> Result<StoredRecord> {
        if (id.commit % 3 == 0) return std::unexpected(Error(ErrorCode::kStoreCorrupt, "bad"));
        return Read(id);
      },
      1, {1, kCommits});
  for (CommitNumber n = 1; n <= kCommits; ++n) EXPECT_EQ(FindsOwn(ahead, n), n % 3 != 0) << n;
}

TEST_F(RecordsAheadTest, DoesNotReadFartherThanItMay) {
  {
    RecordsAhead ahead(Reader(), 1, {1, kCommits});
    EXPECT_NE(ahead.Find({1, 1}), nullptr);
  }  // stops in the middle
  EXPECT_LT(reads_, 1'100u);
}

TEST_F(RecordsAheadTest, OpeningALongHistoryGivesItsNewestTree) {
  Database database = Database::Open(path(), Access::kRead).value();
  Context& context = *database.Find("main").value();
  EXPECT_EQ(context.Select(".block").value().size(), kCommits);
  EXPECT_EQ(context.tree_sha256(), hash_);
}

}  // namespace
}  // namespace pactdb
