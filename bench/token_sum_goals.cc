// Goal "tokens": what a snapshot's sum costs after one more turn, as the history grows.
//
// The first sum counts every text once; it is shown beside, as the speed of counting a whole tree.
#include <fmt/format.h>
#include <pactdb/tokens.h>

#include <cstdio>
#include <string>

#include "check_result.h"
#include "goals.h"
#include "setup.h"

namespace pactdb::bench {
namespace {

std::int64_t Total(const Context& context) {
  const std::string answer = ValueOf(context.Tokens({.at = "@t0"}), "count tokens");
  const std::size_t at = answer.find(R"("total":)");
  Check(at != std::string::npos, "tokens gives a total");
  return std::stoll(answer.substr(at + 8));
}

struct Size {
  std::int64_t turns = 0;
  Context context;
  Series again = {};
};

void CountAfterTurns(Size& size, int commits, Series& series) {
  const Workload workload({.turns = size.turns});
  std::int64_t before = Total(size.context);
  for (int i = 0; i < commits; ++i) {
    CommitTurn(size.context, workload.MakeTurn(size.context.open_cycle()));
    std::int64_t after = 0;
    series.Add(TimeNs([&] { after = Total(size.context); }));
    Check(after > before, "a turn costs tokens");
    before = after;
  }
}

}  // namespace

std::vector<Row> MeasureTokenSums(Fixtures& fixtures) {
  if (const auto found = Tokenizer::Find("o200k_base"); !found) {
    fmt::print(stderr, "tokens: {}\n", found.error().message());
    return {};
  }
  const Plan& plan = fixtures.plan();
  std::vector<Size> sizes;
  std::vector<Row> rows;
  for (const std::int64_t turns : plan.sizes) {
    sizes.push_back({.turns = turns, .context = Load(Workload({.turns = turns}))});
    std::int64_t total = 0;
    Series first;
    first.BeginRound();
    first.Add(TimeNs([&] { total = Total(sizes.back().context); }));
    rows.push_back({.goal = "tokens",
                    .what = fmt::format("the first sum, {} tokens, {}", total, SizeName(turns)),
                    .unit = Unit::kMs,
                    .ours = first.Summarize()});
  }
  std::vector<Contender> contenders;
  contenders.reserve(sizes.size());
  for (Size& size : sizes) {
    contenders.push_back({&size.again, [&](Series& s) { CountAfterTurns(size, plan.commits, s); }});
  }
  Interleave(plan.rounds, contenders);
  rows.push_back({.goal = "tokens",
                  .what = "the sum after one more turn, " + SizeName(plan.largest()),
                  .unit = Unit::kUs,
                  .ours = sizes.back().again.Summarize(),
                  .reference_name = SizeName(plan.smallest()),
                  .reference = sizes.front().again.Summarize(),
                  .bar = {.must = 1.5}});
  return rows;
}

}  // namespace pactdb::bench
