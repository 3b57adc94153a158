// What two trees have to do with each other: of one context, of forks of one, or strangers.
//
// Numbers of nodes mean something in one context. Forks share the numbers that were there when they
// parted; beyond that each counts for itself. A node is the same in both only if it was made at or
// before the last commit they share. What was not loaded when they parted each has loaded under
// numbers of its own; ids tell which nodes of that are the same.
//
// Forks that were opened from a store apart from each other have numbers of their own throughout;
// whoever knows their last common commit says so, and ids tell which nodes are the same. Of one
// that is no snapshot any more its cycle is known, and ids that the engine makes say in which cycle
// they were made. Of others their cycle says nothing: documents are imported with any, or none. The
// store knows which were given up to that commit.
//
// Thread safety: as the trees.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "model/tree_view.h"

namespace pactdb {

// What two contexts have in common, up to the last commit that both have in their histories.
struct CommonPast {
  std::size_t snapshots = 0;     // that both begin with
  std::int64_t cycle = 0;        // of that commit
  std::optional<TreeView> last;  // its tree; nothing if retention took it
  // Without its tree: true if the id was given to a node, and not made by the engine, up to that
  // commit. Null: none was.
  std::function<bool(std::string_view id)> was_given;
};

class Kinship {
 public:
  // `common`: if their lexicons cannot tell. REQUIRES: then its tree is as `a`'s context has loaded
  // it.
  Kinship(const TreeView& a, const TreeView& b,
          const std::optional<CommonPast>& common = std::nullopt);

  // False if they share no node at all.
  bool are_related() const { return first_apart_ > 0 || by_id_; }
  // Related, but of what they share some may lie in memory twice: the same addresses in a store, no
  // pointers.
  bool are_loaded_apart() const { return by_id_ || has_past_apart_; }
  // True if both trees are states of one context: of its own or inherited ones. Then a number that
  // one of them has and the other does not know is a node that the other lacks; unless it is a
  // snapshot that each of two contexts has loaded itself.
  bool are_of_one_context() const { return ancestor_ == nullptr && first_apart_ > 0; }
  // True if the number means the same node in both.
  bool Shares(NodeNumber number) const { return number < first_apart_ && IsOfCommonPast(number); }
  // The number that the node has in the other tree's context; kNoNode if it is none of its.
  NodeNumber InB(NodeNumber in_a) const {
    if (!by_id_ && in_a < first_apart_) return IsOfCommonPast(in_a) ? in_a : kNoNode;
    return are_loaded_apart() ? FindInB(in_a) : kNoNode;
  }
  NodeNumber InA(NodeNumber in_b) const {
    if (!by_id_ && in_b < first_apart_) return IsOfCommonPast(in_b) ? in_b : kNoNode;
    return are_loaded_apart() ? FindInA(in_b) : kNoNode;
  }

 private:
  NodeNumber FindInA(NodeNumber in_b) const;
  NodeNumber FindInB(NodeNumber in_a) const;
  // Of a number of the ancestor's line.
  bool IsOfCommonPast(NodeNumber number) const {
    return ancestor_ == nullptr ||
           (number < ancestor_knows_ && ancestor_->IsInHistory(number, last_shared_));
  }
  // Of the numbers that one id has.
  bool AreOfCommonPast(NodeNumber in_a, NodeNumber in_b) const {
    if (!by_id_) return IsOfCommonPast(ancestor_is_of_a_ ? in_a : in_b);
    if (!asks_common_) return true;
    if (common_.last) return common_.last->Find(in_a) != nullptr;
    return AreOfLostPast(in_a, in_b);
  }
  // The same where the tree of the last common commit is gone.
  bool AreOfLostPast(NodeNumber in_a, NodeNumber in_b) const;

  const TreeView a_tree_;
  const TreeView b_tree_;
  const Lexicon& a_;
  const Lexicon& b_;
  bool by_id_ = false;
  bool has_past_apart_ = false;  // not by id: each may have loaded snapshots that they share
  NodeNumber first_apart_ = 0;   // numbers below mean the same id in both
  // Whose commit the last shared one is, as the fork at it found it loaded; null: no need to ask.
  const Lexicon* ancestor_ = nullptr;
  NodeNumber ancestor_knows_ = 0;  // numbers below this, of the line that comes from it
  bool ancestor_is_of_a_ = false;  // that line is `a`'s
  CommonPast common_;              // by id
  bool asks_common_ = false;
  Ordinal last_shared_ = kNever;
};

// True if `older` is `newer` or lies in its history: then the older one's numbers mean the same in
// the newer one's lexicon.
bool IsInHistoryOf(const TreeView& older, const TreeView& newer);

}  // namespace pactdb
