// What a store keeps of a context's configuration.
//
// Thread safety: pure functions.
#pragma once

#include <pactdb/error.h>
#include <pactdb/options.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/ids_ahead.h"

namespace pactdb {

struct StoredConfig {
  Options options;
  // The first cycle that a configured clock counts for.
  std::int64_t clock_since_cycle = 0;
  IdsAhead ids_ahead;
};

std::string ConfigJson(const StoredConfig& config);
// Errors: kStoreCorrupt.
Result<StoredConfig> ParseConfig(std::string_view json);

}  // namespace pactdb
