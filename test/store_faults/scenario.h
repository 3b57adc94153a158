// A file with one of everything, and all that can be done to it: what tests of faults run.
//
// The memory store, to which nothing happens, says what a state must read as.
//
// Thread safety: one thread at a time.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <pactdb/ext/store.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "base/sha256.h"
#include "base/try.h"
#include "crash/script.h"
#include "support/scale.h"
#include "support/store_requests.h"

namespace pactdb::support {

struct NamedChange {
  const char* name;
  std::function<Status(Store&)> run;
};

struct NamedRead {
  const char* name;
  std::function<Result<std::string>(Store&)> run;
};

// Contents: one that gets smaller, one that does not, and one that only a change brings.
inline std::string ContentNumber(int number) {
  std::string content;
  for (int i = 0; i < 900; ++i) {
    content += static_cast<char>(number == 0 ? 'a' : (i * i * 31 + i * number * 7) % 251);
  }
  return content;
}

// A commit with ids, a key and contents, each named for its number.
inline Status AppendRich(Store& store, ContextNumber context, CommitNumber number,
                         std::size_t record_bytes, std::vector<int> contents = {}) {
  std::vector<std::string> texts;
  for (const int content : contents) texts.push_back(ContentNumber(content));
  std::vector<StoredContent> stored;
  for (const std::string& text : texts) stored.push_back({Sha256Of(text), text});
  const std::string record(record_bytes, static_cast<char>('a' + number));
  const std::string id = fmt::format("id-{}-{}", context, number);
  const std::vector<std::string_view> ids = {id};
  const std::string key = fmt::format("key-{}-{}", context, number);
  AppendRequest request;
  request.context = context;
  request.expected_head = number - 1;
  request.facts = SampleFacts(number);
  request.record = record;
  request.contents = stored;
  request.ids = ids;
  request.idempotency_key = key;
  request.answer = "answer";
  return store.Append(request);
}

// 1 "main" with gaps, 2 "fork" of it, 3 deleted and kept for 4 "child".
inline Status Fill(Store& store) {
  PACTDB_TRY_STATUS(store.CreateContext("main", {}, "{}"));
  for (CommitNumber n = 1; n <= 6; ++n) {
    PACTDB_TRY_STATUS(AppendRich(store, 1, n, n == 4 ? 9000 : 60, {static_cast<int>(n % 2)}));
  }
  PACTDB_TRY_STATUS(store.CreateContext("fork", {1, 5}, "{}"));
  PACTDB_TRY_STATUS(AppendRich(store, 2, 1, 60));
  PACTDB_TRY_STATUS(store.CreateContext("old", {1, 2}, "{}"));
  for (CommitNumber n = 1; n <= 3; ++n) PACTDB_TRY_STATUS(AppendSample(store, 3, n));
  PACTDB_TRY_STATUS(store.CreateContext("child", {3, 2}, "{}"));
  PACTDB_TRY_STATUS(store.DeleteContext("old"));
  RetireRequest retire;
  retire.snapshots = {{1, {3, 3}}};
  PACTDB_TRY_STATUS(store.Retire(retire));
  const std::vector<std::string> entries = {"one", "two"};
  for (const ContextNumber context : {ContextNumber{1}, ContextNumber{2}}) {
    PACTDB_TRY_STATUS(store.AppendJournal(context, entries));
    PACTDB_TRY_STATUS(store.SetTag(context, {.name = "tag", .commit = 1, .context = context}));
    PACTDB_TRY_STATUS(store.PutAttempt(context, "attempt", "{}"));
  }
  return {};
}

inline Status RetireAll(Store& store) {
  RetireRequest request;
  request.snapshots = {{1, {1, 1}}, {1, {4, 4}}, {3, {1, 1}}};
  request.deleted = {{1, 3}, {3, 1}};
  request.rewritten = {{.id = {1, 4}, .record = "rewritten"}};
  const std::function<bool(const ContentHash256&)> keeps = [](const ContentHash256& hash) {
    return hash == Sha256Of(ContentNumber(0));
  };
  request.keeps_content = &keeps;
  return store.Retire(request);
}

inline Status AppendBatch(Store& store) {
  PACTDB_TRY_STATUS(store.BeginBatch(Durability::kFull));
  for (CommitNumber n = 7; n <= 8; ++n) {
    if (Status appended = AppendRich(store, 1, n, 60, {static_cast<int>(n % 2) + 1}); !appended) {
      store.AbandonBatch();
      return appended;
    }
  }
  return store.EndBatch();
}

inline Status FillNew(Store& store) {
  PACTDB_TRY(const StoredContext made, store.CreateContext("new", {}, "{}"));
  PACTDB_TRY_STATUS(store.SetConfig(made.number, R"({"a":1})"));
  return AppendRich(store, made.number, 1, 9000, {1, 2});
}

inline Status MakeAndFill(Store& store) {
  PACTDB_TRY_STATUS(store.BeginBatch(Durability::kFull));
  if (Status filled = FillNew(store); !filled) {
    store.AbandonBatch();
    return filled;
  }
  return store.EndBatch();
}

// Each on a store that was filled.
inline std::vector<NamedChange> Changes() {
  return {
      {"create",
       [](Store& store) -> Status {
         PACTDB_TRY_STATUS(store.CreateContext("new", {1, 5}, "{}"));
         return {};
       }},
      {"rename", [](Store& store) { return store.RenameContext("fork", "branch"); }},
      {"delete a leaf", [](Store& store) { return store.DeleteContext("fork"); }},
      {"delete a trunk", [](Store& store) { return store.DeleteContext("main"); }},
      {"delete the last that needs another",
       [](Store& store) { return store.DeleteContext("child"); }},
      {"configure", [](Store& store) { return store.SetConfig(1, R"({"a":1})"); }},
      {"append", [](Store& store) { return AppendRich(store, 1, 7, 9000, {1, 2}); }},
      {"append, relaxed",
       [](Store& store) { return AppendSample(store, 2, 2, Durability::kRelaxed); }},
      {"append a batch", AppendBatch},
      {"make and fill in a batch", MakeAndFill},
      {"journal",
       [](Store& store) {
         const std::vector<std::string> entries = {"three", std::string(6000, 'x')};
         return store.AppendJournal(1, entries);
       }},
      {"tag",
       [](Store& store) { return store.SetTag(1, {.name = "t", .commit = 2, .context = 1}); }},
      {"delete a tag", [](Store& store) { return store.DeleteTag(1, "tag"); }},
      {"attempt", [](Store& store) { return store.PutAttempt(1, "another", "[]"); }},
      {"retire", RetireAll},
      {"compact", [](Store& store) { return store.Compact(); }},
  };
}

// How far apart the calls are that are made to fail: a long run (support/scale.h) takes each.
inline std::int64_t Stride(std::int64_t usual) {
  const auto percent = static_cast<std::int64_t>(TestScalePercent());
  if (percent > 100) return 1;
  return usual * 100 / std::max<std::int64_t>(percent, 1);
}

// All that a state is, as text.
inline Result<std::string> DescribeState(Store& store) {
  PACTDB_TRY_STATUS(store.BeginReads());
  Result<std::string> text = crash::Script(0, 0).Describe(store);
  for (int i = 0; text && i < 3; ++i) {
    const Result<std::string> content = store.ReadContent(Sha256Of(ContentNumber(i)));
    if (!content && content.error().code() != ErrorCode::kStoreCorrupt) {
      text = std::unexpected(content.error());
    } else {
      *text += fmt::format("content {} {}\n", i, content.has_value());
    }
  }
  store.EndReads();
  return text;
}

// Every way to read, with an answer that is not nothing.
inline std::vector<NamedRead> Reads() {
  const auto facts_text = [](const CommitFacts& facts) {
    return fmt::format("{}:{}:{};", facts.number, facts.cycle, ToHex(facts.tree_sha256));
  };
  const auto context_text = [](const StoredContext& context) {
    return fmt::format("{} {} {} {};", context.number, context.name, context.head, context.bytes);
  };
  return {
      {"ListContexts",
       [=](Store& store) -> Result<std::string> {
         PACTDB_TRY(const auto contexts, store.ListContexts());
         std::string text;
         for (const StoredContext& context : contexts) text += context_text(context);
         return text;
       }},
      {"FindContext",
       [=](Store& store) -> Result<std::string> {
         PACTDB_TRY(const auto context, store.FindContext("fork"));
         return context ? context_text(*context) : "none";
       }},
      {"GetContext",
       [=](Store& store) -> Result<std::string> {
         PACTDB_TRY(const auto context, store.GetContext(3));
         return context_text(context);
       }},
      {"FindAnswer",
       [](Store& store) -> Result<std::string> {
         PACTDB_TRY(const auto answer, store.FindAnswer(1, "key-1-2"));
         return answer.value_or("none");
       }},
      {"ReadRecord", [](Store& store) { return store.ReadRecord({1, 4}); }},
      // Of a commit that is not there it takes more to know why.
      {"ReadRecord of none",
       [](Store& store) -> Result<std::string> {
         const Result<std::string> record = store.ReadRecord({1, 7});
         if (record || record.error().code() == ErrorCode::kSnapshotNotFound) return "none";
         return record;
       }},
      {"ReadRecord in a gap",
       [](Store& store) -> Result<std::string> {
         const Result<std::string> record = store.ReadRecord({3, 1});
         if (!record && record.error().code() == ErrorCode::kSnapshotNotFound) return "none";
         return record;
       }},
      {"ListRecords",
       [](Store& store) -> Result<std::string> {
         PACTDB_TRY(const auto records, store.ListRecords());
         std::string text;
         for (const RecordId id : records) text += fmt::format("{}/{};", id.context, id.commit);
         return text;
       }},
      {"VisitFacts",
       [=](Store& store) -> Result<std::string> {
         std::string text;
         PACTDB_TRY_STATUS(store.VisitFacts(1, {1, 9}, [&](const CommitFacts& facts) {
           text += facts_text(facts);
           return true;
         }));
         return text;
       }},
      {"FindCycle",
       [=](Store& store) -> Result<std::string> {
         PACTDB_TRY(const auto facts, store.FindCycle(1, 2));
         return facts ? facts_text(*facts) : "none";
       }},
      {"ListGaps",
       [](Store& store) -> Result<std::string> {
         PACTDB_TRY(const auto gaps, store.ListGaps(1));
         std::string text;
         for (const CommitRange& gap : gaps) text += fmt::format("{}-{};", gap.first, gap.last);
         return text;
       }},
      {"ReadContent", [](Store& store) { return store.ReadContent(Sha256Of(ContentNumber(0))); }},
      {"FindId",
       [](Store& store) -> Result<std::string> {
         PACTDB_TRY(const auto number, store.FindId(1, "id-1-2"));
         return fmt::format("{}", number.value_or(0));
       }},
      {"ReadJournal",
       [](Store& store) -> Result<std::string> {
         PACTDB_TRY(const auto entries, store.ReadJournal(1));
         return fmt::format("{}", fmt::join(entries, ";"));
       }},
      {"ListTags",
       [](Store& store) -> Result<std::string> {
         PACTDB_TRY(const auto tags, store.ListTags(1));
         std::string text;
         for (const Tag& tag : tags) text += fmt::format("{}:{};", tag.name, tag.commit);
         return text;
       }},
      {"ListAttempts",
       [](Store& store) -> Result<std::string> {
         PACTDB_TRY(const auto attempts, store.ListAttempts(1));
         return fmt::format("{}", fmt::join(attempts, ";"));
       }},
      {"Stats",
       [](Store& store) -> Result<std::string> {
         PACTDB_TRY(const auto stats, store.Stats());
         return fmt::format("{} {} {} {} {}", stats.free_bytes, stats.contexts, stats.commits,
                            stats.contents, stats.content_stored_bytes);
       }},
      {"between BeginReads and EndReads", [](Store& store) { return DescribeState(store); }},
  };
}

// What the state is after Fill and `change`.
inline std::string ExpectedState(const std::function<Status(Store&)>& change) {
  const std::unique_ptr<Store> store = MakeMemoryStore();
  EXPECT_TRUE(Fill(*store).has_value());
  EXPECT_TRUE(change(*store).has_value());
  return DescribeState(*store).value();
}

}  // namespace pactdb::support
