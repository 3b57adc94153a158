// What retention takes.
#include <algorithm>
#include <functional>
#include <map>

#include "store_contract/backends.h"

namespace pactdb {

bool operator==(const CommitRange& a, const CommitRange& b) {
  return a.first == b.first && a.last == b.last;
}

namespace {

using Numbers = std::vector<CommitNumber>;
using Ranges = std::vector<CommitRange>;

TEST_P(StoreContract, RetiredNumbersAreGapsAndTheirRecordsStay) {
  const ContextNumber a = MakeContext("a");
  AppendTo(a, 10);
  RetireRequest request;
  request.snapshots = {{a, {2, 3}}, {a, {7, 8}}, {a, {4, 5}}};
  request.deleted = {{a, 2}, {a, 4}, {a, 8}};
  request.rewritten = {{{a, 3}, "less"}};
  ASSERT_TRUE(store().Retire(request).has_value());
  Reopen();
  EXPECT_EQ(store().ListGaps(a), (Ranges{{2, 5}, {7, 8}}));
  EXPECT_EQ(NumbersIn(store(), a), (Numbers{1, 6, 9, 10}));
  EXPECT_EQ(store().ReadRecord({a, 3}), "less");
  EXPECT_EQ(store().ReadRecord({a, 7}), RecordOf(a, 7));
  ExpectError(store().ReadRecord({a, 2}), ErrorCode::kSnapshotNotFound);
  EXPECT_EQ(store().GetContext(a)->head, 10);
  std::uint64_t bytes = 4;
  for (const CommitNumber n : {1, 5, 6, 7, 9, 10}) bytes += RecordOf(a, n).size();
  EXPECT_EQ(store().GetContext(a)->bytes, bytes);
  EXPECT_EQ(store().Stats()->commits, 4);
  EXPECT_EQ(store().Verify({})->size(), 0);
  AppendTo(a, 1);
  EXPECT_EQ(NumbersIn(store(), a), (Numbers{1, 6, 9, 10, 11}));
}

TEST_P(StoreContract, VisitsEveryContentWhetherARecordNamesItOrNot) {
  const ContextNumber a = MakeContext("a");
  const std::string text(10'000, 'x');
  const std::vector<StoredContent> said = {{.hash = Sha256Of("said"), .bytes = "said"},
                                           {.hash = Sha256Of(text), .bytes = text}};
  AppendRequest append = RequestAfter(a, 0);
  append.contents = said;
  ASSERT_TRUE(store().Append(append).has_value());
  const auto contents = [this] {
    std::map<ContentHash256, std::uint64_t> found;
    EXPECT_TRUE(store()
                    .VisitContents([&](const ContentHash256& hash, std::uint64_t bytes) {
                      EXPECT_TRUE(found.emplace(hash, bytes).second);
                    })
                    .has_value());
    return found;
  };
  // With its size as it is kept, which is another where the store makes it smaller.
  const std::uint64_t kept = store().Stats()->content_stored_bytes;
  const std::map<ContentHash256, std::uint64_t> all = {{said[0].hash, 4}, {said[1].hash, kept - 4}};
  EXPECT_EQ(contents(), all);
  ASSERT_TRUE(store().DeleteContext("a").has_value());
  EXPECT_EQ(contents(), all);
  const std::function<bool(const ContentHash256&)> keeps = [](const ContentHash256&) {
    return false;
  };
  RetireRequest request;
  request.keeps_content = &keeps;
  ASSERT_TRUE(store().Retire(request).has_value());
  EXPECT_TRUE(contents().empty());
}

TEST_P(StoreContract, FindsCyclesAcrossGaps) {
  const ContextNumber a = MakeContext("a");
  AppendTo(a, 40);
  RetireRequest request;
  request.snapshots = {{a, {1, 4}}, {a, {10, 20}}, {a, {25, 25}}};
  for (CommitNumber n = 1; n < 20; ++n) {
    if (n <= 4 || n >= 12) request.deleted.push_back({a, n});
  }
  ASSERT_TRUE(store().Retire(request).has_value());
  const Numbers left = NumbersIn(store(), a);
  for (std::int64_t cycle = 0; cycle <= 410; ++cycle) {
    const auto wanted =
        std::ranges::find_if(left, [&](CommitNumber n) { return std::int64_t{n} * 10 >= cycle; });
    const auto found = *store().FindCycle(a, cycle);
    ASSERT_EQ(found.has_value(), wanted != left.end()) << cycle;
    if (found) {
      EXPECT_EQ(found->number, *wanted) << cycle;
    }
  }
}

TEST_P(StoreContract, RetiresAllOrNothing) {
  const ContextNumber a = MakeContext("a");
  AppendTo(a, 5);
  const auto expect_refused = [&](const RetireRequest& request, ErrorCode code) {
    ExpectError(store().Retire(request), code);
    EXPECT_EQ(NumbersIn(store(), a), (Numbers{1, 2, 3, 4, 5}));
    EXPECT_EQ(store().ReadRecord({a, 1}), RecordOf(a, 1));
  };
  RetireRequest newest;
  newest.snapshots = {{a, {1, 1}}, {a, {4, 5}}};
  expect_refused(newest, ErrorCode::kRequestInvalid);
  RetireRequest beyond;
  beyond.snapshots = {{a, {1, 6}}};
  expect_refused(beyond, ErrorCode::kSnapshotNotFound);
  RetireRequest living;
  living.snapshots = {{a, {1, 1}}};
  living.deleted = {{a, 1}, {a, 2}};
  expect_refused(living, ErrorCode::kRequestInvalid);
  RetireRequest missing;
  missing.snapshots = {{a, {1, 1}}};
  missing.rewritten = {{{a, 1}, "x"}, {{a, 9}, "y"}};
  expect_refused(missing, ErrorCode::kSnapshotNotFound);
}

TEST_P(StoreContract, DropsContentsThatNobodyKeeps) {
  const ContextNumber a = MakeContext("a");
  const std::vector<std::string> texts = {"keep", "drop"};
  const std::vector<StoredContent> contents = {{Sha256Of(texts[0]), texts[0]},
                                               {Sha256Of(texts[1]), texts[1]}};
  AppendRequest append = RequestAfter(a, 0);
  append.contents = contents;
  ASSERT_TRUE(store().Append(append).has_value());
  const std::function<bool(const ContentHash256&)> keeps = [&](const ContentHash256& hash) {
    return hash == contents[0].hash;
  };
  RetireRequest request;
  request.keeps_content = &keeps;
  ASSERT_TRUE(store().Retire(request).has_value());
  Reopen();
  EXPECT_EQ(store().ReadContent(contents[0].hash), "keep");
  ExpectError(store().ReadContent(contents[1].hash), ErrorCode::kStoreCorrupt);
}

TEST_P(StoreContract, ForgetsTheAnswerOfACommitThatWasDeleted) {
  const ContextNumber a = MakeContext("a");
  for (CommitNumber head = 0; head < 3; ++head) {
    AppendRequest request = RequestAfter(a, head);
    const std::string key = std::to_string(head + 1);
    request.idempotency_key = key;
    request.answer = key;
    ASSERT_TRUE(store().Append(request).has_value());
  }
  RetireRequest request;
  request.snapshots = {{a, {1, 2}}};
  request.deleted = {{a, 1}};
  ASSERT_TRUE(store().Retire(request).has_value());
  EXPECT_EQ(store().FindAnswer(a, "1"), std::nullopt);
  EXPECT_EQ(store().FindAnswer(a, "2"), "2");
  EXPECT_EQ(store().FindAnswer(a, "3"), "3");
}

TEST_P(StoreContract, ADeletedContextMayLoseItsNewestRow) {
  const ContextNumber a = MakeContext("a");
  AppendTo(a, 4);
  MakeContext("b", {a, 4});
  ASSERT_TRUE(store().DeleteContext("a").has_value());
  RetireRequest request;
  request.snapshots = {{a, {2, 4}}};
  request.deleted = {{a, 4}, {a, 2}};
  ASSERT_TRUE(store().Retire(request).has_value());
  Reopen();
  EXPECT_EQ(store().GetContext(a)->head, 4);
  EXPECT_EQ(store().GetContext(a)->bytes, RecordOf(a, 1).size() + RecordOf(a, 3).size());
  EXPECT_EQ(NumbersIn(store(), a), Numbers{1});
}

TEST_P(StoreContract, ADeletedContextMayLoseAllThatItLeftAndItsForkGoesOn) {
  const ContextNumber a = MakeContext("a");
  AppendTo(a, 4);
  const ContextNumber b = MakeContext("b", {a, 3});
  AppendTo(b, 2);
  ASSERT_TRUE(store().DeleteContext("a").has_value());
  RetireRequest request;
  request.snapshots = {{a, {1, 3}}, {b, {1, 1}}};
  request.deleted = {{a, 1}, {a, 2}, {b, 1}};
  request.rewritten = {{{a, 3}, "empty"}};  // a context names it
  ASSERT_TRUE(store().Retire(request).has_value());
  Reopen();
  EXPECT_EQ(store().ListGaps(a), (Ranges{{1, 3}}));
  EXPECT_EQ(NumbersIn(store(), a), Numbers{});
  EXPECT_EQ(store().FindCycle(a, 0)->has_value(), false);
  EXPECT_EQ(store().GetContext(a)->head, 3);
  EXPECT_EQ(store().GetContext(a)->bytes, 5);
  EXPECT_EQ(store().GetContext(b)->origin, (RecordId{a, 3}));
  EXPECT_EQ(store().ReadRecord({a, 3}), "empty");
  EXPECT_EQ(store().Stats()->commits, 1);
  EXPECT_EQ(store().Verify({})->size(), 0);
  ExpectError(store().CreateContext("c", {a, 3}, ""), ErrorCode::kSnapshotNotFound);
  AppendTo(b, 1);
  EXPECT_EQ(NumbersIn(store(), b), (Numbers{2, 3}));
  ASSERT_TRUE(store().DeleteContext("b").has_value());
  EXPECT_EQ(store().ListRecords()->size(), 0);
  ExpectError(store().GetContext(a), ErrorCode::kContextNotFound);
  EXPECT_EQ(store().Verify({})->size(), 0);
}

TEST_P(StoreContract, CompactsWithoutLoss) {
  const ContextNumber a = MakeContext("a");
  AppendTo(a, 200);
  RetireRequest request;
  request.snapshots = {{a, {1, 190}}};
  for (CommitNumber n = 1; n <= 190; ++n) request.deleted.push_back({a, n});
  ASSERT_TRUE(store().Retire(request).has_value());
  ASSERT_TRUE(store().Compact().has_value());
  EXPECT_EQ(store().Stats()->free_bytes, 0);
  Reopen();
  for (CommitNumber n = 191; n <= 200; ++n) {
    EXPECT_EQ(store().ReadRecord({a, n}), RecordOf(a, n));
  }
  EXPECT_EQ(store().Verify({})->size(), 0);
}

TEST_P(StoreContract, RetiresStepByStepAndInManyContexts) {
  const ContextNumber a = MakeContext("a");
  const ContextNumber b = MakeContext("b");
  AppendTo(a, 9);
  AppendTo(b, 6);
  const auto sizes = [](ContextNumber context, const Numbers& numbers) {
    std::uint64_t bytes = 0;
    for (const CommitNumber n : numbers) bytes += RecordOf(context, n).size();
    return bytes;
  };
  RetireRequest first;
  first.snapshots = {{a, {2, 2}}, {b, {1, 3}}};
  first.deleted = {{a, 2}, {b, 1}};
  first.rewritten = {{{b, 2}, std::string(5000, 'x')}};
  ASSERT_TRUE(store().Retire(first).has_value());
  EXPECT_EQ(store().GetContext(a)->bytes, sizes(a, {1, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(store().GetContext(b)->bytes, sizes(b, {3, 4, 5, 6}) + 5000);
  RetireRequest second;
  second.snapshots = {{a, {4, 5}}, {b, {4, 4}}};
  second.deleted = {{a, 5}, {b, 3}};
  second.rewritten = {{{b, 2}, ""}, {{a, 9}, "short"}};
  ASSERT_TRUE(store().Retire(second).has_value());
  Reopen();
  EXPECT_EQ(store().ListGaps(a), (Ranges{{2, 2}, {4, 5}}));
  EXPECT_EQ(store().ListGaps(b), (Ranges{{1, 4}}));
  EXPECT_EQ(store().GetContext(a)->bytes, sizes(a, {1, 3, 4, 6, 7, 8}) + 5);
  EXPECT_EQ(store().GetContext(b)->bytes, sizes(b, {4, 5, 6}));
  EXPECT_EQ(NumbersIn(store(), a), (Numbers{1, 3, 6, 7, 8, 9}));
  EXPECT_EQ(NumbersIn(store(), b), (Numbers{5, 6}));
  EXPECT_EQ(store().Stats()->commits, 8);
  EXPECT_EQ(store().ReadRecord({b, 2}), "");
  const std::vector<RecordId> records = {{a, 1}, {a, 3}, {a, 4}, {a, 6}, {a, 7}, {a, 8},
                                         {a, 9}, {b, 2}, {b, 4}, {b, 5}, {b, 6}};
  EXPECT_EQ(store().ListRecords(), records);
  EXPECT_EQ(store().Verify({})->size(), 0);
}

TEST_P(StoreContract, AContextThatIsDeletedLaterKeepsItsGapsUpToWhatIsNeeded) {
  const ContextNumber a = MakeContext("a");
  AppendTo(a, 12);
  MakeContext("b", {a, 7});
  RetireRequest request;
  request.snapshots = {{a, {2, 3}}, {a, {5, 6}}, {a, {8, 10}}};
  request.deleted = {{a, 2}, {a, 6}, {a, 9}};
  ASSERT_TRUE(store().Retire(request).has_value());
  ASSERT_TRUE(store().DeleteContext("a").has_value());
  Reopen();
  EXPECT_EQ(store().ListGaps(a), (Ranges{{2, 3}, {5, 6}}));
  EXPECT_EQ(store().GetContext(a)->head, 7);
  EXPECT_EQ(NumbersIn(store(), a), (Numbers{1, 4, 7}));
  std::uint64_t bytes = 0;
  for (const CommitNumber n : {1, 3, 4, 5, 7}) bytes += RecordOf(a, n).size();
  EXPECT_EQ(store().GetContext(a)->bytes, bytes);
  EXPECT_EQ(store().Stats()->commits, 3);
  EXPECT_EQ(store().Verify({})->size(), 0);
}

}  // namespace
}  // namespace pactdb
