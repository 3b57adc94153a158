// Goals 6, 6b and 6c: one node by its id, as a selector.
//
// Random ids of a million. Each sample is a batch: its selectors are compiled before the clock
// starts, for the reference too, so the caches hold the same beside what is looked up. Every result
// is touched.
#include <fmt/format.h>

#include <array>

#include "check_result.h"
#include "goals.h"
#include "id_map.h"
#include "setup.h"

namespace pactdb::bench {
namespace {

constexpr std::size_t kBatch = 64;

Selector Compile(const std::string& text, Dialect dialect) {
  return ValueOf(Selector::Parse(text, dialect), "parse a selector");
}

std::string_view NameOf(Dialect dialect) {
  return dialect == Dialect::kClassic ? "classic" : "canonical";
}

// Texts of selectors and the ids they find.
struct Queries {
  std::vector<std::string> texts;
  std::vector<std::string> ids;
  Dialect dialect;
};

Queries MakeQueries(const Plan& plan, const std::string& prefix, Dialect dialect) {
  Queries queries = {{}, PickBlockIds(plan.largest(), plan.lookups / 2, 6), dialect};
  for (const std::string& id : queries.ids) queries.texts.push_back(prefix + "#" + id);
  return queries;
}

// Adds nanoseconds a query.
template <typename Work>
void RunBatches(const Queries& queries, Series& series, const Work& work) {
  std::vector<Selector> compiled;
  for (std::size_t at = 0; at + kBatch <= queries.ids.size(); at += kBatch) {
    compiled.clear();
    for (std::size_t i = at; i < at + kBatch; ++i)
      compiled.push_back(Compile(queries.texts[i], queries.dialect));
    std::size_t found = 0;
    series.Add(TimeNs([&] {
                 for (std::size_t i = 0; i < kBatch; ++i) found += work(compiled[i], at + i);
               }) /
               kBatch);
    Check(found == kBatch, "every id is found, once");
  }
}

std::size_t Touch(const NodeList& nodes) {
  return nodes.size() == 1 && nodes[0].created_at_ns() > 0 ? 1 : 0;
}

void SelectCompiled(const Snapshot& snapshot, const Queries& queries, Series& series) {
  RunBatches(queries, series, [&](const Selector& selector, std::size_t) {
    const auto nodes = Select(snapshot, selector);
    return nodes ? Touch(*nodes) : 0;
  });
}

void SelectTexts(const Snapshot& snapshot, const Queries& queries, Series& series) {
  RunBatches(queries, series, [&](const Selector&, std::size_t i) {
    const auto selector = Selector::Parse(queries.texts[i], queries.dialect);
    if (!selector) return std::size_t{0};
    const auto nodes = Select(snapshot, *selector);
    return nodes ? Touch(*nodes) : 0;
  });
}

// By a context and a time in the selector; gives the id.
void SelectAtTime(const Context& context, const Queries& queries, Series& series) {
  RunBatches(queries, series, [&](const Selector& selector, std::size_t i) {
    const auto ids = context.Select(selector);
    return ids && ids->size() == 1 && ids->front() == queries.ids[i] ? 1 : 0;
  });
}

void FindInMap(const IdMap& map, const Queries& queries, Series& series) {
  RunBatches(queries, series, [&](const Selector&, std::size_t i) {
    const auto found = map.find(queries.ids[i]);
    return found != map.end() && found->second > 0 ? 1 : 0;
  });
}

void FindInTable(IntervalTable::Query& query, const Queries& queries, Series& series) {
  RunBatches(queries, series,
             [&](const Selector&, std::size_t i) { return query.Run(queries.ids[i]); });
}

constexpr std::array kDialects = {Dialect::kCanonical, Dialect::kClassic};

// Appends and scattered attachments, so that turns of any age have versions.
void MakeHistory(Context& context, const Workload& workload, int commits) {
  Random random(66);
  for (int i = 0; i < commits; ++i) {
    for (int j = 0; j < 10; ++j) {
      NodeSpec spec;
      spec.Role("user").Kind("text").Offset(1).Text(workload.MakeText(random.Next()));
      const auto cycle = 1 + static_cast<std::int64_t>(random.Below(workload.turns()));
      Place place;
      place.parent = TurnId(cycle);
      ValueOf(context.Add(spec, place), "attach a block");
    }
    CommitTurn(context, workload.MakeTurn(context.open_cycle()));
  }
}

}  // namespace

std::vector<Row> MeasureById(Fixtures& fixtures) {
  const Plan& plan = fixtures.plan();
  const std::int64_t turns = plan.largest();
  const Snapshot newest = ValueOf(fixtures.GetContext(turns).At("@t0"), "take @t0");
  const IdMap map = MakeIdMap(turns);
  IntervalTable::Query query = fixtures.GetTable(turns).MakeQuery(kFindSql);
  std::array<Series, kDialects.size()> selected;
  Series in_map;
  Series in_table;
  std::vector<Queries> queries;
  for (const Dialect dialect : kDialects) queries.push_back(MakeQueries(plan, "", dialect));
  std::vector<Contender> contenders;
  for (std::size_t i = 0; i < kDialects.size(); ++i) {
    contenders.push_back(
        {&selected[i], [&, i](Series& series) { SelectCompiled(newest, queries[i], series); }});
  }
  contenders.push_back({&in_map, [&](Series& s) { FindInMap(map, queries[0], s); }});
  contenders.push_back({&in_table, [&](Series& s) { FindInTable(query, queries[0], s); }});
  Interleave(plan.rounds, contenders);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < kDialects.size(); ++i) {
    rows.push_back({.goal = "6",
                    .what = fmt::format("#id, {}, {}", NameOf(kDialects[i]), SizeName(turns)),
                    .unit = Unit::kNs,
                    .ours = selected[i].Summarize(),
                    .reference_name = "unordered_map",
                    .reference = in_map.Summarize(),
                    .bar = {.must = 2, .aim = 1.2}});
  }
  rows.push_back({.goal = "6",
                  .what = "#id, " + SizeName(turns),
                  .unit = Unit::kNs,
                  .ours = rows.front().ours,
                  .reference_name = "SQLite by index",
                  .reference = in_table.Summarize()});
  return rows;
}

