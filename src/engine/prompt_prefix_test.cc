// A prefix that follows a history says what one made anew of each state says.
#include "engine/prompt_prefix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "model/history.h"
#include "support/contexts.h"
#include "support/random.h"
#include "support/scale.h"

namespace pactdb {
namespace {

using support::Must;
using support::NewContext;
using support::Random;

// Something a request may have: in the instructions, among the tools, or in the talk; often gone
// some turns later.
NodeSpec AnyNode(Random& random, int number) {
  NodeSpec node;
  const std::string text = "text " + std::to_string(number);
  switch (random.Below(6)) {
    case 0:
      node.Role("system").Text(text);
      break;
    case 1:
      node.Kind("tool_definition")
          .Content(Must(Json::Parse(R"({"name":"tool)" + std::to_string(number) +
                                    R"(","description":"d","parameters":{"type":"object"}})")));
      break;
    case 2:
      node.Role("assistant").Text(text);
      break;
    default:
      node.Role("user").Text(text);
  }
  if (random.Chance(40)) node.Ttl(random.Between(1, 4));
  if (random.Chance(20)) node.Offset(random.Between(-2, 2));
  return node;
}

void TakeTurn(Random& random, Context& context, int& number) {
  const std::size_t nodes = 1 + random.Below(3);
  for (std::size_t i = 0; i < nodes; ++i) {
    Place place;
    if (random.Chance(15)) place.parent = "^sys";
    Must(context.Add(AnyNode(random, ++number), place));
  }
  Must(context.Commit());
}

struct Units {
  std::vector<std::uint64_t> ends;
  std::vector<std::int64_t> tokens;
  std::vector<std::int64_t> parts;
  std::vector<std::vector<const Node*>> nodes;
  bool operator==(const Units&) const = default;
};

Units UnitsOf(const PromptPrefix& prefix) {
  Units units;
  for (const PrefixUnit& unit : prefix.units()) {
    units.ends.push_back(unit.end);
    units.tokens.push_back(unit.tokens);
    units.parts.push_back(unit.parts);
    units.nodes.push_back(unit.nodes);
  }
  return units;
}

void Compare(std::uint64_t seed, std::optional<providers::Format> format) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const Tokenizer tokenizer = Must(Tokenizer::Find("estimate"));
  Random random(seed);
  Context context = NewContext();
  int number = 0;
  PromptPrefix followed(format, /*lossy=*/true, tokenizer);
  std::optional<Snapshot> older;
  for (int turn = 0; turn < 8; ++turn) {
    TakeTurn(random, context, number);
    Snapshot newer = Must(context.At("@t0"));
    const TreeView view = newer.record().View();
    std::optional<TreeView> before;
    if (older) before = older->record().View();
    const std::string bytes = followed.bytes();
    const PrefixStep step = Must(followed.Follow(before ? &*before : nullptr, view));

    PromptPrefix anew(format, /*lossy=*/true, tokenizer);
    Must(anew.Follow(nullptr, view));
    ASSERT_EQ(followed.bytes(), anew.bytes()) << "turn " << turn;
    ASSERT_EQ(UnitsOf(followed), UnitsOf(anew)) << "turn " << turn;
    const auto [end, ignored] = std::ranges::mismatch(bytes, anew.bytes());
    ASSERT_EQ(step.common, static_cast<std::uint64_t>(end - bytes.begin())) << "turn " << turn;
    // Its tokens are those of the units that are the same, and of the next one no more than it has.
    const std::vector<PrefixUnit>& units = anew.units();
    const auto next = std::ranges::find_if(
        units, [&step](const PrefixUnit& unit) { return unit.end >= step.common; });
    ASSERT_GE(step.common_tokens, next == units.begin() ? 0 : std::prev(next)->tokens);
    ASSERT_LE(step.common_tokens, next == units.end() ? anew.tokens() : next->tokens);
    older = newer;
  }
}

TEST(PromptPrefix, ThatFollowsAHistoryIsTheOneThatIsMadeAnew) {
  for (std::uint64_t seed = 0; seed < support::Scaled(100); ++seed) {
    Compare(seed, std::nullopt);
    for (const auto format : {providers::Format::kOpenAiChat, providers::Format::kOpenAiResponses,
                              providers::Format::kAnthropic, providers::Format::kGemini})
      Compare(seed, format);
  }
}

// What following costs: units that both have for certain are not made anew.
TEST(PromptPrefix, KeepsTheUnitsOfTurnsThatAreShared) {
  const auto kept = [](std::optional<providers::Format> format, auto change) {
    Context context = NewContext();
    Must(context.Add(support::Block("s", "be kind").Role("system"), {.parent = "^sys"}));
    for (const char* id : {"a", "b", "c"}) {
      Must(context.Add(support::Block(id, id).Role("user")));
      Must(context.Commit());
    }
    const Snapshot older = Must(context.At("@t0"));
    change(context);
    Must(context.Commit());
    const Snapshot newer = Must(context.At("@t0"));
    PromptPrefix prefix(format, /*lossy=*/true, Must(Tokenizer::Find("estimate")));
    const TreeView before = older.record().View();
    Must(prefix.Follow(nullptr, before));
    const std::size_t units = prefix.units().size();
    const PrefixStep step = Must(prefix.Follow(&before, newer.record().View()));
    EXPECT_EQ(step.kept + step.gone.size(), units);
    return step.kept;
  };
  const auto add = [](Context& context) { Must(context.Add(support::Block("d", "d"))); };
  const auto add_to = [](std::string_view turn) {
    return [turn](Context& context) {
      Must(context.Add(support::Block("late", "late").Offset(1), {.parent = std::string(turn)}));
    };
  };
  for (const auto format : {std::optional<providers::Format>(), {providers::Format::kAnthropic}}) {
    EXPECT_EQ(kept(format, [](Context&) {}), 4u);
    EXPECT_EQ(kept(format, add), 4u);
    EXPECT_EQ(kept(format, add_to("seg:3")), 3u);
    EXPECT_EQ(kept(format, add_to("seg:2")), 2u);
    EXPECT_EQ(kept(format, add_to("seg:1")), 0u) << "no turn is shared";
    EXPECT_EQ(kept(format, add_to("^sys")), 0u) << "the instructions are not";
  }
  EXPECT_EQ(kept(providers::Format::kGemini, add), 0u) << "names are looked up in the whole tree";
  const auto define = [](Context& context) {
    Must(context.Add(
        support::Block("tool")
            .Kind("tool_definition")
            .Content(Must(Json::Parse(R"({"name":"t","parameters":{"type":"object"}})")))));
  };
  EXPECT_EQ(kept(providers::Format::kAnthropic, define), 0u) << "a tool stands before all turns";
  EXPECT_EQ(kept(std::nullopt, define), 4u) << "but in the thread it stands in its place";
}

TEST(PromptPrefix, OfAUnitThatChangedTheTokensBeforeTheChangeAreCommon) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "word " + std::to_string(i) + " ";
  Context context = NewContext();
  Must(context.Add(support::Block("s", text).Role("system"), {.parent = "^sys"}));
  Must(context.Commit());
  text[text.size() / 4] = '*';
  Must(context.Update("s", NodeSpec().Text(text)));
  Must(context.Commit());
  const Snapshot older = Must(context.At("@c1"));
  const Snapshot newer = Must(context.At("@c2"));
  PromptPrefix prefix(providers::Format::kOpenAiChat, /*lossy=*/true,
                      Must(Tokenizer::Find("estimate")));
  const TreeView before = older.record().View();
  Must(prefix.Follow(nullptr, before));
  const PrefixStep step = Must(prefix.Follow(&before, newer.record().View()));
  EXPECT_GT(step.common_tokens, prefix.tokens() / 5);
  EXPECT_LT(step.common_tokens, prefix.tokens() / 3);
}

}  // namespace
}  // namespace pactdb
