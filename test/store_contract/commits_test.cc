// Commits, contents and ids.
#include "store_contract/backends.h"

namespace pactdb {

bool operator==(const CommitFacts& a, const CommitFacts& b) {
  return a.number == b.number && a.cycle == b.cycle && a.committed_at_ns == b.committed_at_ns &&
         a.added == b.added && a.removed == b.removed && a.changed == b.changed &&
         a.nodes == b.nodes && a.tree_sha256 == b.tree_sha256;
}

namespace {

TEST_P(StoreContract, GivesRecordsBackByteForByte) {
  const ContextNumber context = MakeContext("main");
  AppendTo(context, 5);
  AppendRequest request = RequestAfter(context, 5);
  const std::string large(300'000, '\xff');
  request.record = large;
  ASSERT_TRUE(store().Append(request).has_value());
  Reopen();
  for (CommitNumber n = 1; n <= 5; ++n) {
    EXPECT_EQ(store().ReadRecord({context, n}), RecordOf(context, n));
  }
  EXPECT_EQ(store().ReadRecord({context, 6}), large);
  ExpectError(store().ReadRecord({context, 7}), ErrorCode::kSnapshotNotFound);
  ExpectError(store().ReadRecord({context, 0}), ErrorCode::kSnapshotNotFound);
  ExpectError(store().ReadRecord({context + 1, 1}), ErrorCode::kSnapshotNotFound);
}

TEST_P(StoreContract, ReadsRecordsInAnyOrder) {
  const ContextNumber first = MakeContext("first");
  const ContextNumber second = MakeContext("second");
  AppendTo(first, 5);
  AppendTo(second, 3);
  const auto reads_all = [&] {
    for (const CommitNumber n : {1, 2, 3, 3, 2, 5, 4, 5})
      EXPECT_EQ(store().ReadRecord({first, n}), RecordOf(first, n)) << n;
    // Behind the last row of one context stands the first of the next.
    ExpectError(store().ReadRecord({first, 6}), ErrorCode::kSnapshotNotFound);
    EXPECT_EQ(store().ReadRecord({second, 1}), RecordOf(second, 1));
    EXPECT_EQ(store().ReadRecord({second, 2}), RecordOf(second, 2));
  };
  reads_all();
  ASSERT_TRUE(store().BeginReads().has_value());
  reads_all();
  store().EndReads();
  // What was read keeps nothing from being changed, and no old state.
  ASSERT_TRUE(store().Append(RequestAfter(second, 3)).has_value());
  EXPECT_EQ(store().ReadRecord({second, 3}), RecordOf(second, 3));
  EXPECT_EQ(store().ReadRecord({second, 4}), RecordOf(second, 4));
  EXPECT_TRUE(store().Compact().has_value());
}

TEST_P(StoreContract, TakesAnEmptyRecord) {
  const ContextNumber context = MakeContext("main");
  AppendRequest request = RequestAfter(context, 0);
  request.record = {};
  ASSERT_TRUE(store().Append(request).has_value());
  EXPECT_EQ(store().ReadRecord({context, 1}), "");
}

TEST_P(StoreContract, GivesFactsBack) {
  const ContextNumber context = MakeContext("main");
  AppendRequest first = RequestAfter(context, 0);
  first.facts.committed_at_ns.reset();
  first.facts.cycle = -3;
  ASSERT_TRUE(store().Append(first).has_value());
  for (CommitNumber n = 1; n < 600; ++n) {
    ASSERT_TRUE(store()
                    .Append([&] {
                      AppendRequest request = RequestAfter(context, n);
                      request.durability = Durability::kRelaxed;
                      return request;
                    }())
                    .has_value());
  }
  Reopen();
  const std::vector<CommitFacts> all = FactsIn(store(), context, {0, 10'000});
  ASSERT_EQ(all.size(), 600);
  EXPECT_TRUE(all.front() == first.facts);
  for (CommitNumber n = 2; n <= 600; ++n) EXPECT_TRUE(all[n - 1] == FactsOf(n)) << n;
  EXPECT_EQ(FactsIn(store(), context, {300, 302}).size(), 3);
  EXPECT_EQ(FactsIn(store(), context, {601, 700}).size(), 0);
  EXPECT_EQ(FactsIn(store(), context, {5, 4}).size(), 0);
}

TEST_P(StoreContract, EndsAVisitWhenTold) {
  const ContextNumber context = MakeContext("main");
  AppendTo(context, 5);
  int seen = 0;
  ASSERT_TRUE(store()
                  .VisitFacts(context, {1, 5},
                              [&](const CommitFacts& facts) {
                                // A visitor may read.
                                EXPECT_TRUE(store().ReadRecord({context, facts.number}));
                                EXPECT_EQ(FactsIn(store(), context, {1, 2}).size(), 2);
                                return ++seen < 3;
                              })
                  .has_value());
  EXPECT_EQ(seen, 3);
}

TEST_P(StoreContract, AppendsOnlyToTheHeadTheCallerSaw) {
  const ContextNumber context = MakeContext("main");
  AppendTo(context, 2);
  const auto expect_conflict = [&](CommitNumber expected) {
    const Status status = store().Append(RequestAfter(context, expected));
    ExpectError(status, ErrorCode::kConflict);
    ASSERT_GE(status.error().details().size(), 2);
    EXPECT_EQ(status.error().details()[0].name, "expected");
    EXPECT_EQ(status.error().details()[0].number, expected);
    EXPECT_EQ(status.error().details()[1].name, "head");
    EXPECT_EQ(status.error().details()[1].number, 2);
  };
  expect_conflict(0);
  expect_conflict(1);
  expect_conflict(3);
  EXPECT_EQ(store().GetContext(context)->head, 2);
  AppendTo(context, 1);
}

TEST_P(StoreContract, RefusesAnotherEpochAndACycleThatDoesNotRise) {
  const ContextNumber context = MakeContext("main");
  AppendTo(context, 1);
  AppendRequest request = RequestAfter(context, 1);
  request.epoch = 7;
  ExpectError(store().Append(request), ErrorCode::kConflict);
  request = RequestAfter(context, 1);
  request.facts.cycle = 10;
  ExpectError(store().Append(request), ErrorCode::kRequestInvalid);
  ExpectError(store().Append(RequestAfter(context + 9, 0)), ErrorCode::kContextNotFound);
}

TEST_P(StoreContract, MakesContextsInABatchWithTheirCommits) {
  const ContextNumber first = MakeContext("first");
  for (const bool ends : {false, true}) {
    ASSERT_TRUE(store().BeginBatch(Durability::kFull).has_value());
    const ContextNumber made = MakeContext("made");
    const ContextNumber empty = MakeContext("empty");
    EXPECT_NE(made, empty);
    ASSERT_TRUE(store().SetConfig(first, R"({"a":1})").has_value());
    ASSERT_TRUE(store().SetConfig(made, R"({"b":1})").has_value());
    AppendTo(made, 2);
    // What is read meanwhile is what the batch has done.
    EXPECT_EQ(store().FindContext("made").value()->head, 2U);
    EXPECT_EQ(store().GetContext(first)->config, R"({"a":1})");
    ExpectError(store().CreateContext("made", {}, "{}"), ErrorCode::kContextExists);
    if (ends) {
      ASSERT_TRUE(store().EndBatch().has_value());
      Reopen();
      EXPECT_EQ(store().GetContext(made)->head, 2U);
      EXPECT_EQ(store().GetContext(made)->config, R"({"b":1})");
      EXPECT_EQ(store().ListContexts()->size(), 3U);
    } else {
      store().AbandonBatch();
      Reopen();
      EXPECT_EQ(store().GetContext(first)->config, "{}");
      EXPECT_EQ(store().ListContexts()->size(), 1U);
      ExpectError(store().GetContext(made), ErrorCode::kContextNotFound);
      EXPECT_EQ(store().ListRecords()->size(), 0U);
    }
  }
  EXPECT_TRUE(store().Verify({}).value().empty());
}

// A store that remembers where a context ends must notice when that is no longer so.
TEST_P(StoreContract, AppendsToWhatIsThereNowWhateverCameBetween) {
  const ContextNumber first = MakeContext("first");
  const ContextNumber second = MakeContext("second");
  AppendTo(first, 3);
  AppendTo(second, 1);
  ASSERT_TRUE(store().Append(RequestAfter(first, 3)).has_value());
  ExpectError(store().Append(RequestAfter(second, 4)), ErrorCode::kConflict);
  ASSERT_TRUE(store().Append(RequestAfter(second, 1)).has_value());
  // A batch that is abandoned, one that is not.
  ASSERT_TRUE(store().BeginBatch(Durability::kRelaxed).has_value());
  ASSERT_TRUE(store().Append(RequestAfter(second, 2)).has_value());
  store().AbandonBatch();
  ExpectError(store().Append(RequestAfter(second, 3)), ErrorCode::kConflict);
  ASSERT_TRUE(store().BeginBatch(Durability::kRelaxed).has_value());
  ASSERT_TRUE(store().Append(RequestAfter(second, 2)).has_value());
  ASSERT_TRUE(store().Append(RequestAfter(second, 3)).has_value());
  ASSERT_TRUE(store().EndBatch().has_value());
  ExpectError(store().Append(RequestAfter(second, 2)), ErrorCode::kConflict);
  ASSERT_TRUE(store().Append(RequestAfter(second, 4)).has_value());
  ASSERT_TRUE(store().DeleteContext("second").has_value());
  ExpectError(store().Append(RequestAfter(second, 5)), ErrorCode::kContextNotFound);
  ASSERT_TRUE(store().Append(RequestAfter(first, 4)).has_value());
  EXPECT_TRUE(store().Verify({}).value().empty());
}

TEST_P(StoreContract, KeepsNothingOfARefusedAppend) {
  const ContextNumber context = MakeContext("main");
  AppendTo(context, 1);
  AppendRequest request = RequestAfter(context, 0);
  const std::string bytes = "contents of a commit that was not";
  const StoredContent content{.hash = Sha256Of(bytes), .bytes = bytes};
  const std::string_view id = "mine";
  request.contents = {&content, 1};
  request.ids = {&id, 1};
  request.idempotency_key = "key";
  request.answer = "{}";
  ExpectError(store().Append(request), ErrorCode::kConflict);
  ExpectError(store().ReadContent(content.hash), ErrorCode::kStoreCorrupt);
  EXPECT_EQ(store().FindId(context, id), std::nullopt);
  EXPECT_EQ(store().FindAnswer(context, "key"), std::nullopt);
}

TEST_P(StoreContract, FindsTheFirstSnapshotFromACycleOn) {
  const ContextNumber context = MakeContext("main");
  EXPECT_FALSE(store().FindCycle(context, 0)->has_value());
  AppendTo(context, 33);
  for (std::int64_t cycle = -5; cycle <= 345; ++cycle) {
    const auto found = store().FindCycle(context, cycle);
    ASSERT_TRUE(found.has_value());
    const std::int64_t wanted = std::max<std::int64_t>(1, (cycle + 9) / 10);
    if (wanted > 33) {
      EXPECT_FALSE(found->has_value()) << cycle;
    } else {
      ASSERT_TRUE(found->has_value()) << cycle;
      EXPECT_EQ((*found)->number, wanted) << cycle;
    }
  }
}

TEST_P(StoreContract, KeepsAContentOnceAndGivesItBack) {
  const ContextNumber context = MakeContext("main");
  std::string random;
  for (unsigned i = 0; i < 5000; ++i) random += static_cast<char>((i * 2654435761U) >> 13);
  const std::vector<std::string> texts = {"", "short", std::string(100'000, 'a'), random};
  std::vector<StoredContent> contents;
  for (const std::string& text : texts) contents.push_back({Sha256Of(text), text});
  for (CommitNumber head = 0; head < 2; ++head) {
    AppendRequest request = RequestAfter(context, head);
    request.contents = contents;
    ASSERT_TRUE(store().Append(request).has_value());
  }
  Reopen();
  for (const StoredContent& content : contents) {
    EXPECT_EQ(store().ReadContent(content.hash), std::string(content.bytes));
  }
  const Result<StoreStats> stats = store().Stats();
  EXPECT_EQ(stats->contents, 4);
  EXPECT_EQ(stats->content_bytes, 5 + 100'000 + random.size());
  EXPECT_LE(stats->content_stored_bytes, stats->content_bytes);
  ExpectError(store().ReadContent({}), ErrorCode::kStoreCorrupt);
}

TEST_P(StoreContract, SER_7_TellsOfTwoContentsWithOneHash) {
  const ContextNumber context = MakeContext("main");
  const std::string bytes = "what was said first";
  const StoredContent first{.hash = Sha256Of(bytes), .bytes = bytes};
  const StoredContent second{.hash = first.hash, .bytes = "what was said then."};
  const auto append = [&](CommitNumber head, const std::vector<StoredContent>& contents) {
    AppendRequest request = RequestAfter(context, head);
    request.contents = contents;
    const Status status = store().Append(request);
    return status ? "" : status.error().message();
  };
  const std::string told = "content " + ToHex(first.hash) +
                           " is stored with other bytes: two contents have one hash, and the "
                           "second cannot be kept";
  EXPECT_EQ(append(0, {first, second}), told) << "in one commit";
  ExpectError(store().ReadContent(first.hash), ErrorCode::kStoreCorrupt);
  EXPECT_EQ(append(0, {first, first}), "");
  EXPECT_EQ(append(1, {second}), told);
  EXPECT_EQ(store().GetContext(context)->head, 1);
  EXPECT_EQ(store().ReadContent(first.hash), bytes);
}

TEST_P(StoreContract, FindsIdsByContext) {
  const ContextNumber one = MakeContext("one");
  const ContextNumber two = MakeContext("two");
  AppendTo(one, 1);
  const std::vector<std::string_view> ids = {"a", "'; DROP TABLE ids; --", "\xf0\x9f\x92\xbe",
                                             std::string_view("nul\0byte", 8)};
  AppendRequest request = RequestAfter(one, 1);
  request.ids = ids;
  ASSERT_TRUE(store().Append(request).has_value());
  Reopen();
  for (const std::string_view id : ids) {
    EXPECT_EQ(store().FindId(one, id), CommitNumber{2});
    EXPECT_EQ(store().FindId(two, id), std::nullopt);
  }
  EXPECT_EQ(store().FindId(one, "nul"), std::nullopt);
  EXPECT_EQ(store().FindId(one, ""), std::nullopt);
  ExpectError(store().FindId(99, "a"), ErrorCode::kContextNotFound);
}

TEST_P(StoreContract, AnswersAKeyWithTheFirstAnswer) {
  const ContextNumber context = MakeContext("main");
  const ContextNumber other = MakeContext("other");
  AppendRequest request = RequestAfter(context, 0);
  request.idempotency_key = "key";
  request.answer = R"({"cycle":1})";
  ASSERT_TRUE(store().Append(request).has_value());
  Reopen();
  EXPECT_EQ(store().FindAnswer(context, "key"), R"({"cycle":1})");
  EXPECT_EQ(store().FindAnswer(context, "other"), std::nullopt);
  EXPECT_EQ(store().FindAnswer(other, "key"), std::nullopt);
  AppendRequest again = RequestAfter(context, 1);
  again.idempotency_key = "key";
  ExpectError(store().Append(again), ErrorCode::kConflict);
  EXPECT_EQ(store().GetContext(context)->head, 1);
}

TEST_P(StoreContract, ABatchIsThereWholeOrNotAtAll) {
  const ContextNumber context = MakeContext("main");
  AppendTo(context, 1);
  const std::vector<std::string> journal = {"entry"};
  ASSERT_TRUE(store().AppendJournal(context, journal).has_value());
  const std::string bytes = "of an abandoned batch";
  const StoredContent content{.hash = Sha256Of(bytes), .bytes = bytes};
  const std::string_view id = "mine";
  const auto append_two = [&] {
    AppendRequest request = RequestAfter(context, 1);
    request.contents = {&content, 1};
    request.ids = {&id, 1};
    request.idempotency_key = "key";
    EXPECT_TRUE(store().Append(request).has_value());
    EXPECT_TRUE(store().Append(RequestAfter(context, 2)).has_value());
  };
  ASSERT_TRUE(store().BeginBatch(Durability::kFull).has_value());
  append_two();
  ExpectError(store().Append(RequestAfter(context, 1)), ErrorCode::kConflict);
  store().AbandonBatch();
  EXPECT_EQ(NumbersIn(store(), context), std::vector<CommitNumber>{1});
  EXPECT_EQ(store().GetContext(context)->bytes, RecordOf(context, 1).size());
  ExpectError(store().ReadContent(content.hash), ErrorCode::kStoreCorrupt);
  EXPECT_EQ(store().FindId(context, id), std::nullopt);
  EXPECT_EQ(store().FindAnswer(context, "key"), std::nullopt);
  EXPECT_EQ(store().ReadJournal(context), journal);

  ASSERT_TRUE(store().BeginBatch(Durability::kFull).has_value());
  append_two();
  ASSERT_TRUE(store().EndBatch().has_value());
  Reopen();
  EXPECT_EQ(NumbersIn(store(), context), (std::vector<CommitNumber>{1, 2, 3}));
  EXPECT_EQ(store().ReadContent(content.hash), bytes);
  EXPECT_EQ(store().FindId(context, id), CommitNumber{2});
  EXPECT_EQ(store().ReadJournal(context)->size(), 0);
  AppendTo(context, 1);
}

TEST_P(StoreContract, EmptiesAJournalThatWasWrittenAfterAnotherCommit) {
  const ContextNumber context = MakeContext("main");
  const std::vector<std::string> journal = {"entry"};
  for (CommitNumber head = 0; head < 3; ++head) {
    ASSERT_TRUE(store().AppendJournal(context, journal).has_value());
    EXPECT_EQ(store().ReadJournal(context), journal);
    AppendTo(context, 1);
    EXPECT_EQ(store().ReadJournal(context)->size(), 0);
    AppendTo(context, 1);
  }
}

TEST_P(StoreContract, VerifiesClean) {
  const ContextNumber context = MakeContext("main");
  AppendTo(context, 20);
  double last = -1;
  const auto problems = store().Verify([&](double done) {
    EXPECT_GE(done, last);
    last = done;
  });
  ASSERT_TRUE(problems.has_value());
  for (const StoreProblem& problem : *problems) ADD_FAILURE() << problem.what << problem.message;
  EXPECT_EQ(last, 1.0);
}

INSTANTIATE_TEST_SUITE_P(On, StoreContract, testing::Values(Backend::kMemory, Backend::kSqlite),
                         [](const testing::TestParamInfo<Backend>& backend) {
                           return backend.param == Backend::kMemory ? "Memory" : "Sqlite";
                         });

}  // namespace
}  // namespace pactdb
