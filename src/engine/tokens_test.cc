// Token sums, budgets and simulation, each against a plain way to the same answer.
#include <gtest/gtest.h>
#include <pactdb/context.h>

#include <string>
#include <vector>

#include "engine/request_tokens.h"
#include "support/contexts.h"
#include "support/scale.h"
#include "support/sessions.h"
#include "text/canonical.h"
#include "text/json_doc.h"
#include "tokens/encoding.h"

namespace pactdb {
namespace {

using support::Block;
using support::CodeOf;
using support::Must;
using support::NewContext;
using support::NumberIn;
using support::Session;

constexpr std::uint64_t kFrame = 4;

class Tokens : public testing::Test {
 protected:
  void SetUp() override {
    const auto found = tokens::Encoding::Find("o200k_base");
    if (!found) GTEST_SKIP() << found.error().message();
    encoding_ = *found;
  }

  // Texts alone: what the random sessions say.
  std::uint64_t NaiveSum(const NodeView& node) const {
    const std::string_view content = node.content().value_or("");
    std::uint64_t sum = node.node_type() == "block" ? kFrame : 0;
    if (content.starts_with('"')) {
      sum += encoding_->Count(DecodeJsonString(content));
    } else if (content != "null") {
      sum += encoding_->Count(content);
    }
    for (std::size_t i = 0; i < node.child_count(); ++i) sum += NaiveSum(node.child(i));
    return sum;
  }

  static Options Budget(const Policy& policy) {
    Options options = support::SteppedOptions();
    options.policy = policy;
    return options;
  }

