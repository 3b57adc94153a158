// check, fix, lint, prune and simulate at their edges: what may not be taken stays, and what is
// refused changes nothing.
#include <gtest/gtest.h>
#include <pactdb/context.h>
#include <pactdb/exec.h>

#include <string>
#include <vector>

#include "support/contexts.h"
#include "support/error_text.h"

namespace pactdb {
namespace {

using support::ErrorText;
using support::Must;
using support::NewContext;

// A result whose call is nowhere: no provider takes it.
NodeSpec LostResult(std::string_view id) {
  return NodeSpec().Id(id).Role("tool").Kind("result").Text("r").Set(
      "data_call_id", Must(Json::String("call-" + std::string(id))));
}

TEST(Fix, WhatMayNotBeTakenStopsItAndNothingIsTaken) {
  Context context = NewContext();
  Must(context.Add(LostResult("in head")));
  Must(context.Add(LostResult("in sys"), {.parent = "^sys"}));
  Options options = support::SteppedOptions();
  options.authorize_sys = false;
  Must(context.Configure(options));
  const std::string before = Must(context.Tree());
  EXPECT_EQ(ErrorText(context.Fix()),
            "E_NOT_AUTHORIZED: this context does not authorize changes in ^sys");
  EXPECT_EQ(Must(context.Tree()), before);
  EXPECT_EQ(context.Verify(), support::VerifyOk());
}

TEST(Fix, WhatIsPinnedOrHeldStaysAndNoCommitIsMade) {
  Context context = NewContext();
  Must(context.Add(LostResult("pinned").Pinned(true)));
  Must(context.Add(LostResult("held")));
  const NodeRef held = Must(context.Hold("held"));
  const std::string before = Must(context.Tree());
  const std::string answer = Must(context.Fix());
  EXPECT_EQ(answer.substr(0, 38), R"({"cycle":0,"removed":[],"findings":[{")");
  EXPECT_EQ(Must(context.Tree()), before);
  EXPECT_EQ(context.open_cycle(), 1);
}

TEST(Fix, TakesWhatItMayAndCommits) {
  Context context = NewContext();
  Must(context.Add(LostResult("lost")));
  Must(context.Add(support::Block("kept", "x")));
  EXPECT_EQ(Must(context.Fix()), R"({"cycle":1,"removed":["lost"],"findings":[]})");
  EXPECT_EQ(Must(context.Check({})), R"({"ok":true,"findings":[]})");
  EXPECT_EQ(context.open_cycle(), 2);
}

TEST(Lint, IsAboutBlocksAndNotAboutWhatHoldsThem) {
  constexpr std::string_view kDated = "Today is 2026-11-15.";
  Context context = NewContext();
  Must(context.Add(support::Group("group", 1).Text(kDated), {.parent = "^sys"}));
  Must(context.Commit());
  EXPECT_EQ(Must(context.Lint()), R"({"ok":true,"findings":[]})");
  Must(context.Add(support::Block("block", kDated), {.parent = "group"}));
  Must(context.Commit());
  EXPECT_NE(Must(context.Lint()).find(R"("findings":[{"rule":"volatile_content","id":"block")"),
            std::string::npos);
}

TEST(Prune, TakesACallWithItsResult) {
  Context context = NewContext();
  const auto part = [](std::string_view id) {
    return support::Block(id, "x").Set("data_call_id", Must(Json::String("call")));
  };
  Must(context.Add(part("call")));
  Must(context.Add(support::Block("between", "x")));
  Must(context.Add(part("result")));
  Must(context.Commit());
  Options options = support::SteppedOptions();
  options.policy = Policy();
  options.policy->max_nodes = 4;
  Must(context.Configure(options));
  EXPECT_EQ(Must(context.Commit()).pruned, (std::vector<std::string>{"call", "result"}))
      << "one of the five, with two cores, is one too many";
}

TEST(Counts, BelowZeroAreRefusedFromCppToo) {
  Context context = NewContext();
  Must(context.Commit());
  Must(context.Commit());
  EXPECT_EQ(ErrorText(context.Simulate({.cycles = -1})),
            "E_REQUEST_INVALID: must be zero or more {argument=cycles}");
  SimulateOptions growth;
  growth.growth = -1;
  EXPECT_EQ(ErrorText(context.Simulate(growth)),
            "E_REQUEST_INVALID: must be zero or more {argument=growth}");
  SimulateOptions policy;
  policy.policy = Policy();
  policy.policy->sys = Policy::RegionLimits{.max_nodes = 1, .max_tokens = -1};
  EXPECT_EQ(ErrorText(context.Simulate(policy)),
            "E_REQUEST_INVALID: a policy's limits are zero or more");
}

TEST(Simulate, WithoutGrowthNothingIsAddedAndNothingStays) {
  Context context = NewContext();
  const std::string before = Must(context.Tree()) + Must(context.Log());
  EXPECT_EQ(Must(context.Simulate({.cycles = 0})), R"({"growth":0,"cycles":[],"broken":null})");
  const std::string two = Must(context.Simulate({.cycles = 2}));
  EXPECT_EQ(two.find("\"added\""), std::string::npos) << two;
  SimulateOptions grows;
  grows.cycles = 1;
  grows.growth = 5;
  EXPECT_NE(Must(context.Simulate(grows)).find(R"("growth":5,"cycles":[{"cycle":1,"added":)"),
            std::string::npos);
  // A message costs four tokens by itself; what fits into them adds no text.
  grows.growth = 4;
  EXPECT_EQ(Must(context.Simulate(grows)).find("\"added\""), std::string::npos);
  EXPECT_EQ(Must(context.Tree()) + Must(context.Log()), before);
  EXPECT_EQ(context.open_cycle(), 1);
}

Options Estimating() {
  Options options = support::SteppedOptions();
  options.encoding = "estimate";
  return options;
}

// What a turn is taken to add after so many long ones and then so many short ones.
std::int64_t GrowthAfter(int long_turns, int short_turns) {
  Context context = NewContext(Estimating());
  for (int i = 0; i < long_turns + short_turns; ++i) {
    Must(context.Add(NodeSpec().Role("user").Text(std::string(i < long_turns ? 4000 : 40, 'x'))));
    Must(context.Commit());
  }
  return support::NumberIn(Must(context.Simulate({.cycles = 0})), "growth");
}

TEST(Simulate, GrowsAsTheLastTenTurnsDidOnAverage) {
  const std::int64_t grown = GrowthAfter(0, 1);
  const std::int64_t by_long = GrowthAfter(1, 0);
  ASSERT_GT(by_long, 20 * grown);
  EXPECT_EQ(GrowthAfter(0, 3), grown);
  EXPECT_EQ(GrowthAfter(2, 10), grown) << "older turns do not count";
  EXPECT_EQ(GrowthAfter(1, 9), (by_long + 9 * grown) / 10);
  EXPECT_EQ(GrowthAfter(2, 9), (by_long + 9 * grown) / 10);
  EXPECT_EQ(GrowthAfter(1, 1), (by_long + grown) / 2);
}

TEST(Simulate, NamesTheFirstCycleInWhichALimitDoesNotHold) {
  Context context = NewContext(Estimating());
  Must(context.Add(NodeSpec().Text("stays").Pinned(true)));
  Must(context.Commit());
  SimulateOptions options;
  options.cycles = 3;
  options.growth = 0;
  options.policy = Policy();
  const auto cycles = [&](std::int64_t max_nodes, bool strict) {
    options.policy->max_nodes = max_nodes;
    options.policy->strict = strict;
    const std::string answer = Must(context.Simulate(options));
    std::string told;
    for (std::size_t at = answer.find("{\"cycle\":"); at != std::string::npos;
         at = answer.find("{\"cycle\":", at + 1))
      told += answer.substr(at + 9, 1) + " ";
    return told + answer.substr(answer.find("\"broken\":"));
  };
  // Three nodes, and a turn and its core more each time; a new turn does not count yet.
  EXPECT_EQ(cycles(7, false), R"(2 3 4 "broken":null})");
  EXPECT_EQ(cycles(6, false), R"(2 3 4 "broken":4})");
  EXPECT_EQ(cycles(5, false), R"(2 3 4 "broken":4})");
  EXPECT_EQ(cycles(4, false), R"(2 3 4 "broken":3})");
  EXPECT_EQ(cycles(3, false), R"(2 3 4 "broken":3})");
  EXPECT_EQ(cycles(2, false), R"(2 3 4 "broken":2})");
  EXPECT_EQ(cycles(7, true), R"(2 3 4 "broken":null})");
  EXPECT_EQ(cycles(4, true), R"(2 3 "broken":3})") << "what is refused ends it";
  EXPECT_EQ(cycles(2, true), R"(2 "broken":2})");
  EXPECT_EQ(context.open_cycle(), 2);
  EXPECT_EQ(context.Verify(), support::VerifyOk());
}

}  // namespace
}  // namespace pactdb
