// Goals 12 and 12b: what a comparison of two snapshots costs, beside an indexed query that gives
// the ids alone.
//
// A commit pins or unpins ten blocks anywhere in the history and seals an empty turn. Ours is timed
// up to handles in result order with the names of the fields that differ; SQLite steps through the
// ids of the rows that the cycle made.
#include <fmt/format.h>
#include <pactdb/diff.h>

#include <memory>

#include "check_result.h"
#include "goals.h"
#include "setup.h"

namespace pactdb::bench {
namespace {

constexpr std::size_t kScatteredNodes = 10;
constexpr std::size_t kSealedNodes = 2;  // the empty turn and its core

// Commits `commits` times ten changes scattered over the loaded turns. The snapshots, the one
// before the first commit included.
std::vector<Snapshot> CommitScattered(Context& context, std::int64_t turns, int commits) {
  std::vector<Snapshot> snapshots = {ValueOf(context.At("@t0"), "take @t0")};
  for (int i = 0; i < commits; ++i) {
    const auto seed = static_cast<std::uint64_t>(context.open_cycle());
    for (const std::string& id : PickBlockIds(turns, kScatteredNodes, seed)) {
      const bool is_pinned = snapshots.back().Find(id)->pinned();
      const Status done = is_pinned ? context.Unpin(id) : context.Pin(id);
      Check(done.has_value(), "a sealed block can be pinned and unpinned");
    }
    ValueOf(context.Commit(), "commit");
    snapshots.push_back(ValueOf(context.At("@t0"), "take @t0"));
  }
  return snapshots;
}

std::size_t Size(const SnapshotDiff& diff) {
  return diff.added.size() + diff.removed.size() + diff.changed.size();
}

void DiffAdjacent(const std::vector<Snapshot>& snapshots, Series& series) {
  for (std::size_t i = 1; i < snapshots.size(); ++i) {
    SnapshotDiff diff;
    series.Add(TimeNs([&] { diff = Diff(snapshots[i - 1], snapshots[i]); }));
    // A block may be picked twice for one commit.
    Check(Size(diff) + 1 >= kScatteredNodes + kSealedNodes &&
              diff.changed.front().fields == std::vector<std::string>{"pinned"},
          "the diff names what the commit changed");
  }
}

void QueryAdjacent(IntervalTable& table, std::int64_t first, Series& series) {
  IntervalTable::Query query = table.MakeQuery(kChangedIdsSql);
  for (std::int64_t cycle = first; cycle < table.cycle(); ++cycle) {
    std::size_t rows = 0;
    series.Add(TimeNs([&] { rows = query.RunBetween(cycle, cycle + 1); }));
    Check(rows == kScatteredNodes, "SQLite gives the ids that the commit changed");
  }
}

// Adjacent snapshots of one size, and the table with the same commits.
struct Pair {
  std::int64_t turns = 0;
  std::vector<Snapshot> snapshots = {};
  IntervalTable* rows = nullptr;  // asked for once: a table that has grown would be made anew
  std::int64_t first_cycle = 0;   // of it, before the commits
  Series ours = {};
  Series table = {};
};

Pair MakePair(Fixtures& fixtures, std::int64_t turns) {
  const int commits = fixtures.plan().commits;
  Pair pair{.turns = turns};
  // A tree that earlier goals let grow would be loaded anew in the middle.
  pair.snapshots = CommitScattered(fixtures.GetContext(turns), turns,
                                   std::min(commits, static_cast<int>(turns / 4)));
  IntervalTable& table = fixtures.GetTable(turns);
  pair.rows = &table;
  pair.first_cycle = table.cycle();
  const Workload workload({.turns = turns});
  for (std::size_t i = 1; i < pair.snapshots.size(); ++i) {
    const auto seed = static_cast<std::uint64_t>(table.cycle());
    table.CommitChanges(PickBlockIds(turns, kScatteredNodes, seed), workload.MakeText(seed));
  }
  return pair;
}

// What a living ttl adds to the diff: every such node shows another value and is in it.
Row MeasureTtls(Fixtures& fixtures) {
  const std::int64_t turns = fixtures.plan().largest();
  const Workload workload({.turns = turns, .has_far_ttl = true});
  Context context = Load(workload);
  const auto snapshots = CommitScattered(context, turns, 4);
  Series series;
  std::size_t changed = 1;
  Interleave(fixtures.plan().rounds,
             {{&series, [&](Series& round) {
                 for (std::size_t i = 1; i < snapshots.size(); ++i) {
                   SnapshotDiff diff;
                   round.Add(TimeNs([&] { diff = Diff(snapshots[i - 1], snapshots[i]); }));
                   changed = diff.changed.size();
                 }
               }}});
  Check(changed >= static_cast<std::size_t>(workload.nodes()) / 5, "every running ttl is a change");
  return {.goal = "12",
          .what = fmt::format("each of {} living ttl nodes, {}", changed, SizeName(turns)),
          .unit = Unit::kNs,
          .ours = series.Summarize().ScaledBy(1 / static_cast<double>(changed))};
}

}  // namespace

std::vector<Row> MeasureAdjacentDiff(Fixtures& fixtures) {
  std::vector<Pair> pairs;
  for (const std::int64_t turns : fixtures.plan().sizes) pairs.push_back(MakePair(fixtures, turns));
  std::vector<Contender> contenders;
  for (Pair& pair : pairs) {
    contenders.push_back({&pair.ours, [&](Series& s) { DiffAdjacent(pair.snapshots, s); }});
    contenders.push_back(
        {&pair.table, [&](Series& s) { QueryAdjacent(*pair.rows, pair.first_cycle, s); }});
  }
  Interleave(fixtures.plan().rounds, contenders);
  std::vector<Row> rows;
  for (const Pair& pair : pairs) {
    rows.push_back({.goal = "12",
                    .what = "diff of adjacent snapshots, 10 changes, " + SizeName(pair.turns),
                    .unit = Unit::kUs,
                    .ours = pair.ours.Summarize(),
                    .reference_name = "SQLite, ids only",
                    .reference = pair.table.Summarize()});
  }
  rows.back().bar = {.must = 3, .aim = 1, .figure_aim = 3e3};
  const Plan& plan = fixtures.plan();
  rows.push_back(
      {.goal = "12",
       .what = "growth, " + SizeName(plan.largest()) + " to " + SizeName(plan.smallest()),
       .unit = Unit::kUs,
       .ours = rows.back().ours,
       .reference_name = SizeName(plan.smallest()),
       .reference = rows.front().ours,
       .bar = {.must = 6}});
  fixtures.DropTables();
  rows.push_back(MeasureTtls(fixtures));
  return rows;
}

std::vector<Row> MeasureDistantDiff(Fixtures& fixtures) {
  const Plan& plan = fixtures.plan();
  const int commits = plan.is_quick ? 100 : 1000;
  const std::int64_t turns = plan.largest();
  const auto snapshots = CommitScattered(fixtures.GetContext(turns), turns, commits);
  Series series;
  std::size_t found = 1;
  Interleave(plan.rounds,
             {{&series, [&](Series& round) {
                 for (int i = 0; i < 3; ++i) {
                   SnapshotDiff diff;
                   round.Add(TimeNs([&] { diff = Diff(snapshots.front(), snapshots.back()); }));
                   found = Size(diff);
                 }
               }}});
  Check(found > commits * kSealedNodes, "the diff has what a thousand commits changed");
  return {{.goal = "12b",
           .what = fmt::format("diff over {} commits, each of {} nodes, {}", commits, found,
                               SizeName(turns)),
           .unit = Unit::kNs,
           .ours = series.Summarize().ScaledBy(1 / static_cast<double>(found)),
           .bar = {.figure_must = 2e3, .figure_aim = 1e3}}};
}

}  // namespace pactdb::bench
