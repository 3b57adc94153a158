// How a context behaves. Every field has the default of the contract; `configure` changes them at
// any time.
//
// Thread safety: values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pactdb {

// One engine, three generations of the specification. A dialect decides the type names written out
// (mt mc cb or seg cont block) and how selectors read; docs/reading.md has the table.
enum class Dialect : std::uint8_t { kClassic, kDepth, kCanonical };

std::string_view Name(Dialect dialect);
std::optional<Dialect> ParseDialect(std::string_view name);

// Tick k (from 0) reads start_ns + k * step_ns.
struct SteppedClockOptions {
  std::int64_t start_ns = 0;
  std::int64_t step_ns = 1;
  bool operator==(const SteppedClockOptions&) const = default;
};

enum class IdScheme : std::uint8_t { kCounter, kUuid };
enum class OdiRule : std::uint8_t { kDemote, kReject };
enum class Durability : std::uint8_t { kFull, kRelaxed };

enum class Region : std::uint8_t { kSys, kSeq, kAh };

// When pruning cuts. kCanonical: whenever a limit is broken, as little as it takes. kCacheAware:
// then further, to three quarters of the limit, in the same order, so that a provider's prompt
// cache is rewritten once in many turns.
enum class PruneRule : std::uint8_t { kCanonical, kCacheAware };

// Limits that a commit enforces by pruning (lowest priority, then oldest, then smallest id).
// Absent: no limit.
struct Policy {
  struct RegionLimits {
    std::optional<std::int64_t> max_nodes;
    std::optional<std::int64_t> max_tokens;
    bool operator==(const RegionLimits&) const = default;
  };

  std::optional<std::int64_t> max_nodes;
  std::optional<std::int64_t> max_turns;
  std::optional<std::int64_t> max_tokens;
  std::int64_t protect_recent_turns = 0;
  // What may be pruned.
  std::vector<Region> prune_regions = {Region::kSeq};
  std::optional<RegionLimits> sys;
  std::optional<RegionLimits> seq;
  std::optional<RegionLimits> ah;
  // A limit that cannot be met fails the commit instead of being reported.
  bool strict = false;
  PruneRule prune = PruneRule::kCanonical;

  bool has_token_limits() const {
    const auto limits = [](const std::optional<RegionLimits>& region) {
      return region && region->max_tokens;
    };
    return max_tokens || limits(sys) || limits(seq) || limits(ah);
  }
  bool operator==(const Policy&) const = default;
};

// Which snapshots stay when retention runs (Database::Gc). One of the first two must be said.
struct RetentionRules {
  // The newest ones of a context, this many.
  std::optional<std::int64_t> keep_last;
  // Everything since: a time such as 2026-01-31T00:00:00Z, or an age: 30d, 12h, 45m, 90s.
  std::optional<std::string> older_than;
  // Those with a tag.
  bool keep_tagged = true;
  bool operator==(const RetentionRules&) const = default;
};

struct Options {
  Dialect dialect = Dialect::kCanonical;
  std::optional<SteppedClockOptions> clock;  // absent: the system's
  IdScheme ids = IdScheme::kCounter;
  std::optional<Policy> policy;
  bool authorize_sys = true;
  OdiRule odi = OdiRule::kDemote;
  Durability durability = Durability::kFull;
  bool journal = false;
  // What tokens are counted in (pactdb/tokens.h).
  std::string encoding = "o200k_base";
  // For rendered turns, kept to be sent again (pactdb/render.h). 0: none are.
  std::size_t render_cache_bytes = std::size_t{64} << 20;
  // The policy that retention goes by when it is not told rules. No commit enforces it.
  std::optional<RetentionRules> retention;
  bool operator==(const Options&) const = default;
};

}  // namespace pactdb
