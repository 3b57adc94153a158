// The journal, tags and attempts.
#include "store_contract/backends.h"

namespace pactdb {
namespace {

using Texts = std::vector<std::string>;

TEST_P(StoreContract, KeepsAJournalUntilTheNextCommit) {
  const ContextNumber a = MakeContext("a");
  const ContextNumber b = MakeContext("b");
  EXPECT_EQ(store().ReadJournal(a), Texts());
  const Texts first = {"one", std::string("t\0o", 3)};
  const Texts second = {"three"};
  ASSERT_TRUE(store().AppendJournal(a, first).has_value());
  ASSERT_TRUE(store().AppendJournal(b, second).has_value());
  ASSERT_TRUE(store().AppendJournal(a, second).has_value());
  Reopen();
  EXPECT_EQ(store().ReadJournal(a), (Texts{"one", std::string("t\0o", 3), "three"}));
  AppendTo(a, 1);
  Reopen();
  EXPECT_EQ(store().ReadJournal(a), Texts());
  EXPECT_EQ(store().ReadJournal(b), second);
  ASSERT_TRUE(store().AppendJournal(a, second).has_value());
  EXPECT_EQ(store().ReadJournal(a), second);
  ExpectError(store().AppendJournal(99, second), ErrorCode::kContextNotFound);
}

TEST_P(StoreContract, MovesAndDeletesTags) {
  const ContextNumber a = MakeContext("a");
  AppendTo(a, 3);
  const ContextNumber b = MakeContext("b", {a, 2});
  ASSERT_TRUE(store().SetTag(a, {.name = "v2", .commit = 2, .context = a}).has_value());
  ASSERT_TRUE(store().SetTag(a, {.name = "v1", .commit = 1, .context = a}).has_value());
  ASSERT_TRUE(store().SetTag(a, {.name = "v2", .commit = 3, .context = a}).has_value());
  ASSERT_TRUE(store().SetTag(b, {.name = "v2", .commit = 1, .context = a}).has_value());
  Reopen();
  const std::vector<Tag> tags = *store().ListTags(a);
  ASSERT_EQ(tags.size(), 2);
  EXPECT_EQ(tags[0].name, "v1");
  EXPECT_EQ(tags[1].name, "v2");
  EXPECT_EQ(tags[1].commit, 3);
  EXPECT_EQ(store().ListTags(b)->front().context, a);
  ASSERT_TRUE(store().DeleteTag(a, "v2").has_value());
  ExpectError(store().DeleteTag(a, "v2"), ErrorCode::kSnapshotNotFound);
  EXPECT_EQ(store().ListTags(a)->size(), 1);
  EXPECT_EQ(store().ListTags(b)->size(), 1);
  ExpectError(store().SetTag(99, {.name = "x"}), ErrorCode::kContextNotFound);
}

TEST_P(StoreContract, ListsAttemptsAsTheyWereFirstPut) {
  const ContextNumber a = MakeContext("a");
  ASSERT_TRUE(store().PutAttempt(a, "z", "1").has_value());
  ASSERT_TRUE(store().PutAttempt(a, "a", "2").has_value());
  ASSERT_TRUE(store().PutAttempt(a, "z", "3").has_value());
  Reopen();
  EXPECT_EQ(store().ListAttempts(a), (Texts{"3", "2"}));
  ExpectError(store().PutAttempt(99, "x", "{}"), ErrorCode::kContextNotFound);
}

TEST_P(StoreContract, AnIdIsThatOfTheFirstCommitThatHadIt) {
  const ContextNumber a = MakeContext("a");
  const std::vector<std::string_view> ids = {"x"};
  for (CommitNumber head = 0; head < 2; ++head) {
    AppendRequest request = RequestAfter(a, head);
    request.ids = ids;
    ASSERT_TRUE(store().Append(request).has_value());
  }
  EXPECT_EQ(store().FindId(a, "x"), CommitNumber{1});
}

TEST_P(StoreContract, NoKeyIsNoKey) {
  const ContextNumber a = MakeContext("a");
  for (CommitNumber head = 0; head < 2; ++head) {
    AppendRequest request = RequestAfter(a, head);
    request.answer = "answer";
    ASSERT_TRUE(store().Append(request).has_value());
  }
  EXPECT_EQ(store().FindAnswer(a, ""), std::nullopt);
}

// A batch over several contexts, of which all comes back as it was.
TEST_P(StoreContract, AnAbandonedBatchLeavesEveryContextAsItWas) {
  const ContextNumber a = MakeContext("a");
  const ContextNumber b = MakeContext("b");
  const StoredContent old{.hash = Sha256Of("old"), .bytes = "old"};
  const StoredContent fresh{.hash = Sha256Of("fresh"), .bytes = "fresh"};
  AppendRequest first = RequestAfter(a, 0);
  first.contents = {&old, 1};
  first.idempotency_key = "kept";
  first.answer = "answer";
  ASSERT_TRUE(store().Append(first).has_value());
  const Texts of_a = {"of a"};
  const Texts of_b = {"of b", "more"};
  ASSERT_TRUE(store().AppendJournal(a, of_a).has_value());
  ASSERT_TRUE(store().AppendJournal(b, of_b).has_value());
  ASSERT_TRUE(store().SetTag(a, {.name = "old", .commit = 1, .context = a}).has_value());
  ASSERT_TRUE(store().BeginBatch(Durability::kRelaxed).has_value());
  const std::vector<StoredContent> contents = {old, fresh};
  for (CommitNumber head = 1; head < 4; ++head) {
    AppendRequest request = RequestAfter(a, head);
    request.contents = contents;
    ASSERT_TRUE(store().Append(request).has_value());
    AppendRequest other = RequestAfter(b, head - 1);
    const std::string key = std::to_string(head);
    other.idempotency_key = key;
    ASSERT_TRUE(store().Append(other).has_value());
  }
  ASSERT_TRUE(store().SetTag(a, {.name = "old", .commit = 2, .context = a}).has_value());
  ASSERT_TRUE(store().SetTag(b, {.name = "new", .commit = 1, .context = b}).has_value());
  EXPECT_EQ(store().ListTags(a)->front().commit, 2) << "reads see it";
  store().AbandonBatch();
  ASSERT_EQ(store().ListTags(a)->size(), 1);
  EXPECT_EQ(store().ListTags(a)->front().commit, 1);
  EXPECT_EQ(store().ListTags(b)->size(), 0);
  EXPECT_EQ(NumbersIn(store(), a), std::vector<CommitNumber>{1});
  EXPECT_EQ(NumbersIn(store(), b), std::vector<CommitNumber>());
  EXPECT_EQ(store().GetContext(a)->head, 1);
  EXPECT_EQ(store().GetContext(b)->head, 0);
  EXPECT_EQ(store().GetContext(b)->bytes, 0);
  EXPECT_EQ(store().ReadContent(old.hash), "old");
  ExpectError(store().ReadContent(fresh.hash), ErrorCode::kStoreCorrupt);
  EXPECT_EQ(store().FindAnswer(a, "kept"), "answer");
  EXPECT_EQ(store().FindAnswer(b, "2"), std::nullopt);
  EXPECT_EQ(store().ReadJournal(a), of_a);
  EXPECT_EQ(store().ReadJournal(b), of_b);
  AppendTo(a, 1);
  AppendTo(b, 1);
  EXPECT_EQ(store().Verify({})->size(), 0);
}

TEST_P(StoreContract, ABatchTakesTagsAlong) {
  const ContextNumber a = MakeContext("a");
  ASSERT_TRUE(store().BeginBatch(Durability::kFull).has_value());
  ASSERT_TRUE(store().Append(RequestAfter(a, 0)).has_value());
  ASSERT_TRUE(store().SetTag(a, {.name = "first", .commit = 1, .context = a}).has_value());
  ASSERT_TRUE(store().Append(RequestAfter(a, 1)).has_value());
  ASSERT_TRUE(store().EndBatch().has_value());
  Reopen();
  ASSERT_EQ(store().ListTags(a)->size(), 1);
  EXPECT_EQ(store().ListTags(a)->front().name, "first");
  EXPECT_EQ(NumbersIn(store(), a), (std::vector<CommitNumber>{1, 2}));
}

TEST_P(StoreContract, TagsAndAttemptsAreEachContextsOwn) {
  const ContextNumber a = MakeContext("a");
  const ContextNumber b = MakeContext("b");
  AppendTo(a, 1);
  ASSERT_TRUE(store().SetTag(a, {.name = "t", .commit = 1, .context = a}).has_value());
  ASSERT_TRUE(store().PutAttempt(a, "1", "of a").has_value());
  ASSERT_TRUE(store().PutAttempt(b, "2", "of b").has_value());
  ASSERT_TRUE(store().PutAttempt(b, "1", "of b too").has_value());
  ASSERT_TRUE(store().PutAttempt(a, "2", "of a too").has_value());
  EXPECT_EQ(store().ListAttempts(a), (Texts{"of a", "of a too"}));
  EXPECT_EQ(store().ListAttempts(b), (Texts{"of b", "of b too"}));
  ExpectError(store().DeleteTag(b, "t"), ErrorCode::kSnapshotNotFound);
  EXPECT_EQ(store().ListTags(a)->size(), 1);
  EXPECT_EQ(store().ListTags(b)->size(), 0);
}

}  // namespace
}  // namespace pactdb
