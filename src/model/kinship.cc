#include "model/kinship.h"

#include <algorithm>

namespace pactdb {
namespace {

// The way from a lexicon down to one of its ancestors: what it still has of it.
struct Descent {
  explicit Descent(const TreeView& view) : at(view.lexicon), ordinal(view.ordinal) {}

  const Lexicon* at;
  Ordinal ordinal;  // of the tree, or the last one it comes from here
  NodeNumber first_apart = kNoNode;
  Ordinal last_shared = kNever;
  const Lexicon* first_fork = nullptr;  // the one that was forked at the last shared commit
  bool has_past_apart = false;          // the tree comes from what a fork has loaded itself

  void Descend() {
    first_apart = std::min(first_apart, at->first_id());
    if (at->fork_point() < last_shared) {
      last_shared = at->fork_point();
      first_fork = at;
    }
    has_past_apart = has_past_apart || ordinal < at->shared_from();
    ordinal = std::min(ordinal, at->fork_point());
    at = at->parent();
  }
};

// True if the engine makes such ids in the node's cycle: then that is when the node was made.
bool IsNamedByCycle(const Node& node, const Lexicon& lexicon) {
  const auto made = lexicon.made_id(node.number);
  return made && node.cycle >= 0 && made->cycle == static_cast<std::uint64_t>(node.cycle);
}

}  // namespace

Kinship::Kinship(const TreeView& a, const TreeView& b, const std::optional<CommonPast>& common)
    : a_tree_(a), b_tree_(b), a_(*a.lexicon), b_(*b.lexicon) {
  Descent left(a);
  Descent right(b);
  while (left.at != right.at) {
    // The one that was forked through more contexts cannot be an ancestor of the other.
    Descent& deeper = left.at->fork_depth() >= right.at->fork_depth() ? left : right;
    if (deeper.at->parent() == nullptr) break;
    deeper.Descend();
  }
  // An ancestor that two contexts have in common need not have loaded the last commit they share:
  // one of them may have, before a fork of its own at that.
  ancestor_is_of_a_ = left.last_shared < right.last_shared;
  const Descent& earlier = ancestor_is_of_a_ ? left : right;
  if (left.at == right.at) {
    first_apart_ = std::min(left.first_apart, right.first_apart);
    last_shared_ = earlier.last_shared;
    has_past_apart_ = left.has_past_apart || right.has_past_apart;
  } else if (common) {
    by_id_ = true;
    common_ = *common;
  } else {
    return;
  }
  // A snapshot that both have in their history has no node of which there could be another.
  const auto is_shared = [this](const TreeView& view) {
    if (by_id_) return view.ordinal < common_.snapshots;
    return view.ordinal != kNever && view.ordinal <= last_shared_;
  };
  const bool is_asked = a.lexicon != b.lexicon && !is_shared(a) && !is_shared(b);
  if (by_id_) {
    asks_common_ = is_asked;
  } else if (is_asked) {
    ancestor_ = earlier.first_fork->parent();
    ancestor_knows_ = earlier.first_fork->first_id();
  }
}

NodeNumber Kinship::FindInB(NodeNumber in_a) const {
  const auto number = b_.FindId(a_.id(in_a));
  return number && AreOfCommonPast(in_a, *number) ? *number : kNoNode;
}

NodeNumber Kinship::FindInA(NodeNumber in_b) const {
  const auto number = a_.FindId(b_.id(in_b));
  return number && AreOfCommonPast(*number, in_b) ? *number : kNoNode;
}

bool Kinship::AreOfLostPast(NodeNumber in_a, NodeNumber in_b) const {
  const Node* a = a_tree_.Find(in_a);
  const Node* b = b_tree_.Find(in_b);
  if (a == nullptr || b == nullptr) return false;  // there is nothing to be the same
  if (a->is_fixed() && b->is_fixed()) return true;
  const bool is_named_in_a = IsNamedByCycle(*a, a_);
  const bool is_named_in_b = IsNamedByCycle(*b, b_);
  // One of the two may have come back by an import, which need not say its cycle.
  if (is_named_in_a || is_named_in_b) {
    return (!is_named_in_a || a->cycle <= common_.cycle) &&
           (!is_named_in_b || b->cycle <= common_.cycle);
  }
  return common_.was_given && common_.was_given(a_.id(in_a));
}

bool IsInHistoryOf(const TreeView& older, const TreeView& newer) {
  Descent descent(newer);
  while (descent.at != older.lexicon) {
    if (descent.at->parent() == nullptr) return false;
    descent.Descend();
  }
  return older.ordinal <= std::min(newer.ordinal, descent.last_shared);
}

}  // namespace pactdb
