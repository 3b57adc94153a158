#include "engine/config_json.h"

#include "base/limits.h"
#include "base/try.h"
#include "engine/configure_json.h"
#include "text/json_doc.h"
#include "text/json_out.h"

namespace pactdb {

std::string ConfigJson(const StoredConfig& config) {
  JsonOut out;
  out.BeginObject();
  out.Key("clock_since_cycle").Integer(config.clock_since_cycle);
  if (config.ids_ahead_to > 0) out.Key("ids_ahead_to").Integer(config.ids_ahead_to);
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
  if (const auto ahead = root.Find("ids_ahead_to")) {
    if (!ahead->AsInt64()) return damaged("a member is no number");
    config.ids_ahead_to = *ahead->AsInt64();
  }
  // The arguments of `configure` are what OptionsJson writes.
  const auto request = Request::Check(*options, kConfigureArguments);
  if (!request) return damaged(request.error().message());
  auto parsed = ParseOptions(*request, Options());
  if (!parsed) return damaged(parsed.error().message());
  config.options = *std::move(parsed);
  return config;
}

}  // namespace pactdb
