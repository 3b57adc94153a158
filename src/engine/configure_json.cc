#include "engine/configure_json.h"

#include <algorithm>
#include <array>

#include "base/try.h"
#include "engine/retention_rules.h"
#include "text/json_out.h"

namespace pactdb {
namespace {

template <typename T>
struct Choice {
  std::string_view name;
  T value;
};

constexpr std::array<Choice<Dialect>, 3> kDialects = {{{"classic", Dialect::kClassic},
                                                       {"depth", Dialect::kDepth},
                                                       {"canonical", Dialect::kCanonical}}};
constexpr std::array<Choice<IdScheme>, 2> kIds = {
    {{"counter", IdScheme::kCounter}, {"uuid", IdScheme::kUuid}}};
constexpr std::array<Choice<OdiRule>, 2> kOdi = {
    {{"demote", OdiRule::kDemote}, {"reject", OdiRule::kReject}}};
constexpr std::array<Choice<Durability>, 2> kDurability = {
    {{"full", Durability::kFull}, {"relaxed", Durability::kRelaxed}}};
constexpr std::array<Choice<Region>, 3> kRegions = {
    {{"sys", Region::kSys}, {"seq", Region::kSeq}, {"ah", Region::kAh}}};
constexpr std::array<Choice<PruneRule>, 2> kPruneRules = {
    {{"canonical", PruneRule::kCanonical}, {"cache_aware", PruneRule::kCacheAware}}};
constexpr std::array<Choice<bool>, 2> kJournal = {{{"off", false}, {"on", true}}};

template <typename T, std::size_t N>
Status Choose(const Request& request, std::string_view name,
              const std::array<Choice<T>, N>& choices, T& target) {
  const auto text = request.Text(name);
  if (!text) return {};
  std::string names;
  for (const Choice<T>& choice : choices) {
    if (choice.name == *text) {
      target = choice.value;
      return {};
    }
    names += names.empty() ? "" : ", ";
    names += choice.name;
  }
  return std::unexpected(InvalidArgument(name, std::string(name) + " must be one of " + names));
}

template <typename T, std::size_t N>
std::string_view NameOf(const std::array<Choice<T>, N>& choices, T value) {
  for (const Choice<T>& choice : choices) {
    if (choice.value == value) return choice.name;
  }
  return "";
}

Error BadPolicy(std::string message) {
  return InvalidArgument("policy", std::move(message));
}

Result<std::optional<std::int64_t>> ParseLimit(const JsonRef& value, std::string_view name) {
  if (value.is_null()) return std::nullopt;
  const auto number = value.AsInt64();
  if (number && *number >= 0) return number;
  return std::unexpected(
      BadPolicy("policy " + std::string(name) + " must be an integer, zero or more, or null"));
}

Result<Policy::RegionLimits> ParseRegionPolicy(const JsonRef& json) {
  if (!json.is_object()) return std::unexpected(BadPolicy("a region's policy must be an object"));
  Policy::RegionLimits region;
  for (auto it = json.begin(); it != json.end(); ++it) {
    const auto [key, value] = *it;
    if (key == "max_nodes") {
      PACTDB_TRY(region.max_nodes, ParseLimit(value, key));
    } else if (key == "max_tokens") {
      PACTDB_TRY(region.max_tokens, ParseLimit(value, key));
    } else {
      return std::unexpected(
          BadPolicy("unknown key '" + std::string(key) + "' in a region's policy"));
    }
  }
  return region;
}

Status ParseRegionPolicies(const JsonRef& json, Policy& policy) {
  if (json.is_null()) return {};
  if (!json.is_object()) return std::unexpected(BadPolicy("policy regions must be an object"));
  for (auto it = json.begin(); it != json.end(); ++it) {
    const auto [key, value] = *it;
    std::optional<Policy::RegionLimits>* target = nullptr;
    if (key == "sys") target = &policy.sys;
    if (key == "seq") target = &policy.seq;
    if (key == "ah") target = &policy.ah;
    if (target == nullptr) return std::unexpected(BadPolicy("policy regions are sys, seq and ah"));
    PACTDB_TRY(*target, ParseRegionPolicy(value));
  }
  return {};
}

Status ParsePruneRegions(const JsonRef& json, Policy& policy) {
  if (json.is_null()) return {};
  if (!json.is_array()) return std::unexpected(BadPolicy("policy prune_regions must be an array"));
  policy.prune_regions.clear();
  for (auto it = json.begin(); it != json.end(); ++it) {
    const JsonRef value = (*it).value;
    const auto region =
        std::ranges::find(kRegions, value.is_string() ? value.string() : "", &Choice<Region>::name);
    if (region == kRegions.end())
      return std::unexpected(BadPolicy("policy prune_regions may name sys, seq and ah"));
    policy.prune_regions.push_back(region->value);
  }
  return {};
}

Result<std::optional<SteppedClockOptions>> ParseClock(const JsonRef& json) {
  if (json.is_string() && json.string() == "system") return std::nullopt;
  const auto start = json.is_object() ? json.Find("start_ns") : std::nullopt;
  const auto step = json.is_object() ? json.Find("step_ns") : std::nullopt;
  const std::int64_t start_ns = start ? start->AsInt64().value_or(-1) : -1;
  const std::int64_t step_ns = step ? step->AsInt64().value_or(0) : 0;
  if (start_ns < 0 || step_ns < 1 || json.size() != 2) {
    return std::unexpected(InvalidArgument(
        "clock", "clock must be \"system\" or {start_ns: 0 or more, step_ns: 1 or more}"));
  }
  return SteppedClockOptions{start_ns, step_ns};
}

void WriteRegionPolicy(std::string_view name, const std::optional<Policy::RegionLimits>& region,
                       JsonOut& out) {
  if (!region) return;
  out.Key(name).BeginObject();
  if (region->max_nodes) out.Key("max_nodes").Integer(*region->max_nodes);
  if (region->max_tokens) out.Key("max_tokens").Integer(*region->max_tokens);
  out.EndObject();
}

void WritePolicy(const Policy& policy, JsonOut& out) {
  out.BeginObject();
  out.Key("max_nodes").OptionalInteger(policy.max_nodes);
  out.Key("max_turns").OptionalInteger(policy.max_turns);
  out.Key("max_tokens").OptionalInteger(policy.max_tokens);
  out.Key("protect_recent_turns").Integer(policy.protect_recent_turns);
  out.Key("prune_regions").BeginArray();
  for (const Region region : policy.prune_regions) out.String(NameOf(kRegions, region));
  out.EndArray();
  out.Key("regions").BeginObject();
  WriteRegionPolicy("sys", policy.sys, out);
  WriteRegionPolicy("seq", policy.seq, out);
  WriteRegionPolicy("ah", policy.ah, out);
  out.EndObject();
  out.Key("strict").Bool(policy.strict);
  if (policy.prune != PruneRule::kCanonical)
    out.Key("prune").String(NameOf(kPruneRules, policy.prune));
  out.EndObject();
}

}  // namespace

Result<PruneRule> ParsePruneRule(const JsonRef& json) {
  if (json.is_null()) return PruneRule::kCanonical;
  const auto rule = std::ranges::find(kPruneRules, json.is_string() ? json.string() : "",
                                      &Choice<PruneRule>::name);
  if (rule != kPruneRules.end()) return rule->value;
  return std::unexpected(BadPolicy("policy prune must be canonical or cache_aware"));
}

Result<Policy> ParsePolicy(const JsonRef& json) {
  Policy policy;
  for (auto it = json.begin(); it != json.end(); ++it) {
    const auto [key, value] = *it;
    if (key == "max_nodes") {
      PACTDB_TRY(policy.max_nodes, ParseLimit(value, key));
    } else if (key == "max_turns") {
      PACTDB_TRY(policy.max_turns, ParseLimit(value, key));
    } else if (key == "max_tokens") {
      PACTDB_TRY(policy.max_tokens, ParseLimit(value, key));
    } else if (key == "protect_recent_turns") {
      PACTDB_TRY(const auto turns, ParseLimit(value, key));
      policy.protect_recent_turns = turns.value_or(0);
    } else if (key == "prune_regions") {
      PACTDB_TRY_STATUS(ParsePruneRegions(value, policy));
    } else if (key == "regions") {
      PACTDB_TRY_STATUS(ParseRegionPolicies(value, policy));
    } else if (key == "strict") {
      if (!value.is_null() && value.kind() != Json::Kind::kBool) {
        return std::unexpected(BadPolicy("policy strict must be true or false"));
      }
      policy.strict = !value.is_null() && value.boolean();
    } else if (key == "prune") {
      PACTDB_TRY(policy.prune, ParsePruneRule(value));
    } else {
      return std::unexpected(BadPolicy("unknown policy key '" + std::string(key) + "'"));
    }
  }
  return policy;
}

Result<Options> ParseOptions(const Request& request, const Options& current) {
  Options options = current;
  PACTDB_TRY_STATUS(Choose(request, "dialect", kDialects, options.dialect));
  if (const auto clock = request.Find("clock")) {
    PACTDB_TRY(options.clock, ParseClock(*clock));
  }
  PACTDB_TRY_STATUS(Choose(request, "ids", kIds, options.ids));
  if (const auto policy = request.Find("policy")) {
    PACTDB_TRY(options.policy, ParsePolicy(*policy));
  }
  options.authorize_sys = request.Bool("authorize_sys", options.authorize_sys);
  PACTDB_TRY_STATUS(Choose(request, "odi", kOdi, options.odi));
  PACTDB_TRY_STATUS(Choose(request, "durability", kDurability, options.durability));
  PACTDB_TRY_STATUS(Choose(request, "journal", kJournal, options.journal));
  if (const auto encoding = request.Text("encoding")) options.encoding = *encoding;
  // Of all settings the one that can be taken away, by null.
  if (request.IsGiven("retention")) {
    const auto retention = request.Find("retention");
    options.retention.reset();
    if (retention) {
      PACTDB_TRY(options.retention, ParseRetention(*retention));
    }
  }
  return options;
}

std::string OptionsJson(const Options& options) {
  JsonOut out;
  out.BeginObject();
  out.Key("dialect").String(NameOf(kDialects, options.dialect));
  out.Key("clock");
  if (options.clock) {
    out.BeginObject();
    out.Key("start_ns").Integer(options.clock->start_ns);
    out.Key("step_ns").Integer(options.clock->step_ns);
    out.EndObject();
  } else {
    out.String("system");
  }
  out.Key("ids").String(NameOf(kIds, options.ids));
  out.Key("policy");
  if (options.policy) {
    WritePolicy(*options.policy, out);
  } else {
    out.Null();
  }
  out.Key("authorize_sys").Bool(options.authorize_sys);
  out.Key("odi").String(NameOf(kOdi, options.odi));
  out.Key("durability").String(NameOf(kDurability, options.durability));
  out.Key("journal").String(NameOf(kJournal, options.journal));
  // Of a context that counts as all do there is nothing to say.
  if (options.encoding != Options().encoding) out.Key("encoding").String(options.encoding);
  if (options.retention) WriteRetention(*options.retention, out.Key("retention"));
  out.EndObject();
  return out.Take();
}

}  // namespace pactdb
