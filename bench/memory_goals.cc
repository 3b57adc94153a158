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
  Check(numbers.size() == 3, "the child printed what it measured");
  const double nodes = static_cast<double>(turns) * kNodesPerTurn;
  const Row resident = {.goal = "17",
                        .what = "resident bytes, loaded " + SizeName(turns),
                        .unit = Unit::kMegabytes,
                        .ours = Exact(numbers[0]),
                        .reference_name = "its JSON",
                        .reference = Exact(numbers[2])};
  Row allocated = resident;
  allocated.what = "allocated bytes, loaded " + SizeName(turns);
  allocated.ours = Exact(numbers[1]);
  const Row each = {.goal = "17",
                    .what = "resident bytes a node, " + SizeName(turns),
                    .unit = Unit::kBytes,
                    .ours = Exact(numbers[0] / nodes),
                    .reference_name = "its JSON",
                    .reference = Exact(numbers[2] / nodes)};
  return {allocated, each, resident};
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

std::vector<Row> MeasureSnapshotMemory(Fixtures& fixtures) {
  const Plan& plan = fixtures.plan();
  const std::string size = SizeName(plan.largest());
  const auto numbers = RunChild(plan.program, {"growth", std::to_string(plan.largest()),
                                               std::to_string(plan.growth_commits)});
  Check(numbers.size() == 3, "the child printed what it measured");
  const Row allocated = {.goal = "17b",
                         .what = "allocated by a commit of 10 nodes beyond their text, " + size,
                         .unit = Unit::kBytes,
                         .ours = Exact(numbers[1] - numbers[2]),
                         .bar = {.figure_must = 3000, .figure_aim = 1500}};
  const Row resident = {.goal = "17b",
                        .what = "the same in resident bytes",
                        .unit = Unit::kBytes,
                        .ours = Exact(numbers[0] - numbers[2])};
  return {resident, allocated};
}

}  // namespace pactdb::bench
