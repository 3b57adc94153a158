// import(export(x)) is x: every snapshot's tree, bytes, thread and log, and whatever comes after.
#include <gtest/gtest.h>
#include <pactdb/context.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "support/contexts.h"
#include "support/transfer.h"

namespace pactdb {
namespace {

using support::Block;
using support::CodeOf;
using support::Group;
using support::ImportLines;
using support::Lines;
using support::Must;
using support::NewContext;
using support::SameHistory;

constexpr std::string_view kForeign =
    R"({"cycle":7,"root":{"children":[
  {"id":"sys-1","nodeType":"^sys","offset":3,"children":[
    {"id":"s","nodeType":"cb","role":"system","content":"S","colour":null,"odd name":[1,2.50]}]},
  {"id":"seq-1","nodeType":"^seq","children":[
    {"id":"mt:2","nodeType":"mt","children":[{"id":"u2","content":2.0,"created_at_iso":"noon"}]},
    {"id":"mt:1","children":[
      {"id":"u1","nodeType":"gadget:lamp","content":null,"ttl":1,"pinned":true,"removable":false},
      {"id":"g","offset":-1,"children":[]},{"id":"h","nodeType":"mc","offset":2}]}]}]}})";

// Engine-made commits, an import in between, a deferred node, groups that move and go.
Context Eventful() {
  Context context = NewContext();
  Must(context.Add(Block("a", "one").Key("k").Tags({"t"}).Ttl(1).Pinned(true)));
  Must(context.Add(Group("g", 2).Removable(true)));
  Must(context.Add(Block("b", "two").Ttl(3), {.parent = "g"}));
  Must(context.Add(Block("rule", "be kind").Role("system"), {.parent = "^sys"}));
  Must(context.Commit());
  Must(context.Commit());
  Must(context.Commit());  // `a` is overdue and stays, being pinned
  Must(context.Update("rule", NodeSpec().Text("be very kind").Set("data_x", Json::Null())));
  Must(context.Add(Group("late", 5), {.parent = "seg:1"}));
  Must(context.Move("b", {.parent = "late", .offset = 1}));
  Must(context.Remove("g"));
  Must(context.Commit());
  Must(context.ImportSnapshot(kForeign));
  Must(context.Add(Block("after", "three")));
  Must(context.Add(Block("in-h", "four"), {.parent = "h"}));
  Must(context.Commit());
  Must(context.Commit());
  Must(context.Tag("second name", "@c1"));
  Must(context.Tag("first name", "@c1"));
  Must(context.Tag("newest", "@t0"));
  return context;
}

TEST(Export, AHistoryWithoutCommitsBringsNothing) {
  Context copy = NewContext();
  Must(copy.Add(NodeSpec().Id("mine")));
  Must(copy.Commit());
  const std::string before = Must(copy.Tree()) + Must(copy.Log());
  const ImportResult result =
      Must(copy.ImportSnapshot(Must(NewContext().Export({.history = true}))));
  EXPECT_EQ(result.cycle, 2) << "that which is open";
  EXPECT_EQ(result.nodes, 0);
  EXPECT_EQ(result.warnings, std::vector<std::string>());
  EXPECT_EQ(Must(copy.Tree()) + Must(copy.Log()), before);
}

TEST(Export, OfAHistoryHasTheTagsOfItsSnapshotsByName) {
  const std::string history = Must(Eventful().Export({.history = true}));
  EXPECT_NE(history.find(R"("sealed":"seg:1","tags":["first name","second name"],"set":[)"),
            std::string::npos);
  Context copy = NewContext();
  Must(copy.ImportSnapshot(history));
  EXPECT_EQ(Must(copy.At("second name")).cycle(), 1);
  EXPECT_EQ(Must(copy.At("newest")).cycle(), 9);
}

