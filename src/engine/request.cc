#include "engine/request.h"

#include <algorithm>

#include "base/try.h"
#include "select/select.h"

namespace pactdb {
namespace {

// A snapshot's name, or NAME@ and one of another context.
bool IsStateName(std::string_view name) {
  const std::size_t at = name.find('@');
  if (at == 0 || at == std::string_view::npos) return IsSnapshotName(name);
  const std::string_view rest = name.substr(at + 1);
  return !rest.empty() && rest.find('@') == std::string_view::npos;
}

// Empty if the value has the type, else what it should be.
std::string_view Wanted(ArgumentType type, const JsonRef& value) {
  switch (type) {
    case ArgumentType::kText:
      return value.is_string() ? "" : "a string";
    case ArgumentType::kInteger:
      return value.AsInt64() ? "" : "a 64-bit integer";
    case ArgumentType::kCount:
      return value.AsInt64() && *value.AsInt64() >= 0 ? "" : "an integer, zero or more";
    case ArgumentType::kBool:
      return value.kind() == Json::Kind::kBool ? "" : "true or false";
    case ArgumentType::kObject:
      return value.is_object() ? "" : "an object";
    case ArgumentType::kArray:
      return value.is_array() ? "" : "an array";
    case ArgumentType::kSnapshot:
      return value.is_string() && IsSnapshotName(value.string())
                 ? ""
                 : "a snapshot: @t0, @t-N, @cN, a tag or \"working\"";
    case ArgumentType::kState:
      return value.is_string() && IsStateName(value.string())
                 ? ""
                 : "a snapshot: @t0, @t-N, @cN, NAME@cN, a tag or \"working\"";
    case ArgumentType::kNode:
      return value.is_object() || value.is_string() ? "" : "an object or a node literal";
    case ArgumentType::kAny:
      return "";
  }
  return "";
}

}  // namespace

bool IsSnapshotName(std::string_view name) {
  if (name.empty() || !name.starts_with('@')) return !name.empty();
  name.remove_prefix(1);
  if (name.starts_with('t')) {
    name.remove_prefix(1);
    if (name.starts_with('-') || name.starts_with('+')) name.remove_prefix(1);
  } else if (name.starts_with('c')) {
    name.remove_prefix(1);
  } else {
    return false;
  }
  return !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
}

Error InvalidArgument(std::string_view name, std::string message) {
  return Error(ErrorCode::kRequestInvalid, std::move(message)).With("argument", name);
}

Result<Request> Request::Check(const JsonRef& json, std::span<const Argument> arguments) {
  for (auto it = json.begin(); it != json.end(); ++it) {
    const std::string_view name = (*it).key;
    if (name == "op" || name == "tag" || name == "context") continue;
    if (std::ranges::find(arguments, name, &Argument::name) != arguments.end()) continue;
    return std::unexpected(InvalidArgument(name, "unknown argument '" + std::string(name) + "'"));
  }
  const Request request(json);
  for (const Argument& argument : arguments) {
    const auto value = request.Find(argument.name);
    if (!value) continue;
    const std::string_view wanted = Wanted(argument.type, *value);
    if (wanted.empty()) continue;
    return std::unexpected(InvalidArgument(
        argument.name, std::string(argument.name) + " must be " + std::string(wanted)));
  }
  for (const Argument& argument : arguments) {
    if (!argument.is_required || request.Has(argument.name)) continue;
    return std::unexpected(
        InvalidArgument(argument.name, "missing argument '" + std::string(argument.name) + "'"));
  }
  return request;
}

std::optional<JsonRef> Request::Find(std::string_view name) const {
  const auto value = json_.Find(name);
  if (!value || value->is_null()) return std::nullopt;
  return value;
}

std::optional<std::string> Request::Text(std::string_view name) const {
  const auto value = Find(name);
  if (!value) return std::nullopt;
  return std::string(value->string());
}

std::optional<std::int64_t> Request::Integer(std::string_view name) const {
  const auto value = Find(name);
  return value ? value->AsInt64() : std::nullopt;
}

bool Request::Bool(std::string_view name, bool otherwise) const {
  const auto value = Find(name);
  return value ? value->boolean() : otherwise;
}

Result<NodeSpec> Request::Node(std::string_view name) const {
  NodeSpec spec;
  const JsonRef node = *Find(name);
  if (node.is_string()) {
    PACTDB_TRY(auto fields, select::ParseNodeLiteral(node.string()));
    for (auto& [field, value] : fields) spec.Set(field, std::move(value));
    return spec;
  }
  for (auto it = node.begin(); it != node.end(); ++it) spec.Set((*it).key, (*it).value.ToJson());
  return spec;
}

}  // namespace pactdb
