#include "model/changes.h"

#include "model/difference.h"
#include "model/node_code.h"
#include "model/summary_walk.h"

namespace pactdb {
namespace {

// Of the ttl nodes that both snapshots share, those whose shown ttl stands at 0 in both.
std::uint32_t CountStanding(const WorkingTree& tree, const CommitRecord& record) {
  std::uint32_t standing = 0;
  const auto cycle = static_cast<std::uint64_t>(record.cycle);
  WalkWhere(
      *record.root, [cycle](const Summary& summary) { return summary.expiry_min <= cycle; },
      [&](const Node& node) {
        standing += node.expiry <= cycle && !tree.changes().Contains(node.number) ? 1 : 0;
      },
      node_code::HasTtl);
  return standing;
}

}  // namespace

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
    } else if (Differs(before->View(), *old, record.View(), *node)) {
      ++record.changed;
    }
  });
  const std::uint32_t ttl_nodes =
      child_list::Below(*record.root).ttl_nodes + (record.root->has_ttl() ? 1 : 0);
  if (ttl_nodes > compared_ttl_nodes)
    record.changed += ttl_nodes - compared_ttl_nodes - CountStanding(tree, record);
}

}  // namespace pactdb
