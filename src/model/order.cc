#include "model/order.h"

namespace pactdb {
namespace {

struct Sibling {
  const Node& node;
  const Lexicon& lexicon;
};

std::strong_ordering CompareIds(const Sibling& a, const Sibling& b) {
  if (a.node.number == b.node.number && &a.lexicon == &b.lexicon)
    return std::strong_ordering::equal;
  return a.lexicon.id(a.node.number) <=> b.lexicon.id(b.node.number);
}

std::int64_t CreatedNs(const Node& node) {
  return node.Has(Node::kListed) ? 0 : node.created_at_ns;
}

std::strong_ordering CompareLiteral(const Sibling& left, const Sibling& right) {
  const Node& a = left.node;
  const Node& b = right.node;
  if (const auto by = a.offset <=> b.offset; by != 0) return by;
  if (const auto by = CreatedNs(a) <=> CreatedNs(b); by != 0) return by;
  if (const auto by = a.creation_index <=> b.creation_index; by != 0) return by;
  return CompareIds(left, right);
}

}  // namespace

std::strong_ordering CompareSiblings(const Node& a, const Node& b, const Lexicon& lexicon) {
  return CompareSiblings(a, lexicon, b, lexicon);
}

std::strong_ordering CompareSiblings(const Node& a, const Lexicon& a_lexicon, const Node& b,
                                     const Lexicon& b_lexicon) {
  // Regions stand as ^sys, ^seq, ^ah, whatever headers an imported document gave them.
  if (a.is_fixed() && b.is_fixed()) return a.node_class() <=> b.node_class();
  const bool a_listed = a.Has(Node::kListed);
  const bool b_listed = b.Has(Node::kListed);
  if (a_listed || b_listed) {
    if (a_listed != b_listed)
      return a_listed ? std::strong_ordering::less : std::strong_ordering::greater;
    return a.created_at_ns <=> b.created_at_ns;
  }
  return CompareLiteral({a, a_lexicon}, {b, b_lexicon});
}

std::strong_ordering CompareSiblingsLiteral(const Node& a, const Node& b, const Lexicon& lexicon) {
  return CompareLiteral({a, lexicon}, {b, lexicon});
}

std::strong_ordering ComparePruning(const Node& a, const Node& b, const Lexicon& lexicon) {
  if (const auto by = a.priority <=> b.priority; by != 0) return by;
  if (const auto by = CreatedNs(a) <=> CreatedNs(b); by != 0) return by;
  return CompareIds({a, lexicon}, {b, lexicon});
}

}  // namespace pactdb
