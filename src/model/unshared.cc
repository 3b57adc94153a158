// Two child lists are merged from the left, each as a stack of what is still to come: whole chunks
// while they may be shared, entries where they are not. Chunks are cut by the ids they hold, so
// after an edit both lists fall into step again and the rest is skipped chunk by chunk.
#include "model/unshared.h"

#include <string>

#include "model/child_list.h"
#include "model/order.h"
#include "model/tree_hash.h"
#include "model/tree_view.h"

namespace pactdb {
namespace {

// A chunk or, at the lowest level, an entry.
struct Piece {
  const Chunk* chunk = nullptr;
  const Node* node = nullptr;
  bool operator==(const Piece&) const = default;
};

class Pieces {
 public:
  explicit Pieces(const Chunk* list) {
    if (list != nullptr) stack_.push_back({list, nullptr});
  }
  bool empty() const { return stack_.empty(); }
  const Piece& top() const { return stack_.back(); }
  bool has_chunk() const { return !empty() && top().chunk != nullptr; }
  Piece Pop() {
    const Piece piece = stack_.back();
    stack_.pop_back();
    return piece;
  }
  // Puts the slots of the chunk on top in its place.
  void Open() {
    const Chunk& chunk = *Pop().chunk;
    for (std::uint32_t i = chunk.count; i-- > 0;) {
      const Chunk::Slot slot = chunk.slots()[i];
      stack_.push_back(chunk.level == 0 ? Piece{nullptr, slot.node} : Piece{slot.chunk, nullptr});
    }
  }

 private:
  std::vector<Piece> stack_;
};

class Walk {
 public:
  explicit Walk(const Lexicon& lexicon) : lexicon_(lexicon) {}

  Unshared Run(const Container& older, const Container& newer) {
    if (&older != &newer) Pair(older, newer);
    while (!lists_.empty()) {
      if (!Step(lists_.back())) lists_.pop_back();
    }
    return std::move(found_);
  }

 private:
  struct Lists {
    Pieces older;
    Pieces newer;
  };

  // Two versions of one node, or of the root.
  void Pair(const Node& older, const Node& newer) {
    found_.older.push_back(&older);
    found_.newer.push_back(&newer);
    if (older.is_block() || newer.is_block()) {
      AddBelow(older, found_.older);
      AddBelow(newer, found_.newer);
      return;
    }
    lists_.push_back(
        {Pieces(older.AsContainer()->children), Pieces(newer.AsContainer()->children)});
  }

  // False when both lists are done. May add to lists_, which moves `lists`.
  bool Step(Lists& lists) {
    Pieces& older = lists.older;
    Pieces& newer = lists.newer;
    if (older.empty() && newer.empty()) return false;
    if (!older.empty() && !newer.empty() && older.top() == newer.top()) {
      older.Pop();
      newer.Pop();
    } else if (older.has_chunk() || newer.has_chunk()) {
      OpenHigher(older, newer);
    } else if (newer.empty()) {
      AddAll(*older.Pop().node, found_.older);
    } else if (older.empty()) {
      AddAll(*newer.Pop().node, found_.newer);
    } else {
      Merge(older, newer);
    }
    return true;
  }

  static void OpenHigher(Pieces& older, Pieces& newer) {
    const auto level = [](const Pieces& pieces) {
      return pieces.has_chunk() ? static_cast<int>(pieces.top().chunk->level) : -1;
    };
    const int older_level = level(older);
    const int newer_level = level(newer);
    if (older_level >= newer_level) older.Open();
    if (newer_level >= older_level) newer.Open();
  }

  void Merge(Pieces& older, Pieces& newer) {
    const Node& old_node = *older.top().node;
    const Node& new_node = *newer.top().node;
    const auto order = CompareSiblings(old_node, new_node, lexicon_);
    if (order <= 0) older.Pop();
    if (order >= 0) newer.Pop();
    if (order < 0) {
      AddAll(old_node, found_.older);
    } else if (order > 0) {
      AddAll(new_node, found_.newer);
    } else {
      Pair(old_node, new_node);
    }
  }

  static void AddAll(const Node& node, std::vector<const Node*>& side) {
    for (PreorderCursor below(node); below.get() != nullptr; below.Next())
      side.push_back(below.get());
  }
  static void AddBelow(const Node& node, std::vector<const Node*>& side) {
    PreorderCursor below(node);
    for (below.Next(); below.get() != nullptr; below.Next()) side.push_back(below.get());
  }

  const Lexicon& lexicon_;
  std::vector<Lists> lists_;
  Unshared found_;
};

}  // namespace

Unshared FindUnshared(const Container& older, const Container& newer, const Lexicon& lexicon) {
  return Walk(lexicon).Run(older, newer);
}

bool SameVersion(const Node& a, const Node& b, const Lexicon& lexicon) {
  if (&a == &b) return true;
  constexpr std::uint32_t kCounted = ~static_cast<std::uint32_t>(Node::kStale);
  if (a.parent != b.parent || (a.flags & kCounted) != (b.flags & kCounted) || a.type != b.type)
    return false;
  if (a.body == b.body && a.offset == b.offset && a.created_at_ns == b.created_at_ns &&
      a.creation_index == b.creation_index && a.cycle == b.cycle && a.priority == b.priority &&
      a.expiry == b.expiry && a.role == b.role && a.kind == b.kind)
    return true;
  std::string a_bytes;
  std::string b_bytes;
  AppendNodeEncoding(a, lexicon, a_bytes);
  AppendNodeEncoding(b, lexicon, b_bytes);
  return a_bytes == b_bytes;
}

}  // namespace pactdb
