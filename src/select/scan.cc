#include "select/scan.h"

#include <algorithm>

namespace pactdb::select {
namespace {

// REQUIRES: a container. Does not look at the node to see that it is one.
const Chunk* ChildrenOfContainer(const Node& node) {
  return static_cast<const Container&>(node).children;
}

}  // namespace

void Scan::Test(const Node& node) {
  if ((step_.classes & MaskOf(node.node_class())) == 0) return;
  if (!Passes(step_, node, scope_)) return;
  Take(node);
}

void Scan::Take(const Node& node) {
  out_.items.push_back(Match::Of(node));
  if (inside_ != SIZE_MAX) {
    out_.is_disjoint = false;
  } else {
    inside_ = level_;
  }
}

// The implicit core stands among the children, but is offered with its container: the set is then
// sorted before order matters.
void Scan::OfferCore(const Node& container) {
  if (!step_.answers_to_core || !HasImplicitCore(container)) return;
  const Match core = Match::CoreOf(container);
  if (!Passes(step_, core, scope_)) return;
  out_.items.push_back(core);
  out_.is_sorted = false;
  out_.is_disjoint = false;
}

void Scan::One(const Node& node) {
  if (!budget_.Spend()) return;
  Test(node);
  inside_ = SIZE_MAX;
}

void Scan::Root() {
  const std::size_t before = out_.items.size();
  One(*scope_.view->root);
  if (out_.items.size() > before) out_.is_disjoint = false;
}

// All nodes of the list and below, depth first. One stack serves the chunks of child lists and the
// levels of the tree alike. Turns are met only in the lists of ^seq and the root, which go other
// ways.
void Scan::Subtree(const Chunk* list) {
  if (list == nullptr) return;
  Frame frame = {list, 0};
  level_ = 1;  // level 0 is what holds the list
  const bool plain = is_plain();
  while (!is_done()) {
    if (frame.next == frame.chunk->count) {
      if (--level_ == 0) return;
      frame = stack_[level_];
      continue;
    }
    const Chunk* below = nullptr;
    if (frame.chunk->level > 0) {
      below = frame.chunk->slots()[frame.next++].chunk;
    } else {
      below = plain ? PlainEntries(frame) : Entries(frame);
    }
    if (below == nullptr) continue;
    stack_[level_++] = frame;
    frame = {below, 0};
  }
  level_ = 0;
}

// Tests entries up to the first that holds something, and gives its list. The code decides most
// nodes; a block that it turns down is never read.
const Chunk* Scan::Entries(Frame& frame) {
  const Chunk& chunk = *frame.chunk;
  const std::uint32_t* codes = chunk.codes();
  const std::uint32_t first = frame.next;
  const Chunk* below = nullptr;
  if (inside_ != SIZE_MAX && level_ <= inside_) inside_ = SIZE_MAX;
  while (frame.next < chunk.count && below == nullptr && out_.items.size() < stop_at_) {
    const std::uint32_t code = codes[frame.next];
    const Node& node = *chunk.slots()[frame.next++].node;
    if (!swallowed_.empty()) CountSwallowed(node);
    if (Fits(code, node)) Take(node);
    if (node_code::Class(code) != NodeClass::kBlock) below = ChildrenOfContainer(node);
    // What holds nothing has nothing inside it.
    if (below == nullptr && inside_ == level_) inside_ = SIZE_MAX;
  }
  budget_.Spend(frame.next - first);
  return below;
}

// The same where the codes decide and only blocks can match: a match holds nothing, so there is
// nothing to keep track of, and whether a block matches is a number to add and not a branch to
// guess.
const Chunk* Scan::PlainEntries(Frame& frame) {
  constexpr std::uint32_t kSlice = 32;
  const Chunk& chunk = *frame.chunk;
  const std::uint32_t first = frame.next;
  const std::uint32_t end = std::min(chunk.count, first + kSlice);
  const std::uint32_t* codes = chunk.codes();
  const Chunk::Slot* slots = chunk.slots();
  const Node* found[kSlice];
  std::uint32_t size = 0;
  const Chunk* below = nullptr;
  std::uint32_t next = first;
  while (next < end && below == nullptr) {
    const std::uint32_t code = codes[next];
    const Node* node = slots[next++].node;
    found[size] = node;
    size += filter_.PassesMask(code) ? 1 : 0;
    if (node_code::Class(code) != NodeClass::kBlock) below = ChildrenOfContainer(*node);
  }
  frame.next = next;
  for (std::uint32_t i = 0; i < size; ++i) out_.items.push_back(Match::Of(*found[i]));
  budget_.Spend(next - first);
  return below;
}

bool Scan::Fits(std::uint32_t code, const Node& node) const {
  if (filter_.is_mask()) return filter_.PassesMask(code);
  const CodeFilter::Verdict verdict = filter_.Test(code);
  if (verdict != CodeFilter::Verdict::kLook) return verdict == CodeFilter::Verdict::kYes;
  return Passes(step_, node, scope_);
}

void Scan::CountSwallowed(const Node& node) {
  if (swallowed_count_ < swallowed_.size() && swallowed_[swallowed_count_] == Match::Of(node)) {
    ++swallowed_count_;
  }
}

// A turn or region whose depth is known, and all below it.
void Scan::EnterStem(const Node& stem, std::optional<std::int64_t> depth, bool with_self) {
  if (is_done()) return;
  scope_.knows_depth = true;
  scope_.known_depth = depth;
  inside_ = SIZE_MAX;
  // In a large tree reading a turn that cannot match is half the cost of its blocks.
  if (with_self && budget_.Spend() && (step_.classes & (kStemClasses | kFixedClasses)) != 0)
    Test(stem);
  OfferCore(stem);
  // A match of the stem itself holds everything below: level 0 of the stack.
  if ((step_.classes & ~kStemClasses & ~kFixedClasses) != 0) Subtree(ChildrenOfContainer(stem));
  inside_ = SIZE_MAX;
  scope_.knows_depth = false;
}

void Scan::Region(NodeClass region, std::int64_t depth) {
  const Container* container = scope_.view->Region(region);
  if (container == nullptr) return;
  const bool is_addressed = scope_.dialect != Dialect::kClassic;
  if (step_.depths && (!is_addressed || !WantsDepth(depth))) return;
  EnterStem(*container, depth, true);
}

// Turns of the wanted depths, reached by their rank.
void Scan::Window() {
  const Container* seq = scope_.view->Region(NodeClass::kSeq);
  if (seq == nullptr) return;
  const auto count = static_cast<std::int64_t>(child_list::Size(seq->children));
  const auto visit = [&](std::int64_t depth) {
    const auto rank = static_cast<std::size_t>(count - depth);
    EnterStem(*child_list::At(seq->children, rank), depth, true);
  };
  const auto& intervals = step_.depths->intervals();
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    const auto& interval = newest_first() ? intervals[i] : intervals[intervals.size() - 1 - i];
    const std::int64_t first = std::max<std::int64_t>(interval.first, 1);
    const std::int64_t last = std::min(interval.last, count);
    for (std::int64_t step = 0; step <= last - first && !is_done(); ++step) {
      visit(newest_first() ? first + step : last - step);
    }
  }
}

