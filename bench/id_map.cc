#include "id_map.h"

#include "workload.h"

namespace pactdb::bench {

IdMap MakeIdMap(std::int64_t turns) {
  IdMap map;
  map.reserve(static_cast<std::size_t>(turns) * kNodesPerTurn);
  for (std::int64_t cycle = 1; cycle <= turns; ++cycle) {
    const auto number = static_cast<std::uint32_t>(cycle);
    map.emplace(TurnId(cycle), number);
    map.emplace(CoreId(cycle), number);
    for (int block = 1; block <= kBlocksPerTurn; ++block)
      map.emplace(BlockId(cycle, block), number);
  }
  return map;
}

}  // namespace pactdb::bench
