#include "model/changes.h"

#include <optional>
#include <string>

#include "model/summary_walk.h"

namespace pactdb {
namespace {

bool SameBodies(const Node& a, const Node& b) {
  if (a.body == b.body) return true;
  if (a.content_hash() != b.content_hash() || a.content().has_value() != b.content().has_value())
    return false;
  // Attributes outside the content hash.
  const auto texts = [](const Node& node) {
    std::string text;
    if (node.body == nullptr) return text;
    node.body->ForEach([&text](const Attribute& attribute) {
      if (attribute.value == "null") return;  // absent and null are the same to a diff
      text.append(attribute.name).append("=").append(attribute.value).append("\n");
    });
    return text;
  };
  return texts(a) == texts(b);
}

// Of the ttl nodes that both snapshots share, those whose shown ttl stands at 0 in both.
std::uint32_t CountStanding(const WorkingTree& tree, const CommitRecord& record) {
  std::uint32_t standing = 0;
  const auto cycle = static_cast<std::uint64_t>(record.cycle);
  WalkWhere(
      *record.root, [cycle](const Summary& summary) { return summary.expiry_min <= cycle; },
      [&](const Node& node) {
        standing += node.expiry <= cycle && !tree.changes().Contains(node.number) ? 1 : 0;
      });
  return standing;
}

std::optional<std::int64_t> Shown(const Node& node, const CommitRecord& record) {
  if (!node.has_ttl()) return std::nullopt;
  return ShownTtl(node, record.cycle + 1);
}

}  // namespace

bool Differs(const Node& a, const Node& b) {
  // A header that is there differs from one that is not, whatever its value.
  constexpr std::uint32_t kCounted = Node::kHasOffset | Node::kHasPriority | Node::kHasCycle |
                                     Node::kHasCreatedNs | Node::kHasCreatedIso |
                                     Node::kHasCreationIndex | Node::kHasRemovable |
                                     Node::kRemovable | Node::kPinned;
  return a.parent != b.parent || a.type != b.type || a.role != b.role || a.kind != b.kind ||
         a.offset != b.offset || a.priority != b.priority || a.cycle != b.cycle ||
         a.created_at_ns != b.created_at_ns || a.creation_index != b.creation_index ||
         (a.flags & kCounted) != (b.flags & kCounted) || !SameBodies(a, b);
}

void CountChanges(const WorkingTree& tree, const CommitRecord* before, CommitRecord& record) {
  // Nodes in the table of changes are compared one by one. The rest is shared by both snapshots,
  // and of that only shown ttls differ: all but those that stand at 0.
  std::uint32_t compared_ttl_nodes = 0;
  tree.changes().ForEach([&](NodeNumber number, const Node* node) {
    const Node* old = before == nullptr ? nullptr : before->Find(number);
    if (node != nullptr && node->has_ttl()) ++compared_ttl_nodes;
    if (node == nullptr) {
      record.removed += old != nullptr && !old->is_fixed() ? 1 : 0;
    } else if (old == nullptr) {
      record.added += node->is_fixed() ? 0 : 1;
    } else if (Differs(*node, *old) || Shown(*node, record) != Shown(*old, *before)) {
      ++record.changed;
    }
  });
  const std::uint32_t ttl_nodes =
      child_list::Below(*record.root).ttl_nodes + (record.root->has_ttl() ? 1 : 0);
  if (ttl_nodes > compared_ttl_nodes)
    record.changed += ttl_nodes - compared_ttl_nodes - CountStanding(tree, record);
}

}  // namespace pactdb
