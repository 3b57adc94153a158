#include <pactdb/context.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
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
using support::NumberIn;

TEST(Context, DoesWhatItsHeaderShows) {
  Context context = Context::Make({}).value();
  Must(context.Add(NodeSpec().Role("user").Text("Hello")));
  const CommitResult commit = context.Commit().value();
  EXPECT_EQ(commit.cycle, 1);
  EXPECT_EQ(commit.sealed, "seg:1");
  const Snapshot first = context.At("@c1").value();
  EXPECT_EQ(first.tree_sha256(), commit.tree_sha256);
  EXPECT_EQ(context.Render({.at = "@c1"}).value().body,
            "[{\"id\":\"block:1.1\",\"role\":\"user\",\"content\":\"Hello\"}]");
}

TEST(Context, RefusesAClockThatCannotRun) {
  Options options;
  options.clock = SteppedClockOptions{.start_ns = -1, .step_ns = 1};
  EXPECT_EQ(CodeOf(Context::Make(options)), "E_REQUEST_INVALID");
  options.clock = SteppedClockOptions{.start_ns = 0, .step_ns = 0};
  EXPECT_EQ(CodeOf(Context::Make(options)), "E_REQUEST_INVALID");
  options.clock = SteppedClockOptions{.start_ns = 0, .step_ns = 1};
  EXPECT_EQ(CodeOf(Context::Make(options)), "ok");
}

TEST(Context, RefusesAPolicyWithNegativeLimits) {
  const auto code = [](const Policy& policy) {
    Options options;
    options.policy = policy;
    return CodeOf(Context::Make(options));
  };
  EXPECT_EQ(code({.max_nodes = -1}), "E_REQUEST_INVALID");
  EXPECT_EQ(code({.max_turns = -1}), "E_REQUEST_INVALID");
  EXPECT_EQ(code({.protect_recent_turns = -1}), "E_REQUEST_INVALID");
  EXPECT_EQ(code({.sys = Policy::RegionLimits{.max_nodes = -1}}), "E_REQUEST_INVALID");
  EXPECT_EQ(code({.max_nodes = 0, .max_turns = 0}), "ok");
  EXPECT_EQ(code({.max_tokens = -1}), "E_REQUEST_INVALID");
}

TEST(Context, ConfigureThatFailsChangesNothing) {
  Context context = NewContext();
  const Options before = context.options();
  Options bad = before;
  bad.dialect = Dialect::kClassic;
  bad.policy = Policy{.max_nodes = -1};
  EXPECT_EQ(CodeOf(context.Configure(bad)), "E_REQUEST_INVALID");
  EXPECT_EQ(context.options(), before);
}

