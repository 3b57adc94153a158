// Two child lists walked together, passing over what they share.
//
// Lists are cut by the ids they hold (model/child_list.h), so two lists that differ in a few places
// share all chunks but those on the way to these places. Both walks stand on a slot, a chunk or a
// node. Equal slots are passed over whole; unequal chunks are entered. After a difference the walks
// fall out of step and meet again where both lists are cut next, which is where the first common id
// says so.
//
// Cost: O(differences * log n) chunks, plus, where running ttls are asked for, O(found * log n).
//
// Thread safety: as the lists.
#pragma once

#include <cstdint>

#include "model/child_list.h"

namespace pactdb {

class ListPair {
 public:
  // One entry: of the older list, of the newer one, or of both, which is then the same node in two
  // versions or, with a ttl at or below it, in one.
  struct Step {
    const Node* before = nullptr;
    const Node* after = nullptr;
  };

  // Null lists are empty. `with_ttls`: shared nodes with a ttl at or below them are steps too.
  // REQUIRES: both lists of one lexicon and summarized.
  ListPair(const Chunk* from, const Chunk* to, const Lexicon& lexicon, bool with_ttls);

  // The next step, each list in its order; false at the end.
  bool Next(Step& step);

 private:
  // A place in one list: a path of chunks down to a slot.
  class Walk {
   public:
    explicit Walk(const Chunk* list);
    bool is_done() const { return depth_ == 0; }
    // 0 if the slot holds a node.
    unsigned level() const { return top().chunk->level; }
    Chunk::Slot slot() const { return top().chunk->slots()[top().index]; }
    // Nodes with a ttl at or below the entries of this chunk.
    bool is_among_ttls() const { return top().chunk->summary.ttl_nodes > 0; }
    // Enters the slot's chunk.
    void Down() {
      const Chunk* chunk = slot().chunk;
      path_[depth_++] = {chunk, 0};
    }
    // Goes past the slot.
    void Next();
    // Goes back up to the slot of `level` that holds `chunk` if nothing of it was passed yet.
    bool UpTo(unsigned level, const Chunk* chunk);
    // The node of the slot or the first one below it; goes past it.
    const Node* Take();

   private:
    static constexpr int kLevelsMax = 9;
    struct Place {
      const Chunk* chunk;
      std::uint32_t index;
    };
    const Place& top() const { return path_[depth_ - 1]; }

    Place path_[kLevelsMax];
    int depth_ = 0;
  };

  // Both stand on the same slot: goes past it, or into it where ttls are wanted. True if it is a
  // step.
  bool TakeShared(Step& step);
  // Both stand on different slots: goes down, or takes what stands first. True if it is a step.
  bool TakeDifferent(Step& step);

  Walk from_;
  Walk to_;
  const Lexicon* lexicon_;
  bool with_ttls_;
};

}  // namespace pactdb
