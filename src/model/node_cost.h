// What the nodes of a tree cost, added up, and remembered where trees share their parts.
//
// Nothing is counted until somebody asks. An answer is left in the bodies and chunks it was made
// from, which snapshots share, so the next snapshot's sum costs what is new in it. An edit drops
// the sums on its path together with the summaries (child_list::Summarize).
//
// Thread safety: any number of readers at once, of published trees: each leaves the same answer.
#pragma once

#include <cstdint>

#include "model/child_list.h"

namespace pactdb {

struct Cost {
  std::uint64_t units = 0;
  std::uint64_t estimates = 0;  // of the nodes, those whose units are no exact count

  void Add(const Cost& other) {
    units += other.units;
    estimates += other.estimates;
  }
  bool operator==(const Cost&) const = default;
};

// One way to count.
class NodeCost {
 public:
  virtual ~NodeCost() = default;

  // 1 to kKindMax. Sums are remembered for the kind that was asked for last.
  virtual unsigned kind() const = 0;
  // What the node alone costs; at most kUnitsMax are kept. REQUIRES of an implementation: the same
  // for equal bodies, roles and kinds, whatever the tree around them.
  virtual Cost Count(const Node& node) const = 0;

  static constexpr unsigned kKindMax = 7;
  static constexpr std::uint64_t kUnitsMax = (std::uint64_t{1} << 28) - 1;
};

// What the node alone costs.
Cost CostOf(const Node& node, const NodeCost& cost);

// All nodes below the container, and not itself. O(1) if nothing changed since it was asked for
// last. REQUIRES: summarized.
Cost CostBelow(const Container& container, const NodeCost& cost);

}  // namespace pactdb
