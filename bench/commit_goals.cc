// Goals 9 and 10: what a commit costs as the tree grows, beside SQLite doing the same.
//
// Ours are timed as a program sees them: building the specs, adding, and the commit with its tree
// hash and without a thread hash. A commit of ten scattered nodes also seals a turn of its own.
#include <algorithm>
#include <functional>

#include "check_result.h"
#include "goals.h"
#include "setup.h"

namespace pactdb::bench {
namespace {

using Round = std::function<void(Fixtures&, std::int64_t turns, Series&)>;

void AppendToContext(Fixtures& fixtures, std::int64_t turns, Series& series) {
  const Workload workload({.turns = turns});
  for (int i = 0; i < fixtures.plan().commits; ++i) {
    Context& context = fixtures.GetContext(turns);
    const std::int64_t cycle = context.open_cycle();
    const Turn turn = workload.MakeTurn(cycle);
    CommitResult result;
    series.Add(TimeNs([&] { result = CommitTurn(context, turn); }));
    Check(result.cycle == cycle && result.tree_sha256.size() == 64,
          "a commit gives its cycle and hash");
  }
  const Snapshot newest = ValueOf(fixtures.GetContext(turns).At("@t0"), "take @t0");
  const auto last = newest.Find(BlockId(newest.cycle(), kBlocksPerTurn));
  Check(last && last->depth() == 1, "the last appended block is in the newest turn");
}

void AppendToTable(Fixtures& fixtures, std::int64_t turns, Series& series) {
  const Workload workload({.turns = turns});
  for (int i = 0; i < fixtures.plan().commits; ++i) {
    IntervalTable& table = fixtures.GetTable(turns);
    const Turn turn = workload.MakeTurn(table.cycle() + 1);
    series.Add(TimeNs([&] { table.CommitTurn(turn); }));
  }
}

struct Attachment {
  std::string text;
  Place place;
};

std::vector<Attachment> PickAttachments(const Workload& workload, std::uint64_t seed) {
  Random random(seed);
  std::vector<Attachment> picked(kScatteredNodes);
  for (Attachment& attachment : picked) {
    attachment.text = workload.MakeText(random.Next());
    const auto cycle = 1 + static_cast<std::int64_t>(random.Below(workload.turns()));
    attachment.place.parent = TurnId(cycle);
  }
  return picked;
}

void ScatterOverContext(Fixtures& fixtures, std::int64_t turns, Series& series) {
  const Workload workload({.turns = turns});
  for (int i = 0; i < fixtures.plan().commits; ++i) {
    Context& context = fixtures.GetContext(turns);
    const auto attachments = PickAttachments(workload, context.open_cycle());
    CommitResult result;
    std::string last_id;
    series.Add(TimeNs([&] {
      for (const Attachment& attachment : attachments) {
        NodeSpec spec;
        spec.Role("user").Kind("text").Offset(1).Text(attachment.text);
        last_id = ValueOf(context.Add(spec, attachment.place), "attach a block").id;
      }
      result = ValueOf(context.Commit(), "commit");
    }));
    const Snapshot newest = ValueOf(context.At("@t0"), "take @t0");
    const auto last = newest.Find(last_id);
    Check(last && last->parent()->id() == *attachments.back().place.parent,
          "an attached block stands in the turn it was given to");
  }
}

// Ours and the table at every size, the sizes interleaved too.
std::vector<Row> CompareSizes(Fixtures& fixtures, std::string_view goal, std::string_view what,
                              const Round& ours, const Round& table) {
  const std::vector<std::int64_t>& sizes = fixtures.plan().sizes;
  std::vector<Series> our_series(sizes.size());
  std::vector<Series> table_series(sizes.size());
  std::vector<Contender> contenders;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::int64_t turns = sizes[i];
    contenders.push_back({&our_series[i], [&, turns](Series& s) { ours(fixtures, turns, s); }});
    contenders.push_back({&table_series[i], [&, turns](Series& s) { table(fixtures, turns, s); }});
  }
  Interleave(fixtures.plan().rounds, contenders);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    IntervalTable& made = fixtures.GetTable(sizes[i]);
    Check(made.CountRows() == made.cycle() * kNodesPerTurn, "every commit of SQLite made ten rows");
    rows.push_back({.goal = std::string(goal),
                    .what = std::string(what) + ", " + SizeName(sizes[i]),
                    .unit = Unit::kUs,
                    .ours = our_series[i].Summarize(),
                    .reference_name = "SQLite in memory",
                    .reference = table_series[i].Summarize()});
  }
  return rows;
}

// The largest size against the smallest, both ours.
Row MakeGrowthRow(const Plan& plan, const std::vector<Row>& rows, Bar bar) {
  return {.goal = rows.back().goal,
          .what = "growth, " + SizeName(plan.largest()) + " to " + SizeName(plan.smallest()),
          .unit = Unit::kUs,
          .ours = rows.back().ours,
          .reference_name = SizeName(plan.smallest()),
          .reference = rows.front().ours,
          .bar = bar};
}

}  // namespace

void ScatterOverTable(Fixtures& fixtures, std::int64_t turns, Series& series) {
  const Workload workload({.turns = turns});
  for (int i = 0; i < fixtures.plan().commits; ++i) {
    IntervalTable& table = fixtures.GetTable(turns);
    const auto seed = static_cast<std::uint64_t>(table.cycle());
    const auto ids = PickBlockIds(turns, kScatteredNodes, seed);
    const std::string text = workload.MakeText(seed);
    series.Add(TimeNs([&] { table.CommitChanges(ids, text); }));
  }
}

std::vector<Row> MeasureAppend(Fixtures& fixtures) {
  std::vector<Row> rows =
      CompareSizes(fixtures, "9", "append 10 nodes", AppendToContext, AppendToTable);
  rows.back().bar = {.must = 0.6, .figure_aim = 15e3};
  rows.push_back(MakeGrowthRow(fixtures.plan(), rows, {.must = 1.5, .aim = 1.2}));
  return rows;
}

std::vector<Row> MeasureScattered(Fixtures& fixtures) {
  std::vector<Row> rows =
      CompareSizes(fixtures, "10", "10 scattered nodes", ScatterOverContext, ScatterOverTable);
  rows.back().bar = {.must = 0.15, .figure_aim = 60e3};
  rows.push_back(MakeGrowthRow(fixtures.plan(), rows, {.must = 3.5, .aim = 2.5}));
  return rows;
}

}  // namespace pactdb::bench
