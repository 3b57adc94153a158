// Reading a snapshot: by id, by depth, child by child; by the number of turns.
#include <benchmark/benchmark.h>

#include <map>

#include "check_result.h"
#include "setup.h"

namespace pactdb::bench {
namespace {

constexpr std::int64_t kFewTurns = 100;
constexpr std::int64_t kManyTurns = 10'000;

// One a size for all benchmarks and their repetitions: loading takes longer than any of them.
const Snapshot& LoadSnapshot(std::int64_t turns) {
  static std::map<std::int64_t, Snapshot> loaded;
  const auto found = loaded.find(turns);
  if (found != loaded.end()) return found->second;
  const Snapshot newest = ValueOf(Load(Workload({.turns = turns})).At("@t0"), "take @t0");
  return loaded.emplace(turns, newest).first->second;
}

void BM_FindById(benchmark::State& state) {
  const Snapshot& snapshot = LoadSnapshot(state.range(0));
  const auto ids = PickBlockIds(state.range(0), 4096, 1);
  std::size_t next = 0;
  for (auto _ : state) {
    const auto node = snapshot.Find(ids[next++ % ids.size()]);
    Check(node && node->created_at_ns() > 0, "the id is found");
  }
}
BENCHMARK(BM_FindById)->Arg(kFewTurns)->Arg(kManyTurns);

void BM_FindNothing(benchmark::State& state) {
  const Snapshot& snapshot = LoadSnapshot(state.range(0));
  for (auto _ : state) Check(!snapshot.Find("block:0.0"), "an unknown id is not found");
}
BENCHMARK(BM_FindNothing)->Arg(kFewTurns)->Arg(kManyTurns);

void BM_TurnAtDepth(benchmark::State& state) {
  const Snapshot& snapshot = LoadSnapshot(state.range(0));
  std::int64_t depth = 0;
  for (auto _ : state) {
    depth = depth % state.range(0) + 1;
    Check(snapshot.TurnAtDepth(depth).has_value(), "every depth has its turn");
  }
}
BENCHMARK(BM_TurnAtDepth)->Arg(kFewTurns)->Arg(kManyTurns);

// The eight blocks of one turn, by place.
void BM_ReadTurn(benchmark::State& state) {
  const Snapshot& snapshot = LoadSnapshot(state.range(0));
  const NodeView core = snapshot.Find(CoreId(state.range(0) / 2)).value();
  for (auto _ : state) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < core.child_count(); ++i) bytes += core.child(i).content()->size();
    Check(bytes > 0, "the blocks have content");
  }
}
BENCHMARK(BM_ReadTurn)->Arg(kFewTurns)->Arg(kManyTurns);

void BM_CopySnapshot(benchmark::State& state) {
  const Snapshot& snapshot = LoadSnapshot(kFewTurns);
  for (auto _ : state) {
    const Snapshot copy = snapshot;
    benchmark::DoNotOptimize(copy.cycle());
  }
}
BENCHMARK(BM_CopySnapshot);

}  // namespace
}  // namespace pactdb::bench
