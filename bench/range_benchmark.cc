// Ranges of snapshots by the size of the tree, and content differences by the size of the change.
#include <benchmark/benchmark.h>

#include <map>
#include <memory>
#include <random>
#include <string>

#include "check_result.h"
#include "diff/json_patch.h"
#include "diff/token_hunks.h"
#include "diff/unified.h"
#include "setup.h"

namespace pactdb::bench {
namespace {

constexpr std::int64_t kFewTurns = 100;
constexpr std::int64_t kManyTurns = 10'000;

// The workload and ten more turns, so that the newest eleven snapshots differ by a turn each.
const Context& LoadHistory(std::int64_t turns) {
  static std::map<std::int64_t, std::unique_ptr<Context>> loaded;
  std::unique_ptr<Context>& context = loaded[turns];
  if (context == nullptr) {
    const Workload workload({.turns = turns});
    context = std::make_unique<Context>(Load(workload));
    for (std::int64_t i = 1; i <= 10; ++i) CommitTurn(*context, workload.MakeTurn(turns + i));
  }
  return *context;
}

void RunRange(benchmark::State& state, std::string_view text) {
  const Context& context = LoadHistory(state.range(0));
  const Selector selector = ValueOf(Selector::Parse(text), "parse the selector");
  for (auto _ : state) {
    const std::string answer = ValueOf(context.SelectRange(selector), "select the range");
    Check(answer.size() > 2'000, "ten blocks");
  }
}

// Tested on what changed: the same at any size.
void BM_RangeByChange(benchmark::State& state) {
  RunRange(state, "@t-10..@t0 ^seq .block[role=user]");
}
BENCHMARK(BM_RangeByChange)->Arg(kFewTurns)->Arg(kManyTurns);

// A pick looks at all matches of every snapshot.
void BM_RangeByMatches(benchmark::State& state) {
  RunRange(state, "@t-10..@t0 ^seq .seg .block[role=user]:first");
}
BENCHMARK(BM_RangeByMatches)->Arg(kFewTurns)->Arg(kManyTurns);

// --- contents: 10,000 lines of five words, of which the argument's number differ ---

struct TextPair {
  std::string older;
  std::string newer;
};

TextPair MakeTexts(std::int64_t changes) {
  constexpr std::int64_t kLines = 10'000;
  std::mt19937_64 random(1);
  TextPair texts;
  for (std::int64_t line = 0; line < kLines; ++line) {
    std::string words;
    for (int i = 0; i < 5; ++i) words += "word" + std::to_string(random() % 1000) + ' ';
    texts.older += words + '\n';
    const bool is_changed = line % (kLines / changes) == 0;
    texts.newer += (is_changed ? "changed " + words.substr(8) : words) + '\n';
  }
  return texts;
}

void BM_UnifiedDiff(benchmark::State& state) {
  const TextPair texts = MakeTexts(state.range(0));
  for (auto _ : state) {
    Check(!diff::UnifiedDiff({"a", texts.older}, {"b", texts.newer}, 3).empty(), "they differ");
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * texts.older.size()));
}
BENCHMARK(BM_UnifiedDiff)->Arg(1)->Arg(100)->Arg(5'000);

void BM_TokenHunks(benchmark::State& state) {
  const TextPair texts = MakeTexts(state.range(0));
  for (auto _ : state) {
    Check(diff::DiffTokens(texts.older, texts.newer).hunks.size() > 2, "they differ");
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * texts.older.size()));
}
BENCHMARK(BM_TokenHunks)->Arg(1)->Arg(100)->Arg(5'000);

void BM_JsonPatch(benchmark::State& state) {
  TextPair texts{"[", "["};
  for (std::int64_t i = 0; i < 10'000; ++i) {
    const std::string comma = i == 0 ? "" : ",";
    const std::string rest = ",\"name\":\"item " + std::to_string(i) + "\"}";
    texts.older += comma + "{\"a\":1" + rest;
    texts.newer += comma + (i % (10'000 / state.range(0)) == 0 ? "{\"a\":2" : "{\"a\":1") + rest;
  }
  texts.older += ']';
  texts.newer += ']';
  for (auto _ : state) {
    Check(diff::JsonPatch(texts.older, texts.newer).size() > 2, "they differ");
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * texts.older.size()));
}
BENCHMARK(BM_JsonPatch)->Arg(1)->Arg(100)->Arg(5'000);

}  // namespace
}  // namespace pactdb::bench
