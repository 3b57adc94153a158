// Adding and committing, by the number of turns already there.
#include <benchmark/benchmark.h>

#include <functional>
#include <map>

#include "check_result.h"
#include "setup.h"

namespace pactdb::bench {
namespace {

constexpr std::int64_t kFewTurns = 100;
constexpr std::int64_t kManyTurns = 10'000;

// One a size for all benchmarks and their repetitions: loading takes longer than any of them.
LoadedContext& LoadedOf(std::int64_t turns) {
  static std::map<std::int64_t, LoadedContext> loaded;
  return loaded.try_emplace(turns, turns).first->second;
}

// Runs `step` on a context that stays near its size; loading is not timed.
void RunSteps(benchmark::State& state, const std::function<void(Context&)>& step) {
  LoadedContext& loaded = LoadedOf(state.range(0));
  Context* context = &loaded.Get();
  int steps = 0;
  for (auto _ : state) {
    step(*context);
    if (++steps % 16 != 0) continue;
    state.PauseTiming();
    context = &loaded.Get();
    state.ResumeTiming();
  }
}

void CheckCommit(Context& context, const CommitResult& result) {
  Check(result.cycle + 1 == context.open_cycle(), "a commit opens the next cycle");
}

// Eight blocks into the open head, and the commit that empties it, untimed.
void BM_AddTurn(benchmark::State& state) {
  Context& context = LoadedOf(state.range(0)).Get();
  const Turn turn = LoadedOf(state.range(0)).workload().MakeTurn(1);
  for (auto _ : state) {
    AddTurn(context, turn);
    state.PauseTiming();
    CheckCommit(context, ValueOf(context.Commit(), "commit"));
    state.ResumeTiming();
  }
}
BENCHMARK(BM_AddTurn)->Arg(kFewTurns)->Arg(kManyTurns);

void BM_CommitTurn(benchmark::State& state) {
  const Turn turn = LoadedOf(state.range(0)).workload().MakeTurn(1);
  RunSteps(state, [&](Context& context) { CheckCommit(context, CommitTurn(context, turn)); });
}
BENCHMARK(BM_CommitTurn)->Arg(kFewTurns)->Arg(kManyTurns);

void BM_CommitNothing(benchmark::State& state) {
  RunSteps(state,
           [](Context& context) { CheckCommit(context, ValueOf(context.Commit(), "commit")); });
}
BENCHMARK(BM_CommitNothing)->Arg(kFewTurns)->Arg(kManyTurns);

}  // namespace
}  // namespace pactdb::bench
