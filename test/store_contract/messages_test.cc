// What every store says when it refuses: the same words, whoever keeps the data.
#include <sys/mman.h>

#include "base/limits.h"
#include "store_contract/backends.h"
#include "support/error_text.h"

namespace pactdb {
namespace {

using support::ErrorText;

TEST_P(StoreContract, SaysWhichContextIsMissingOrTaken) {
  MakeContext("main");
  EXPECT_EQ(ErrorText(store().DeleteContext("none")),
            "E_CONTEXT_NOT_FOUND: no context is named 'none' {context=none}");
  EXPECT_EQ(ErrorText(store().RenameContext("none", "x")),
            "E_CONTEXT_NOT_FOUND: no context is named 'none' {context=none}");
  EXPECT_EQ(ErrorText(store().GetContext(7)),
            "E_CONTEXT_NOT_FOUND: no context has the number 7 {number=7}");
  EXPECT_EQ(ErrorText(store().CreateContext("main", {}, "{}")),
            "E_CONTEXT_EXISTS: a context named 'main' exists {context=main}");
  MakeContext("other");
  EXPECT_EQ(ErrorText(store().RenameContext("other", "main")),
            "E_CONTEXT_EXISTS: a context named 'main' exists {context=main}");
}

TEST_P(StoreContract, SaysWhatIsNotThere) {
  const ContextNumber main = MakeContext("main");
  AppendTo(main, 2);
  const std::string none = "E_SNAPSHOT_NOT_FOUND: context 1 has no commit 3 {number=1 commit=3}";
  EXPECT_EQ(ErrorText(store().ReadRecord({main, 3})), none);
  EXPECT_EQ(ErrorText(store().CreateContext("fork", {main, 3}, "{}")), none);
  EXPECT_EQ(ErrorText(store().DeleteTag(main, "v1")),
            "E_SNAPSHOT_NOT_FOUND: no tag is named 'v1' {tag=v1}");
  const std::string hash = ToHex(Sha256Of("x"));
  EXPECT_EQ(ErrorText(store().ReadContent(Sha256Of("x"))),
            "E_STORE_CORRUPT: content " + hash + " is missing {content=" + hash + "}");
}

TEST_P(StoreContract, SaysWhyACommitIsRefused) {
  const ContextNumber main = MakeContext("main");
  AppendTo(main, 2);
  EXPECT_EQ(ErrorText(store().Append(RequestAfter(main, 1))),
            "E_CONFLICT: the newest commit is 2, not 1 {expected=1 head=2}");
  AppendRequest epoch = RequestAfter(main, 2);
  epoch.epoch = 7;
  EXPECT_EQ(ErrorText(store().Append(epoch)),
            "E_CONFLICT: the context is in epoch 0, not 7 {expected=2 head=2 epoch=0}");
  AppendRequest cycle = RequestAfter(main, 2);
  for (const std::int64_t n : {19, 20}) {
    cycle.facts.cycle = n;
    EXPECT_EQ(ErrorText(store().Append(cycle)),
              "E_REQUEST_INVALID: cycle " + std::to_string(n) +
                  " does not follow cycle 20 {cycle=" + std::to_string(n) + "}");
  }
  cycle.facts.cycle = 21;
  cycle.idempotency_key = "key";
  EXPECT_EQ(ErrorText(store().Append(cycle)), "ok");
  AppendRequest key = RequestAfter(main, 3);
  key.idempotency_key = "key";
  EXPECT_EQ(ErrorText(store().Append(key)),
            "E_CONFLICT: a commit of this context has the idempotency key already");
}

TEST_P(StoreContract, SaysWhichLimitARecordOrContentPasses) {
  const ContextNumber main = MakeContext("main");
  const std::size_t size = limits::kRecordBytesMax + 1;
  void* memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const std::string_view large(static_cast<const char*>(memory), size);
  AppendRequest record = RequestAfter(main, 0);
  record.record = large;
  EXPECT_EQ(
      ErrorText(store().Append(record)),
      "E_LIMIT_EXCEEDED: the commit's record is too large {limit=record_bytes max=999000000}");
  // The second of two, and one that has just the size.
  const std::string whole(limits::kContentBytesMax, 'x');
  const std::vector<StoredContent> contents = {{Sha256Of(whole), whole},
                                               {{}, large.substr(0, limits::kContentBytesMax + 1)}};
  AppendRequest request = RequestAfter(main, 0);
  request.contents = contents;
  EXPECT_EQ(ErrorText(store().Append(request)),
            "E_LIMIT_EXCEEDED: a content is too large {limit=content_bytes max=33554432}");
  request.contents = {contents.data(), 1};
  EXPECT_EQ(ErrorText(store().Append(request)), "ok");
  munmap(memory, size);
}

TEST_P(StoreContract, SaysWhyARowCannotGo) {
  const ContextNumber main = MakeContext("main");
  AppendTo(main, 4);
  const auto retired = [&](RetireRequest request) { return ErrorText(store().Retire(request)); };
  EXPECT_EQ(retired({.snapshots = {{main, {2, 4}}}}),
            "E_REQUEST_INVALID: commit 4 cannot go: it is the newest of its context {number=1 "
            "commit=4}");
  EXPECT_EQ(retired({.deleted = {{main, 2}}}),
            "E_REQUEST_INVALID: commit 2 cannot go: it is a snapshot {number=1 commit=2}");
  EXPECT_EQ(retired({.snapshots = {{main, {2, 5}}}}),
            "E_SNAPSHOT_NOT_FOUND: context 1 has no commit 5 {number=1 commit=5}");
  EXPECT_EQ(retired({.snapshots = {{main, {0, 1}}}}),
            "E_SNAPSHOT_NOT_FOUND: context 1 has no commit 1 {number=1 commit=1}");
  EXPECT_EQ(retired({.snapshots = {{9, {1, 1}}}}),
            "E_CONTEXT_NOT_FOUND: no context has the number 9 {number=9}");
  EXPECT_EQ(retired({.snapshots = {{main, {3, 3}}}}), "ok");
}

}  // namespace
}  // namespace pactdb
