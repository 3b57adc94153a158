// Content hashes, of 8 different blocks in turn.
#include <benchmark/benchmark.h>
#include <pactdb/context.h>

#include "base/sha256.h"
#include "check_result.h"
#include "workload.h"

namespace pactdb::bench {
namespace {

// The reference: SHA-256 of as many bytes as a block's canonical form has, context reused.
void BM_Sha256OfBlock(benchmark::State& state) {
  const Turn turn = Workload({}).MakeTurn(1);
  std::size_t next = 0;
  std::size_t bytes = 0;
  for (auto _ : state) {
    const std::string& text = turn[next++ % turn.size()].text;
    benchmark::DoNotOptimize(Sha256Of(text));
    bytes += text.size();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}
BENCHMARK(BM_Sha256OfBlock);

void BM_HashNode(benchmark::State& state) {
  const Turn turn = Workload({}).MakeTurn(1);
  std::vector<NodeSpec> specs(turn.size());
  for (std::size_t i = 0; i < turn.size(); ++i) {
    specs[i].Role(turn[i].role).Kind(turn[i].kind).Text(turn[i].text);
  }
  Check(HashNode(specs[0]).size() == 64, "a content hash is 64 hexadecimal digits");
  Check(HashNode(specs[0]) != HashNode(specs[1]), "different content hashes differently");
  std::size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(HashNode(specs[next++ % specs.size()]));
}
BENCHMARK(BM_HashNode);

void BM_MakeSpec(benchmark::State& state) {
  const Turn turn = Workload({}).MakeTurn(1);
  std::size_t next = 0;
  for (auto _ : state) {
    const Block& block = turn[next++ % turn.size()];
    NodeSpec spec;
    spec.Role(block.role).Kind(block.kind).Text(block.text);
    Check(!spec.fault(), "the text is valid");
    benchmark::DoNotOptimize(spec);
  }
}
BENCHMARK(BM_MakeSpec);

}  // namespace
}  // namespace pactdb::bench
