// Selector errors for people: the reason, the line, a caret under the fault.
//
//   expected ']' to close the filter
//     ^seq .block[role=user
//                          ^
//
// Thread safety: pure functions.
#pragma once

#include <pactdb/error.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace pactdb::select {

// `code` with `pos`, `token` (what stands there, empty at the end) and the line with its caret.
// Bytes that are not text show as '?'. REQUIRES: pos <= text.size().
Error MakeFault(ErrorCode code, std::string_view text, std::size_t pos, std::string_view reason);

// ", did you mean 'first'?" for the nearest of `names`, if it is near enough; else nothing. `mark`
// is put before the name.
std::string Suggestion(std::string_view wrong, std::span<const std::string_view> names,
                       std::string_view mark);

// kLimitExceeded with `limit` and `max`.
Error MakeLimitFault(std::string_view limit, std::int64_t max, std::string_view reason);

}  // namespace pactdb::select
