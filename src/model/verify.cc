#include "model/verify.h"

#include "base/clock.h"
#include "base/hash64.h"
#include "base/limits.h"
#include "model/node_code.h"
#include "model/order.h"
#include "model/tree_hash.h"

namespace pactdb {
namespace {

Digest Rehash(const Node& node, const Lexicon& lexicon) {
  std::vector<Attribute> attributes;
  if (node.body != nullptr)
    node.body->ForEach([&](const Attribute& attribute) { attributes.push_back(attribute); });
  return ContentHash(node.content(), attributes, lexicon.word_json(node.role),
                     lexicon.word_json(node.kind));
}

// Null if there is none, which is a problem of its own.
const Node* FirstOf(const Chunk& chunk) {
  const Chunk* at = &chunk;
  while (at->level > 0 && at->count > 0) at = at->slots()[0].chunk;
  return at->count > 0 ? at->slots()[0].node : nullptr;
}

}  // namespace

void Verifier::Report(const TreeView& view, const Node& node, std::string_view what) {
  problems_.push_back(where_ + " " + std::string(view.id(node)) + ": " + std::string(what));
}

void Verifier::Check(const TreeView& view, const std::string& where, NodeNumber sealed) {
  where_ = where;
  sealed_ = sealed;
  CheckRegions(view);
  if (view.root->parent != kNoNode) Report(view, *view.root, "the root has a parent");
  pending_ = {view.root};
  while (!pending_.empty()) {
    const Container* container = pending_.back();
    pending_.pop_back();
    CheckContainer(view, *container);
  }
}

void Verifier::CheckRegions(const TreeView& view) {
  int counts[3] = {0, 0, 0};
  for (ChildCursor child(*view.root); child.get() != nullptr; child.Next()) {
    const NodeClass node_class = child.get()->node_class();
    if (!child.get()->is_fixed() || node_class == NodeClass::kRoot) {
      Report(view, *child.get(), "only regions stand under the root");
    } else if (++counts[static_cast<int>(node_class) - 1] > 1) {
      Report(view, *child.get(), "a second region of its kind");
    }
  }
}

void Verifier::CheckContainer(const TreeView& view, const Container& container) {
  // A container shared with a snapshot checked before has the same children; only its place in the
  // index is new.
  if (!seen_.insert(&container).second) return;
  if (container.Has(Node::kStale)) Report(view, container, "its hash was never brought up to date");
  if (container.children != nullptr)
    CheckChunk(view, *container.children, container, /*is_top=*/true, /*is_last=*/true);
  if (HashContainer(container, *view.lexicon) != container.digest)
    Report(view, container, "its tree hash is wrong");
  CheckCores(view, container);
}

bool Verifier::IsCutRight(const Chunk& chunk, bool is_top, bool is_last) const {
  if (is_top && chunk.level > 0) {
    std::uint32_t below = 0;
    for (const Chunk::Slot& slot : chunk.view()) below += slot.chunk->count;
    if (below <= child_list::kTopSlotsMax || chunk.count == 1) return false;
  }
  if (is_top && chunk.count <= child_list::kTopSlotsMax) return true;
  for (std::uint32_t i = 0; i < chunk.count; ++i) {
    const bool is_end = i + 1 == chunk.count;
    const bool is_boundary = child_list::IsBoundary(*child_list::LastOf(chunk, i), chunk.level);
    if (is_boundary != is_end && !(is_end && is_last)) return false;
  }
  return true;
}

void Verifier::CheckOrder(const TreeView& view, const Node& before, const Node& node) {
  if (CompareSiblings(before, node, *view.lexicon) >= 0)
    Report(view, node, "it stands out of order among its siblings");
}

void Verifier::CheckEntry(const TreeView& view, const Chunk& chunk, std::uint32_t index,
                          const Container& container) {
  const Node& node = *chunk.slots()[index].node;
  const Container* holder = node.AsContainer();
  if (chunk.codes()[index] != node_code::Of(node, child_list::EntrySummary(node).ttl_nodes > 0))
    Report(view, node, "its code is wrong");
  if (chunk.keeps_lists && chunk.lists()[index] != (holder != nullptr ? holder->children : nullptr))
    Report(view, node, "its list stands wrong beside it");
  if (index > 0) CheckOrder(view, *chunk.slots()[index - 1].node, node);
  CheckNode(view, node, container);
  if (holder != nullptr) pending_.push_back(holder);
}

// Shape, summary and hash of the chunk and all chunks below it, and their entries. At most eight
// levels.
void Verifier::CheckChunk(const TreeView& view, const Chunk& chunk, const Container& container,
                          bool is_top, bool is_last) {
  static_assert(alignof(Chunk) >= 4);
  const std::uintptr_t key = reinterpret_cast<std::uintptr_t>(&chunk) |
                             static_cast<std::uintptr_t>((is_top ? 2 : 0) | (is_last ? 1 : 0));
  if (!seen_chunks_.insert(key).second) return;
  Summary summary;
  const Node* before = nullptr;  // the last entry of the chunk before
  for (std::uint32_t i = 0; i < chunk.count; ++i) {
    if (chunk.level == 0) {
      summary.Add(child_list::EntrySummary(*chunk.slots()[i].node));
      CheckEntry(view, chunk, i, container);
      continue;
    }
    const Chunk& below = *chunk.slots()[i].chunk;
    CheckChunk(view, below, container, /*is_top=*/false, i + 1 == chunk.count && is_last);
    const Node* first = FirstOf(below);
    if (before != nullptr && first != nullptr) CheckOrder(view, *before, *first);
    before = below.count > 0 ? child_list::LastOf(chunk, i) : nullptr;
    summary.Add(below.summary);
  }
  if (chunk.count == 0) Report(view, container, "its list of children has an empty chunk");
  if (!IsCutRight(chunk, is_top, is_last)) {
    Report(view, container, "its list of children is cut in the wrong place");
  }
  if (chunk.count > 0 && (chunk.last != child_list::LastOf(chunk, chunk.count - 1) ||
                          chunk.last_hint != OrderHint(*chunk.last))) {
    Report(view, container, "the end of a list of its children is wrong");
  }
  if (summary != chunk.summary) {
    Report(view, container, "a summary of its children is wrong");
  }
  if (HashChunk(chunk, *view.lexicon) != chunk.hash) {
    Report(view, container, "a hash of its children is wrong");
  }
}

// Imported turns come as they are; a turn that a commit made has exactly one core.
void Verifier::CheckCores(const TreeView& view, const Container& container) {
  if (container.number != sealed_) return;
  int cores = 0;
  for (ChildCursor child(container); child.get() != nullptr; child.Next())
    cores += child.get()->is_core() ? 1 : 0;
  if (cores != 1) Report(view, container, "a sealed turn has one core");
}

void Verifier::CheckNode(const TreeView& view, const Node& node, const Container& parent) {
  if (node.parent != parent.number) Report(view, node, "it does not know its parent");
  if (view.Find(node.number) != &node) Report(view, node, "the index does not find it");
  if (node.shape != static_cast<std::uint32_t>(ShapeHash(view.id(node))))
    Report(view, node, "its shape hash is wrong");
  if (Rehash(node, *view.lexicon) != node.content_hash())
    Report(view, node, "its content hash is wrong");
  if (node.Has(Node::kKeyed) != node.HasKey()) Report(view, node, "its key is not noted");
  const bool has_attributes = node.body != nullptr && node.body->attribute_count() > 0;
  if (node.Has(Node::kAttributed) != has_attributes)
    Report(view, node, "its attributes are not noted");
  if (node.has_ttl() && !node.Has(Node::kHasTtl)) Report(view, node, "it expires without a ttl");
  CheckPlacement(view, node, parent);
}

void Verifier::CheckPlacement(const TreeView& view, const Node& node, const Container& parent) {
  if (node.is_turn() != (parent.node_class() == NodeClass::kSeq))
    Report(view, node, "turns stand in ^seq, and only they");
  if (node.is_fixed() != (parent.node_class() == NodeClass::kRoot))
    Report(view, node, "regions stand under the root");
  const bool holds_core = parent.is_turn() || parent.node_class() == NodeClass::kAh;
  const bool is_core = holds_core && node.node_class() == NodeClass::kCont && node.offset == 0;
  if (is_core != node.is_core()) Report(view, node, "it is wrongly marked as a core");
}

}  // namespace pactdb
