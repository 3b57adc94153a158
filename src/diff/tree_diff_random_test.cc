// Random histories of a tree, every pair of its snapshots compared both ways by the walk over what
// they share and by looking at every node.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "diff/tree_diff.h"
#include "support/diff_text.h"
#include "support/naive_diff.h"
#include "support/random.h"
#include "support/scale.h"
#include "support/tree_series.h"

namespace pactdb {
namespace {

class RandomTree {
 public:
  // `turns` to start with: enough of them, and the list of turns has several levels of chunks.
  RandomTree(std::uint64_t seed, int turns) : random_(seed) {
    for (int i = 0; i < turns; ++i) PutTurn();
  }

  void Run(int commits) {
    for (int i = 0; i < commits; ++i) {
      const int edits = static_cast<int>(random_.Below(12));
      for (int edit = 0; edit < edits; ++edit) Edit();
      if (random_.Chance(4)) MakeAnew();
      series_.Commit();
    }
    for (int edit = 0; edit < 5; ++edit) Edit();
  }

  void CompareAll() {
    std::vector<TreeView> views;
    for (std::size_t i = 0; i < series_.size(); ++i) views.push_back(series_.at(i).View());
    views.push_back(series_.Working());
    for (const TreeView& from : views) {
      for (const TreeView& to : views) {
        const bool newest_first = random_.Chance(50);
        const auto turns = newest_first ? TurnOrder::kNewestFirst : TurnOrder::kOldestFirst;
        ASSERT_EQ(support::DiffText(Compare(from, to, turns), from, to),
                  support::NaiveDiff(from, to, newest_first))
            << "from " << from.now << " to " << to.now;
      }
    }
  }

 private:
  std::string NewId() { return "n" + std::to_string(next_id_++); }
  support::NodeTraits Traits(NodeClass node_class) {
    return {.node_class = node_class,
            .offset = random_.Between(-1, 1),
            .created_at_ns = node_class == NodeClass::kTurn ? ++stamp_ : random_.Between(0, 4),
            .creation_index = random_.Between(0, 2),
            .priority = random_.Between(0, 9),
            .expiry = random_.Chance(10) ? series_.size() + random_.Below(6) : kNoExpiry,
            .role = {},
            .content = random_.Chance(50) ? "\"a\"" : "",
            .attributes = {}};
  }
  void Put(const std::string& parent, NodeClass node_class) {
    const std::string id = NewId();
    series_.Put(parent, id, Traits(node_class));
    ids_.push_back(id);
    if (node_class == NodeClass::kCont) groups_.push_back(id);
  }
  void PutTurn() {
    const std::string turn = NewId();
    support::NodeTraits traits = Traits(NodeClass::kTurn);
    traits.offset = 0;
    series_.Put("seq", turn, traits);
    groups_.push_back(turn);
    for (std::size_t i = random_.Below(4); i > 0; --i) Put(turn, NodeClass::kBlock);
  }
  bool IsThere(const std::string& id) { return series_.tree().Find(series_.Number(id)) != nullptr; }
  std::string PickGroup() {
    for (int tries = 0; tries < 10 && !groups_.empty(); ++tries) {
      const std::string id = random_.Pick(groups_);
      if (IsThere(id)) return id;
    }
    return random_.Pick(std::vector<std::string>{"sys", "ah"});
  }
  std::string PickNode() {
    for (int tries = 0; tries < 10 && !ids_.empty(); ++tries) {
      const std::string id = random_.Pick(ids_);
      if (IsThere(id)) return id;
    }
    return "";
  }

  void Edit() {
    const std::size_t kind = random_.Below(100);
    if (kind < 10) return PutTurn();
    if (kind < 35)
      return Put(PickGroup(), random_.Chance(70) ? NodeClass::kBlock : NodeClass::kCont);
    const std::string id = PickNode();
    if (id.empty()) return;
    if (kind < 50) return series_.tree().Erase(series_.Number(id));
    if (kind < 75) return Change(*series_.tree().Own(series_.Number(id)));
    Move(id);
  }

  void Change(Node& node) {
    const std::size_t kind = random_.Below(4);
    if (kind == 0) node.priority = random_.Between(0, 9);
    if (kind == 1) node.Set(Node::kPinned, !node.Has(Node::kPinned));
    if (kind == 2) node.expiry = random_.Chance(50) ? series_.size() + random_.Below(6) : kNoExpiry;
    if (kind != 3) return;
    if (node.body != nullptr) Release(node.body);
    const std::string content = random_.Chance(50) ? "\"b\"" : "\"c\"";
    node.body = Body::Make(content, {}, {}, {}).Detach();
  }

  void Move(const std::string& id) {
    const std::string parent = PickGroup();
    for (const Node* at = series_.tree().Find(series_.Number(parent)); at != nullptr;
         at = at->parent == kNoNode ? nullptr : series_.tree().Find(at->parent)) {
      if (at->number == series_.Number(id)) return;
    }
    series_.tree().Relocate(series_.Number(id), series_.Number(parent), [this](Node& node) {
      node.offset = random_.Between(-1, 1);
      if (random_.Chance(50)) node.created_at_ns = random_.Between(0, 4);
    });
  }

  // As after an import: the same ids, and not one node or chunk shared.
  void MakeAnew() { series_.MakeAnew(); }

  support::Random random_;
  support::TreeSeries series_;
  std::vector<std::string> ids_;
  std::vector<std::string> groups_;  // turns and conts
  std::int64_t next_id_ = 0;
  std::int64_t stamp_ = 0;
};

TEST(TreeDiffRandom, AgreesWithLookingAtEveryNode) {
  const std::size_t seeds = support::Scaled(30);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomTree tree(seed, static_cast<int>(seed % 7) * 10);
    tree.Run(12);
    tree.CompareAll();
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(TreeDiffRandom, AgreesOnListsOfManyChunks) {
  const std::size_t seeds = support::Scaled(3);
  for (std::uint64_t seed = 1000; seed < 1000 + seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomTree tree(seed, 1500);
    tree.Run(4);
    tree.CompareAll();
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace pactdb
