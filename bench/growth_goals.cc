// How the common operations grow from a thousand nodes to a million: figures for the plots
// (tools/plots.py) and for docs/scale.md. No bars: the goals have them.
#include <pactdb/diff.h>
#include <pactdb/selector.h>

#include <algorithm>

#include "check_result.h"
#include "goals.h"
#include "setup.h"
#include "stored_turns.h"

namespace pactdb::bench {
namespace {

struct Point {
  std::int64_t turns = 0;
  Series commit = {};
  Series select = {};
  Series diff = {};
};

void Step(Fixtures& fixtures, Point& point, const Selector& recent) {
  const Workload workload({.turns = point.turns});
  Context& context = fixtures.GetContext(point.turns);
  const Snapshot before = ValueOf(context.At("@t0"), "take @t0");
  const Turn turn = workload.MakeTurn(context.open_cycle());
  point.commit.Add(TimeNs([&] { CommitTurn(context, turn); }));
  const Snapshot after = ValueOf(context.At("@t0"), "take @t0");
  std::size_t hits = 0;
  point.select.Add(TimeNs([&] { hits = ValueOf(Select(after, recent), "select").size(); }));
  // The two before may be other goals' turns, and empty.
  Check(hits >= std::size_t{kUserBlocksPerTurn}, "the newest turns have their user's blocks");
  SnapshotDiff diff;
  point.diff.Add(TimeNs([&] { diff = Diff(before, after); }));
  Check(diff.added.size() == kNodesPerTurn, "the diff is the turn");
}

Row MakeRow(std::string what, std::int64_t turns, Unit unit, const Figure& figure) {
  return {
      .goal = "",
      .what = "growth of " + std::move(what) + ", nodes: " + std::to_string(turns * kNodesPerTurn),
      .unit = unit,
      .ours = figure};
}

std::vector<std::int64_t> Sizes(const Plan& plan) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t turns = kW1Turns; turns <= plan.largest(); turns *= 10) sizes.push_back(turns);
  return sizes;
}

}  // namespace

std::vector<Row> MeasureGrowth(Fixtures& fixtures) {
  const Plan& plan = fixtures.plan();
  const Selector recent =
      ValueOf(Selector::Parse("^seq .seg:depth(1-3) .block[role=user]"), "parse");
  std::vector<Point> points;
  for (const std::int64_t turns : Sizes(plan)) points.push_back({.turns = turns});
  for (int round = 0; round < plan.rounds; ++round) {
    for (Point& point : points) {
      for (Series* series : {&point.commit, &point.select, &point.diff}) series->BeginRound();
      const auto steps = std::min<std::int64_t>(plan.commits, point.turns / 10);
      for (std::int64_t i = 0; i < steps; ++i) Step(fixtures, point, recent);
    }
  }
  std::vector<Row> rows;
  for (const Point& point : points) {
    rows.push_back(MakeRow("commit", point.turns, Unit::kUs, point.commit.Summarize()));
    rows.push_back(MakeRow("select", point.turns, Unit::kUs, point.select.Summarize()));
    rows.push_back(MakeRow("diff", point.turns, Unit::kUs, point.diff.Summarize()));
  }
  const BenchFolder folder;
  StoredTurns stored(folder.path("growth.pactdb"), Durability::kRelaxed);
  for (const Point& point : points) {
    stored.GrowTo(point.turns / 2);
    const auto half = static_cast<double>(stored.CloseAndMeasure());
    stored.GrowTo(point.turns);
    const auto whole = static_cast<double>(stored.CloseAndMeasure());
    const std::int64_t turns = point.turns - point.turns / 2;
    const double each = (whole - half) / static_cast<double>(turns);
    rows.push_back(MakeRow("bytes a turn", point.turns, Unit::kBytes, {.value = each}));
  }
  return rows;
}

}  // namespace pactdb::bench
