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
#include <cstdint>

#include "model/node.h"

namespace pactdb {

std::strong_ordering CompareSiblings(const Node& a, const Node& b, const Lexicon& lexicon);
// Of nodes of two contexts.
std::strong_ordering CompareSiblings(const Node& a, const Lexicon& a_lexicon, const Node& b,
                                     const Lexicon& b_lexicon);

// Most siblings are told apart by one number: their time, if they stand at offset 0. Two hints that
// differ and are not kNoHint say what CompareSiblings says.
inline constexpr std::int64_t kNoHint = INT64_MIN;
inline std::int64_t OrderHint(const Node& node) {
  const bool is_plain = !node.is_fixed() && !node.Has(Node::kListed) && node.offset == 0;
  return is_plain ? node.created_at_ns : kNoHint;
}

// The literal comparator of the reference serializer, which knows no listing order.
std::strong_ordering CompareSiblingsLiteral(const Node& a, const Node& b, const Lexicon& lexicon);

// Pruning takes the lowest priority first, then the oldest, then the smallest id.
std::strong_ordering ComparePruning(const Node& a, const Node& b, const Lexicon& lexicon);

// A priority held to 32 bits; keeps the order but for what it holds alike at both ends.
inline std::int32_t ClampPriority(std::int64_t priority) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(priority, INT32_MIN, INT32_MAX));
}

}  // namespace pactdb
