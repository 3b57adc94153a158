// Through which node two requests part, and why; and which two are compared.
#include <gtest/gtest.h>
#include <pactdb/context.h>

#include <string>
#include <string_view>

#include "support/contexts.h"
#include "support/error_text.h"
#include "text/json_doc.h"

namespace pactdb {
namespace {

using support::Block;
using support::Group;
using support::Must;
using support::NewContext;

CacheOptions Between(std::string_view from, std::string_view to,
                     std::string_view format = "thread") {
  return {.from = std::string(from),
          .to = std::string(to),
          .format = std::string(format),
          .lossy = true,
          .limit = {}};
}

// Canonical JSON of members of the answer.
std::string Told(const std::string& answer, std::initializer_list<std::string_view> names) {
  const JsonDoc doc = Must(JsonDoc::Parse(answer, 8));
  std::string text;
  for (const std::string_view name : names) {
    const auto value = doc.root().Find(name);
    text.append(text.empty() ? "" : " ").append(value ? value->ToJson().text() : "none");
  }
  return text;
}

// Where the last commit parts from the one before, without the byte.
std::string Parted(const Context& context, std::string_view from = "@t-1",
                   std::string_view to = "@t0", std::string_view format = "thread") {
  const std::string told =
      Told(Must(context.Cache(Between(from, to, format))), {"first_difference"});
  return told == "null" ? told : "{" + told.substr(told.find(',') + 1);
}

// Two turns of one block each, committed.
Context TwoTurns() {
  Context context = NewContext();
  for (const char* id : {"a", "b"}) {
    Must(context.Add(Block(id, std::string("text ") + id).Role("user")));
    Must(context.Commit());
  }
  return context;
}

TEST(CacheDifference, IsNoneBetweenEqualRequests) {
  Context context = TwoTurns();
  Must(context.Commit());
  EXPECT_EQ(Parted(context), "null");
  EXPECT_EQ(Told(Must(context.Cache(Between("@c2", "@c3"))),
                 {"appended", "common_prefix_bytes", "from_bytes", "lost_tokens", "total_bytes"}),
            "true 89 89 0 89");
}

TEST(CacheDifference, NamesWhatWasAdded) {
  const Context context = TwoTurns();
  EXPECT_EQ(Parted(context), R"({"id":"b","reason":"added"})");
  EXPECT_EQ(Parted(context, "@c1", "@c2", "anthropic"),
            R"({"id":"b","in":"messages","reason":"added"})");
}

TEST(CacheDifference, NamesTheFieldsThatChanged) {
  Context context = NewContext();
  Must(context.Add(Block("a", "one").Role("system"), {.parent = "^sys"}));
  Must(context.Add(Block("b", "two").Role("system"), {.parent = "^sys"}));
  Must(context.Commit());
  Must(context.Update("a", NodeSpec().Text("other")));
  Must(context.Commit());
  EXPECT_EQ(Parted(context), R"({"fields":["content_hash"],"id":"a","reason":"changed"})");
  EXPECT_EQ(Parted(context, "@c2", "@c2"), "null");
}

TEST(CacheDifference, NamesWhatWasMovedAndWhere) {
  Context context = TwoTurns();
  Must(context.Add(Block("s", "one"), {.parent = "^sys"}));
  Must(context.Add(Block("t", "two"), {.parent = "^sys"}));
  Must(context.Commit());
  Must(context.Move("t", {.offset = -1}));
  Must(context.Commit());
  EXPECT_EQ(Parted(context), R"({"fields":["offset"],"id":"t","reason":"moved"})");
  EXPECT_EQ(Parted(context, "@c4", "@c3"), R"({"fields":["offset"],"id":"t","reason":"moved"})")
      << "the one that moved, not the one that stands there now";
}

TEST(CacheDifference, NamesWhatWasRemoved) {
  Context context = NewContext();
  for (const char* id : {"a", "b"}) {
    Must(context.Add(Block(id, id).Offset(1), {.parent = "^ah"}));
    Must(context.Commit());
  }
  Must(context.Remove("a"));
  Must(context.Commit());
  EXPECT_EQ(Parted(context), R"({"id":"a","reason":"removed"})");
  EXPECT_EQ(Parted(context, "@c3", "@c2"), R"({"id":"a","reason":"added"})") << "and back";
  // The last one: what stands there now is the end.
  Must(context.Remove("b"));
  Must(context.Commit());
  EXPECT_EQ(Parted(context), R"({"id":"b","reason":"removed"})");
  EXPECT_EQ(Parted(context, "@c3", "@c4", "anthropic"),
            R"({"id":"b","in":"messages","reason":"removed"})");
}

TEST(CacheDifference, TellsWithWhatANodeExpired) {
  Context context = NewContext();
  Must(context.Add(Group("g", 1).Ttl(2), {.parent = "^sys"}));
  Must(context.Add(Block("in g", "x"), {.parent = "g"}));
  Must(context.Add(Block("alone", "y").Ttl(2).Offset(2), {.parent = "^sys"}));
  Must(context.Add(Block("later", "z").Ttl(3).Offset(3), {.parent = "^sys"}));
  for (int i = 0; i < 3; ++i) Must(context.Commit());
  EXPECT_EQ(Parted(context), R"({"id":"in g","reason":"expired","why":"with g"})");
  Must(context.Commit());
  EXPECT_EQ(Parted(context), R"({"id":"later","reason":"expired"})");
}

TEST(CacheDifference, LooksForTheEndInEveryCommitBetween) {
  Context context = NewContext();
  Must(context.Add(Block("a", "x").Ttl(2), {.parent = "^sys"}));
  Must(context.Add(Block("z", "z"), {.parent = "^sys"}));
  for (int i = 0; i < 4; ++i) Must(context.Commit());
  EXPECT_EQ(Parted(context, "@c1", "@c4"), R"({"id":"a","reason":"expired"})");
  EXPECT_EQ(Parted(context, "@c2", "@c3"), R"({"id":"a","reason":"expired"})");
  EXPECT_EQ(Parted(context, "@c1", "working"), R"({"id":"a","reason":"expired"})");
}

TEST(CacheDifference, OfTheWorkingStateSeesWhatItsCommitWillTake) {
  Context context = NewContext();
  Must(context.Add(Block("a", "x").Ttl(2), {.parent = "^sys"}));
  Must(context.Add(Block("b", "z"), {.parent = "^sys"}));
  for (int i = 0; i < 2; ++i) Must(context.Commit());
  EXPECT_EQ(Parted(context, "@c2", "working"), R"({"id":"a","reason":"expired"})");
  Options options = support::SteppedOptions();
  options.policy = Policy();
  options.policy->prune_regions = {Region::kSys};
  options.policy->sys = Policy::RegionLimits{.max_nodes = 1, .max_tokens = {}};
  Must(context.Configure(options));
  Must(context.Commit());
  Must(context.Add(Block("c", "new"), {.parent = "^sys"}));
  EXPECT_EQ(Parted(context, "@c3", "working"),
            R"({"id":"b","reason":"pruned","why":"sys.max_nodes"})");
}

TEST(CacheDifference, OfTheFirstRequestIsItsFirstByte) {
  Context context = NewContext();
  Must(context.Add(Block("a", "x").Role("user")));
  Must(context.Commit());
  EXPECT_EQ(Told(Must(context.Cache()), {"from", "to", "appended", "first_difference"}),
            R"(null "@c1" false {"byte":0,"id":"a","reason":"added"})");
}

TEST(CacheStates, AreTwoOrNone) {
  const Context context = TwoTurns();
  const auto error = [&context](const CacheOptions& options) {
    return support::ErrorText(context.Cache(options));
  };
  CacheOptions options;
  options.from = "@c1";
  EXPECT_EQ(error(options), "E_REQUEST_INVALID: 'from' and 'to' come together {argument=to}");
  options.to = "@c2";
  EXPECT_TRUE(context.Cache(options).has_value());
  options.limit = 1;
  EXPECT_EQ(error(options),
            "E_REQUEST_INVALID: a limit is for the pairs of the history {argument=limit}");
  options.from.reset();
  EXPECT_EQ(error(options), "E_REQUEST_INVALID: 'from' and 'to' come together {argument=to}");
  EXPECT_EQ(support::CodeOf(context.Cache(Between("@c1", "@c9"))), "E_SNAPSHOT_NOT_FOUND");
  EXPECT_EQ(support::CodeOf(context.Cache(Between("@c9", "@c1"))), "E_SNAPSHOT_NOT_FOUND");
}

TEST(CacheStates, OfAHistoryAreAsManyPairsAsAreWanted) {
  Context context = TwoTurns();
  Must(context.Commit());
  const auto pairs = [&context](std::optional<std::int64_t> limit) {
    CacheOptions options;
    options.limit = limit;
    const std::string answer = Must(context.Cache(options));
    const JsonDoc doc = Must(JsonDoc::Parse(answer, 8));
    std::string text = Told(answer, {"from", "to"}) + ":";
    const JsonRef list = *doc.root().Find("pairs");
    for (auto it = list.begin(); it != list.end(); ++it)
      text.append(" ").append((*it).value.Find("to")->string());
    return text;
  };
  EXPECT_EQ(pairs({}), R"("@c2" "@c3": @c3 @c2)");
  EXPECT_EQ(pairs(3), R"("@c2" "@c3": @c3 @c2)");
  EXPECT_EQ(pairs(2), R"("@c2" "@c3": @c3 @c2)");
  EXPECT_EQ(pairs(1), R"("@c2" "@c3": @c3)");
  EXPECT_EQ(pairs(0), R"("@c2" "@c3":)");
}

TEST(CacheModel, IsTheOneThatTheRequestNames) {
  constexpr std::string_view kModels[][3] = {
      {"claude-opus-5-1", R"("claude-opus-5")", R"("any")"},
      {"gpt-4o-mini", R"("any")", R"("gpt-4o")"},
  };
  for (const auto& [model, anthropic, openai] : kModels) {
    for (const std::string_view format : {"thread", "anthropic"}) {
      Context context = NewContext();
      const std::string thread = R"({"model":")" + std::string(model) +
                                 R"(","max_tokens":9,"messages":[{"role":"user","content":"x"}]})";
      Must(context.ImportThread(thread, {.format = "anthropic"}));
      Must(context.Commit());
      const std::string answer =
          Must(context.Cache({.from = {}, .to = {}, .format = std::string(format), .limit = {}}));
      const JsonDoc doc = Must(JsonDoc::Parse(answer, 8));
      EXPECT_EQ(doc.root().Find("anthropic")->Find("family")->ToJson().text(), anthropic) << model;
      EXPECT_EQ(doc.root().Find("openai")->Find("family")->ToJson().text(), openai) << model;
    }
  }
}

}  // namespace
}  // namespace pactdb
