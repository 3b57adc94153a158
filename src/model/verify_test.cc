// Each fault a tree can have is planted once and must be named, with the node it was found at.
#include "model/verify.h"

#include <gmock/gmock.h>
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
using support::NodeTraits;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// sys(s1 s2) seq(t(core(b) p)) ah(), plus 60 blocks s3.. in ^sys for a list of two levels.
class VerifierTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int i = 1; i <= 60; ++i) {
      Put("sys", "s" + std::to_string(i), {.created_at_ns = i, .content = "\"text\""});
    }
    Put("seq", "t", {.node_class = NodeClass::kTurn, .created_at_ns = 70});
    Put("t", "core", {.node_class = NodeClass::kCont, .created_at_ns = 71, .flags = Node::kCore});
    Put("core", "b", {.created_at_ns = 72, .expiry = 9, .role = "user", .content = "\"Hi\""});
    Put("t", "p", {.offset = 1, .created_at_ns = 73});
    tree_.Refresh();
  }

  void Put(std::string_view parent, const std::string& id, const NodeTraits& traits) {
    tree_.Insert(*lexicon_->FindId(parent), NewNode(*lexicon_, id, traits));
  }
  // The test owns the tree: its nodes are no constants, and constness is the readers'.
  Node& Get(std::string_view id) { return const_cast<Node&>(*tree_.View(1).FindId(id)); }
  Container& Box(std::string_view id) { return *Get(id).AsContainer(); }

  std::vector<std::string> Problems() { return ProblemsOf(tree_.View(1)); }
  std::vector<std::string> ProblemsOf(const TreeView& view) {
    Verifier verifier;
    verifier.Check(view, "@c1", *lexicon_->FindId("t"));
    return verifier.problems();
  }

  std::shared_ptr<Lexicon> lexicon_ = std::make_shared<Lexicon>();
  WorkingTree tree_{lexicon_};
};

TEST_F(VerifierTest, FindsNothingInAWholeTree) {
  EXPECT_THAT(Problems(), IsEmpty());
  EXPECT_GT(Box("sys").children->level, 0);
}

TEST_F(VerifierTest, NamesAChangedContent) {
  const std::string_view content = *Get("b").content();
  const_cast<char&>(content[1]) = 'h';
  EXPECT_THAT(Problems(), ElementsAre("@c1 b: its content hash is wrong"));
}

TEST_F(VerifierTest, NamesAChangedRole) {
  Get("b").role = lexicon_->InternWord("tool");
  EXPECT_THAT(Problems(), Contains("@c1 b: its content hash is wrong"));
}

TEST_F(VerifierTest, NamesAChangedHeader) {
  Get("b").cycle = 5;
  EXPECT_THAT(Problems(), ElementsAre("@c1 core: a hash of its children is wrong"));
}

TEST_F(VerifierTest, NamesAChangedChunkHash) {
  Box("core").children->hash[31] ^= 1;
  EXPECT_THAT(Problems(), ElementsAre("@c1 core: a hash of its children is wrong",
                                      "@c1 core: its tree hash is wrong"));
}

TEST_F(VerifierTest, NamesAChangedDigest) {
  Box("t").digest[0] ^= 1;
  EXPECT_THAT(Problems(), Contains("@c1 t: its tree hash is wrong"));
  EXPECT_THAT(Problems(), Contains("@c1 seq: a hash of its children is wrong"));
}

TEST_F(VerifierTest, NamesAHashThatIsOutOfDate) {
  Get("core").Set(Node::kStale, true);
  EXPECT_THAT(Problems(), ElementsAre("@c1 core: its hash was never brought up to date"));
}

TEST_F(VerifierTest, NamesEachWrongFigureOfASummary) {
  Summary& summary = Box("core").children->summary;
  const Summary right = summary;
  const std::string want = "@c1 core: a summary of its children is wrong";
  const auto spoil = [&](auto Summary::* figure, auto value) {
    summary.*figure = value;
    EXPECT_THAT(Problems(), Contains(want));
    summary = right;
  };
  spoil(&Summary::entries, 2u);
  spoil(&Summary::nodes, 2u);
  spoil(&Summary::expendable, 0u);
  spoil(&Summary::ttl_nodes, 0u);
  spoil(&Summary::hollow, 1u);
  spoil(&Summary::expiry_min, std::uint64_t{8});
  spoil(&Summary::prune_priority, 1);
  spoil(&Summary::prune_created_at_ns, std::int64_t{1});
  EXPECT_THAT(Problems(), IsEmpty());
}

TEST_F(VerifierTest, NamesASummaryBelowTheTopOfAList) {
  ++Box("sys").children->slots()[0].chunk->summary.nodes;
  EXPECT_THAT(Problems(), Contains("@c1 sys: a summary of its children is wrong"));
}

