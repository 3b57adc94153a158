// One writer that commits, several readers that look: what each of them may rely on. Run under
// ThreadSanitizer. No sleeps; the writer's work bounds every loop.
#include <gtest/gtest.h>
#include <pactdb/context.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/contexts.h"
#include "support/crew.h"
#include "support/random.h"
#include "support/scale.h"

namespace pactdb {
namespace {

using support::Block;
using support::Must;
using support::NewContext;

constexpr int kReaders = 3;
constexpr int kBlocks = 8;

// Eight blocks with a key, named by turn and place.
void AddTurn(Context& context, std::int64_t turn) {
  for (int i = 0; i < kBlocks; ++i) {
    const std::string id = std::to_string(turn) + "-" + std::to_string(i);
    Must(context.Add(Block(id, "text of " + id).Key("key" + std::to_string(i))));
  }
}

// The snapshot is whole: as many turns as commits, each with its eight blocks.
void ExpectWhole(const Snapshot& snapshot) {
  const std::int64_t turns = snapshot.cycle();
  ASSERT_EQ(snapshot.turn_count(), static_cast<std::size_t>(turns));
  ASSERT_EQ(snapshot.node_count(), static_cast<std::size_t>(turns * (2 + kBlocks)));
  ASSERT_EQ(snapshot.root().child_count(), 3u);
  const NodeView seq = snapshot.root().child(1);
  for (std::int64_t turn = 1; turn <= turns; ++turn) {
    const NodeView node = seq.child(static_cast<std::size_t>(turn - 1));
    ASSERT_EQ(node.cycle(), turn);
    ASSERT_EQ(node.child_count(), 1u);
    ASSERT_EQ(node.child(0).child_count(), static_cast<std::size_t>(kBlocks));
    for (std::size_t i = 0; i < kBlocks; ++i) {
      const NodeView block = node.child(0).child(i);
      const std::string id = std::to_string(turn) + "-" + std::to_string(i);
      ASSERT_EQ(block.id(), id);
      ASSERT_EQ(block.content(), "\"text of " + id + "\"");
    }
  }
}

TEST(Readers, CONC_3_NeverSeeHalfACommit) {
  const auto commits = static_cast<std::int64_t>(support::Scaled(600));
  Context context = NewContext();
  std::vector<std::map<std::int64_t, std::string>> seen(kReaders);
  support::Crew crew;
  for (std::size_t reader = 0; reader < kReaders; ++reader) {
    crew.Add([&seen, reader, commits, latest = context.MakeReader()]() mutable {
      for (std::int64_t cycle = 0; cycle < commits;) {
        const Snapshot* snapshot = latest.Latest();
        if (snapshot == nullptr || snapshot->cycle() == cycle) continue;
        ASSERT_GT(snapshot->cycle(), cycle);  // never back in time
        cycle = snapshot->cycle();
        ExpectWhole(*snapshot);
        seen[reader][cycle] = snapshot->tree_sha256();
      }
    });
  }
  crew.Go();
  std::map<std::int64_t, std::string> committed;
  for (std::int64_t turn = 1; turn <= commits; ++turn) {
    AddTurn(context, turn);
    committed[turn] = Must(context.Commit()).tree_sha256;
  }
  crew.Join();
  for (const auto& reader : seen) {
    EXPECT_EQ(reader.rbegin()->first, commits);
    for (const auto& [cycle, hash] : reader) EXPECT_EQ(hash, committed[cycle]) << cycle;
  }
}

// Many render with one cache while the writer goes on, and the cache has room for half of it.
TEST(Readers, CONC_2_RenderThroughOneCache) {
  const auto commits = static_cast<std::int64_t>(support::Scaled(300));
  Context context = NewContext();
  const auto cache = std::make_shared<RenderCache>(static_cast<std::size_t>(commits) * 60);
  support::Crew crew;
  for (std::size_t reader = 0; reader < kReaders; ++reader) {
    crew.Add([commits, cache, latest = context.MakeReader()]() mutable {
      for (std::int64_t cycle = 0; cycle < commits;) {
        const Snapshot* snapshot = latest.Latest();
        if (snapshot == nullptr || snapshot->cycle() == cycle) continue;
        cycle = snapshot->cycle();
        std::string plain;
        std::string cached;
        StringSink plain_sink(plain);
        StringSink cached_sink(cached);
        RenderThread(*snapshot, plain_sink);
        RenderThread(*snapshot, cached_sink, cache.get());
        ASSERT_EQ(plain, cached);
        ASSERT_EQ(ThreadSha256(*snapshot), ThreadSha256(*snapshot));
      }
    });
  }
  crew.Go();
  for (std::int64_t turn = 1; turn <= commits; ++turn) {
    AddTurn(context, turn);
    Must(context.Commit({.hashes = turn % 2 == 0}));
  }
  crew.Join();
}

// Lookups by id, key and depth while the tables behind them grow.
TEST(Readers, CONC_2_LookUpWhileTheWriterAdds) {
  const auto commits = static_cast<std::int64_t>(support::Scaled(2000));
  Context context = NewContext();
  AddTurn(context, 1);
  Must(context.Commit());
  support::Crew crew;
  for (int reader = 0; reader < kReaders; ++reader) {
    crew.Add([commits, reader, latest = context.MakeReader()]() mutable {
      support::Random random(static_cast<std::uint64_t>(reader));
      for (std::int64_t cycle = 0; cycle < commits;) {
        const Snapshot& snapshot = *latest.Latest();
        cycle = snapshot.cycle();
        const std::int64_t turn = random.Between(1, cycle);
        const std::string id = std::to_string(turn) + "-3";
        const auto found = snapshot.Find(id);
        ASSERT_TRUE(found) << id << " at " << cycle;
        ASSERT_EQ(found->id(), id);
        ASSERT_EQ(found->depth(), cycle - turn + 1);
        ASSERT_EQ(found->parent()->parent()->id(), "seg:" + std::to_string(turn));
        ASSERT_EQ(snapshot.TurnAtDepth(cycle - turn + 1)->id(), "seg:" + std::to_string(turn));
        // What is still to come is not there yet.
        ASSERT_FALSE(snapshot.Find(std::to_string(cycle + 1) + "-3"));
        if (random.Chance(3)) {
          ASSERT_EQ(snapshot.FindByKey("key3").size(), static_cast<std::size_t>(cycle));
        }
      }
    });
  }
  crew.Go();
  for (std::int64_t turn = 2; turn <= commits; ++turn) {
    AddTurn(context, turn);
    Must(context.Commit());
  }
  crew.Join();
}

// Nodes that change, expire and go: old snapshots show them as they were.
TEST(Readers, CONC_4_HoldAndDropOldSnapshots) {
  const auto commits = static_cast<std::int64_t>(support::Scaled(1000));
  Context context = NewContext();
  Must(context.Add(Block("rules", "0"), {.parent = "^sys"}));
  Must(context.Commit());
  support::Crew crew;
  for (int reader = 0; reader < kReaders; ++reader) {
    crew.Add([commits, reader, latest = context.MakeReader()]() mutable {
      support::Random random(static_cast<std::uint64_t>(reader));
      std::vector<std::pair<Snapshot, std::string>> held;
      for (std::int64_t cycle = 0; cycle < commits;) {
        const Snapshot& snapshot = *latest.Latest();
        if (snapshot.cycle() != cycle) {
          cycle = snapshot.cycle();
          held.emplace_back(snapshot, support::Outline(snapshot));
          if (held.size() > 20) held.erase(held.begin() + random.Between(0, 19));
        }
        const auto& [old, outline] = held[random.Below(held.size())];
        ASSERT_EQ(support::Outline(old), outline);
        ASSERT_EQ(old.Find("rules")->content(), "\"" + std::to_string(old.cycle() - 1) + "\"");
        // Made in cycle c with ttl 2: in the snapshots c and c + 1.
        for (std::int64_t made = 2; made <= old.cycle(); ++made) {
          const auto node = old.Find("n" + std::to_string(made));
          ASSERT_EQ(node.has_value(), old.cycle() < made + 2) << made << " at " << old.cycle();
          ASSERT_TRUE(!node || node->ttl() == made + 1 - old.cycle());
        }
      }
    });
  }
  crew.Go();
  for (std::int64_t turn = 2; turn <= commits; ++turn) {
    Must(context.Update("rules", NodeSpec().Text(std::to_string(turn - 1))));
    Must(context.Add(Block("n" + std::to_string(turn)).Ttl(2).Tags({"t"})));
    Must(context.Commit());
  }
  crew.Join();
}

// Commits do not wait for readers: with every reader holding a snapshot and none moving on, the
// writer gets to its end all the same.
TEST(Readers, CONC_5_DoNotHoldUpTheWriter) {
  const auto commits = static_cast<std::int64_t>(support::Scaled(1000));
  Context context = NewContext();
  AddTurn(context, 1);
  Must(context.Commit());
  std::atomic<int> holding{0};
  std::atomic<bool> done{false};
  support::Crew crew;
  for (int reader = 0; reader < kReaders; ++reader) {
    crew.Add([&holding, &done, first = Must(context.At("@t0"))] {
      holding.fetch_add(1);
      while (!done.load(std::memory_order_acquire)) ExpectWhole(first);
    });
  }
  crew.Go();
  while (holding.load() < kReaders) std::this_thread::yield();
  for (std::int64_t turn = 2; turn <= commits; ++turn) {
    AddTurn(context, turn);
    Must(context.Commit());
  }
  EXPECT_EQ(Must(context.At("@t0")).cycle(), commits);
  done.store(true, std::memory_order_release);
  crew.Join();
}

TEST(Readers, CONC_4_OutliveTheContext) {
  const std::size_t rounds = support::Scaled(20);
  for (std::size_t round = 0; round < rounds; ++round) {
    std::optional<Context> context = NewContext();
    std::atomic<int> started{0};
    support::Crew crew;
    for (std::int64_t turn = 1; turn <= 10; ++turn) {
      AddTurn(*context, turn);
      Must(context->Commit());
    }
    for (int reader = 0; reader < kReaders; ++reader) {
      std::vector<Snapshot> snapshots;
      for (int i = 0; i < 4; ++i)
        snapshots.push_back(Must(context->At("@c" + std::to_string(1 + reader + 2 * i))));
      crew.Add(
          [&started, snapshots = std::move(snapshots), latest = context->MakeReader()]() mutable {
            started.fetch_add(1);
            while (!snapshots.empty()) {
              for (const Snapshot& snapshot : snapshots) ExpectWhole(snapshot);
              snapshots.pop_back();
            }
            ASSERT_EQ(latest.Latest()->cycle(), 10);
          });
    }
    crew.Go();
    while (started.load() == 0) std::this_thread::yield();
    context.reset();
    crew.Join();
  }
}

// A log that fails half way is rolled back under the readers' eyes; they see none of it.
TEST(Readers, CONC_3_SeeNothingOfAnImportThatIsRolledBack) {
  const auto rounds = static_cast<std::int64_t>(support::Scaled(1000));
  Context context = NewContext();
  Must(context.Add(Block("rules", "0"), {.parent = "^sys"}));
  Must(context.Commit());
  const std::string log = R"([{"role":"user","id":"q1"},{"role":"assistant","id":"a1","key":"k"},
      {"role":"user","id":"q2"},{"role":"assistant","id":"a2","key":"k"},
      {"role":"user","id":"q3"},{"role":7}])";
  support::Crew crew;
  for (int reader = 0; reader < kReaders; ++reader) {
    crew.Add([rounds, latest = context.MakeReader()]() mutable {
      for (std::int64_t cycle = 0; cycle < rounds;) {
        const Snapshot& snapshot = *latest.Latest();
        cycle = snapshot.cycle();
        ASSERT_EQ(snapshot.turn_count(), static_cast<std::size_t>(cycle));
        ASSERT_EQ(snapshot.Find("rules")->content(), "\"" + std::to_string(cycle - 1) + "\"");
        for (const std::string_view id : {"q1", "a1", "q2", "a2"}) ASSERT_FALSE(snapshot.Find(id));
        ASSERT_TRUE(snapshot.FindByKey("k").empty());
        const auto note = snapshot.Find("note" + std::to_string(cycle));
        ASSERT_TRUE(note || cycle == 1);
      }
    });
  }
  crew.Go();
  for (std::int64_t round = 2; round <= rounds; ++round) {
    // Nodes with many versions: each commit of the log, and each one taken back, touches them.
    Must(context.Update("rules", NodeSpec().Text(std::to_string(round - 1))));
    Must(context.Add(Block("note" + std::to_string(round)).Ttl(2).Offset(1)));
    ASSERT_FALSE(context.ImportLog(log));
    Must(context.Commit());
  }
  crew.Join();
  EXPECT_EQ(context.Verify(), support::VerifyOk());
}

