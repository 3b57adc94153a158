#include "model/node_cost.h"

#include <gtest/gtest.h>

#include "support/nodes.h"

namespace pactdb {
namespace {

// Says how often it was asked.
class LengthCost final : public NodeCost {
 public:
  explicit LengthCost(unsigned kind) : kind_(kind) {}
  unsigned kind() const override { return kind_; }
  // What starts with a digit is an estimate.
  Cost Count(const Node& node) const override {
    ++asked;
    const std::string_view content = node.content().value_or("");
    return {.units = content.size() * kind_, .estimates = content.starts_with('1') ? 1u : 0u};
  }
  mutable int asked = 0;

 private:
  unsigned kind_;
};

class NodeCosts : public testing::Test {
 protected:
  void Add(const std::string& id, const std::string& content) {
    child_list::Insert(*top_, support::NewNode(lexicon_, id, {.content = content}), lexicon_);
    child_list::Refresh(*top_, lexicon_);
  }

  Lexicon lexicon_;
  Ref<Container> top_ = support::NewContainer(lexicon_, "top");
};

TEST_F(NodeCosts, AreAskedForOnceANode) {
  for (int i = 0; i < 500; ++i) Add("n" + std::to_string(i), R"("abc")");
  const LengthCost cost(1);
  EXPECT_EQ(CostBelow(*top_, cost).units, 500u * 5);
  EXPECT_EQ(cost.asked, 500);
  EXPECT_EQ(CostBelow(*top_, cost).units, 500u * 5);
  EXPECT_EQ(cost.asked, 500);
  Add("one more", R"("abcd")");
  EXPECT_EQ(CostBelow(*top_, cost).units, 500u * 5 + 6);
  EXPECT_EQ(cost.asked, 501);
}

TEST_F(NodeCosts, OfAnotherKindAreCountedAnew) {
  Add("a", R"("abc")");
  EXPECT_EQ(CostBelow(*top_, LengthCost(1)).units, 5u);
  EXPECT_EQ(CostBelow(*top_, LengthCost(3)).units, 15u);
  EXPECT_EQ(CostBelow(*top_, LengthCost(1)).units, 5u);
}

TEST_F(NodeCosts, OfNothingAreNone) {
  EXPECT_EQ(CostBelow(*top_, LengthCost(1)).units, 0u);
}

TEST_F(NodeCosts, SayHowManyAreEstimates) {
  for (int i = 0; i < 50; ++i) Add("n" + std::to_string(i), i % 5 == 0 ? "12" : R"("abc")");
  EXPECT_EQ(CostBelow(*top_, LengthCost(1)), (Cost{.units = 10 * 2 + 40 * 5, .estimates = 10}));
}

// A sum of its kind that does not fit is the largest that does: it never becomes another kind's.
TEST_F(NodeCosts, AreHeldToWhatCanBeRemembered) {
  class Huge final : public NodeCost {
   public:
    unsigned kind() const override { return 1; }
    Cost Count(const Node&) const override { return {.units = UINT64_MAX, .estimates = 9}; }
  };
  Add("a", R"("abc")");
  const Cost first = CostBelow(*top_, Huge());
  EXPECT_EQ(first, (Cost{.units = NodeCost::kUnitsMax, .estimates = 1}));
  EXPECT_EQ(CostBelow(*top_, Huge()), first);
}

}  // namespace
}  // namespace pactdb
