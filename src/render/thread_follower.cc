#include <pactdb/render.h>

#include "model/history.h"
#include "render/shared_thread.h"
#include "render/thread.h"

namespace pactdb {

ThreadStep ThreadFollower::Follow(const Snapshot& snapshot, ByteSink& sink) {
  const CommitRecord& record = snapshot.record();
  const SharedThread shared = last_ ? FindShared(last_->record(), record) : SharedThread();
  if (shared.is_all) {
    last_ = snapshot;
    return {total_, total_};
  }
  std::uint64_t kept = 0;
  if (shared.sys) kept = shared.turns == 0 ? sys_end_ : turn_ends_[shared.turns - 1];
  const TreeView view = record.View();
  ThreadWriter writer(*view.lexicon, sink, kept);
  std::uint64_t sys_end = sys_end_;
  if (!shared.sys) {
    writer.Region(view.Region(NodeClass::kSys));
    sys_end = writer.position();
  }
  std::vector<std::uint64_t> ends;
  ChildCursor turn = ChildCursor::From(ChildrenOf(view, NodeClass::kSeq), shared.turns);
  for (; turn.get() != nullptr; turn.Next()) {
    writer.Turn(*turn.get());
    ends.push_back(writer.position());
  }
  writer.Region(view.Region(NodeClass::kAh));
  writer.End();
  const ThreadStep step{kept, writer.position()};
  if (writer.stopped()) return step;
  last_ = snapshot;
  sys_end_ = sys_end;
  total_ = step.total;
  turn_ends_.resize(shared.turns);
  turn_ends_.insert(turn_ends_.end(), ends.begin(), ends.end());
  return step;
}

}  // namespace pactdb
