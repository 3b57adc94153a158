#include "render/shared_thread.h"

#include <pactdb/render.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "render/thread.h"

namespace pactdb {
namespace {

// Stops at the first byte that is not as expected.
class MatchSink final : public ByteSink {
 public:
  explicit MatchSink(std::string_view expected) : expected_(expected) {}
  bool Write(std::string_view bytes) override {
    const std::string_view rest = expected_.substr(matched_);
    const auto same = std::ranges::mismatch(rest, bytes).in2 - bytes.begin();
    matched_ += static_cast<std::size_t>(same);
    return static_cast<std::size_t>(same) == bytes.size();
  }
  std::uint64_t matched() const { return matched_; }

 private:
  std::string_view expected_;
  std::size_t matched_ = 0;
};

// Bytes up to the end of the shared turns.
std::uint64_t SharedBytes(const TreeView& view, const SharedThread& shared) {
  if (!shared.sys) return 0;
  FunctionSink sink([](std::string_view) { return true; });
  ThreadWriter writer(*view.lexicon, sink);
  writer.Region(view.Region(NodeClass::kSys));
  ChildCursor turn(ChildrenOf(view, NodeClass::kSeq));
  for (std::size_t i = 0; i < shared.turns; ++i, turn.Next()) writer.Turn(*turn.get());
  writer.Flush();
  return writer.position();
}

void WriteRest(const TreeView& view, const SharedThread& shared, std::uint64_t position,
               ByteSink& sink) {
  ThreadWriter writer(*view.lexicon, sink, position);
  if (!shared.sys) writer.Region(view.Region(NodeClass::kSys));
  ChildCursor turn = ChildCursor::From(ChildrenOf(view, NodeClass::kSeq), shared.turns);
  for (; turn.get() != nullptr && !writer.stopped(); turn.Next()) writer.Turn(*turn.get());
  writer.Region(view.Region(NodeClass::kAh));
  writer.End();
}

}  // namespace

std::uint64_t SharedPrefixBytes(const Snapshot& a, const Snapshot& b) {
  const SharedThread shared = FindShared(a.record(), b.record());
  const TreeView a_view = a.record().View();
  const std::uint64_t kept = SharedBytes(a_view, shared);
  std::string rest;
  StringSink rest_sink(rest);
  WriteRest(a_view, shared, kept, rest_sink);
  MatchSink match(rest);
  WriteRest(b.record().View(), shared, kept, match);
  return kept + match.matched();
}

}  // namespace pactdb
