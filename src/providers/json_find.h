// Members and lists of a document, for readers.
//
// Thread safety: pure functions.
#pragma once

#include <pactdb/error.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/try.h"
#include "text/json_doc.h"

namespace pactdb::providers {

// Members of a type: absent and mistyped are one.

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

// Calls read(item, index) for every item of the list.
template <typename Reader>
Status ForEachItem(const JsonRef& list, Reader&& read) {
  std::size_t index = 0;
  for (auto it = list.begin(); it != list.end(); ++it, ++index)
    PACTDB_TRY_STATUS(read((*it).value, index));
  return {};
}

// The same for what a document is mostly made of: it is that list, or has it as its member `field`.
// `items` is what the error calls them.
template <typename Reader>
Status ForEachMainItem(const JsonRef& document, const std::optional<JsonRef>& list,
                       std::string_view format, std::string_view field, std::string_view items,
                       Reader&& read) {
  if (list && list->is_array()) return ForEachItem(*list, read);
  return std::unexpected(
      Error(ErrorCode::kImportInvalid,
            std::string(format) + " is a list of " + std::string(items) + ", or a body with one")
          .With("field", field)
          .With("pos", static_cast<std::int64_t>(document.pos())));
}

}  // namespace pactdb::providers
