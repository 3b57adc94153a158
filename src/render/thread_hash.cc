#include "render/thread_hash.h"

#include <memory>
#include <utility>

#include "model/history.h"
#include "render/shared_thread.h"
#include "render/thread.h"

namespace pactdb {
namespace {

class HashSink final : public ByteSink {
 public:
  explicit HashSink(Sha256& hash) : hash_(hash) {}
  bool Write(std::string_view bytes) override {
    hash_.Update(bytes);
    return true;
  }

 private:
  Sha256& hash_;
};

// Two threads may both have hashed; one answer stays, and it is the same.
void Keep(const Digest& digest, const CommitRecord& record) {
  auto kept = std::make_unique<const Digest>(digest);
  const Digest* expected = nullptr;
  if (record.thread_sha256.compare_exchange_strong(expected, kept.get())) {
    [[maybe_unused]] const Digest* released = kept.release();
  }
}

}  // namespace

Digest ThreadHasher::Hash(const CommitRecord& record) {
  if (const Digest* known = record.thread_sha256.load(std::memory_order_acquire)) return *known;
  const SharedThread shared = last_ ? FindShared(last_->record(), record) : SharedThread();
  if (!shared.sys) marks_.clear();
  while (!marks_.empty() && marks_.back().turns > shared.turns) marks_.pop_back();
  last_.emplace(&record);

  const TreeView view = record.View();
  Sha256 hash = marks_.empty() ? Sha256() : marks_.back().hash;
  HashSink sink(hash);
  ThreadWriter writer(*view.lexicon, sink, marks_.empty() ? 0 : marks_.back().bytes);
  const auto mark = [&](std::size_t turns) {
    writer.Flush();
    marks_.push_back({turns, writer.position(), hash});
  };
  std::size_t turns = 0;
  if (marks_.empty()) {
    writer.Region(view.Region(NodeClass::kSys));
    mark(0);
  } else {
    turns = marks_.back().turns;
    // The end of an earlier thread is not worth keeping as a place of its own.
    const std::size_t count = marks_.size();
    if (count > 1 && marks_[count - 1].bytes - marks_[count - 2].bytes < kMarkBytes)
      marks_.pop_back();
  }
  const Chunk* const seq = ChildrenOf(view, NodeClass::kSeq);
  for (ChildCursor turn = ChildCursor::From(seq, turns); turn.get() != nullptr; turn.Next()) {
    if (writer.position() - marks_.back().bytes >= kMarkBytes) mark(turns);
    writer.Turn(*turn.get());
    ++turns;
  }
  mark(turns);
  writer.Region(view.Region(NodeClass::kAh));
  writer.End();
  const Digest digest = hash.Finish();
  Keep(digest, record);
  return digest;
}

Digest ThreadDigest(const CommitRecord& record) {
  if (const Digest* known = record.thread_sha256.load(std::memory_order_acquire)) return *known;
  Sha256 hash;
  HashSink sink(hash);
  RenderThread(record.View(), sink);
  const Digest digest = hash.Finish();
  Keep(digest, record);
  return digest;
}

std::string ThreadSha256(const Snapshot& snapshot) {
  return ToHex(ThreadDigest(snapshot.record()));
}

}  // namespace pactdb
