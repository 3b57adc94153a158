// Imports are all or nothing: what a bad one leaves behind is what was there before.
#include <gtest/gtest.h>
#include <pactdb/context.h>

#include <string>
#include <vector>

#include "support/contexts.h"

namespace pactdb {
namespace {

using support::Block;
using support::CodeOf;
using support::Must;
using support::NewContext;

std::string Entry(std::string_view role, std::string_view more = "") {
  std::string entry = "{\"role\":\"";
  entry += role;
  entry += "\",\"content\":\"text\"";
  entry += more;
  return entry + "}";
}

// A log of `turns` turns whose blocks have ids, keys and ttls, then the entries said.
std::string Log(int turns, const std::vector<std::string>& then = {}) {
  std::string log = "[" + Entry("system", ",\"id\":\"rules\"");
  for (int i = 0; i < turns; ++i) {
    const std::string n = std::to_string(i);
    log += "," + Entry("user", ",\"id\":\"q" + n + "\",\"key\":\"k\"");
    log += "," + Entry("assistant", ",\"id\":\"a" + n + "\",\"tags\":[\"t\"],\"ttl\":2");
  }
  for (const std::string& entry : then) log += "," + entry;
  return log + "]";
}

// Two turns; `short` would expire in the next commit, `long` one later; both carry the key.
Context Prepared() {
  Context context = NewContext();
  Must(context.Add(Block("short").Key("k").Ttl(2)));
  Must(context.Add(Block("long").Key("k").Tags({"t"}).Ttl(3)));
  Must(context.Commit());
  Must(context.Commit());
  Must(context.Add(Block("open").Key("k").Tags({"t"}).Refs({"short"})));
  return context;
}

std::string Everything(const Context& context) {
  return Must(context.Tree()) + Must(context.Log({.hashes = true})) + context.tree_sha256() +
         std::to_string(context.open_cycle()) + Must(context.Render()).body +
         std::to_string(support::NumberIn(context.Stats(), "made_in_cycle"));
}

std::string Keyed(const Snapshot& snapshot) {
  std::string text;
  for (const NodeView& node : snapshot.FindByKey("k")) text += std::string(node.id()) + " ";
  for (const NodeView& node : snapshot.FindByTag("t")) text += std::string(node.id()) + " ";
  return text;
}

TEST(ImportLog, X5_MakesACommitOfEveryTurnButTheLast) {
  Context context = NewContext();
  const ImportResult result = Must(context.ImportLog(Log(4)));
  EXPECT_EQ(result.cycle, 4);
  EXPECT_EQ(result.nodes, 9);
  EXPECT_EQ(context.open_cycle(), 4);
  const Snapshot snapshot = Must(context.At("@t0"));
  EXPECT_EQ(snapshot.turn_count(), 3u);
  EXPECT_EQ(Keyed(snapshot), "q0 q1 q2 a1 a2 ");
  EXPECT_EQ(context.Verify(), support::VerifyOk());
}

TEST(ImportLog, AnEntryThatSaysNoKindIsText) {
  Context context = NewContext();
  Must(context.ImportLog(R"([{"id":"a","role":"user","content":"x"},)"
                         R"({"id":"b","role":"user","kind":null,"content":"x"},)"
                         R"({"id":"c","role":"user","kind":"code","content":"x"}])"));
  EXPECT_EQ(Must(context.Select(".block[kind=text]", {})), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(Must(context.Select(".block[kind=code]", {})), (std::vector<std::string>{"c"}));
}

TEST(ImportLog, ABadEntryAfterTurnsLeavesEverythingAsItWas) {
  Context context = Prepared();
  Reader reader = context.MakeReader();
  const std::string before = Everything(context);
  const Snapshot newest = *reader.Latest();
  const std::vector<std::string> bad_entries = {
      "{\"content\":\"no role\"}",
      "7",
      Entry("user", ",\"ttl\":-1"),
      Entry("user", ",\"id\":\"short\""),
      Entry("user", ",\"id\":\"q0\""),
      Entry("user", ",\"id\":\"seg:9\""),
      Entry("user", ",\"offset\":\"1\""),
      Entry("user", ",\"cycle\":1"),
      Entry("user", ",\"nodeType\":\"seg\""),
  };
  for (const std::string& bad : bad_entries) {
    SCOPED_TRACE(bad);
    EXPECT_EQ(CodeOf(context.ImportLog(Log(6, {bad}))), "E_IMPORT_INVALID");
    EXPECT_EQ(Everything(context), before);
    EXPECT_EQ(reader.Latest()->cycle(), newest.cycle());
    EXPECT_EQ(Keyed(*reader.Latest()), "short long long ");
    EXPECT_EQ(CodeOf(context.At("@c3")), "E_SNAPSHOT_NOT_FOUND");
    EXPECT_EQ(context.Verify(), support::VerifyOk());
  }
}

// Nodes that expired on the way are there again, ids are free again, the clock stands where it was:
// whatever follows is the same as without the failed imports.
TEST(ImportLog, WhatFollowsAFailureIsAsIfItHadNeverBeen) {
  Context context = Prepared();
  Context twin = Prepared();
  for (int turns = 1; turns < 8; ++turns)
    EXPECT_EQ(CodeOf(context.ImportLog(Log(turns, {"7"}))), "E_IMPORT_INVALID");
  for (Context* one : {&context, &twin}) {
    Must(one->ImportLog(Log(5)));
    Must(one->Commit());
    Must(one->Remove("rules"));
    Must(one->Commit());
  }
  EXPECT_EQ(Everything(context), Everything(twin));
  for (int cycle = 1; cycle < context.open_cycle(); ++cycle) {
    const std::string address = "@c" + std::to_string(cycle);
    EXPECT_EQ(Must(context.Tree(address)), Must(twin.Tree(address))) << address;
    EXPECT_EQ(Keyed(Must(context.At(address))), Keyed(Must(twin.At(address)))) << address;
  }
  EXPECT_EQ(context.Verify(), support::VerifyOk());
}

TEST(ImportLog, KeepsTheCodeOfWhatTheConfigurationRefuses) {
  Options options = support::SteppedOptions();
  options.policy = Policy{.max_nodes = 6, .prune_regions = {}, .strict = true};
  Context context = NewContext(options);
  const std::string before = context.tree_sha256();
  EXPECT_EQ(CodeOf(context.ImportLog(Log(5))), "E_LIMIT_EXCEEDED");
  EXPECT_EQ(context.tree_sha256(), before);
  EXPECT_EQ(context.open_cycle(), 1);
  options.policy.reset();
  options.authorize_sys = false;
  Must(context.Configure(options));
  EXPECT_EQ(CodeOf(context.ImportLog(Log(1))), "E_NOT_AUTHORIZED");
  EXPECT_EQ(context.tree_sha256(), before);
}

TEST(ImportLog, NamesTheEntry) {
  Context context = NewContext();
  const Error error = context.ImportLog("[" + Entry("user") + ",{}]").error();
  EXPECT_EQ(error.message(), "entry 1: a log entry is an object with a role");
  ASSERT_FALSE(error.details().empty());
  EXPECT_EQ(error.details()[0].number, 1);
}

constexpr std::string_view kDocument =
    R"({"cycle":7,"root":{"id":"root","nodeType":"^root","children":[
  {"id":"sys-1","nodeType":"^sys","children":[
    {"id":"s","nodeType":"cb","role":"system","content":"S"}]},
  {"id":"seq-1","nodeType":"^seq","children":[
    {"id":"mt:2","nodeType":"mt","children":[{"id":"u2","nodeType":"cb","content":"2"}]},
    {"id":"mt:1","nodeType":"mt","children":[
      {"id":"u1","nodeType":"cb","content":"1","ttl":1}]}]}]}})";

