// What a commit asks of the system: one write, and the one lock that keeps other writers out.
#include <gtest/gtest.h>
#include <pactdb/ext/store.h>

#include <memory>

#include "store_faults/faults.h"
#include "support/folder.h"
#include "support/store_requests.h"

namespace pactdb {
namespace {

using enum StoreAccess;
using support::AppendSample;
using support::FileCall;
using support::Folder;
using support::MakeSample;
using support::OpenOrFail;
using support::WithFault;

class SqliteCalls : public testing::Test {
 protected:
  // The first commit opens the log.
  SqliteCalls() {
    MakeSample(folder_.path("a"), 1);
    store_ = OpenOrFail(folder_.path("a"), kWrite);
    EXPECT_TRUE(Append(2).has_value());
  }

  Status Append(CommitNumber number) { return AppendSample(*store_, 1, number); }

  // Whether commit `number` comes to an `at`-th call of this kind. One that does fails.
  bool Reaches(FileCall call, std::int64_t at, CommitNumber number) {
    const WithFault now({.at = at, .only = call});
    const Status appended = Append(number);
    EXPECT_EQ(appended.has_value(), now.fired() == 0);
    return now.fired() > 0;
  }

 private:
  Folder folder_;
  std::unique_ptr<Store> store_;
};

TEST_F(SqliteCalls, ACommitIsWrittenAtOnce) {
  EXPECT_FALSE(Reaches(FileCall::kWrite, 2, 3));
  EXPECT_TRUE(Reaches(FileCall::kWrite, 1, 4));
}

TEST_F(SqliteCalls, ACommitAfterAnotherTakesOneLock) {
  EXPECT_FALSE(Reaches(FileCall::kShmLock, 2, 3));
  EXPECT_TRUE(Reaches(FileCall::kShmLock, 1, 4));
}

TEST_F(SqliteCalls, ACommitReadsNothingThatItWroteBefore) {
  EXPECT_FALSE(Reaches(FileCall::kRead, 1, 3));
}

}  // namespace
}  // namespace pactdb
