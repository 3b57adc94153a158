#include "model/unshared.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "model/child_list.h"
#include "model/tree_view.h"
#include "model/working_tree.h"
#include "support/nodes.h"
#include "support/random.h"

namespace pactdb {
namespace {

using support::NewNode;
using Nodes = std::vector<const Node*>;

class UnsharedTest : public ::testing::Test {
 protected:
  NodeNumber Put(std::string_view parent, std::string_view id,
                 const support::NodeTraits& traits = {}) {
    const NodeNumber under =
        parent.empty() ? tree_.region(NodeClass::kSys).number : *lexicon_->FindId(parent);
    Ref<Node> node = NewNode(*lexicon_, id, traits);
    const NodeNumber number = node->number;
    node->parent = under;
    tree_.Insert(under, std::move(node));
    return number;
  }
  void Erase(std::string_view id) { tree_.Erase(*lexicon_->FindId(id)); }
  void Touch(std::string_view id) { ++tree_.Own(*lexicon_->FindId(id))->priority; }

  // The tree as it is, which goes on from there.
  Ref<Container> Share() {
    tree_.Refresh();
    Ref<Container> root = tree_.Share();
    for (PreorderCursor node(*root); node.get() != nullptr; node.Next()) {
      if (lexicon_->VersionAt(node.get()->number, ordinal_) != node.get())
        lexicon_->AddVersion(node.get()->number, ordinal_, node.get());
    }
    tree_ = WorkingTree(lexicon_, *root, ordinal_++);
    return root;
  }
  std::vector<std::string> Ids(const Nodes& nodes) const {
    std::vector<std::string> ids;
    for (const Node* node : nodes) ids.emplace_back(lexicon_->id(node->number));
    return ids;
  }

