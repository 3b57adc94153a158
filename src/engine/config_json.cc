#include "engine/config_json.h"

#include "base/limits.h"
#include "base/try.h"
#include "engine/configure_json.h"
#include "text/json_doc.h"
#include "text/json_out.h"

namespace pactdb {
namespace {

// The last cycle alone is what the first version wrote, and all that it reads.
void WriteIdsAhead(const IdsAhead& ahead, JsonOut& out) {
  if (ahead.runs().empty()) return;
  out.Key("ids_ahead").BeginArray();
  for (const IdsAhead::Run& run : ahead.runs())
    out.BeginArray().Integer(run.first).Integer(run.last).EndArray();
  out.EndArray();
  out.Key("ids_ahead_to").Integer(ahead.runs().back().last);
}

bool ReadIdsAhead(const JsonRef& config, IdsAhead& ahead) {
  const auto runs = config.Find("ids_ahead");
  const auto to = config.Find("ids_ahead_to");
  if (!runs) {
    if (to && to->AsInt64() && *to->AsInt64() >= 0) ahead.Add({.first = 0, .last = *to->AsInt64()});
    return !to || to->AsInt64();
  }
  if (!runs->is_array()) return false;
  for (auto it = runs->begin(); it != runs->end(); ++it) {
    const JsonRef pair = (*it).value;
    if (!pair.is_array() || pair.size() != 2) return false;
    auto end = pair.begin();
    const auto first = (*end).value.AsInt64();
    const auto last = (*++end).value.AsInt64();
    if (!first || !last || *first < 0 || *first > *last) return false;
    ahead.Add({.first = *first, .last = *last});
  }
  return true;
}

}  // namespace

std::string ConfigJson(const StoredConfig& config) {
  JsonOut out;
  out.BeginObject();
  out.Key("clock_since_cycle").Integer(config.clock_since_cycle);
  WriteIdsAhead(config.ids_ahead, out);
  out.Key("options").Raw(OptionsJson(config.options));
  out.EndObject();
  return out.Take();
}

Result<StoredConfig> ParseConfig(std::string_view json) {
  StoredConfig config;
  if (json.empty()) return config;
  const auto damaged = [](std::string_view why) {
    return std::unexpected(Error(ErrorCode::kStoreCorrupt,
                                 "a stored configuration cannot be read: " + std::string(why)));
  };
  const auto doc = JsonDoc::ParseView(json, limits::kDocumentJsonDepthMax);
  if (!doc) return damaged(doc.error().message());
  const JsonRef root = doc->root();
  const auto since = root.is_object() ? root.Find("clock_since_cycle") : std::nullopt;
  const auto options = root.is_object() ? root.Find("options") : std::nullopt;
  if (!since || !since->AsInt64() || !options || !options->is_object())
    return damaged("a member is missing");
  config.clock_since_cycle = *since->AsInt64();
  if (!ReadIdsAhead(root, config.ids_ahead)) return damaged("its ids ahead are no cycles");
  // The arguments of `configure` are what OptionsJson writes.
  const auto request = Request::Check(*options, kConfigureArguments);
  if (!request) return damaged(request.error().message());
  auto parsed = ParseOptions(*request, Options());
  if (!parsed) return damaged(parsed.error().message());
  config.options = *std::move(parsed);
  return config;
}

}  // namespace pactdb
