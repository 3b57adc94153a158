// Contexts and forks.
#include "store_contract/backends.h"

namespace pactdb {
namespace {

std::vector<std::string> NamesIn(Store& store) {
  std::vector<std::string> names;
  const Result<std::vector<StoredContext>> contexts = store.ListContexts();
  for (const StoredContext& context : contexts.value()) names.push_back(context.name);
  return names;
}

using Names = std::vector<std::string>;

TEST_P(StoreContract, ListsContextsByName) {
  EXPECT_EQ(NamesIn(store()), Names());
  const ContextNumber b = MakeContext("b");
  MakeContext("a");
  MakeContext("B'; --");
  AppendTo(b, 3);
  Reopen();
  EXPECT_EQ(NamesIn(store()), (Names{"B'; --", "a", "b"}));
  const StoredContext found = **store().FindContext("b");
  EXPECT_EQ(found.number, b);
  EXPECT_EQ(found.head, 3);
  EXPECT_EQ(found.config, "{}");
  EXPECT_EQ(found.bytes, RecordOf(b, 1).size() + RecordOf(b, 2).size() + RecordOf(b, 3).size());
  EXPECT_FALSE(store().FindContext("c")->has_value());
  ExpectError(store().GetContext(99), ErrorCode::kContextNotFound);
}

TEST_P(StoreContract, RefusesANameTwice) {
  MakeContext("a");
  ExpectError(store().CreateContext("a", {}, "{}"), ErrorCode::kContextExists);
  EXPECT_EQ(NamesIn(store()), Names{"a"});
}

TEST_P(StoreContract, Renames) {
  const ContextNumber a = MakeContext("a");
  MakeContext("b");
  AppendTo(a, 2);
  ExpectError(store().RenameContext("a", "b"), ErrorCode::kContextExists);
  ExpectError(store().RenameContext("x", "y"), ErrorCode::kContextNotFound);
  EXPECT_TRUE(store().RenameContext("a", "a").has_value());
  ASSERT_TRUE(store().RenameContext("a", "c").has_value());
  Reopen();
  EXPECT_EQ(NamesIn(store()), (Names{"b", "c"}));
  EXPECT_EQ((*store().FindContext("c"))->number, a);
  EXPECT_EQ(store().ReadRecord({a, 2}), RecordOf(a, 2));
}

TEST_P(StoreContract, KeepsAConfiguration) {
  const ContextNumber a = MakeContext("a");
  ASSERT_TRUE(store().SetConfig(a, R"({"x":1})").has_value());
  Reopen();
  EXPECT_EQ(store().GetContext(a)->config, R"({"x":1})");
  ExpectError(store().SetConfig(99, "{}"), ErrorCode::kContextNotFound);
}

TEST_P(StoreContract, ForksOnlyFromASnapshot) {
  const ContextNumber a = MakeContext("a");
  AppendTo(a, 3);
  ExpectError(store().CreateContext("b", {a, 4}, "{}"), ErrorCode::kSnapshotNotFound);
  ExpectError(store().CreateContext("b", {a, 0}, "{}"), ErrorCode::kSnapshotNotFound);
  ExpectError(store().CreateContext("b", {9, 1}, "{}"), ErrorCode::kSnapshotNotFound);
  const ContextNumber b = MakeContext("b", {a, 2});
  Reopen();
  EXPECT_EQ(store().GetContext(b)->origin, (RecordId{a, 2}));
  EXPECT_EQ(store().GetContext(b)->head, 0);
  AppendTo(b, 2);
  AppendTo(a, 1);
  EXPECT_EQ(NumbersIn(store(), b), (std::vector<CommitNumber>{1, 2}));
  EXPECT_EQ(NumbersIn(store(), a), (std::vector<CommitNumber>{1, 2, 3, 4}));
}

TEST_P(StoreContract, NeverUsesANumberAgain) {
  const ContextNumber a = MakeContext("a");
  AppendTo(a, 1);
  ASSERT_TRUE(store().DeleteContext("a").has_value());
  Reopen();
  const ContextNumber again = MakeContext("a");
  EXPECT_GT(again, a);
  EXPECT_EQ(store().GetContext(again)->head, 0);
  ExpectError(store().GetContext(a), ErrorCode::kContextNotFound);
  ExpectError(store().ReadRecord({a, 1}), ErrorCode::kSnapshotNotFound);
}

TEST_P(StoreContract, DeletingKeepsWhatDescendantsStandOn) {
  const ContextNumber a = MakeContext("a");
  AppendTo(a, 5);
  const ContextNumber b = MakeContext("b", {a, 3});
  AppendTo(b, 2);
  const ContextNumber c = MakeContext("c", {b, 1});
  ASSERT_TRUE(store().SetTag(a, {.name = "t", .commit = 1, .context = a}).has_value());
  ASSERT_TRUE(store().DeleteContext("a").has_value());
  ASSERT_TRUE(store().DeleteContext("b").has_value());
  Reopen();
  EXPECT_EQ(NamesIn(store()), Names{"c"});
  EXPECT_TRUE(store().GetContext(a)->deleted);
  EXPECT_EQ(store().GetContext(a)->head, 3);
  EXPECT_EQ(store().GetContext(a)->bytes,
            RecordOf(a, 1).size() + RecordOf(a, 2).size() + RecordOf(a, 3).size());
  EXPECT_EQ(store().ReadRecord({a, 3}), RecordOf(a, 3));
  EXPECT_EQ(store().ReadRecord({b, 1}), RecordOf(b, 1));
  ExpectError(store().ReadRecord({a, 4}), ErrorCode::kSnapshotNotFound);
  ExpectError(store().ReadRecord({b, 2}), ErrorCode::kSnapshotNotFound);
  ExpectError(store().Append(RequestAfter(a, 3)), ErrorCode::kContextNotFound);
  EXPECT_EQ(store().ListTags(a)->size(), 0);
  ExpectError(store().DeleteContext("a"), ErrorCode::kContextNotFound);
  EXPECT_EQ(store().Verify({})->size(), 0);

  ASSERT_TRUE(store().DeleteContext("c").has_value());
  for (const ContextNumber number : {a, b, c}) {
    ExpectError(store().GetContext(number), ErrorCode::kContextNotFound);
  }
  EXPECT_EQ(store().Stats()->commits, 0);
  EXPECT_EQ(store().Verify({})->size(), 0);
}

// Kept for its descendants alone: it is read and no longer written.
TEST_P(StoreContract, ADeletedContextHasItsRecordsAndNothingElse) {
  const ContextNumber a = MakeContext("a");
  const std::vector<std::string_view> early = {"early"};
  const std::vector<std::string_view> edge = {"edge"};
  const std::vector<std::string_view> late = {"late"};
  for (CommitNumber head = 0; head < 5; ++head) {
    AppendRequest request = RequestAfter(a, head);
    if (head == 1) request.ids = early;
    if (head == 2) request.ids = edge;
    if (head == 3) request.ids = late;
    const std::string key = "key " + std::to_string(head);
    request.idempotency_key = key;
    request.answer = key;
    ASSERT_TRUE(store().Append(request).has_value());
  }
  const std::vector<std::string> entries = {"entry"};
  ASSERT_TRUE(store().AppendJournal(a, entries).has_value());
  ASSERT_TRUE(store().SetTag(a, {.name = "t", .commit = 1, .context = a}).has_value());
  ASSERT_TRUE(store().PutAttempt(a, "id", "{}").has_value());
  MakeContext("b", {a, 2});
  MakeContext("c", {a, 3});
  ASSERT_TRUE(store().DeleteContext("a").has_value());
  Reopen();
  const StoredContext kept = *store().GetContext(a);
  EXPECT_TRUE(kept.deleted);
  EXPECT_EQ(kept.name, "a");
  EXPECT_EQ(kept.head, 3);
  EXPECT_EQ(store().FindContext("a").value(), std::nullopt);
  EXPECT_EQ(NumbersIn(store(), a), (std::vector<CommitNumber>{1, 2, 3}));
  EXPECT_EQ(store().FindId(a, "early"), CommitNumber{2});
  EXPECT_EQ(store().FindId(a, "edge"), CommitNumber{3});
  EXPECT_EQ(store().FindId(a, "late"), std::nullopt);
  for (int head = 0; head < 5; ++head)
    EXPECT_EQ(store().FindAnswer(a, "key " + std::to_string(head)), std::nullopt) << head;
  EXPECT_EQ(store().ReadJournal(a)->size(), 0);
  EXPECT_EQ(store().ListTags(a)->size(), 0);
  EXPECT_EQ(store().ListAttempts(a)->size(), 0);
  EXPECT_EQ(store().FindCycle(a, 25).value()->number, 3);
  EXPECT_EQ(store().FindCycle(a, 31).value().has_value(), false);
  const ErrorCode none = ErrorCode::kContextNotFound;
  ExpectError(store().Append(RequestAfter(a, 3)), none);
  ExpectError(store().SetConfig(a, "{}"), none);
  ExpectError(store().AppendJournal(a, entries), none);
  ExpectError(store().SetTag(a, {.name = "t", .commit = 1, .context = a}), none);
  ExpectError(store().DeleteTag(a, "t"), none);
  ExpectError(store().PutAttempt(a, "id", "{}"), none);
  ExpectError(store().RenameContext("a", "d"), none);
  // One of the two that stand on it goes: what only that one needed goes with it.
  ASSERT_TRUE(store().DeleteContext("c").has_value());
  EXPECT_EQ(store().GetContext(a)->head, 2);
  ExpectError(store().ReadRecord({a, 3}), ErrorCode::kSnapshotNotFound);
  ASSERT_TRUE(store().DeleteContext("b").has_value());
  ExpectError(store().GetContext(a), none);
  EXPECT_EQ(store().ListRecords()->size(), 0);
}

// Others keep theirs.
TEST_P(StoreContract, DeletingTakesNothingFromOtherContexts) {
  const ContextNumber a = MakeContext("a");
  const ContextNumber b = MakeContext("b");
  const ContextNumber c = MakeContext("c");
  const std::vector<std::string> entries = {"entry"};
  for (const ContextNumber context : {a, b, c}) {
    AppendRequest request = RequestAfter(context, 0);
    const std::vector<std::string_view> ids = {"id"};
    request.ids = ids;
    request.idempotency_key = "key";
    request.answer = "answer";
    ASSERT_TRUE(store().Append(request).has_value());
    AppendTo(context, 2);
    ASSERT_TRUE(store().AppendJournal(context, entries).has_value());
    ASSERT_TRUE(store().SetTag(context, {.name = "t", .commit = 1, .context = context}));
    ASSERT_TRUE(store().PutAttempt(context, "id", "{}").has_value());
  }
  ASSERT_TRUE(store().DeleteContext("b").has_value());
  Reopen();
  for (const ContextNumber context : {a, c}) {
    EXPECT_EQ(NumbersIn(store(), context), (std::vector<CommitNumber>{1, 2, 3}));
    EXPECT_EQ(store().FindId(context, "id"), CommitNumber{1});
    EXPECT_EQ(store().FindAnswer(context, "key"), "answer");
    EXPECT_EQ(store().ReadJournal(context), entries);
    EXPECT_EQ(store().ListTags(context)->size(), 1);
    EXPECT_EQ(store().ListAttempts(context)->size(), 1);
    EXPECT_FALSE(store().GetContext(context)->deleted);
  }
  EXPECT_EQ(store().Stats()->contexts, 2);
  EXPECT_EQ(store().Stats()->commits, 6);
}

TEST_P(StoreContract, AChangeOfAContextLeavesTheRestOfIt) {
  const ContextNumber a = MakeContext("a");
  AppendTo(a, 4);
  RetireRequest request;
  request.snapshots = {{a, {1, 2}}};
  request.deleted = {{a, 1}};
  ASSERT_TRUE(store().Retire(request).has_value());
  const ContextNumber b = MakeContext("b", {a, 3});
  const std::uint64_t bytes = store().GetContext(a)->bytes;
  ASSERT_TRUE(store().RenameContext("a", "c").has_value());
  ASSERT_TRUE(store().SetConfig(a, R"({"x":1})").has_value());
  ASSERT_TRUE(store().RenameContext("b", "d").has_value());
  ASSERT_TRUE(store().SetConfig(b, R"({"y":1})").has_value());
  Reopen();
  const StoredContext first = *store().GetContext(a);
  EXPECT_EQ(first.name, "c");
  EXPECT_EQ(first.config, R"({"x":1})");
  EXPECT_EQ(first.origin, RecordId{});
  EXPECT_EQ(first.head, 4);
  EXPECT_EQ(first.bytes, bytes);
  const StoredContext second = *store().GetContext(b);
  EXPECT_EQ(second.name, "d");
  EXPECT_EQ(second.config, R"({"y":1})");
  EXPECT_EQ(second.origin, (RecordId{a, 3}));
  EXPECT_EQ(second.bytes, 0);
  EXPECT_EQ(store().Verify({})->size(), 0);
}

}  // namespace
}  // namespace pactdb
