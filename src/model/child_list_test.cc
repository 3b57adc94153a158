#include "model/child_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/nodes.h"
#include "support/random.h"

namespace pactdb {
namespace {

using support::Listing;
using support::NewContainer;
using support::NewNode;
using support::Shape;

// Ids whose shape hashes close the levels said here; see docs/format/tree-hash.md.
constexpr std::string_view kPlain = "n1";       // closes nothing
constexpr std::string_view kLevel0 = "n18";     // ...170
constexpr std::string_view kLevel1 = "n429";    // ...600
constexpr std::string_view kLevel2 = "n1026";   // ...e000
constexpr std::string_view kLevel3 = "n15415";  // ...0000

class ChildList : public ::testing::Test {
 protected:
  // A block that stands at `place`.
  Ref<Node> At(std::string_view id, std::int64_t place) {
    return NewNode(lexicon_, id, {.created_at_ns = place});
  }
  void Insert(std::string_view id, std::int64_t place) {
    child_list::Insert(*list_, At(id, place), lexicon_);
  }
  void Erase(std::string_view id, std::int64_t place) {
    child_list::Erase(*list_, *At(id, place), lexicon_);
  }

  Lexicon lexicon_;
  Ref<Container> list_ = NewContainer(lexicon_, "list");
};

TEST_F(ChildList, IsNothingWhileEmpty) {
  EXPECT_EQ(list_->children, nullptr);
  EXPECT_EQ(child_list::Size(nullptr), 0u);
  EXPECT_EQ(child_list::Rank(nullptr, *At("a", 1), lexicon_), 0u);
  EXPECT_EQ(child_list::Find(nullptr, *At("a", 1), lexicon_), nullptr);
  EXPECT_EQ(ChildCursor(*list_).get(), nullptr);
  EXPECT_EQ(ChildCursor(*list_, /*backwards=*/true).get(), nullptr);
  Insert("a", 1);
  Erase("a", 1);
  EXPECT_EQ(list_->children, nullptr);
}

TEST_F(ChildList, IsCutAfterIdsThatCloseALevel) {
  EXPECT_FALSE(child_list::IsBoundary(*At(kPlain, 0), 0));
  EXPECT_TRUE(child_list::IsBoundary(*At(kLevel0, 0), 0));
  EXPECT_FALSE(child_list::IsBoundary(*At(kLevel0, 0), 1));
  EXPECT_TRUE(child_list::IsBoundary(*At(kLevel1, 0), 1));
  EXPECT_FALSE(child_list::IsBoundary(*At(kLevel1, 0), 2));
  EXPECT_TRUE(child_list::IsBoundary(*At(kLevel2, 0), 2));
  EXPECT_FALSE(child_list::IsBoundary(*At(kLevel2, 0), 3));
  EXPECT_TRUE(child_list::IsBoundary(*At(kLevel3, 0), 3));
}

TEST_F(ChildList, NothingClosesTheEighthLevel) {
  const Ref<Node> node = At(kPlain, 0);
  node->shape = 0;
  for (unsigned level = 0; level < 8; ++level) EXPECT_TRUE(child_list::IsBoundary(*node, level));
  for (unsigned level = 8; level < 12; ++level) EXPECT_FALSE(child_list::IsBoundary(*node, level));
  node->shape = 0x10000000;
  EXPECT_TRUE(child_list::IsBoundary(*node, 6));
  EXPECT_FALSE(child_list::IsBoundary(*node, 7));
}

// A list written as a text: one character an entry, '.' for one that closes nothing, a digit for
// the highest level it closes.
class ChildListShape : public ::testing::Test {
 protected:
  static std::uint32_t ShapeOf(char entry) {
    if (entry == '.') return 0xFFFFFFF1;
    const unsigned zeros = 4 * static_cast<unsigned>(entry - '0' + 1);
    return zeros == 32 ? 0 : 0xFFFFFFF1u << zeros;
  }
  Ref<Node> Make(std::size_t place, char entry) {
    Ref<Node> node = NewNode(lexicon_, "n" + std::to_string(place),
                             {.created_at_ns = static_cast<std::int64_t>(place)});
    node->shape = ShapeOf(entry);
    return node;
  }
  // The shape after inserting the entries in order and then erasing the places said.
  std::string Made(std::string_view entries, const std::vector<std::size_t>& erased = {}) {
    const Ref<Container> list = NewContainer(lexicon_, "list");
    for (std::size_t i = 0; i < entries.size(); ++i)
      child_list::Insert(*list, Make(i, entries[i]), lexicon_);
    for (const std::size_t place : erased)
      child_list::Erase(*list, *Make(place, entries[place]), lexicon_);
    return Shape(*list);
  }

