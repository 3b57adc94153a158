#include "model/far_nodes.h"

#include "base/limits.h"
#include "model/child_list.h"

namespace pactdb {
namespace {

bool Holds(const Node& parent, const Node& child, const Lexicon& lexicon) {
  const Container* container = parent.AsContainer();
  return container != nullptr && container->children != nullptr &&
         child_list::Find(container->children, child, lexicon) == &child;
}

}  // namespace

bool FarNodes::Add(const Node& node) {
  if (own_.Contains(node.number)) return false;
  own_.Set(node.number, &node);
  return true;
}

const Node* FarNodes::Find(NodeNumber number) const {
  if (const auto* own = own_.Find(number)) return own->value;
  const Node* const node = base_->Find(number);
  const Node* at = node;
  // The root is never shared, so that the way ends there at the latest; in a file that was made on
  // purpose it may not lead there.
  for (std::size_t steps = 0; at != nullptr && steps <= limits::kTreeDepthMax + 1; ++steps) {
    if (at->parent == kNoNode) return nullptr;
    if (const auto* parent = own_.Find(at->parent))
      return Holds(*parent->value, *at, lexicon_) ? node : nullptr;
    at = base_->Find(at->parent);
  }
  return nullptr;
}

}  // namespace pactdb
