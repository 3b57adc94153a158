// The walk behind Compare (diff/tree_diff.h).
//
// Both trees are taken apart together, and whatever they share is passed over. What is left to look
// at stands in a queue of tasks in preorder: two lists, two runs of slots, a node to look up. A
// task is replaced, at its place, by what it turns out to be: findings, and further tasks. Tasks
// are done in batches from the front, and memory is asked for when a task is made, one batch before
// it is read: at a million nodes every step is a cache miss, and a walk that takes one after the
// other would wait for each.
//
// An entry of one list only has come or gone, or stands elsewhere in the other tree, which the id
// table tells. What stands elsewhere is met twice, once on each side, and each meeting reports what
// that side's order is for: added nodes go by their place in `to`, removed ones by that in `from`,
// changed ones by that in the newer tree. So every task carries for which sides it reports. The
// same rule makes up for slots that were not matched though they could have been.
//
// Thread safety: one thread at a time; a Comparer is used once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <vector>

#include "diff/slot_match.h"
#include "diff/tree_diff.h"
#include "model/kinship.h"

namespace pactdb {

class Comparer {
 public:
  Comparer(const TreeView& from, const TreeView& to, TurnOrder turns,
           const std::optional<CommonPast>& common);
  TreeDiff Run();

 private:
  using Sides = std::uint8_t;
  static constexpr Sides kFrom = 1;
  static constexpr Sides kTo = 2;
  static constexpr Sides kBoth = kFrom | kTo;

  enum class Kind : std::uint8_t {
    // tasks
    kLists,   // two lists; either may be null
    kChunks,  // two runs of slots that hold chunks
    kNodes,   // two runs of slots that hold nodes
    kLookup,  // a node of one tree that may be in the other
    // findings
    kAdded,
    kRemoved,
    kChanged,
    kTurn,     // a turn begins: what follows belongs to it
    kSeqEnd,   // the last turn has ended
    kNothing,  // a task that came to nothing
  };

  static constexpr std::uint32_t kNone = UINT32_MAX;

  struct Item {
    Kind kind = Kind::kNothing;
    Sides sides = kBoth;
    bool in_seq = false;      // entries are turns, and their order is asked for
    bool are_shared = false;  // two runs of slots that are the same
    std::uint32_t next = kNone;
    std::uint32_t from_count = 0;
    std::uint32_t to_count = 0;
    // kLists: Chunk; kChunks, kNodes: Chunk::Slot; else Node.
    const void* from = nullptr;
    const void* to = nullptr;

    bool is_task() const { return kind <= Kind::kLookup; }
    Slots from_slots() const { return {static_cast<const Chunk::Slot*>(from), from_count}; }
    Slots to_slots() const { return {static_cast<const Chunk::Slot*>(to), to_count}; }
    const Node* before() const { return static_cast<const Node*>(from); }
    const Node* after() const { return static_cast<const Node*>(to); }
  };

  void Start();
  // Hands over the findings at the front of the queue.
  void Drain();
  void Report(const Item& item);
  void RunBatch();

  void Do(const Item& task);
  void DoLists(const Item& task);
  void DoChunks(const Item& task);
  void DoNodes(const Item& task);
  // The slots of two chunks, or of two runs of them. `with_ttls`: there may be ttl nodes below.
  void Match(Slots from, Slots to, unsigned level, bool with_ttls, const Item& task);

  void Meet(const Node& before, const Node& after, Sides sides);
  void Leave(const Node& before);  // stands here in `from` and not in `to`
  void Arrive(const Node& after);  // stands here in `to` and not in `from`
  void LookUp(const Node& node, Sides side);
  void AddLists(const Node* before, const Node* after, Sides sides);
  void ReverseTurns();

  // True for two versions of one node. REQUIRES: the trees are related.
  bool IsSame(const Node& before, const Node& after) const {
    return kinship_.InB(before.number) == after.number;
  }
  bool IsSameList(const Chunk* from, const Chunk* to) const {
    return from == to || (from != nullptr && to != nullptr && kinship_.are_loaded_apart() &&
                          from->stored_at != kNotStored && from->stored_at == to->stored_at);
  }
  const Node* BeforeOf(const Node& after) const;
  const Node* AfterOf(const Node& before) const;
  bool WantsTtls(Sides sides) const { return ttls_run_ && (sides & newer_) != 0; }
  // All slots of the chunks in one run, kept to the end if they are of several chunks.
  Slots SlotsOf(Slots chunks);
  Slots SlotsAt(const Chunk* list, unsigned level);

  // Puts an item into the queue, behind what the present task has put there. The rest of it is for
  // the caller to fill in, in place: passing whole items showed in the profile.
  Item& Put(Kind kind, Sides sides, const void* from, const void* to);

  const TreeView& from_;
  const TreeView& to_;
  const Kinship kinship_;
  const TurnOrder turns_;
  const Sides newer_;
  const bool ttls_run_;  // a node that both trees share may show another ttl in each
  TreeDiff diff_;

  // A small diff needs no allocation but for what it gives back.
  std::array<std::byte, 6144> buffer_;
  std::pmr::monotonic_buffer_resource memory_{buffer_.data(), buffer_.size()};

  // The queue: a linked list in an array, with the free places linked too.
  std::pmr::vector<Item> items_{&memory_};
  std::uint32_t front_ = kNone;
  std::uint32_t free_ = kNone;
  std::pmr::vector<std::uint32_t> tasks_{&memory_};  // in the queue, the first one last
  // While a task runs: where the next item goes, and the tasks it has made.
  std::uint32_t own_ = kNone;   // the task's own place, while nothing stands there
  std::uint32_t tail_ = kNone;  // the last item put
  std::pmr::vector<std::uint32_t> batch_{&memory_};
  std::pmr::vector<std::uint32_t> made_{&memory_};

  std::vector<std::vector<Chunk::Slot>> joined_;
  // Where the turns begin in the lists of findings.
  struct TurnStart {
    std::size_t added;
    std::size_t removed;
    std::size_t changed;
  };
  std::pmr::vector<TurnStart> turn_starts_{&memory_};
};

}  // namespace pactdb
