// Random edits and commits of a working tree against a plain map, with every snapshot kept.
//
// What differs is a failed assertion of GoogleTest; a fuzzer asks it to stop the program at one.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/history.h"
#include "model/node_cost.h"
#include "model/unshared.h"
#include "model/verify.h"
#include "model/working_tree.h"
#include "support/nodes.h"
#include "support/plain_tree.h"
#include "support/random.h"
#include "support/tree_series.h"

namespace pactdb::support {

// The two kinds give different sums, so that one remembered is never taken for the other.
class ShapeCost final : public NodeCost {
 public:
  explicit ShapeCost(unsigned kind) : kind_(kind) {}
  unsigned kind() const override { return kind_; }
  Cost Count(const Node& node) const override {
    return {.units = node.shape % (90 + kind_), .estimates = node.shape % kind_};
  }

 private:
  unsigned kind_;
};

class TreeDuel {
 public:
  explicit TreeDuel(Random random) : random_(random) {}

  void Run(int steps) {
    for (int step = 0; step < steps && !random_.is_used_up(); ++step) {
      const std::size_t kind = random_.Below(100);
      if (kind < 45) {
        Insert();
      } else if (kind < 55) {
        Erase();
      } else if (kind < 70) {
        Own();
      } else if (kind < 90) {
        Relocate();
      } else if (kind < 93) {
        Fork();
      } else if (kind < 97) {
        Commit();
      } else {
        ASSERT_EQ(Text(tree_), plain_.Outline("sys"));
        tree_.Summarize();
        CompareCost(tree_.region(NodeClass::kSys));
      }
    }
    Commit();
    for (const Kept& kept : kept_) Compare(kept);
    for (std::size_t i = 1; i < kept_.size(); ++i) CompareUnshared(kept_[i - 1], kept_[i]);
    for (std::size_t i = 7; i < kept_.size(); ++i) CompareUnshared(kept_[i - 7], kept_[i]);
  }

 private:
  struct Kept {
    Ref<const CommitRecord> record;
    PlainTree want;
    std::string tree_sha256;
  };

  static std::string Text(const WorkingTree& tree) {
    return Outline(tree.View(1), tree.region(NodeClass::kSys));
  }
  std::string PickContainer() {
    const std::string sys = "sys";
    std::vector<const std::string*> ids = {&sys};
    for (const auto& [id, node] : plain_.nodes) {
      if (!node.is_block) ids.push_back(&id);
    }
    return *random_.Pick(ids);
  }
  std::string PickNode() {
    if (plain_.nodes.empty()) return "";
    const auto skipped = static_cast<std::ptrdiff_t>(random_.Below(plain_.nodes.size()));
    return std::next(plain_.nodes.begin(), skipped)->first;
  }
  NodeNumber Number(const std::string& id) { return *lexicon_->FindId(id); }

  void Insert() {
    const std::string id = "n" + std::to_string(next_id_++);
    const PlainNode plain{.parent = PickContainer(),
                          .offset = random_.Between(-1, 1),
                          .created_at_ns = random_.Between(0, 4),
                          .creation_index = random_.Between(0, 2),
                          .priority = random_.Between(0, 9),
                          .is_block = random_.Chance(70)};
    const auto node_class = plain.is_block ? NodeClass::kBlock : NodeClass::kCont;
    tree_.Insert(Number(plain.parent), NewNode(*lexicon_, id,
                                               {.node_class = node_class,
                                                .offset = plain.offset,
                                                .created_at_ns = plain.created_at_ns,
                                                .creation_index = plain.creation_index,
                                                .priority = plain.priority}));
    plain_.nodes[id] = plain;
  }

  void Erase() {
    const std::string id = PickNode();
    if (id.empty()) return;
    tree_.Erase(Number(id));
    plain_.Erase(id);
  }

  void Own() {
    const std::string id = PickNode();
    if (id.empty()) return;
    tree_.Own(Number(id))->priority = plain_.nodes[id].priority = random_.Between(10, 99);
  }

  void Relocate() {
    const std::string id = PickNode();
    const std::string parent = PickContainer();
    if (id.empty() || plain_.IsInside(parent, id)) return;
    PlainNode& plain = plain_.nodes[id];
    plain.parent = parent;
    plain.offset = random_.Between(-1, 1);
    plain.created_at_ns = random_.Between(0, 4);
    tree_.Relocate(Number(id), Number(parent), [&plain](Node& node) {
      node.offset = plain.offset;
      node.created_at_ns = plain.created_at_ns;
    });
  }

