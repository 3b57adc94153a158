#include "diff/comparer.h"

#include <algorithm>

#include "model/difference.h"
#include "model/order.h"

namespace pactdb {
namespace {

// Tasks that are done before the next are looked at: enough to have many loads under way, few
// enough that what was asked for is still in the cache.
constexpr std::size_t kBatch = 64;
// Slots of a run that are asked for ahead.
constexpr std::size_t kAhead = 16;

void PrefetchChunk(const Chunk* chunk) {
  // The head, and the slots of a chunk of the usual size behind it.
  const char* at = reinterpret_cast<const char*>(chunk);
  for (std::size_t line = 0; line < 4; ++line) __builtin_prefetch(at + 64 * line);
}

void PrefetchNode(const Node* node) {
  const char* at = reinterpret_cast<const char*>(node);
  __builtin_prefetch(at);
  __builtin_prefetch(at + sizeof(Node) - 1);
}

void PrefetchSlots(Slots slots, bool are_nodes) {
  for (const Chunk::Slot slot : slots.first(std::min(slots.size(), kAhead))) {
    are_nodes ? PrefetchNode(slot.node) : PrefetchChunk(slot.chunk);
  }
}

const Chunk* ChildrenOf(const Node* node) {
  const Container* container = node == nullptr ? nullptr : node->AsContainer();
  return container == nullptr ? nullptr : container->children;
}

// Strangers have their fixed containers in common.
const Node* FixedLike(const Node& node, const TreeView& other) {
  if (!node.is_fixed()) return nullptr;
  return node.node_class() == NodeClass::kRoot ? other.root : other.Region(node.node_class());
}

}  // namespace

Comparer::Comparer(const TreeView& from, const TreeView& to, TurnOrder turns,
                   const std::optional<CommonPast>& common)
    : from_(from),
      to_(to),
      kinship_(from, to, common),
      turns_(turns),
      newer_(IsFromNewer(from, to) ? kFrom : kTo),
      ttls_run_(from.now != to.now && child_list::Below(*to.root).ttl_nodes > 0) {}

TreeDiff Comparer::Run() {
  Start();
  while (front_ != kNone) {
    Drain();
    RunBatch();
  }
  return std::move(diff_);
}

void Comparer::Start() {
  // Room for a small diff, so that it need not grow step by step; buffer_ has the size for it.
  items_.reserve(2 * kBatch);
  tasks_.reserve(kBatch);
  batch_.reserve(kBatch);
  made_.reserve(kBatch);
  diff_.changed.reserve(kBatch / 4);
  diff_.added.reserve(kBatch / 4);
  if (turns_ == TurnOrder::kNewestFirst) turn_starts_.reserve(kBatch / 4);
  // The roots are like any nodes, but for a list that they would stand in.
  items_.emplace_back();
  front_ = own_ = tail_ = 0;
  if (kinship_.are_related() && IsSame(*from_.root, *to_.root)) {
    Meet(*from_.root, *to_.root, kBoth);
  } else {
    Leave(*from_.root);
    Arrive(*to_.root);
  }
  tasks_.assign(made_.rbegin(), made_.rend());
}

void Comparer::Drain() {
  while (front_ != kNone && !items_[front_].is_task()) {
    const std::uint32_t place = front_;
    Report(items_[place]);
    front_ = items_[place].next;
    items_[place].next = free_;
    free_ = place;
  }
}

void Comparer::Report(const Item& item) {
  switch (item.kind) {
    case Kind::kAdded:
      return diff_.added.push_back(item.after());
    case Kind::kRemoved:
      return diff_.removed.push_back(item.before());
    case Kind::kChanged:
      return diff_.changed.push_back({item.before(), item.after()});
    case Kind::kTurn:
      return turn_starts_.push_back(
          {diff_.added.size(), diff_.removed.size(), diff_.changed.size()});
    case Kind::kSeqEnd:
      return ReverseTurns();
    case Kind::kLists:
    case Kind::kChunks:
    case Kind::kNodes:
    case Kind::kLookup:
    case Kind::kNothing:
      return;
  }
}

// Turns come oldest first; this lists them newest first, each as it is.
void Comparer::ReverseTurns() {
  const auto reverse = [this](auto& items, std::size_t TurnStart::* start) {
    const auto at = [&items](std::size_t i) {
      return items.begin() + static_cast<std::ptrdiff_t>(i);
    };
    for (std::size_t i = 0; i < turn_starts_.size(); ++i) {
      const bool is_last = i + 1 == turn_starts_.size();
      std::reverse(at(turn_starts_[i].*start),
                   is_last ? items.end() : at(turn_starts_[i + 1].*start));
    }
    if (!turn_starts_.empty()) std::reverse(at(turn_starts_[0].*start), items.end());
  };
  reverse(diff_.added, &TurnStart::added);
  reverse(diff_.removed, &TurnStart::removed);
  reverse(diff_.changed, &TurnStart::changed);
  turn_starts_.clear();
}

void Comparer::RunBatch() {
  const std::size_t count = std::min(tasks_.size(), kBatch);
  batch_.assign(tasks_.rbegin(), tasks_.rbegin() + static_cast<std::ptrdiff_t>(count));
  tasks_.resize(tasks_.size() - count);
  made_.clear();
  for (const std::uint32_t place : batch_) {
    const Item task = items_[place];
    items_[place].kind = Kind::kNothing;
    own_ = tail_ = place;
    Do(task);
  }
  tasks_.insert(tasks_.end(), made_.rbegin(), made_.rend());
}

Comparer::Item& Comparer::Put(Kind kind, Sides sides, const void* from, const void* to) {
  std::uint32_t place = own_;
  if (own_ != kNone) {
    own_ = kNone;
  } else {
    place = free_;
    if (free_ != kNone) {
      free_ = items_[free_].next;
    } else {
      place = static_cast<std::uint32_t>(items_.size());
      items_.emplace_back();
    }
    items_[place].next = items_[tail_].next;
    items_[tail_].next = place;
  }
  tail_ = place;
  Item& item = items_[place];
  item.kind = kind;
  item.sides = sides;
  item.from = from;
  item.to = to;
  if (item.is_task()) made_.push_back(place);
  return item;
}

void Comparer::Do(const Item& task) {
  switch (task.kind) {
    case Kind::kLists:
      return DoLists(task);
    case Kind::kChunks:
      return DoChunks(task);
    case Kind::kNodes:
      return DoNodes(task);
    case Kind::kLookup:
      return task.sides == kFrom ? Leave(*task.before()) : Arrive(*task.after());
    default:
      return;
  }
}

Slots Comparer::SlotsOf(Slots chunks) {
  if (chunks.empty()) return {};
  if (chunks.size() == 1) return chunks[0].chunk->view();
  auto& joined = joined_.emplace_back();
  for (const Chunk::Slot slot : chunks) {
    const auto slots = slot.chunk->view();
    joined.insert(joined.end(), slots.begin(), slots.end());
  }
  return joined;
}

// The slots of a list at a level; lower levels have more of them.
Slots Comparer::SlotsAt(const Chunk* list, unsigned level) {
  if (list == nullptr) return {};
  Slots slots = list->view();
  for (unsigned at = list->level; at > level; --at) slots = SlotsOf(slots);
  return slots;
}

void Comparer::DoLists(const Item& task) {
  const auto* from = static_cast<const Chunk*>(task.from);
  const auto* to = static_cast<const Chunk*>(task.to);
  if (IsSameList(from, to) && from->summary.ttl_nodes == 0) return;
  // Lists of very different lengths have tops at different levels.
  const unsigned level = from == nullptr ? to->level
                         : to == nullptr ? from->level
                                         : std::min(from->level, to->level);
  const bool with_ttls = from != nullptr && from->summary.ttl_nodes > 0;
  Match(SlotsAt(from, level), SlotsAt(to, level), level, with_ttls, task);
}

void Comparer::DoChunks(const Item& task) {
  const Slots from = task.from_slots();
  const Slots to = task.to_slots();
  const unsigned level = (from.empty() ? to : from)[0].chunk->level;
  // Of different numbers of chunks all slots are matched together; otherwise they are in step.
  if (from.size() != to.size()) return Match(SlotsOf(from), SlotsOf(to), level, ttls_run_, task);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const bool with_ttls = from[i].chunk->summary.ttl_nodes > 0;
    if (IsSameList(from[i].chunk, to[i].chunk) && !with_ttls) continue;
    Match(from[i].chunk->view(), to[i].chunk->view(), level, with_ttls, task);
  }
}

