#include "model/order.h"

namespace pactdb {
namespace {

std::strong_ordering CompareIds(const Node& a, const Node& b, const Lexicon& lexicon) {
  if (a.number == b.number) return std::strong_ordering::equal;
  return lexicon.id(a.number) <=> lexicon.id(b.number);
}

std::int64_t CreatedNs(const Node& node) {
  return node.Has(Node::kListed) ? 0 : node.created_at_ns;
}

}  // namespace

std::strong_ordering CompareSiblings(const Node& a, const Node& b, const Lexicon& lexicon) {
  // Regions stand as ^sys, ^seq, ^ah, whatever headers an imported document gave them.
  if (a.is_fixed() && b.is_fixed()) return a.node_class() <=> b.node_class();
  const bool a_listed = a.Has(Node::kListed);
  const bool b_listed = b.Has(Node::kListed);
  if (a_listed || b_listed) {
    if (a_listed != b_listed)
      return a_listed ? std::strong_ordering::less : std::strong_ordering::greater;
    return a.created_at_ns <=> b.created_at_ns;
  }
  return CompareSiblingsLiteral(a, b, lexicon);
}

std::strong_ordering CompareSiblingsLiteral(const Node& a, const Node& b, const Lexicon& lexicon) {
  if (const auto by = a.offset <=> b.offset; by != 0) return by;
  if (const auto by = CreatedNs(a) <=> CreatedNs(b); by != 0) return by;
  if (const auto by = a.creation_index <=> b.creation_index; by != 0) return by;
  return CompareIds(a, b, lexicon);
}

std::strong_ordering ComparePruning(const Node& a, const Node& b, const Lexicon& lexicon) {
  if (const auto by = a.priority <=> b.priority; by != 0) return by;
  if (const auto by = CreatedNs(a) <=> CreatedNs(b); by != 0) return by;
  return CompareIds(a, b, lexicon);
}

}  // namespace pactdb
