#include "diff/tree_diff.h"

#include <gtest/gtest.h>

#include <string>

#include "support/diff_text.h"
#include "support/tree_series.h"

namespace pactdb {
namespace {

class TreeDiffTest : public ::testing::Test {
 protected:
  // A turn with a core of two blocks.
  void PutTurn(const std::string& name, std::int64_t stamp) {
    series_.Put("seq", name, {.node_class = NodeClass::kTurn, .created_at_ns = stamp});
    series_.Put(name, name + "c", {.node_class = NodeClass::kCont, .flags = Node::kCore});
    series_.Put(name + "c", name + "a", {.creation_index = 1});
    series_.Put(name + "c", name + "b", {.creation_index = 2});
  }
  WorkingTree& tree() { return series_.tree(); }
  NodeNumber Number(std::string_view id) const { return series_.Number(id); }
  std::string Diff(const TreeView& from, const TreeView& to,
                   TurnOrder turns = TurnOrder::kOldestFirst) {
    return support::DiffText(Compare(from, to, turns), from, to);
  }
  void Move(std::string_view id, std::string_view parent, std::int64_t offset = 0) {
    tree().Relocate(Number(id), Number(parent), [offset](Node& node) { node.offset = offset; });
  }

  support::TreeSeries series_;
};

TEST_F(TreeDiffTest, FindsNothingBetweenATreeAndItself) {
  PutTurn("t", 1);
  const TreeView view = series_.Commit().View();
  EXPECT_EQ(Diff(view, view), "");
  EXPECT_EQ(Diff(view, series_.Working()), "");
}

TEST_F(TreeDiffTest, NamesWhatCameWentAndChanged) {
  PutTurn("t", 1);
  const TreeView from = series_.Commit().View();
  tree().Erase(Number("ta"));
  tree().Own(Number("tb"))->priority = 5;
  PutTurn("u", 2);
  const TreeView to = series_.Commit().View();
  EXPECT_EQ(Diff(from, to), "+u +uc +ua +ub -ta tb(priority)");
  EXPECT_EQ(Diff(to, from), "+ta -u -uc -ua -ub tb(priority)");
}

TEST_F(TreeDiffTest, ListsTurnsAsAsked) {
  PutTurn("t", 1);
  PutTurn("u", 2);
  const TreeView from = series_.Commit().View();
  for (const char* id : {"ta", "tb", "ua", "ub"}) tree().Own(Number(id))->priority = 1;
  PutTurn("v", 3);
  PutTurn("w", 4);
  series_.Put("ah", "x");
  series_.Put("sys", "y");
  tree().Erase(Number("tb"));
  tree().Erase(Number("ub"));
  const TreeView to = series_.Commit().View();
  EXPECT_EQ(Diff(from, to),
            "+y +v +vc +va +vb +w +wc +wa +wb +x -tb -ub ta(priority) ua(priority)");
  EXPECT_EQ(Diff(from, to, TurnOrder::kNewestFirst),
            "+y +w +wc +wa +wb +v +vc +va +vb +x -ub -tb ua(priority) ta(priority)");
}

// A move is the parent of the node that moved; what lies below it did not change.
TEST_F(TreeDiffTest, ShowsAMoveOnTheNodeAlone) {
  PutTurn("t", 1);
  PutTurn("u", 2);
  series_.Put("t", "g", {.node_class = NodeClass::kCont, .offset = 1});
  series_.Put("g", "ga");
  const TreeView from = series_.Commit().View();
  Move("g", "u", 1);
  const TreeView to = series_.Commit().View();
  EXPECT_EQ(Diff(from, to), "g(parent)");
  Move("g", "u", -1);
  EXPECT_EQ(Diff(to, series_.Working()), "g(offset)");
}

// Each list keeps the order of its own tree, also inside a group that moved past others.
TEST_F(TreeDiffTest, KeepsEachSidesOrderThroughMoves) {
  PutTurn("t", 1);
  PutTurn("u", 2);
  series_.Put("t", "g", {.node_class = NodeClass::kCont, .offset = 1});
  for (const char* id : {"ga", "gb", "gc"}) series_.Put("g", id);
  const TreeView from = series_.Commit().View();
  Move("g", "u", 1);
  tree().Erase(Number("ga"));
  tree().Erase(Number("ua"));
  tree().Own(Number("gb"))->priority = 1;
  tree().Own(Number("ub"))->priority = 1;
  series_.Put("g", "gd");
  series_.Put("uc", "ud");
  const TreeView to = series_.Commit().View();
  EXPECT_EQ(Diff(from, to), "+ud +gd -ga -ua ub(priority) g(parent) gb(priority)");
  // Seen from the newer side, `changed` keeps the newer tree's order.
  EXPECT_EQ(Diff(to, from), "+ga +ua -ud -gd ub(priority) g(parent) gb(priority)");
}

TEST_F(TreeDiffTest, CountsARunningTtlAsAChange) {
  PutTurn("t", 1);
  series_.Put("t", "n", {.offset = 1, .expiry = 4});
  const TreeView first = series_.Commit().View();   // shows 2
  const TreeView second = series_.Commit().View();  // 1
  const TreeView third = series_.Commit().View();   // 0
  const TreeView fourth = series_.Commit().View();  // 0: it had to stay
  EXPECT_EQ(Diff(first, second), "n(ttl)");
  EXPECT_EQ(Diff(first, third), "n(ttl)");
  EXPECT_EQ(Diff(third, fourth), "");
  EXPECT_EQ(Diff(first, series_.Working()), "n(ttl)");
  EXPECT_EQ(Diff(fourth, series_.Working()), "");
}

TEST_F(TreeDiffTest, SharesOnlyFixedContainersBetweenUnrelatedContexts) {
  support::TreeSeries other;
  other.Put("sys", "a");
  series_.Put("sys", "a");
  series_.Put("sys", "b");
  EXPECT_EQ(Diff(series_.Commit().View(), other.Commit().View()), "+a -a -b");
}

}  // namespace
}  // namespace pactdb
