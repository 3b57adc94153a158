// Adding and committing, by the number of turns already there.
#include <benchmark/benchmark.h>

#include <optional>

#include "check_result.h"
#include "setup.h"

namespace pactdb::bench {
namespace {

constexpr std::int64_t kFewTurns = 100;
constexpr std::int64_t kManyTurns = 10'000;

// One block into the open head. The head is emptied by a commit, untimed, before it grows large.
void BM_Add(benchmark::State& state) {
  const Workload workload({.turns = state.range(0)});
  Context context = Load(workload);
  const Turn turn = workload.MakeTurn(workload.turns() + 1);
  std::int64_t added = 0;
  for (auto _ : state) {
    const Block& block = turn[added % kBlocksPerTurn];
    NodeSpec spec;
    spec.Role(block.role).Kind(block.kind).Text(block.text);
    benchmark::DoNotOptimize(ValueOf(context.Add(spec), "add a block"));
    if (++added % 1000 == 0) {
      state.PauseTiming();
      ValueOf(context.Commit(), "commit");
      state.ResumeTiming();
    }
  }
}
BENCHMARK(BM_Add)->Arg(kFewTurns)->Arg(kManyTurns);

void BM_CommitTurn(benchmark::State& state) {
  const Workload workload({.turns = state.range(0)});
  Context context = Load(workload);
  const Turn turn = workload.MakeTurn(workload.turns() + 1);
  std::int64_t cycle = workload.turns();
  for (auto _ : state) {
    const CommitResult result = CommitTurn(context, turn);
    Check(result.cycle == ++cycle, "cycles follow each other");
  }
}
BENCHMARK(BM_CommitTurn)->Arg(kFewTurns)->Arg(kManyTurns);

void BM_CommitNothing(benchmark::State& state) {
  const Workload workload({.turns = state.range(0)});
  Context context = Load(workload);
  std::int64_t cycle = workload.turns();
  for (auto _ : state) {
    const CommitResult result = ValueOf(context.Commit(), "commit");
    Check(result.cycle == ++cycle, "cycles follow each other");
  }
}
BENCHMARK(BM_CommitNothing)->Arg(kFewTurns)->Arg(kManyTurns);

}  // namespace
}  // namespace pactdb::bench