void Comparer::Match(Slots from, Slots to, unsigned level, bool with_ttls, const Item& task) {
  const bool are_nodes = level == 0;
  const auto add = [&](Slots a, Slots b, bool are_shared) {
    PrefetchSlots(a, are_nodes);
    if (a.data() != b.data()) PrefetchSlots(b, are_nodes);
    Item& item = Put(are_nodes ? Kind::kNodes : Kind::kChunks, task.sides, a.data(), b.data());
    item.in_seq = task.in_seq;
    item.are_shared = are_shared;
    item.from_count = static_cast<std::uint32_t>(a.size());
    item.to_count = static_cast<std::uint32_t>(b.size());
  };
  const auto add_shared = [&](Slots a, Slots b) {
    if (with_ttls && WantsTtls(task.sides)) add(a, b, true);
  };
  const auto add_different = [&](Slots a, Slots b) { add(a, b, false); };
  MatchSlots(from, to, {.by_address = kinship_.are_loaded_apart(), .are_nodes = are_nodes},
             add_shared, add_different);
}

void Comparer::DoNodes(const Item& task) {
  const Slots from = task.from_slots();
  const Slots to = task.to_slots();
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < from.size() || j < to.size()) {
    const Node* before = i < from.size() ? from[i].node : nullptr;
    const Node* after = j < to.size() ? to[j].node : nullptr;
    if (before != nullptr && after != nullptr && !task.are_shared && !IsSame(*before, *after)) {
      const bool is_first = CompareSiblings(*before, *from_.lexicon, *after, *to_.lexicon) < 0;
      (is_first ? after : before) = nullptr;
    }
    i += before != nullptr ? 1 : 0;
    j += after != nullptr ? 1 : 0;
    if (task.are_shared && !before->has_ttl() && ChildrenOf(before) == nullptr) continue;
    if (task.in_seq) Put(Kind::kTurn, kBoth, nullptr, nullptr);
    if (before != nullptr && after != nullptr) {
      Meet(*before, *after, task.sides);
    } else if (before != nullptr && (task.sides & kFrom) != 0) {
      LookUp(*before, kFrom);
    } else if (after != nullptr && (task.sides & kTo) != 0) {
      LookUp(*after, kTo);
    }
  }
}

