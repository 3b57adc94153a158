// JSON values, found and written for people.
//
// Thread safety: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "text/json_doc.h"

namespace pactdb::cli {

// What the JSON pointer (RFC 6901) leads to, if anything.
std::optional<JsonRef> FollowPointer(JsonRef value, std::string_view pointer);

// The value on one line: text as UTF-8 and not as escapes, control characters visible, a blank
// after commas and colons. A string at the top has no quotes.
std::string ReadableLine(const JsonRef& value);

// Compact JSON with members in the order in which they stand; canonical but for that.
std::string JsonInOrder(const JsonRef& value);

// The member's text; empty if it is absent, null or no string.
std::string_view TextOf(const JsonRef& object, std::string_view name);

// The member on one line; empty if it is absent or null.
std::string LineOf(const JsonRef& object, std::string_view name);

}  // namespace pactdb::cli
