// Members of a type, for readers: absent and mistyped are one.
//
// Thread safety: pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "text/json_doc.h"

namespace pactdb::providers {

inline std::optional<JsonRef> FindString(const JsonRef& object, std::string_view name) {
  if (!object.is_object()) return std::nullopt;
  const auto value = object.Find(name);
  return value && value->is_string() ? value : std::nullopt;
}

inline std::optional<JsonRef> FindObject(const JsonRef& object, std::string_view name) {
  if (!object.is_object()) return std::nullopt;
  const auto value = object.Find(name);
  return value && value->is_object() ? value : std::nullopt;
}

// A list that is not empty.
inline std::optional<JsonRef> FindList(const JsonRef& object, std::string_view name) {
  if (!object.is_object()) return std::nullopt;
  const auto value = object.Find(name);
  return value && value->is_array() && value->size() > 0 ? value : std::nullopt;
}

}  // namespace pactdb::providers
