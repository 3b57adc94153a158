// What a step can match: a node, or the implicit core of a turn or head that has no core.
//
// The implicit core has no node of its own. It holds the container's blocks of offset 0 and is
// never part of a result.
//
// Thread safety: values.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "model/child_list.h"
#include "model/node.h"

namespace pactdb::select {

class Match {
 public:
  Match() = default;  // none; to be written over
  static Match Of(const Node& node) { return Match(reinterpret_cast<std::uintptr_t>(&node)); }
  static Match CoreOf(const Node& container) {
    return Match(reinterpret_cast<std::uintptr_t>(&container) | 1u);
  }
  // The node; of an implicit core, the container that has it.
  const Node& node() const {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): half the size of a pointer and a flag.
    return *reinterpret_cast<const Node*>(bits_ & ~std::uintptr_t{1});
  }
  bool is_core() const { return (bits_ & 1u) != 0; }
  NodeNumber parent() const { return is_core() ? node().number : node().parent; }
  std::uintptr_t bits() const { return bits_; }
  bool operator==(const Match&) const = default;

 private:
  explicit Match(std::uintptr_t bits) : bits_(bits) {}
  std::uintptr_t bits_ = 0;
};

struct MatchHash {
  std::size_t operator()(Match match) const {
    return std::hash<std::uintptr_t>()(match.bits() >> 3);
  }
};

// Matches of a step.
struct MatchSet {
  std::vector<Match> items;
  bool is_sorted = true;    // in the dialect's result order
  bool is_disjoint = true;  // none lies inside another
};

// True for a turn or head without a core.
inline bool HasImplicitCore(const Node& node) {
  if (!node.is_turn() && node.node_class() != NodeClass::kAh) return false;
  for (ChildCursor child(*node.AsContainer()); child.get() != nullptr; child.Next()) {
    if (child.get()->offset > 0) break;
    if (child.get()->is_core()) return false;
  }
  return true;
}

}  // namespace pactdb::select