std::vector<Row> MeasureByIdText(Fixtures& fixtures) {
  const Plan& plan = fixtures.plan();
  const std::int64_t turns = plan.largest();
  const Snapshot newest = ValueOf(fixtures.GetContext(turns).At("@t0"), "take @t0");
  std::array<Series, kDialects.size()> selected;
  std::vector<Queries> queries;
  for (const Dialect dialect : kDialects) queries.push_back(MakeQueries(plan, "", dialect));
  std::vector<Contender> contenders;
  for (std::size_t i = 0; i < kDialects.size(); ++i) {
    contenders.push_back(
        {&selected[i], [&, i](Series& series) { SelectTexts(newest, queries[i], series); }});
  }
  Interleave(plan.rounds, contenders);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < kDialects.size(); ++i) {
    rows.push_back(
        {.goal = "6b",
         .what = fmt::format("parse and run #id, {}, {}", NameOf(kDialects[i]), SizeName(turns)),
         .unit = Unit::kNs,
         .ours = selected[i].Summarize(),
         .bar = {.figure_must = 1500, .figure_aim = 800}});
  }
  return rows;
}

std::vector<Row> MeasureByIdOld(Fixtures& fixtures) {
  const Plan& plan = fixtures.plan();
  const std::int64_t turns = plan.largest();
  const int commits = plan.is_quick ? 60 : 400;
  const Workload workload({.turns = turns});
  Context context = Load(workload);  // its own: attachments change the tree
  MakeHistory(context, workload, commits);
  const std::string middle = "@c" + std::to_string(turns + commits / 2);
  const Snapshot newest = ValueOf(context.At("@t0"), "take @t0");
  const Snapshot old = ValueOf(context.At(middle), "take an old snapshot");
  std::vector<Row> rows;
  for (const Dialect dialect : kDialects) {
    const Queries plain = MakeQueries(plan, "", dialect);
    const Queries at_middle = MakeQueries(plan, middle + " ", dialect);
    const Queries at_newest = MakeQueries(plan, "@t0 ", dialect);
    std::array<Series, 4> series;
    Interleave(plan.rounds,
               {{&series[0], [&](Series& s) { SelectCompiled(old, plain, s); }},
                {&series[1], [&](Series& s) { SelectCompiled(newest, plain, s); }},
                {&series[2], [&](Series& s) { SelectAtTime(context, at_middle, s); }},
                {&series[3], [&](Series& s) { SelectAtTime(context, at_newest, s); }}});
    const auto add_row = [&](std::string_view what, const Series& ours, const Series& reference) {
      rows.push_back({.goal = "6c",
                      .what = fmt::format("{}, {}, {}", what, NameOf(dialect), SizeName(turns)),
                      .unit = Unit::kNs,
                      .ours = ours.Summarize(),
                      .reference_name = "newest",
                      .reference = reference.Summarize(),
                      .bar = {.must = 1.5, .aim = 1.1}});
    };
    add_row("#id, old snapshot", series[0], series[1]);
    add_row("@cN #id to id text", series[2], series[3]);
  }
  return rows;
}

}  // namespace pactdb::bench
