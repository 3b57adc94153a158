// Goals 17 and 17b: what a loaded tree and an extra snapshot take in memory.
//
// Both run in fresh processes. Memory does not depend on how busy the machine is, so one run is
// enough and the reference is exact.
#include "check_result.h"
#include "child.h"
#include "goals.h"

namespace pactdb::bench {
namespace {

Figure Exact(double value) {
  return {.value = value};
}

std::vector<Row> LoadRows(const Plan& plan, std::int64_t turns) {
  const auto numbers = RunChild(plan.program, {"load", std::to_string(turns)});
  Check(numbers.size() == 2, "the child printed what it measured");
  const double nodes = static_cast<double>(turns) * kNodesPerTurn;
  const Row resident = {.goal = "17",
                        .what = "resident bytes, loaded " + SizeName(turns),
                        .unit = Unit::kMegabytes,
                        .ours = Exact(numbers[0]),
                        .reference_name = "its JSON",
                        .reference = Exact(numbers[1])};
  const Row each = {.goal = "17",
                    .what = "resident bytes a node, " + SizeName(turns),
                    .unit = Unit::kBytes,
                    .ours = Exact(numbers[0] / nodes),
                    .reference_name = "its JSON",
                    .reference = Exact(numbers[1] / nodes)};
  return {each, resident};
}

}  // namespace

std::vector<Row> MeasureLoadedMemory(Fixtures& fixtures) {
  const Plan& plan = fixtures.plan();
  std::vector<Row> rows;
  // A small tree says little: the process itself is larger.
  for (std::size_t i = 1; i < plan.sizes.size(); ++i) {
    for (Row& row : LoadRows(plan, plan.sizes[i])) rows.push_back(std::move(row));
  }
  rows.back().bar = {.must = 1.1, .aim = 0.8};
  return rows;
}

// What a snapshot costs is what it takes beyond its new nodes: copies of the path to them, the
// record, the places in the indexes. What the nodes themselves take is goal 17's, and is measured
// here the same way. Beside it the cruder figure, everything but the texts.
std::vector<Row> MeasureSnapshotMemory(Fixtures& fixtures) {
  const Plan& plan = fixtures.plan();
  const std::string turns = std::to_string(plan.largest());
  const auto loaded = RunChild(plan.program, {"load", turns});
  const auto grown = RunChild(plan.program, {"growth", turns, std::to_string(plan.growth_commits)});
  Check(loaded.size() == 2 && grown.size() == 2, "the children printed what they measured");
  const double turn_bytes = loaded[0] / static_cast<double>(plan.largest());
  const std::string size = SizeName(plan.largest());
  const Row beyond_text = {.goal = "17b",
                           .what = "a commit of 10 nodes, all but their text, " + size,
                           .unit = Unit::kBytes,
                           .ours = Exact(grown[0] - grown[1])};
  const Row beyond_nodes = {.goal = "17b",
                            .what = "a commit of 10 nodes, beyond the nodes, " + size,
                            .unit = Unit::kBytes,
                            .ours = Exact(grown[0] - turn_bytes),
                            .bar = {.figure_must = 3000, .figure_aim = 1500}};
  return {beyond_text, beyond_nodes};
}

}  // namespace pactdb::bench