  std::shared_ptr<Lexicon> lexicon_ = std::make_shared<Lexicon>();
  WorkingTree tree_{lexicon_};
  Ordinal ordinal_ = 0;
};

Nodes Preorder(const Container& root) {
  Nodes nodes;
  for (PreorderCursor node(root); node.get() != nullptr; node.Next()) nodes.push_back(node.get());
  return nodes;
}

// The nodes of `of` that `other` does not have.
Nodes Alone(const Container& of, const Container& other) {
  const Nodes all = Preorder(other);
  const std::set<const Node*> there(all.begin(), all.end());
  Nodes alone = Preorder(of);
  std::erase_if(alone, [&](const Node* node) { return there.contains(node); });
  return alone;
}

TEST_F(UnsharedTest, OfOneTreeIsNothing) {
  Put("", "a");
  const Ref<Container> root = Share();
  const Unshared found = FindUnshared(*root, *root, *lexicon_);
  EXPECT_TRUE(found.older.empty());
  EXPECT_TRUE(found.newer.empty());
}

TEST_F(UnsharedTest, IsWhatEditsTouchedAndWhatLeadsToIt) {
  Put("", "c1", {.node_class = NodeClass::kCont, .offset = 1});
  Put("", "c2", {.node_class = NodeClass::kCont, .offset = 2});
  Put("", "c3", {.node_class = NodeClass::kCont, .offset = 3});
  for (const char* cont : {"c1", "c2", "c3"}) {
    for (int i = 1; i <= 3; ++i)
      Put(cont, std::string(cont) + "/" + std::to_string(i), {.offset = i});
  }
  const Ref<Container> older = Share();
  Touch("c1/2");
  Erase("c2");
  Put("c3", "new", {.offset = 2});
  const Ref<Container> newer = Share();
  const Unshared found = FindUnshared(*older, *newer, *lexicon_);
  const std::string root(lexicon_->id(older->number));
  const std::string sys(lexicon_->id(ChildCursor(*older).get()->number));
  EXPECT_EQ(Ids(found.older), (std::vector<std::string>{root, sys, "c1", "c1/2", "c2", "c2/1",
                                                        "c2/2", "c2/3", "c3"}));
  EXPECT_EQ(Ids(found.newer), (std::vector<std::string>{root, sys, "c1", "c1/2", "c3", "new"}));
  EXPECT_EQ(found.older, Alone(*older, *newer));
  EXPECT_EQ(found.newer, Alone(*newer, *older));
}

// Lists of many chunks, cut by what they hold.
TEST_F(UnsharedTest, IsTheSameInListsOfManyChunks) {
  support::Random random(1);
  std::set<int> there;
  int next = 0;
  for (; next < 600; ++next) {
    Put("", "n" + std::to_string(next), {.offset = next % 37});
    there.insert(next);
  }
  Ref<Container> older = Share();
  for (int round = 0; round < 40; ++round) {
    const std::uint64_t edits = 1 + random.Below(round % 4 == 0 ? 60 : 4);
    for (std::uint64_t i = 0; i < edits; ++i) {
      auto at = there.begin();
      std::advance(at, static_cast<std::ptrdiff_t>(random.Below(there.size())));
      const std::string id = "n" + std::to_string(*at);
      const std::uint64_t kind = random.Below(3);
      if (kind == 0) Touch(id);
      if (kind == 1) {
        Erase(id);
        there.erase(at);
      }
      if (kind == 2) {
        Put("", "n" + std::to_string(next), {.offset = next % 37});
        there.insert(next++);
      }
    }
    const Ref<Container> newer = Share();
    const Unshared found = FindUnshared(*older, *newer, *lexicon_);
    ASSERT_EQ(found.older, Alone(*older, *newer)) << round;
    ASSERT_EQ(found.newer, Alone(*newer, *older)) << round;
    older = newer;
  }
}

TEST(SameVersion, IsEveryFieldButWhatLiesBelow) {
  Lexicon lexicon;
  const auto make = [&lexicon](const support::NodeTraits& traits = {}) {
    return NewNode(lexicon, "a", traits);
  };
  const Ref<Node> node = make({.role = "user", .content = "\"x\"", .attributes = {{"a", "1"}}});
  EXPECT_TRUE(SameVersion(*node, *node, lexicon));
  // Another body of the same words.
  EXPECT_TRUE(SameVersion(
      *node, *make({.role = "user", .content = "\"x\"", .attributes = {{"a", "1"}}}), lexicon));
  EXPECT_FALSE(SameVersion(
      *node, *make({.role = "user", .content = "\"y\"", .attributes = {{"a", "1"}}}), lexicon));
  EXPECT_FALSE(SameVersion(
      *node, *make({.role = "user", .content = "\"x\"", .attributes = {{"a", "2"}}}), lexicon));
  const Ref<Node> plain = make();
  EXPECT_TRUE(SameVersion(*plain, *make(), lexicon));
  const auto differs = [&](auto change) {
    const Ref<Node> other = make();
    change(*other);
    return !SameVersion(*plain, *other, lexicon) && !SameVersion(*other, *plain, lexicon);
  };
  EXPECT_TRUE(differs([](Node& other) { other.parent = 7; }));
  EXPECT_TRUE(differs([](Node& other) { other.offset = 1; }));
  EXPECT_TRUE(differs([](Node& other) { other.created_at_ns = 1; }));
  EXPECT_TRUE(differs([](Node& other) { other.creation_index = 1; }));
  EXPECT_TRUE(differs([](Node& other) { other.cycle = 2; }));
  EXPECT_TRUE(differs([](Node& other) { other.priority = 1; }));
  EXPECT_TRUE(differs([](Node& other) { other.expiry = 9; }));
  EXPECT_TRUE(differs([](Node& other) { other.Set(Node::kPinned, true); }));
  EXPECT_TRUE(differs([&](Node& other) { other.type = lexicon.InternWord("other"); }));
  EXPECT_TRUE(differs([&](Node& other) { other.role = lexicon.InternWord("user"); }));
  EXPECT_TRUE(differs([&](Node& other) { other.kind = lexicon.InternWord("text"); }));
  EXPECT_FALSE(differs([](Node& other) { other.Set(Node::kStale, true); }));
}

}  // namespace
}  // namespace pactdb
