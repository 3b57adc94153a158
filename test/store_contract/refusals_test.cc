// What every store refuses, with the same code.
#include <sys/mman.h>

#include "base/limits.h"
#include "store_contract/backends.h"

namespace pactdb {
namespace {

TEST_P(StoreContract, NoCallKnowsAContextThatIsNotThere) {
  MakeContext("main");
  const std::vector<std::string> entries = {"entry"};
  const auto visit = [](const CommitFacts&) { return true; };
  const ErrorCode none = ErrorCode::kContextNotFound;
  ExpectError(store().GetContext(9), none);
  ExpectError(store().RenameContext("none", "other"), none);
  ExpectError(store().DeleteContext("none"), none);
  ExpectError(store().SetConfig(9, "{}"), none);
  ExpectError(store().Append(RequestAfter(9, 0)), none);
  ExpectError(store().FindAnswer(9, "key"), none);
  ExpectError(store().VisitFacts(9, {1, 2}, visit), none);
  ExpectError(store().FindCycle(9, 1), none);
  ExpectError(store().ListGaps(9), none);
  ExpectError(store().FindId(9, "id"), none);
  ExpectError(store().AppendJournal(9, entries), none);
  ExpectError(store().ReadJournal(9), none);
  ExpectError(store().SetTag(9, {.name = "tag", .commit = 1, .context = 9}), none);
  ExpectError(store().DeleteTag(9, "tag"), none);
  ExpectError(store().ListTags(9), none);
  ExpectError(store().PutAttempt(9, "id", "{}"), none);
  ExpectError(store().ListAttempts(9), none);
  ExpectError(store().ReadRecord({9, 1}), ErrorCode::kSnapshotNotFound);
  EXPECT_EQ(store().FindContext("none").value(), std::nullopt);
}

TEST_P(StoreContract, RetiresNothingThatIsNotThere) {
  const ContextNumber main = MakeContext("main");
  AppendTo(main, 4);
  const auto dropped = [&](CommitNumber first, CommitNumber last) {
    RetireRequest request;
    request.snapshots = {{main, {first, last}}};
    return store().Retire(request);
  };
  ExpectError(dropped(0, 2), ErrorCode::kSnapshotNotFound);
  ExpectError(dropped(3, 2), ErrorCode::kSnapshotNotFound);
  ExpectError(dropped(2, 5), ErrorCode::kSnapshotNotFound);
  RetireRequest elsewhere;
  elsewhere.snapshots = {{9, {1, 1}}};
  ExpectError(store().Retire(elsewhere), ErrorCode::kContextNotFound);
  for (const RecordId id : {RecordId{9, 1}, RecordId{main, 9}}) {
    RetireRequest deleted;
    deleted.deleted = {id};
    ExpectError(store().Retire(deleted), ErrorCode::kSnapshotNotFound);
    RetireRequest rewritten;
    rewritten.rewritten = {{.id = id, .record = "x"}};
    ExpectError(store().Retire(rewritten), ErrorCode::kSnapshotNotFound);
  }
  EXPECT_EQ(NumbersIn(store(), main), (std::vector<CommitNumber>{1, 2, 3, 4}));
}

TEST_P(StoreContract, ForksFromNoCommitThatWasRetired) {
  const ContextNumber main = MakeContext("main");
  AppendTo(main, 4);
  RetireRequest request;
  request.snapshots = {{main, {2, 2}}};
  ASSERT_TRUE(store().Retire(request).has_value());
  ExpectError(store().CreateContext("fork", {main, 2}, "{}"), ErrorCode::kSnapshotNotFound);
  ExpectError(store().CreateContext("fork", {main, 0}, "{}"), ErrorCode::kSnapshotNotFound);
  EXPECT_TRUE(store().CreateContext("fork", {main, 3}, "{}").has_value());
}

TEST_P(StoreContract, RefusesARecordOrContentThatIsTooLarge) {
  const ContextNumber main = MakeContext("main");
  // Memory that is not there until somebody reads it, and nobody must.
  const std::size_t size = limits::kRecordBytesMax + 1;
  void* memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const std::string_view large(static_cast<const char*>(memory), size);
  AppendRequest record = RequestAfter(main, 0);
  record.record = large;
  ExpectError(store().Append(record), ErrorCode::kLimitExceeded);
  AppendRequest request = RequestAfter(main, 0);
  const StoredContent content{.hash = {}, .bytes = large.substr(0, limits::kContentBytesMax + 1)};
  request.contents = {&content, 1};
  ExpectError(store().Append(request), ErrorCode::kLimitExceeded);
  munmap(memory, size);
  EXPECT_EQ(store().GetContext(main)->head, 0);
}

TEST_P(StoreContract, VerifyNamesAContentThatIsNotWhatItsHashSays) {
  const ContextNumber main = MakeContext("main");
  AppendRequest request = RequestAfter(main, 0);
  const StoredContent content{.hash = Sha256Of("one"), .bytes = "another"};
  request.contents = {&content, 1};
  ASSERT_TRUE(store().Append(request).has_value());
  const auto problems = store().Verify({});
  ASSERT_EQ(problems->size(), 1);
  EXPECT_EQ(problems->front().what, "content " + ToHex(Sha256Of("one")));
}

TEST_P(StoreContract, CountsContextsThatAreNotDeleted) {
  const ContextNumber main = MakeContext("main");
  AppendTo(main, 4);
  MakeContext("fork", {main, 2});
  ASSERT_TRUE(store().DeleteContext("main").has_value());
  EXPECT_EQ(store().Stats()->contexts, 1);
  EXPECT_EQ(store().Stats()->commits, 2);
}

}  // namespace
}  // namespace pactdb
