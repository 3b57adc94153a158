#include "model/kinship.h"

#include <gtest/gtest.h>

#include <memory>

#include "support/nodes.h"

namespace pactdb {
namespace {

// main has the commits 0 to 9; `left` was forked at 4, `right` at 6, `leaf` at commit 7 of `left`.
class KinshipTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Add(*main_, "old", 2);
    Add(*main_, "five", 5);
    Add(*main_, "free", 9);  // interned before the forks, held by no snapshot they share
    left_ = std::make_shared<Lexicon>(main_, 4);
    right_ = std::make_shared<Lexicon>(main_, 6);
    Add(*left_, "left's", 5);
    leaf_ = std::make_shared<Lexicon>(left_, 7);
  }
  void Add(Lexicon& lexicon, std::string_view id, Ordinal at) {
    nodes_.push_back(support::NewNode(lexicon, id));
    lexicon.AddVersion(nodes_.back()->number, at, nodes_.back().get());
  }
  static TreeView View(const Lexicon& lexicon, Ordinal ordinal = kNever) {
    return {&lexicon, nullptr, nullptr, 1, ordinal};
  }
  static bool Shares(const TreeView& a, const TreeView& b, std::string_view id) {
    const auto number = a.lexicon->FindId(id);
    EXPECT_TRUE(number) << id;
    EXPECT_EQ(Kinship(a, b).Shares(*number), Kinship(b, a).Shares(*number));
    return Kinship(a, b).Shares(*number);
  }

  std::vector<Ref<Node>> nodes_;
  std::shared_ptr<Lexicon> main_ = std::make_shared<Lexicon>();
  std::shared_ptr<Lexicon> left_;
  std::shared_ptr<Lexicon> right_;
  std::shared_ptr<Lexicon> leaf_;
};

TEST_F(KinshipTest, OneContextSharesEverything) {
  EXPECT_TRUE(Kinship(View(*main_), View(*main_, 3)).are_of_one_context());
  EXPECT_TRUE(Shares(View(*main_), View(*main_), "free"));
}

TEST_F(KinshipTest, StrangersShareNothing) {
  const Lexicon other;
  EXPECT_FALSE(Kinship(View(*leaf_), View(other)).are_related());
  EXPECT_FALSE(Kinship(View(*leaf_), View(other)).Shares(0));
}

TEST_F(KinshipTest, BranchesShareWhatTheirLastCommonCommitKnew) {
  const TreeView left = View(*left_);
  const TreeView right = View(*right_);
  EXPECT_TRUE(Kinship(left, right).are_related());
  EXPECT_FALSE(Kinship(left, right).are_of_one_context());
  EXPECT_TRUE(Shares(left, right, "old"));
  EXPECT_FALSE(Shares(left, right, "five")) << "left was forked before it";
  EXPECT_TRUE(Shares(View(*main_), right, "five"));
  EXPECT_FALSE(Shares(View(*main_), right, "free"));
}

TEST_F(KinshipTest, AForkOfAForkSharesWithBoth) {
  EXPECT_TRUE(Shares(View(*left_), View(*leaf_), "left's"));
  EXPECT_FALSE(Shares(View(*leaf_), View(*right_), "left's"));
  EXPECT_TRUE(Shares(View(*leaf_), View(*right_), "old"));
  EXPECT_FALSE(Shares(View(*leaf_), View(*main_), "five"));
}

TEST_F(KinshipTest, ASnapshotThatBothHaveIsOfOneContextWithEither) {
  EXPECT_TRUE(Kinship(View(*main_, 4), View(*left_)).are_of_one_context());
  EXPECT_FALSE(Kinship(View(*main_, 5), View(*left_)).are_of_one_context());
  EXPECT_TRUE(Kinship(View(*leaf_), View(*main_, 2)).are_of_one_context());
  EXPECT_TRUE(Kinship(View(*leaf_, 9), View(*left_, 7)).are_of_one_context());
}

TEST_F(KinshipTest, HistoryGoesThroughTheForks) {
  EXPECT_TRUE(IsInHistoryOf(View(*main_, 4), View(*leaf_, 9)));
  EXPECT_FALSE(IsInHistoryOf(View(*main_, 5), View(*leaf_, 9)));
  EXPECT_TRUE(IsInHistoryOf(View(*left_, 7), View(*leaf_, 8)));
  EXPECT_FALSE(IsInHistoryOf(View(*leaf_, 8), View(*left_, 7)));
  EXPECT_FALSE(IsInHistoryOf(View(*left_, 5), View(*right_, 9)));
  EXPECT_TRUE(IsInHistoryOf(View(*main_, 3), View(*main_, 3)));
  EXPECT_FALSE(IsInHistoryOf(View(*main_, 4), View(*main_, 3)));
}

}  // namespace
}  // namespace pactdb