  // Edits on a copy leave the original alone, whichever of the two goes on.
  void Fork() {
    const PlainTree plain = plain_;
    WorkingTree copy = tree_;
    for (int i = 0; i < 8; ++i) random_.Chance(60) ? Insert() : Erase();
    ASSERT_EQ(Text(copy), plain.Outline("sys"));
    ASSERT_EQ(Text(tree_), plain_.Outline("sys"));
    if (random_.Chance(50)) return;
    tree_ = copy;
    plain_ = plain;
  }

  void Commit() {
    auto record = CommitTree(tree_, lexicon_, kept_.size());
    std::string digest = ToHex(record->root->digest);
    kept_.push_back({std::move(record), plain_, std::move(digest)});
  }

  // Sums that were remembered before an edit or in another snapshot are right, or forgotten.
  void CompareCost(const Container& region) {
    const ShapeCost cost(1 + static_cast<unsigned>(random_.Below(2)));
    Cost want;
    for (PreorderCursor node(region); node.get() != nullptr; node.Next()) {
      if (node.get() != &region) want.Add(cost.Count(*node.get()));
    }
    ASSERT_EQ(CostBelow(region, cost), want);
    ASSERT_EQ(CostBelow(region, cost), want);
  }

  void Compare(const Kept& kept) {
    const TreeView view = kept.record->View();
    ASSERT_EQ(Outline(view, *view.Region(NodeClass::kSys)), kept.want.Outline("sys"));
    ASSERT_EQ(ToHex(view.root->digest), kept.tree_sha256);
    CompareCost(*view.Region(NodeClass::kSys));
    ASSERT_EQ(kept.record->nodes, kept.want.nodes.size());
    for (std::size_t i = 0; i < next_id_; ++i) {
      const std::string id = "n" + std::to_string(i);
      const Node* node = view.FindId(id);
      ASSERT_EQ(node != nullptr, kept.want.nodes.contains(id)) << id;
      if (node == nullptr) continue;
      ASSERT_EQ(node->priority, kept.want.nodes.at(id).priority) << id;
      ASSERT_EQ(view.id(*view.Parent(*node)), kept.want.nodes.at(id).parent) << id;
    }
    Verifier verifier;
    verifier.Check(view, "snapshot");
    ASSERT_EQ(verifier.problems(), std::vector<std::string>());
  }

  // Of `side`, what the other tree does not hold as the same object, by a walk of everything.
  static std::vector<const Node*> NaiveUnshared(const Kept& side, const Kept& other) {
    std::vector<const Node*> nodes;
    for (PreorderCursor node(*side.record->root); node.get() != nullptr; node.Next()) {
      if (other.record->Find(node.get()->number) != node.get()) nodes.push_back(node.get());
    }
    return nodes;
  }
  // The walk may also give shared nodes below one that moved.
  static std::vector<const Node*> WithoutShared(std::vector<const Node*> nodes, const Kept& other) {
    std::erase_if(nodes,
                  [&](const Node* node) { return other.record->Find(node->number) == node; });
    return nodes;
  }
  void CompareUnshared(const Kept& older, const Kept& newer) {
    const Unshared found = FindUnshared(*older.record->root, *newer.record->root, *lexicon_);
    const std::vector<const Node*> made = NaiveUnshared(newer, older);
    ASSERT_EQ(WithoutShared(found.older, newer), NaiveUnshared(older, newer));
    ASSERT_EQ(WithoutShared(found.newer, older), made);
    for (const Node* node : made) {
      const Node* before = older.record->Find(node->number);
      if (before == nullptr) continue;
      ASSERT_EQ(SameVersion(*before, *node, *lexicon_),
                before->parent == node->parent && before->priority == node->priority &&
                    before->offset == node->offset && before->created_at_ns == node->created_at_ns);
    }
  }

  Random random_;
  std::shared_ptr<Lexicon> lexicon_ = std::make_shared<Lexicon>();
  WorkingTree tree_{lexicon_};
  PlainTree plain_;
  std::vector<Kept> kept_;
  std::size_t next_id_ = 0;
};

}  // namespace pactdb::support