void Scan::BelowSeq() {
  if (step_.depths) return Window();
  const Container* seq = scope_.view->Region(NodeClass::kSeq);
  if (seq == nullptr) return;
  const auto count = static_cast<std::int64_t>(child_list::Size(seq->children));
  std::int64_t depth = newest_first() ? 1 : count;
  TurnsAhead turns(*seq, newest_first());
  const bool are_runs = filter_.is_mask() && swallowed_.empty() && stop_at_ == SIZE_MAX &&
                        !step_.answers_to_core && (step_.classes & MaskOf(NodeClass::kBlock)) != 0;
  if (are_runs) return Runs(turns, depth);
  while (!is_done()) {
    const Node* turn = turns.Next().turn;
    if (turn == nullptr) return;
    EnterStem(*turn, depth, true);
    depth += newest_first() ? 1 : -1;
  }
}

// The commonest scan of all: the codes decide, and a turn holds its core alone, neither of which
// matches, and that nothing but blocks. What is found is written in one go.
void Scan::Runs(TurnsAhead& turns, std::int64_t depth) {
  constexpr auto kBlock = static_cast<std::uint32_t>(NodeClass::kBlock);
  constexpr std::uint32_t kRunMax = 64;
  constexpr std::size_t kFoundMax = 512;
  std::array<Match, kFoundMax> found;
  std::size_t size = 0;
  std::uint64_t visits = 0;
  const auto flush = [&] {
    out_.items.insert(out_.items.end(), found.begin(),
                      found.begin() + static_cast<std::ptrdiff_t>(size));
    budget_.Spend(visits);
    size = visits = 0;
  };
  const CodeFilter filter = filter_;
  const std::int64_t step = newest_first() ? 1 : -1;
  for (auto item = turns.Next(); item.turn != nullptr; item = turns.Next(), depth += step) {
    const Chunk* run = item.core_list;
    std::size_t end = size;
    const bool is_run = run != nullptr && run->level == 0 && run->count <= kRunMax &&
                        !filter.PassesMask(item.code) && !filter.PassesMask(item.core_code);
    std::uint32_t others = is_run ? 0 : 1;
    const std::uint32_t count = others == 0 ? run->count : 0;
    const std::uint32_t* codes = count > 0 ? run->codes() : nullptr;
    for (std::uint32_t i = 0; i < count; ++i) {
      found[end] = Match::Of(*run->slots()[i].node);
      end += filter.PassesMask(codes[i]) ? 1 : 0;
      others |= (codes[i] & node_code::kClassMask) ^ kBlock;
    }
    if (others == 0) {
      size = end;
      visits += 2 + count;
    } else {
      flush();
      EnterStem(*item.turn, depth, true);
    }
    if (size > kFoundMax - kRunMax) flush();
    if (is_done()) return;
  }
  flush();
}

