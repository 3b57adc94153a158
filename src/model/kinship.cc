#include "model/kinship.h"

#include <algorithm>

namespace pactdb {
namespace {

// The way from a lexicon down to one of its ancestors: what it still has of it.
struct Descent {
  const Lexicon* at;
  NodeNumber first_apart = kNoNode;
  Ordinal last_shared = kNever;

  void Descend() {
    first_apart = std::min(first_apart, at->first_id());
    last_shared = std::min(last_shared, at->fork_point());
    at = at->parent();
  }
};

}  // namespace

Kinship::Kinship(const TreeView& a, const TreeView& b, const std::optional<TreeView>& last_common)
    : a_(*a.lexicon), b_(*b.lexicon) {
  Descent left{a.lexicon};
  Descent right{b.lexicon};
  while (left.at != right.at) {
    // The one that was forked through more contexts cannot be an ancestor of the other.
    Descent& deeper = left.at->fork_depth() >= right.at->fork_depth() ? left : right;
    if (deeper.at->parent() == nullptr) break;
    deeper.Descend();
  }
  if (left.at == right.at) {
    first_apart_ = std::min(left.first_apart, right.first_apart);
    last_shared_ = std::min(left.last_shared, right.last_shared);
  } else if (last_common) {
    by_id_ = true;
    common_ = *last_common;
    last_shared_ = common_.ordinal;
  } else {
    return;
  }
  // A snapshot that both have in their history has no node of which there could be another.
  const auto is_shared = [this](const TreeView& view) {
    return view.ordinal != kNever && view.ordinal <= last_shared_;
  };
  const bool is_asked = a.lexicon != b.lexicon && !is_shared(a) && !is_shared(b);
  if (by_id_) {
    asks_common_ = is_asked;
  } else if (is_asked) {
    ancestor_ = left.at;
  }
}

NodeNumber Kinship::FindInB(NodeNumber in_a) const {
  if (!IsOfAncestor(in_a)) return kNoNode;
  return b_.FindId(a_.id(in_a)).value_or(kNoNode);
}

NodeNumber Kinship::FindInA(NodeNumber in_b) const {
  const auto number = a_.FindId(b_.id(in_b));
  return number && IsOfAncestor(*number) ? *number : kNoNode;
}

bool IsInHistoryOf(const TreeView& older, const TreeView& newer) {
  Descent descent{newer.lexicon, kNoNode, newer.ordinal};
  while (descent.at != older.lexicon) {
    if (descent.at->parent() == nullptr) return false;
    descent.Descend();
  }
  return older.ordinal <= descent.last_shared;
}

}  // namespace pactdb
