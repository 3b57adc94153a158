// The providers' rules are those that docs/design/0006-prompt-cache.md tells, with its sources.
#include "engine/cache_rules.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/history.h"
#include "support/contexts.h"

namespace pactdb {
namespace {

using support::Must;
using support::NewContext;

struct Told {
  std::string_view provider;
  std::string_view model;
  std::int64_t tokens_min;
  std::int64_t step;
  std::int64_t read;
  std::int64_t write;
};

TEST(CacheRules, AreThoseOfEachFamily) {
  const Told all[] = {
      {"anthropic", "claude-opus-5-20260801", 512, 0, 10, 125},
      {"anthropic", "claude-fable-5", 512, 0, 10, 125},
      {"anthropic", "claude-mythos-5", 512, 0, 10, 125},
      {"anthropic", "claude-haiku-4-5-20251001", 4096, 0, 10, 125},
      {"anthropic", "claude-opus-4-5", 4096, 0, 10, 125},
      {"anthropic", "claude-opus-4-6", 4096, 0, 10, 125},
      {"anthropic", "claude-opus-4-7", 4096, 0, 10, 125},
      {"anthropic", "claude-3-5-haiku-latest", 2048, 0, 10, 125},
      {"anthropic", "claude-3-haiku-20240307", 2048, 0, 10, 125},
      {"anthropic", "claude-sonnet-4-5", 1024, 0, 10, 125},
      {"anthropic", "", 1024, 0, 10, 125},
      {"openai", "gpt-5.6-mini", 1024, 0, 10, 125},
      {"openai", "gpt-4.1-mini", 1024, 128, 25, 100},
      {"openai", "o3", 1024, 128, 25, 100},
      {"openai", "o4-mini", 1024, 128, 25, 100},
      {"openai", "gpt-4o-2024-08-06", 1024, 128, 50, 100},
      {"openai", "o1", 1024, 128, 50, 100},
      {"openai", "gpt-5", 1024, 128, 10, 100},
      {"openai", "", 1024, 128, 10, 100},
  };
  for (const Told& told : all) {
    const CacheRule& rule = FindCacheRule(told.provider, told.model);
    EXPECT_EQ(rule.tokens_min, told.tokens_min) << told.model;
    EXPECT_EQ(rule.step, told.step) << told.model;
    EXPECT_EQ(rule.read, told.read) << told.model;
    EXPECT_EQ(rule.write, told.write) << told.model;
  }
}

// --- what a request costs ---

// A context as requests, and the step from its last commit but one to its last.
class CacheCosts : public testing::Test {
 protected:
  void Instruct(std::string_view text) {
    Must(context_.Add(NodeSpec().Role("system").Text(text), {.parent = "^sys"}));
  }
  void Say(std::string_view role, std::string_view text) {
    Must(context_.Add(NodeSpec().Role(role).Text(text)));
  }
  void Send() { Must(context_.Commit()); }

  void Follow(std::optional<providers::Format> format = std::nullopt) {
    older_ = Must(context_.At("@t-1"));
    newer_ = Must(context_.At("@t0"));
    const TreeView before = older_->record().View();
    prefix_.emplace(format, /*lossy=*/true, Must(Tokenizer::Find("estimate")));
    Must(prefix_->Follow(nullptr, before));
    older_units_ = prefix_->units();
    step_ = Must(prefix_->Follow(&before, newer_->record().View()));
  }

  // "read written plain" where only breakpoints are kept, from so many tokens on.
  std::string Cost(std::int64_t tokens_min = 1) const {
    const CacheRule rule = {"any", "", tokens_min, 0, 10, 125};
    const CacheCost cost = CostOf(rule, *prefix_, step_);
    EXPECT_EQ(cost.rule, &rule);
    return Figures(cost.read, cost.written);
  }
  // All that is neither is plain.
  std::string Figures(std::int64_t read, std::int64_t written) const {
    return std::to_string(read) + " " + std::to_string(written) + " " +
           std::to_string(prefix_->tokens() - read - written);
  }
  // Up to the end of a unit.
  std::int64_t Tokens(std::size_t unit) const { return prefix_->units().at(unit).tokens; }

