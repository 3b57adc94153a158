// Comparing snapshots, by the number of turns there are: ten scattered changes a commit.
#include <benchmark/benchmark.h>
#include <pactdb/diff.h>

#include <vector>

#include "check_result.h"
#include "setup.h"

namespace pactdb::bench {
namespace {

constexpr int kCommits = 50;

std::vector<Snapshot> MakeSnapshots(std::int64_t turns) {
  Context context = Load(Workload({.turns = turns}));
  std::vector<Snapshot> snapshots = {ValueOf(context.At("@t0"), "take @t0")};
  for (int i = 0; i < kCommits; ++i) {
    for (const std::string& id : PickBlockIds(turns, 10, static_cast<std::uint64_t>(i)))
      Check(context.Pin(id).has_value(), "pin a block");
    ValueOf(context.Commit(), "commit");
    snapshots.push_back(ValueOf(context.At("@t0"), "take @t0"));
  }
  return snapshots;
}

void BM_DiffAdjacent(benchmark::State& state) {
  const std::vector<Snapshot> snapshots = MakeSnapshots(state.range(0));
  std::size_t at = 1;
  for (auto _ : state) {
    const SnapshotDiff diff = Diff(snapshots[at - 1], snapshots[at]);
    Check(diff.added.size() == 2, "a commit seals a turn");
    at = at % kCommits + 1;
  }
}
BENCHMARK(BM_DiffAdjacent)->Arg(100)->Arg(10'000);

void BM_DiffAll(benchmark::State& state) {
  const std::vector<Snapshot> snapshots = MakeSnapshots(state.range(0));
  for (auto _ : state) {
    const SnapshotDiff diff = Diff(snapshots.front(), snapshots.back());
    Check(diff.added.size() == 2 * kCommits, "every commit seals a turn");
  }
}
BENCHMARK(BM_DiffAll)->Arg(100)->Arg(10'000);

}  // namespace
}  // namespace pactdb::bench
