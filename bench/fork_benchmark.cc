// Forking, by the number of turns already there: it must not matter. And a lookup in a fork beside
// one in its origin.
#include <benchmark/benchmark.h>

#include <map>

#include "check_result.h"
#include "setup.h"

namespace pactdb::bench {
namespace {

constexpr std::int64_t kFewTurns = 1'000;
constexpr std::int64_t kManyTurns = 100'000;

const Context& ContextOf(std::int64_t turns) {
  static std::map<std::int64_t, Context> loaded;
  const auto found = loaded.find(turns);
  if (found != loaded.end()) return found->second;
  return loaded.emplace(turns, Load(Workload({.turns = turns}))).first->second;
}

void BM_Fork(benchmark::State& state) {
  const Context& context = ContextOf(state.range(0));
  for (auto _ : state) {
    const Context fork = ValueOf(context.Fork("@t0"), "fork");
    Check(fork.open_cycle() == context.open_cycle(), "a fork opens the cycle after its snapshot");
  }
}
BENCHMARK(BM_Fork)->Arg(kFewTurns)->Arg(kManyTurns);

void FindIds(benchmark::State& state, const Snapshot& snapshot) {
  const auto ids = PickBlockIds(state.range(0), 4096, 1);
  std::size_t next = 0;
  for (auto _ : state) {
    const auto node = snapshot.Find(ids[next++ % ids.size()]);
    Check(node && node->created_at_ns() > 0, "the id is found");
  }
}

void BM_FindInOrigin(benchmark::State& state) {
  FindIds(state, ValueOf(ContextOf(state.range(0)).At("@t0"), "take @t0"));
}
BENCHMARK(BM_FindInOrigin)->Arg(kFewTurns)->Arg(kManyTurns);

void BM_FindInFork(benchmark::State& state) {
  Context fork = ValueOf(ContextOf(state.range(0)).Fork("@t0"), "fork");
  ValueOf(fork.Commit(), "commit");
  FindIds(state, ValueOf(fork.At("@t0"), "take @t0"));
}
BENCHMARK(BM_FindInFork)->Arg(kFewTurns)->Arg(kManyTurns);

}  // namespace
}  // namespace pactdb::bench