  const tokens::Encoding* encoding_ = nullptr;
};

std::int64_t Total(const Context& context, const TokensOptions& options = {}) {
  return NumberIn(Must(context.Tokens(options)), "total");
}

TEST_F(Tokens, OfEverySnapshotAreTheSumOverItsNodes) {
  const std::size_t seeds = support::Scaled(40);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    Session session(seed);
    for (int i = 0; i < 150; ++i) {
      session.Step();
      if (i % 10 == 0) Total(session.context());  // remembered sums must not survive the next edit
    }
    // Its policy may refuse this one; the snapshots before it are held against their sums then.
    const auto committed = session.context().Commit();
    ASSERT_TRUE(committed || CodeOf(committed) == "E_LIMIT_EXCEEDED");
    for (std::int64_t back = 0; back < 5; ++back) {
      const std::string at = "@t-" + std::to_string(back);
      const auto snapshot = session.context().At(at);
      if (!snapshot) break;
      ASSERT_EQ(Total(session.context(), {.at = at}), NaiveSum(snapshot->root())) << at;
    }
  }
}

TEST_F(Tokens, ByNodeCountWhatANodeHoldsAndTheTotalEachOnce) {
  Context context = NewContext();
  Must(context.Add(support::Group("g", 1), {.parent = "^ah"}));
  Must(context.Add(Block("a", "one two"), {.parent = "g"}));
  Must(context.Add(Block("b", "three"), {.parent = "g"}));
  EXPECT_EQ(Must(context.Tokens({.selector = "#g, #a"})),
            R"({"encoding":"o200k_base","by_node":{"g":11,"a":6},"total":11,"exact":true,)"
            R"("estimated_nodes":0,"message_tokens":4})");
}

TEST_F(Tokens, ByRegionAreTheTotalAndATextHasNoTools) {
  Context context = NewContext();
  Must(context.Add(Block("s", "one two"), {.parent = "^sys"}));
  Must(context.Add(Block("a", "three")));
  Must(context.Commit());
  Must(context.Add(Block("b", "four five six")));
  const std::size_t request = encoding_->Count(Must(context.Render({.format = "text"})).body);
  EXPECT_EQ(Must(context.Tokens({.format = "text"})),
            R"({"encoding":"o200k_base","by_region":{"sys":6,"seq":5,"ah":7},"total":18,)"
            R"("exact":true,"estimated_nodes":0,"message_tokens":4,)"
            R"("request":{"format":"text","tokens":)" +
                std::to_string(request) + R"(,"tools":0,"exact":false}})");
}

TEST_F(Tokens, OfOneEncodingAreNotRememberedForAnother) {
  const std::vector<std::string> encodings = {"estimate", "cl100k_base", "o200k_base", "estimate"};
  Context asked = NewContext();
  Must(asked.Add(Block("a", "Donaudampfschifffahrtsgesellschaft, \u0434\u043e\u0431\u0440\u043e")));
  std::vector<std::int64_t> totals;
  for (const std::string& encoding : encodings) {
    Context fresh = NewContext();
    Must(fresh.ImportSnapshot(Must(asked.Export())));
    totals.push_back(Total(asked, {.encoding = encoding}));
    EXPECT_EQ(totals.back(), Total(fresh, {.encoding = encoding})) << encoding;
  }
  EXPECT_NE(totals[0], totals[1]);
  EXPECT_NE(totals[1], totals[2]);
}

TEST_F(Tokens, OfBytesAreNeverThoseOfTheirBase64) {
  Context context = NewContext();
  const std::string base64(40'000, 'Q');
  Must(context.Add(
      Block("image", base64).Kind("image").Set("mime", Must(Json::String("image/png")))));
  Must(context.Add(Block("text", "data:image/png;base64," + base64)));
  Must(context.Add(NodeSpec().Id("part").Content(
      Must(Json::Parse(R"({"type":"image","data":")" + base64 + R"("})")))));
  for (const std::string id : {"#image", "#text", "#part"}) {
    const std::string answer = Must(context.Tokens({.selector = id}));
    EXPECT_LT(NumberIn(answer, "total"), 3'000) << id;
    EXPECT_NE(answer.find(R"("exact":false,"estimated_nodes":1)"), std::string::npos) << answer;
  }
}

TEST_F(Tokens, OfARequestOfPlainMessagesFollowThePublishedRule) {
  const Tokenizer tokenizer = Must(Tokenizer::Find("o200k_base"));
  const auto count = [&](std::string_view body) { return Must(CountRequest(body, tokenizer)); };
  // Three a message, role and content, and three for the answer.
  const auto plain = count(R"({"messages":[{"role":"system","content":"Be brief."},)"
                           R"({"role":"user","content":"Hello world"}],"model":"gpt-4o"})");
  EXPECT_EQ(plain.total, 3 + 1 + encoding_->Count("Be brief.") + 3 + 1 + 2 + 3);
  EXPECT_TRUE(plain.is_exact);
  const auto tools = count(R"({"messages":[{"role":"user","content":"Hello world"}],)"
                           R"("tools":[{"type":"function","function":{"name":"find"}}]})");
  EXPECT_EQ(tools.tools, 1u);
  EXPECT_EQ(tools.total, 3 + 1 + 2 + 3 + 1u);
  EXPECT_FALSE(tools.is_exact);
  EXPECT_EQ(CodeOf(CountRequest("3", tokenizer)), "E_REQUEST_INVALID");
}

TEST_F(Tokens, OfAnUnknownEncodingAreRefused) {
  Context context = NewContext();
  EXPECT_EQ(CodeOf(context.Tokens({.encoding = "o200k"})), "E_REQUEST_INVALID");
  Options options = context.options();
  options.encoding = "o200k";
  EXPECT_EQ(CodeOf(context.Configure(options)), "E_REQUEST_INVALID");
}

// The order of pruning is one; limits differ in where it stops. So a budget of tokens leaves what a
// limit of nodes leaves that stops at the same node.
TEST_F(Tokens, ABudgetPrunesInTheCanonicalOrderUntilItHolds) {
  const std::size_t seeds = support::Scaled(60);
  std::size_t pruned = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    Policy policy{.protect_recent_turns = static_cast<std::int64_t>(seed % 3),
                  .prune_regions = {Region::kSys, Region::kSeq, Region::kAh}};
    const auto play = [&](const Policy& last) {
      Session session(seed, NewContext(), {});
      for (int i = 0; i < 120; ++i) session.Step();
      Options options = session.context().options();
      options.policy = last;
      Must(session.context().Configure(options, /*restart_clock=*/false));
      const CommitResult commit = Must(session.context().Commit());
      return std::pair(commit, Must(session.context().At("@t0")));
    };
    policy.max_tokens = static_cast<std::int64_t>(10 + seed % 7 * 10);
    const auto [by_tokens, left] = play(policy);
    const std::uint64_t sum = NaiveSum(left.root());
    if (by_tokens.over_limit.empty()) {
      ASSERT_LE(sum, static_cast<std::uint64_t>(*policy.max_tokens));
    } else {
      ASSERT_EQ(by_tokens.over_limit.front().limit, "max_tokens");
      ASSERT_EQ(by_tokens.over_limit.front().actual, sum);
    }
    pruned += by_tokens.pruned.empty() ? 0 : 1;
    policy.max_tokens.reset();
    // How many nodes there were before the head was sealed is one of these.
    bool is_reached = by_tokens.pruned.empty();
    for (std::int64_t fewer = 0; fewer < 8 && !is_reached; ++fewer) {
      policy.max_nodes = static_cast<std::int64_t>(left.node_count()) - fewer;
      const auto [by_nodes, same] = play(policy);
      is_reached = by_nodes.pruned == by_tokens.pruned && same.tree_sha256() == left.tree_sha256();
    }
    ASSERT_TRUE(is_reached);
  }
  EXPECT_GT(pruned, seeds / 4);
}

TEST_F(Tokens, OfARegionHaveABudgetOfTheirOwn) {
  Context context = NewContext(Budget({.sys = Policy::RegionLimits{.max_tokens = 10}}));
  Must(context.Add(Block("rule", "a rule of some length, more than ten tokens long for sure"),
                   {.parent = "^sys"}));
  const CommitResult commit = Must(context.Commit());
  ASSERT_EQ(commit.over_limit.size(), 1u);  // ^sys is not pruned unless the policy names it
  EXPECT_EQ(commit.over_limit[0].limit, "sys.max_tokens");
  EXPECT_EQ(commit.over_limit[0].actual, Total(context));
}

TEST_F(Tokens, AQuestionThatDoesNotFitIsToldNotDropped) {
  Context context = NewContext(Budget({.max_tokens = 20, .strict = true}));
  Must(context.Add(Block("old", "an answer of yesterday")));
  Must(context.Commit());
  std::string long_question;
  for (int i = 0; i < 100; ++i) long_question += " why";
  Must(context.Add(Block("question", long_question)));
  const std::string before = context.tree_sha256();
  const auto commit = context.Commit();
  ASSERT_EQ(CodeOf(commit), "E_LIMIT_EXCEEDED");
  EXPECT_EQ(context.tree_sha256(), before);
  Must(context.Get("question"));
  Must(context.Get("old"));
}

// --- simulation ---

TEST_F(Tokens, SimulatedCommitsAreThoseThatCome) {
  const std::size_t seeds = support::Scaled(40);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    Session session(seed);
    for (int i = 0; i < 120; ++i) session.Step();
    Context& context = session.context();
    const Policy policy{.max_turns = 3, .max_tokens = 150};
    const std::string simulated =
        Must(context.Simulate({.cycles = 6, .growth = 0, .policy = policy}));
    Options options = context.options();
    options.policy = policy;
    Must(context.Configure(options, /*restart_clock=*/false));
    const JsonDoc doc = Must(JsonDoc::Parse(simulated, 64));
    const JsonRef cycles = *doc.root().Find("cycles");
    for (auto it = cycles.begin(); it != cycles.end(); ++it) {
      const CommitResult commit = Must(context.Commit());
      const JsonRef cycle = (*it).value;
      ASSERT_EQ(cycle.Find("cycle")->AsInt64(), commit.cycle);
      ASSERT_EQ(cycle.Find("tokens")->AsInt64(), Total(context, {.at = "@t0"}));
      for (const auto& [name, ids] :
           {std::pair{"expired", &commit.expired}, std::pair{"pruned", &commit.pruned},
            std::pair{"deferred", &commit.deferred}}) {
        std::vector<std::string> told;
        const JsonRef list = *cycle.Find(name);
        for (auto id = list.begin(); id != list.end(); ++id)
          told.emplace_back((*id).value.string());
        ASSERT_EQ(told, *ids) << name;
      }
      ASSERT_EQ(cycle.Find("over_limit").has_value(), !commit.over_limit.empty());
    }
  }
}

TEST_F(Tokens, ASimulationLeavesNoTrace) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Session session(seed);
    Session untouched(seed);
    for (int i = 0; i < 100; ++i) {
      session.Step();
      untouched.Step();
      if (i % 9 == 0) Must(session.context().Simulate({.cycles = 4}));
      ASSERT_EQ(session.context().tree_sha256(), untouched.context().tree_sha256());
    }
    ASSERT_EQ(Must(session.context().Log({.hashes = true})),
              Must(untouched.context().Log({.hashes = true})));
    ASSERT_EQ(session.context().Verify(), support::VerifyOk());
  }
}

TEST_F(Tokens, ASimulationGrowsUntilTheBudgetBreaks) {
  Context context = NewContext(Budget({.max_tokens = 100, .protect_recent_turns = 3}));
  Must(context.Add(Block("q", "question")));
  Must(context.Commit());
  const std::string answer = Must(context.Simulate({.cycles = 8, .growth = 40}));
  // Three turns of 40 are protected: with the third the budget cannot be held.
  EXPECT_EQ(NumberIn(answer, "broken"), 4) << answer;
  EXPECT_EQ(NumberIn(answer, "growth"), 40);
  EXPECT_EQ(NumberIn(Must(context.Simulate({.cycles = 1})), "growth"), 5);  // as the turn before
  EXPECT_EQ(CodeOf(context.Simulate({.cycles = 1'000'000})), "E_LIMIT_EXCEEDED");
  EXPECT_EQ(CodeOf(context.Simulate({.cycles = -1})), "E_REQUEST_INVALID");
}

}  // namespace
}  // namespace pactdb
