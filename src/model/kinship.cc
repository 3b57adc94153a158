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

Kinship::Kinship(const TreeView& a, const TreeView& b) {
  Descent left{a.lexicon};
  Descent right{b.lexicon};
  while (left.at != right.at) {
    // The one that was forked through more contexts cannot be an ancestor of the other.
    Descent& deeper = left.at->fork_depth() >= right.at->fork_depth() ? left : right;
    if (deeper.at->parent() == nullptr) return;
    deeper.Descend();
  }
  first_apart_ = std::min(left.first_apart, right.first_apart);
  last_shared_ = std::min(left.last_shared, right.last_shared);
  // A snapshot that both have in their history has no node of which there could be another.
  const auto is_shared = [this](const TreeView& view) {
    return view.ordinal != kNever && view.ordinal <= last_shared_;
  };
  if (a.lexicon != b.lexicon && !is_shared(a) && !is_shared(b)) ancestor_ = left.at;
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
