// A long, ordinary session: turns of eight blocks as an agent makes them, with notes that run out,
// tool calls, a standing instruction that changes.
#include <gtest/gtest.h>
#include <pactdb/context.h>

#include <string>

#include "support/contexts.h"
#include "support/scale.h"

namespace pactdb {
namespace {

using support::Must;
using support::NewContext;
using support::NumberIn;

// Eight blocks; every fifth one has a ttl of three cycles.
void AddTurn(Context& context, int turn) {
  const std::string call = "call" + std::to_string(turn);
  Must(context.Add(NodeSpec().Role("user").Kind("text").Text("question \"" + call + "\"\n")));
  for (int i = 0; i < 3; ++i) {
    const Json id = Must(Json::String(call + "." + std::to_string(i)));
    Must(context.Add(NodeSpec().Role("assistant").Kind("call").Set("data_call_id", id)));
    NodeSpec answer = NodeSpec().Role("tool").Kind("result").Text("r\xC3\xA9sultat");
    if ((3 * turn + i) % 5 == 0) answer.Ttl(3);
    Must(context.Add(answer.Set("data_call_id", id)));
  }
  Must(context.Add(NodeSpec().Role("assistant").Kind("text").Text("answer").Key("answer")));
}

TEST(LongSession, StaysWholeOverHundredsOfCommits) {
  const int turns = static_cast<int>(support::Scaled(400));
  Context context = NewContext();
  Must(context.Add(NodeSpec().Id("rules").Text("version 0"), {.parent = "^sys"}));
  std::int64_t nodes = 1;
  for (int turn = 1; turn <= turns; ++turn) {
    AddTurn(context, turn);
    if (turn % 10 == 0)
      Must(context.Update("rules", NodeSpec().Text("version " + std::to_string(turn))));
    const CommitResult commit = Must(context.Commit({.expect_cycle = turn}));
    nodes += 10 - static_cast<std::int64_t>(commit.expired.size());
    ASSERT_EQ(NumberIn(context.Stats(), "nodes"), nodes);
  }
  EXPECT_EQ(context.Verify(), support::VerifyOk());
  const Snapshot newest = Must(context.At("@t0"));
  EXPECT_EQ(newest.turn_count(), static_cast<std::size_t>(turns));
  EXPECT_EQ(newest.FindByKey("answer").size(), static_cast<std::size_t>(turns));
  // Any past state, as it was.
  for (int turn = 1; turn <= turns; turn += 7) {
    const Snapshot past = Must(context.At("@c" + std::to_string(turn)));
    EXPECT_EQ(past.turn_count(), static_cast<std::size_t>(turn));
    EXPECT_EQ(past.Find("rules")->content(), "\"version " + std::to_string(turn / 10 * 10) + "\"");
    EXPECT_EQ(past.TurnAtDepth(1)->child(0).child_count(), 8u);
  }
}

// A call and its result leave together or not at all: a result whose time is over waits for its
// call, which has no ttl and so never goes.
TEST(LongSession, T3_ResultsWaitForTheirCalls) {
  Context context = NewContext();
  AddTurn(context, 5);  // the first result has a ttl
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Must(context.Commit()).deferred.empty());
  const CommitResult commit = Must(context.Commit());
  EXPECT_EQ(commit.expired, std::vector<std::string>());
  EXPECT_EQ(commit.deferred, std::vector<std::string>{"block:1.3"});
  EXPECT_EQ(Must(context.At("@t0")).Find("block:1.3")->ttl(), 0);
}

TEST(LongSession, KeepsToItsPolicy) {
  Options options = support::SteppedOptions();
  options.policy = Policy{.max_nodes = 200, .protect_recent_turns = 3};
  Context context = NewContext(options);
  const int turns = static_cast<int>(support::Scaled(200));
  for (int turn = 1; turn <= turns; ++turn) {
    AddTurn(context, turn);
    const CommitResult commit = Must(context.Commit());
    // The turns and their cores stay, so the limit can be met up to about ninety turns.
    ASSERT_TRUE(turn >= 80 || commit.over_limit.empty()) << turn;
  }
  EXPECT_EQ(context.Verify(), support::VerifyOk());
  const Snapshot newest = Must(context.At("@t0"));
  for (std::int64_t depth = 1; depth <= 3; ++depth)
    EXPECT_EQ(newest.TurnAtDepth(depth)->child(0).child_count(), 8u);
}

}  // namespace
}  // namespace pactdb
