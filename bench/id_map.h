// The reference for lookups by id: a std::unordered_map from every id of a workload.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

namespace pactdb::bench {

using IdMap = std::unordered_map<std::string, std::uint32_t>;

// Every node of the first `turns` turns; the value is the number of its turn.
IdMap MakeIdMap(std::int64_t turns);

}  // namespace pactdb::bench