TEST(Export, IMP_2_HistoryComesBackAsItWas) {
  const Context context = Eventful();
  ASSERT_EQ(context.Verify(), support::VerifyOk());
  Context copy = NewContext();
  const ImportResult result = Must(ImportLines(copy, Lines(context)));
  EXPECT_EQ(result.cycle, 9);
  EXPECT_EQ(result.nodes, 13);
  SameHistory(context, copy);
  Context third = NewContext();
  Must(third.ImportSnapshot(Must(context.Export({.history = true}))));
  SameHistory(context, third);
}

TEST(Export, EverySnapshotComesBackAlone) {
  const Context context = Eventful();
  for (std::int64_t cycle = 1; cycle < context.open_cycle(); ++cycle) {
    const std::string at = "@c" + std::to_string(cycle);
    SCOPED_TRACE(at);
    if (!context.At(at)) continue;
    const std::string document = Must(context.Export({.at = at}));
    for (const Dialect dialect : {Dialect::kCanonical, Dialect::kClassic}) {
      Options options = support::SteppedOptions();
      options.dialect = dialect;
      Context copy = NewContext(options);
      const ImportResult result = Must(copy.ImportSnapshot(document));
      EXPECT_EQ(result.cycle, cycle);
      support::SameSnapshot(context, copy, at);
      EXPECT_EQ(copy.Verify(), support::VerifyOk());
      if (dialect == Dialect::kCanonical) {
        EXPECT_EQ(Must(copy.Export({.at = at})), document);
      }
    }
  }
}

TEST(Export, X8_TheWorkingStateCarriesTheOpenCycle) {
  Context context = Eventful();
  Must(context.Add(Block("open", "five").Ttl(0)));
  Must(context.Add(Block("open2", "six").Ttl(4)));
  const std::string document = Must(context.Export());
  EXPECT_EQ(support::NumberIn(document, "cycle"), context.open_cycle());
  Context copy = NewContext();
  EXPECT_EQ(Must(copy.ImportSnapshot(document)).warnings.size(), 3u);
  EXPECT_EQ(copy.tree_sha256(), context.tree_sha256());
  EXPECT_EQ(Must(copy.Serialize("@t0")).size(), Must(context.Serialize()).size());
}

TEST(Export, IMP_4_EnvelopeOfAnEngineMadeSnapshot) {
  Context context = NewContext();
  Must(
      context.Add(NodeSpec().Role("user").Text("Hi").Ttl(2).Set("ns:x", Must(Json::Parse("[1]")))));
  Must(context.Commit());
  EXPECT_EQ(
      Must(context.Export({.at = "@t0"})),
      R"({"spec_version":"PACT/0.1.0","cycle":1,"root":{"id":"root","nodeType":"^root","offset":0,)"
      R"("ttl":null,"priority":0,"cycle":0,"created_at_ns":0,)"
      R"("created_at_iso":"1970-01-01T00:00:00.000000000Z","creation_index":0,"children":[)"
      R"({"id":"sys","nodeType":"^sys","offset":0,"ttl":null,"priority":0,"cycle":0,)"
      R"("created_at_ns":0,"created_at_iso":"1970-01-01T00:00:00.000000000Z","creation_index":0,)"
      R"("children":[]},)"
      R"({"id":"seq","nodeType":"^seq","offset":0,"ttl":null,"priority":0,"cycle":0,)"
      R"("created_at_ns":0,"created_at_iso":"1970-01-01T00:00:00.000000000Z","creation_index":1,)"
      R"("children":[{"id":"seg:1","nodeType":"seg","offset":0,"ttl":null,"priority":0,"cycle":1,)"
      R"("created_at_ns":1002,"created_at_iso":"1970-01-01T00:00:00.000001002Z",)"
      R"("creation_index":2,"children":[{"id":"cont:1.0","nodeType":"cont","offset":0,"ttl":null,)"
      R"("priority":0,"cycle":1,"created_at_ns":1000,)"
      R"("created_at_iso":"1970-01-01T00:00:00.000001000Z","creation_index":0,"children":[)"
      R"({"id":"block:1.1","nodeType":"block","offset":0,"ttl":1,"priority":0,"cycle":1,)"
      R"("created_at_ns":1001,"created_at_iso":"1970-01-01T00:00:00.000001001Z",)"
      R"("creation_index":1,"role":"user","content":"Hi","ns:x":[1]}]}]}]},)"
      R"({"id":"ah","nodeType":"^ah","offset":0,"ttl":null,"priority":0,"cycle":0,)"
      R"("created_at_ns":0,"created_at_iso":"1970-01-01T00:00:00.000000000Z","creation_index":2,)"
      R"("children":[]}]},"pactdb":{"export":1,"kind":"snapshot","dialect":"canonical",)"
      R"("tree_sha256":")" +
          Must(context.At("@t0")).tree_sha256() + R"("}})");
}

