// Ranges of snapshots, and what a selector's matches did between them: RangeDiffLatestResult.
//
// Thread safety: one writer of answers, one thread.
#pragma once

#include <pactdb/context.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/number_map.h"
#include "diff/content_diff.h"
#include "engine/selection.h"
#include "model/history.h"
#include "select/select.h"
#include "text/json_out.h"

namespace pactdb {

// A snapshot as the range counts it: @t-1 or @c7.
struct SnapshotRef {
  const CommitRecord* record;
  char kind;
  std::int64_t value;

  std::string Label() const { return std::string("@") + kind + std::to_string(value); }
};

struct RangeScope {
  std::vector<SnapshotRef> snapshots;  // newest first
  std::vector<std::string> warnings;
  bool is_cut = false;  // to the newest `max_snapshots`
};

// The snapshots between the two ends, both included; what lies outside the history is warned about.
// REQUIRES: the history is not empty. Errors: those of a store.
Result<RangeScope> ExpandRange(const History& history, const select::Time& time,
                               std::optional<std::int64_t> max_snapshots);

// kRequestInvalid for a mode or a field that does not exist, or a negative number.
Status CheckRangeOptions(const RangeOptions& options);

// Writes one answer.
class RangeWriter {
 public:
  // REQUIRES: CheckRangeOptions; all outlive the writer.
  RangeWriter(const RangeScope& scope, const Selector& selector, const Selector* where,
              const RangeOptions& options);

  // Errors: those of select::MatchNodes.
  Result<std::string> Write();

 private:
  Status WriteBlocks();
  Status WriteBlock(const SnapshotRef& newer, const SnapshotRef& older);
  // Takes out what a newer block has reported.
  void DropReported(TreeDiff& diff);
  void WriteChanged(const NodeChange& change, const SnapshotRef& newer, const SnapshotRef& older);
  void WriteMaterialized(const NodeChange& change, const TreeView& newer, const TreeView& older);
  void WriteEnd();
  // How many of `count` changes the block still takes.
  std::size_t Take(std::size_t count);

  const RangeScope& scope_;
  const Selector& selector_;
  const RangeOptions& options_;
  Selection selection_;
  diff::ContentDiffs contents_;
  NumberMap<const Node*> reported_;
  std::size_t room_ = 0;  // changes the block may still list
  bool is_truncated_ = false;
  JsonOut out_;
};

}  // namespace pactdb
