// Goals 7, 8 and 8b: blocks of the newest turns, and filters that look at every node.
//
// Results are node handles in result order; those of the newest turns are touched, those of the
// whole tree are counted.
#include <fmt/format.h>

#include <array>

#include "check_result.h"
#include "goals.h"
#include "setup.h"
#include "xml_tree.h"

namespace pactdb::bench {
namespace {

constexpr std::string_view kRecentText = "^seq .mt:depth(1-3) .cb[role=user]";
constexpr std::string_view kUserBlocksText = ".cb[role=user]";
constexpr std::string_view kPriorityText = "[priority>5]";
constexpr std::size_t kRecentBlocks = 3 * kUserBlocksPerTurn;
constexpr int kBatch = 16;
constexpr int kScans = 5;  // of each contender in a round

Selector Compile(std::string_view text, Dialect dialect = Dialect::kCanonical) {
  return ValueOf(Selector::Parse(text, dialect), "parse a selector");
}

Snapshot Newest(const Context& context) {
  return ValueOf(context.At("@t0"), "take @t0");
}

// Work returns how much it found; samples are nanoseconds divided by `divisor`.
template <typename Work>
void Repeat(int samples, int batch, double divisor, std::size_t expected, Series& series,
            const Work& work) {
  for (int i = 0; i < samples; ++i) {
    std::size_t found = 0;
    const double ns = TimeNs([&] {
      for (int j = 0; j < batch; ++j) found += work();
    });
    series.Add(ns / batch / divisor);
    Check(found == expected * static_cast<std::size_t>(batch), "a query finds what is there");
  }
}

std::size_t CountTouched(const Snapshot& snapshot, const Selector& selector) {
  std::size_t count = 0;
  for (const NodeView node : ValueOf(Select(snapshot, selector), "select")) {
    count += node.created_at_ns() > 0 ? 1 : 0;
  }
  return count;
}

std::size_t CountSelected(const Snapshot& snapshot, const Selector& selector) {
  const auto nodes = Select(snapshot, selector);
  if (!nodes) Fail("select", nodes.error());
  Keep(&*nodes);
  return nodes->size();
}

// The floor of any filter: one byte a node in one column, no branch, the hits written.
class RoleColumn {
 public:
  explicit RoleColumn(const Workload& workload) : hits_(workload.nodes() + 1) {
    roles_.reserve(workload.nodes());
    for (std::int64_t cycle = 1; cycle <= workload.turns(); ++cycle) {
      roles_.insert(roles_.end(), kNodesPerTurn - kBlocksPerTurn, 0);
      for (int i = 0; i < kBlocksPerTurn; ++i)
        roles_.push_back(static_cast<std::uint8_t>(1 + i % 3));
    }
  }

  std::size_t SelectUserBlocks() {
    std::size_t count = 0;
    const std::uint8_t* roles = roles_.data();
    std::uint32_t* hits = hits_.data();
    const auto size = static_cast<std::uint32_t>(roles_.size());
    for (std::uint32_t i = 0; i < size; ++i) {
      hits[count] = i;
      count += roles[i] == 1 ? 1 : 0;
    }
    Keep(hits);
    return count;
  }

