// Far snapshots read by threads, while the writer commits, loads others and lets go of what it
// kept. Run under ThreadSanitizer.
#include <gtest/gtest.h>
#include <pactdb/database.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/contexts.h"
#include "support/crew.h"
#include "support/folder.h"
#include "support/scale.h"

namespace pactdb {
namespace {

using support::MainOf;
using support::Must;

constexpr std::int64_t kTurns = 160;

std::string Cycle(std::int64_t cycle) {
  return "@c" + std::to_string(cycle);
}

void CommitTurn(Context& context, std::int64_t turn) {
  const std::string number = std::to_string(turn);
  Must(context.Add(NodeSpec().Id("said" + number).Tags({"said"}).Text(number)));
  Must(context.Add(NodeSpec().Id("doc" + number).Offset(1).Ttl(3).Tags({"doc"}).Text(number)));
  Must(context.Commit());
}

// What a snapshot of these contexts holds follows from its cycle.
void ReadAll(const Snapshot& snapshot) {
  const std::int64_t cycle = snapshot.cycle();
  ASSERT_EQ(snapshot.FindByTag("said").size(), static_cast<std::size_t>(cycle));
  ASSERT_EQ(snapshot.FindByTag("doc").size(), 3u);
  for (std::int64_t turn = 1; turn <= kTurns; turn += 1 + turn % 5) {
    const std::string number = std::to_string(turn);
    const auto said = snapshot.Find("said" + number);
    ASSERT_EQ(said.has_value(), turn <= cycle);
    if (said) {
      ASSERT_EQ(said->content(), "\"" + number + "\"");
    }
    ASSERT_EQ(snapshot.Find("doc" + number).has_value(), turn <= cycle && turn > cycle - 3);
  }
}

// Some by themselves, some step by step from these.
std::vector<Snapshot> LoadFar(const Context& context, std::int64_t shift) {
  std::vector<Snapshot> snapshots;
  for (const std::int64_t cycle : {90, 89, 88, 84, 30, 29, 60})
    snapshots.push_back(Must(context.At(Cycle(cycle - shift))));
  return snapshots;
}

TEST(FarThreads, FarSnapshotsAreReadWhileOthersAreLoaded) {
  const support::Folder folder;
  const std::string path = folder.path("far.pactdb");
  {
    Database database = Must(Database::Open(path, Access::kCreate));
    for (std::int64_t turn = 1; turn <= kTurns; ++turn) CommitTurn(MainOf(database), turn);
  }
  const std::size_t rounds = 1 + support::Scaled(3);
  for (std::size_t round = 0; round < rounds; ++round) {
    Database database = Must(Database::Open(path));
    Context& main = MainOf(database);
    const std::int64_t newest = main.open_cycle() - 1;
    Context& fork = *Must(database.Fork("main", "@t0", "fork" + std::to_string(round)));
    std::atomic<bool> is_done = false;
    support::Crew crew;
    for (const Context* context : {&main, &fork}) {
      crew.Add([snapshots = LoadFar(*context, 0), &is_done] {
        while (!is_done) {
          for (const Snapshot& snapshot : snapshots) ReadAll(snapshot);
        }
      });
    }
    crew.Go();
    for (Context* context : {&main, &fork}) {
      for (std::int64_t step = 1; step <= 8; ++step) {
        // On from where the readers' snapshots are.
        Must(context->At(Cycle(84 - step)));
        Must(context->SelectRange(Cycle(10 + step) + ".." + Cycle(14 + step) + " .block"));
        CommitTurn(*context, newest + step);
      }
      for (const Snapshot& snapshot : LoadFar(*context, 5)) ReadAll(snapshot);
      // All are loaded, and the far ones let go; readers hold what they have.
      EXPECT_FALSE(Must(context->Select("@* #said1")).empty());
      for (const Snapshot& snapshot : LoadFar(*context, 0)) ReadAll(snapshot);
    }
    is_done = true;
    crew.Join();
  }
}

}  // namespace
}  // namespace pactdb
