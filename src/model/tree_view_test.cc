#include "model/tree_view.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "model/working_tree.h"
#include "support/nodes.h"

namespace pactdb {
namespace {

using support::NewNode;

// sys(s) seq(t1 t2(core(b)) t3) ah(h)
class TreeViewTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Put("sys", "s", NodeClass::kBlock, 1);
    Put("seq", "t1", NodeClass::kTurn, 1);
    Put("seq", "t2", NodeClass::kTurn, 2);
    Put("seq", "t3", NodeClass::kTurn, 3);
    Put("t2", "core", NodeClass::kCont, 1);
    Put("core", "b", NodeClass::kBlock, 1);
    Put("ah", "h", NodeClass::kBlock, 1);
    tree_.Summarize();
  }
  void Put(std::string_view parent, std::string_view id, NodeClass node_class, std::int64_t ns) {
    tree_.Insert(*lexicon_->FindId(parent),
                 NewNode(*lexicon_, id, {.node_class = node_class, .created_at_ns = ns}));
  }
  const Node& Get(std::string_view id) const { return *tree_.View(1).FindId(id); }

  std::shared_ptr<Lexicon> lexicon_ = std::make_shared<Lexicon>();
  WorkingTree tree_{lexicon_};
};

TEST_F(TreeViewTest, CountsDepthFromTheNewestTurn) {
  const TreeView view = tree_.View(1);
  EXPECT_EQ(view.Depth(Get("root")), std::nullopt);
  EXPECT_EQ(view.Depth(Get("seq")), std::nullopt);
  EXPECT_EQ(view.Depth(Get("sys")), -1);
  EXPECT_EQ(view.Depth(Get("s")), -1);
  EXPECT_EQ(view.Depth(Get("ah")), 0);
  EXPECT_EQ(view.Depth(Get("h")), 0);
  EXPECT_EQ(view.Depth(Get("t3")), 1);
  EXPECT_EQ(view.Depth(Get("t2")), 2);
  EXPECT_EQ(view.Depth(Get("b")), 2);
  EXPECT_EQ(view.Depth(Get("t1")), 3);
}

TEST_F(TreeViewTest, StemIsTheTurnOrRegionANodeLiesIn) {
  const TreeView view = tree_.View(1);
  EXPECT_EQ(view.Stem(Get("b")), &Get("t2"));
  EXPECT_EQ(view.Stem(Get("t2")), &Get("t2"));
  EXPECT_EQ(view.Stem(Get("s")), &Get("sys"));
  EXPECT_EQ(view.Stem(Get("seq")), &Get("seq"));
  EXPECT_EQ(view.Stem(Get("root")), nullptr);
}

TEST_F(TreeViewTest, FindsRegionsAndParents) {
  const TreeView view = tree_.View(1);
  EXPECT_EQ(view.Region(NodeClass::kSeq), &Get("seq"));
  EXPECT_EQ(view.Parent(Get("b")), &Get("core"));
  EXPECT_EQ(view.Parent(Get("root")), nullptr);
  EXPECT_EQ(view.FindId("nobody"), nullptr);
}

std::string Walk(const Node& top, const TreeView& view, std::string_view skip) {
  std::string text;
  for (PreorderCursor node(top); node.get() != nullptr;) {
    text += std::string(view.id(*node.get())) + ":" + std::to_string(node.level()) + " ";
    if (view.id(*node.get()) == skip) {
      node.SkipChildren();
    } else {
      node.Next();
    }
  }
  return text;
}

TEST_F(TreeViewTest, WalksInPreorder) {
  const TreeView view = tree_.View(1);
  EXPECT_EQ(Walk(Get("root"), view, ""),
            "root:0 sys:1 s:2 seq:1 t1:2 t2:2 core:3 b:4 t3:2 ah:1 h:2 ");
  EXPECT_EQ(Walk(Get("root"), view, "t2"), "root:0 sys:1 s:2 seq:1 t1:2 t2:2 t3:2 ah:1 h:2 ");
  EXPECT_EQ(Walk(Get("root"), view, "root"), "root:0 ");
  EXPECT_EQ(Walk(Get("core"), view, ""), "core:0 b:1 ");
  EXPECT_EQ(Walk(Get("b"), view, ""), "b:0 ");
}

TEST(ShownTtl, IsWhatIsLeftAndNeverNegative) {
  Lexicon lexicon;
  const Ref<Node> node = NewNode(lexicon, "x", {.expiry = 12});
  EXPECT_EQ(ShownTtl(*node, 10), 2);
  EXPECT_EQ(ShownTtl(*node, 12), 0);
  EXPECT_EQ(ShownTtl(*node, 15), 0);
  node->expiry = std::uint64_t{1} + INT64_MAX;  // made in cycle 1 with the largest ttl
  EXPECT_EQ(ShownTtl(*node, 1), INT64_MAX);
}

}  // namespace
}  // namespace pactdb
