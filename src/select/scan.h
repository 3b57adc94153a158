// Looking at many nodes: subtrees, all turns, the whole tree.
//
// This is the inner loop of selection. It tests nodes in the dialect's result order (turns newest
// first in the canonical dialect) and appends what passes, so nothing is sorted afterwards. Each
// turn and region is entered with its depth known.
//
// Thread safety: one scan, one thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/limits.h"
#include "model/turns_ahead.h"
#include "select/attribute.h"
#include "select/bind.h"
#include "select/code_filter.h"
#include "select/match.h"

namespace pactdb::select {

// What a query may still spend; shared by all its scans.
struct Budget {
  std::uint64_t visits_left;
  bool is_exceeded = false;

  bool Spend(std::uint64_t visits = 1) {
    if (visits_left < visits) {
      is_exceeded = true;
      return false;
    }
    visits_left -= visits;
    return true;
  }
};

class Scan {
 public:
  // Stops when `out` holds `stop_at` matches.
  Scan(const BoundStep& step, const Scope& scope, Budget& budget, MatchSet& out,
       std::size_t stop_at = SIZE_MAX)
      : step_(step),
        filter_(step),
        scope_(scope),
        budget_(budget),
        out_(out),
        // An implicit core is found out of order, and is not in the result at all.
        stop_at_(step.answers_to_core ? SIZE_MAX : stop_at) {}
  Scan(const Scan&) = delete;
  Scan& operator=(const Scan&) = delete;

  // Everything below the root or ^seq. With depths in the step, only turns and regions of those
  // depths are entered.
  void BelowRoot();
  void BelowSeq();
  // The turns of ^seq and no deeper.
  void Turns();
  // The matches themselves, if `with_self`, and what lies below them. REQUIRES: sorted.
  void Below(const MatchSet& tops, bool with_self);
  // Children. The result is sorted and disjoint if `tops` is.
  void Children(const MatchSet& tops);
  // Only the matches themselves.
  void Selves(const MatchSet& tops);
  void One(const Node& node);
  // The root, which holds whatever else will match.
  void Root();

 private:
  struct Frame {
    const Chunk* chunk;
    std::uint32_t next;  // how many entries are done
  };
  // Lists nest no deeper than the tree, and a list has at most nine levels of chunks.
  static constexpr std::size_t kFramesMax = 9 * (limits::kTreeDepthMax + 2);

  bool is_done() const { return budget_.is_exceeded || out_.items.size() >= stop_at_; }
  // The codes decide, and nothing is to be kept track of.
  bool is_plain() const {
    return filter_.is_block_mask() && swallowed_.empty() && stop_at_ == SIZE_MAX;
  }
  bool newest_first() const { return scope_.dialect == Dialect::kCanonical; }
  void Test(const Node& node);
  void Take(const Node& node);
  void OfferCore(const Node& container);
  void EnterStem(const Node& stem, std::optional<std::int64_t> depth, bool with_self);
  void Subtree(const Chunk* list);
  const Chunk* Entries(Frame& frame);
  const Chunk* PlainEntries(Frame& frame);
  bool Fits(std::uint32_t code, const Node& node) const;
  void CountSwallowed(const Node& node);
  void Region(NodeClass region, std::int64_t depth);
  void Window();
  void Runs(TurnsAhead& turns, std::int64_t depth);
  void CoreBlocks(const Node& container);
  void ChildrenOf(const Node& top);
  bool WantsDepth(std::int64_t depth) const {
    return !step_.depths || step_.depths->Contains(depth);
  }

  const BoundStep& step_;
  CodeFilter filter_;
  Scope scope_;
  Budget& budget_;
  MatchSet& out_;
  std::size_t stop_at_;
  std::array<Frame, kFramesMax> stack_;  // what is left to do above the current list
  std::size_t level_ = 0;                // of the stack
  std::size_t inside_ = SIZE_MAX;        // level of the outermost match being walked
  std::span<const Match> swallowed_;     // tops that the walk may meet below an earlier one
  std::size_t swallowed_count_ = 0;
};

}  // namespace pactdb::select
