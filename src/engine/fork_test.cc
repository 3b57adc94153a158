// Forks and tags through the C++ API.
#include <gtest/gtest.h>
#include <pactdb/diff.h>

#include <optional>
#include <string>

#include "support/contexts.h"

namespace pactdb {
namespace {

using support::Block;
using support::CodeOf;
using support::Must;
using support::NewContext;
using support::VerifyOk;

void CommitText(Context& context, std::string_view text) {
  Must(context.Add(NodeSpec().Role("user").Text(text)));
  Must(context.Commit());
}

// Three turns: one, two, three; and two blocks beside them.
Context ThreeTurns() {
  Context context = NewContext();
  Must(context.Add(Block("rule"), {.parent = "^sys"}));
  Must(context.Add(Block("note").Offset(1), {.parent = "^ah"}));
  for (const char* text : {"one", "two", "three"}) CommitText(context, text);
  return context;
}

std::string Thread(const Context& context, std::string_view at = "@t0") {
  return Must(context.Render({.at = std::string(at)})).body;
}

TEST(Fork, BeginsAsTheSnapshotItWasMadeAt) {
  Context main = ThreeTurns();
  Must(main.Add(Block("open")));
  const Context fork = Must(main.Fork("@c2"));
  EXPECT_EQ(fork.open_cycle(), 3);
  EXPECT_EQ(fork.tree_sha256(), Must(main.At("@c2")).tree_sha256());
  EXPECT_EQ(Thread(fork), Thread(main, "@c2"));
  EXPECT_EQ(CodeOf(fork.At("@c3")), "E_SNAPSHOT_NOT_FOUND");
  EXPECT_EQ(CodeOf(fork.Get("open")), "E_NODE_NOT_FOUND");
  EXPECT_EQ(CodeOf(fork.Get("block:3.1")), "E_NODE_NOT_FOUND");
  EXPECT_EQ(fork.Verify(), VerifyOk());
}

TEST(Fork, BothGoOnIndependently) {
  Context main = ThreeTurns();
  Context fork = Must(main.Fork("@t0"));
  Must(fork.Pin("rule"));
  Must(main.Remove("note"));
  CommitText(fork, "fork's");
  CommitText(main, "main's");
  EXPECT_NE(Must(fork.Get("rule")), Must(main.Get("rule")));
  EXPECT_EQ(CodeOf(main.Get("note")), "E_NODE_NOT_FOUND");
  EXPECT_EQ(CodeOf(fork.Get("note")), "ok");
  EXPECT_NE(Must(fork.Get("block:4.1")), Must(main.Get("block:4.1")));
  EXPECT_EQ(Must(fork.Get("rule", "@c3")), Must(main.Get("rule", "@c3")));
  EXPECT_EQ(main.Verify(), VerifyOk());
  EXPECT_EQ(fork.Verify(), VerifyOk());
}

TEST(Fork, OutlivesTheContextItWasForkedFrom) {
  std::optional<Context> main = ThreeTurns();
  std::optional<Context> middle = Must(main->Fork("@c2"));
  CommitText(*middle, "middle");
  Context fork = Must(middle->Fork("@t0"));
  const std::string before = Thread(fork);
  main.reset();
  middle.reset();
  EXPECT_EQ(Thread(fork), before);
  CommitText(fork, "alone");
  EXPECT_EQ(Must(fork.At("@t0")).turn_count(), 4u);
  EXPECT_EQ(fork.Verify(), VerifyOk());
}

// The clock stands where it stood at the commit: what the origin did later leaves no trace.
TEST(Fork, GivesTheSameBytesWheneverItIsMade) {
  Context main = ThreeTurns();
  Context early = Must(main.Fork("@c2"));
  CommitText(main, "four");
  Context late = Must(main.Fork("@c2"));
  Context again = Must(late.Fork("@c2"));
  for (Context* fork : {&early, &late, &again}) CommitText(*fork, "same");
  EXPECT_EQ(early.tree_sha256(), late.tree_sha256());
  EXPECT_EQ(early.tree_sha256(), again.tree_sha256());
  Context plain = NewContext();
  Must(plain.Add(Block("rule"), {.parent = "^sys"}));
  Must(plain.Add(Block("note").Offset(1), {.parent = "^ah"}));
  for (const char* text : {"one", "two", "same"}) CommitText(plain, text);
  EXPECT_EQ(plain.tree_sha256(), early.tree_sha256());
}

TEST(Fork, BeginsAClockThatWasConfiguredSinceAtItsFirstTick) {
  Context main = ThreeTurns();
  Options options = main.options();
  options.clock = SteppedClockOptions{.start_ns = 5'000'000, .step_ns = 10};
  Must(main.Configure(options));
  CommitText(main, "four");
  const auto stamp = [](const Context& context) {
    return Must(context.At("@t0")).Find("block:4.1")->created_at_ns();
  };
  Context before = Must(main.Fork("@c3"));
  CommitText(before, "four");
  EXPECT_EQ(stamp(before), stamp(main));
  Context after = Must(main.Fork("@c4"));
  CommitText(after, "five");
  EXPECT_EQ(Must(after.At("@t0")).Find("block:5.1")->created_at_ns(), 5'000'040);
}

TEST(Fork, TakesOptionsAndLeavesHoldsAttemptsAndKeys) {
  Options options = support::SteppedOptions();
  options.dialect = Dialect::kDepth;
  options.policy = Policy{.max_turns = 7};
  Context main = NewContext(options);
  Must(main.Add(Block("b").Ttl(1)));
  const NodeRef hold = Must(main.Hold("b"));
  Must(main.Commit({.idempotency_key = "k"}));
  Must(main.StartAttempt({}));
  Context fork = Must(main.Fork("@t0"));
  EXPECT_EQ(fork.options(), main.options());
  EXPECT_EQ(fork.ListAttempts(), R"({"attempts":[]})");
  EXPECT_EQ(Must(fork.Commit({.idempotency_key = "k"})).cycle, 2);
  EXPECT_EQ(CodeOf(fork.Get("b")), "E_NODE_NOT_FOUND") << "nobody holds it here";
  Must(main.Commit());
  EXPECT_EQ(CodeOf(main.Get("b")), "ok");
}

TEST(Fork, BeginsAtASnapshotOnly) {
  Context main = NewContext();
  EXPECT_EQ(CodeOf(main.Fork("@t0")), "E_SNAPSHOT_NOT_FOUND");
  CommitText(main, "one");
  EXPECT_EQ(CodeOf(main.Fork("working")), "E_REQUEST_INVALID");
  EXPECT_EQ(CodeOf(main.Fork("@x")), "E_REQUEST_INVALID");
  EXPECT_EQ(CodeOf(main.Fork("no-tag")), "E_SNAPSHOT_NOT_FOUND");
}

TEST(Fork, OfTooManyForksIsRefused) {
  Context context = ThreeTurns();
  int depth = 0;
  for (; depth < 5000; ++depth) {
    auto fork = context.Fork("@t0");
    if (!fork) {
      EXPECT_EQ(CodeOf(fork), "E_LIMIT_EXCEEDED");
      break;
    }
    context = *std::move(fork);
    Must(context.Commit());
  }
  EXPECT_EQ(depth, 1024);
  EXPECT_EQ(CodeOf(context.Get("rule")), "ok");
  // A fork that made no commit is none that counts.
  Context main = ThreeTurns();
  for (int i = 0; i < 3000; ++i) main = Must(main.Fork("@t0"));
}

TEST(Fork, TagsNameSnapshots) {
  Context main = ThreeTurns();
  EXPECT_EQ(Must(main.Tag("good", "@t-1")), 2);
  EXPECT_EQ(Must(main.At("good")).cycle(), 2);
  EXPECT_EQ(Must(main.Get("block:2.1", "good")), Must(main.Get("block:2.1", "@c2")));
  EXPECT_EQ(Must(main.Tag("good", "@c3")), 3);
  EXPECT_EQ(Must(main.Tag("also", "good")), 3);
  Context fork = Must(main.Fork("good"));
  EXPECT_EQ(fork.open_cycle(), 4);
  EXPECT_EQ(CodeOf(fork.At("good")), "E_SNAPSHOT_NOT_FOUND") << "it is main's";
  EXPECT_EQ(Must(fork.Tag("good", "@c1")), 1);
  EXPECT_EQ(Must(main.At("good")).cycle(), 3);
  EXPECT_EQ(Must(main.RemoveTag("also")), 3);
  EXPECT_EQ(CodeOf(main.At("also")), "E_SNAPSHOT_NOT_FOUND");
  EXPECT_EQ(CodeOf(main.RemoveTag("also")), "E_SNAPSHOT_NOT_FOUND");
  EXPECT_EQ(CodeOf(main.Tag("working", "@t0")), "E_REQUEST_INVALID");
  EXPECT_EQ(CodeOf(main.Tag("x", "@c9")), "E_SNAPSHOT_NOT_FOUND");
  EXPECT_EQ(CodeOf(main.Tag("x", "working")), "E_SNAPSHOT_NOT_FOUND");
}

// Both branches make the same ids; they name different nodes.
TEST(Fork, DiffAcrossBranchesGoesByCommonAncestry) {
  Context main = ThreeTurns();
  Context fork = Must(main.Fork("@c3"));
  Must(fork.Pin("note"));
  CommitText(fork, "four");
  CommitText(main, "four");
  EXPECT_EQ(Must(main.Diff("@c4", fork, "@c4")),
            R"({"added":["seg:4","cont:4.0","block:4.1"],)"
            R"("removed":["seg:4","cont:4.0","block:4.1"],)"
            R"("changed":[{"id":"note","fields":["pinned"]}]})");
  EXPECT_EQ(Must(main.Diff("@c3", fork, "@c4")), Must(fork.Diff("@c3", "@c4")));
  EXPECT_EQ(Must(main.Diff("@c2", fork, "@c2")), R"({"added":[],"removed":[],"changed":[]})");
  EXPECT_EQ(Must(main.Diff("@c4", fork, "@c4", {.selector = ".block"})),
            R"({"added":["block:4.1"],"removed":["block:4.1"],)"
            R"("changed":[{"id":"note","fields":["pinned"]}]})");
}

}  // namespace
}  // namespace pactdb
