#include "model/node_cost.h"

#include <algorithm>
#include <vector>

namespace pactdb {
namespace {

// A cost and the kind it is of, in one word: 3 bits of kind, then estimates, then units. 0 is none,
// since kinds start at 1. What does not fit is held to the largest that does.
template <typename Word, unsigned kUnitBits>
struct Packed {
  static constexpr unsigned kKindShift = sizeof(Word) * 8 - 3;
  static constexpr Word kUnits = (Word{1} << kUnitBits) - 1;
  static constexpr Word kEstimates = (Word{1} << (kKindShift - kUnitBits)) - 1;

  static Word Pack(unsigned kind, const Cost& cost) {
    const auto units = static_cast<Word>(std::min<std::uint64_t>(cost.units, kUnits));
    const auto estimates = static_cast<Word>(std::min<std::uint64_t>(cost.estimates, kEstimates));
    return static_cast<Word>(kind) << kKindShift | estimates << kUnitBits | units;
  }
  static bool IsOf(Word word, unsigned kind) { return word >> kKindShift == kind; }
  static Cost Unpack(Word word) {
    return {.units = word & kUnits, .estimates = word >> kUnitBits & kEstimates};
  }
};
using InBody = Packed<std::uint32_t, 28>;
using InChunk = Packed<std::uint64_t, 36>;
static_assert(InBody::kUnits == NodeCost::kUnitsMax);

// Adds up a chunk and what lies below it. A sum is read once and carried along: another reader may
// put that of another kind in its place.
class Adder {
 public:
  explicit Adder(const NodeCost& cost) : cost_(cost) {}

  Cost Run(const Chunk& top) {
    Visit(top);
    while (!open_.empty()) {
      Sum& sum = open_.back();
      if (sum.next == sum.chunk->count) {
        const Sum done = sum;
        open_.pop_back();
        done.chunk->cost.store(InChunk::Pack(cost_.kind(), done.total), std::memory_order_relaxed);
        Give(done.total);
        continue;
      }
      const Chunk& chunk = *sum.chunk;
      const Chunk::Slot slot = chunk.slots()[sum.next++];
      if (chunk.level > 0) {
        Visit(*slot.chunk);
        continue;
      }
      sum.total.Add(CostOf(*slot.node, cost_));
      const Container* container = slot.node->AsContainer();
      if (container != nullptr && container->children != nullptr) Visit(*container->children);
    }
    return total_;
  }

 private:
  struct Sum {
    const Chunk* chunk;
    std::uint32_t next = 0;  // the slot to be added
    Cost total;
  };

  // Adds what is remembered of the chunk, or opens it. Moves `open_`.
  void Visit(const Chunk& chunk) {
    const std::uint64_t known = chunk.cost.load(std::memory_order_relaxed);
    if (InChunk::IsOf(known, cost_.kind())) return Give(InChunk::Unpack(known));
    child_list::PrefetchSlots(chunk);
    open_.push_back({.chunk = &chunk, .next = 0, .total = {}});
  }

  void Give(const Cost& sum) { (open_.empty() ? total_ : open_.back().total).Add(sum); }

  const NodeCost& cost_;
  std::vector<Sum> open_;  // outermost first
  Cost total_;
};

}  // namespace

Cost CostOf(const Node& node, const NodeCost& cost) {
  if (node.body == nullptr) return InBody::Unpack(InBody::Pack(cost.kind(), cost.Count(node)));
  std::atomic<std::uint32_t>& known = node.body->cost;
  std::uint32_t word = known.load(std::memory_order_relaxed);
  if (!InBody::IsOf(word, cost.kind())) {
    word = InBody::Pack(cost.kind(), cost.Count(node));
    known.store(word, std::memory_order_relaxed);
  }
  return InBody::Unpack(word);
}

Cost CostBelow(const Container& container, const NodeCost& cost) {
  return container.children == nullptr ? Cost() : Adder(cost).Run(*container.children);
}

}  // namespace pactdb
