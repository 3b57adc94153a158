// Canonical JSON laid out for people: one member or element a line.
//
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pactdb {

// What Python's json.dumps(value, sort_keys=True, indent=2) writes; no line feed at the end.
// Nothing if that is longer than `bytes_max`: deep nesting can make a text many times longer.
// REQUIRES: `canonical` is canonical JSON.
std::optional<std::string> IndentJson(std::string_view canonical, std::size_t bytes_max);

}  // namespace pactdb