  Lexicon lexicon_;
};

std::string Times(std::size_t count, std::string_view text) {
  std::string repeated;
  for (std::size_t i = 0; i < count; ++i) repeated += text;
  return repeated;
}

TEST_F(ChildListShape, IsOneChunkUpTo32Entries) {
  EXPECT_EQ(Made(Times(32, "0")), "[32]");
  EXPECT_EQ(Made(Times(10, ".") + "7" + Times(21, ".")), "[32]");
  EXPECT_EQ(Made(Times(33, ".")), "[33]");
}

TEST_F(ChildListShape, IsCutAfterEntriesThatCloseTheLevel) {
  EXPECT_EQ(Made(Times(9, ".") + "0" + Times(23, ".")), "[[10][23]]");
  EXPECT_EQ(Made(Times(9, ".") + "7" + Times(23, ".")), "[[10][23]]");
  EXPECT_EQ(Made(Times(32, ".") + "0"), "[33]");
  EXPECT_EQ(Made("0" + Times(31, ".") + "00"), "[[1][32][1]]");
}

TEST_F(ChildListShape, GetsALevelForEvery32Chunks) {
  EXPECT_EQ(Made(Times(33, "0")), "[" + Times(33, "[1]") + "]");
  EXPECT_EQ(Made(Times(20, "0") + "1" + Times(20, "0")),
            "[[" + Times(21, "[1]") + "][" + Times(20, "[1]") + "]]");
  EXPECT_EQ(Made(Times(20, "1") + "2" + Times(20, "1")),
            "[[" + Times(21, "[[1]]") + "][" + Times(20, "[[1]]") + "]]");
}

TEST_F(ChildListShape, LosesItsLevelsWhenItShrinks) {
  EXPECT_EQ(Made(Times(33, "0"), {16}), "[32]");
  EXPECT_EQ(Made(Times(20, "0") + "1" + Times(12, "0"), {0}), "[32]");
  EXPECT_EQ(Made(Times(9, ".") + "0" + Times(23, "."), {9}), "[32]");
  EXPECT_EQ(Made(Times(9, ".") + "0" + Times(24, "."), {9}), "[33]");
}

TEST_F(ChildListShape, JoinsAcrossParentsWhenACutOfTwoLevelsGoes) {
  const std::string entries = Times(20, "0") + ".1." + Times(20, "0");
  EXPECT_EQ(Made(entries), "[[" + Times(20, "[1]") + "[2]][[2]" + Times(19, "[1]") + "]]");
  EXPECT_EQ(Made(entries, {21}), "[" + Times(20, "[1]") + "[3]" + Times(19, "[1]") + "]");
}

TEST_F(ChildListShape, AnEmptiedChunkLeavesNoTrace) {
  const std::string entries = Times(30, ".") + "00" + Times(10, ".");
  EXPECT_EQ(Made(entries), "[[31][1][10]]");
  EXPECT_EQ(Made(entries, {31}), "[[31][10]]");
  EXPECT_EQ(Made(entries, {30}), "[[31][10]]");
  EXPECT_EQ(Made(entries, {30, 31}), "[40]");
}

// A chunk that was larger once gives its room back while it stays the only one.
TEST_F(ChildListShape, StaysOneChunkThroughShrinkingAndGrowing) {
  const Ref<Container> list = NewContainer(lexicon_, "list");
  for (std::size_t round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < 200; ++i) child_list::Insert(*list, Make(i, '.'), lexicon_);
    EXPECT_EQ(Shape(*list), "[200]");
    for (std::size_t i = 0; i < 164; ++i) child_list::Erase(*list, *Make(i, '.'), lexicon_);
    EXPECT_EQ(Shape(*list), "[36]");
    child_list::Insert(*list, Make(0, '.'), lexicon_);
    EXPECT_EQ(Shape(*list), "[37]");
    for (std::size_t i = 164; i < 200; ++i) child_list::Erase(*list, *Make(i, '.'), lexicon_);
    child_list::Erase(*list, *Make(0, '.'), lexicon_);
    EXPECT_EQ(list->children, nullptr);
  }
}

TEST_F(ChildList, FindsTheVersionThatStandsThere) {
  for (int i = 0; i < 200; ++i) Insert("n" + std::to_string(i), i);
  const Node* found = child_list::Find(list_->children, *At("n77", 77), lexicon_);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(lexicon_.id(found->number), "n77");
  EXPECT_EQ(child_list::Find(list_->children, *At("n77", 78), lexicon_), nullptr);
  EXPECT_EQ(child_list::Find(list_->children, *At("n200", 200), lexicon_), nullptr);
  EXPECT_EQ(child_list::Find(list_->children, *At("n", -1), lexicon_), nullptr);
}

TEST_F(ChildList, RanksNodesThatAreNotInIt) {
  for (int i = 0; i < 200; ++i) Insert("n" + std::to_string(i), 2 * i);
  child_list::Summarize(*list_);
  EXPECT_EQ(child_list::Rank(list_->children, *At("x", -1), lexicon_), 0u);
  for (int i = 0; i < 200; ++i) {
    const auto rank = static_cast<std::size_t>(i);
    ASSERT_EQ(child_list::Rank(list_->children, *At("n" + std::to_string(i), 2 * i), lexicon_),
              rank);
    ASSERT_EQ(child_list::Rank(list_->children, *At("x", 2 * i + 1), lexicon_), rank + 1);
  }
}

TEST_F(ChildList, OwnCopiesOnlyWhatIsShared) {
  for (int i = 0; i < 300; ++i) Insert("n" + std::to_string(i), i);
  Node* alone = child_list::Own(*list_, *At("n5", 5), lexicon_);
  EXPECT_EQ(child_list::Own(*list_, *At("n5", 5), lexicon_), alone);
  child_list::Refresh(*list_, lexicon_);
  const Ref<Container> before = support::ShareList(*list_);
  Node* copy = child_list::Own(*list_, *At("n5", 5), lexicon_);
  EXPECT_NE(copy, alone);
  copy->priority = 9;
  EXPECT_EQ(child_list::Find(before->children, *At("n5", 5), lexicon_)->priority, 0);
  EXPECT_EQ(child_list::Find(list_->children, *At("n5", 5), lexicon_)->priority, 9);
  // Everything but the path is shared: the neighbours in other chunks are the same objects.
  const auto node = [this](const Container& list, int i) {
    return child_list::Find(list.children, *At("n" + std::to_string(i), i), lexicon_);
  };
  for (int i = 0; i < 300; ++i) EXPECT_EQ(node(*before, i) == node(*list_, i), i != 5) << i;
}

TEST_F(ChildList, AssignGivesTheShapeThatInsertsGive) {
  std::vector<Ref<Node>> sorted;
  for (int i = 0; i < 1'000; ++i) {
    Insert("n" + std::to_string(i), i);
    sorted.push_back(At("n" + std::to_string(i), i));
  }
  const Ref<Container> assigned = NewContainer(lexicon_, "list");
  child_list::Assign(*assigned, sorted);
  EXPECT_EQ(Shape(*assigned), Shape(*list_));
  child_list::Refresh(*assigned, lexicon_);
  child_list::Refresh(*list_, lexicon_);
  EXPECT_EQ(assigned->digest, list_->digest);
  child_list::Assign(*assigned, {});
  EXPECT_EQ(assigned->children, nullptr);
}

// Equal lists have equal shapes and hashes whatever edits led there.
TEST_F(ChildList, TREE_19_ForgetsHowItCameAbout) {
  std::vector<int> kept;
  std::vector<int> passing;
  for (int i = 0; i < 600; ++i) (i % 3 == 0 ? passing : kept).push_back(i);
  std::vector<std::string> shapes;
  std::vector<Digest> digests;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    support::Random random(seed);
    std::vector<int> all = kept;
    if (seed > 0) {
      all.insert(all.end(), passing.begin(), passing.end());
      random.Shuffle(all);
      random.Shuffle(passing);
    }
    const Ref<Container> list = NewContainer(lexicon_, "list");
    for (const int i : all) child_list::Insert(*list, At("n" + std::to_string(i), i), lexicon_);
    if (seed > 0) {
      for (const int i : passing) {
        if (random.Chance(20)) child_list::Refresh(*list, lexicon_);
        child_list::Erase(*list, *At("n" + std::to_string(i), i), lexicon_);
      }
    }
    child_list::Refresh(*list, lexicon_);
    shapes.push_back(Shape(*list));
    digests.push_back(list->digest);
  }
  for (std::size_t i = 1; i < shapes.size(); ++i) {
    EXPECT_EQ(shapes[i], shapes[0]) << "seed " << i;
    EXPECT_EQ(digests[i], digests[0]) << "seed " << i;
  }
}

