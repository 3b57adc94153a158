#include "engine/retention_rules.h"

#include <algorithm>
#include <string>

#include "base/try.h"
#include "engine/times.h"

namespace pactdb {
namespace {

Error BadRetention(const std::string& message) {
  return InvalidArgument("retention", "retention: " + message);
}

}  // namespace

Status CheckRules(const RetentionRules& rules) {
  if (rules.keep_last && *rules.keep_last < 0)
    return std::unexpected(InvalidArgument("keep_last", "keep_last is 0 or more"));
  if (!rules.keep_last && !rules.older_than) {
    return std::unexpected(
        Error(ErrorCode::kRequestInvalid, "say what stays: keep_last, older_than or both"));
  }
  // Whether it can be read does not depend on when it is.
  if (rules.older_than) PACTDB_TRY_STATUS(ParseTimeOrAge(*rules.older_than, 0));
  return {};
}

std::optional<RetentionRules> RulesOf(const Request& request) {
  const bool is_said = std::ranges::any_of(
      kRetentionArguments, [&](const Argument& rule) { return request.Has(rule.name); });
  if (!is_said) return std::nullopt;
  return RetentionRules{.keep_last = request.Integer("keep_last"),
                        .older_than = request.Text("older_than"),
                        .keep_tagged = request.Bool("keep_tagged", true)};
}

Result<std::optional<RetentionRules>> ParseRetention(const JsonRef& json) {
  if (!json.is_object())
    return std::unexpected(InvalidArgument("retention", "retention must be an object or null"));
  // Every request may have these; a policy is none.
  for (const std::string_view name : {"op", "tag", "context"}) {
    if (json.Find(name))
      return std::unexpected(BadRetention("unknown argument '" + std::string(name) + "'"));
  }
  const auto members = Request::Check(json, kRetentionArguments);
  if (!members) return std::unexpected(BadRetention(members.error().message()));
  auto rules = RulesOf(*members);
  if (!rules) return std::nullopt;
  if (const Status checked = CheckRules(*rules); !checked)
    return std::unexpected(BadRetention(checked.error().message()));
  return rules;
}

void WriteRetention(const RetentionRules& rules, JsonOut& out) {
  out.BeginObject();
  if (rules.keep_last) out.Key("keep_last").Integer(*rules.keep_last);
  if (rules.older_than) out.Key("older_than").String(*rules.older_than);
  out.Key("keep_tagged").Bool(rules.keep_tagged);
  out.EndObject();
}

}  // namespace pactdb
