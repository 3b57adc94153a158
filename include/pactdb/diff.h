// Differences between snapshots.
//
//   SnapshotDiff diff = Diff(context.At("@t-1").value(), context.At("@t0").value());
//   for (const NodeView& node : diff.added) use(node.id());
//
// A node is the same node in two snapshots of one context if it has the same id. It has changed if
// a field shows another value, a running ttl included; a move is a change of `parent`. A node does
// not change because of what lies below it.
//
// Thread safety: pure functions; snapshots may be compared from any thread.
#pragma once

#include <pactdb/error.h>
#include <pactdb/options.h>
#include <pactdb/snapshot.h>

#include <string>
#include <string_view>
#include <vector>

namespace pactdb {

struct ChangedNode {
  NodeView before;
  NodeView after;
  // nodeType, offset, ttl, priority, cycle, created_at_ns, created_at_iso, creation_index, role,
  // kind, parent, content_hash (which stands for the content), then the others by name.
  std::vector<std::string> fields;
};

// Valid while both snapshots are held.
struct SnapshotDiff {
  std::vector<NodeView> added;       // in `to` only, in its order
  std::vector<NodeView> removed;     // in `from` only, in its order
  std::vector<ChangedNode> changed;  // in the order of the newer of the two
};

// The order of a snapshot is the dialect's result order: depth first, turns newest first in the
// canonical dialect and oldest first in the others. Costs what changed, not what there is. Of two
// contexts only the fixed containers are the same.
SnapshotDiff Diff(const Snapshot& from, const Snapshot& to, Dialect dialect = Dialect::kCanonical);

// Applies a detailed diff (DiffOptions::detail, without a selector) to the tree it starts from:
// both as JSON, as Context::Tree gives the tree. The result is the tree at the other end, but for
// attributes that are null, which a diff takes for absent, and for the order of imported turns that
// carry no stamps, which no field holds. Errors: kRequestInvalid for texts that are no such
// documents, or that do not fit each other.
Result<std::string> ApplyDiff(std::string_view tree, std::string_view diff);

}  // namespace pactdb