void Scan::BelowRoot() {
  Region(NodeClass::kSys, -1);
  const Container* seq = scope_.view->Region(NodeClass::kSeq);
  if (seq != nullptr && !step_.depths && !is_done()) {
    const std::size_t before = out_.items.size();
    One(*seq);
    // ^seq itself among the matches holds every turn's.
    if (out_.items.size() > before) out_.is_disjoint = false;
  }
  BelowSeq();
  Region(NodeClass::kAh, 0);
}

void Scan::Turns() {
  BelowSeq();
}

void Scan::CoreBlocks(const Node& container) {
  for (ChildCursor child(*container.AsContainer()); child.get() != nullptr; child.Next()) {
    if (child.get()->offset > 0) return;
    if (child.get()->offset == 0 && child.get()->is_block()) One(*child.get());
  }
}

void Scan::Below(const MatchSet& tops, bool with_self) {
  swallowed_ = tops.is_disjoint ? std::span<const Match>() : std::span(tops.items);
  for (std::size_t i = 0; i < tops.items.size() && !is_done(); ++i) {
    if (!swallowed_.empty()) {
      if (i < swallowed_count_) continue;
      swallowed_count_ = i + 1;
    }
    const Match top = tops.items[i];
    const NodeClass node_class = top.node().node_class();
    if (top.is_core()) {
      if (with_self && Passes(step_, top, scope_)) out_.items.push_back(top);
      CoreBlocks(top.node());
    } else if (node_class == NodeClass::kRoot || node_class == NodeClass::kSeq) {
      if (with_self) One(top.node());
      if (node_class == NodeClass::kRoot) {
        BelowRoot();
      } else {
        BelowSeq();
      }
      if (with_self) out_.is_disjoint = false;
      // They hold all that follows: the root everything, ^seq all turns and what is in them.
      while (swallowed_count_ < swallowed_.size() &&
             (node_class == NodeClass::kRoot ||
              (swallowed_[swallowed_count_].node().node_class() != NodeClass::kAh &&
               scope_.view->Stem(swallowed_[swallowed_count_].node())->is_turn()))) {
        ++swallowed_count_;
      }
    } else {
      scope_.knows_depth = step_.needs_depth;
      scope_.known_depth = step_.needs_depth ? scope_.view->Depth(top.node()) : std::nullopt;
      inside_ = SIZE_MAX;
      if (with_self && budget_.Spend()) Test(top.node());
      OfferCore(top.node());
      if (!top.node().is_block()) Subtree(ChildrenOfContainer(top.node()));
      inside_ = SIZE_MAX;
      scope_.knows_depth = false;
    }
  }
}

void Scan::ChildrenOf(const Node& top) {
  const Container* container = top.AsContainer();
  if (container == nullptr) return;
  OfferCore(top);
  const bool backwards = newest_first() && top.node_class() == NodeClass::kSeq;
  for (ChildCursor child(*container, backwards); child.get() != nullptr && !is_done();
       child.Next()) {
    One(*child.get());
  }
}

void Scan::Children(const MatchSet& tops) {
  out_.is_sorted = tops.is_sorted && tops.is_disjoint;
  out_.is_disjoint = tops.is_disjoint;
  if (!out_.is_sorted) stop_at_ = SIZE_MAX;  // the first ones may still come last
  for (const Match top : tops.items) {
    if (is_done()) return;
    if (top.is_core()) {
      CoreBlocks(top.node());
      continue;
    }
    const bool is_windowed = top.node().node_class() == NodeClass::kSeq && step_.depths &&
                             (step_.classes & ~kStemClasses) == 0;
    if (is_windowed) {
      Window();
    } else {
      ChildrenOf(top.node());
    }
  }
}

void Scan::Selves(const MatchSet& tops) {
  out_.is_sorted = tops.is_sorted;
  out_.is_disjoint = tops.is_disjoint;
  for (const Match top : tops.items) {
    if (is_done() || !budget_.Spend()) return;
    if (Passes(step_, top, scope_)) out_.items.push_back(top);
  }
}

}  // namespace pactdb::select