TEST(Context, P8_ConfigureRestartsTheClockIfAsked) {
  Context context = NewContext();
  const auto stamp = [&context](std::string_view id) {
    Must(context.Add(Block(id), {.parent = "^sys"}));
    return NumberIn(Must(context.Get(id)), "created_at_ns");
  };
  EXPECT_EQ(stamp("a"), 1'000);
  EXPECT_EQ(stamp("b"), 1'001);
  Must(context.Commit());  // core and turn take two ticks
  Must(context.Configure(context.options(), /*restart_clock=*/false));
  EXPECT_EQ(stamp("c"), 1'004);
  Must(context.Commit());
  Must(context.Configure(context.options(), /*restart_clock=*/true));
  EXPECT_EQ(stamp("d"), 1'000);
}

// --- stamps of the system clock ---

TEST(Context, ORDER_2_SystemStampsRiseWithinAndAcrossCycles) {
  Context context = NewContext({});
  std::int64_t last = 0;
  for (int cycle = 0; cycle < 30; ++cycle) {
    for (int i = 0; i < 5; ++i) {
      const std::string id = Must(context.Add(NodeSpec().Role("user"))).id;
      const std::int64_t stamp = NumberIn(Must(context.Get(id)), "created_at_ns");
      ASSERT_GT(stamp, last);
      last = stamp;
    }
    const std::string turn = Must(context.Commit()).sealed;
    const std::int64_t stamp = NumberIn(Must(context.Get(turn)), "created_at_ns");
    ASSERT_GT(stamp, last);
    last = stamp;
  }
}

// --- ids ---

TEST(Context, MakesUuidsIfAsked) {
  Options options = support::SteppedOptions();
  options.ids = IdScheme::kUuid;
  Context context = NewContext(options);
  std::set<std::string> ids;
  for (int i = 0; i < 50; ++i) ids.insert(Must(context.Add(NodeSpec())).id);
  ids.insert(Must(context.Commit()).sealed);
  EXPECT_EQ(ids.size(), 51u);
  for (const std::string& id : ids) {
    EXPECT_THAT(id, ::testing::MatchesRegex(
                        "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  }
  EXPECT_EQ(context.Verify(), support::VerifyOk());
}

TEST(Context, NamesNodesByTheDialect) {
  Options options = support::SteppedOptions();
  options.dialect = Dialect::kClassic;
  Context context = NewContext(options);
  EXPECT_EQ(Must(context.Add(NodeSpec())).id, "cb:1.1");
  EXPECT_EQ(Must(context.Add(NodeSpec().Type("cont").Offset(1))).id, "mc:1.2");
  EXPECT_EQ(Must(context.Commit()).sealed, "mt:1");
  EXPECT_EQ(support::Outline(Must(context.At("@t0"))),
            "root(sys seq(mt:1(mc:1.0(cb:1.1) mc:1.2)) ah)");
}

TEST(Context, I2_AnIdIsTakenForGoodOnceASnapshotHoldsIt) {
  Context context = NewContext();
  Must(context.Add(Block("a"), {.parent = "^sys"}));
  EXPECT_EQ(CodeOf(context.Add(Block("a"))), "E_ID_EXISTS");
  Must(context.Remove("a"));
  Must(context.Add(Block("a"), {.parent = "^sys"}));  // no snapshot had it
  Must(context.Commit());
  Must(context.Remove("a"));
  EXPECT_EQ(CodeOf(context.Add(Block("a"))), "E_ID_EXISTS");
  Must(context.Commit());
  EXPECT_EQ(CodeOf(context.Add(Block("a"))), "E_ID_EXISTS");
}

// --- commit ---

TEST(Context, CONC_1_CommitComparesTheCycleItIsGiven) {
  Context context = NewContext();
  EXPECT_EQ(context.open_cycle(), 1);
  const auto stale = context.Commit({.expect_cycle = 2});
  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error(), Error(ErrorCode::kConflict, "the open cycle is 1, not 2")
                               .With("expected", std::int64_t{2})
                               .With("open", std::int64_t{1}));
  EXPECT_EQ(Must(context.Commit({.expect_cycle = 1})).cycle, 1);
  EXPECT_EQ(CodeOf(context.Commit({.expect_cycle = 1})), "E_CONFLICT");
  EXPECT_EQ(context.open_cycle(), 2);
}

TEST(Context, P7_AKnownIdempotencyKeyGivesTheOldAnswer) {
  Context context = NewContext();
  Must(context.Add(Block("a")));
  const CommitResult first = Must(context.Commit({.idempotency_key = "k", .hashes = true}));
  Must(context.Add(Block("b")));
  const std::string before = context.tree_sha256();
  const CommitResult again = Must(context.Commit({.expect_cycle = 99, .idempotency_key = "k"}));
  EXPECT_EQ(again.cycle, first.cycle);
  EXPECT_EQ(again.sealed, first.sealed);
  EXPECT_EQ(again.tree_sha256, first.tree_sha256);
  EXPECT_EQ(again.thread_sha256, first.thread_sha256);
  EXPECT_EQ(context.open_cycle(), 2);
  EXPECT_EQ(context.tree_sha256(), before);
  EXPECT_EQ(Must(context.Commit({.idempotency_key = "other"})).cycle, 2);
}

TEST(Context, RemembersNoKeyOfACommitThatFailed) {
  Context context = NewContext();
  EXPECT_EQ(CodeOf(context.Commit({.expect_cycle = 7, .idempotency_key = "k"})), "E_CONFLICT");
  EXPECT_EQ(Must(context.Commit({.idempotency_key = "k"})).cycle, 1);
}

TEST(Context, SNAP_3_CommitGivesTheHashOfTheThreadItWouldHaveSent) {
  Context context = NewContext();
  Must(context.Add(NodeSpec().Role("user").Text("\xC3\xA9").Ttl(0)));
  Must(context.Add(NodeSpec().Role("user").Text("stays")));
  const RenderResult preview = Must(context.Render());
  const std::string before = context.tree_sha256();
  EXPECT_EQ(context.tree_sha256(), before);
  const CommitResult commit = Must(context.Commit({.hashes = true}));
  EXPECT_EQ(commit.thread_sha256, preview.sha256);
  EXPECT_EQ(Must(context.Render({.at = "@t0"})).body, preview.body);
  EXPECT_EQ(Must(context.Commit({})).thread_sha256, std::nullopt);
}

// --- content that is no UTF-8 ---

TEST(NodeSpec, SER_6_InvalidContentHashesAsNoBytesAtAllWithAWarning) {
  const std::string nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  for (const std::string_view text :
       {"\xFF", "a\xC3", "\xED\xA0\x80", "\xC0\x80", "\xF4\x90\x80\x80"})
    EXPECT_EQ(HashNode(NodeSpec().Role("user").Text(text)), nothing);
  std::vector<std::string> warnings;
  HashNode(NodeSpec().Text("fine"), &warnings);
  EXPECT_EQ(warnings, std::vector<std::string>{});
  EXPECT_EQ(HashNode(NodeSpec().Text("\xFF"), &warnings), nothing);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0], "hashed as no content: invalid UTF-8");
  EXPECT_NE(HashNode(NodeSpec().Text("")), nothing);
  EXPECT_EQ(HashNode(NodeSpec().Role("user").Text("Hello world")),
            "bd991081a0a67c7476399d89d1638f2931cd261208cdc9965502b18a04f1dec6");
}

TEST(Context, AnUpdateChangesTheHeadersItNamesAndNoOther) {
  const NodeSpec all = NodeSpec().Id("x").Role("user").Kind("text").Priority(3).Ttl(4).Text("t");
  const std::vector<std::pair<NodeSpec, std::string_view>> cases = {
      {NodeSpec().Role("tool"), R"("role":"tool")"},
      {NodeSpec().Kind("note"), R"("kind":"note")"},
      {NodeSpec().Priority(5), R"("priority":5)"},
      {NodeSpec().Ttl(6), R"("ttl":6)"},
      {NodeSpec().Pinned(true), R"("pinned":true)"}};
  for (const auto& [set, want] : cases) {
    Context context = NewContext();
    Must(context.Add(NodeSpec(all).Pinned(false)));
    const std::string before = Must(context.Get("x"));
    Must(context.Update("x", set));
    const std::string after = Must(context.Get("x"));
    EXPECT_THAT(after, testing::HasSubstr(want));
    // All that was there is there, but for what was named.
    const std::string name(want.substr(0, want.find(':') + 1));
    for (const std::string_view header :
         {R"("role":"user")", R"("kind":"text")", R"("priority":3)", R"("ttl":4)"}) {
      ASSERT_THAT(before, testing::HasSubstr(header));
      EXPECT_EQ(after.contains(header), !header.starts_with(name)) << header << " after " << want;
    }
  }
}

TEST(Context, OnlyAnUpdateThatNamesItUnpinsANode) {
  const auto pinned = [](const NodeSpec& set) {
    Context context = NewContext();
    Must(context.Add(NodeSpec().Id("x").Text("t").Pinned(true)));
    Must(context.Update("x", set));
    return Must(context.Get("x")).contains(R"("pinned":true)");
  };
  EXPECT_TRUE(pinned(NodeSpec().Text("u")));
  EXPECT_TRUE(pinned(NodeSpec().Role("user").Ttl(3)));
  EXPECT_TRUE(pinned(NodeSpec().Pinned(true)));
  EXPECT_FALSE(pinned(NodeSpec().Pinned(false)));
  EXPECT_FALSE(pinned(NodeSpec().Set("pinned", Json::Null())));
}

TEST(Context, AnUpdateToNullTakesAHeaderAway) {
  const std::vector<std::pair<std::string, Json>> all = {{"role", Must(Json::String("user"))},
                                                         {"kind", Must(Json::String("text"))},
                                                         {"key", Must(Json::String("k"))},
                                                         {"tags", Must(Json::Parse(R"(["t"])"))},
                                                         {"refs", Must(Json::Parse(R"(["x"])"))}};
  for (const auto& [taken, ignored] : all) {
    NodeSpec with = NodeSpec().Id("x");
    NodeSpec without = NodeSpec().Id("x");
    for (const auto& [name, value] : all) {
      with.Set(name, value);
      if (name != taken) without.Set(name, value);
    }
    Context updated = NewContext();
    Must(updated.Add(with));
    Must(updated.Update("x", NodeSpec().Set(taken, Json::Null())));
    Context plain = NewContext();
    Must(plain.Add(without));
    EXPECT_EQ(Must(updated.Get("x")), Must(plain.Get("x"))) << taken;
  }
}

TEST(NodeSpec, RemembersTheFieldThatIsNoUtf8) {
  const NodeSpec spec = NodeSpec().Text("fine").Tags({"a", "b\xFF"});
  ASSERT_TRUE(spec.fault());
  EXPECT_EQ(spec.fault()->code(), ErrorCode::kRequestInvalid);
  ASSERT_FALSE(spec.fault()->details().empty());
  EXPECT_EQ(spec.fault()->details().back().text, "tags");
  Context context = NewContext();
  EXPECT_EQ(context.Add(spec).error(), *spec.fault());
  Must(context.Add(Block("x")));
  EXPECT_EQ(context.Update("x", spec).error(), *spec.fault());
  EXPECT_EQ(context.Replace("x", spec).error(), *spec.fault());
}

TEST(NodeSpec, TheLastValueOfAFieldCounts) {
  Context context = NewContext();
  Must(context.Add(NodeSpec().Id("x").Text("first").Text("second")));
  Must(context.Commit());
  EXPECT_EQ(Must(context.At("@t0")).Find("x")->content(), "\"second\"");
}

}  // namespace
}  // namespace pactdb