// What comes after an import is what would have come without it: ids, stamps, expiry, lookups.
TEST(Export, WorkGoesOnTheSame) {
  Context context = Eventful();
  Context copy = NewContext();
  Must(ImportLines(copy, Lines(context)));
  Options options = support::SteppedOptions();
  options.clock->start_ns = 5'000;
  for (Context* one : {&context, &copy}) {
    Must(one->Configure(options));
    Must(one->Unpin("u1"));
    Must(one->Add(NodeSpec().Text("x").Key("k")));
    EXPECT_EQ(CodeOf(one->Add(Block("b"))), "E_ID_EXISTS");
    Must(one->Commit());
    Must(one->Commit());
  }
  SameHistory(context, copy);
  EXPECT_EQ(Must(context.Select("#k")), Must(copy.Select("#k")));
}

TEST(Export, ASnapshotOfALongHistoryCostsItsChanges) {
  Context context = NewContext();
  for (int i = 0; i < 400; ++i) {
    Must(context.Add(NodeSpec().Role("user").Text("turn " + std::to_string(i))));
    Must(context.Commit());
  }
  const std::string lines = Lines(context);
  // A turn is a turn, a core and a block, whatever came before it.
  const std::size_t last = lines.rfind('\n', lines.size() - 2);
  EXPECT_LT(lines.size() - last, 1'200u);
  EXPECT_EQ(std::ranges::count(lines, '\n'), 401);
}

TEST(Export, ASinkThatRefusesEndsTheExport) {
  const Context context = Eventful();
  FunctionSink sink([](std::string_view) { return false; });
  const auto refused = context.ExportTo(sink, {.history = true});
  ASSERT_FALSE(refused);
  EXPECT_EQ(WireName(refused.error().code()), "E_STORE_IO");
}

TEST(Export, AHistoryWithoutCommitsIsAHeader) {
  const Context context = NewContext();
  Context copy = NewContext();
  const std::string lines = Lines(context);
  EXPECT_EQ(lines, R"({"spec_version":"PACT/0.1.0","cycle":null,"pactdb":{"export":1,)"
                   R"("kind":"history","dialect":"canonical","commits":0}})"
                   "\n");
  Must(ImportLines(copy, lines));
  EXPECT_EQ(copy.open_cycle(), 1);
}

TEST(Export, AHistoryUpToASnapshot) {
  const Context context = Eventful();
  Context copy = NewContext();
  Must(copy.ImportSnapshot(Must(context.Export({.at = "@c3", .history = true}))));
  EXPECT_EQ(copy.open_cycle(), 4);
  for (const char* at : {"@c1", "@c2", "@c3"}) support::SameSnapshot(context, copy, at);
}

TEST(Export, AHistoryWhoseCyclesAreTakenIsRefused) {
  const Context context = Eventful();
  Context copy = NewContext();
  Must(copy.Add(Block("mine", "kept")));
  Must(copy.Commit());
  const std::string before = copy.tree_sha256();
  EXPECT_EQ(CodeOf(ImportLines(copy, Lines(context))), "E_IMPORT_INVALID");
  EXPECT_EQ(copy.tree_sha256(), before);
  EXPECT_EQ(copy.open_cycle(), 2);
}

}  // namespace
}  // namespace pactdb
