#include "goals.h"

#include <array>

#include "setup.h"

namespace pactdb::bench {
namespace {

constexpr std::array kGoals = {
    Goal{"1", "content hash", MeasureContentHash},
    Goal{"2", "cold render of the thread", MeasureColdRender},
    Goal{"3", "render after one more turn", MeasureRenderAgain},
    Goal{"4", "bytes of one new turn", MeasureNewTurn},
    Goal{"5", "reference serialization", MeasureSerialize},
    Goal{"6", "by id, compiled", MeasureById},
    Goal{"6b", "by id, from the text", MeasureByIdText},
    Goal{"6c", "by id in an old snapshot", MeasureByIdOld},
    Goal{"7", "blocks of the newest turns", MeasureRecent},
    Goal{"8", "attribute filter over the whole tree", MeasureFilter},
    Goal{"8b", "number filter over the whole tree", MeasureNumberFilter},
    Goal{"9", "commit of an appended turn", MeasureAppend},
    Goal{"10", "commit of ten scattered nodes", MeasureScattered},
    Goal{"11", "commit beside living ttl nodes", MeasureLivingTtl},
    Goal{"11b", "commit that expires nodes", MeasureExpiry},
    Goal{"12", "diff of adjacent snapshots", MeasureAdjacentDiff},
    Goal{"12b", "diff over many commits", MeasureDistantDiff},
    Goal{"13", "stored bytes of a turn", MeasureStoredBytes},
    Goal{"recording-bytes", "stored bytes of real conversations", MeasureRecordingBytes},
    Goal{"14", "durable commit", MeasureDurableCommit},
    Goal{"14b", "commit without sync", MeasureRelaxedCommit},
    Goal{"15", "open a file to the first answer", MeasureOpen},
    Goal{"16", "import of a document", MeasureImport},
    Goal{"17", "memory of one loaded snapshot", MeasureLoadedMemory},
    Goal{"17b", "memory of an extra snapshot", MeasureSnapshotMemory},
    Goal{"18", "two readers", MeasureReaderScaling},
    Goal{"18b", "a reader beside a busy writer", MeasureBusyWriter},
    Goal{"19", "a whole session", MeasureSession},
    Goal{"20", "exact token counts", MeasureTokens},
    Goal{"tokens", "sums of tokens", MeasureTokenSums},
    Goal{"recordings", "recorded conversations", MeasureRecordings},
    Goal{"lookups", "by id, by depth", MeasureLookups},
    Goal{"documents", "import and render", MeasureDocuments},
    Goal{"growth", "commit, select, diff and bytes over the sizes", MeasureGrowth},
};

}  // namespace

Context& Fixtures::GetContext(std::int64_t turns) {
  return contexts_.try_emplace(turns, turns).first->second.Get();
}

IntervalTable& Fixtures::GetTable(std::int64_t turns) {
  std::unique_ptr<IntervalTable>& table = tables_[turns];
  if (table == nullptr || HasGrown(table->cycle(), turns)) {
    table.reset();
    table = std::make_unique<IntervalTable>(Workload({.turns = turns}));
  }
  return *table;
}

std::span<const Goal> AllGoals() {
  return kGoals;
}

}  // namespace pactdb::bench
