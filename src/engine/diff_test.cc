#include <gtest/gtest.h>
#include <pactdb/diff.h>

#include <string>
#include <vector>

#include "support/contexts.h"

namespace pactdb {
namespace {

using support::Block;
using support::CodeOf;
using support::Must;
using Ids = std::vector<std::string>;

class DiffTest : public ::testing::Test {
 protected:
  void AddToSys(std::string_view id, std::string_view text) {
    Must(context_.Add(Block(id, text), {.parent = "^sys", .mark = {}, .at = {}}));
  }
  Context context_ = support::NewContext();
};

TEST_F(DiffTest, GivesHandlesIntoBothSnapshots) {
  AddToSys("a", "one");
  AddToSys("b", "two");
  Must(context_.Commit());
  Must(context_.Update("a", NodeSpec().Text("three")));
  Must(context_.Remove("b"));
  Must(context_.Commit());
  const Snapshot from = Must(context_.At("@c1"));
  const Snapshot to = Must(context_.At("@c2"));
  const SnapshotDiff diff = Diff(from, to);
  ASSERT_EQ(diff.added.size(), 2u);
  EXPECT_EQ(diff.added[0].id(), "seg:2");
  ASSERT_EQ(diff.removed.size(), 1u);
  EXPECT_EQ(diff.removed[0].id(), "b");
  ASSERT_EQ(diff.changed.size(), 1u);
  EXPECT_EQ(diff.changed[0].before.content(), "\"one\"");
  EXPECT_EQ(diff.changed[0].after.content(), "\"three\"");
  EXPECT_EQ(diff.changed[0].fields, Ids{"content_hash"});
}

TEST_F(DiffTest, ListsTurnsAsTheDialectDoes) {
  for (int i = 0; i < 3; ++i) Must(context_.Commit());
  const Snapshot from = Must(context_.At("@c1"));
  const Snapshot to = Must(context_.At("@c3"));
  const auto ids = [&](Dialect dialect) {
    Ids found;
    for (const NodeView& node : Diff(from, to, dialect).added) found.emplace_back(node.id());
    return found;
  };
  EXPECT_EQ(ids(Dialect::kCanonical), (Ids{"seg:3", "cont:3.0", "seg:2", "cont:2.0"}));
  EXPECT_EQ(ids(Dialect::kClassic), (Ids{"seg:2", "cont:2.0", "seg:3", "cont:3.0"}));
}

TEST_F(DiffTest, ComparesWithAnotherContext) {
  AddToSys("a", "one");
  Context other = support::NewContext();
  Must(other.Add(Block("a", "one")));
  EXPECT_EQ(Must(context_.Diff("working", other, "working")),
            R"({"added":["cont:1.0","a"],"removed":["a"],"changed":[]})");
}

TEST_F(DiffTest, AppliesToAttributesThatAreCalledLikeAMove) {
  const auto document = [](std::string_view attributes) {
    return R"({"root":{"children":[{"id":"sys","nodeType":"^sys","children":[{"id":"b",)" +
           std::string(attributes) + "}]}]}}";
  };
  Must(context_.ImportSnapshot(document(R"("parent":"x","attribute:parent":1)")));
  Must(context_.ImportSnapshot(document(R"("parent":"y","attribute:parent":2)")));
  for (const auto& [from, to] : {std::pair("@c1", "@c2"), std::pair("@c2", "@c1")}) {
    const std::string diff = Must(context_.Diff(from, to, {.selector = {}, .detail = true}));
    EXPECT_EQ(Must(ApplyDiff(Must(context_.Tree(from)), diff)), Must(context_.Tree(to)));
  }
}

TEST_F(DiffTest, AppliesOnlyWhatFits) {
  AddToSys("a", "one");
  Must(context_.Commit());
  AddToSys("b", "two");
  Must(context_.Update("a", NodeSpec().Text("three")));
  const std::string from = Must(context_.Tree("@c1"));
  const std::string to = Must(context_.Tree("working"));
  const std::string diff = Must(context_.Diff("@c1", "working", {.selector = {}, .detail = true}));
  EXPECT_EQ(Must(ApplyDiff(from, diff)), to);
  // What it adds is there already; what it changes is not.
  EXPECT_EQ(CodeOf(ApplyDiff(to, diff)), "E_REQUEST_INVALID");
  EXPECT_EQ(CodeOf(ApplyDiff(R"({"id":"root","children":[]})", diff)), "E_REQUEST_INVALID");
  // The plain form does not say enough.
  EXPECT_EQ(CodeOf(ApplyDiff(from, Must(context_.Diff("@c1", "working")))), "E_REQUEST_INVALID");
  for (const std::string text : {"", "[]", "{}", "7", R"({"components_added":[{}]})",
                                 R"({"components_added":[],"components_removed":[]})",
                                 R"({"components_added":[],"components_modified":[]})",
                                 R"({"components_removed":[],"components_modified":[]})",
                                 R"({"components_added":[],"components_removed":{},)"
                                 R"("components_modified":[]})",
                                 R"({"components_added":[{"node":{},"position":0}],)"
                                 R"("components_removed":[],"components_modified":[]})",
                                 R"({"components_added":[{"node":{"id":"z","parent_id":"sys"}}],)"
                                 R"("components_removed":[],"components_modified":[]})",
                                 R"({"components_added":[{"node":5,"position":0}],)"
                                 R"("components_removed":[],"components_modified":[]})",
                                 R"({"components_added":[],"components_removed":[5],)"
                                 R"("components_modified":[]})",
                                 R"({"components_added":[],"components_removed":[],)"
                                 R"("components_modified":[{"id":"a","new":{},"position":5}]})"}) {
    EXPECT_EQ(CodeOf(ApplyDiff(from, text)), "E_REQUEST_INVALID") << text;
    EXPECT_EQ(CodeOf(ApplyDiff(text, diff)), "E_REQUEST_INVALID") << text;
  }
}

// A diff from outside could make a node hold itself; that is refused, not followed.
TEST_F(DiffTest, DoesNotApplyCircles) {
  AddToSys("a", "one");
  const std::string tree = Must(context_.Tree("working"));
  const auto modified = [](const std::string& entries) {
    return R"({"components_added":[],"components_removed":[],"components_modified":[)" + entries +
           "]}";
  };
  const auto move = [](const std::string& id, const std::string& parent) {
    return R"({"id":")" + id + R"(","new":{"parent":")" + parent + R"("},"position":{"new":0}})";
  };
  EXPECT_EQ(CodeOf(ApplyDiff(tree, modified(move("root", "sys")))), "E_REQUEST_INVALID");
  EXPECT_EQ(CodeOf(ApplyDiff(tree, modified(move("a", "ah") + "," + move("a", "sys")))),
            "E_REQUEST_INVALID");
  // A circle beside the tree is not part of it.
  EXPECT_EQ(CodeOf(ApplyDiff(tree, modified(move("sys", "a")))), "ok");
}

}  // namespace
}  // namespace pactdb
