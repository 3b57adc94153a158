#include "model/working_tree.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "support/nodes.h"
#include "support/plain_tree.h"

namespace pactdb {
namespace {

using support::NewNode;

class WorkingTreeTest : public ::testing::Test {
 protected:
  void Put(WorkingTree& tree, std::string_view parent, std::string_view id,
           NodeClass node_class = NodeClass::kBlock, std::int64_t ns = 1) {
    tree.Insert(*lexicon_->FindId(parent),
                NewNode(*lexicon_, id, {.node_class = node_class, .created_at_ns = ns}));
  }
  NodeNumber Number(std::string_view id) const { return *lexicon_->FindId(id); }
  static std::string Sys(const WorkingTree& tree) {
    return support::Outline(tree.View(1), tree.region(NodeClass::kSys));
  }

  std::shared_ptr<Lexicon> lexicon_ = std::make_shared<Lexicon>();
  WorkingTree tree_{lexicon_};
};

TEST_F(WorkingTreeTest, TREE_4_StartsWithTheThreeRegions) {
  EXPECT_EQ(support::Outline(tree_.View(1), *tree_.View(1).root), "(sys/0() seq/0() ah/0() )");
  EXPECT_EQ(tree_.region(NodeClass::kSeq).creation_index, 1);
  EXPECT_EQ(tree_.region(NodeClass::kAh).creation_index, 2);
  tree_.Summarize();
  EXPECT_EQ(tree_.node_count(), 0u);
}

TEST_F(WorkingTreeTest, FindsWhatWasInsertedAndNothingThatWasErased) {
  Put(tree_, "sys", "g", NodeClass::kCont);
  Put(tree_, "g", "a");
  Put(tree_, "g", "b");
  EXPECT_EQ(Sys(tree_), "(g/0(a/0 b/0 ) )");
  EXPECT_EQ(tree_.Find(Number("a"))->parent, Number("g"));
  tree_.Summarize();
  EXPECT_EQ(tree_.node_count(), 3u);
  tree_.Erase(Number("g"));
  EXPECT_EQ(Sys(tree_), "()");
  for (const std::string_view id : {"g", "a", "b"})
    EXPECT_EQ(tree_.Find(Number(id)), nullptr) << id;
}

TEST_F(WorkingTreeTest, RelocatesASubtreeWhole) {
  Put(tree_, "sys", "g", NodeClass::kCont);
  Put(tree_, "sys", "h", NodeClass::kCont, 2);
  Put(tree_, "g", "inner", NodeClass::kCont);
  Put(tree_, "inner", "a");
  tree_.Relocate(Number("inner"), Number("h"), [](Node& node) { node.offset = 3; });
  EXPECT_EQ(Sys(tree_), "(g/0() h/0(inner/0(a/0 ) ) )");
  EXPECT_EQ(tree_.Find(Number("inner"))->offset, 3);
  EXPECT_EQ(tree_.Find(Number("inner"))->parent, Number("h"));
  tree_.Own(Number("a"))->priority = 4;
  EXPECT_EQ(Sys(tree_), "(g/0() h/0(inner/0(a/4 ) ) )");
}

TEST_F(WorkingTreeTest, RelocatesWithinOneParent) {
  for (const std::int64_t ns : {1, 2, 3})
    Put(tree_, "sys", std::string(1, static_cast<char>('a' + ns)), NodeClass::kBlock, ns);
  EXPECT_EQ(Sys(tree_), "(b/0 c/0 d/0 )");
  tree_.Relocate(Number("b"), Number("sys"), [](Node& node) { node.created_at_ns = 9; });
  EXPECT_EQ(Sys(tree_), "(c/0 d/0 b/0 )");
}

TEST_F(WorkingTreeTest, CopiesGoTheirOwnWays) {
  Put(tree_, "sys", "a");
  WorkingTree copy = tree_;
  Put(copy, "sys", "b", NodeClass::kBlock, 2);
  copy.Own(Number("a"))->priority = 1;
  EXPECT_EQ(Sys(tree_), "(a/0 )");
  EXPECT_EQ(Sys(copy), "(a/1 b/0 )");
  tree_.Erase(Number("a"));
  EXPECT_EQ(Sys(tree_), "()");
  EXPECT_EQ(Sys(copy), "(a/1 b/0 )");
  EXPECT_EQ(copy.Find(Number("a"))->priority, 1);
}

// A tree from a snapshot knows exactly what changed since.
TEST_F(WorkingTreeTest, KeepsATableOfChanges) {
  Put(tree_, "sys", "old");
  Put(tree_, "sys", "still", NodeClass::kBlock, 2);
  tree_.Refresh();
  const Ref<Container> root = tree_.Share();
  lexicon_->AddVersion(Number("old"), 0, tree_.Find(Number("old")));
  lexicon_->AddVersion(Number("still"), 0, tree_.Find(Number("still")));

  WorkingTree next(lexicon_, *root, 0);
  EXPECT_EQ(next.changes().size(), 4u);  // the fixed containers
  EXPECT_EQ(next.Find(Number("old")), next.Base(Number("old")));
  Put(next, "sys", "new", NodeClass::kBlock, 3);
  next.Erase(Number("old"));
  EXPECT_EQ(next.changes().Find(Number("old"))->value, nullptr);
  EXPECT_NE(next.changes().Find(Number("new"))->value, nullptr);
  EXPECT_FALSE(next.changes().Contains(Number("still")));
  EXPECT_EQ(next.Base(Number("new")), nullptr);
  EXPECT_EQ(Sys(next), "(still/0 new/0 )");
  EXPECT_EQ(Sys(tree_), "(old/0 still/0 )");
}

TEST_F(WorkingTreeTest, AddsTheRegionsASnapshotLacks) {
  Ref<Container> root =
      support::NewContainer(*lexicon_, "r", support::NodeTraits{.node_class = NodeClass::kRoot});
  Ref<Node> region = NewNode(*lexicon_, "sys", {.node_class = NodeClass::kSeq});
  region->parent = root->number;
  child_list::Insert(*root, std::move(region), *lexicon_);
  WorkingTree tree(lexicon_, std::move(root), nullptr, kNever);
  tree.Refresh();
  const WorkingTree next(lexicon_, *tree.Share(), 0);
  // `sys` is the id of the document's ^seq, so the missing region takes another.
  EXPECT_EQ(support::Outline(next.View(1), *next.View(1).root), "(sys~1/0() sys/0() ah/0() )");
  EXPECT_EQ(next.region(NodeClass::kSys).parent, Number("r"));
}

}  // namespace
}  // namespace pactdb
