// The goals: each a function that measures and gives rows of the table. Numbers are the project's
// goal numbers; bars stand beside the code that measures them.
#pragma once

#include <pactdb/context.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interval_table.h"
#include "report.h"
#include "setup.h"
#include "workload.h"

namespace pactdb::bench {

// How much to measure. A quick run has the same parts over smaller trees: it shows that they work.
struct Plan {
  bool is_quick = false;
  int rounds = 8;
  int commits = 100;                       // of each contender in a round
  std::size_t lookups = 200'000;           // of each reader in a round
  std::int64_t growth_commits = kW3Turns;  // goal 17b: the tree doubles, and every table with it
  std::vector<std::int64_t> sizes = {kW1Turns, kW2Turns, kW3Turns};
  std::string program = {};  // this program, to be started again for memory measurements

  std::int64_t smallest() const { return sizes.front(); }
  std::int64_t largest() const { return sizes.back(); }
};

// Loaded workloads, made when first asked for and shared by the goals. Benchmarks commit to them;
// one that has grown by half is loaded anew, so W1 stays W1.
class Fixtures {
 public:
  explicit Fixtures(Plan plan) : plan_(std::move(plan)) {}

  const Plan& plan() const { return plan_; }
  Context& GetContext(std::int64_t turns);
  IntervalTable& GetTable(std::int64_t turns);
  // Forgets the tables: a gigabyte that later goals do not need.
  void DropTables() { tables_.clear(); }

 private:
  Plan plan_;
  std::map<std::int64_t, LoadedContext> contexts_;
  std::map<std::int64_t, std::unique_ptr<IntervalTable>> tables_;
};

// render_goals.cc
std::vector<Row> MeasureContentHash(Fixtures& fixtures);  // 1
std::vector<Row> MeasureColdRender(Fixtures& fixtures);   // 2
std::vector<Row> MeasureRenderAgain(Fixtures& fixtures);  // 3
std::vector<Row> MeasureNewTurn(Fixtures& fixtures);      // 4
// serialize_goals.cc
std::vector<Row> MeasureSerialize(Fixtures& fixtures);  // 5
// id_goals.cc
std::vector<Row> MeasureById(Fixtures& fixtures);      // 6
std::vector<Row> MeasureByIdText(Fixtures& fixtures);  // 6b
std::vector<Row> MeasureByIdOld(Fixtures& fixtures);   // 6c
// filter_goals.cc
std::vector<Row> MeasureRecent(Fixtures& fixtures);        // 7
std::vector<Row> MeasureFilter(Fixtures& fixtures);        // 8
std::vector<Row> MeasureNumberFilter(Fixtures& fixtures);  // 8b
// commit_goals.cc
inline constexpr std::size_t kScatteredNodes = 10;
// SQLite's commits of that many changes, scattered over the tree: the reference of 10 and 11b.
void ScatterOverTable(Fixtures& fixtures, std::int64_t turns, Series& series);
std::vector<Row> MeasureAppend(Fixtures& fixtures);     // 9
std::vector<Row> MeasureScattered(Fixtures& fixtures);  // 10
// ttl_goals.cc
std::vector<Row> MeasureLivingTtl(Fixtures& fixtures);  // 11
std::vector<Row> MeasureExpiry(Fixtures& fixtures);     // 11b
// diff_goals.cc
std::vector<Row> MeasureAdjacentDiff(Fixtures& fixtures);  // 12
std::vector<Row> MeasureDistantDiff(Fixtures& fixtures);   // 12b
// import_goals.cc
std::vector<Row> MeasureImport(Fixtures& fixtures);  // 16
// recording_bytes_goals.cc
std::vector<Row> MeasureRecordingBytes(Fixtures& fixtures);
// store_goals.cc
std::vector<Row> MeasureStoredBytes(Fixtures& fixtures);    // 13, 13b
std::vector<Row> MeasureDurableCommit(Fixtures& fixtures);  // 14
std::vector<Row> MeasureRelaxedCommit(Fixtures& fixtures);  // 14b
std::vector<Row> MeasureOpen(Fixtures& fixtures);           // 15
std::vector<Row> MeasureSession(Fixtures& fixtures);        // 19
// memory_goals.cc
std::vector<Row> MeasureLoadedMemory(Fixtures& fixtures);    // 17
std::vector<Row> MeasureSnapshotMemory(Fixtures& fixtures);  // 17b
// reader_goals.cc
std::vector<Row> MeasureReaderScaling(Fixtures& fixtures);  // 18
std::vector<Row> MeasureBusyWriter(Fixtures& fixtures);     // 18b
// token_goals.cc
std::vector<Row> MeasureTokens(Fixtures& fixtures);  // 20, 20b
// growth_goals.cc: plots
std::vector<Row> MeasureGrowth(Fixtures& fixtures);
// token_sum_goals.cc
std::vector<Row> MeasureTokenSums(Fixtures& fixtures);
// recording_goals.cc
std::vector<Row> MeasureRecordings(Fixtures& fixtures);
// figures.cc: numbers without a bar yet
std::vector<Row> MeasureLookups(Fixtures& fixtures);
std::vector<Row> MeasureDocuments(Fixtures& fixtures);

struct Goal {
  std::string_view name;
  std::string_view what;
  std::vector<Row> (*measure)(Fixtures& fixtures);
};

std::span<const Goal> AllGoals();

}  // namespace pactdb::bench