void Comparer::LookUp(const Node& node, Sides side) {
  (side == kFrom ? to_ : from_).lexicon->PrefetchId(node.number);
  Put(Kind::kLookup, side, &node, &node);
}

void Comparer::Meet(const Node& before, const Node& after, Sides sides) {
  if ((sides & newer_) != 0 && Differs(from_, before, to_, after))
    Put(Kind::kChanged, sides, &before, &after);
  if (!kinship_.are_related()) {
    AddLists(sides == kFrom ? &before : nullptr, sides == kTo ? &after : nullptr, sides);
  } else if (sides == kBoth && before.node_class() != after.node_class()) {
    // An import gave the id to another kind of node: one of the two may list turns.
    AddLists(&before, &after, kFrom);
    AddLists(&before, &after, kTo);
  } else {
    AddLists(&before, &after, sides);
  }
}

void Comparer::Leave(const Node& before) {
  if (const Node* after = AfterOf(before)) return Meet(before, *after, kFrom);
  Put(Kind::kRemoved, kFrom, &before, nullptr);
  AddLists(&before, nullptr, kFrom);
}

void Comparer::Arrive(const Node& after) {
  if (const Node* before = BeforeOf(after)) return Meet(*before, after, kTo);
  Put(Kind::kAdded, kTo, nullptr, &after);
  AddLists(nullptr, &after, kTo);
}

void Comparer::AddLists(const Node* before, const Node* after, Sides sides) {
  const Chunk* from = ChildrenOf(before);
  const Chunk* to = ChildrenOf(after);
  if (IsSameList(from, to) && (from == nullptr || !WantsTtls(sides))) return;
  if (from != nullptr) PrefetchChunk(from);
  if (to != nullptr && to != from) PrefetchChunk(to);
  const Node* listing = (sides & kTo) != 0 ? after : before;
  const bool in_seq = turns_ == TurnOrder::kNewestFirst && listing->node_class() == NodeClass::kSeq;
  Put(Kind::kLists, sides, from, to).in_seq = in_seq;
  if (in_seq) Put(Kind::kSeqEnd, sides, nullptr, nullptr);
}

const Node* Comparer::AfterOf(const Node& before) const {
  if (!kinship_.are_related()) return FixedLike(before, to_);
  const NodeNumber number = kinship_.InB(before.number);
  return number == kNoNode ? nullptr : to_.Find(number);
}

const Node* Comparer::BeforeOf(const Node& after) const {
  if (!kinship_.are_related()) return FixedLike(after, from_);
  const NodeNumber number = kinship_.InA(after.number);
  return number == kNoNode ? nullptr : from_.Find(number);
}

}  // namespace pactdb
