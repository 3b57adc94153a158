#include "model/indexed.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/working_tree.h"
#include "support/nodes.h"

namespace pactdb {
namespace {

using support::NewNode;

std::string Entries(const std::vector<Attribute>& attributes) {
  Lexicon lexicon;
  std::string text;
  const Ref<Node> node = NewNode(lexicon, "x", {.attributes = attributes});
  ForEachIndexed(*node, [&text](IndexKind kind, const std::string& value) {
    text += std::string(1, static_cast<char>(kind)) + ":" + value + " ";
  });
  return text;
}

TEST(ForEachIndexed, ReadsKeyTagsRefsAndCalls) {
  EXPECT_EQ(Entries({}), "");
  EXPECT_EQ(Entries({{"data_call_id", "\"c1\""},
                     {"key", "\"k\""},
                     {"refs", "[\"r1\",\"r2\"]"},
                     {"tags", "[\"t\"]"}}),
            "k:k t:t r:r1 r:r2 c:c1 ");
}

TEST(ForEachIndexed, DecodesTheText) {
  EXPECT_EQ(Entries({{"key", "\"\\u00e9\\n\""}}), "k:\xC3\xA9\n ");
}

TEST(ForEachIndexed, TakesStringsOnly) {
  EXPECT_EQ(Entries({{"data_call_id", "7"}, {"key", "null"}, {"tags", "[]"}}), "");
  EXPECT_EQ(Entries({{"data_call_id", "[\"c1\"]"}}), "");
  EXPECT_EQ(Entries({{"data_x", "\"c1\""}, {"ns:key", "\"k\""}}), "");
}

TEST(Carries, ComparesKindAndValue) {
  Lexicon lexicon;
  const Ref<Node> node =
      NewNode(lexicon, "x", {.attributes = {{"key", "\"k\""}, {"tags", "[\"a\",\"b\"]"}}});
  EXPECT_TRUE(Carries(*node, IndexKind::kKey, "k"));
  EXPECT_TRUE(Carries(*node, IndexKind::kTag, "b"));
  EXPECT_FALSE(Carries(*node, IndexKind::kTag, "k"));
  EXPECT_FALSE(Carries(*node, IndexKind::kKey, "a"));
  EXPECT_FALSE(Carries(*node, IndexKind::kRef, "k"));
}

// sys(s1) seq() ah(g(a b) c), tags on a, c, s1 and g.
class FindIndexedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const NodeNumber sys = tree_.region(NodeClass::kSys).number;
    const NodeNumber ah = tree_.region(NodeClass::kAh).number;
    Put(ah, "c", NodeClass::kBlock, 9, true);
    Put(ah, "g", NodeClass::kCont, 1, true);
    Put(*lexicon_->FindId("g"), "b", NodeClass::kBlock, 2, false);
    Put(*lexicon_->FindId("g"), "a", NodeClass::kBlock, 1, true);
    Put(sys, "s1", NodeClass::kBlock, 5, true);
  }
  void Put(NodeNumber parent, std::string_view id, NodeClass node_class, std::int64_t ns,
           bool tagged) {
    Ref<Node> node =
        NewNode(*lexicon_, id,
                {.node_class = node_class,
                 .created_at_ns = ns,
                 .attributes = tagged ? std::vector<Attribute>{{"tags", "[\"t\",\"t\"]"}}
                                      : std::vector<Attribute>{}});
    if (tagged) lexicon_->AddPosting(IndexKind::kTag, "t", node->number);
    tree_.Insert(parent, std::move(node));
  }
  std::string Found() const {
    std::string text;
    const TreeView view = tree_.View(1);
    for (const Node* node : FindIndexed(view, IndexKind::kTag, "t"))
      text += std::string(view.id(*node)) + " ";
    return text;
  }

  std::shared_ptr<Lexicon> lexicon_ = std::make_shared<Lexicon>();
  WorkingTree tree_{lexicon_};
};

TEST_F(FindIndexedTest, GivesCanonicalPreorder) {
  EXPECT_EQ(Found(), "s1 g a c ");
}

TEST_F(FindIndexedTest, GivesEachNodeOnceAndOnlyIfItCarriesTheValue) {
  lexicon_->AddPosting(IndexKind::kTag, "t", *lexicon_->FindId("c"));
  lexicon_->AddPosting(IndexKind::kTag, "t", *lexicon_->FindId("b"));  // it no longer does
  tree_.Erase(*lexicon_->FindId("s1"));
  EXPECT_EQ(Found(), "g a c ");
}

TEST_F(FindIndexedTest, ComesBeforePutsAParentBeforeItsChildren) {
  const TreeView view = tree_.View(1);
  const auto before = [&view](std::string_view a, std::string_view b) {
    return ComesBefore(view, *view.FindId(a), *view.FindId(b));
  };
  EXPECT_TRUE(before("root", "a"));
  EXPECT_TRUE(before("g", "a"));
  EXPECT_FALSE(before("a", "g"));
  EXPECT_TRUE(before("b", "c"));
  EXPECT_TRUE(before("s1", "ah"));
  EXPECT_FALSE(before("c", "seq"));
}

}  // namespace
}  // namespace pactdb