TEST(ImportSnapshot, BecomesTheNewestSnapshot) {
  Context context = NewContext();
  Must(context.Add(Block("lost")));
  const ImportResult result = Must(context.ImportSnapshot(kDocument));
  EXPECT_EQ(result.cycle, 7);
  EXPECT_EQ(result.nodes, 5);
  EXPECT_FALSE(result.warnings.empty());
  EXPECT_EQ(context.open_cycle(), 8);
  EXPECT_EQ(support::Outline(Must(context.At("@t0"))),
            "root(sys-1(s) seq-1(mt:1(u1) mt:2(u2)))");  // listed newest first
  EXPECT_EQ(CodeOf(context.Get("lost")), "E_NODE_NOT_FOUND");
  EXPECT_EQ(support::Outline(*Must(context.At("@c7")).TurnAtDepth(1)), "mt:2(u2)");
  Must(context.Commit());
  EXPECT_EQ(support::Outline(Must(context.At("@t0"))),
            "root(sys-1(s) seq-1(mt:1(u1) mt:2(u2) seg:8(cont:8.0)) ah)");
  Must(context.Commit());
  EXPECT_FALSE(Must(context.At("@t0")).Find("u1"));
  EXPECT_TRUE(Must(context.At("@c8")).Find("u1"));
  EXPECT_EQ(context.Verify(), support::VerifyOk());
}

TEST(ImportSnapshot, StrictRefusesWhatLenientWarnsOf) {
  Context context = NewContext();
  const std::string before = Everything(context);
  EXPECT_EQ(CodeOf(context.ImportSnapshot(kDocument, /*strict=*/true)), "E_IMPORT_INVALID");
  EXPECT_EQ(Everything(context), before);
}

// Ids that a refused document named are as free as before.
TEST(ImportSnapshot, ARefusedDocumentTakesNoIds) {
  Context context = NewContext();
  EXPECT_EQ(CodeOf(context.ImportSnapshot(kDocument, /*strict=*/true)), "E_IMPORT_INVALID");
  Must(context.Add(Block("u1")));
  Must(context.Add(Block("mt:0")));
  EXPECT_EQ(CodeOf(context.Add(Block("u1"))), "E_ID_EXISTS");
}

// The reference serialization lacks creation_index, so regions come back in another literal order;
// the thread is the same, and from then on the bytes are.
TEST(ImportSnapshot, TakesASerializationForADocument) {
  Context context = Prepared();
  Must(context.Commit());
  Context second = NewContext();
  Must(second.ImportSnapshot("{\"cycle\":3,\"root\":" + Must(context.Serialize("@t0")) + "}"));
  EXPECT_EQ(Must(second.Render({.at = "@t0"})).body, Must(context.Render({.at = "@t0"})).body);
  const std::string bytes = Must(second.Serialize("@t0"));
  Context third = NewContext();
  Must(third.ImportSnapshot("{\"cycle\":3,\"root\":" + bytes + "}"));
  EXPECT_EQ(Must(third.Serialize("@t0")), bytes);
  EXPECT_EQ(third.tree_sha256(), second.tree_sha256());
  EXPECT_EQ(third.Verify(), support::VerifyOk());
}

}  // namespace
}  // namespace pactdb