// Handles are given out by the writer and dropped anywhere.
TEST(NodeRef, CONC_6_MayBeDroppedOnAnyThread) {
  const auto commits = static_cast<std::int64_t>(support::Scaled(1000));
  Context context = NewContext();
  std::mutex mutex;
  std::vector<NodeRef> handles;
  std::atomic<bool> done{false};
  support::Crew crew;
  for (int thread = 0; thread < kReaders; ++thread) {
    crew.Add([&] {
      while (true) {
        const bool last_round = done.load(std::memory_order_acquire);
        std::optional<NodeRef> dropped;
        {
          const std::lock_guard lock(mutex);
          if (handles.empty() && last_round) return;
          if (!handles.empty()) {
            dropped = std::move(handles.back());
            handles.pop_back();
          }
        }
        if (!dropped) std::this_thread::yield();
      }
    });
  }
  crew.Go();
  for (std::int64_t turn = 1; turn <= commits; ++turn) {
    const std::string id = "n" + std::to_string(turn);
    Must(context.Add(Block(id).Ttl(0)));
    NodeRef ref = Must(context.Hold(id));
    const CommitResult commit = Must(context.Commit());
    EXPECT_FALSE(commit.deferred.empty());
    EXPECT_TRUE(ref.Get());
    const std::lock_guard lock(mutex);
    handles.push_back(std::move(ref));
  }
  done.store(true, std::memory_order_release);
  crew.Join();
  Must(context.Commit());
  EXPECT_EQ(support::NumberIn(context.Stats(), "ttl_nodes"), 0);
}

}  // namespace
}  // namespace pactdb
