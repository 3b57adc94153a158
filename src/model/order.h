// Sibling order.
//
// Children are kept sorted by (offset, created_at_ns, creation_index, id); missing values count as
// 0. The order is total, so equal trees print equal bytes. Every walk relies on it; nothing sorts a
// second time. Turns of an imported document that had no creation headers (kListed) stand before
// all others, in the order of their listing.
//
// Thread safety: pure functions.
#pragma once

#include <algorithm>
#include <compare>

#include "model/node.h"

namespace pactdb {

std::strong_ordering CompareSiblings(const Node& a, const Node& b, const Lexicon& lexicon);

// The literal comparator of the reference serializer, which knows no listing order.
std::strong_ordering CompareSiblingsLiteral(const Node& a, const Node& b, const Lexicon& lexicon);

// Pruning takes the lowest priority first, then the oldest, then the smallest id.
std::strong_ordering ComparePruning(const Node& a, const Node& b, const Lexicon& lexicon);

// A priority held to 32 bits; keeps the order but for what it holds alike at both ends.
inline std::int32_t ClampPriority(std::int64_t priority) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(priority, INT32_MIN, INT32_MAX));
}

}  // namespace pactdb
