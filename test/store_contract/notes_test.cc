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

}  // namespace
}  // namespace pactdb
