#include <pactdb/diff.h>

#include "diff/tree_diff.h"
#include "model/history.h"

namespace pactdb {

SnapshotDiff Diff(const Snapshot& from, const Snapshot& to, Dialect dialect) {
  const CommitRecord& before = from.record();
  const CommitRecord& after = to.record();
  const TreeView before_view = before.View();
  const TreeView after_view = after.View();
  const TreeDiff found = Compare(before_view, after_view, TurnOrderOf(dialect));
  SnapshotDiff diff;
  diff.added.reserve(found.added.size());
  diff.removed.reserve(found.removed.size());
  diff.changed.reserve(found.changed.size());
  for (const Node* node : found.added) diff.added.emplace_back(node, &after);
  for (const Node* node : found.removed) diff.removed.emplace_back(node, &before);
  for (const NodeChange& change : found.changed) {
    diff.changed.push_back({NodeView(change.before, &before), NodeView(change.after, &after),
                            ChangedFields(change, before_view, after_view)});
  }
  return diff;
}

}  // namespace pactdb