  Context context_ = NewContext();
  std::optional<Snapshot> older_;
  std::optional<Snapshot> newer_;
  std::optional<PromptPrefix> prefix_;
  std::vector<PrefixUnit> older_units_;
  PrefixStep step_;
};

TEST_F(CacheCosts, ReadsUpToTheLastQuestionAndWritesUpToTheNew) {
  Instruct("be kind");
  Say("user", "one");
  Send();
  Say("assistant", "two");
  Say("user", "three");
  Send();
  Follow();
  // be kind, one, two, three, the end
  ASSERT_EQ(prefix_->units().size(), 5u);
  EXPECT_EQ(Cost(), Figures(Tokens(1), Tokens(3) - Tokens(1)));
  EXPECT_EQ(Cost(Tokens(1)), Figures(Tokens(1), Tokens(3) - Tokens(1))) << "just long enough";
  EXPECT_EQ(Cost(Tokens(1) + 1), Figures(0, Tokens(3))) << "too short to have been kept";
  EXPECT_EQ(Cost(Tokens(3)), Figures(0, Tokens(3)));
  EXPECT_EQ(Cost(Tokens(3) + 1), Figures(0, 0)) << "too short to be kept";
}

TEST_F(CacheCosts, WithoutAQuestionWritesTheInstructions) {
  Instruct("be kind");
  Send();
  Say("assistant", "two");
  Send();
  Follow();
  EXPECT_EQ(Cost(), Figures(Tokens(0), 0));
  EXPECT_EQ(Cost(Tokens(0) + 1), Figures(0, 0));
}

TEST_F(CacheCosts, WithoutInstructionsAreThoseOfTheQuestions) {
  Say("assistant", "zero");
  Say("user", "one");
  Send();
  Say("user", "two");
  Send();
  Follow();
  // zero, one, two, the end
  EXPECT_EQ(Cost(), Figures(Tokens(1), Tokens(2) - Tokens(1)));
}

TEST_F(CacheCosts, OfNothingAreNothing) {
  Send();
  Send();
  Follow();
  EXPECT_EQ(Cost(), Figures(0, 0));
}

TEST_F(CacheCosts, WhereTheTalkChangedReadTheInstructions) {
  Instruct("be kind");
  Must(context_.Add(NodeSpec().Id("q").Role("user").Text("one").Offset(1), {.parent = "^ah"}));
  Send();
  Must(context_.Remove("q"));
  Say("user", "two");
  Send();
  Follow();
  EXPECT_EQ(Cost(), Figures(Tokens(0), Tokens(1) - Tokens(0)));
  EXPECT_EQ(Cost(Tokens(0) + 1), Figures(0, Tokens(1)));
}

TEST_F(CacheCosts, WhereTheInstructionsChangedReadNothing) {
  Must(context_.Add(NodeSpec().Id("s").Text("be kind"), {.parent = "^sys"}));
  Say("user", "one");
  Send();
  Must(context_.Update("s", NodeSpec().Text("be quick")));
  Send();
  Follow();
  EXPECT_EQ(Cost(), Figures(0, Tokens(1)));
}

TEST_F(CacheCosts, AnEntryIsFoundTwentyPartsBeforeAMark) {
  for (const int answers : {19, 20}) {
    context_ = NewContext();
    Say("user", "one");
    Send();
    for (int i = 0; i < answers; ++i) Say("assistant", "answer");
    // Three, so that the first one bears no mark itself.
    for (const char* text : {"two", "three", "four"}) Say("user", text);
    Send();
    Follow();
    const auto last = static_cast<std::size_t>(answers) + 3;
    EXPECT_EQ(Cost(), answers == 19 ? Figures(Tokens(0), Tokens(last) - Tokens(0))
                                    : Figures(0, Tokens(last)))
        << answers;
  }
}

TEST_F(CacheCosts, AreMarkedTheLastThreeQuestions) {
  for (const std::size_t removed : {2, 3, 4}) {
    context_ = NewContext();
    for (int i = 0; i < 5; ++i) {
      const std::string id = "q" + std::to_string(i);
      Must(context_.Add(NodeSpec().Id(id).Role("user").Text(id).Offset(1), {.parent = "^ah"}));
    }
    Send();
    Must(context_.Remove("q" + std::to_string(removed)));
    Send();
    Follow();
    // Of the older one's, those before what was removed are the same.
    const std::int64_t read = removed == 2 ? 0 : Tokens(removed - 1);
    EXPECT_EQ(Cost(), Figures(read, Tokens(3) - read)) << removed;
  }
}

TEST_F(CacheCosts, WithoutBreakpointsReadWholeStepsAboveTheMinimum) {
  Instruct("be kind to whom you meet and to whom you do not meet");
  Say("user", "one");
  Send();
  Say("user", "two");
  Send();
  Follow();
  const std::int64_t common = step_.common_tokens;
  ASSERT_GT(common, 10);
  const auto read = [this](std::int64_t tokens_min, std::int64_t step) {
    const CacheRule rule = {"any", "", tokens_min, step, 50, 100};
    const CacheCost cost = CostOf(rule, *prefix_, step_);
    EXPECT_EQ(cost.rule, &rule);
    EXPECT_EQ(cost.written, 0);
    EXPECT_EQ(cost.plain, prefix_->tokens() - cost.read);
    return cost.read;
  };
  EXPECT_EQ(read(common + 1, 4), 0);
  EXPECT_EQ(read(common, 4), common);
  EXPECT_EQ(read(common - 1, 4), common - 1);
  EXPECT_EQ(read(common - 3, 4), common - 3);
  EXPECT_EQ(read(common - 4, 4), common);
  EXPECT_EQ(read(common - 5, 4), common - 1);
}

TEST(CacheCost, IsInInputTokensAndRoundedUp) {
  const CacheRule rule = {"any", "", 1, 0, 10, 125};
  EXPECT_EQ((CacheCost{.rule = &rule}).cost(), 0);
  EXPECT_EQ((CacheCost{.rule = &rule, .read = 10}).cost(), 1);
  EXPECT_EQ((CacheCost{.rule = &rule, .read = 11}).cost(), 2);
  EXPECT_EQ((CacheCost{.rule = &rule, .read = 100, .written = 100, .plain = 100}).cost(), 235);
}

}  // namespace
}  // namespace pactdb