TEST_F(VerifierTest, NamesAWrongCode) {
  ++Box("core").children->codes()[0];
  EXPECT_THAT(Problems(), ElementsAre("@c1 b: its code is wrong"));
}

TEST_F(VerifierTest, NamesAListThatStandsWrongBesideItsOwner) {
  Chunk& turns = *Box("seq").children;
  ASSERT_TRUE(turns.keeps_lists);
  turns.lists()[0] = nullptr;
  EXPECT_THAT(Problems(), ElementsAre("@c1 t: its list stands wrong beside it"));
}

TEST_F(VerifierTest, NamesAListCutInTheWrongPlace) {
  Get("s2").shape = 0;
  const auto problems = Problems();
  EXPECT_THAT(problems, Contains("@c1 sys: its list of children is cut in the wrong place"));
  EXPECT_THAT(problems, Contains("@c1 s2: its shape hash is wrong"));
}

TEST_F(VerifierTest, NamesEachPieceOfAListThatGoesOnBehindABoundary) {
  for (int i = 61; i <= 200; ++i)
    Put("sys", "s" + std::to_string(i), {.created_at_ns = i, .content = "\"text\""});
  tree_.Refresh();
  int pieces = 0;
  for (const Chunk::Slot& slot : Box("sys").children->view()) {
    if (slot.chunk->count < 2) continue;
    // The test owns the tree, as above.
    auto& first = const_cast<Node&>(*slot.chunk->slots()[0].node);
    const auto shape = std::exchange(first.shape, 0);
    EXPECT_THAT(Problems(), Contains("@c1 sys: its list of children is cut in the wrong place"))
        << "a piece of " << slot.chunk->count;
    first.shape = shape;
    pieces += slot.chunk->count <= child_list::kTopSlotsMax ? 1 : 0;
  }
  EXPECT_GT(pieces, 0) << "short ones too";
}

TEST_F(VerifierTest, NamesALevelThatAListDoesNotNeed) {
  Chunk& list = *Box("sys").children;
  const auto count = std::exchange(list.count, 1);
  EXPECT_THAT(Problems(), Contains("@c1 sys: its list of children is cut in the wrong place"));
  list.count = count;  // what it holds is still its own
}

TEST_F(VerifierTest, FindsAKeyThatIsNotNoted) {
  Get("b").Set(Node::kKeyed, true);
  EXPECT_THAT(Problems(), ElementsAre("@c1 b: its key is not noted"));
}

TEST_F(VerifierTest, FindsAttributesThatAreNotNoted) {
  Get("b").Set(Node::kAttributed, true);
  EXPECT_THAT(Problems(), ElementsAre("@c1 b: its attributes are not noted"));
}

TEST_F(VerifierTest, NamesAListWhoseEndIsNotItsEnd) {
  ++Box("core").children->last_hint;
  EXPECT_THAT(Problems(), ElementsAre("@c1 core: the end of a list of its children is wrong"));
}

TEST_F(VerifierTest, NamesAListWithAnEmptyChunk) {
  const std::uint32_t count = std::exchange(Box("core").children->count, 0);
  EXPECT_THAT(Problems(), Contains("@c1 core: its list of children has an empty chunk"));
  Box("core").children->count = count;
}

TEST_F(VerifierTest, NamesAWrongOrder) {
  std::swap(Get("s1").created_at_ns, Get("s2").created_at_ns);
  EXPECT_THAT(Problems(), Contains("@c1 s2: it stands out of order among its siblings"));
}

TEST_F(VerifierTest, NamesAnIdThatStandsTwice) {
  Get("s2").number = Get("s1").number;
  Get("s2").created_at_ns = Get("s1").created_at_ns;
  EXPECT_THAT(Problems(), Contains("@c1 s1: it stands out of order among its siblings"));
  EXPECT_THAT(Problems(), Contains("@c1 s1: the index does not find it"));
}

TEST_F(VerifierTest, NamesAWrongParent) {
  Get("b").parent = Get("sys").number;
  EXPECT_THAT(Problems(), ElementsAre("@c1 b: it does not know its parent"));
}

TEST_F(VerifierTest, NamesARootWithAParent) {
  Get("root").parent = Get("sys").number;
  EXPECT_THAT(Problems(), Contains("@c1 root: the root has a parent"));
}

class Blind final : public NodeSource {
 public:
  Blind(const NodeSource& source, NodeNumber hidden) : source_(source), hidden_(hidden) {}
  const Node* Find(NodeNumber number) const override {
    return number == hidden_ ? nullptr : source_.Find(number);
  }

 private:
  const NodeSource& source_;
  NodeNumber hidden_;
};

