// Words that are different every time somebody writes them: dates, times, uuids, seconds since
// 1970.
//
// Thread safety: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pactdb {

struct VolatileWord {
  std::string_view kind;  // "a date", "a time", "a uuid", "a time stamp"
  std::string text;
};

// The first one in the text. Linear.
std::optional<VolatileWord> FindVolatileWord(std::string_view text);

}  // namespace pactdb
