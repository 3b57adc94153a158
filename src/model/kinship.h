// What two trees have to do with each other: of one context, of forks of one, or strangers.
//
// Numbers of nodes mean something in one context. Forks share the numbers that were there when they
// parted; beyond that each counts for itself. A node is the same in both only if it was made at or
// before the last commit they share.
//
// Thread safety: as the trees.
#pragma once

#include "model/tree_view.h"

namespace pactdb {

class Kinship {
 public:
  Kinship(const TreeView& a, const TreeView& b);

  // False if they share no node at all.
  bool are_related() const { return first_apart_ > 0; }
  // True if both trees are states of one context: of its own or inherited ones. Then a number that
  // one of them has and the other does not know is a node that the other lacks.
  bool are_of_one_context() const { return ancestor_ == nullptr && are_related(); }
  // True if the number means the same node in both.
  bool Shares(NodeNumber number) const {
    if (number >= first_apart_) return false;
    return ancestor_ == nullptr || ancestor_->IsInHistory(number, last_shared_);
  }

 private:
  NodeNumber first_apart_ = 0;         // numbers below mean the same id in both
  const Lexicon* ancestor_ = nullptr;  // null: no need to ask it
  Ordinal last_shared_ = kNever;
};

// True if `older` is `newer` or lies in its history: then the older one's numbers mean the same in
// the newer one's lexicon.
bool IsInHistoryOf(const TreeView& older, const TreeView& newer);

}  // namespace pactdb
