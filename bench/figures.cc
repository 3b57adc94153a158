// Figures without a bar yet: lookups, import and render, each beside a plain reference.
#include <cstring>

#include "check_result.h"
#include "goals.h"
#include "id_map.h"
#include "reader_threads.h"
#include "setup.h"

namespace pactdb::bench {
namespace {

void LookUpInMap(const IdMap& map, const std::vector<std::string>& ids, Series& series) {
  std::size_t found = 0;
  const double ns = TimeNs([&] {
    for (const std::string& id : ids) found += map.find(id)->second > 0 ? 1 : 0;
  });
  Check(found == ids.size(), "the map has every id");
  series.Add(ns / static_cast<double>(ids.size()));
}

void LookUpIn(const Snapshot& snapshot, const std::vector<std::string>& ids, Series& series) {
  std::size_t found = 0;
  const double ns = TimeNs([&] { found = LookUp(snapshot, ids); });
  Check(found == ids.size(), "the snapshot has every id");
  series.Add(ns / static_cast<double>(ids.size()));
}

void FindTurns(const Snapshot& snapshot, std::size_t count, Series& series) {
  const std::size_t turns = snapshot.turn_count();
  Random random(count);
  std::size_t found = 0;
  const double ns = TimeNs([&] {
    for (std::size_t i = 0; i < count; ++i) {
      const auto turn = snapshot.TurnAtDepth(static_cast<std::int64_t>(1 + random.Below(turns)));
      if (turn && turn->created_at_ns() > 0) ++found;
    }
  });
  Check(found == count, "every depth has its turn");
  series.Add(ns / static_cast<double>(count));
}

Row MakeRow(std::string what, Unit unit, Figure ours, std::string reference_name = {},
            std::optional<Figure> reference = {}) {
  ours.p99 = 0;
  if (reference) reference->p99 = 0;
  return {.goal = "",
          .what = std::move(what),
          .unit = unit,
          .ours = ours,
          .reference_name = std::move(reference_name),
          .reference = reference};
}

Row MeasureImport(std::int64_t turns) {
  const Workload workload({.turns = turns});
  const Document document = workload.MakeDocument();
  std::vector<char> copy(document.json.size());
  Series ours;
  Series copies;
  Interleave(kRoundsMin, {{&ours,
                           [&](Series& series) {
                             std::optional<Context> context;
                             series.Add(TimeNs([&] { context = Load(workload, document); }));
                           }},
                          {&copies, [&](Series& series) {
                             series.Add(TimeNs([&] {
                               std::memcpy(copy.data(), document.json.data(), copy.size());
                               Keep(copy.data());
                             }));
                           }}});
  const double per_node = 1 / static_cast<double>(document.nodes);
  return MakeRow("import, each node, " + SizeName(turns), Unit::kNs,
                 ours.Summarize().ScaledBy(per_node), "memcpy of the JSON",
                 copies.Summarize().ScaledBy(per_node));
}

Row MeasureRender(Context& context, std::int64_t turns) {
  RenderResult result = ValueOf(context.Render({.at = "@t0"}), "render");
  std::vector<char> copy(result.body.size());
  Series ours;
  Series copies;
  Interleave(kRoundsMin, {{&ours,
                           [&](Series& series) {
                             series.Add(TimeNs([&] {
                               result = ValueOf(context.Render({.at = "@t0"}), "render");
                             }));
                             Check(result.body.size() == copy.size(), "a render repeats itself");
                           }},
                          {&copies, [&](Series& series) {
                             series.Add(TimeNs([&] {
                               std::memcpy(copy.data(), result.body.data(), copy.size());
                               Keep(copy.data());
                             }));
                           }}});
  const auto rate = [&](const Figure& figure) {
    return Figure{static_cast<double>(copy.size()) / figure.value * 1e3, 0, figure.spread};
  };
  return MakeRow("render thread and its hash, " + SizeName(turns), Unit::kMbPerSecond,
                 rate(ours.Summarize()), "memcpy", rate(copies.Summarize()));
}

}  // namespace

std::vector<Row> MeasureLookups(Fixtures& fixtures) {
  const Plan& plan = fixtures.plan();
  const std::int64_t turns = plan.largest();
  Context& context = fixtures.GetContext(turns);
  const Workload workload({.turns = turns});
  for (int i = 0; i < 10; ++i) CommitTurn(context, workload.MakeTurn(context.open_cycle()));
  const Snapshot newest = ValueOf(context.At("@t0"), "take @t0");
  const Snapshot oldest = ValueOf(context.At("@c" + std::to_string(turns)), "take the import");
  const IdMap map = MakeIdMap(turns);
  const auto ids = PickBlockIds(turns, plan.lookups, 5);
  Series in_newest;
  Series in_oldest;
  Series in_map;
  Series by_depth;
  Interleave(plan.rounds,
             {{&in_newest, [&](Series& series) { LookUpIn(newest, ids, series); }},
              {&in_map, [&](Series& series) { LookUpInMap(map, ids, series); }},
              {&in_oldest, [&](Series& series) { LookUpIn(oldest, ids, series); }},
              {&by_depth, [&](Series& series) { FindTurns(newest, plan.lookups, series); }}});
  const std::string size = SizeName(turns);
  return {MakeRow("by id, newest snapshot, " + size, Unit::kNs, in_newest.Summarize(),
                  "unordered_map", in_map.Summarize()),
          MakeRow("by id, oldest snapshot, " + size, Unit::kNs, in_oldest.Summarize(), "newest",
                  in_newest.Summarize()),
          MakeRow("turn at a random depth, " + size, Unit::kNs, by_depth.Summarize())};
}

std::vector<Row> MeasureDocuments(Fixtures& fixtures) {
  const Plan& plan = fixtures.plan();
  std::vector<Row> rows = {MeasureImport(plan.sizes[1])};
  for (std::size_t i = 1; i < plan.sizes.size(); ++i) {
    const std::int64_t turns = plan.sizes[i];
    rows.push_back(MeasureRender(fixtures.GetContext(turns), turns));
  }
  return rows;
}

}  // namespace pactdb::bench
