#include "model/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "support/nodes.h"
#include "support/random.h"

namespace pactdb {
namespace {

using support::NewNode;

int Sign(std::strong_ordering ordering) {
  return ordering < 0 ? -1 : ordering > 0 ? 1 : 0;
}

// Each entry stands before all that follow it.
TEST(CompareSiblings, ORDER_10_ComparesOffsetTimeIndexIdInThisOrder) {
  Lexicon lexicon;
  const std::vector<Ref<Node>> nodes = {
      NewNode(lexicon, "z", {.offset = INT64_MIN, .created_at_ns = 9, .creation_index = 9}),
      NewNode(lexicon, "y", {.offset = -1, .created_at_ns = 9, .creation_index = 9}),
      NewNode(lexicon, "x", {.offset = 0, .created_at_ns = 1, .creation_index = 9}),
      NewNode(lexicon, "b", {.offset = 0, .created_at_ns = 2, .creation_index = -3}),
      NewNode(lexicon, "a", {.offset = 0, .created_at_ns = 2, .creation_index = 4}),
      NewNode(lexicon, "c", {.offset = 0, .created_at_ns = 2, .creation_index = 4}),
      NewNode(lexicon, "0", {.offset = 0, .created_at_ns = 2, .creation_index = 5}),
      NewNode(lexicon, "d", {.offset = INT64_MAX, .created_at_ns = 0, .creation_index = 0}),
  };
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      const int want = i < j ? -1 : i > j ? 1 : 0;
      EXPECT_EQ(Sign(CompareSiblings(*nodes[i], *nodes[j], lexicon)), want) << i << " " << j;
      EXPECT_EQ(Sign(CompareSiblingsLiteral(*nodes[i], *nodes[j], lexicon)), want) << i << " " << j;
    }
  }
}

TEST(CompareSiblings, ComparesIdsAsBytes) {
  Lexicon lexicon;
  const std::vector<std::string> ids = {
      std::string("\0", 1), "!", "A", "Z", "a", "aa", "a~1", "b10", "b2", "\x7F", "\xC3\xA9",
      "\xF0\x9F\x98\x80"};
  for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
    const Ref<Node> a = NewNode(lexicon, ids[i]);
    const Ref<Node> b = NewNode(lexicon, ids[i + 1]);
    EXPECT_TRUE(CompareSiblings(*a, *b, lexicon) < 0) << ids[i] << " " << ids[i + 1];
    EXPECT_TRUE(CompareSiblings(*b, *a, lexicon) > 0) << ids[i] << " " << ids[i + 1];
  }
}

TEST(CompareSiblings, PutsRegionsByKindWhateverTheirHeaders) {
  Lexicon lexicon;
  const Ref<Node> sys =
      NewNode(lexicon, "z", {.node_class = NodeClass::kSys, .offset = 7, .created_at_ns = 7});
  const Ref<Node> seq = NewNode(lexicon, "y", {.node_class = NodeClass::kSeq, .offset = 3});
  const Ref<Node> ah = NewNode(lexicon, "x", {.node_class = NodeClass::kAh, .offset = -1});
  EXPECT_TRUE(CompareSiblings(*sys, *seq, lexicon) < 0);
  EXPECT_TRUE(CompareSiblings(*seq, *ah, lexicon) < 0);
  EXPECT_TRUE(CompareSiblings(*ah, *sys, lexicon) > 0);
  EXPECT_TRUE(CompareSiblingsLiteral(*ah, *seq, lexicon) < 0);
  EXPECT_TRUE(CompareSiblingsLiteral(*seq, *sys, lexicon) < 0);
}

// A listed turn keeps its place of the listing where others keep their time.
TEST(CompareSiblings, PutsListedTurnsFirstInListingOrder) {
  Lexicon lexicon;
  const auto turn = [&lexicon](std::string_view id, std::int64_t place, std::uint32_t flags) {
    return NewNode(lexicon, id,
                   {.node_class = NodeClass::kTurn, .created_at_ns = place, .flags = flags});
  };
  const Ref<Node> older = turn("z", 0, Node::kListed);
  const Ref<Node> newer = turn("a", 1, Node::kListed);
  const Ref<Node> stamped = turn("b", -5, 0);
  EXPECT_TRUE(CompareSiblings(*older, *newer, lexicon) < 0);
  EXPECT_TRUE(CompareSiblings(*newer, *stamped, lexicon) < 0);
  EXPECT_TRUE(CompareSiblings(*stamped, *older, lexicon) > 0);
  // The literal comparator knows no listing: their time is missing, hence 0.
  EXPECT_TRUE(CompareSiblingsLiteral(*newer, *older, lexicon) < 0);
  EXPECT_TRUE(CompareSiblingsLiteral(*stamped, *newer, lexicon) < 0);
}

TEST(CompareSiblings, IsATotalOrder) {
  Lexicon lexicon;
  support::Random random(1);
  std::vector<Ref<Node>> nodes;
  for (int i = 0; i < 60; ++i) {
    nodes.push_back(NewNode(lexicon, "n" + std::to_string(i),
                            {.offset = random.Between(-1, 1),
                             .created_at_ns = random.Between(0, 2),
                             .creation_index = random.Between(0, 1)}));
  }
  const auto key = [&lexicon](const Node& node) {
    return std::tuple(node.offset, node.created_at_ns, node.creation_index,
                      std::string(lexicon.id(node.number)));
  };
  for (const auto& a : nodes) {
    for (const auto& b : nodes) EXPECT_EQ(CompareSiblings(*a, *b, lexicon), key(*a) <=> key(*b));
  }
}

TEST(ComparePruning, TakesPriorityThenAgeThenId) {
  Lexicon lexicon;
  const std::vector<Ref<Node>> nodes = {
      NewNode(lexicon, "z", {.offset = 9, .created_at_ns = 9, .priority = -1}),
      NewNode(lexicon, "y", {.offset = 8, .created_at_ns = 1, .creation_index = 5}),
      NewNode(lexicon, "a", {.offset = 7, .created_at_ns = 2, .creation_index = 4}),
      NewNode(lexicon, "b", {.offset = 6, .created_at_ns = 2, .creation_index = 0}),
      NewNode(lexicon, "0", {.offset = 0, .created_at_ns = 0, .priority = 1}),
  };
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      EXPECT_EQ(Sign(ComparePruning(*nodes[i], *nodes[j], lexicon)), i < j ? -1 : i > j ? 1 : 0);
    }
  }
}

}  // namespace
}  // namespace pactdb