TEST_F(VerifierTest, NamesANodeThatTheIndexMisses) {
  const Blind blind(tree_, Get("b").number);
  TreeView view = tree_.View(1);
  view.source = &blind;
  EXPECT_THAT(ProblemsOf(view), ElementsAre("@c1 b: the index does not find it"));
}

TEST_F(VerifierTest, NamesAnExpiryWithoutATtl) {
  Get("b").Set(Node::kHasTtl, false);
  EXPECT_THAT(Problems(), ElementsAre("@c1 b: it expires without a ttl"));
}

TEST_F(VerifierTest, NamesWhatStandsUnderTheRoot) {
  Put("root", "stray", {.created_at_ns = 1});
  tree_.Refresh();
  const auto problems = Problems();
  EXPECT_THAT(problems, Contains("@c1 stray: only regions stand under the root"));
  EXPECT_THAT(problems, Contains("@c1 stray: regions stand under the root"));
}

TEST_F(VerifierTest, NamesASecondRegion) {
  Get("seq").set_class(NodeClass::kSys);
  EXPECT_THAT(Problems(), Contains("@c1 seq: a second region of its kind"));
}

TEST_F(VerifierTest, NamesARegionThatIsNotUnderTheRoot) {
  Put("core", "inner", {.node_class = NodeClass::kAh});
  tree_.Refresh();
  EXPECT_THAT(Problems(), ElementsAre("@c1 inner: regions stand under the root"));
}

TEST_F(VerifierTest, NamesTurnsOutsideSeqAndStrangersInIt) {
  Put("sys", "lost", {.node_class = NodeClass::kTurn});
  Put("seq", "guest", {.created_at_ns = 1});
  tree_.Refresh();
  EXPECT_THAT(Problems(),
              ::testing::UnorderedElementsAre("@c1 lost: turns stand in ^seq, and only they",
                                              "@c1 guest: turns stand in ^seq, and only they"));
}

TEST_F(VerifierTest, NamesASealedTurnWithoutItsCore) {
  tree_.Erase(Get("core").number);
  tree_.Refresh();
  EXPECT_THAT(Problems(), ElementsAre("@c1 t: a sealed turn has one core"));
}

TEST_F(VerifierTest, NamesASealedTurnWithTwoCores) {
  Put("t", "core2", {.node_class = NodeClass::kCont, .created_at_ns = 99, .flags = Node::kCore});
  tree_.Refresh();
  EXPECT_THAT(Problems(), ElementsAre("@c1 t: a sealed turn has one core"));
}

TEST_F(VerifierTest, NamesAWrongMarkOfACore) {
  Get("core").Set(Node::kCore, false);
  EXPECT_THAT(Problems(), Contains("@c1 core: it is wrongly marked as a core"));
  Get("core").Set(Node::kCore, true);
  Get("p").Set(Node::kCore, true);
  EXPECT_THAT(Problems(), Contains("@c1 p: it is wrongly marked as a core"));
}

TEST_F(VerifierTest, ChecksWhatSnapshotsShareOnce) {
  Get("b").cycle = 5;
  Verifier verifier;
  verifier.Check(tree_.View(1), "@c1");
  verifier.Check(tree_.View(2), "@c2");
  EXPECT_THAT(verifier.problems(), ElementsAre("@c1 core: a hash of its children is wrong"));
}

// The list of turns is another one in every snapshot; its parts are not.
TEST_F(VerifierTest, ChecksTheTurnsThatSnapshotsShareOnce) {
  for (int i = 1; i <= 200; ++i) {
    Put("seq", "t" + std::to_string(i), {.node_class = NodeClass::kTurn, .created_at_ns = 100 + i});
  }
  tree_.Refresh();
  const WorkingTree before = tree_;
  Put("seq", "new", {.node_class = NodeClass::kTurn, .created_at_ns = 500});
  tree_.Refresh();
  for (const char* id : {"t1", "new"}) Get(id).Set(Node::kKeyed, true);
  Verifier verifier;
  verifier.Check(before.View(1), "@c1");
  verifier.Check(tree_.View(2), "@c2");
  EXPECT_THAT(verifier.problems(),
              ElementsAre("@c1 t1: its key is not noted", "@c2 new: its key is not noted"));
}

TEST_F(VerifierTest, NamesAWrongOrderAcrossThePiecesOfAList) {
  const Chunk& top = *Box("sys").children;
  ASSERT_GT(top.level, 0);
  ASSERT_GT(top.count, 1u);
  Node& second = *const_cast<Node*>(child_list::LastOf(*top.slots()[1].chunk, 0));
  second.created_at_ns = 0;  // before all in the piece before
  EXPECT_THAT(Problems(), Contains("@c1 " + std::string(tree_.View(1).id(second)) +
                                   ": it stands out of order among its siblings"));
}

}  // namespace
}  // namespace pactdb