 private:
  std::vector<std::uint8_t> roles_;
  std::vector<std::uint32_t> hits_;
};

Row MakeFilterRow(std::string_view goal, std::string what, const Series& ours,
                  std::string reference_name, const Series& reference, Bar bar = {}) {
  return {.goal = std::string(goal),
          .what = std::move(what),
          .unit = Unit::kNs,
          .ours = ours.Summarize(),
          .reference_name = std::move(reference_name),
          .reference = reference.Summarize(),
          .bar = bar};
}

// Against the floor, on the largest tree, in both orders.
void AddColumnRows(const Plan& plan, std::vector<Row>& rows) {
  const Workload workload({.turns = plan.largest(), .has_priorities = true});
  const Context context = Load(workload);
  const Snapshot snapshot = Newest(context);
  const auto nodes = static_cast<double>(workload.nodes());
  const std::size_t expected = plan.largest() * kUserBlocksPerTurn;
  const Selector newest_first = Compile(kUserBlocksText);
  const Selector oldest_first = Compile(kUserBlocksText, Dialect::kClassic);
  RoleColumn column(workload);
  std::array<Series, 3> series;
  const auto scan = [&](Series& s, const auto& work) {
    Repeat(kScans, 1, nodes, expected, s, work);
  };
  Interleave(
      plan.rounds,
      {{&series[0],
        [&](Series& s) { scan(s, [&] { return CountSelected(snapshot, newest_first); }); }},
       {&series[1],
        [&](Series& s) { scan(s, [&] { return CountSelected(snapshot, oldest_first); }); }},
       {&series[2], [&](Series& s) { scan(s, [&] { return column.SelectUserBlocks(); }); }}});
  const Bar bar = {.must = 15, .aim = 5};
  const std::string size = SizeName(plan.largest());
  rows.push_back(MakeFilterRow("8", fmt::format(".cb[role=user], canonical, {}, a node", size),
                               series[0], "byte column", series[2], bar));
  rows.push_back(MakeFilterRow("8", fmt::format(".cb[role=user], classic, {}, a node", size),
                               series[1], "byte column", series[2], bar));
}

// Against other engines, on the middle tree.
void AddEngineRows(Fixtures& fixtures, std::vector<Row>& rows) {
  const Plan& plan = fixtures.plan();
  const std::int64_t turns = plan.sizes[1];
  const Workload workload({.turns = turns});
  const Context context = Load(workload);
  const Snapshot snapshot = Newest(context);
  const XmlTree xml(workload);
  IntervalTable table(workload);
  table.AddRoleIndex();
  IntervalTable::Query query = table.MakeQuery(kUserBlocksSql);
  const Selector selector = Compile(kUserBlocksText);
  const auto nodes = static_cast<double>(workload.nodes());
  const std::size_t expected = turns * kUserBlocksPerTurn;
  std::array<Series, 3> series;
  const auto scan = [&](Series& s, const auto& work) {
    Repeat(kScans, 1, nodes, expected, s, work);
  };
  Interleave(
      plan.rounds,
      {{&series[0], [&](Series& s) { scan(s, [&] { return CountSelected(snapshot, selector); }); }},
       {&series[1], [&](Series& s) { scan(s, [&] { return xml.SelectUserBlocks(); }); }},
       {&series[2], [&](Series& s) { scan(s, [&] { return query.Run(); }); }}});
  const std::string what = fmt::format(".cb[role=user], {}, a node", SizeName(turns));
  rows.push_back(MakeFilterRow("8", what, series[0], "pugixml XPath", series[1], {.must = 0.1}));
  rows.push_back(MakeFilterRow("8", what, series[0], "SQLite by index", series[2]));
}

}  // namespace

std::vector<Row> MeasureRecent(Fixtures& fixtures) {
  const Plan& plan = fixtures.plan();
  const Selector selector = Compile(kRecentText);
  const int samples = plan.is_quick ? 20 : 200;
  std::vector<Snapshot> snapshots;
  for (const std::int64_t turns : plan.sizes)
    snapshots.push_back(Newest(fixtures.GetContext(turns)));
  IntervalTable::Query query = fixtures.GetTable(plan.largest()).MakeQuery(kRecentSql);
  std::vector<Series> series(plan.sizes.size());
  Series in_table;
  std::vector<Contender> contenders;
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    contenders.push_back({&series[i], [&, i](Series& s) {
                            Repeat(samples, kBatch, 1, kRecentBlocks, s,
                                   [&] { return CountTouched(snapshots[i], selector); });
                          }});
  }
  contenders.push_back({&in_table, [&](Series& s) {
                          Repeat(samples, kBatch, 1, kRecentBlocks, s, [&] { return query.Run(); });
                        }});
  Interleave(plan.rounds, contenders);
  std::vector<Row> rows;
  for (std::size_t i = 1; i < plan.sizes.size(); ++i) {
    rows.push_back(MakeFilterRow("7", "user blocks of 3 newest turns, " + SizeName(plan.sizes[i]),
                                 series[i], SizeName(plan.smallest()), series[0]));
  }
  rows.back().bar = {.must = 2, .figure_must = 5000, .figure_aim = 1500};
  rows.push_back(MakeFilterRow("7", "user blocks of 3 newest turns, " + SizeName(plan.largest()),
                               series.back(), "SQLite by index", in_table));
  return rows;
}

std::vector<Row> MeasureFilter(Fixtures& fixtures) {
  std::vector<Row> rows;
  AddColumnRows(fixtures.plan(), rows);
  AddEngineRows(fixtures, rows);
  return rows;
}

std::vector<Row> MeasureNumberFilter(Fixtures& fixtures) {
  const Plan& plan = fixtures.plan();
  const Workload workload({.turns = plan.largest(), .has_priorities = true});
  const Context context = Load(workload);
  const Snapshot snapshot = Newest(context);
  const auto nodes = static_cast<double>(workload.nodes());
  const Selector by_priority = Compile(kPriorityText);
  const Selector by_role = Compile(kUserBlocksText);
  const std::size_t turns = plan.largest();
  Series priority;
  Series role;
  Interleave(plan.rounds, {{&priority,
                            [&](Series& s) {
                              Repeat(kScans, 1, nodes, turns, s,
                                     [&] { return CountSelected(snapshot, by_priority); });
                            }},
                           {&role, [&](Series& s) {
                              Repeat(kScans, 1, nodes, turns * kUserBlocksPerTurn, s,
                                     [&] { return CountSelected(snapshot, by_role); });
                            }}});
  return {MakeFilterRow("8b", fmt::format("[priority>5], {}, a node", SizeName(plan.largest())),
                        priority, ".cb[role=user]", role, {.must = 1.5, .aim = 1.2})};
}

}  // namespace pactdb::bench
