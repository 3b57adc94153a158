// What ties a node to others: pins, handles, references, calls.
//
// Expiry, cascade and pruning ask here whether a node may leave.
//
// Thread safety: the writer's.
#pragma once

#include <pactdb/json.h>

#include <string>
#include <vector>

#include "engine/holds.h"
#include "model/indexed.h"
#include "model/working_tree.h"

namespace pactdb {

class Bonds {
 public:
  Bonds(const WorkingTree& tree, const Holds& holds) : tree_(tree), holds_(holds) {}

  // Pinned, or held by a program.
  bool IsKept(const Node& node) const {
    return node.Has(Node::kPinned) || holds_.IsHeld(node.number);
  }

  // Calls visit(NodeNumber) for every living node that names this one in its refs, the node itself
  // apart.
  template <typename Visitor>
  void ForEachReferrer(const Node& node, Visitor&& visit) const {
    const IdText id = tree_.lexicon().id(node.number);
    tree_.lexicon().ForEachPosting(IndexKind::kRef, id, kNever, [&](NodeNumber number) {
      if (number == node.number) return;
      const Node* referrer = tree_.Find(number);
      if (referrer != nullptr && Carries(*referrer, IndexKind::kRef, id)) visit(number);
    });
  }

  // Calls visit(NodeNumber) for every other living node of the same call.
  template <typename Visitor>
  void ForEachPartner(const Node& node, Visitor&& visit) const {
    ForEachIndexed(node, [&](IndexKind kind, const std::string& value) {
      if (kind != IndexKind::kCall) return;
      tree_.lexicon().ForEachPosting(IndexKind::kCall, value, kNever, [&](NodeNumber number) {
        if (number == node.number) return;
        const Node* partner = tree_.Find(number);
        if (partner != nullptr && Carries(*partner, IndexKind::kCall, value)) visit(number);
      });
    });
  }

  // Calls visit(NodeNumber) for every living node this one names in its refs.
  template <typename Visitor>
  void ForEachTarget(const Node& node, Visitor&& visit) const {
    ForEachIndexed(node, [&](IndexKind kind, const std::string& value) {
      if (kind != IndexKind::kRef) return;
      const auto number = tree_.lexicon().FindId(value);
      if (number && tree_.Find(*number) != nullptr) visit(*number);
    });
  }

 private:
  const WorkingTree& tree_;
  const Holds& holds_;
};

}  // namespace pactdb
