// Rendering to sinks, with and without a cache, and from one snapshot to the next: whatever the
// way, the bytes are those of a plain walk over the tree.
#include <gtest/gtest.h>
#include <pactdb/context.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/sha256.h"
#include "model/history.h"
#include "support/contexts.h"
#include "support/scale.h"
#include "support/sessions.h"

namespace pactdb {
namespace {

using support::Block;
using support::Must;
using support::NewContext;

std::string JsonText(std::string_view text) {
  return Must(Json::String(text)).text();
}

// The thread, from the public view of the tree and in the words of the specification.
void AppendPlain(const NodeView& node, std::string_view default_role, std::string& out) {
  if (node.node_type() == "block" || node.node_type().starts_with("block:")) {
    out += out.empty() ? "[" : ",";
    out += "{\"id\":" + JsonText(node.id()) + ",\"role\":";
    out += JsonText(node.role().empty() ? default_role : node.role());
    if (!node.kind().empty()) out += ",\"kind\":" + JsonText(node.kind());
    out += ",\"content\":" + std::string(node.content().value_or("\"\"")) + "}";
  }
  for (std::size_t i = 0; i < node.child_count(); ++i)
    AppendPlain(node.child(i), default_role, out);
}

std::string PlainThread(const Snapshot& snapshot) {
  std::string out;
  for (std::size_t i = 0; i < snapshot.root().child_count(); ++i) {
    const NodeView region = snapshot.root().child(i);
    AppendPlain(region, region.id() == "sys" ? "system" : "user", out);
  }
  return out.empty() ? "[]" : out + "]";
}

std::string Rendered(const Snapshot& snapshot, RenderCache* cache = nullptr) {
  std::string bytes;
  StringSink sink(bytes);
  RenderThread(snapshot, sink, cache);
  return bytes;
}

// Takes so many writes and no more.
class ShortSink final : public ByteSink {
 public:
  explicit ShortSink(int writes) : left_(writes) {}
  bool Write(std::string_view bytes) override {
    bytes_ += bytes.size();
    return --left_ > 0;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  int left_;
  std::size_t bytes_ = 0;
};

// So many turns of one block, of `size` bytes.
Context Conversation(int turns, std::size_t size) {
  Context context = NewContext();
  for (int turn = 0; turn < turns; ++turn) {
    Must(context.Add(Block("", std::string(size, 'x'))));
    Must(context.Commit());
  }
  return context;
}

TEST(Render, ToASinkIsRenderToAString) {
  const Context context = Conversation(40, 5'000);
  std::string bytes;
  StringSink sink(bytes);
  Must(context.RenderTo(sink, {.at = "@t-3"}));
  EXPECT_EQ(bytes, Must(context.Render({.at = "@t-3"})).body);
  EXPECT_EQ(support::CodeOf(context.RenderTo(sink, {.format = "latin"})), "E_REQUEST_INVALID");
}

class WidthSink final : public ByteSink {
 public:
  bool Write(std::string_view bytes) override {
    widest_ = std::max(widest_, bytes.size());
    total_ += bytes.size();
    return true;
  }
  std::size_t widest() const { return widest_; }
  std::size_t total() const { return total_; }

 private:
  std::size_t widest_ = 0;
  std::size_t total_ = 0;
};

TEST(Render, SER_16_ALargeTreeIsWrittenInPieces) {
  const Context context = Conversation(300, 5'000);
  WidthSink thread;
  Must(context.RenderTo(thread, {.at = "@t0"}));
  EXPECT_GT(thread.total(), 1'500'000u);
  EXPECT_LE(thread.widest(), 300'000u);
  WidthSink tree;
  Must(context.SerializeTo(tree, "@t0"));
  EXPECT_GT(tree.total(), 1'500'000u);
  EXPECT_LE(tree.widest(), 65'536u);
}

TEST(ThreadHash, SER_16_IsTakenWhenAskedForAndKept) {
  Context context = Conversation(2, 10);
  const Snapshot newest = Must(context.At("@t0"));
  EXPECT_EQ(newest.record().thread_sha256.load(), nullptr);
  const std::string hash = ThreadSha256(newest);
  ASSERT_NE(newest.record().thread_sha256.load(), nullptr);
  EXPECT_EQ(ToHex(*newest.record().thread_sha256.load()), hash);
}

TEST(Render, StopsWhenTheSinkDoes) {
  const Context context = Conversation(300, 5'000);
  ShortSink sink(3);
  RenderThread(Must(context.At("@t0")), sink);
  EXPECT_LT(sink.bytes(), 500'000u);
  ShortSink cached(3);
  RenderThread(Must(context.At("@t0")), cached, context.render_cache().get());
  EXPECT_LT(cached.bytes(), 500'000u);
}

TEST(Render, FillsTheRoomItIsGivenAndSaysHowMuchItNeeds) {
  const Context context = Conversation(3, 100);
  const std::string want = Must(context.Render({.at = "@t0"})).body;
  std::string room(100, '.');
  SpanSink small(room);
  RenderThread(Must(context.At("@t0")), small);
  EXPECT_FALSE(small.fits());
  EXPECT_EQ(small.size(), want.size());
  EXPECT_EQ(room, want.substr(0, 100));
  room.resize(want.size());
  SpanSink exact(room);
  RenderThread(Must(context.At("@t0")), exact);
  EXPECT_TRUE(exact.fits());
  EXPECT_EQ(room, want);
}

TEST(Render, SecondRenderingComesFromTheCache) {
  Context context = Conversation(400, 10);
  const std::shared_ptr<RenderCache> cache = context.render_cache();
  const std::string want = PlainThread(Must(context.At("@t0")));
  EXPECT_EQ(Rendered(Must(context.At("@t0")), cache.get()), want);
  const RenderCache::Stats first = cache->stats();
  EXPECT_GT(first.pieces, 5u);
  EXPECT_EQ(Rendered(Must(context.At("@t0")), cache.get()), want);
  EXPECT_EQ(cache->stats().misses, first.misses);
  EXPECT_EQ(cache->stats().hits, first.hits + first.misses);
}

TEST(Render, AnAdditionToAnOldTurnIsRenderedAnew) {
  Context context = Conversation(400, 10);
  Must(context.Render({.at = "@t0"}));
  const RenderCache::Stats before = context.render_cache()->stats();
  Must(context.Add(Block("late", "summary").Offset(1), {.parent = "seg:7"}));
  Must(context.Commit());
  EXPECT_EQ(Must(context.Render({.at = "@t0"})).body, PlainThread(Must(context.At("@t0"))));
  EXPECT_NE(Must(context.Render({.at = "@t0"})).body.find("late"), std::string::npos);
  // The run with the turn, and at most the one that was the newest and is now complete.
  EXPECT_LE(context.render_cache()->stats().misses, before.misses + 2);
}

TEST(Render, WithoutABudgetNothingIsKept) {
  Options options = support::SteppedOptions();
  options.render_cache_bytes = 0;
  Context context = NewContext(options);
  for (int turn = 0; turn < 100; ++turn) Must(context.Commit());
  Must(context.Render({.at = "@t0"}));
  EXPECT_EQ(context.render_cache()->stats().bytes, 0u);
}

// A session with enough turns that their list has several chunks.
template <typename Check>
void ForEachLongSession(std::size_t usual, Check check) {
  const std::size_t seeds = support::Scaled(usual);
  for (std::uint64_t seed = 0; seed < seeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    support::Session session(seed);
    for (int turn = 0; turn < 150; ++turn) {
      for (std::size_t step = session.random().Below(6); step > 0; --step) session.Step();
      if (!session.context().Commit()) continue;  // a strict policy
      check(session, Must(session.context().At("@t0")));
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(Render, REND_1_SER_15_NoCacheChangesAByte) {
  RenderCache large(1u << 20);
  ForEachLongSession(20, [&large](support::Session& session, const Snapshot& newest) {
    const std::string want = PlainThread(newest);
    ASSERT_EQ(Rendered(newest), want);
    // Shared by all sessions: pieces are named by what they hold.
    ASSERT_EQ(Rendered(newest, &large), want);
    RenderCache small(session.random().Below(20'000));
    ASSERT_EQ(Rendered(newest, &small), want);
    const RenderResult rendered = Must(session.context().Render({.at = "@t0"}));
    ASSERT_EQ(rendered.body, want);
    ASSERT_EQ(rendered.sha256, ToHex(Sha256Of(want)));
  });
}

TEST(Render, REND_10_ShowsTheWorkingStateAsItsCommitWillAndChangesNothing) {
  ForEachLongSession(10, [](support::Session& session, const Snapshot&) {
    for (int step = 0; step < 3; ++step) session.Step();
    Context& context = session.context();
    const std::string before = context.tree_sha256();
    const auto preview = context.Render();
    ASSERT_EQ(context.tree_sha256(), before);
    const auto commit = context.Commit({.hashes = true});
    ASSERT_EQ(support::CodeOf(preview), support::CodeOf(commit));
    if (!commit) return;
    ASSERT_EQ(preview->body, PlainThread(Must(context.At("@t0"))));
    ASSERT_EQ(preview->sha256, commit->thread_sha256);
  });
}

TEST(ThreadFollower, WritesWhatFollowsTheSharedBytes) {
  std::string thread;
  ThreadFollower follower;
  std::int64_t cycle = 0;
  ForEachLongSession(20, [&](support::Session& session, const Snapshot& newest) {
    if (newest.cycle() < cycle) follower = ThreadFollower();
    cycle = newest.cycle();
    // Now and then back to an older one.
    const Snapshot snapshot = session.random().Chance(10)
                                  ? session.context()
                                        .At("@t-" + std::to_string(session.random().Below(5)))
                                        .value_or(newest)
                                  : newest;
    std::string behind;
    StringSink sink(behind);
    const ThreadStep step = follower.Follow(snapshot, sink);
    ASSERT_LE(step.kept, thread.size());
    thread.resize(step.kept);
    thread += behind;
    ASSERT_EQ(thread.size(), step.total);
    ASSERT_EQ(thread, PlainThread(snapshot));
  });
}

TEST(ThreadFollower, AppendedTurnCostsItsOwnBytesOnly) {
  Context context = Conversation(100, 1'000);
  ThreadFollower follower;
  std::string bytes;
  StringSink sink(bytes);
  const ThreadStep all = follower.Follow(Must(context.At("@t0")), sink);
  EXPECT_EQ(all.kept, 0u);
  bytes.clear();
  EXPECT_EQ(follower.Follow(Must(context.At("@t0")), sink).kept, all.total);
  EXPECT_EQ(bytes, "");
  Must(context.Add(Block("", "new")));
  Must(context.Commit());
  EXPECT_EQ(follower.Follow(Must(context.At("@t0")), sink).kept, all.total - 1);
  EXPECT_EQ(bytes, ",{\"id\":\"block:101.1\",\"role\":\"user\",\"content\":\"new\"}]");
}

TEST(ThreadFollower, ASinkThatStopsLeavesItWhereItWas) {
  Context context = Conversation(3, 10);
  ThreadFollower follower;
  std::string bytes;
  StringSink sink(bytes);
  const ThreadStep before = follower.Follow(Must(context.At("@t-1")), sink);
  ShortSink stops(1);
  follower.Follow(Must(context.At("@t0")), stops);
  const ThreadStep after = follower.Follow(Must(context.At("@t0")), sink);
  EXPECT_EQ(after.kept, before.total - 1);
}

TEST(ThreadHash, IsOfTheThreadHoweverItWasReached) {
  ForEachLongSession(10, [](support::Session& session, const Snapshot& newest) {
    const std::string want = ToHex(Sha256Of(PlainThread(newest)));
    if (session.random().Chance(50)) {
      // Through the context, which goes on from the thread it hashed last.
      const std::string log = Must(session.context().Log({.limit = 3, .hashes = true}));
      ASSERT_NE(log.find(want), std::string::npos);
    }
    ASSERT_EQ(ThreadSha256(newest), want);
    const auto commit = session.context().Commit({.hashes = true});
    if (!commit) return;
    const Snapshot next = Must(session.context().At("@t0"));
    ASSERT_EQ(commit->thread_sha256, ToHex(Sha256Of(PlainThread(next))));
  });
}

// Long enough for several states of the hash to be kept, then a change in the middle.
TEST(ThreadHash, GoesOnFromBeforeAChangeInTheMiddle) {
  Context context = Conversation(60, 100'000);
  Must(context.Commit({.hashes = true}));
  Must(context.Add(Block("late", "x").Offset(-1), {.parent = "seg:40"}));
  const CommitResult commit = Must(context.Commit({.hashes = true}));
  EXPECT_EQ(commit.thread_sha256, ToHex(Sha256Of(PlainThread(Must(context.At("@t0"))))));
}

}  // namespace
}  // namespace pactdb
