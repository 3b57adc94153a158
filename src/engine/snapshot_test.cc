// What a Snapshot shows, at any age.
#include <pactdb/snapshot.h>

#include <gtest/gtest.h>
#include <pactdb/context.h>

#include <optional>
#include <string>
#include <vector>

#include "support/contexts.h"

namespace pactdb {
namespace {

using support::Block;
using support::CodeOf;
using support::Group;
using support::Must;
using support::NewContext;

std::string Ids(const std::vector<NodeView>& nodes) {
  std::string text;
  for (const NodeView& node : nodes) text += std::string(node.id()) + " ";
  return text;
}

TEST(Snapshot, ShowsEveryHeader) {
  Context context = NewContext();
  Must(context.Add(NodeSpec()
                       .Id("x")
                       .Type("block:summary")
                       .Role("user")
                       .Text("Hi")
                       .Key("k")
                       .Offset(1)
                       .Ttl(5)
                       .Priority(-3)
                       .Pinned(true)
                       .Set("data_n", Json::Integer(7))));
  Must(context.Commit());
  const Snapshot snapshot = Must(context.At("@c1"));
  const NodeView node = *snapshot.Find("x");
  EXPECT_EQ(node.id(), "x");
  EXPECT_EQ(node.node_type(), "block:summary");
  EXPECT_EQ(node.role(), "user");
  EXPECT_EQ(node.kind(), "summary");
  EXPECT_EQ(node.offset(), 1);
  EXPECT_EQ(node.ttl(), 4);  // what is left after the commit
  EXPECT_EQ(node.priority(), -3);
  EXPECT_EQ(node.cycle(), 1);
  EXPECT_EQ(node.created_at_ns(), 1'000);
  EXPECT_EQ(node.creation_index(), 0);
  EXPECT_TRUE(node.pinned());
  EXPECT_FALSE(node.removable());
  EXPECT_EQ(node.content(), "\"Hi\"");
  EXPECT_EQ(node.attribute("key"), "\"k\"");
  EXPECT_EQ(node.attribute("data_n"), "7");
  EXPECT_EQ(node.attribute("tags"), std::nullopt);
  EXPECT_EQ(node.content_hash(), HashNode(NodeSpec().Role("user").Kind("summary").Text("Hi").Set(
                                     "data_n", Json::Integer(7))));
  EXPECT_EQ(node.depth(), 1);
  EXPECT_EQ(node.parent()->id(), "seg:1");
  EXPECT_EQ(node.child_count(), 0u);
}

TEST(Snapshot, SaysNothingForWhatANodeLacks) {
  Context context = NewContext();
  Must(context.Add(Block("x")));
  Must(context.Commit());
  const Snapshot snapshot = Must(context.At("@t0"));
  const NodeView node = *snapshot.Find("x");
  EXPECT_EQ(node.role(), "");
  EXPECT_EQ(node.kind(), "");
  EXPECT_EQ(node.ttl(), std::nullopt);
  EXPECT_EQ(node.content(), std::nullopt);
  EXPECT_EQ(snapshot.root().parent(), std::nullopt);
  EXPECT_EQ(snapshot.root().depth(), std::nullopt);
  EXPECT_EQ(snapshot.Find("seq")->depth(), std::nullopt);
  EXPECT_EQ(snapshot.Find("sys")->depth(), -1);
  EXPECT_EQ(snapshot.Find("ah")->depth(), 0);
}

TEST(Snapshot, LIFE_32_NeverChanges) {
  Context context = NewContext();
  Must(context.Add(Block("s", "one"), {.parent = "^sys"}));
  Must(context.Add(Block("x", "text").Offset(1).Ttl(3)));
  Must(context.Commit());
  const Snapshot first = Must(context.At("@c1"));
  const std::string bytes = Must(context.Serialize("@c1"));
  const std::string hash = first.tree_sha256();
  Must(context.Update("s", NodeSpec().Text("two")));
  Must(context.Pin("x"));
  Must(context.Move("x", {.offset = -1}));
  Must(context.Commit());
  Must(context.Remove("x"));
  for (int i = 0; i < 5; ++i) Must(context.Commit());
  EXPECT_EQ(Must(context.Serialize("@c1")), bytes);
  EXPECT_EQ(first.tree_sha256(), hash);
  EXPECT_EQ(first.Find("s")->content(), "\"one\"");
  EXPECT_EQ(first.Find("x")->offset(), 1);
  EXPECT_EQ(first.Find("x")->ttl(), 2);
  EXPECT_FALSE(first.Find("x")->pinned());
  EXPECT_EQ(Must(context.At("@c2")).Find("x")->offset(), -1);
  EXPECT_EQ(Must(context.At("@c3")).Find("x"), std::nullopt);
}

TEST(Snapshot, FindsNodesOfItsTimeOnly) {
  Context context = NewContext();
  for (int cycle = 1; cycle <= 20; ++cycle) {
    Must(context.Add(Block("n" + std::to_string(cycle)).Ttl(cycle % 4)));
    Must(context.Commit());
  }
  for (int cycle = 1; cycle <= 20; ++cycle) {
    const Snapshot snapshot = Must(context.At("@c" + std::to_string(cycle)));
    for (int made = 1; made <= 20; ++made) {
      // Made in cycle m with ttl t: in the snapshots m .. m + t - 1.
      const bool lives = made <= cycle && cycle < made + made % 4;
      EXPECT_EQ(snapshot.Find("n" + std::to_string(made)).has_value(), lives) << cycle << made;
    }
    EXPECT_FALSE(snapshot.Find("nobody"));
  }
}

TEST(Snapshot, FindsByKeyAndTagWhatCarriedThemThen) {
  Context context = NewContext();
  Must(context.Add(Block("a").Key("k").Tags({"t", "u"})));
  Must(context.Add(Block("b").Offset(1).Key("k")));
  Must(context.Commit());
  Must(context.Remove("b"));
  Must(context.Add(Block("c").Key("k").Ttl(1)));
  Must(context.Add(Block("d").Tags({"t"}), {.parent = "^sys"}));
  Must(context.Commit());
  Must(context.Commit());
  const auto at = [&context](std::string_view address) { return Must(context.At(address)); };
  EXPECT_EQ(Ids(at("@c1").FindByKey("k")), "a b ");
  EXPECT_EQ(Ids(at("@c2").FindByKey("k")), "a c ");
  EXPECT_EQ(Ids(at("@c3").FindByKey("k")), "a ");
  EXPECT_EQ(Ids(at("@c1").FindByTag("t")), "a ");
  EXPECT_EQ(Ids(at("@c2").FindByTag("t")), "d a ");  // ^sys comes first
  EXPECT_EQ(Ids(at("@c2").FindByTag("u")), "a ");
  EXPECT_EQ(Ids(at("@c2").FindByTag("k")), "");
  EXPECT_EQ(Ids(at("@c2").FindByKey("nobody")), "");
}

// A value changed in the open cycle was never in a snapshot.
TEST(Snapshot, FindsByTheLastKeyOfACycle) {
  Context context = NewContext();
  Must(context.Add(Block("a").Key("first")));
  for (const std::string_view key : {"second", "first", "third"})
    Must(context.Update("a", NodeSpec().Key(key)));
  Must(context.Commit());
  const Snapshot snapshot = Must(context.At("@t0"));
  EXPECT_EQ(Ids(snapshot.FindByKey("first")), "");
  EXPECT_EQ(Ids(snapshot.FindByKey("second")), "");
  EXPECT_EQ(Ids(snapshot.FindByKey("third")), "a ");
}

TEST(Snapshot, FindsAnIdAgainThatWasFreedBeforeItsFirstSnapshot) {
  Context context = NewContext();
  Must(context.Add(Block("a").Key("k")));
  Must(context.Remove("a"));
  Must(context.Add(Block("a").Key("l")));
  Must(context.Commit());
  EXPECT_EQ(Ids(Must(context.At("@t0")).FindByKey("k")), "");
  EXPECT_EQ(Ids(Must(context.At("@t0")).FindByKey("l")), "a ");
}

TEST(Snapshot, CountsTurnsByDepth) {
  Context context = NewContext();
  for (int i = 0; i < 200; ++i) Must(context.Commit());
  const Snapshot snapshot = Must(context.At("@t0"));
  EXPECT_EQ(snapshot.turn_count(), 200u);
  EXPECT_EQ(snapshot.node_count(), 400u);
  for (std::int64_t depth = 1; depth <= 200; ++depth) {
    const auto turn = snapshot.TurnAtDepth(depth);
    ASSERT_TRUE(turn);
    ASSERT_EQ(turn->id(), "seg:" + std::to_string(201 - depth));
    ASSERT_EQ(turn->depth(), depth);
  }
  for (const std::int64_t depth :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{201}, INT64_MAX, INT64_MIN}) {
    EXPECT_FALSE(snapshot.TurnAtDepth(depth)) << depth;
  }
  EXPECT_EQ(Must(context.At("@c50")).TurnAtDepth(1)->id(), "seg:50");
}

TEST(Snapshot, IsAValue) {
  Context context = NewContext();
  Must(context.Add(Block("a")));
  Must(context.Commit());
  Must(context.Commit());
  Snapshot one = Must(context.At("@c1"));
  const Snapshot two = Must(context.At("@c2"));
  const Snapshot copy = one;
  one = two;
  EXPECT_EQ(one.cycle(), 2);
  EXPECT_EQ(copy.cycle(), 1);
  EXPECT_EQ(one.root(), two.root());
  EXPECT_NE(copy.root(), two.root());
  const Snapshot moved = std::move(one);
  EXPECT_EQ(moved.cycle(), 2);
}

TEST(Snapshot, OutlivesItsContext) {
  std::vector<Snapshot> snapshots;
  std::vector<std::string> outlines;
  std::optional<Reader> reader;
  {
    Context context = NewContext();
    for (int i = 0; i < 30; ++i) {
      Must(context.Add(Block("n" + std::to_string(i), "text").Key("k").Ttl(5)));
      Must(context.Commit());
      if (i % 3 == 0) snapshots.push_back(Must(context.At("@t0")));
      if (i % 3 == 0) outlines.push_back(support::Outline(snapshots.back()));
    }
    reader.emplace(context.MakeReader());
  }
  snapshots.erase(snapshots.begin() + 2);
  outlines.erase(outlines.begin() + 2);
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    EXPECT_EQ(support::Outline(snapshots[i]), outlines[i]);
    for (const NodeView& node : snapshots[i].FindByKey("k")) EXPECT_EQ(node.content(), "\"text\"");
  }
  ASSERT_NE(reader->Latest(), nullptr);
  EXPECT_EQ(reader->Latest()->cycle(), 30);
}

TEST(Reader, SeesTheNewestCommit) {
  Context context = NewContext();
  Reader reader = context.MakeReader();
  EXPECT_EQ(reader.Latest(), nullptr);
  for (int cycle = 1; cycle <= 5; ++cycle) {
    const CommitResult commit = Must(context.Commit());
    ASSERT_NE(reader.Latest(), nullptr);
    EXPECT_EQ(reader.Latest()->cycle(), cycle);
    EXPECT_EQ(reader.Latest()->tree_sha256(), commit.tree_sha256);
    EXPECT_EQ(reader.Latest(), reader.Latest());
  }
}

}  // namespace
}  // namespace pactdb