TEST_F(ChildList, HashesDifferWhenAnythingDiffers) {
  Insert("n1", 1);
  Insert("n2", 2);
  child_list::Refresh(*list_, lexicon_);
  std::vector<Digest> digests = {list_->digest};
  const auto note = [&] {
    child_list::Refresh(*list_, lexicon_);
    digests.push_back(list_->digest);
  };
  child_list::Own(*list_, *At("n1", 1), lexicon_)->priority = 1;
  note();
  child_list::Own(*list_, *At("n1", 1), lexicon_)->Set(Node::kPinned, true);
  note();
  child_list::Own(*list_, *At("n2", 2), lexicon_)->cycle = 7;
  note();
  Insert("n3", 3);
  note();
  Erase("n1", 1);
  note();
  std::ranges::sort(digests);
  EXPECT_EQ(std::ranges::adjacent_find(digests), digests.end());
}

TEST_F(ChildList, SummaryCountsWhatLiesBelowToo) {
  const Ref<Container> group =
      NewContainer(lexicon_, "g", {.node_class = NodeClass::kCont, .expiry = 9});
  child_list::Insert(
      *group, NewNode(lexicon_, "b", {.created_at_ns = 3, .priority = -5, .expiry = 4}), lexicon_);
  child_list::Insert(*group, NewNode(lexicon_, "c", {.created_at_ns = 1}), lexicon_);
  child_list::Insert(*list_, Ref<Node>::Share(group.get()), lexicon_);
  child_list::Insert(
      *list_,
      NewNode(lexicon_, "hollow", {.node_class = NodeClass::kCont, .flags = Node::kRemovable}),
      lexicon_);
  child_list::Insert(
      *list_, NewNode(lexicon_, "core", {.node_class = NodeClass::kCont, .flags = Node::kCore}),
      lexicon_);
  child_list::Summarize(*list_);
  const Summary summary = child_list::Below(*list_);
  EXPECT_EQ(summary.entries, 3u);
  EXPECT_EQ(summary.nodes, 5u);
  EXPECT_EQ(summary.expendable, 4u);  // not the core
  EXPECT_EQ(summary.ttl_nodes, 2u);
  EXPECT_EQ(summary.hollow, 1u);
  EXPECT_EQ(summary.expiry_min, 4u);
  EXPECT_EQ(summary.prune_priority, -5);
  EXPECT_EQ(summary.prune_created_at_ns, 3);
}

TEST_F(ChildList, SummaryHoldsPrioritiesTo32Bits) {
  const auto first = [this](std::int64_t priority) {
    return child_list::EntrySummary(*NewNode(lexicon_, "x", {.priority = priority})).prune_priority;
  };
  EXPECT_EQ(first(-7), -7);
  EXPECT_EQ(first(INT64_MIN), INT32_MIN);
  EXPECT_EQ(first(std::int64_t{INT32_MAX} + 1), INT32_MAX);
}

TEST_F(ChildList, CursorsWalkBothWays) {
  std::string forwards;
  for (int i = 0; i < 500; ++i) {
    Insert("n" + std::to_string(i), i);
    forwards += (i > 0 ? " n" : "n") + std::to_string(i);
  }
  EXPECT_EQ(Listing(*list_, lexicon_), forwards);
  int i = 500;
  for (ChildCursor child(*list_, /*backwards=*/true); child.get() != nullptr; child.Next())
    ASSERT_EQ(lexicon_.id(child.get()->number), "n" + std::to_string(--i));
  EXPECT_EQ(i, 0);
}

}  // namespace
}  // namespace pactdb
