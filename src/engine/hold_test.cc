#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pactdb/context.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/contexts.h"

namespace pactdb {
namespace {

using support::Block;
using support::CodeOf;
using support::Must;
using support::NewContext;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NodeRef, LIFE_17_KeepsANodeFromExpiring) {
  Context context = NewContext();
  Must(context.Add(Block("x", "held").Ttl(0)));
  std::optional<NodeRef> ref = Must(context.Hold("x"));
  for (int cycle = 1; cycle <= 3; ++cycle) {
    const CommitResult commit = Must(context.Commit());
    EXPECT_THAT(commit.deferred, ElementsAre("x"));
    EXPECT_THAT(commit.expired, IsEmpty());
    EXPECT_EQ(Must(context.At("@t0")).Find("x")->ttl(), 0);
  }
  ref.reset();
  const CommitResult commit = Must(context.Commit());
  EXPECT_THAT(commit.expired, ElementsAre("x"));
  EXPECT_THAT(commit.deferred, IsEmpty());
  EXPECT_FALSE(Must(context.At("@t0")).Find("x"));
  EXPECT_TRUE(Must(context.At("@t-1")).Find("x"));
}

TEST(NodeRef, LIFE_17_KeepsANodeFromBeingPruned) {
  Options options = support::SteppedOptions();
  options.policy = Policy{.max_nodes = 3};
  Context context = NewContext(options);
  Must(context.Add(Block("a")));
  Must(context.Add(Block("b")));
  Must(context.Commit());  // seg:1(cont:1.0(a b))
  std::optional<NodeRef> ref = Must(context.Hold("a"));
  const CommitResult commit = Must(context.Commit());
  EXPECT_THAT(commit.pruned, ElementsAre("b"));
  EXPECT_THAT(commit.deferred, IsEmpty());
  ref.reset();
  EXPECT_THAT(Must(context.Commit()).pruned, ElementsAre("a"));
}

TEST(NodeRef, LIFE_20_FindsNothingOnceItsNodeIsGone) {
  Context context = NewContext();
  Must(context.Add(Block("x", "text")));
  const NodeRef ref = Must(context.Hold("x"));
  EXPECT_EQ(ref.id(), "x");
  EXPECT_EQ(ref.Get(), Must(context.Get("x")));
  Must(context.Remove("x"));  // by hand: neither pins nor handles stop that
  EXPECT_EQ(ref.Get(), std::nullopt);
}

TEST(NodeRef, ShowsTheWorkingState) {
  Context context = NewContext();
  Must(context.Add(Block("x", "one")));
  const NodeRef ref = Must(context.Hold("x"));
  Must(context.Update("x", NodeSpec().Text("two")));
  EXPECT_NE(ref.Get()->find("\"content\":\"two\""), std::string::npos);
}

TEST(NodeRef, CONC_6_DoesNotKeepTheContextAlive) {
  std::optional<NodeRef> ref;
  {
    Context context = NewContext();
    Must(context.Add(Block("x")));
    ref = Must(context.Hold("x"));
    EXPECT_TRUE(ref->Get());
  }
  EXPECT_EQ(ref->Get(), std::nullopt);
  EXPECT_EQ(ref->id(), "x");
}

TEST(NodeRef, EveryHandleCounts) {
  Context context = NewContext();
  Must(context.Add(Block("x").Ttl(0)));
  std::vector<NodeRef> refs;
  for (int i = 0; i < 3; ++i) refs.push_back(Must(context.Hold("x")));
  while (!refs.empty()) {
    EXPECT_THAT(Must(context.Commit()).deferred, ElementsAre("x"));
    refs.pop_back();
  }
  EXPECT_THAT(Must(context.Commit()).expired, ElementsAre("x"));
}

TEST(NodeRef, AMovedHandleHoldsOnce) {
  Context context = NewContext();
  Must(context.Add(Block("x").Ttl(0)));
  Must(context.Add(Block("y").Ttl(0)));
  NodeRef x = Must(context.Hold("x"));
  {
    NodeRef other = std::move(x);
    EXPECT_THAT(Must(context.Commit()).deferred, ElementsAre("x"));
    other = Must(context.Hold("x"));
    EXPECT_THAT(Must(context.Commit()).deferred, ElementsAre("x"));
  }
  EXPECT_THAT(Must(context.Commit()).expired, ElementsAre("x"));
}

TEST(NodeRef, AHeldGroupStaysAndItsContentsGo) {
  Context context = NewContext();
  Must(context.Add(support::Group("g", 1).Removable(true)));
  Must(context.Add(Block("b").Ttl(0), {.parent = "g"}));
  std::optional<NodeRef> ref = Must(context.Hold("g"));
  CommitResult commit = Must(context.Commit());
  EXPECT_THAT(commit.expired, ElementsAre("b"));
  EXPECT_THAT(commit.cascaded, IsEmpty());
  ref.reset();
  commit = Must(context.Commit());
  EXPECT_THAT(commit.cascaded, ElementsAre("g"));
}

TEST(NodeRef, AHeldNodeKeepsItsDueGroup) {
  Context context = NewContext();
  Must(context.Add(support::Group("g", 1).Ttl(0)));
  Must(context.Add(Block("a"), {.parent = "g"}));
  Must(context.Add(Block("b"), {.parent = "g"}));
  std::optional<NodeRef> ref = Must(context.Hold("b"));
  EXPECT_THAT(Must(context.Commit()).deferred, ElementsAre("g"));
  EXPECT_TRUE(Must(context.At("@t0")).Find("a"));
  ref.reset();
  EXPECT_THAT(Must(context.Commit()).expired, ElementsAre("g", "a", "b"));
}

TEST(NodeRef, NeedsANodeOfTheWorkingState) {
  Context context = NewContext();
  EXPECT_EQ(CodeOf(context.Hold("x")), "E_NODE_NOT_FOUND");
  Must(context.Add(Block("x").Ttl(0)));
  Must(context.Commit());
  EXPECT_EQ(CodeOf(context.Hold("x")), "E_NODE_NOT_FOUND");
  EXPECT_EQ(CodeOf(context.Hold("root")), "ok");
}

}  // namespace
}  // namespace pactdb
