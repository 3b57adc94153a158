// A thread of a large context is memory that lies all over the place, copied into one line. So
// blocks are found some time before they are written: by the time one is copied, the bodies of
// those behind it are on their way.
#include "render/thread.h"

#include <algorithm>
#include <utility>

#include "model/history.h"
#include "model/turns_ahead.h"
#include "render/render_cache.h"
#include "text/canonical.h"

namespace pactdb {
namespace {

constexpr std::string_view kSystem = "\"system\"";
constexpr std::string_view kUser = "\"user\"";

// Calls visit(leaf) for the chunks of level 0, in order, until it says false.
template <typename Visitor>
void ForEachLeaf(const Chunk& list, Visitor&& visit) {
  std::vector<std::pair<const Chunk*, std::uint32_t>> path = {{&list, 0}};
  while (!path.empty()) {
    const auto [chunk, index] = path.back();
    if (chunk->level == 0) {
      if (!visit(*chunk)) return;
      path.pop_back();
    } else if (index == chunk->count) {
      path.pop_back();
    } else {
      ++path.back().second;
      path.emplace_back(chunk->slots()[index].chunk, 0);
    }
  }
}

}  // namespace

ThreadWriter::ThreadWriter(const Lexicon& lexicon, ByteSink& sink, std::uint64_t position)
    : lexicon_(lexicon), out_(sink, position) {
  UseDefaultRole(kUser);
}

void ThreadWriter::UseDefaultRole(std::string_view json) {
  if (json == default_role_) return;
  default_role_ = json;
  for (Middle& middle : middles_) middle.text.clear();
}

void ThreadWriter::Region(const Container* region) {
  if (region == nullptr) return;
  UseDefaultRole(region->node_class() == NodeClass::kSys ? kSystem : kUser);
  List(region->children);
}

void ThreadWriter::Turn(const Node& turn) {
  UseDefaultRole(kUser);
  List(turn.AsContainer()->children);
}

void ThreadWriter::One(const Node& block, bool is_in_sys) {
  UseDefaultRole(is_in_sys ? kSystem : kUser);
  Block(block);
}

void ThreadWriter::Turns(const Container* seq, RenderCache::Impl* cache) {
  if (seq == nullptr || seq->children == nullptr) return;
  UseDefaultRole(kUser);
  if (cache == nullptr || cache->budget() == 0) return AllTurns(*seq);
  cache->BeginPass();
  // A list is cut behind certain turns. What stands behind the last cut is where the next turn
  // goes; every other leaf stays as it is until somebody adds to one of its turns.
  const Chunk* held = nullptr;
  ForEachLeaf(*seq->children, [&](const Chunk& leaf) {
    if (held != nullptr) Leaf(*held, *cache);
    held = &leaf;
    return !stopped();
  });
  List(held);
}

void ThreadWriter::Leaf(const Chunk& leaf, RenderCache::Impl& cache) {
  // In a working state a run that was edited has no hash yet.
  if (leaf.hash_stale) return List(&leaf);
  RenderCache::Impl::Piece kept = cache.Find(leaf.hash);
  std::string_view piece;
  if (kept != nullptr) {
    piece = *kept;
  } else {
    // Behind something, so that it begins with a comma.
    if (piece_writer_ == nullptr)
      piece_writer_ = std::make_unique<ThreadWriter>(lexicon_, piece_sink_, 1);
    piece_.clear();
    piece_writer_->List(&leaf);
    piece_writer_->Flush();
    cache.Insert(leaf.hash, piece_);
    piece = piece_;
  }
  if (position() == 0 && !piece.empty()) {
    out_.Put('[');
    piece.remove_prefix(1);
  }
  out_.Write(piece);
}

void ThreadWriter::List(const Chunk* list) {
  if (list == nullptr) return;
  Walk(*list);
  WriteFound();
}

void ThreadWriter::AllTurns(const Container& seq) {
  TurnsAhead turns(seq, false);
  for (auto item = turns.Next(); item.turn != nullptr && !stopped(); item = turns.Next()) {
    if (item.list != nullptr) Walk(*item.list);
  }
  WriteFound();
}

void ThreadWriter::Walk(const Chunk& list) {
  path_.push_back({&list, 0});
  while (!path_.empty() && !stopped()) {
    Place& place = path_.back();
    const Chunk& chunk = *place.chunk;
    if (place.next == chunk.count) {
      path_.pop_back();
      continue;
    }
    const std::uint32_t index = place.next++;
    const Chunk::Slot slot = chunk.slots()[index];
    if (chunk.level > 0) {
      path_.push_back({slot.chunk, 0});
    } else if (node_code::Class(chunk.codes()[index]) == NodeClass::kBlock) {
      Found(*slot.node);
    } else if (const Chunk* children = child_list::ListOf(chunk, index)) {
      path_.push_back({children, 0});
    }
  }
  path_.clear();
}

void ThreadWriter::Found(const Node& block) {
  child_list::PrefetchNode(block);
  ring_[found_++ % kRing] = &block;
  if (found_ - written_ > kDistance) AskForBody(*ring_[(found_ - kDistance - 1) % kRing]);
  if (found_ - written_ > 2 * kDistance) Block(*ring_[written_++ % kRing]);
}

void ThreadWriter::AskForBody(const Node& block) {
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kLines = 5;
  lexicon_.PrefetchId(block.number);
  if (block.body == nullptr) return;
  const char* const body = reinterpret_cast<const char*>(block.body);
  for (std::size_t line = 0; line < kLines; ++line) __builtin_prefetch(body + line * kLine);
}

void ThreadWriter::WriteFound() {
  const std::size_t asked = std::max(written_, found_ - std::min(found_, kDistance));
  for (std::size_t i = asked; i < found_; ++i) AskForBody(*ring_[i % kRing]);
  while (written_ < found_) Block(*ring_[written_++ % kRing]);
}

void ThreadWriter::Block(const Node& block) {
  constexpr std::string_view kId = "{\"id\":";
  const IdText text = lexicon_.id(block.number);
  const std::string_view id = text.view();
  const std::string_view content = block.content().value_or("\"\"");
  const std::string& middle = MiddleOf(block);
  const std::size_t head = 1 + kId.size() + JsonStringBytesMax(id.size());
  const bool fits = head + middle.size() + content.size() < ByteWriter::kRoomMax;
  char* to = out_.Room(fits ? head + middle.size() + content.size() + 1 : head);
  *to++ = position() == 0 ? '[' : ',';
  to = std::copy(kId.begin(), kId.end(), to);
  to = WriteJsonString(id, to);
  if (!fits) {
    out_.Took(to);
    out_.Write(middle);
    out_.Write(content);
    return out_.Put('}');
  }
  to = std::copy(middle.begin(), middle.end(), to);
  to = std::copy(content.begin(), content.end(), to);
  *to++ = '}';
  out_.Took(to);
}

const std::string& ThreadWriter::MiddleOf(const Node& block) {
  // kNoWord is all ones: absent words have places of their own.
  Middle& middle = middles_[(block.role * 8 + block.kind) % middles_.size()];
  if (middle.text.empty() || middle.role != block.role || middle.kind != block.kind) {
    middle.role = block.role;
    middle.kind = block.kind;
    middle.text = ",\"role\":";
    middle.text += block.role == kNoWord ? default_role_ : lexicon_.word_json(block.role);
    if (block.kind != kNoWord) {
      middle.text += ",\"kind\":";
      middle.text += lexicon_.word_json(block.kind);
    }
    middle.text += ",\"content\":";
  }
  return middle.text;
}

void ThreadWriter::End() {
  if (position() == 0) out_.Put('[');
  out_.Put(']');
  out_.Flush();
}

void RenderThread(const TreeView& view, ByteSink& sink, RenderCache* cache) {
  ThreadWriter writer(*view.lexicon, sink);
  writer.Region(view.Region(NodeClass::kSys));
  writer.Turns(view.Region(NodeClass::kSeq), cache == nullptr ? nullptr : &cache->impl());
  writer.Region(view.Region(NodeClass::kAh));
  writer.End();
}

void RenderThread(const TreeView& view, std::string& out, RenderCache* cache) {
  StringSink sink(out);
  RenderThread(view, sink, cache);
}

void RenderThread(const Snapshot& snapshot, ByteSink& sink, RenderCache* cache) {
  RenderThread(snapshot.record().View(), sink, cache);
}

}  // namespace pactdb
