#include "diff/list_pair.h"

#include "model/order.h"

namespace pactdb {
namespace {

bool HasTtls(const Node& node) {
  const Container* container = node.AsContainer();
  return node.has_ttl() || (container != nullptr && container->children != nullptr &&
                            container->children->summary.ttl_nodes > 0);
}

}  // namespace

ListPair::Walk::Walk(const Chunk* list) {
  if (list != nullptr && list->count > 0) path_[depth_++] = {list, 0};
}

void ListPair::Walk::Next() {
  while (depth_ > 0 && ++path_[depth_ - 1].index == path_[depth_ - 1].chunk->count) --depth_;
}

bool ListPair::Walk::UpTo(unsigned level, const Chunk* chunk) {
  const int up = depth_ - 1 - static_cast<int>(level - this->level());
  if (up < 0 || path_[up].chunk->slots()[path_[up].index].chunk != chunk) return false;
  for (int i = up + 1; i < depth_; ++i) {
    if (path_[i].index != 0) return false;
  }
  depth_ = up + 1;
  return true;
}

const Node* ListPair::Walk::Take() {
  while (level() > 0) Down();
  const Node* node = slot().node;
  Next();
  return node;
}

ListPair::ListPair(const Chunk* from, const Chunk* to, const Lexicon& lexicon, bool with_ttls)
    : from_(from), to_(to), lexicon_(&lexicon), with_ttls_(with_ttls) {}

bool ListPair::TakeShared(Step& step) {
  const Chunk::Slot slot = from_.slot();
  if (with_ttls_ && from_.is_among_ttls()) {
    if (from_.level() > 0 && slot.chunk->summary.ttl_nodes > 0) {
      from_.Down();
      to_.Down();
      return false;
    }
    if (from_.level() == 0 && HasTtls(*slot.node)) {
      step = {from_.Take(), to_.Take()};
      return true;
    }
  }
  from_.Next();
  to_.Next();
  return false;
}

bool ListPair::TakeDifferent(Step& step) {
  const unsigned from_level = from_.level();
  const unsigned to_level = to_.level();
  // The higher walk goes down, unless the other can come up to it.
  if (from_level > to_level) {
    if (!to_.UpTo(from_level, from_.slot().chunk)) from_.Down();
    return false;
  }
  if (to_level > from_level) {
    if (!from_.UpTo(to_level, to_.slot().chunk)) to_.Down();
    return false;
  }
  if (from_level > 0) {
    from_.Down();
    to_.Down();
    return false;
  }
  const Node& before = *from_.slot().node;
  const Node& after = *to_.slot().node;
  if (before.number == after.number) {
    step = {from_.Take(), to_.Take()};
  } else if (CompareSiblings(before, after, *lexicon_) < 0) {
    step = {from_.Take(), nullptr};
  } else {
    step = {nullptr, to_.Take()};
  }
  return true;
}

bool ListPair::Next(Step& step) {
  while (!from_.is_done() && !to_.is_done()) {
    const bool is_shared =
        from_.level() == to_.level() && from_.slot().node == to_.slot().node;  // or its chunk
    if (is_shared ? TakeShared(step) : TakeDifferent(step)) return true;
  }
  if (!from_.is_done()) {
    step = {from_.Take(), nullptr};
    return true;
  }
  if (!to_.is_done()) {
    step = {nullptr, to_.Take()};
    return true;
  }
  return false;
}

}  // namespace pactdb
